//! Objects that look well at a glance and are not.

use crate::judge::Rule;
use serde_json::{Value, json};

use super::known::{now, object, widget};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended};
use crate::judge::judge;
use crate::registry::Registry;

fn health(version: &str, kind: &str, parts: &Value) -> Health {
    judge(&object(version, kind, parts), Registry::builtin(), now()).health
}

fn says(status: &Value) -> Health {
    widget(&json!({"status": status})).health
}

fn beside_ready(condition: &str) -> Health {
    says(&json!({"conditions": ["Ready=True", condition]}))
}

#[test]
fn a_deployment_with_full_counts_is_not_healthy_while_its_controller_disagrees() {
    let with = |conditions: Value, unavailable: u32| {
        let status = json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2,
            "availableReplicas": 2, "unavailableReplicas": unavailable, "conditions": conditions});
        let parts = json!({"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": status});
        health("apps/v1", "Deployment", &parts)
    };
    let fine = "Progressing=True NewReplicaSetAvailable";
    assert_eq!(with(json!(["Available=True MinimumReplicasAvailable", fine]), 0), Healthy);
    assert_eq!(with(json!(["Available=False MinimumReplicasUnavailable", fine]), 0), Progressing);
    assert_eq!(with(json!(["Available=Unknown", fine]), 0), Progressing);
    assert_eq!(with(json!(["Available=True", fine]), 1), Progressing);
    assert_eq!(with(json!(["Available=True", "Progressing=False ReplicaSetCreateError"]), 0), Degraded);
}

#[test]
fn a_workload_that_nobody_has_looked_at_is_not_healthy() {
    for kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"] {
        assert_eq!(health("apps/v1", kind, &json!({"spec": {"replicas": 0}})), Progressing, "{kind}");
    }
}

#[test]
fn replicas_that_are_too_many_or_too_young_are_under_way() {
    let of = |kind: &str, status: Value| {
        let parts = json!({"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": status});
        health("apps/v1", kind, &parts)
    };
    let four = json!({"observedGeneration": 1, "replicas": 4, "readyReplicas": 4, "availableReplicas": 4});
    assert_eq!(of("ReplicaSet", four.clone()), Progressing);
    assert_eq!(of("StatefulSet", four), Progressing);
    let young = json!({"observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "availableReplicas": 0});
    assert_eq!(of("StatefulSet", young), Progressing);
    let missing = json!({"observedGeneration": 1, "desiredNumberScheduled": 2, "updatedNumberScheduled": 2,
        "numberAvailable": 2, "numberUnavailable": 1});
    assert_eq!(of("DaemonSet", missing), Progressing);
}

#[test]
fn a_ready_pod_that_is_to_leave_or_to_change_is_not_healthy() {
    let with = |condition: &str| {
        health("v1", "Pod", &json!({"status": {"phase": "Running", "conditions": ["Ready=True", condition]}}))
    };
    assert_eq!(with("DisruptionTarget=False"), Healthy);
    assert_eq!(with("DisruptionTarget=True PreemptionByScheduler"), Progressing);
    assert_eq!(with("PodResizePending=True Deferred"), Progressing);
    assert_eq!(with("PodResizePending=True Infeasible"), Degraded);
}

#[test]
fn a_container_that_failed_and_is_not_restarted_degrades_its_pod() {
    let of = |policy: &str| {
        let ended = json!({"name": "a", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}});
        let status = json!({"phase": "Running", "conditions": ["Ready=False"], "containerStatuses": [ended]});
        health("v1", "Pod", &json!({"spec": {"restartPolicy": policy}, "status": status}))
    };
    assert_eq!(of("Never"), Degraded);
    assert_eq!(of("Always"), Progressing);
}

#[test]
fn a_job_that_has_enough_is_under_way_until_it_is_complete() {
    let of = |conditions: Value| health("batch/v1", "Job", &json!({"status": {"conditions": conditions}}));
    assert_eq!(of(json!(["SuccessCriteriaMet=True"])), Progressing);
    assert_eq!(of(json!(["SuccessCriteriaMet=True", "Complete=True"])), Healthy);
}

#[test]
fn a_node_is_judged_by_what_agents_add_to_it() {
    let with = |condition: &str| {
        health("v1", "Node", &json!({"status": {"conditions": ["Ready=True KubeletReady", condition]}}))
    };
    assert_eq!(with("StorageReady=True"), Healthy);
    assert_eq!(with("StorageReady=False DiskGone"), Degraded);
    assert_eq!(with("EtcdIsVoter=True MemberNotLearner"), Healthy);
    assert_eq!(with("KernelDeadlock=True"), Degraded);
}

#[test]
fn a_bound_claim_that_cannot_grow_is_degraded() {
    let with = |key: &str, value: Value| {
        health("v1", "PersistentVolumeClaim", &json!({"status": {"phase": "Bound", key: value}}))
    };
    assert_eq!(with("conditions", json!([])), Healthy);
    assert_eq!(with("conditions", json!(["Resizing=True"])), Progressing);
    assert_eq!(with("conditions", json!(["FileSystemResizePending=True"])), Progressing);
    assert_eq!(with("conditions", json!(["ControllerResizeError=True", "Resizing=True"])), Degraded);
    assert_eq!(
        with("allocatedResourceStatuses", json!({"storage": "ControllerResizeInProgress"})),
        Progressing
    );
    assert_eq!(with("allocatedResourceStatuses", json!({"storage": "NodeResizeInfeasible"})), Degraded);
    assert_eq!(with("modifyVolumeStatus", json!({"status": "Infeasible"})), Degraded);
}

#[test]
fn an_entry_without_an_address_is_none() {
    let of = |entry: Value| {
        let parts =
            json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [entry]}}});
        assert_eq!(
            health("networking.k8s.io/v1", "Ingress", &parts),
            health("v1", "Service", &parts),
            "{parts}"
        );
        health("v1", "Service", &parts)
    };
    assert_eq!(of(json!({"hostname": "a.example"})), Healthy);
    assert_eq!(of(json!({})), Progressing);
    assert_eq!(of(json!({"ip": "192.0.2.1", "ports": [{"port": 80, "error": "NoQuota"}]})), Degraded);
    let failed =
        json!({"spec": {"type": "ClusterIP"}, "status": {"conditions": ["LoadBalancerPortsError=True"]}});
    assert_eq!(health("v1", "Service", &failed), Degraded);
}

