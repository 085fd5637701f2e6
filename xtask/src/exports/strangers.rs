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
        ("metadata.labels.example.com/upgrade-state", json!("failed")),
        ("metadata.annotations.example.com/health", json!("Degraded")),
        ("metadata.annotations.example.com/tier", json!("failed")),
        ("status", json!({})),
        ("status", json!({ "observedGeneration": 2 })),
        ("status", json!({ "message": "waiting for the database" })),
        ("status", json!({ "colour": "red" })),
        (
            "status",
            json!({ "lastScheduleTime": "2026-01-02T00:00:00Z", "lastSuccessfulTime": "2026-01-01T00:00:00Z" }),
        ),
        ("conditions", json!([{ "type": "Ready", "status": "False", "reason": "InstallFailed" }])),
    ];
    let mut changes: Vec<Change> = fields.into_iter().map(|(path, value)| putting(path, value)).collect();
    changes.push(change(|object| drop(object.as_object_mut().map(|object| object.remove("status")))));
    changes.push(change(|object| drop(object.as_object_mut().map(|object| object.remove("spec")))));
    changes.push(change(|object| {
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["status"]["phase"] = json!("Failed");
    }));
    changes.push(change(|object| {
        if let Some(object) = object.as_object_mut() {
            object.remove("status");
            object.insert("conditions".to_owned(), json!([{ "type": "Ready", "status": "False" }]));
        }
    }));
    changes.push(change(|object| {
        object["spec"] = json!({ "forProvider": { "size": 1 } });
        if let Some(list) = object["status"]["conditions"].as_array_mut() {
            list.retain(|one| one["type"] != "Ready");
            list.push(json!({ "type": "Synced", "status": "True" }));
        }
    }));
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
        ("DatabaseReady", "True", "SyncErr"),
        ("DatabaseReady", "True", "Conflicting"),
        ("Upgradeable", "False", "ConfigInvalid"),
        ("Upgradeable", "Maybe", ""),
        ("Progressing", "False", "DatabaseNotFound"),
    ];
    let condition = |(type_, status, reason): (&str, &str, &str)| {
        setting(json!({ "type": type_, "status": status, "reason": reason }))
    };
    let mut changes: Vec<Change> = told.into_iter().map(condition).collect();
    changes.push(setting(json!({ "type": "DatabaseReady", "status": "True", "observedGeneration": 1 })));
    changes
        .push(setting(json!({ "type": "DatabaseReady", "status": "True", "errors": [{ "message": "no" }] })));
    changes.push(setting(json!({ "type": "DatabaseReady", "status": true })));
    changes.push(setting(json!({ "type": "Degraded", "status": "False", "message": "Error: no quorum" })));
    changes.push(setting(json!({ "type": "Degraded", "status": "False", "message": "all is well" })));
    changes.push(setting(json!({ "Type": "DatabaseReady", "Status": "False", "Reason": "InstallFailed" })));
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
        ("status.nodesReady", json!("2/3 ready")),
        ("status.progress", json!("60%")),
        ("status.progress", json!("100%")),
        ("status.diskUsed", json!("60%")),
        ("status.readyPercent", json!(60)),
        ("status.pool", json!({ "progress": "60%" })),
        ("status.pool", json!({ "ready": 1, "size": 3 })),
        ("status.pool", json!([{ "readyReplicas": 1, "replicas": 3 }])),
        ("status.failedNodes", json!(2)),
        ("status.missingPods", json!(1)),
        ("status.consecutiveFailures", json!(3)),
        ("status.members", json!([{ "name": "a", "errorCount": 2 }])),
        ("status.members", json!([{ "name": "a", "failedPods": ["x"] }])),
        ("status.members", json!({ "a": "ready", "b": "offline" })),
        ("status.members", json!([{ "name": "a", "active": false }])),
        ("status.lastFailureMessage", json!("it broke")),
        ("status.accepted", json!(false)),
        ("status.offline", json!(true)),
        ("status.updating", json!(true)),
        ("status.stopped", json!(true)),
        ("status.jobStatus", json!("Running")),
        ("status.job", json!({ "state": "Active" })),
        ("status.reason", json!("DatabaseNotFound")),
        ("status.part", json!({ "observedGeneration": 1, "generation": 2 })),
        ("status.parts", json!([{ "name": "a", "observedGeneration": 2 }, { "name": "b", "observedGeneration": 1 }])),
        ("status.workloadObservedGeneration", json!(3)),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Ready", "status": "True", "observedGeneration": 1 }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Ready", "status": "True", "reason": "InstallFailed" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Paused", "status": "True" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "DiskPressure", "status": "True" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Progressing", "status": "True" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Ready", "status": "Maybe" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Wobbly", "status": "False", "reason": "UpdateFailed" }] }])),
        ("status.parts", json!([{ "name": "a", "conditions": [{ "type": "Ready", "status": "True", "errors": [{ "message": "no" }] }] }])),
        (
            "status.ancestors",
            json!([{ "name": "a", "conditions": condition("True") }, { "name": "b", "conditions": [] }]),
        ),
        ("status.pool", json!({ "readyNodes": "2/3" })),
    ]);
    let mut changes: Vec<Change> = fields.into_iter().map(|(path, value)| putting(path, value)).collect();
    changes.extend(of_the_spec());
    changes
}

