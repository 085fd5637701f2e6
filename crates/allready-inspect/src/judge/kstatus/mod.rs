//! The answers of kstatus, the library behind `helm --wait` and Flux: reproduced as they are, for those who need them.
//!
//! It is green by default: what has no rule and no `Ready` condition is `Current`. [`judge`](super::judge) is not.

mod kinds;
mod read;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

use crate::health::Health;
use allready_core::Time;
use read::{Conditions, integer};

/// One of the words of kstatus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Status {
    /// Its controller is at work.
    InProgress,
    /// It will not come right by waiting.
    Failed,
    /// It is as its spec asks, as far as kstatus can tell.
    Current,
    /// It is being deleted.
    Terminating,
    /// The object is not shaped as kstatus expects, which is an error there.
    Unknown,
}

/// The outcome of kstatus for an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The word.
    pub status: Status,
    /// The reason that kstatus gives; none of what is current.
    pub reason: String,
    /// The cause, for people.
    pub message: String,
}

impl From<Status> for Health {
    fn from(status: Status) -> Self {
        match status {
            Status::Current => Self::Healthy,
            Status::InProgress | Status::Terminating => Self::Progressing,
            Status::Failed => Self::Degraded,
            Status::Unknown => Self::Unknown,
        }
    }
}

impl Outcome {
    fn new(status: Status, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), message: message.into() }
    }

    fn current(message: impl Into<String>) -> Self {
        Self::new(Status::Current, "", message)
    }

    fn in_progress(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Status::InProgress, reason, message)
    }

    fn failed(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Status::Failed, reason, message)
    }
}

/// A field that is not shaped as kstatus expects.
struct Misshapen(String);

/// The outcome of kstatus for an object.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::judge::kstatus::{self, Status};
/// use serde_json::json;
///
/// let object = json!({"apiVersion": "example.com/v1", "kind": "Widget"});
/// assert_eq!(kstatus::compute(&object, Time::EPOCH).status, Status::Current, "silence is good news there");
/// ```
pub fn compute(object: &Value, now: Time) -> Outcome {
    compute_or_refuse(object, now)
        .unwrap_or_else(|Misshapen(problem)| Outcome::new(Status::Unknown, "Error", problem))
}

fn compute_or_refuse(object: &Value, now: Time) -> Result<Outcome, Misshapen> {
    if let Some(outcome) = leaving(object)? {
        return Ok(outcome);
    }
    if let Some(outcome) = unobserved(object)? {
        return Ok(outcome);
    }
    let conditions = Conditions::of(object)?;
    for condition in conditions.iter() {
        match (condition.type_, condition.status) {
            ("Reconciling", "True") => return Ok(Outcome::in_progress(condition.reason, condition.message)),
            ("Stalled", "True") => return Ok(Outcome::failed(condition.reason, condition.message)),
            _ => {}
        }
    }
    if let Some(outcome) = kinds::compute(object, &conditions, now) {
        return outcome;
    }
    for condition in conditions.iter().filter(|condition| condition.type_ == "Ready") {
        match condition.status {
            "True" => return Ok(Outcome::current("it is Ready")),
            "False" | "Unknown" => return Ok(Outcome::in_progress(condition.reason, condition.message)),
            _ => {}
        }
    }
    Ok(Outcome::current("nothing says otherwise"))
}

fn leaving(object: &Value) -> Result<Option<Outcome>, Misshapen> {
    match object.get("metadata").and_then(|metadata| metadata.get("deletionTimestamp")) {
        None => Ok(None),
        Some(Value::String(time)) if time.is_empty() => Ok(None),
        Some(Value::String(_)) => Ok(Some(Outcome::new(Status::Terminating, "", "it is being deleted"))),
        Some(_) => Err(Misshapen("metadata.deletionTimestamp is not a text".to_owned())),
    }
}

fn unobserved(object: &Value) -> Result<Option<Outcome>, Misshapen> {
    let Some(generation) = integer(object, ["metadata", "generation"])? else { return Ok(None) };
    let Some(observed) = integer(object, ["status", "observedGeneration"])? else { return Ok(None) };
    if observed == generation {
        return Ok(None);
    }
    let message = format!("the generation is {generation}, the latest one observed is {observed}");
    Ok(Some(Outcome::in_progress("LatestGenerationNotObserved", message)))
}