#[test]
fn what_a_controller_does_not_know_is_not_healthy() {
    let autoscaler = |generation: u32, conditions: Value| {
        let status = json!({"observedGeneration": 1, "conditions": conditions});
        let parts = json!({"metadata": {"generation": generation}, "status": status});
        health("autoscaling/v2", "HorizontalPodAutoscaler", &parts)
    };
    assert_eq!(autoscaler(1, json!(["AbleToScale=True", "ScalingActive=True"])), Healthy);
    assert_eq!(autoscaler(2, json!(["AbleToScale=True", "ScalingActive=True"])), Progressing);
    assert_eq!(autoscaler(1, json!(["AbleToScale=True", "ScalingActive=Unknown"])), Progressing);
    let definition = json!({"status": {"conditions": ["Established=True", "NamesAccepted=Unknown"]}});
    assert_eq!(health("apiextensions.k8s.io/v1", "CustomResourceDefinition", &definition), Progressing);
    let namespace =
        json!({"status": {"phase": "Active", "conditions": ["NamespaceDeletionContentFailure=True"]}});
    assert_eq!(health("v1", "Namespace", &namespace), Degraded);
    let approved = json!({"status": {"conditions": ["Approved=True"]}});
    assert_eq!(health("certificates.k8s.io/v1", "CertificateSigningRequest", &approved), Progressing);
}

#[test]
fn conditions_in_a_map_count_like_those_in_a_list() {
    for bad in [
        json!({"Ready": {"status": "False", "reason": "DiskFailed"}}),
        json!({"Degraded": true}),
        json!({"a": {"type": "Degraded", "status": "True"}}),
    ] {
        assert_eq!(says(&json!({"phase": "Running", "conditions": bad})), Degraded, "{bad}");
        let below = json!({"phase": "Running", "parts": [{"name": "a", "conditions": bad}]});
        assert_eq!(says(&below), Degraded, "{below}");
    }
    for waits in [json!({"Ready": false}), json!({"Ready": "False"}), json!({"Ready": "unknown"})] {
        assert_eq!(says(&json!({"phase": "Running", "conditions": waits})), Progressing, "{waits}");
    }
    assert_eq!(says(&json!({"conditions": {"Ready": true}})), Healthy);
}

