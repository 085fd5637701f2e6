//! What any object comes to: one of six words, and why.
//!
//! Never green by default: what is not understood is `Unknown` or `Progressing`.

use serde::Serialize;
use serde_json::Value;

use crate::{Time, registry::Registry, writers::Writer};

/// How an object is doing. The order is from good to bad, so that the greatest of many is the one to look at first.
///
/// ```
/// use allready_core::health::Health;
///
/// assert!(Health::Degraded > Health::Progressing && Health::Progressing > Health::Healthy);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Health {
    /// Something says that it is as it should be.
    Healthy,
    /// Somebody wants it to rest.
    Suspended,
    /// It is on its way.
    Progressing,
    /// Nothing that is understood says how it is.
    Unknown,
    /// It should be there and is not.
    Missing,
    /// Something is broken.
    Degraded,
}

/// What an object comes to, and what says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The word.
    pub health: Health,
    /// The id of the rule that decided, such as `C02`.
    pub rule: &'static str,
    /// The condition or field that decided, such as `status.conditions[Ready]`.
    pub field: String,
    /// Its reason, or the value of the field.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// Since when it has said so.
    pub since: Option<Time>,
    /// Who wrote it, where that is recorded.
    pub writer: Option<Writer>,
}

/// What an object comes to. Nothing in it can make this fail: what is not as it should be is not good news.
///
/// ```
/// use allready_core::{Time, health::{Health, judge}, registry::Registry};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
///     "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "AllGood" }] } });
/// let verdict = judge(&object, Registry::builtin(), Time::EPOCH);
/// assert_eq!(verdict.health, Health::Healthy);
/// ```
pub fn judge(object: &Value, _registry: &Registry, _now: Time) -> Verdict {
    let conditions = object["status"]["conditions"].as_array();
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    let text = |field: &str| ready.and_then(|ready| ready[field].as_str()).unwrap_or_default().to_owned();
    let health = match text("status").as_str() {
        "True" => Health::Healthy,
        "False" => Health::Degraded,
        _ => Health::Progressing,
    };
    Verdict {
        health,
        rule: "C01",
        field: "status.conditions[Ready]".to_owned(),
        reason: text("reason"),
        message: text("message"),
        since: text("lastTransitionTime").parse().ok(),
        writer: None,
    }
}
