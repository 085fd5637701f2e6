//! One object, as far as a person wants to see it: what it comes to, and everything its conditions say.

use allready::{
    Status, Time,
    found::FoundObject,
    health::{Verdict, judge},
    registry::Registry,
    writers,
};
use serde_json::Value;

/// How many conditions are shown of one object, and how much of a message.
const MAX_CONDITIONS: usize = 200;
const MAX_MESSAGE: usize = 4000;

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
        let conditions = found.conditions.conditions();
        let said = conditions.iter().take(MAX_CONDITIONS).map(|condition| Said {
            type_: condition.type_.to_string(),
            status: condition.status,
            reason: condition.reason.to_string(),
            message: condition.message.chars().take(MAX_MESSAGE).collect(),
            since: condition.since,
            writer: writers::of_condition(object, "status.conditions", &condition.type_)
                .map(|writer| writer.manager),
        });
        let generations = found.generation.zip(found.observed);
        Self {
            api_version: object["apiVersion"].as_str().unwrap_or_default().to_owned(),
            verdict: judge(object, registry, now),
            created: found.created,
            is_deleting: found.deleting,
            generations: generations.map(|(current, observed)| (current.get(), observed.get())),
            conditions: said.collect(),
            omitted: conditions.len().saturating_sub(MAX_CONDITIONS),
        }
    }
}
