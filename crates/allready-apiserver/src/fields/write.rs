//! The two ways to write: applying a configuration, and putting an object in place.

use serde_json::Value;

use super::{
    conflict::Conflict,
    managed::{self, Entry},
    ownership::{Rules, strip},
    prune::prune,
    set::FieldSet,
    typed::{
        compare::compare_within,
        merge::{holds, merge},
        owned::owned,
    },
    value,
};

/// What an apply comes to.
pub(crate) enum Applied {
    /// Nothing changes.
    Nothing,
    /// The object stays as it is; its managed fields are these.
    Owners(Vec<Value>),
    /// The object, without its managed fields, and these.
    Object(Value, Vec<Value>),
}

/// Why an apply is refused.
pub(crate) enum Refusal<'a> {
    /// Others own what it would change.
    Conflicts(Vec<Conflict<'a>>),
    /// It cannot be done.
    Impossible(String),
}

/// Applies a validated configuration to a validated object.
pub(crate) fn apply<'a>(
    rules: &'a Rules<'a>,
    live: &'a Value,
    config: &'a Value,
    mut entries: Vec<Entry<'a>>,
    force: bool,
) -> Result<Applied, Refusal<'a>> {
    let before = managed::of(live).and_then(Value::as_array).map_or(0, Vec::len);
    rules.reconcile(&mut entries, live).map_err(Refusal::Impossible)?;
    let kind = rules.own_type();
    let set = rules.without_reset(owned(config, kind));
    let mut own = rules.entry(rules.writer.manager, true, set);
    let last =
        entries.iter().position(|entry| entry.is_same_manager(&own)).map(|place| entries.swap_remove(place));
    let mut bare = own.set.clone();
    strip(&mut bare);
    // Whoever owns a map but nothing in it may lose it even so: when all that is in it counts for nothing, as an empty list.
    let is_plain = rules.is_one_version() && !value::has_hollow(config);
    if let Some(last) = last.as_ref().filter(|last| last.api_version == own.api_version && last.set == bare) {
        // What has been said before and still holds is the most common thing to be said.
        let untouched = entries.iter().chain([last]).all(|entry| entry.written.is_some());
        if untouched && entries.len() + 1 == before && is_plain && holds(live, config, kind) {
            return Ok(Applied::Nothing);
        }
        (own.fields, own.written) = (last.fields, last.written);
    }
    own.time = last.as_ref().and_then(|last| last.time);
    let mut merged = merge(live, config, kind);
    // What is applied again is not pruned.
    let stays =
        |last: &&Entry<'_>| last.api_version == own.api_version && last.set.is_within(&own.set) && is_plain;
    let changes = match last.as_ref().filter(|last| !stays(last)) {
        None => rules.mind_reset(compare_within(live, &merged, config, kind), rules.writer.api_version),
        Some(last) => {
            entries.push(own);
            let failed = |error| Refusal::Impossible(format!("failed to prune fields: {error}"));
            merged = prune(rules, merged, &entries, last).map_err(failed)?;
            own =
                entries.pop().unwrap_or_else(|| rules.entry(rules.writer.manager, true, FieldSet::default()));
            rules.changes(live, &merged, kind, rules.writer.api_version)
        }
    };
    let conflicts = rules.take(&mut entries, live, &merged, &changes).map_err(Refusal::Impossible)?;
    if !force && !conflicts.is_empty() {
        return Err(Refusal::Conflicts(conflicts));
    }
    let unchanged = changes.is_empty() && same_object(live, &merged);
    own.set = bare;
    if !unchanged {
        own.time = Some(rules.writer.now.as_second());
        own.written = None;
    }
    entries.push(own);
    entries.retain(|entry| !entry.set.is_empty());
    let managed = managed::encode(&mut entries);
    Ok(if unchanged { Applied::Owners(managed) } else { Applied::Object(merged, managed) })
}

/// The entries after an object has been put in place of another, both validated.
pub(crate) fn update<'a>(
    rules: &'a Rules<'a>,
    live: &'a Value,
    new: &'a Value,
    mut entries: Vec<Entry<'a>>,
    manager: &'a str,
) -> Result<Vec<Entry<'a>>, String> {
    rules.reconcile(&mut entries, live)?;
    let version = rules.writer.api_version;
    let changes = rules.changes(live, new, rules.own_type(), version);
    rules.take(&mut entries, live, new, &changes)?;
    entries.retain(|entry| !entry.set.is_empty());
    let mut gained = rules.without_reset(changes.modified.union(&changes.added));
    strip(&mut gained);
    if !gained.is_empty() {
        let mut own = rules.entry(manager, false, FieldSet::default());
        let place = entries.iter().position(|entry| entry.is_same_manager(&own));
        let previous = place.map(|place| entries.swap_remove(place).set);
        own.set = previous.map_or_else(|| gained.clone(), |previous| gained.union(&previous));
        own.time = Some(rules.writer.now.as_second());
        entries.push(own);
    }
    managed::cap(&mut entries);
    Ok(entries)
}

/// Whether two objects are the same, whatever their managed fields.
fn same_object(left: &Value, right: &Value) -> bool {
    let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else {
        return value::equal(left, right);
    };
    left.len() == right.len()
        && left.iter().all(|(key, left)| {
            right.get(key).is_some_and(|right| match (key.as_str(), left, right) {
                ("metadata", Value::Object(left), Value::Object(right)) => {
                    let fields = |map: &serde_json::Map<String, Value>| {
                        map.len() - usize::from(map.contains_key("managedFields"))
                    };
                    fields(left) == fields(right)
                        && left
                            .iter()
                            .filter(|(key, _)| *key != "managedFields")
                            .all(|(key, left)| right.get(key).is_some_and(|right| value::equal(left, right)))
                }
                _ => value::equal(left, right),
            })
        })
}

/// Puts the old times back when nothing but times differs between two objects, so that a write that changes nothing
/// writes nothing. It is for the very last moment before a write, when defaults and everything else are in place.
pub(crate) fn keep_times(live: &Value, new: &mut Value) {
    let (Some(Value::Array(old)), Some(Value::Array(now))) = (managed::of(live), managed::of(new)) else {
        return;
    };
    let same_but_for_time = |(old, now): (&Value, &Value)| match (old, now) {
        (Value::Object(old), Value::Object(now)) => {
            let timed = |(key, _): &(&String, &Value)| *key != "time";
            old.iter().filter(timed).eq(now.iter().filter(timed))
        }
        _ => old == now,
    };
    let times_differ = old.iter().zip(now).any(|(old, now)| old.get("time") != now.get("time"));
    if old.len() != now.len()
        || !times_differ
        || !old.iter().zip(now).all(same_but_for_time)
        || !same_object(live, new)
    {
        return;
    }
    let old = old.clone();
    managed::store(new, old);
}
