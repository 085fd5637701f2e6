//! M01, and what of M02 one object shows: who writes which condition, and whether what it is about still exists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Place, Severity, finding::Findings, gateway, object::Subject};
use allready_core::condition::excerpt;

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    writers(subject, findings);
    gateway::dropped_parents(subject, findings);
}

/// The depth to which managed fields are followed.
const DEPTH: usize = 10;

/// The owners of what is below lists of conditions.
#[derive(Default)]
struct Owned<'a> {
    /// The status of a condition, by the path of its list and its type.
    conditions: BTreeMap<(String, String), BTreeSet<&'a str>>,
    /// Lists as a whole.
    lists: BTreeMap<String, BTreeSet<&'a str>>,
}

/// M01.
fn writers(subject: &Subject<'_>, findings: &mut Findings) {
    let Some(entries) = subject.object["metadata"]["managedFields"].as_array() else { return };
    let mut owned = Owned::default();
    let mut writers = BTreeSet::new();
    for entry in entries {
        let manager = entry["manager"].as_str().unwrap_or_default();
        let Some(status) = entry["fieldsV1"].get("f:status") else { continue };
        writers.insert(manager);
        walk(status, "status", manager, DEPTH, &mut owned);
    }
    for ((list, type_), managers) in owned.conditions.iter().filter(|(_, managers)| managers.len() > 1) {
        let place = || condition_place(subject, list, type_);
        findings.add("M01", Severity::Warning, place(), || {
            format!("{} is written by {}", excerpt(type_), named(managers))
        });
    }
    for (list, managers) in &owned.lists {
        let Some(found) = subject.lists.iter().find(|found| found.place.path == *list) else { continue };
        if found.found.conditions().len() < 2 && writers.len() < 2 {
            continue;
        }
        // As long as one manager is alone it does no harm.
        let severity = if writers.len() > 1 { Severity::Warning } else { Severity::Info };
        findings.add("M01", severity, found.place.clone(), || {
            format!("{} owns the list as a whole, and replaces what others write into it", named(managers))
        });
    }
}

fn named(managers: &BTreeSet<&str>) -> String {
    let named: Vec<String> =
        managers.iter().take(4).map(|manager| format!("{:?}", excerpt(manager))).collect();
    let more = managers.len().saturating_sub(named.len());
    if more > 0 { format!("{} and {more} more", named.join(", ")) } else { named.join(" and ") }
}

fn condition_place(subject: &Subject<'_>, list: &str, type_: &str) -> Place {
    let found = subject.lists.iter().find(|found| found.place.path == list);
    let entry = found.and_then(|found| {
        let at = found.entries().find(|(_, condition)| condition.type_ == type_)?;
        Some(found.entry(at.0))
    });
    entry.unwrap_or_else(|| Place { path: format!("{list}[{}]", excerpt(type_)), pointer: String::new() })
}

fn walk<'a>(fields: &'a Value, path: &str, manager: &'a str, depth: usize, owned: &mut Owned<'a>) {
    if depth == 0 {
        return;
    }
    for (key, value) in fields.as_object().into_iter().flatten() {
        if key == "f:conditions" {
            conditions(value, &format!("{path}.conditions"), manager, owned);
        } else if let Some(field) = key.strip_prefix("f:") {
            walk(value, &format!("{path}.{field}"), manager, depth - 1, owned);
        } else if let Some(name) = entry_name(key, "name") {
            walk(value, &format!("{path}[{name}]"), manager, depth - 1, owned);
        }
    }
}

/// The name that a list entry has in managed fields: `k:{"type":"Ready"}`.
fn entry_name(key: &str, field: &str) -> Option<String> {
    let keys: Value = serde_json::from_str(key.strip_prefix("k:")?).ok()?;
    keys.get(field)?.as_str().map(str::to_owned)
}

fn conditions<'a>(value: &'a Value, list: &str, manager: &'a str, owned: &mut Owned<'a>) {
    let Some(entries) = value.as_object() else { return };
    if entries.is_empty() {
        owned.lists.entry(list.to_owned()).or_default().insert(manager);
    }
    for (key, fields) in entries {
        // Whoever owns the status says what the condition says; the other fields go with it.
        if let Some(type_) = entry_name(key, "type").filter(|_| fields.get("f:status").is_some()) {
            owned.conditions.entry((list.to_owned(), type_)).or_default().insert(manager);
        }
    }
}
