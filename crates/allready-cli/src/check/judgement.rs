//! What one object came to.

use allready_core::Time;
use allready_inspect::{
    causes::Digest,
    graph::ObjectId,
    health::Health,
    judge::{Rule, Verdict, kstatus},
};
use serde_json::Value;

use crate::declared::Known;

/// Whose rules are judged by.
#[derive(Clone, Copy, Debug)]
pub(super) enum By<'a> {
    /// Ours, and what is declared of kinds.
    Own(&'a Known),
    /// Those of kstatus.
    Kstatus,
}

/// What one object came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// The word of kstatus, where it was asked.
    pub(super) kstatus: Option<kstatus::Status>,
    /// The generation of the object, and the one that its status is about.
    pub(super) generation: Option<i64>,
    pub(super) observed: Option<i64>,
    /// Where it stands, if it could not be read and has no name.
    pub(super) place: Option<String>,
    /// Whether its definition alone makes it healthy: it would be degraded otherwise.
    pub(super) is_excused: bool,
}

impl Judgement {
    /// Judges an object.
    pub(super) fn of(object: &Value, by: By<'_>, now: Time) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &object["metadata"];
        let (verdict, kstatus, is_excused) = match by {
            By::Own(known) => {
                let (verdict, is_excused) = known.judge(object, now);
                (verdict, None, is_excused)
            }
            By::Kstatus => {
                let outcome = kstatus::compute(object, now);
                let verdict = Verdict {
                    health: outcome.status.into(),
                    reason: outcome.reason,
                    ..unknown(Rule::Kstatus, "", outcome.message)
                };
                (verdict, Some(outcome.status), false)
            }
        };
        Self {
            api_version: text(&object["apiVersion"]),
            kind: text(&object["kind"]),
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
            verdict,
            kstatus,
            generation: metadata["generation"].as_i64(),
            observed: object["status"]["observedGeneration"].as_i64(),
            place: None,
            is_excused,
        }
    }

    /// Judges an object, and takes what the search for causes needs of it.
    pub(super) fn with_digest(object: Value, by: By<'_>, now: Time) -> (Self, Option<Digest>) {
        let judgement = Self::of(&object, by, now);
        let digest = match by {
            By::Own(known) => Digest::of(object, judgement.verdict.clone(), &known.registry, now),
            By::Kstatus => None,
        };
        (judgement, digest)
    }

    /// Something that is no object.
    pub(super) fn unreadable(place: String, problem: String) -> Self {
        Self {
            api_version: String::new(),
            kind: String::new(),
            namespace: String::new(),
            name: String::new(),
            verdict: unknown(Rule::Unreadable, "Unreadable", problem),
            kstatus: None,
            generation: None,
            observed: None,
            place: Some(place),
            is_excused: false,
        }
    }

    /// Something that was named and is not there.
    pub(super) fn missing(api_version: String, kind: String, namespace: String, name: String) -> Self {
        let message = format!("there is no {kind} of this name");
        let verdict = Verdict { health: Health::Missing, ..unknown(Rule::NotFound, "NotFound", message) };
        Self {
            api_version,
            kind,
            namespace,
            name,
            verdict,
            kstatus: None,
            generation: None,
            observed: None,
            place: None,
            is_excused: false,
        }
    }

    /// The full name.
    pub(super) fn id(&self) -> ObjectId {
        ObjectId::new(self.group(), &self.kind, &self.namespace, self.called())
    }

    pub(super) fn health(&self) -> Health {
        self.verdict.health
    }

    /// The word for it: of kstatus, where that was asked.
    pub(super) fn word(&self) -> &'static str {
        match self.kstatus {
            None => self.verdict.health.as_str(),
            Some(kstatus::Status::InProgress) => "InProgress",
            Some(kstatus::Status::Failed) => "Failed",
            Some(kstatus::Status::Current) => "Current",
            Some(kstatus::Status::Terminating) => "Terminating",
            Some(kstatus::Status::Unknown) => "Unknown",
        }
    }

    /// The API group.
    pub(super) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// How many generations the status is behind.
    pub(super) fn lag(&self) -> Option<i64> {
        self.verdict.lag.map(|lag| lag.generation.saturating_sub(lag.observed))
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

fn unknown(rule: Rule, reason: &str, message: String) -> Verdict {
    Verdict {
        health: Health::Unknown,
        rule,
        field: String::new(),
        reason: reason.to_owned(),
        message,
        since: None,
        writer: None,
        lag: None,
    }
}
