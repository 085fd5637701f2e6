//! Findings: the meaning of a fact for a condition. Pure.

use allready::{Reason, Standing, Time, reason};
use allready_inspect::{health::Health, judge::judge, registry::Registry};
use serde::Serialize;
use serde_json::Value;

/// The content of a condition, whichever way round that reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Good, bad, or unknown as long as nobody has to do anything about it.
    pub standing: Standing,
    /// The cause, for programs.
    pub reason: Reason,
    /// The cause, for people.
    pub message: String,
}

impl Finding {
    /// It is as it should be.
    pub fn good(reason: Reason, message: impl Into<String>) -> Self {
        Self { standing: Standing::Good, reason, message: message.into() }
    }

    /// Work on it is going on.
    pub fn unknown(reason: Reason, message: impl Into<String>) -> Self {
        Self { standing: Standing::Unknown, reason, message: message.into() }
    }

    /// Somebody has to do something about it.
    pub fn bad(reason: Reason, message: impl Into<String>) -> Self {
        Self { standing: Standing::Bad, reason, message: message.into() }
    }

    /// Judges an object by what it says of itself, and takes over its own cause.
    pub fn of(object: &impl Serialize, now: Time) -> Self {
        let object = serde_json::to_value(object).unwrap_or_default();
        let verdict = judge(&object, Registry::builtin(), now);
        let standing = match verdict.health {
            // What is suspended is so because somebody wants it.
            Health::Healthy | Health::Suspended => Standing::Good,
            Health::Progressing | Health::Unknown => Standing::Unknown,
            Health::Missing | Health::Degraded => Standing::Bad,
        };
        let reason = if verdict.reason.is_empty() { verdict.health.as_str() } else { &verdict.reason };
        let message = if verdict.message.is_empty() { reason } else { &verdict.message };
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let found = Self { standing, reason: Reason::sanitized(reason), message: message.to_owned() };
        found.about(&format!("{} {}", text("/kind"), text("/metadata/name")))
    }

    /// Judges the failure of a request. One that would fail again is bad: somebody has to change what was sent, or to give a
    /// permission.
    pub fn of_error(error: &kube::Error, refused: Reason) -> Self {
        match error {
            kube::Error::Api(status) if matches!(status.code, 400 | 403 | 405 | 422) => {
                Self::bad(refused, error.to_string())
            }
            kube::Error::BuildRequest(_) => Self::bad(refused, error.to_string()),
            _ => Self::unknown(reason!("ServerUnavailable"), error.to_string()),
        }
    }

    /// The same, of something that has a name.
    #[must_use]
    pub fn about(self, name: &str) -> Self {
        Self { message: format!("{name}: {}", self.message), ..self }
    }

    /// The worst of many; the first of those that are equally bad.
    pub fn worst(findings: impl IntoIterator<Item = Self>) -> Option<Self> {
        findings.into_iter().reduce(|worst, next| if next.standing > worst.standing { next } else { worst })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_as_good_as_it_says() {
        let ready = |status: &str| {
            json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" },
                "status": { "conditions": [{ "type": "Ready", "status": status, "reason": "Checked" }] } })
        };
        let config = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" } });
        let resting = json!({ "apiVersion": "batch/v1", "kind": "CronJob", "metadata": { "name": "j" },
            "spec": { "suspend": true } });
        for (object, standing, reason) in [
            (ready("True"), Standing::Good, "Checked"),
            (ready("False"), Standing::Bad, "Checked"),
            (ready("Unknown"), Standing::Unknown, "Checked"),
            (json!({}), Standing::Unknown, "NotAnObject"),
        ] {
            let found = Finding::of(&object, Time::EPOCH);
            assert_eq!((found.standing, found.reason.as_str()), (standing, reason), "{object}");
        }
        assert_eq!(Finding::of(&config, Time::EPOCH).standing, Standing::Good);
        assert_eq!(Finding::of(&resting, Time::EPOCH).standing, Standing::Good);
        let found = Finding::of(&ready("False"), Time::EPOCH);
        assert_eq!(found.message, "Widget w: Checked", "an object without a message gives its reason");
    }

    #[test]
    fn a_request_that_would_be_refused_again_is_bad_and_one_that_failed_is_not() {
        for (code, standing, reason) in [
            (422, Standing::Bad, "KindRefused"),
            (403, Standing::Bad, "KindRefused"),
            (409, Standing::Unknown, "ServerUnavailable"),
            (503, Standing::Unknown, "ServerUnavailable"),
        ] {
            let status = kube::core::Status { code, ..kube::core::Status::default() };
            let found = Finding::of_error(&kube::Error::Api(status.boxed()), reason!("KindRefused"));
            assert_eq!((found.standing, found.reason.as_str()), (standing, reason), "{code}");
        }
    }
}
