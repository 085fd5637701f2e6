//! What stands in the object, and what should.

use allready_core::{Condition, Status, Time, found};
use serde_json::{Map, Value, json};

use crate::config::Answer;

/// The status that says this.
pub(super) fn status(answer: &Answer, generation: i64) -> Value {
    let mut status = json!({
        "observedGeneration": generation,
        "conditions": [answer.ready],
        "reporters": answer.reporters,
    });
    if let Some(revision) = &answer.revision {
        status["revision"] = json!(revision);
    }
    // Also when there are none: what is left out stays if somebody else owns it too.
    status["causes"] = json!(answer.causes);
    status["moreCauses"] = json!(answer.more_causes);
    status
}

/// What of a status is ours: all but the conditions of others.
pub(super) fn owned(status: &Value) -> Value {
    let fields = ["observedGeneration", "reporters", "revision", "causes", "moreCauses"];
    let mut owned: Map<String, Value> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), status.get(*field)?.clone()))).collect();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let ready: Vec<_> = conditions.filter(|condition| condition["type"] == "Ready").cloned().collect();
    owned.insert("conditions".to_owned(), ready.into());
    owned.into()
}

pub(super) fn ready(object: &Value) -> Option<Condition> {
    let conditions = found::of_object(object);
    let ready = conditions.find("Ready")?.to_condition(Time::EPOCH);
    // What nobody could have written leaves its time in doubt, so the next write sets it anew.
    (ready.last_transition_time != Time::EPOCH || ready.status == Status::Unknown).then_some(ready)
}
