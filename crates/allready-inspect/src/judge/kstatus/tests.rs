use serde_json::{Value, json};

use super::{Outcome, Status, compute};
use crate::health::Health;
use allready_core::Time;

fn now() -> Time {
    "2026-03-01T10:00:00Z".parse().unwrap()
}

fn said(object: &Value) -> (Status, String) {
    let Outcome { status, reason, .. } = compute(object, now());
    (status, reason)
}

#[expect(clippy::needless_pass_by_value, reason = "the cases are written in place")]
fn object(version: &str, kind: &str, spec: Value, status: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x", "generation": 1}, "spec": spec, "status": status})
}

fn check(version: &str, kind: &str, cases: &[(Value, Value, Status, &str)]) {
    for (spec, status, expected, reason) in cases {
        let object = object(version, kind, spec.clone(), status.clone());
        assert_eq!(said(&object), (*expected, (*reason).to_owned()), "{kind} {spec} {status}");
    }
}

fn widget(status: Value) -> Value {
    object("example.com/v1", "Widget", json!({}), status)
}

#[test]
fn a_deletion_time_is_terminating_before_anything_else() {
    let mut leaving = widget(json!({"conditions": [{"type": "Stalled", "status": "True"}]}));
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(said(&leaving).0, Status::Terminating);
    leaving["metadata"]["deletionTimestamp"] = json!("");
    assert_eq!(said(&leaving).0, Status::Failed);
}

#[test]
fn any_other_observed_generation_is_in_progress_and_an_absent_one_is_not() {
    for (observed, expected) in [(0, Status::InProgress), (1, Status::Current), (2, Status::InProgress)] {
        assert_eq!(said(&widget(json!({"observedGeneration": observed}))).0, expected, "{observed}");
    }
    assert_eq!(said(&widget(json!({"observedGeneration": 2}))).1, "LatestGenerationNotObserved");
    assert_eq!(said(&widget(json!({}))).0, Status::Current);
}

#[test]
fn an_observed_generation_in_text_is_an_error() {
    for odd in [json!("1"), json!(1.5), json!(null)] {
        assert_eq!(said(&widget(json!({"observedGeneration": odd}))).0, Status::Unknown, "{odd}");
    }
}

#[test]
fn a_null_condition_is_an_empty_one_and_minus_zero_is_zero_as_go_reads_them() {
    assert_eq!(said(&widget(json!({"conditions": [null]}))).0, Status::Current);
    let mut zero = widget(json!({"observedGeneration": 0}));
    zero["metadata"]["generation"] = serde_json::from_str("-0").unwrap();
    assert_eq!(said(&zero).0, Status::Current);
    let mut none = object("apps/v1", "ReplicaSet", json!({}), json!({}));
    assert_eq!(said(&none).1, "LessLabelled", "one replica is wanted where nothing is said");
    none["spec"]["replicas"] = serde_json::from_str("-0").unwrap();
    assert_eq!(said(&none).0, Status::Current, "and none here");
}

#[test]
fn of_reconciling_and_stalled_the_first_in_the_list_wins() {
    let reconciling = json!({"type": "Reconciling", "status": "True", "reason": "A"});
    let stalled = json!({"type": "Stalled", "status": "True", "reason": "B"});
    let both = widget(json!({"conditions": [reconciling, stalled]}));
    assert_eq!(said(&both), (Status::InProgress, "A".to_owned()));
    let both = widget(json!({"conditions": [stalled, reconciling]}));
    assert_eq!(said(&both), (Status::Failed, "B".to_owned()));
}

#[test]
fn ready_decides_only_where_no_rule_of_the_kind_does_and_never_fails() {
    let ready =
        |status: &str| widget(json!({"conditions": [{"type": "Ready", "status": status, "reason": "R"}]}));
    assert_eq!(said(&ready("True")).0, Status::Current);
    assert_eq!(said(&ready("False")), (Status::InProgress, "R".to_owned()));
    assert_eq!(said(&ready("Unknown")).0, Status::InProgress);
    assert_eq!(said(&ready("Perhaps")).0, Status::Current, "other values are ignored");
}

