//! The details of one object: its verdict, and all of its conditions.

use crate::{
    judge::{Verdict, judge},
    registry::Registry,
    view::{ConditionList, View},
    writers,
};
use allready_core::{
    Status, Time,
    found::{self, FoundObject},
};
use serde_json::Value;

/// The number of conditions that are shown of one object, and of characters of a message.
const MAX_CONDITIONS: usize = 200;
const MAX_MESSAGE: usize = 4000;

/// One object.
#[derive(Debug)]
pub struct Details {
    /// The API group and version.
    pub api_version: String,
    /// The verdict on it alone.
    pub verdict: Verdict,
    /// The time at which it was created.
    pub created: Option<Time>,
    /// Set while it is deleted.
    pub is_deleting: bool,
    /// Its generation, and the one its status is about, where both are told.
    pub generations: Option<(i64, i64)>,
    /// Its conditions, and those of its parts.
    pub conditions: Vec<Said>,
    /// The number of conditions that are left out.
    pub omitted: usize,
}

/// A condition, and its writer.
#[derive(Debug)]
pub struct Said {
    /// The part of the object that it is about: `listeners[https]`; empty for all of it.
    pub part: String,
    /// The type.
    pub type_: String,
    /// The status.
    pub status: Status,
    /// The reason.
    pub reason: String,
    /// The message, or the beginning of a long one.
    pub message: String,
    /// Since when the status is as it is.
    pub since: Option<Time>,
    /// The field manager that wrote it.
    pub writer: Option<String>,
}

impl Details {
    /// Reads any object.
    pub fn of(object: &Value, registry: &Registry, now: Time) -> Self {
        let found = FoundObject::read(object);
        let mut conditions = Vec::new();
        let mut count = 0;
        for found_list in View::new(object).lists() {
            let list = found::read(found_list.value);
            let part = part(found_list);
            count += list.conditions().len();
            let room = MAX_CONDITIONS.saturating_sub(conditions.len());
            conditions.extend(list.conditions().iter().take(room).map(|condition| {
                Said {
                    part: part.clone(),
                    type_: condition.type_.to_string(),
                    status: condition.status,
                    reason: condition.reason.to_string(),
                    message: condition.message.chars().take(MAX_MESSAGE).collect(),
                    since: condition.began(found.created),
                    writer: writers::of_condition(object, &found_list.path, &condition.type_)
                        .map(|writer| writer.manager),
                }
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

/// The part of the object that a list is about: `listeners[https]`; empty for all of it.
fn part(list: &ConditionList<'_>) -> String {
    let path = list.path.to_string();
    let inside = path.strip_prefix("status.").unwrap_or(&path);
    if list.is_top { String::new() } else { inside.strip_suffix(".conditions").unwrap_or(inside).to_owned() }
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
