//! Everything that an object tells about its writers.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{
    entries,
    fields::{ConditionKey, Reach},
    text, time, walk,
    weigh::{Budget, length, weigh},
};
use crate::view::{ConditionList, Step, View};
use allready_core::Time;

/// The fields of a condition that say something; its type and its being there are not among them.
const SAYING: [&str; 5] =
    ["f:status", "f:reason", "f:message", "f:lastTransitionTime", "f:observedGeneration"];

/// The way in which a manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Operation {
    /// By server-side apply: what it stops to apply is removed.
    Apply,
    /// By anything else: what it wrote stays.
    Update,
    /// Something that no API server writes.
    Other,
}

/// A manager of an object: one entry of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Manager {
    /// Its name.
    pub manager: String,
    /// The way in which it writes.
    pub operation: Operation,
    /// The subresource that it writes: `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The version of the API in which it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// The time at which what it owns last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The bytes of its entry in `managedFields`, as JSON.
    pub entry_bytes: usize,
    /// The bytes of the fields that it owns, with their names, as JSON. What two own counts for both.
    pub owned_bytes: usize,
}

/// The judgement on the owners of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Agreement {
    /// Nobody is written down.
    Unowned,
    /// One manager owns it.
    Sole,
    /// Several own it, and agree about it.
    Shared,
    /// Several own parts of it: one has written over what another says.
    Contested,
}

/// An owner of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Who: an index into [`Ownership::managers`].
    pub manager: usize,
    /// Set if it owns the status of the condition, and not only something else of it.
    pub has_status: bool,
}

/// A condition and who owns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnedCondition {
    /// The path of its list: `status.listeners[web].conditions`.
    pub list: String,
    /// Its place in it.
    pub index: usize,
    /// The JSON pointer to it.
    #[serde(skip)]
    pub pointer: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_: String,
    /// The owners of something of it; first whoever wrote it, as [`of_condition`](super::of_condition) has it.
    pub owners: Vec<Owner>,
    /// The judgement on that.
    pub agreement: Agreement,
}

/// Everything that an object tells about its writers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ownership {
    /// Every condition, those at the top first.
    pub conditions: Vec<OwnedCondition>,
    /// Every manager, in the order of the object.
    pub managers: Vec<Manager>,
    /// The bytes of the object, as JSON.
    pub bytes: usize,
    /// The bytes of its `managedFields` alone.
    pub managed_fields_bytes: usize,
    /// Set if everything was looked at; an object of absurd size is not.
    pub is_complete: bool,
}

/// Finds who owns which condition of an object, and what each manager costs.
pub fn all(object: &Value) -> Ownership {
    let entries = entries(object);
    let mut budget = Budget::default();
    let managers: Vec<Manager> = entries.iter().map(|entry| manager(entry, object, &mut budget)).collect();
    let view = View::new(object);
    let mut is_complete = view.has_all_lists();
    let mut conditions = Vec::new();
    for list in view.lists() {
        if !budget.take(entries.len()) {
            break;
        }
        owned(list, object, &managers, &mut budget, &mut conditions);
    }
    is_complete &= budget.was_enough();
    Ownership {
        conditions,
        managed_fields_bytes: object.get("metadata").and_then(|it| it.get("managedFields")).map_or(0, length),
        managers,
        bytes: length(object),
        is_complete,
    }
}

fn manager(entry: &Value, object: &Value, budget: &mut Budget) -> Manager {
    let own = |field| text(entry, field).filter(|text| !text.is_empty()).map(str::to_owned);
    Manager {
        manager: own("manager").unwrap_or_default(),
        operation: match text(entry, "operation") {
            Some("Apply") => Operation::Apply,
            Some("Update") => Operation::Update,
            _ => Operation::Other,
        },
        subresource: own("subresource"),
        api_version: own("apiVersion"),
        time: time(entry),
        entry_bytes: length(entry),
        owned_bytes: match Reach::of_entry(entry) {
            Reach::Part(tree) => weigh(tree, object, budget),
            _ => 0,
        },
    }
}

/// The conditions of a list with their owners.
fn owned(
    list: &ConditionList<'_>,
    object: &Value,
    managers: &[Manager],
    budget: &mut Budget,
    into: &mut Vec<OwnedCondition>,
) {
    let reaches: Vec<(usize, Reach<'_>)> = entries(object)
        .iter()
        .map(|entry| walk(Reach::of_entry(entry), &list.path, object))
        .enumerate()
        .filter(|(_, reach)| !matches!(reach, Reach::None))
        .collect();
    for (index, condition) in list.value.as_array().into_iter().flatten().enumerate() {
        if !budget.take(reaches.len() + 1) {
            return;
        }
        let type_ = text(condition, "type").unwrap_or_default();
        let key = ConditionKey::new(type_);
        let parts = reaches.iter().map(|&(manager, reach)| (manager, reach.condition(&key)));
        let mut parts: Vec<_> = parts.filter(|(_, reach)| !matches!(reach, Reach::None)).collect();
        let rank = |&(manager, reach): &(usize, Reach<'_>)| {
            let of = managers.get(manager);
            (has_status(reach), of.map(|of| (of.time, of.subresource.is_some())), manager)
        };
        parts.sort_by_key(|part| std::cmp::Reverse(rank(part)));
        into.push(OwnedCondition {
            list: list.path.to_string(),
            index,
            pointer: list.path.join(Step::Item { index, name: None }).pointer(),
            type_: type_.to_owned(),
            owners: parts
                .iter()
                .map(|&(manager, reach)| Owner { manager, has_status: has_status(reach) })
                .collect(),
            agreement: agreement(&parts),
        });
    }
}

fn has_status(reach: Reach<'_>) -> bool {
    match reach {
        Reach::None => false,
        Reach::Whole => true,
        Reach::Part(tree) => tree.contains_key("f:status"),
    }
}

/// Managers that have what the others have agree. Where each has something else, one has taken it from the other: the API
/// server takes a field from those whose value is written over.
fn agreement(parts: &[(usize, Reach<'_>)]) -> Agreement {
    let said: BTreeSet<Vec<&str>> = parts
        .iter()
        .map(|(_, reach)| match reach {
            Reach::Part(tree) => SAYING.into_iter().filter(|&field| tree.contains_key(field)).collect(),
            _ => SAYING.to_vec(),
        })
        .filter(|said: &Vec<&str>| !said.is_empty())
        .collect();
    match (parts.len(), said.len()) {
        (0, _) => Agreement::Unowned,
        (1, _) => Agreement::Sole,
        (_, 0 | 1) => Agreement::Shared,
        _ => Agreement::Contested,
    }
}
