//! Server-side apply: field sets, ownership, merging.
//!
//! Follows `sigs.k8s.io/structured-merge-diff` (`merge/update.go`, `fieldpath`) and
//! `k8s.io/apimachinery/pkg/util/managedfields`.
//!
//! Every write says who it is from. What it changes, the writer owns from then on; what is applied, the applier owns even
//! where it changes nothing, and loses again by not applying it. [`apply`] and [`update`] are the two ways to write; the
//! rest of the server calls no others.

use std::{borrow::Cow, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{resource::Endpoint, schema::Schema, status::Failure};

mod blank;
mod codec;
mod conflict;
mod last_applied;
mod managed;
mod ownership;
mod path;
mod prune;
mod scale;
mod set;
mod typed;
mod value;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use self::value::{printed, type_name};
use self::{
    conflict::Conflict,
    ownership::Rules,
    typed::validate::{Duplicates, validate},
    write::{Applied, Refusal},
};
#[cfg(test)]
pub(crate) use self::{
    path::{Path, PathElement},
    set::FieldSet,
};
pub(crate) use self::{
    scale::{from_scale, to_scale},
    write::keep_times,
};

/// Who writes, where, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writer<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// The endpoint that the write comes through.
    pub endpoint: Endpoint,
    /// The version in which it is written: `v1`, or `group/v1`.
    pub api_version: &'a str,
    /// When.
    pub now: Timestamp,
}

/// What objects of a kind look like in each of its versions.
pub(crate) trait Schemas {
    /// The schema of a whole object, metadata included; `None` for a version that is not served any more.
    fn schema(&self, api_version: &str) -> Option<Arc<Schema>>;

    /// Whether the kind is a custom one: an object of it begins with nothing, while a built-in one begins with its records;
    /// and bookkeeping that cannot be read makes it forget all bookkeeping.
    fn custom(&self) -> bool {
        false
    }

    /// An object in another version of its kind, or why it cannot be had.
    fn convert<'v>(&self, object: &'v Value, _api_version: &str) -> Result<Cow<'v, Value>, String> {
        Ok(Cow::Borrowed(object))
    }
}

/// A configuration to be applied.
pub(crate) struct Apply<'a> {
    /// What is there, in the writer's version; `None` where nothing is.
    pub live: Option<&'a Value>,
    /// What is applied.
    pub config: &'a Value,
    /// Who applies.
    pub writer: Writer<'a>,
    /// Whether to take what others own.
    pub force: bool,
    /// The schemas.
    pub schemas: &'a dyn Schemas,
    /// Paths that a write through this endpoint leaves alone.
    pub reset: &'a [Vec<&'static str>],
}

