//! What is special about a custom kind: what its definition says, and nothing else.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use super::{conversion::Converter, raw, scale};
use crate::{
    resource::{Call, Endpoint, Strategy, Version, renamed},
    schema::{self, Schema, Validator, malformed::problem, validate::malformed},
    status::{Failure, FieldError, display, quote},
};

/// The [`Strategy`] of a custom kind.
pub(super) struct CustomStrategy {
    pub(super) validators: BTreeMap<String, Validator>,
    /// The webhook that converts between the versions, where there is one.
    pub(super) converter: Option<Converter>,
    /// Every version of the definition, served or not, with metadata.
    pub(super) schemas: BTreeMap<String, Arc<Schema>>,
    /// The spec and the accepted names.
    pub(super) definition: Value,
    /// The resourceVersion after which objects were written under this definition.
    pub(super) since: u64,
    /// Whether a status subresource sets the status apart.
    pub(super) status: bool,
    pub(super) group: String,
    pub(super) kind: String,
}

impl CustomStrategy {
    /// The schema of the version that an object says it has, where it has one; `None` for an object of another kind.
    #[expect(clippy::option_option, reason = "another kind and an unknown version are not the same")]
    fn own_schema(&self, object: &Value) -> Option<Option<&Schema>> {
        let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
        (group == self.group && text("kind") == self.kind)
            .then(|| self.schemas.get(version).map(AsRef::as_ref))
    }

    fn fill_in(&self, object: &mut Value) {
        let Some(Some(own)) = self.own_schema(object) else { return };
        // Metadata has a type of its own, which fills in nothing.
        let metadata = object.as_object_mut().and_then(|fields| fields.remove_entry("metadata"));
        schema::default_keeping_nulls(own, object);
        if let Some(fields) = object.as_object_mut() {
            fields.remove("metadata");
            fields.extend(metadata);
        }
    }

    /// An object of another kind is refused before anything else is looked at.
    fn type_problems(&self, version: &Version, object: &Value) -> Vec<FieldError> {
        let wanted =
            [("kind", self.kind.clone()), ("apiVersion", format!("{}/{}", self.group, version.name))];
        let wrong = wanted.into_iter().filter_map(|(name, wanted)| {
            let found = object.get(name).and_then(Value::as_str).unwrap_or_default();
            (found != wanted).then(|| FieldError::invalid(name, found, format!("must be {wanted}")))
        });
        wrong.collect()
    }
}

impl Strategy for CustomStrategy {
    fn decode(&self, _version: &Version, object: &Value) -> Result<(), String> {
        let root = object.get("metadata").and_then(problem);
        let found = root.or_else(|| {
            let malformed = malformed(self.own_schema(object)??, object);
            malformed.map(|error| error.to_string())
        });
        found.map_or(Ok(()), Err)
    }

    fn definition(&self) -> Option<&Value> {
        Some(&self.definition)
    }

    fn unserved(&self, version: &str) -> Option<Arc<Schema>> {
        self.schemas.get(version).cloned()
    }

    fn shown_as_stored(&self, written: u64) -> bool {
        written > self.since
    }

    fn refresh(&self, object: &mut Value) {
        self.coerce(object);
        self.fill_in(object);
    }

    fn is_fresh(&self, object: &Value) -> bool {
        matches!(self.own_schema(object), Some(Some(own)) if schema::is_settled(own, object))
    }

    fn calls_webhook(&self) -> bool {
        self.converter.is_some()
    }

    fn to_version(&self, object: Value, api_version: &str) -> Result<Value, Failure> {
        match &self.converter {
            Some(converter) => converter.convert(object, api_version),
            None => Ok(renamed(object, api_version)),
        }
    }

    fn store_from(&self, _from: &Version, object: &mut Value) {
        self.coerce(object);
    }

    fn serve_as(&self, _to: &Version, object: &mut Value) {
        self.coerce(object);
    }

    fn coerce(&self, object: &mut Value) -> Vec<String> {
        match self.own_schema(object) {
            Some(own) => schema::coerce(own, object),
            None => schema::coerce_metadata(object),
        }
    }

    fn default(&self, _version: &Version, object: &mut Value) {
        self.fill_in(object);
    }

    fn prepare_create(&self, version: &Version, object: &mut Value, _call: &Call) {
        if let Some(fields) = object.as_object_mut().filter(|_| version.status) {
            fields.remove("status");
        }
    }

    fn prepare_update(&self, version: &Version, endpoint: Endpoint, new: &mut Value, old: &Value) {
        if endpoint == Endpoint::Status {
            status_only(new, old);
        } else if version.status
            && let Some(fields) = new.as_object_mut()
        {
            match old.get("status") {
                Some(status) => drop(fields.insert("status".into(), status.clone())),
                None => drop(fields.remove("status")),
            }
        }
    }