#[test]
fn generations_of_conditions_and_nested_conditions_are_never_read() {
    let stale = json!({"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 0}]});
    assert_eq!(said(&widget(stale)).0, Status::Current);
    let nested = json!({"parents": [{"conditions": [{"type": "Accepted", "status": "False"}]}]});
    assert_eq!(said(&widget(nested)).0, Status::Current);
}

#[test]
fn conditions_that_are_no_texts_are_an_error() {
    assert_eq!(said(&widget(json!({"conditions": [{"type": "Ready", "status": true}]}))).0, Status::Unknown);
    assert_eq!(said(&widget(json!({"conditions": {}}))).0, Status::Unknown);
}

#[test]
fn secrets_config_maps_and_cron_jobs_are_always_current() {
    for (version, kind) in [("v1", "Secret"), ("v1", "ConfigMap"), ("batch/v1", "CronJob")] {
        let ready = json!({"conditions": [{"type": "Ready", "status": "False"}]});
        assert_eq!(said(&object(version, kind, json!({}), ready)).0, Status::Current, "{kind}");
    }
}

#[test]
fn a_disruption_budget_is_current_once_its_generation_is_observed() {
    check(
        "policy/v1",
        "PodDisruptionBudget",
        &[
            (
                json!({}),
                json!({"observedGeneration": 1, "currentHealthy": 0, "desiredHealthy": 3}),
                Status::Current,
                "",
            ),
            (json!({}), json!({"observedGeneration": 0}), Status::InProgress, "LatestGenerationNotObserved"),
        ],
    );
}

#[test]
fn a_pod_goes_by_its_phase_and_a_failed_one_is_current() {
    let crashing = json!([{"name": "a", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]);
    check(
        "v1",
        "Pod",
        &[
            (json!({}), json!({"phase": "Succeeded"}), Status::Current, ""),
            (json!({}), json!({"phase": "Failed"}), Status::Current, ""),
            (
                json!({}),
                json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}),
                Status::Current,
                "",
            ),
            (json!({}), json!({"phase": "Running"}), Status::InProgress, "PodRunningNotReady"),
            (
                json!({}),
                json!({"phase": "Running", "containerStatuses": crashing}),
                Status::Failed,
                "ContainerCrashLooping",
            ),
            (json!({}), json!({"phase": "Pending"}), Status::InProgress, "PodPending"),
            (json!({}), json!({}), Status::InProgress, "PodNotObserved"),
            (json!({}), json!({"phase": "Dreaming"}), Status::Unknown, "Error"),
        ],
    );
}

#[test]
fn a_pod_has_fifteen_seconds_to_find_a_node() {
    let pending = json!({"phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]});
    let mut pod = object("v1", "Pod", json!({}), pending);
    pod["metadata"]["creationTimestamp"] = json!("2026-03-01T09:59:46Z");
    assert_eq!(said(&pod), (Status::InProgress, "PodNotScheduled".to_owned()));
    pod["metadata"]["creationTimestamp"] = json!("2026-03-01T09:59:45Z");
    assert_eq!(said(&pod), (Status::Failed, "PodUnschedulable".to_owned()));
}

fn deployment(change: &[(&str, Value)]) -> Value {
    let mut status = json!({"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "readyReplicas": 2, "conditions": [
        {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
        {"type": "Available", "status": "True"}]});
    for (key, value) in change {
        status[*key] = value.clone();
    }
    status
}

#[test]
fn a_deployment_counts_its_replicas_in_order() {
    let spec = json!({"replicas": 2, "progressDeadlineSeconds": 600});
    let case = |change: &[(&str, Value)], status, reason| (spec.clone(), deployment(change), status, reason);
    check(
        "apps/v1",
        "Deployment",
        &[
            case(&[], Status::Current, ""),
            case(&[("replicas", json!(1))], Status::InProgress, "LessReplicas"),
            case(&[("updatedReplicas", json!(1)), ("replicas", json!(3))], Status::InProgress, "LessUpdated"),
            case(&[("replicas", json!(3)), ("availableReplicas", json!(1))], Status::InProgress, "ExtraPods"),
            case(
                &[("availableReplicas", json!(1)), ("readyReplicas", json!(1))],
                Status::InProgress,
                "LessAvailable",
            ),
            case(&[("readyReplicas", json!(1))], Status::InProgress, "LessReady"),
        ],
    );
}

#[test]
fn a_deployment_needs_its_conditions_and_fails_by_the_deadline() {
    let spec = json!({"replicas": 2, "progressDeadlineSeconds": 600});
    let late = json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]);
    let updated = json!([{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"},
        {"type": "Available", "status": "True"}]);
    let gone = json!([{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]);
    let with = |conditions: &Value| deployment(&[("conditions", conditions.clone())]);
    let available = json!([{"type": "Available", "status": "True"}]);
    check(
        "apps/v1",
        "Deployment",
        &[
            (spec.clone(), with(&late), Status::Failed, "ProgressDeadlineExceeded"),
            (spec.clone(), with(&updated), Status::InProgress, "ReplicaSetNotAvailable"),
            (spec.clone(), with(&gone), Status::InProgress, "DeploymentNotAvailable"),
            (json!({"replicas": 2}), with(&available), Status::Current, ""),
            (
                json!({"replicas": 2, "progressDeadlineSeconds": i32::MAX}),
                with(&available),
                Status::Current,
                "",
            ),
        ],
    );
}

#[test]
fn a_replica_set_with_a_failure_is_in_progress() {
    let fine = json!({"replicas": 2, "fullyLabeledReplicas": 2, "availableReplicas": 2, "readyReplicas": 2});
    let spec = json!({"replicas": 2});
    let case = |key: &str, value: Value, status, reason| {
        let mut changed = fine.clone();
        changed[key] = value;
        (spec.clone(), changed, status, reason)
    };
    check(
        "apps/v1",
        "ReplicaSet",
        &[
            (spec.clone(), fine.clone(), Status::Current, ""),
            case(
                "conditions",
                json!([{"type": "ReplicaFailure", "status": "True"}]),
                Status::InProgress,
                "ReplicaFailure",
            ),
            case("fullyLabeledReplicas", json!(1), Status::InProgress, "LessLabelled"),
            case("availableReplicas", json!(1), Status::InProgress, "LessAvailable"),
            case("readyReplicas", json!(1), Status::InProgress, "LessReady"),
            case("replicas", json!(3), Status::InProgress, "ExtraPods"),
        ],
    );
}

#[test]
fn a_stateful_set_goes_by_replicas_partition_and_revision() {
    let fine = json!({"replicas": 3, "readyReplicas": 3, "currentReplicas": 3, "updatedReplicas": 1,
        "currentRevision": "a", "updateRevision": "a"});
    let case = |spec: Value, key: &str, value: Value, status, reason| {
        let mut changed = fine.clone();
        changed[key] = value;
        (spec, changed, status, reason)
    };
    let three = || json!({"replicas": 3});
    let partition =
        |from: i64| json!({"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": from}}});
    check(
        "apps/v1",
        "StatefulSet",
        &[
            (three(), fine.clone(), Status::Current, ""),
            (
                json!({"replicas": 9, "updateStrategy": {"type": "OnDelete"}}),
                fine.clone(),
                Status::Current,
                "",
            ),
            case(three(), "replicas", json!(2), Status::InProgress, "LessReplicas"),
            case(three(), "readyReplicas", json!(2), Status::InProgress, "LessReady"),
            case(three(), "replicas", json!(4), Status::InProgress, "ExtraPods"),
            (partition(2), fine.clone(), Status::Current, ""),
            (partition(1), fine.clone(), Status::InProgress, "PartitionRollout"),
            case(three(), "currentReplicas", json!(2), Status::InProgress, "LessCurrent"),
            case(three(), "updateRevision", json!("b"), Status::InProgress, "RevisionMismatch"),
        ],
    );
}

#[test]
fn a_daemon_set_must_have_been_observed_and_counted() {
    let fine = json!({"observedGeneration": 1, "desiredNumberScheduled": 2, "currentNumberScheduled": 2,
        "updatedNumberScheduled": 2, "numberAvailable": 2, "numberReady": 2});
    let case = |key: &str, value: Value, status, reason| {
        let mut changed = fine.clone();
        changed[key] = value;
        (json!({}), changed, status, reason)
    };
    check(
        "apps/v1",
        "DaemonSet",
        &[
            (json!({}), fine.clone(), Status::Current, ""),
            (json!({}), json!({"desiredNumberScheduled": 0}), Status::InProgress, "NoObservedGeneration"),
            (json!({}), json!({"observedGeneration": 1}), Status::InProgress, "NoDesiredNumber"),
            case("currentNumberScheduled", json!(1), Status::InProgress, "LessCurrent"),
            case("updatedNumberScheduled", json!(1), Status::InProgress, "LessUpdated"),
            case("numberAvailable", json!(1), Status::InProgress, "LessAvailable"),
            case("numberReady", json!(1), Status::InProgress, "LessReady"),
        ],
    );
    let unnumbered = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {}, "status": fine});
    assert_eq!(said(&unnumbered).1, "NoGeneration");
}

