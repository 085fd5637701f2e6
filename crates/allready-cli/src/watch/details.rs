//! One object, as far as a person wants to see it: what it comes to, and everything its conditions say.

use allready_core::{
    Status, Time,
    found::{self, FoundObject},
};
use allready_inspect::{
    judge::{Verdict, judge},
    registry::Registry,
    writers,
};
use serde_json::Value;

/// How many conditions are shown of one object, and how much of a message.
const MAX_CONDITIONS: usize = 200;
const MAX_MESSAGE: usize = 4000;
/// How deep in a status conditions are looked for.
const MAX_DEPTH: usize = 6;

/// One object.
#[derive(Debug)]
pub(super) struct Details {
    pub(super) api_version: String,
    pub(super) verdict: Verdict,
    pub(super) created: Option<Time>,
    /// Since when it is being deleted.
    pub(super) is_deleting: bool,
    /// Its generation, and the one its status is about, where both are told.
    pub(super) generations: Option<(i64, i64)>,
    pub(super) conditions: Vec<Said>,
    /// How many conditions are left out.
    pub(super) omitted: usize,
}

/// What a condition says, and who wrote it.
#[derive(Debug)]
pub(super) struct Said {
    /// What of the object it is about: `listeners[https]`; empty for all of it.
    pub(super) part: String,
    pub(super) type_: String,
    pub(super) status: Status,
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) since: Option<Time>,
    pub(super) writer: Option<String>,
}

impl Details {
    /// Reads any object.
    pub(super) fn of(object: &Value, registry: &Registry, now: Time) -> Self {
        let found = FoundObject::read(object);
        let mut conditions = Vec::new();
        let mut count = 0;
        for (path, list) in lists(&object["status"]) {
            let full = format!("status.{path}conditions");
            let list = found::read(list);
            count += list.conditions().len();
            let room = MAX_CONDITIONS.saturating_sub(conditions.len());
            conditions.extend(list.conditions().iter().take(room).map(|condition| Said {
                part: path.trim_end_matches('.').to_owned(),
                type_: condition.type_.to_string(),
                status: condition.status,
                reason: condition.reason.to_string(),
                message: condition.message.chars().take(MAX_MESSAGE).collect(),
                since: condition.began(found.created),
                writer: writers::of_condition(object, &full, &condition.type_).map(|writer| writer.manager),
            }));
        }
        let generations = found.generation.zip(found.observed);
        Self {
            api_version: object["apiVersion"].as_str().unwrap_or_default().to_owned(),
            verdict: judge(object, registry, now),
            created: found.created,
            is_deleting: found.deleting,
            generations: generations.map(|(current, observed)| (current.get(), observed.get())),
            omitted: count - conditions.len(),
            conditions,
        }
    }
}

/// The lists of conditions within a status, with the way to each: its own, and those of its parts.
fn lists(status: &Value) -> Vec<(String, &Value)> {
    let mut lists = Vec::new();
    collect(status, "", 0, &mut lists);
    lists
}

fn collect<'a>(value: &'a Value, path: &str, depth: usize, lists: &mut Vec<(String, &'a Value)>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(fields) => {
            if let Some(conditions) = fields.get("conditions").filter(|list| list.is_array()) {
                lists.push((path.to_owned(), conditions));
            }
            for (name, field) in fields.iter().filter(|(name, _)| *name != "conditions") {
                collect(field, &format!("{path}{name}."), depth + 1, lists);
            }
        }
        Value::Array(entries) => {
            let path = path.trim_end_matches('.');
            for (index, entry) in entries.iter().enumerate().take(MAX_CONDITIONS) {
                let name = ["name", "type", "key"].iter().find_map(|key| entry[*key].as_str());
                let name = name.or_else(|| entry["parentRef"]["name"].as_str());
                let name = name.map_or_else(|| index.to_string(), str::to_owned);
                collect(entry, &format!("{path}[{name}]."), depth + 1, lists);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_of_parts_are_shown_after_those_of_the_whole() {
        let object = json!({ "kind": "Gateway", "status": {
            "conditions": [{ "type": "Programmed", "status": "True" }],
            "listeners": [
                { "name": "https", "conditions": [{ "type": "Accepted", "status": "False" }] },
                { "conditions": [{ "type": "Accepted", "status": "True" }] },
            ],
            "parents": [{ "parentRef": { "name": "web" }, "conditions": [{ "type": "Accepted", "status": "True" }] }],
            "note": { "conditions": "no list" },
        } });
        let details = Details::of(&object, Registry::builtin(), Time::EPOCH);
        let told: Vec<_> =
            details.conditions.iter().map(|said| format!("{} {}", said.part, said.type_)).collect();
        assert_eq!(
            told,
            [" Programmed", "listeners[https] Accepted", "listeners[1] Accepted", "parents[web] Accepted"]
        );
    }

    #[test]
    fn a_condition_from_the_default_of_a_schema_is_as_old_as_its_object() {
        let object = json!({ "kind": "Gateway", "metadata": { "creationTimestamp": "2026-11-15T11:50:00Z" },
            "status": { "conditions": [
                { "type": "Accepted", "status": "Unknown", "lastTransitionTime": "1970-01-01T00:00:00Z" },
                { "type": "Programmed", "status": "Unknown" },
            ] } });
        let details = Details::of(&object, Registry::builtin(), Time::EPOCH);
        let since: Vec<_> = details.conditions.iter().map(|said| said.since).collect();
        assert_eq!(since, ["2026-11-15T11:50:00Z".parse().ok(), None]);
        assert_eq!(details.verdict.since, since[0]);
    }

    #[test]
    fn of_ten_thousand_conditions_two_hundred_are_shown_and_the_rest_is_counted() {
        let many: Vec<Value> =
            (0..10_000).map(|number| json!({ "type": format!("T{number}"), "status": "True" })).collect();
        let object = json!({ "kind": "Widget", "status": { "conditions": many } });
        let details = Details::of(&object, Registry::builtin(), Time::EPOCH);
        assert_eq!((details.conditions.len(), details.omitted), (200, 9800));
    }
}
