//! What a manager applied last time and does not apply any more goes, unless someone else owns it.

use serde_json::Value;

use super::{
    managed::Entry,
    ownership::Rules,
    set::FieldSet,
    typed::{Type, named::with_named_fields, owned::owned, remove::remove},
};

/// Removes from the merged object what the entry `last` owned and nobody owns now. `entries` has the new set of the
/// applying manager already.
pub(crate) fn prune(
    rules: &Rules<'_>,
    merged: Value,
    entries: &[Entry<'_>],
    last: &Entry<'_>,
) -> Result<Value, String> {
    let last_version = last.api_version.as_ref();
    if last.set.is_empty() {
        return Ok(merged);
    }
    let Some(kind) = rules.type_of(last_version)? else { return Ok(merged) };
    let failed = |error| format!("failed to convert merged object to last applied version: {error}");
    let merged = rules.convert(&merged, last_version, kind).map_err(failed)?.into_owned();
    let last_set = with_named_fields(last.set.clone(), kind);
    let mut pruned = merged.clone();
    remove(&mut pruned, &last_set, kind);
    let mut versions = vec![last_version];
    for entry in entries {
        if !versions.contains(&entry.api_version.as_ref()) {
            versions.push(&entry.api_version);
        }
    }
    for version in versions {
        pruned = add_back_owned(rules, &merged, &pruned, version, entries)
            .map_err(|error| format!("failed add back owned items: {error}"))?;
    }
    let mut out = merged.clone();
    let pruned = rules.convert(&pruned, last_version, kind).map_err(|error| {
        format!(
            "failed add back dangling items: failed to convert pruned object to last applied version: {error}"
        )
    })?;
    let (whole, left) = (named(&merged, kind), named(&pruned, kind));
    // What was removed along with its parent though the manager never owned it stays.
    remove(&mut out, &whole.difference(&left).intersection(&last_set), kind);
    Ok(rules.convert(&out, rules.writer.api_version, rules.own_type())?.into_owned())
}

/// The merged object without what is neither in the pruned one nor owned by anyone, as seen in one version.
fn add_back_owned(
    rules: &Rules<'_>,
    merged: &Value,
    pruned: &Value,
    version: &str,
    entries: &[Entry<'_>],
) -> Result<Value, String> {
    let Some(kind) = rules.type_of(version)? else { return Ok(pruned.clone()) };
    let failed = |which, error| format!("failed to convert {which} object at version {version}: {error}");
    let merged = rules.convert(merged, version, kind).map_err(|error| failed("merged", error))?;
    let pruned = rules.convert(pruned, version, kind).map_err(|error| failed("pruned", error))?;
    let sets = entries.iter().filter(|entry| entry.api_version == version).map(|entry| &entry.set);
    let managed = sets.fold(FieldSet::default(), |all, set| all.union(set));
    let kept = named(&pruned, kind);
    let kept = kept.union(&with_named_fields(managed, kind));
    let gone = named(&merged, kind).difference(&kept);
    let mut out = merged.as_ref().clone();
    remove(&mut out, &gone, kind);
    Ok(out)
}

fn named<'a>(object: &'a Value, kind: Type<'a>) -> FieldSet<'a> {
    with_named_fields(owned(object, kind), kind)
}
