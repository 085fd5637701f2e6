//! Failures that clusters have every day, as the controllers of Kubernetes write them.

use serde_json::{Value, json};

use super::known::{now, object};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended};
use crate::judge::{Rule, Verdict, judge};
use crate::registry::Registry;

fn verdict(version: &str, kind: &str, parts: &Value) -> Verdict {
    judge(&object(version, kind, parts), Registry::builtin(), now())
}

/// The time a number of seconds ago.
fn ago(seconds: i64) -> String {
    now().saturating_add(jiff::SignedDuration::from_secs(-seconds)).to_string()
}

/// A condition since a number of seconds ago.
fn since(seconds: i64, type_: &str, status: &str, reason: &str) -> Value {
    json!({"type": type_, "status": status, "reason": reason, "lastTransitionTime": ago(seconds)})
}

/// A Deployment of five after a rollout with this reason of `Progressing`, with so many available since then.
fn deployment(progressing: &str, available: u32, opinion: &str, seconds: i64) -> Verdict {
    let conditions = json!([
        since(90_000, "Progressing", "True", progressing),
        since(seconds, "Available", opinion, "MinimumReplicasUnavailable"),
    ]);
    let status = json!({"observedGeneration": 1, "replicas": 5, "updatedReplicas": 5, "availableReplicas": available,
        "unavailableReplicas": 5 - available, "conditions": conditions});
    let parts = json!({"metadata": {"generation": 1}, "spec": {"replicas": 5}, "status": status});
    verdict("apps/v1", "Deployment", &parts)
}

/// A set of a kind whose status was last written a number of seconds ago, an hour after its creation.
fn written(kind: &str, seconds: i64, spec: &Value, status: &Value) -> Verdict {
    let entry = |time: String, subresource: &str| {
        json!({"manager": "kube-controller-manager", "operation": "Update", "time": time,
        "subresource": subresource, "fieldsV1": {}})
    };
    let fields =
        json!([entry(ago(0), ""), entry(ago(seconds), "status"), entry(ago(seconds + 60), "status")]);
    let metadata =
        json!({"generation": 1, "creationTimestamp": ago(seconds + 3600), "managedFields": fields});
    verdict("apps/v1", kind, &json!({"metadata": metadata, "spec": spec, "status": status}))
}

#[test]
fn a_replica_failure_names_the_cause_of_a_missed_deadline() {
    let quota = "ReplicaFailure=True FailedCreate: pods is forbidden: exceeded quota";
    let status = json!({"observedGeneration": 1, "conditions": ["Available=False MinimumReplicasUnavailable",
        "Progressing=False ProgressDeadlineExceeded: timed out", quota]});
    let parts = json!({"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": status});
    let failed = verdict("apps/v1", "Deployment", &parts);
    assert_eq!((failed.health, failed.field.as_str()), (Degraded, "status.conditions[ReplicaFailure]"));
    assert_eq!(
        (failed.reason.as_str(), failed.message.as_str()),
        ("FailedCreate", "pods is forbidden: exceeded quota")
    );
}

#[test]
fn a_deployment_that_lost_all_replicas_is_degraded_after_a_minute() {
    let complete = "NewReplicaSetAvailable";
    let outage = deployment(complete, 0, "False", 61);
    assert_eq!(
        (outage.health, outage.rule, outage.message.as_str()),
        (Degraded, Rule::Outage, "0 of 5 available")
    );
    assert_eq!(outage.reason, "MinimumReplicasUnavailable");
    assert_eq!(outage.since.unwrap().to_string(), ago(61));
    assert_eq!(deployment(complete, 0, "False", 59).health, Progressing, "it may be scaled up from zero");
    assert_eq!(
        deployment("ReplicaSetUpdated", 0, "False", 500).health,
        Progressing,
        "a rollout has a deadline"
    );
    assert_eq!(deployment(complete, 0, "Unknown", 500).health, Progressing);
}

#[test]
fn a_deployment_that_does_not_get_its_replicas_back_is_degraded_after_its_deadline() {
    let complete = "NewReplicaSetAvailable";
    let stalled = deployment(complete, 2, "False", 601);
    assert_eq!(
        (stalled.health, stalled.rule, stalled.message.as_str()),
        (Degraded, Rule::Stalled, "2 of 5 available")
    );
    assert_eq!(stalled.since.unwrap().to_string(), ago(601));
    assert_eq!(deployment(complete, 2, "False", 599).health, Progressing);
    assert_eq!(
        deployment(complete, 4, "True", 9000).health,
        Progressing,
        "nothing says since when one is missing"
    );
    assert_eq!(deployment("ReplicaSetUpdated", 2, "False", 900).health, Progressing);
}