/// Applies a configuration: the object as it is to be stored, in the writer's version, with its managed fields. Defaults
/// are not filled in, and what the endpoint cannot change is changed nevertheless: the caller sees to both, and then calls
/// [`keep_times`]. Where nothing changes, the result equals what is there.
pub(crate) fn apply(request: &Apply<'_>) -> Result<Value, Failure> {
    let Apply { live, config, writer, force, schemas, reset } = request;
    let internal = |text: String| Failure::new(500, "", text);
    let blank = if live.is_none() { Some(nothing_yet(*schemas, writer.api_version, config)) } else { None };
    let Some(live) = live.or(blank.as_ref()) else { return Err(internal("nothing to apply to".into())) };
    let undecodable = |error| internal(format!("failed to decode managed fields: {error}"));
    let entries = managed::decode(managed::of(live)).map_err(undecodable)?;
    let Some(rules) = Rules::new(writer, *schemas, reset, &entries) else {
        let text = format!("no corresponding type for {}", described_kind(writer.api_version, config));
        return Err(internal(format!(
            "failed to create typed patch object ({}): {text}",
            described(writer, config)
        )));
    };
    let first = if entries.is_empty() { Some(nothing_yet(*schemas, writer.api_version, live)) } else { None };
    let entries = match &first {
        None => entries,
        Some(nothing) => {
            let failed = |what: &str, error| {
                let object = described(writer, live);
                internal(
                    format!("failed to create manager for existing fields: failed to {what}: {error}")
                        .replace("OBJECT", &object),
                )
            };
            validate(live, rules.own_type(), Duplicates::Allowed)
                .map_err(|error| failed("convert new object (OBJECT) to smd typed", error))?;
            write::update(&rules, nothing, live, entries, "before-first-apply")
                .map_err(|error| failed("update ManagedFields (OBJECT)", error))?
        }
    };
    if managed::of(config).is_some() {
        return Err(Failure::bad_request("metadata.managedFields must be nil"));
    }
    let typed = |which: &str, object: &Value, duplicates| {
        validate(object, rules.own_type(), duplicates).map_err(|error| {
            internal(format!(
                "failed to create typed {which} object ({}): {error}",
                described(writer, object)
            ))
        })
    };
    typed("patch", config, Duplicates::Refused)?;
    typed("live", live, Duplicates::Allowed)?;
    let once = |entries, force| write::apply(&rules, live, config, entries, force);
    let by_kubectl = writer.manager == last_applied::MANAGER;
    let outcome = if by_kubectl && !force {
        match once(entries.clone(), false) {
            Err(Refusal::Conflicts(conflicts)) => match not_allowed(live, &rules, conflicts) {
                rest if rest.is_empty() => once(entries, true),
                rest => Err(Refusal::Conflicts(rest)),
            },
            other => other,
        }
    } else {
        once(entries, *force)
    };
    let applied = outcome.map_err(|refusal| match refusal {
        Refusal::Conflicts(conflicts) => conflict::failure(conflicts),
        Refusal::Impossible(text) => internal(text),
    })?;
    let (mut object, managed) = match applied {
        Applied::Nothing => (live.clone(), None),
        Applied::Owners(managed) => (live.clone(), Some(managed)),
        Applied::Object(object, managed) => (object, Some(managed)),
    };
    // Metadata that nothing is left of is not written as `null`, unlike fields of a custom kind.
    if !schemas.custom()
        && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.retain(|_, value| !value.is_null());
    }
    if by_kubectl {
        last_applied::refresh(&mut object, config);
    }
    if let Some(managed) = managed {
        managed::store(&mut object, managed);
    }
    Ok(object)
}

/// Lays a configuration over an object without any bookkeeping: `ApplyStructuredMergeDiff` of `MutatingAdmissionPolicies`.
pub(crate) fn lay_over(object: &Value, config: &Value, schema: &Schema) -> Result<Value, String> {
    let kind = typed::Type::of(schema);
    validate(config, kind, Duplicates::Refused)
        .map_err(|error| format!("failed to convert patch object to typed object: {error}"))?;
    let atomics = typed::atomics(config, kind);
    if !atomics.is_empty() {
        let atomics = atomics.join(", ");
        return Err(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {atomics}"
        ));
    }
    validate(object, kind, Duplicates::Allowed)
        .map_err(|error| format!("failed to convert original object to typed object: {error}"))?;
    let mut merged = typed::merge::merge(object, config, kind);
    if let Some(managed) = object.pointer("/metadata/managedFields") {
        merged["metadata"]["managedFields"] = managed.clone();
    }
    Ok(merged)
}

/// The conflicts without what was applied on the client's side before and still stands.
fn not_allowed<'a>(live: &Value, rules: &Rules<'_>, conflicts: Vec<Conflict<'a>>) -> Vec<Conflict<'a>> {
    let Some(configuration) = last_applied::configuration(live, rules.writer.api_version) else {
        return conflicts;
    };
    let Some(allowed) = last_applied::allowed(live, &configuration, rules.own_type()) else {
        return conflicts;
    };
    let rest = conflicts
        .into_iter()
        .map(|conflict| Conflict { fields: conflict.fields.difference(&allowed), ..conflict });
    rest.filter(|conflict| !conflict.fields.is_empty()).collect()
}