#[test]
fn one_of_many_that_has_no_conditions_yet_is_awaited() {
    let parents = json!([{"controllerName": "a", "conditions": ["Accepted=True"]}, {"controllerName": "b", "conditions": []}]);
    let parts = json!({"status": {"parents": parents}});
    assert_eq!(health("gateway.networking.k8s.io/v1", "HTTPRoute", &parts), Progressing);
}

#[test]
fn a_bad_name_beside_ready_is_bad_news() {
    for type_ in [
        "Outdated",
        "Drifted",
        "DriftDetected",
        "OutOfSync",
        "Disconnected",
        "Offline",
        "Down",
        "Faulted",
        "Unsynced",
        "DiskFull",
        "QuotaExhausted",
        "Throttled",
        "KernelDeadlock",
        "Interrupted",
        "Cancelled",
        "Unverified",
    ] {
        assert_eq!(beside_ready(&format!("{type_}=True")), Degraded, "{type_}");
        assert_eq!(beside_ready(&format!("{type_}=False")), Healthy, "{type_}");
        assert_ne!(says(&json!({"conditions": [format!("{type_}=True")]})), Healthy, "{type_}");
    }
    assert_eq!(beside_ready("ErrorFree=True"), Healthy);
    assert_eq!(beside_ready("ErrorFree=False"), Degraded);
    assert_eq!(says(&json!({"conditions": ["Deleted=True"]})), Progressing);
    assert_eq!(says(&json!({"conditions": ["Disabled=True"]})), Suspended);
}

#[test]
fn what_is_done_about_a_failure_is_none() {
    assert_eq!(beside_ready("FailoverReady=True"), Healthy);
    assert_eq!(says(&json!({"conditions": ["Ready=True FailoverCompleted"]})), Healthy);
}

#[test]
fn a_good_word_that_is_denied_is_not_good() {
    for state in [
        "not running",
        "No longer available",
        "never ready",
        "0 ready",
        "isn't ready",
        "NoneReady",
        "NotAllReady",
        "Nearly complete",
        "was active",
    ] {
        assert_eq!(says(&json!({"state": state})), Progressing, "{state}");
    }
    assert_eq!(says(&json!({"state": "Running, no errors"})), Healthy);
}

#[test]
fn an_error_of_any_name_beside_a_good_phase_is_an_error() {
    for key in ["reconcileError", "syncError", "lastErrorMessage", "errorReason", "detach_error"] {
        assert_eq!(says(&json!({"phase": "Ready", key: "no such host"})), Degraded, "{key}");
        assert_eq!(says(&json!({"phase": "Ready", key: ""})), Healthy, "{key}");
    }
}

#[test]
fn a_timetable_that_tells_of_a_failure_is_not_healthy() {
    let of = |generation: u32, more: Value| {
        let mut status = json!({"lastScheduleTime": "2026-03-01T00:00:00Z", "observedGeneration": 1});
        for (key, value) in more.as_object().unwrap() {
            status[key] = value.clone();
        }
        let parts = json!({"metadata": {"generation": generation}, "status": status});
        health("example.com/v1", "BackupSchedule", &parts)
    };
    assert_eq!(of(1, json!({})), Healthy);
    assert_eq!(of(2, json!({})), Progressing);
    assert_eq!(of(1, json!({"lastError": "no such bucket"})), Degraded);
    assert_eq!(of(1, json!({"lastBackupStatus": "Failed"})), Progressing);
    assert_eq!(of(1, json!({"lastRunFailed": true})), Degraded);
    let seen_only = json!({"status": {"observedGeneration": 1}});
    assert_eq!(health("example.com/v1", "BackupSchedule", &seen_only), Progressing);
}

#[test]
fn a_good_phase_with_a_bad_reason_is_not_good() {
    assert_eq!(says(&json!({"phase": "Ready", "reason": "ReconcileError"})), Degraded);
    assert_eq!(says(&json!({"phase": "Ready", "message": "failed to reach the server"})), Degraded);
    assert_eq!(says(&json!({"phase": "Ready", "message": "2 runs, 0 failed"})), Healthy);
}