#[test]
fn a_deployment_is_given_the_time_that_its_spec_asks_for() {
    let of = |spec: Value, available: u32, seconds: i64| {
        let conditions = json!([
            since(9000, "Progressing", "True", "NewReplicaSetAvailable"),
            since(seconds, "Available", "False", "MinimumReplicasUnavailable")
        ]);
        let status = json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": available,
            "conditions": conditions});
        verdict(
            "apps/v1",
            "Deployment",
            &json!({"metadata": {"generation": 1}, "spec": spec, "status": status}),
        )
        .health
    };
    assert_eq!(of(json!({"replicas": 2, "progressDeadlineSeconds": 100}), 1, 101), Degraded);
    assert_eq!(of(json!({"replicas": 2, "progressDeadlineSeconds": 1000}), 1, 901), Progressing);
    assert_eq!(of(json!({"replicas": 2, "progressDeadlineSeconds": i32::MAX}), 1, 601), Degraded);
    assert_eq!(of(json!({"replicas": 2, "minReadySeconds": 120}), 0, 150), Progressing);
    assert_eq!(of(json!({"replicas": 2, "minReadySeconds": 120}), 0, 181), Degraded);
}

#[test]
fn a_deployment_without_a_deadline_is_an_outage_when_it_is_long_without_replicas() {
    let of = |seconds: i64| {
        let conditions = json!([since(seconds, "Available", "False", "MinimumReplicasUnavailable")]);
        let status =
            json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "conditions": conditions});
        let parts = json!({"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": status});
        verdict("apps/v1", "Deployment", &parts).health
    };
    assert_eq!((of(300), of(601)), (Progressing, Degraded), "the rollout may not be complete");
}

#[test]
fn a_set_whose_status_does_not_change_while_replicas_are_missing_is_stalled() {
    let three = json!({"replicas": 3});
    let stateful = json!({"observedGeneration": 1, "replicas": 3, "readyReplicas": 2, "updateRevision": "b", "currentRevision": "a"});
    let replicas =
        json!({"observedGeneration": 1, "replicas": 3, "readyReplicas": 2, "availableReplicas": 2});
    let daemons = json!({"observedGeneration": 1, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberReady": 2,
        "numberAvailable": 2});
    let updating = json!({"observedGeneration": 1, "desiredNumberScheduled": 3, "updatedNumberScheduled": 2, "numberReady": 3,
        "numberAvailable": 3});
    let deployed = json!({"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 2,
        "conditions": ["Available=True", "Progressing=True NewReplicaSetAvailable"]});
    for (kind, status, message) in [
        ("StatefulSet", stateful, "2 of 3 ready"),
        ("ReplicaSet", replicas, "2 of 3 available"),
        ("DaemonSet", daemons, "2 of 3 available"),
        ("DaemonSet", updating, "2 of 3 updated"),
        ("Deployment", deployed, "2 of 3 available"),
    ] {
        let stalled = written(kind, 601, &three, &status);
        assert_eq!((stalled.health, stalled.rule), (Degraded, Rule::Stalled), "{kind}");
        assert_eq!((stalled.reason.as_str(), stalled.message.as_str()), ("Stalled", message), "{kind}");
        assert_eq!(stalled.since.unwrap().to_string(), ago(601), "{kind}");
        assert_eq!(written(kind, 599, &three, &status).health, Progressing, "{kind}");
        let slow = json!({"replicas": 3, "minReadySeconds": 300});
        assert_eq!(written(kind, 899, &slow, &status).health, Progressing, "{kind}");
        let unrecorded = json!({"metadata": {"generation": 1}, "spec": three, "status": status});
        assert_eq!(verdict("apps/v1", kind, &unrecorded).health, Progressing, "{kind}");
    }
}

