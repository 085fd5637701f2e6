//! How far an object is from what an API server takes.

use std::collections::BTreeMap;

use allready_inspect::{
    view::group,
    writers::{Operation, Ownership},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What etcd takes in one request, by default.
const ETCD_REQUEST: usize = 1_572_864;
/// What an API server reads of one request.
const REQUEST_BODY: usize = 3 * 1024 * 1024;
/// All annotations together, keys and values.
const ANNOTATIONS: usize = 256 * 1024;
/// More managers that update are merged by the API server into one, `ancient-changes`.
const UPDATE_MANAGERS: usize = 10;
/// The longest message of a condition.
const MESSAGE: usize = 32_768;
/// The conditions in one list of a kind of the Gateway API.
const GATEWAY_CONDITIONS: usize = 8;
/// The longest lists in a status of the Gateway API.
const GATEWAY_LISTS: [(&str, usize); 3] = [("listeners", 64), ("parents", 32), ("ancestors", 16)];
/// The group of the Gateway API.
const GATEWAY: &str = "gateway.networking.k8s.io";

/// A limit and how much of it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Limit {
    /// Of what.
    #[serde(rename = "limit")]
    pub(super) name: String,
    /// How much there is.
    pub(super) used: usize,
    /// How much there may be.
    pub(super) of: usize,
    /// What to think of it.
    pub(super) level: Level,
}

/// What to think of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(super) enum Level {
    /// There is room.
    Fine,
    /// More than half is used.
    OverHalf,
    /// More than four fifths are used.
    NearlyFull,
    /// It is too much.
    Over,
}

impl Level {
    fn of(used: usize, of: usize) -> Self {
        let (used, of) = (used as u128, of as u128);
        match () {
            () if used > of => Self::Over,
            () if used * 5 > of * 4 => Self::NearlyFull,
            () if used * 2 > of => Self::OverHalf,
            () => Self::Fine,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::OverHalf => "over half",
            Self::NearlyFull => "nearly full",
            Self::Over => "too much",
        }
    }
}

impl Limit {
    fn new(name: impl Into<String>, used: usize, of: usize) -> Self {
        Self { name: name.into(), used, of, level: Level::of(used, of) }
    }

    /// How much is used, in per cent, rounded up: nothing is 0 % that is there.
    pub(super) fn percent(&self) -> usize {
        self.used.saturating_mul(100).div_ceil(self.of.max(1))
    }
}

/// Every limit that an object can come to.
pub(super) fn limits(object: &Value, ownership: &Ownership) -> Vec<Limit> {
    let updating = ownership.managers.iter().filter(|manager| manager.operation == Operation::Update);
    let mut limits = vec![
        Limit::new("bytes in a request to etcd", ownership.bytes, ETCD_REQUEST),
        Limit::new("bytes in a request to the API server", ownership.bytes, REQUEST_BODY),
        Limit::new("bytes of annotations", annotations(object), ANNOTATIONS),
        Limit::new("managers that update", updating.count(), UPDATE_MANAGERS),
        Limit::new("characters of the longest message", longest_message(object, ownership), MESSAGE),
    ];
    let status = &object["status"];
    let is_gateway = group(object) == GATEWAY;
    // Policies of other groups have the status of the Gateway API.
    if is_gateway || status["ancestors"].is_array() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for condition in &ownership.conditions {
            *counts.entry(&condition.list).or_default() += 1;
        }
        let fullest = counts.into_iter().max_by_key(|&(list, count)| (count, std::cmp::Reverse(list)));
        if let Some((list, count)) = fullest {
            limits.push(Limit::new(format!("conditions in {list}"), count, GATEWAY_CONDITIONS));
        }
        for (list, most) in GATEWAY_LISTS {
            if let Some(items) = status[list].as_array() {
                limits.push(Limit::new(format!("items in status.{list}"), items.len(), most));
            }
        }
    }
    limits
}

fn annotations(object: &Value) -> usize {
    let annotations = object["metadata"]["annotations"].as_object();
    let length = |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
    annotations.into_iter().flatten().map(length).sum()
}

fn longest_message(object: &Value, ownership: &Ownership) -> usize {
    let conditions = ownership.conditions.iter().filter_map(|condition| object.pointer(&condition.pointer));
    let messages = conditions.filter_map(|condition| condition["message"].as_str());
    messages.map(|message| message.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use allready_inspect::writers::all;
    use serde_json::json;

    use super::*;

    fn limit(object: &Value, name: &str) -> (usize, usize, Level) {
        let limits = limits(object, &all(object));
        let found = limits.iter().find(|limit| limit.name.contains(name));
        let found = found.unwrap_or_else(|| panic!("{limits:?}"));
        (found.used, found.of, found.level)
    }

    #[test]
    fn a_use_is_called_by_how_much_room_is_left() {
        let level = |used| Level::of(used, 1000);
        assert_eq!((level(0), level(500)), (Level::Fine, Level::Fine));
        assert_eq!((level(501), level(800)), (Level::OverHalf, Level::OverHalf));
        assert_eq!((level(801), level(1000)), (Level::NearlyFull, Level::NearlyFull));
        assert_eq!(level(1001), Level::Over);
        assert_eq!(Level::of(usize::MAX, usize::MAX), Level::NearlyFull);
    }

    #[test]
    fn a_gateway_has_room_for_eight_conditions_in_each_list() {
        let conditions = |count: usize| {
            let all = (0..count).map(|number| json!({ "type": format!("T{number}"), "status": "True" }));
            Value::from(all.collect::<Vec<_>>())
        };
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "name": "web" },
            "status": { "conditions": conditions(2), "listeners": [{ "name": "web", "conditions": conditions(7) }] },
        });
        assert_eq!(
            limit(&gateway, "conditions in status.listeners[web].conditions"),
            (7, 8, Level::NearlyFull)
        );
        assert_eq!(limit(&gateway, "items in status.listeners"), (1, 64, Level::Fine));
        let other = json!({ "apiVersion": "apps/v1", "status": { "conditions": conditions(20) } });
        assert!(limits(&other, &all(&other)).iter().all(|limit| !limit.name.starts_with("conditions")));
    }

    #[test]
    fn messages_annotations_and_managers_are_measured() {
        let entry = |operation: &str| json!({ "manager": "m", "operation": operation, "fieldsV1": {} });
        let object = json!({
            "metadata": {
                "annotations": { "a": "é".repeat(100_000) },
                "managedFields": [entry("Update"), entry("Update"), entry("Apply")],
            },
            "status": { "parts": [{ "conditions": [{ "type": "Ready", "message": "é".repeat(30_000) }] }] },
        });
        assert_eq!(limit(&object, "annotations"), (200_001, 262_144, Level::OverHalf));
        assert_eq!(limit(&object, "managers"), (2, 10, Level::Fine));
        assert_eq!(limit(&object, "message"), (30_000, 32_768, Level::NearlyFull));
        assert_eq!(limit(&object, "etcd").0, object.to_string().len());
    }
}