#[test]
fn a_count_of_what_should_be_none_counts() {
    assert_eq!(says(&json!({"phase": "Ready", "unavailableReplicas": 1})), Progressing);
    assert_eq!(says(&json!({"phase": "Ready", "unhealthyNodes": "2"})), Progressing);
    assert_eq!(says(&json!({"phase": "Ready", "unavailableReplicas": 0})), Healthy);
}

#[test]
fn none_of_none_is_no_sign_of_life() {
    assert_ne!(says(&json!({"replicas": 0, "readyReplicas": 0})), Healthy);
    assert_eq!(says(&json!({"replicas": 1, "readyReplicas": 1})), Healthy);
}

#[test]
fn an_activity_that_is_not_completed_goes_on() {
    assert_eq!(says(&json!({"conditions": ["Progressing=True RolloutCompleted"]})), Healthy);
    assert_eq!(says(&json!({"conditions": ["Progressing=True RolloutNotCompleted"]})), Progressing);
}

#[test]
fn a_listener_or_parent_without_an_answer_is_awaited() {
    const API: &str = "gateway.networking.k8s.io/v1";
    let route = |answered: Value| {
        let wanted = json!([{"name": "a"}, {"name": "b", "sectionName": "web"}]);
        let parent = |parent: &Value| json!({"parentRef": parent, "conditions": ["Accepted=True"]});
        let parents: Vec<Value> = answered.as_array().unwrap().iter().map(parent).collect();
        let parts = json!({"spec": {"parentRefs": wanted}, "status": {"parents": parents}});
        health(API, "HTTPRoute", &parts)
    };
    assert_eq!(route(json!([{"name": "a"}])), Progressing);
    assert_eq!(route(json!([{"name": "a"}, {"name": "b", "sectionName": "tls"}])), Progressing);
    assert_eq!(route(json!([{"name": "a"}, {"name": "b", "sectionName": "web"}])), Healthy);
    let gateway = |listeners: Value| {
        let top = ["Accepted=True", "Programmed=True"];
        let spec = json!({"listeners": [{"name": "a"}, {"name": "b"}]});
        health(API, "Gateway", &json!({"spec": spec, "status": {"conditions": top, "listeners": listeners}}))
    };
    let fine = |name: &str| json!({"name": name, "conditions": ["Accepted=True", "Programmed=True"]});
    assert_eq!(gateway(json!([fine("a"), fine("b")])), Healthy);
    assert_eq!(gateway(json!([fine("a")])), Progressing);
    let accepted = json!({"status": {"conditions": ["Accepted=True"]}});
    assert_eq!(health(API, "Gateway", &accepted), Progressing, "nothing is programmed yet");
}

#[test]
fn the_entries_of_a_hub_answer_for_the_listener_that_they_name() {
    let gateway = |listeners: &[&str]| {
        let entries: Vec<Value> =
            listeners.iter().map(|name| json!({"name": name, "conditions": []})).collect();
        let spec = json!({"listeners": [{"name": "a"}, {"name": "x.a"}]});
        let status = json!({"conditions": ["Accepted=True", "Programmed=True"], "listeners": entries});
        health("gateway.networking.k8s.io/v1", "Gateway", &json!({"spec": spec, "status": status}))
    };
    assert_eq!(gateway(&["one.a", "one.x.a", "two.a"]), Healthy);
    assert_eq!(gateway(&["one.a"]), Progressing, "nobody answers for x.a");
    assert_eq!(gateway(&["x.a"]), Progressing, "it is a listener of its own, and not a's in the cluster x");
    assert_eq!(gateway(&[".a", "one.x.a"]), Progressing, "an entry without a cluster is nobody's");
}