#[test]
fn a_lost_claim_is_in_progress() {
    check(
        "v1",
        "PersistentVolumeClaim",
        &[
            (json!({}), json!({"phase": "Bound"}), Status::Current, ""),
            (json!({}), json!({"phase": "Pending"}), Status::InProgress, "NotBound"),
            (json!({}), json!({"phase": "Lost"}), Status::InProgress, "NotBound"),
        ],
    );
}

#[test]
fn a_running_job_is_current() {
    let is = |type_: &str| json!({"startTime": "2026-01-01T00:00:00Z", "conditions": [{"type": type_, "status": "True"}]});
    check(
        "batch/v1",
        "Job",
        &[
            (json!({}), is("Complete"), Status::Current, ""),
            (json!({}), is("Failed"), Status::Failed, "JobFailed"),
            (
                json!({"suspend": true}),
                json!({"conditions": [{"type": "Suspended", "status": "True"}]}),
                Status::Current,
                "",
            ),
            (
                json!({}),
                json!({"conditions": [{"type": "Suspended", "status": "True"}]}),
                Status::InProgress,
                "JobNotStarted",
            ),
            (json!({}), json!({}), Status::InProgress, "JobNotStarted"),
            (json!({}), json!({"startTime": "2026-01-01T00:00:00Z", "active": 1}), Status::Current, ""),
        ],
    );
}