/// What the spec asks for, and the status answers.
fn of_the_spec() -> Vec<Change> {
    let mut changes = Vec::new();
    changes.push(change(|object| {
        object["metadata"]["annotations"] = json!({ "example.com/workload-generation": "4" });
        object["status"]["workloadObservedGeneration"] = 3.into();
    }));
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
    changes.push(both(json!({ "size": 3 }), json!({ "nodesReady": 2 })));
    changes
        .push(both(json!({ "nodeSets": [{ "count": 1 }, { "count": 2 }] }), json!({ "availableNodes": 2 })));
    changes.push(both(
        json!({ "replicas": 3, "updateStrategy": { "partition": 1 } }),
        json!({ "updatedReplicas": 2, "readyReplicas": 3 }),
    ));
    changes.push(both(json!({}), json!({ "stageStatus": "success", "stage": "deploy" })));
    changes.push(both(json!({}), json!({ "stepStatus": "success", "step": "deploy" })));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use allready_inspect::registry::Registry;
    use allready_inspect::registry::export::declared;
    use allready_inspect::{
        health::Health,
        judge::{Rule, judge},
    };

    use crate::exports::{VERSION, matrix, now};

    /// Rules for kinds that are not exported, or for what nobody can put into an object of a few lines; the good news; and hints, which
    /// decide nothing.
    fn is_asked(rule: Rule) -> bool {
        let is_of_kubernetes =
            (Rule::Pod..=Rule::Namespace).contains(&rule) && rule != Rule::RunsToCompletion;
        !is_of_kubernetes
            && !rule.is_related()
            && !matches!(rule, Rule::NotAnObject | Rule::Unreadable | Rule::NotFound | Rule::Kstatus)
            && !matches!(rule, Rule::TooLarge | Rule::DeclarationUnreadable | Rule::Differs | Rule::Absent)
            && !matches!(rule, Rule::ConditionGood | Rule::NoStatusByDesign | Rule::DeclaredSign)
            && !(Rule::RestartsOften..=Rule::WebhookUnavailable).contains(&rule)
    }

    #[test]
    fn there_is_an_object_for_every_rule_that_can_speak_against_one() {
        let registry = Registry::builtin();
        let mut missing: BTreeSet<Rule> = Rule::ALL.iter().copied().filter(|rule| is_asked(*rule)).collect();
        for wanted in declared(registry)
            .into_iter()
            .filter(|wanted| registry.kind(&wanted.group, &wanted.kind).declared().builtin.is_none())
        {
            for object in matrix::objects(registry, &wanted, VERSION) {
                let verdict = judge(&object, registry, now());
                if verdict.health != Health::Healthy {
                    missing.remove(&verdict.rule);
                }
            }
            if missing.is_empty() {
                break;
            }
        }
        assert_eq!(missing, BTreeSet::new());
    }
}
