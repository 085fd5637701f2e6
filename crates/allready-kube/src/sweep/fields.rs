//! Who owns which conditions, by `managedFields`.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use serde_json::Value;

use crate::{manager::Manager, report::SUFFIX};

/// One entry of `managedFields`, as far as a sweep is interested in it.
pub(super) struct Claim<'a> {
    pub(super) entry: &'a ManagedFieldsEntry,
    /// The types of the conditions that it owns something of.
    pub(super) types: BTreeSet<String>,
    /// Whether it owns something else.
    has_more: bool,
}

impl<'a> Claim<'a> {
    pub(super) fn read(entry: &'a ManagedFieldsEntry) -> Self {
        let nothing = Value::Null;
        let fields = entry.fields_v1.as_ref().map_or(&nothing, |fields| &fields.0);
        let status = &fields["f:status"];
        let conditions = &status["f:conditions"];
        let types = keys(conditions).filter_map(condition_type).collect();
        let is_known = |key: &&str| *key == "." || condition_type(key).is_some();
        let has_more = keys(fields).any(|key| key != "f:status")
            || keys(status).any(|key| key != "f:conditions" && key != ".")
            || keys(conditions).any(|key| !is_known(&key));
        Self { entry, types, has_more }
    }

    /// The [prefix](crate::report::Identity::prefix) of the reporter whose entry this is, if it is one's.
    ///
    /// The name of a manager that was too long ends in a digest, so it is derived again from the types that it owns. One
    /// that owns nothing any more is known by its name, where that still has the slash.
    pub(super) fn writer(&self) -> Option<&str> {
        let manager = self.entry.manager.as_deref()?;
        let is_apply = self.entry.operation.as_deref() == Some("Apply");
        let is_status = self.entry.subresource.as_deref() == Some("status");
        if !is_apply || !is_status || self.has_more {
            return None;
        }
        let Some(first) = self.types.first() else {
            return manager.split_once('/').map(|(prefix, _)| prefix);
        };
        let (prefix, _) = first.split_once('/')?;
        let is_own = |type_: &String| {
            type_
                .split_once('/')
                .is_some_and(|(of, name)| of == prefix && is_manager_of(manager, prefix, name))
        };
        self.types.iter().all(is_own).then_some(prefix)
    }
}

/// Whether a manager has the name that is derived for the reconciler of this condition.
fn is_manager_of(manager: &str, prefix: &str, type_name: &str) -> bool {
    let rest = manager.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/'));
    let derived = |reconciler: &str| Manager::of(&format!("{prefix}/{reconciler}")).as_str() == manager;
    rest.is_some() || type_name.strip_suffix(SUFFIX).is_some_and(derived)
}

fn keys(value: &Value) -> impl Iterator<Item = &str> {
    value.as_object().into_iter().flat_map(|object| object.keys().map(String::as_str))
}

/// The type in a key such as `k:{"type":"Ready"}`.
pub(crate) fn condition_type(key: &str) -> Option<String> {
    let key: Value = serde_json::from_str(key.strip_prefix("k:")?).ok()?;
    key["type"].as_str().map(str::to_owned)
}
