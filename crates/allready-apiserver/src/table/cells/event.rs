//! Events, which two API groups spell differently.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    age::{self, UNKNOWN},
    name,
    text::{at, number, or, value},
};

pub(super) fn event(object: &Value, now: Timestamp) -> Vec<Value> {
    let involved = either(object, "involvedObject", "regarding");
    let source = either(object, "source", "deprecatedSource");
    let mut first = age::since(either(object, "firstTimestamp", "deprecatedFirstTimestamp"), now);
    if first == UNKNOWN {
        first = age::since(&object["eventTime"], now);
    }
    let mut last = age::since(either(object, "lastTimestamp", "deprecatedLastTimestamp"), now);
    if last == UNKNOWN {
        last.clone_from(&first);
    }
    let mut count = either(object, "count", "deprecatedCount").as_i64().unwrap_or_default();
    if object["series"].is_object() {
        last = age::since(value(object, &["series", "lastObservedTime"]), now);
        count = number(object, &["series", "count"]);
    } else if count == 0 {
        count = 1;
    }
    let (kind, about) = (at(involved, &["kind"]).to_lowercase(), at(involved, &["name"]));
    let target = if about.is_empty() { kind } else { format!("{kind}/{about}") };
    let controller = either(object, "reportingComponent", "reportingController").as_str().unwrap_or_default();
    let component = or(at(source, &["component"]), controller);
    let instance = or(at(source, &["host"]), at(object, &["reportingInstance"]));
    let source = if instance.is_empty() { component.to_owned() } else { format!("{component}, {instance}") };
    vec![
        last.into(),
        at(object, &["type"]).into(),
        at(object, &["reason"]).into(),
        target.into(),
        at(involved, &["fieldPath"]).into(),
        source.into(),
        either(object, "message", "note").as_str().unwrap_or_default().trim().into(),
        first.into(),
        count.into(),
        name(object),
    ]
}

fn either<'a>(object: &'a Value, core: &str, events: &str) -> &'a Value {
    object.get(core).unwrap_or_else(|| &object[events])
}
