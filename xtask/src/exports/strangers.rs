//! What any object may have, whatever is declared of its kind: an export must not be blind to it.

use serde_json::{Value, json};

use super::matrix::{Change, change, putting, setting};

pub(super) fn changes() -> Vec<Change> {
    let mut changes = of_the_object();
    changes.extend(of_conditions());
    changes.extend(of_the_status());
    changes
}

fn of_the_object() -> Vec<Change> {
    let fields = [
        ("metadata.deletionTimestamp", json!("2026-01-01T00:00:00Z")),
        ("metadata.generation", json!(3)),
        ("status.observedGeneration", json!("1")),
        ("status.observedGeneration", json!(1)),
        ("spec.suspend", json!(true)),
        ("spec.paused", json!(true)),
        ("spec.enabled", json!(false)),
        ("spec.strategy", json!({ "rollingUpdate": { "paused": true } })),
        ("metadata.annotations.example.com/paused", json!("true")),
        ("metadata.annotations.example.com/reconcile", json!("Disabled")),
        ("metadata.annotations.example.com/owner", json!("somebody")),
        ("status", json!({})),
        ("status", json!({ "observedGeneration": 2 })),
    ];
    let mut changes: Vec<Change> = fields.into_iter().map(|(path, value)| putting(path, value)).collect();
    changes.push(change(|object| drop(object.as_object_mut().map(|object| object.remove("status")))));
    changes.push(change(|object| drop(object.as_object_mut().map(|object| object.remove("spec")))));
    changes
}

fn of_conditions() -> Vec<Change> {
    let told = [
        ("NotReady", "True", ""),
        ("DatabaseReady", "False", ""),
        ("DatabaseReady", "True", "Up"),
        ("DatabaseReady", "True", "ProbeFailed"),
        ("DatabaseReady", "Unknown", ""),
        ("DiskPressure", "True", ""),
        ("DiskPressure", "False", ""),
        ("Paused", "True", ""),
        ("Updating", "True", ""),
        ("Progressing", "True", "NewReplicaSetAvailable"),
        ("Progressing", "False", "ProgressDeadlineExceeded"),
        ("RestartRequired", "True", ""),
        ("Wobbly", "False", "UpdateFailed"),
        ("Wobbly", "False", ""),
        ("ScalingUp", "True", ""),
        ("PartiallyInvalid", "True", ""),
    ];
    let condition = |(type_, status, reason): (&str, &str, &str)| {
        setting(json!({ "type": type_, "status": status, "reason": reason }))
    };
    let mut changes: Vec<Change> = told.into_iter().map(condition).collect();
    changes.push(setting(json!({ "type": "DatabaseReady", "status": "True", "observedGeneration": 1 })));
    changes
        .push(setting(json!({ "type": "DatabaseReady", "status": "True", "errors": [{ "message": "no" }] })));
    changes.push(setting(json!({ "type": "DatabaseReady", "status": true })));
    changes.push(setting(json!({ "type": "DiskPressure", "status": true })));
    changes.push(putting("status.conditions", json!({ "Ready": { "status": "False" } })));
    changes.push(putting("status.conditions", json!([])));
    changes
}

fn of_the_status() -> Vec<Change> {
    let condition = |status: &str| json!([{ "type": "Ready", "status": status, "reason": "" }]);
    let mut fields: Vec<(&str, Value)> = Vec::new();
    for word in ["Failed", "Pending", "Running", "Paused", "Ready", "CrashLoopBackOff", "Wobbly", "not ready"]
    {
        fields.extend([("status.phase", json!(word)), ("status.lastState", json!(word))]);
        fields.push(("status.members", json!([{ "name": "a", "phase": word }])));
    }
    fields.extend([
        ("status.healthStatus", json!("Degraded")),
        ("status.reason", json!("InstallFailed")),
        ("status.message", json!("Error: it broke")),
        ("status.errorMessage", json!("it broke")),
        ("status.errorMessage", json!("")),
        ("status.lastError", json!("none")),
        ("status.ready", json!(false)),
        ("status.ready", json!(true)),
        ("status.databaseReady", json!("false")),
        ("status.valid", json!(false)),
        ("status.failed", json!(true)),
        ("status.noQuorum", json!(true)),
        ("status.nodesKnown", json!(true)),
        ("status.failedNodes", json!(["a"])),
        ("status.unavailableReplicas", json!(1)),
        ("status.members", json!([{ "name": "a", "ready": false }])),
        ("status.members", json!({ "a": { "state": { "health": "Failed" } } })),
        ("status.members", json!([{ "name": "a", "error": "it failed" }])),
        ("status.componentStatuses", json!({ "a": "failed", "b": "ok" })),
        ("status.history", json!([{ "phase": "Failed" }])),
        ("status.parts", json!([{ "name": "a", "conditions": condition("False") }])),
        (
            "status.parts",
            json!([{ "name": "a", "conditions": condition("True") }, { "name": "b", "conditions": [] }]),
        ),
        ("status.database", json!({ "conditions": condition("Unknown") })),
        ("status.database", json!({ "main": { "tables": [{ "conditions": condition("False") }] } })),
        ("status.database", json!({ "conditions": condition("True") })),
        ("status.instanceConditions", condition("False")),
        ("status.ready", json!("1/3")),
        ("status.pool", json!({ "readyNodes": "2/3" })),
    ]);
    let mut changes: Vec<Change> = fields.into_iter().map(|(path, value)| putting(path, value)).collect();
    let both = |spec: Value, status: Value| {
        change(move |object| {
            for (part, more) in [("spec", &spec), ("status", &status)] {
                if !object[part].is_object() {
                    object[part] = json!({});
                }
                for (key, value) in more.as_object().into_iter().flatten() {
                    object[part][key] = value.clone();
                }
            }
        })
    };
    changes.push(both(json!({ "replicas": 3 }), json!({ "readyReplicas": 1, "replicas": 3 })));
    changes.push(both(json!({ "replicas": 0 }), json!({ "readyReplicas": 0, "replicas": 0 })));
    changes.push(both(json!({ "size": 3 }), json!({ "availableNodes": 2 })));
    changes.push(both(json!({}), json!({ "desiredNumber": 3, "currentNumber": "2" })));
    changes.push(both(
        json!({ "listeners": [{ "name": "a" }, { "name": "b" }] }),
        json!({ "listeners": [{ "name": "a", "conditions": [{ "type": "Programmed", "status": "True" }] }] }),
    ));
    changes.push(both(
        json!({ "parentRefs": [{ "name": "a", "sectionName": "x" }] }),
        json!({ "parents": [{ "parentRef": { "name": "a", "sectionName": "y" }, "conditions": [{ "type": "Accepted", "status": "True" }] }] }),
    ));
    changes
}