    fn moves_generation(&self, new: &Value, old: &Value) -> Option<bool> {
        let counts = |name: &str| match name {
            "metadata" | "apiVersion" | "kind" => false,
            "status" => !self.status,
            _ => true,
        };
        let part = |fields: &'_ Map<String, Value>| fields.keys().filter(|name| counts(name)).count();
        let (Value::Object(new), Value::Object(old)) = (new, old) else { return Some(new != old) };
        let kept = new
            .iter()
            .filter(|(name, _)| counts(name))
            .all(|(name, value)| old.get(name).is_some_and(|old| is_same(value, old)));
        Some(!kept || part(new) != part(old))
    }

    fn validate(
        &self,
        version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
    ) -> Vec<FieldError> {
        self.validate_after(Vec::new(), version, endpoint, new, old, &mut Vec::new())
    }

    fn validate_after(
        &self,
        found: Vec<FieldError>,
        version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let main = endpoint != Endpoint::Status;
        let wrong = self.type_problems(version, new);
        let mut more = found;
        more.extend(version.scale.iter().flat_map(|paths| scale::check(paths, new, main)));
        let Some(validator) = self.validators.get(&version.name) else { return more };
        if !wrong.is_empty() {
            return validator.validate_foreign(new, old, wrong, warnings);
        }
        match old {
            Some(old) if !main => validator.validate_status_with(new, old, more, warnings),
            old => validator.validate_with(new, old, more, warnings),
        }
    }

    fn warnings(&self, _version: &Version, new: &Value, old: Option<&Value>) -> Vec<String> {
        let finalizers = |object: &Value| {
            let metadata = object.get("metadata").and_then(Value::as_object);
            metadata.map(|metadata| raw::texts(metadata, "finalizers")).unwrap_or_default()
        };
        let before = old.map(finalizers).unwrap_or_default();
        let mut added = finalizers(new);
        added.retain(|name| !before.contains(name));
        added.sort();
        added.dedup();
        added.iter().filter_map(|name| finalizer_warning(name)).collect()
    }

    fn selectable(&self, version: &Version, object: &Value, field: &str) -> Option<String> {
        let path = version.selectable.iter().find(|path| path.strip_prefix('.').unwrap_or(path) == field)?;
        let steps = path.strip_prefix('.').unwrap_or(path).split('.');
        let value = steps.into_iter().try_fold(object, |here, step| here.get(step));
        Some(match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => display(other),
        })
    }

    fn reset_fields(&self, version: &Version, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
        match endpoint {
            Endpoint::Status => vec![vec!["metadata"], vec!["spec"]],
            _ if version.status => vec![vec!["status"]],
            _ => Vec::new(),
        }
    }
}

/// Whether two values are the same, numbers of the same type included: beyond 64 signed bits, all are floats.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left.as_i64() == right.as_i64() && (left.is_i64() || left.as_f64() == right.as_f64())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((one, left), (other, right))| one == other && is_same(left, right))
        }
        (left, right) => left == right,
    }
}

/// Everything but the status is taken from the old object, except who manages what and the version that was checked. What
/// is equal already stays where it is: comparing is much cheaper than copying.
fn status_only(new: &mut Value, old: &Value) {
    let Value::Object(before) = old else {
        *new = old.clone();
        return;
    };
    if !new.is_object() {
        *new = Value::Object(Map::new());
    }
    let Value::Object(fields) = new else { return };
    fields.retain(|name, _| name == "status" || before.contains_key(name));
    for (name, value) in before.iter().filter(|(name, _)| *name != "status") {
        match (name.as_str(), fields.get_mut(name), value) {
            ("metadata", Some(Value::Object(now)), Value::Object(before)) => {
                let own = |name: &str| matches!(name, "managedFields" | "resourceVersion");
                now.retain(|name, _| own(name) || before.contains_key(name));
                for (name, value) in before {
                    let given = name == "managedFields" || (own(name) && now.contains_key(name));
                    if !given && now.get(name) != Some(value) {
                        now.insert(name.clone(), value.clone());
                    }
                }
            }
            (_, Some(now), value) if now == value => {}
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
}

fn finalizer_warning(name: &str) -> Option<String> {
    if name.contains('/') || matches!(name, "orphan" | "foregroundDeletion" | "kubernetes") {
        return None;
    }
    let including = if name.contains('.') { " including a path (/)" } else { "" };
    Some(format!(
        "metadata.finalizers: {}: prefer a domain-qualified finalizer name{including} to avoid accidental conflicts with other \
         finalizer writers",
        quote(name)
    ))
}
