//! Kinds that make pods.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    NONE, age,
    age::{human, instant, since},
    name,
    text::{at, containers, items, labels, number, selector, selector_or_none, value},
};

pub(super) fn deployment(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(&object["spec"]["template"]);
    vec![
        name(object),
        of(number(object, &["status", "readyReplicas"]), number(object, &["spec", "replicas"])),
        number(object, &["status", "updatedReplicas"]).into(),
        number(object, &["status", "availableReplicas"]).into(),
        age(object, now),
        names,
        images,
        selector(&object["spec"]["selector"]).unwrap_or_else(|| "<invalid>".into()).into(),
    ]
}

pub(super) fn replica_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(&object["spec"]["template"]);
    vec![
        name(object),
        number(object, &["spec", "replicas"]).into(),
        number(object, &["status", "replicas"]).into(),
        number(object, &["status", "readyReplicas"]).into(),
        age(object, now),
        names,
        images,
        selector_or_none(&object["spec"]["selector"]).into(),
    ]
}

pub(super) fn stateful_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(&object["spec"]["template"]);
    let ready = of(number(object, &["status", "readyReplicas"]), number(object, &["spec", "replicas"]));
    vec![name(object), ready, age(object, now), names, images]
}

pub(super) fn daemon_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(&object["spec"]["template"]);
    let count = |field| Value::from(number(object, &["status", field]));
    vec![
        name(object),
        count("desiredNumberScheduled"),
        count("currentNumberScheduled"),
        count("numberReady"),
        count("updatedNumberScheduled"),
        count("numberAvailable"),
        labels(value(object, &["spec", "template", "spec", "nodeSelector"])).into(),
        age(object, now),
        names,
        images,
        selector_or_none(&object["spec"]["selector"]).into(),
    ]
}

pub(super) fn job(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(&object["spec"]["template"]);
    let succeeded = number(object, &["status", "succeeded"]);
    let completions = match (object["spec"]["completions"].as_i64(), number(object, &["spec", "parallelism"]))
    {
        (Some(completions), _) => of(succeeded, completions),
        (None, parallelism) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}").into(),
        (None, _) => of(succeeded, 1),
    };
    let started = instant(&object["status"]["startTime"]);
    let ended = instant(&object["status"]["completionTime"]).unwrap_or(now);
    let duration = started.map_or(String::new(), |started| human(ended.duration_since(started)));
    vec![
        name(object),
        job_status(object).into(),
        completions,
        duration.into(),
        age(object, now),
        names,
        images,
        selector_or_none(&object["spec"]["selector"]).into(),
    ]
}

fn job_status(job: &Value) -> &'static str {
    let has = |kind: &str| {
        let conditions = items(job, &["status", "conditions"]);
        conditions
            .iter()
            .find(|one| at(one, &["type"]) == kind)
            .is_some_and(|one| at(one, &["status"]) == "True")
    };
    if let Some(end) = ["Complete", "Failed"].into_iter().find(|kind| has(kind)) {
        return end;
    }
    if job["metadata"]["deletionTimestamp"].is_string() {
        return "Terminating";
    }
    let on_its_way = ["Suspended", "FailureTarget", "SuccessCriteriaMet"].into_iter().find(|kind| has(kind));
    on_its_way.unwrap_or("Running")
}

pub(super) fn cron_job(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = &object["spec"];
    let [names, images] = containers(value(spec, &["jobTemplate", "spec", "template"]));
    let suspended = match spec["suspend"].as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let last = &object["status"]["lastScheduleTime"];
    vec![
        name(object),
        at(spec, &["schedule"]).into(),
        spec["timeZone"].as_str().unwrap_or(NONE).into(),
        suspended.into(),
        items(object, &["status", "active"]).len().into(),
        if last.is_null() { NONE.into() } else { since(last, now).into() },
        age(object, now),
        names,
        images,
        selector_or_none(value(spec, &["jobTemplate", "spec", "selector"])).into(),
    ]
}

fn of(part: i64, whole: i64) -> Value {
    format!("{part}/{whole}").into()
}