#[test]
fn a_set_without_a_ready_replica_is_degraded_after_a_minute_unless_it_is_rolled_out() {
    let stateful = |update: &str| json!({"observedGeneration": 1, "replicas": 3, "updateRevision": update, "currentRevision": "a"});
    let daemons = |updated: u32| json!({"observedGeneration": 1, "desiredNumberScheduled": 3, "updatedNumberScheduled": updated});
    let replicas = json!({"observedGeneration": 1, "replicas": 3});
    let of =
        |kind: &str, seconds: i64, status: &Value| written(kind, seconds, &json!({"replicas": 3}), status);
    for (kind, status) in
        [("StatefulSet", stateful("a")), ("DaemonSet", daemons(3)), ("ReplicaSet", replicas)]
    {
        let outage = of(kind, 61, &status);
        assert_eq!((outage.health, outage.rule), (Degraded, Rule::Outage), "{kind}");
        assert!(outage.message.starts_with("0 of 3 "), "{kind} {}", outage.message);
        assert_eq!(outage.since.unwrap().to_string(), ago(61), "{kind}");
        assert_eq!(of(kind, 59, &status).health, Progressing, "{kind}");
    }
    assert_eq!(of("StatefulSet", 300, &stateful("b")).health, Progressing);
    assert_eq!(of("DaemonSet", 300, &daemons(1)).health, Progressing);
}

#[test]
fn a_first_rollout_that_pulls_images_is_no_outage() {
    let of = |seconds: i64| {
        let entry =
            json!({"manager": "kube-controller-manager", "time": ago(seconds), "subresource": "status"});
        let metadata =
            json!({"generation": 1, "creationTimestamp": ago(seconds + 2), "managedFields": [entry]});
        let status =
            json!({"observedGeneration": 1, "replicas": 1, "updateRevision": "a", "currentRevision": "a"});
        verdict(
            "apps/v1",
            "StatefulSet",
            &json!({"metadata": metadata, "spec": {"replicas": 3}, "status": status}),
        )
    };
    assert_eq!(of(300).health, Progressing);
    assert_eq!((of(601).health, of(601).rule), (Degraded, Rule::Stalled));
}

#[test]
fn a_replica_set_of_a_deployment_leaves_outages_to_it() {
    let entry = json!({"manager": "kube-controller-manager", "time": ago(300), "subresource": "status"});
    let owner = json!({"kind": "Deployment", "name": "web", "controller": true});
    let metadata = json!({"generation": 1, "creationTimestamp": ago(90_000), "managedFields": [entry], "ownerReferences": [owner]});
    let status = json!({"observedGeneration": 1, "replicas": 3});
    let parts = json!({"metadata": metadata, "spec": {"replicas": 3}, "status": status});
    assert_eq!(
        verdict("apps/v1", "ReplicaSet", &parts).health,
        Progressing,
        "it may be scaled up in a rollback"
    );
}

#[test]
fn nothing_is_missing_where_nothing_is_wanted() {
    let none = json!({"replicas": 0});
    let daemons = json!({"observedGeneration": 1, "desiredNumberScheduled": 0});
    for (kind, status) in [
        ("ReplicaSet", json!({"observedGeneration": 1, "replicas": 0})),
        ("StatefulSet", json!({"observedGeneration": 1, "replicas": 0})),
        ("DaemonSet", daemons),
        (
            "Deployment",
            json!({"observedGeneration": 1, "conditions": ["Progressing=True NewReplicaSetAvailable"]}),
        ),
    ] {
        assert_eq!(written(kind, 90_000, &none, &status).health, Healthy, "{kind}");
    }
}

#[test]
fn a_pod_that_is_not_ready_says_what_is_known_of_it() {
    let of = |more: Value| {
        let mut status = json!({"phase": "Running", "conditions": ["Ready=False"]});
        for (key, value) in more.as_object().unwrap() {
            status[key] = value.clone();
        }
        let pod = verdict("v1", "Pod", &json!({"spec": {"nodeName": "node-1"}, "status": status}));
        assert_eq!(pod.health, Progressing);
        (pod.reason, pod.message)
    };
    let told = |reason: &str, message: &str| (reason.to_owned(), message.to_owned());
    assert_eq!(
        of(json!({})),
        told("NotReady", "is not ready, and nothing says why; its node node-1 may be lost")
    );
    assert_eq!(
        of(json!({"reason": "NodeLost", "message": "node-1 is unresponsive"})),
        told("NodeLost", "node-1 is unresponsive")
    );
    let unready = "Ready=False ContainersNotReady: containers with unready status: [app]";
    assert_eq!(
        of(json!({"conditions": [unready]})),
        told("ContainersNotReady", "containers with unready status: [app]")
    );
    let evicted = "DisruptionTarget=True DeletionByTaintManager: deleting due to NoExecute taint";
    assert_eq!(
        of(json!({"conditions": [unready, evicted]})),
        told("DeletionByTaintManager", "deleting due to NoExecute taint")
    );
}