#[test]
fn conditions_at_any_depth_count_and_what_is_too_deep_to_be_read_is_not_healthy() {
    let at = |depth: usize, status: &str| {
        let list = json!({"conditions": [{"type": "Ready", "status": status, "reason": "DiskFull"}]});
        let part = (0..depth).fold(list, |below, _| json!({ "part": below }));
        let verdict = widget(&json!({"status": {"conditions": ["Ready=True"], "part": part}}));
        (verdict.health, verdict.rule)
    };
    for depth in [0, 7, 8, 9, 40, 100] {
        assert_eq!(at(depth, "False").0, Degraded, "{depth} maps deep");
        assert_eq!(at(depth, "True").0, Healthy, "{depth} maps deep");
    }
    for status in ["True", "False"] {
        assert_eq!(at(200, status), (Health::Unknown, Rule::TooLarge));
    }
}

#[test]
fn conditions_deep_down_or_under_another_name_count() {
    let broken = json!(["Ready=False DiskFailed"]);
    let deep = json!({"a": {"b": {"c": {"d": {"e": {"conditions": broken}}}}}, "phase": "Ready"});
    assert_eq!(says(&deep), Degraded);
    let list = json!([{"type": "Ready", "status": "False", "reason": "DiskFailed"}]);
    let verdict = widget(&json!({"status": {"phase": "Ready", "instanceConditions": list}}));
    assert_eq!((verdict.health, verdict.rule), (Degraded, Rule::ConditionFalse));
    assert_eq!(verdict.field, "status.instanceConditions[Ready]");
}

#[test]
fn a_word_in_a_map_of_states_counts() {
    assert_eq!(
        says(&json!({"phase": "Ready", "componentStatuses": {"db": "Failed", "web": "Ready"}})),
        Degraded
    );
    assert_eq!(says(&json!({"phase": "Ready", "componentStatuses": {"db": "Ready"}})), Healthy);
}

#[test]
fn a_declared_sign_of_life_does_not_hide_an_error() {
    let constraint = |errors: Value| {
        let status = json!({"auditTimestamp": "2026-03-01T00:00:00Z", "byPod": [{"id": "a", "enforced": true, "errors": errors}]});
        health("constraints.gatekeeper.sh/v1beta1", "NeedsLabels", &json!({"status": status}))
    };
    assert_eq!(constraint(json!([])), Healthy);
    assert_eq!(constraint(json!([{"code": "compile", "message": "failed to compile"}])), Degraded);
    let group = json!({"status": {"lastUpdated": "2026-03-01T00:00:00Z", "conditions": ["MultipleOperatorGroup=True"]}});
    assert_eq!(health("operators.coreos.com/v1", "OperatorGroup", &group), Degraded);
}

#[test]
fn true_for_a_broken_reason_is_not_healthy() {
    for reason in ["Degraded", "Unhealthy", "Stalled"] {
        assert_eq!(says(&json!({"conditions": [format!("Ready=True {reason}")]})), Degraded, "{reason}");
    }
}

#[test]
fn a_beginning_is_not_an_end() {
    for type_ in ["Started", "PodsScheduled", "Queued"] {
        assert_eq!(says(&json!({"conditions": [format!("{type_}=True")]})), Progressing, "{type_}");
        assert_eq!(beside_ready(&format!("{type_}=True")), Healthy, "{type_}");
    }
}

#[test]
fn a_list_of_failures_is_bad_news() {
    assert_eq!(says(&json!({"state": "Active", "failures": ["node a"]})), Degraded);
    assert_eq!(says(&json!({"state": "Active", "failures": []})), Healthy);
}

#[test]
fn a_name_that_denies_a_good_one_is_not_good() {
    assert_eq!(says(&json!({"unhealthy": true, "endpoint": "a"})), Degraded);
    assert_eq!(says(&json!({"notReady": true, "endpoint": "a"})), Progressing);
}

#[test]
fn a_word_with_up_in_it_is_not_up() {
    for phase in ["BackingUp", "StartUp", "ScaleUp"] {
        assert_ne!(says(&json!({"phase": phase})), Healthy, "{phase}");
    }
}