#[test]
fn a_load_balancer_needs_a_cluster_address_and_no_other() {
    check(
        "v1",
        "Service",
        &[
            (json!({"type": "LoadBalancer"}), json!({}), Status::InProgress, "NoIPAssigned"),
            (json!({"type": "LoadBalancer", "clusterIP": "10.0.0.1"}), json!({}), Status::Current, ""),
            (json!({}), json!({}), Status::Current, ""),
        ],
    );
}

#[test]
fn a_definition_fails_by_its_names_or_by_not_being_established() {
    let is = |type_: &str, status: &str, reason: &str| json!({"conditions": [{"type": type_, "status": status, "reason": reason}]});
    check(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        &[
            (json!({}), is("NamesAccepted", "False", "Taken"), Status::Failed, "Taken"),
            (json!({}), is("Established", "False", "Broken"), Status::Failed, "Broken"),
            (json!({}), is("Established", "False", "Installing"), Status::InProgress, "Installing"),
            (json!({}), is("Established", "True", "Ok"), Status::Current, ""),
            (json!({}), json!({}), Status::InProgress, "Installing"),
        ],
    );
}

#[test]
fn kinds_without_a_rule_take_the_generic_way() {
    for (version, kind) in [
        ("networking.k8s.io/v1", "Ingress"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("v1", "Node"),
        ("v1", "Namespace"),
        ("v1", "PersistentVolume"),
        ("gateway.networking.k8s.io/v1", "Gateway"),
    ] {
        assert_eq!(said(&object(version, kind, json!({}), json!({}))).0, Status::Current, "{kind}");
    }
}

#[test]
fn its_words_have_a_health_each() {
    for (status, health) in [
        (Status::Current, Health::Healthy),
        (Status::InProgress, Health::Progressing),
        (Status::Terminating, Health::Progressing),
        (Status::Failed, Health::Degraded),
        (Status::Unknown, Health::Unknown),
    ] {
        assert_eq!(Health::from(status), health);
    }
}