#[test]
fn a_failed_pod_says_what_evicted_it() {
    let of = |message: &str| {
        let target = "DisruptionTarget=True TerminationByKubelet: the node was low on memory";
        let status =
            json!({"phase": "Failed", "reason": "Evicted", "message": message, "conditions": [target]});
        let pod = verdict("v1", "Pod", &json!({"status": status}));
        assert_eq!((pod.health, pod.reason.as_str()), (Degraded, "Evicted"));
        pod.message
    };
    assert_eq!((of("").as_str(), of("gone").as_str()), ("the node was low on memory", "gone"));
}

#[test]
fn a_lost_node_is_degraded_by_ready_and_nothing_else() {
    let unknown =
        |type_: &str| format!("{type_}=Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
    let types = ["MemoryPressure", "DiskPressure", "StorageReady", "Ready"];
    let conditions: Vec<String> = types.into_iter().map(unknown).collect();
    let lost = verdict("v1", "Node", &json!({"status": {"conditions": conditions}}));
    assert_eq!((lost.health, lost.field.as_str()), (Degraded, "status.conditions[Ready]"));
    assert_eq!(lost.reason, "NodeStatusUnknown");
}

#[test]
fn a_cron_job_of_which_no_run_has_succeeded_is_degraded() {
    let of = |uid: &str, more: Value| {
        let mut status = json!({"lastScheduleTime": ago(60)});
        for (key, value) in more.as_object().unwrap() {
            status[key] = value.clone();
        }
        verdict("batch/v1", "CronJob", &json!({"metadata": {"uid": uid}, "spec": {}, "status": status}))
    };
    let failed = of("1", json!({}));
    assert_eq!(
        (failed.health, failed.rule, failed.message.as_str()),
        (Degraded, Rule::CronJob, "no run has succeeded")
    );
    assert_eq!(failed.since.unwrap().to_string(), ago(60));
    assert_eq!(of("1", json!({"active": [{"name": "a"}]})).health, Healthy, "its first run is under way");
    assert_eq!(of("1", json!({"lastSuccessfulTime": ago(30)})).health, Healthy);
    assert_eq!(of("", json!({})).health, Healthy, "a manifest may be of any age and version");
    let suspended =
        json!({"metadata": {"uid": "1"}, "spec": {"suspend": true}, "status": {"lastScheduleTime": ago(60)}});
    assert_eq!(verdict("batch/v1", "CronJob", &suspended).health, Suspended);
}

#[test]
fn a_job_that_goes_on_says_how_many_of_its_pods_failed() {
    let of = |status: Value| verdict("batch/v1", "Job", &json!({"status": status}));
    let failing = of(json!({"active": 1, "failed": 2}));
    assert_eq!((failing.health, failing.message.as_str()), (Progressing, "1 active, 2 failed"));
    assert_eq!(of(json!({"active": 1})).message, "1 active");
    assert_eq!(of(json!({"failed": 2, "conditions": ["Complete=True"]})).health, Healthy);
}

#[test]
fn a_certificate_signing_request_is_well_once_it_has_a_certificate() {
    let of = |status: Value| -> Health {
        verdict("certificates.k8s.io/v1", "CertificateSigningRequest", &json!({"status": status})).health
    };
    assert_eq!(of(json!({})), Progressing);
    assert_eq!(of(json!({"conditions": ["Approved=True KubectlApprove"]})), Progressing);
    assert_eq!(of(json!({"conditions": ["Approved=True KubectlApprove"], "certificate": "LS0t"})), Healthy);
    assert_eq!(of(json!({"conditions": ["Denied=True KubectlDeny"]})), Degraded);
    assert_eq!(
        of(json!({"conditions": ["Approved=True AutoApproved", "Failed=True SignerValidationFailure"]})),
        Degraded
    );
}