#[test]
fn trouble_beside_ready_is_known_by_its_name() {
    for type_ in [
        "NodeDown",
        "StorageFull",
        "LowDiskSpace",
        "SplitBrain",
        "DataLoss",
        "UnderReplicated",
        "OutOfMemory",
        "Fenced",
    ] {
        assert_eq!(beside_ready(&format!("{type_}=True Whatever: x")), Degraded, "{type_}");
        assert_eq!(beside_ready(&format!("{type_}=False")), Healthy, "{type_}");
    }
    for type_ in ["HasQuorum", "AcceptingConnections", "CredentialsPresent", "Operational"] {
        assert_eq!(beside_ready(&format!("{type_}=False Whatever: x")), Degraded, "{type_}");
    }
    assert_eq!(beside_ready("RollingUpdate=True Whatever"), Progressing);
    assert_eq!(beside_ready("MaintenanceMode=True Whatever"), Suspended);
}

#[test]
fn a_participle_that_is_bad_is_bad_news_beside_ready() {
    for type_ in [
        "Compromised",
        "Revoked",
        "Preempted",
        "OOMKilled",
        "Vulnerable",
        "ManifestDiverged",
        "ExceptionOccurred",
        "Mismatched",
        "Overcommitted",
        "BackendUnroutable",
        "TimedOut",
    ] {
        assert_eq!(beside_ready(&format!("{type_}=True Whatever: x")), Degraded, "{type_}");
        assert_eq!(beside_ready(&format!("{type_}=False")), Healthy, "{type_}");
    }
    assert_eq!(beside_ready("Unsealed=True"), Healthy);
    assert_eq!(beside_ready("Archived=True"), Suspended);
    assert_eq!(beside_ready("DependenciesMet=False Whatever: x"), Degraded);
}

#[test]
fn a_boolean_speaks_against_a_good_word() {
    for key in [
        "stale",
        "isExpired",
        "hasConflicts",
        "outOfSync",
        "isUnhealthy",
        "driftDetected",
        "rolledBack",
        "splitBrain",
    ] {
        assert_eq!(says(&json!({"phase": "Ready", key: true})), Degraded, "{key}");
        assert_eq!(says(&json!({"phase": "Ready", key: false})), Healthy, "{key}");
    }
    for key in ["alive", "ok", "stable", "responding", "hasQuorum", "authenticated", "licenseValid"] {
        assert_ne!(says(&json!({"phase": "Running", key: false})), Healthy, "{key}");
        assert_eq!(says(&json!({"phase": "Running", key: true})), Healthy, "{key}");
    }
    assert_eq!(says(&json!({"phase": "Ready", "configInvalid": true})), Degraded);
    assert_eq!(says(&json!({"phase": "Ready", "waitingForCommand": true})), Progressing);
    assert_eq!(says(&json!({"phase": "Ready", "members": [{"isHealthy": false}]})), Degraded);
}

#[test]
fn a_reason_for_a_failure_speaks_against_a_good_word() {
    for key in
        ["rejectionReason", "degradedReason", "crashReason", "issues", "problems", "conflicts", "exception"]
    {
        assert_eq!(says(&json!({"phase": "Ready", key: "connection refused"})), Degraded, "{key}");
        assert_eq!(says(&json!({"phase": "Ready", key: ""})), Healthy, "{key}");
    }
    assert_eq!(says(&json!({"phase": "Ready", "issues": []})), Healthy);
    assert_eq!(says(&json!({"phase": "Ready", "invalidFields": ["a"]})), Degraded);
}

#[test]
fn fewer_than_all_are_not_all() {
    for (have, want) in
        [("ready", "total"), ("onlineNodes", "totalNodes"), ("clustersReady", "clustersTotal")]
    {
        assert_eq!(says(&json!({"phase": "Running", have: 1, want: 3})), Progressing, "{have}");
        assert_eq!(says(&json!({"phase": "Running", have: 3, want: 3})), Healthy, "{have}");
    }
    assert_eq!(says(&json!({"phase": "Running", "failed": 2})), Degraded);
    assert_eq!(
        says(&json!({"phase": "Running", "failed": 2, "succeeded": 8})),
        Healthy,
        "a tally of all times"
    );
    assert_eq!(says(&json!({"phase": "Running", "notReady": 2})), Progressing);
    assert_eq!(says(&json!({"phase": "Running", "degradedVolumes": 2})), Degraded);
    assert_eq!(says(&json!({"phase": "Running", "failedRuns": 2})), Healthy, "runs are history");
    assert_eq!(says(&json!({"phase": "Running", "numReady": 1, "numDesired": 3})), Progressing);
}
