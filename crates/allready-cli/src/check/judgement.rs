//! What one object came to.

use allready::{
    Time,
    health::{Health, Verdict, judge},
    registry::Registry,
};
use serde_json::Value;

/// What one object came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// The generation of the object, and the one that its status is about.
    pub(super) generation: Option<i64>,
    pub(super) observed: Option<i64>,
    /// Where it stands, if it could not be read and has no name.
    pub(super) place: Option<String>,
}

impl Judgement {
    /// Judges an object.
    pub(super) fn of(object: &Value, registry: &Registry, now: Time) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &object["metadata"];
        let kind = text(&object["kind"]);
        let verdict = if kind.is_empty() {
            unknown("I02", "kind", "NoKind", "the object does not say of what kind it is".to_owned())
        } else {
            judge(object, registry, now)
        };
        Self {
            api_version: text(&object["apiVersion"]),
            kind,
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
            verdict,
            generation: metadata["generation"].as_i64(),
            observed: object["status"]["observedGeneration"].as_i64(),
            place: None,
        }
    }

    /// Something that is no object.
    pub(super) fn unreadable(place: String, problem: String) -> Self {
        Self {
            api_version: String::new(),
            kind: String::new(),
            namespace: String::new(),
            name: String::new(),
            verdict: unknown("I01", "", "Unreadable", problem),
            generation: None,
            observed: None,
            place: Some(place),
        }
    }

    /// Something that was named and is not there.
    pub(super) fn missing(api_version: String, kind: String, namespace: String, name: String) -> Self {
        let message = format!("there is no {kind} of this name");
        let verdict = Verdict { health: Health::Missing, ..unknown("I03", "", "NotFound", message) };
        Self { api_version, kind, namespace, name, verdict, generation: None, observed: None, place: None }
    }

    pub(super) fn health(&self) -> Health {
        self.verdict.health
    }

    /// The API group.
    pub(super) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// How many generations the status is behind.
    pub(super) fn lag(&self) -> Option<i64> {
        let lag = self.generation?.saturating_sub(self.observed?);
        (lag != 0).then_some(lag)
    }

    /// What people call it: the name, or where it stands.
    pub(super) fn called(&self) -> &str {
        match &self.place {
            Some(place) => place,
            None if self.name.is_empty() => "<no name>",
            None => &self.name,
        }
    }
}

fn unknown(rule: &'static str, field: &str, reason: &str, message: String) -> Verdict {
    Verdict {
        health: Health::Unknown,
        rule,
        field: field.to_owned(),
        reason: reason.to_owned(),
        message,
        since: None,
        writer: None,
    }
}