/// After a create, an update or a patch that is no apply, with defaults filled in: writes `metadata.managedFields` of `new`.
/// `live` is `None` for a create. [`keep_times`] follows once the object is as it will be stored.
pub(crate) fn update(
    live: Option<&Value>,
    new: &mut Value,
    writer: &Writer<'_>,
    schemas: &dyn Schemas,
    reset: &[Vec<&'static str>],
) {
    let sent = new
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .and_then(|metadata| metadata.remove("managedFields"));
    let encoded = updated(live, new, sent.as_ref(), writer, schemas, reset).unwrap_or_default();
    managed::store(new, encoded);
}

/// The managed fields after an update; what cannot be told is no reason to refuse a write, but then nobody owns anything.
fn updated(
    live: Option<&Value>,
    new: &Value,
    sent: Option<&Value>,
    writer: &Writer<'_>,
    schemas: &dyn Schemas,
    reset: &[Vec<&'static str>],
) -> Option<Vec<Value>> {
    let of_live = || managed::decode(live.and_then(managed::of)).unwrap_or_default();
    let entries = match sent.filter(|sent| !sent.is_null()) {
        Some(sent) if writer.endpoint == Endpoint::Main && is_reset(sent, schemas) => Vec::new(),
        Some(sent) if writer.endpoint == Endpoint::Main => match managed::decode(Some(sent)) {
            Ok(mut entries) if !entries.is_empty() => {
                // What a client sends back unchanged need not be written anew; anything else is put in order.
                let known = live.and_then(managed::of).and_then(Value::as_array);
                for entry in &mut entries {
                    let is_known = |written: &Value| known.is_some_and(|known| known.contains(written));
                    if !entry.written.is_some_and(is_known) {
                        entry.set_changed();
                    }
                }
                entries
            }
            _ => of_live(),
        },
        _ => of_live(),
    };
    let exists = |live: &Value| live.get("metadata").and_then(|metadata| metadata.get("uid")).is_some();
    if entries.is_empty() && live.is_some_and(exists) {
        return None;
    }
    let rules = Rules::new(writer, schemas, reset, &entries)?;
    let nothing = nothing_yet(schemas, writer.api_version, new);
    let live = live.unwrap_or(&nothing);
    validate(new, rules.own_type(), Duplicates::Allowed).ok()?;
    validate(live, rules.own_type(), Duplicates::Allowed).ok()?;
    let mut entries = write::update(&rules, live, new, entries, writer.manager).ok()?;
    Some(managed::encode(&mut entries))
}

/// Whether a client asks for the managed fields to be forgotten.
fn is_reset(sent: &Value, schemas: &dyn Schemas) -> bool {
    let hollow = |entry: &Value| match entry {
        Value::Object(fields) => fields.values().all(|value| value.is_null() || value == ""),
        other => other.is_null(),
    };
    match sent.as_array().map(Vec::as_slice) {
        Some([]) => !schemas.custom(),
        Some([one]) => hollow(one),
        _ => false,
    }
}

fn nothing_yet(schemas: &dyn Schemas, api_version: &str, object: &Value) -> Value {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    match schemas.schema(api_version) {
        Some(schema) if !schemas.custom() => blank::blank(&schema, api_version, kind, object),
        _ => json!({"apiVersion": api_version, "kind": kind}),
    }
}

/// How messages name an object: `namespace/name; group/version, Kind=Kind`.
fn described(writer: &Writer<'_>, object: &Value) -> String {
    let metadata = |field| {
        let text = object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_str);
        text.unwrap_or_default()
    };
    let kind = described_kind(writer.api_version, object);
    format!("{}/{}; {kind}", metadata("namespace"), metadata("name"))
}

fn described_kind(api_version: &str, object: &Value) -> String {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let slash = if api_version.contains('/') { "" } else { "/" };
    format!("{slash}{api_version}, Kind={kind}")
}
