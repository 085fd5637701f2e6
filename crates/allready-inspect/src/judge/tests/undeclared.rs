//! What words and names say where nobody declared anything.

use serde_json::{Value, json};

use super::known::{now, object, widget};
use crate::health::Health::{self, Degraded, Healthy, Missing, Progressing, Suspended, Unknown};
use crate::judge::judge;
use crate::registry::Registry;

fn says(status: &Value) -> Health {
    widget(&json!({"status": status})).health
}

fn health(version: &str, kind: &str, parts: &Value) -> Health {
    judge(&object(version, kind, parts), Registry::builtin(), now()).health
}

fn conditions(list: &[&str]) -> Health {
    says(&json!({"conditions": list}))
}

#[test]
fn a_part_that_runs_is_well_and_a_run_that_runs_is_under_way() {
    assert_eq!(conditions(&["Ready=True", "ClusterRunning=True Running"]), Healthy);
    assert_eq!(conditions(&["Ready=True", "MigrationRunning=True Running"]), Progressing);
    assert_eq!(says(&json!({"buildStatus": "Running"})), Progressing);
    assert_eq!(says(&json!({"buildstatus": "running"})), Progressing);
    assert_eq!(says(&json!({"serverStatus": "Running"})), Healthy);
}

#[test]
fn what_is_to_run_has_but_begun_when_it_is_created() {
    let run = |kind| {
        judge(
            &object("example.com/v1", kind, &json!({"status": {"phase": "Created"}})),
            Registry::builtin(),
            now(),
        )
    };
    assert_eq!((run("BackupJob").health, run("Bucket").health), (Progressing, Healthy));
}

#[test]
fn what_cannot_be_reconciled_is_bad_news_only_when_true() {
    assert_eq!(conditions(&["Deployed=True InstallSuccessful", "Irreconcilable=False"]), Healthy);
    assert_eq!(
        conditions(&["Deployed=True InstallSuccessful", "Irreconcilable=True ReconcileError"]),
        Degraded
    );
    assert_eq!(conditions(&["Ready=True", "StorageInaccessible=True"]), Degraded);
}

#[test]
fn a_condition_whose_status_is_a_word_is_read_as_that_word() {
    assert_eq!(conditions(&["APIServerStatus=Established"]), Healthy);
    assert_eq!(conditions(&["APIServerStatus=Pending"]), Progressing);
    assert_eq!(conditions(&["Ready=True", "APIServerStatus=Error"]), Degraded);
    assert_eq!(conditions(&["Weather=Sunny"]), Progressing, "a word that nobody knows is no good news");
}

#[test]
fn a_short_err_in_a_reason_is_an_error() {
    assert_eq!(conditions(&["Ready=True", "Weather=False ErrConfig"]), Degraded);
    assert_eq!(conditions(&["Ready=True", "Weather=False Errand"]), Healthy);
}

#[test]
fn a_cause_that_was_said_is_not_made_milder_by_a_part() {
    let list =
        ["Ready=False QuorumLost: the majority is not there", "AllMembersReady=False NotAllMembersReady"];
    assert_eq!(conditions(&list), Degraded);
}

#[test]
fn a_child_that_is_not_ready_for_an_error_is_broken() {
    assert_eq!(conditions(&["Ready=False StoreNotReady"]), Progressing);
    assert_eq!(conditions(&["Ready=False StateStoreNotReady: the store is starting"]), Progressing);
    assert_eq!(conditions(&["Ready=False StateStoreNotReady: Error writing a file"]), Degraded);
}

#[test]
fn a_part_without_a_clue_yields_to_what_says_that_it_is_under_way() {
    let rollout =
        ["Ready=False", "Available=False MinimumReplicasUnavailable", "Progressing=True ReplicaSetUpdated"];
    assert_eq!(conditions(&rollout), Progressing);
    let failed =
        ["Ready=False", "Available=False ReplicaCreationFailed", "Progressing=True ReplicaSetUpdated"];
    assert_eq!(conditions(&failed), Degraded);
}

#[test]
fn conditions_beside_the_spec_are_read_where_there_is_no_status() {
    let told = |parts: &Value| widget(parts).health;
    assert_eq!(told(&json!({"conditions": ["Healthy=True"]})), Healthy);
    assert_eq!(told(&json!({"conditions": ["Healthy=False Refused"]})), Degraded);
    assert_eq!(told(&json!({"conditions": ["Healthy=True"], "status": {"phase": "Failed"}})), Degraded);
    let component = object(
        "v1",
        "ComponentStatus",
        &json!({"conditions": ["Healthy=False Refused: connection refused"]}),
    );
    assert_eq!(judge(&component, Registry::builtin(), now()).health, Degraded);
}

#[test]
fn a_map_of_health_by_name_tells_of_the_broken_and_the_missing() {
    assert_eq!(
        says(&json!({"phase": "Ready", "serviceHealth": {"a": "Healthy", "b": "Unhealthy"}})),
        Degraded
    );
    assert_eq!(says(&json!({"phase": "Ready", "serviceHealth": {"a": "NotFound"}})), Degraded);
    assert_eq!(says(&json!({"phase": "Ready", "serviceHealth": {"a": "Healthy"}})), Healthy);
}

#[test]
fn one_node_of_a_pool_that_is_not_ready_is_counted() {
    assert_eq!(says(&json!({"phase": "Ready", "unreadyNodeNum": 1})), Progressing);
    assert_eq!(says(&json!({"phase": "Ready", "unreadyNodeNum": 0})), Healthy);
}

#[test]
fn a_listener_parent_or_ancestor_without_conditions_has_not_answered() {
    let route = |parents: Value| {
        health("gateway.networking.k8s.io/v1", "HTTPRoute", &json!({"status": {"parents": parents}}))
    };
    let accepted = json!({"parentRef": {"name": "a"}, "conditions": ["Accepted=True Accepted"]});
    assert_eq!(route(json!([accepted])), Healthy);
    assert_eq!(route(json!([accepted, {"parentRef": {"name": "b"}, "controllerName": "c"}])), Progressing);
    assert_eq!(route(json!([accepted, {"parentRef": {"name": "b"}, "conditions": []}])), Progressing);
    let policy = json!({"status": {"ancestors": [{"conditions": ["Accepted=True Accepted"]}, {"controllerName": "c"}]}});
    assert_eq!(health("example.com/v1", "WidgetPolicy", &policy), Progressing);
    let listeners = json!({"conditions": ["Accepted=True", "Programmed=True"],
        "listeners": [{"name": "a", "conditions": ["Accepted=True"]}, {"name": "b", "attachedRoutes": 0}]});
    assert_eq!(health("gateway.networking.k8s.io/v1", "Gateway", &json!({"status": listeners})), Progressing);
}

#[test]
fn a_word_that_nobody_knows_is_broken_for_a_reason_that_says_so() {
    assert_eq!(says(&json!({"phase": "Grumpy", "reason": "ConfigMap not found"})), Degraded);
    assert_eq!(says(&json!({"phase": "Grumpy", "reason": "Weather"})), Health::Unknown);
    assert_eq!(says(&json!({"registered": false, "reason": "StrategyNotFound"})), Degraded);
    assert_eq!(says(&json!({"registered": false, "reason": "Registering"})), Progressing);
}

#[test]
fn what_was_stopped_by_a_failure_or_at_its_end_does_not_rest() {
    assert_eq!(conditions(&["Stopped=True UserRequest"]), Health::Suspended);
    assert_eq!(conditions(&["Stopped=True InstallationFailed"]), Degraded);
    assert_eq!(
        conditions(&["Completed=True InstallationCompleted", "Stopped=True InstallationCompleted"]),
        Healthy
    );
}

#[test]
fn what_has_but_begun_is_not_well_because_nothing_broke() {
    assert_eq!(conditions(&["Done=False", "Started=True", "HasErrors=False"]), Progressing);
    assert_eq!(conditions(&["Started=True", "HasErrors=False"]), Progressing);
    assert_eq!(conditions(&["Done=True", "HasErrors=False"]), Healthy);
    assert_eq!(conditions(&["Approved=True"]), Progressing);
    assert_eq!(conditions(&["Initialized=True"]), Progressing);
}

#[test]
fn a_failure_that_is_false_with_an_error_for_a_message_is_one() {
    let told = |message: &str| {
        says(&json!({"conditions": [{"type": "Failure", "status": "False", "message": message}]}))
    };
    assert_eq!(told("Error: could not decode"), Degraded);
    assert_eq!(told("No errors"), Healthy);
}

#[test]
fn what_dangles_or_is_cut_off_is_bad_news() {
    assert_eq!(conditions(&["Dangling=True NotFound"]), Degraded);
    assert_eq!(conditions(&["Dangling=False Found"]), Healthy);
    assert_eq!(conditions(&["Health=True"]), Healthy);
}

#[test]
fn a_step_that_nobody_knows_is_none_that_ends_a_run() {
    let phase = |kind, phase| health("example.com/v1", kind, &json!({"status": {"phase": phase}}));
    assert_eq!(phase("ClusterUpgrade", "ImagePreload"), Progressing);
    assert_eq!(phase("Cluster", "ImagePreload"), Health::Unknown);
    assert_eq!(phase("ClusterUpgrade", "Succeeded"), Healthy);
    let ready = json!({"status": {"phase": "EnsureStageBackup", "conditions": ["Ready=True"]}});
    assert_eq!(health("example.com/v1", "DataMigration", &ready), Progressing);
}

#[test]
fn words_of_many_projects_are_known() {
    for (expected, words) in [
        (Healthy, &["Converged", "InUse", "Unsealed", "Assigned"][..]),
        (
            Degraded,
            &[
                "RolledBack",
                "Drifted",
                "Stale",
                "Throttled",
                "MAJOR_OUTAGE",
                "CompletedWithWarnings",
                "Disconnected",
            ],
        ),
        (Progressing, &["Uninitialized", "Incomplete"]),
        (Health::Suspended, &["waiting_approval", "AwaitingInput", "PendingManualApproval"]),
        (Health::Missing, &["Uninstalled", "Destroyed"]),
    ] {
        for word in words {
            assert_eq!(says(&json!({"phase": word})), expected, "{word}");
        }
    }
}

#[test]
fn a_reason_that_is_a_state_is_read_as_one() {
    for (expected, reasons) in [
        (Health::Suspended, &["ScaledToZero", "Disabled", "PendingApproval"][..]),
        (
            Progressing,
            &["Uninitialized", "InQueue", "NotProvisioned", "NotInstalled", "MinimumReplicasUnavailable"],
        ),
        (Degraded, &["Inactive", "NotHealthy", "Incompatible"]),
    ] {
        for reason in reasons {
            assert_eq!(conditions(&[&format!("Ready=False {reason}")]), expected, "{reason}");
        }
    }
    assert_eq!(conditions(&["Provisioned=False NotProvisioned"]), Progressing, "it is but the type denied");
}

#[test]
fn who_stopped_reporting_is_not_on_the_way() {
    for unknown in [
        "NodeStatusUnknown: Kubelet stopped posting node status.",
        "ManagedClusterLeaseUpdateStopped",
        "Silent: the agent stopped reporting",
    ] {
        assert_eq!(conditions(&[&format!("Ready=Unknown {unknown}")]), Degraded, "{unknown}");
    }
    assert_eq!(conditions(&["Ready=Unknown Initializing: the agent has not reported yet"]), Progressing);
}

#[test]
fn what_is_not_there_yet_is_awaited() {
    assert_eq!(conditions(&["Available=False WorkNotAvailableYet: b is not available yet"]), Progressing);
    assert_eq!(conditions(&["Applied=True", "NotYetLoaded=True ProgramsNotYetLoaded"]), Progressing);
    assert_eq!(conditions(&["Available=False LoadFailed: b is not available yet"]), Degraded);
}

#[test]
fn what_can_be_recovered_from_or_was_breached_is_trouble_when_true() {
    assert_eq!(conditions(&["ACK.Recoverable=True TwoSelectorsMatch"]), Degraded);
    assert_eq!(conditions(&["PodsScheduled=True", "MinAvailableBreached=True TooFewPods"]), Degraded);
    assert_eq!(conditions(&["Ready=True", "MinAvailableBreached=False EnoughPods"]), Healthy);
    assert_eq!(conditions(&["PlacementScheduled=False PolicyUnfulfilled: too few clusters"]), Degraded);
}

#[test]
fn what_could_be_done_with_it_is_not_how_it_is() {
    assert_eq!(conditions(&["Ready=True", "LiveMigratable=False DisksNotShared"]), Healthy);
    assert_eq!(conditions(&["Available=True", "Removed=False"]), Healthy);
    assert_eq!(conditions(&["Available=True", "Removed=True"]), Progressing);
}

#[test]
fn a_check_that_passed_speaks_for_what_has_no_other_word() {
    for type_ in ["Validation", "Liveness"] {
        assert_eq!(conditions(&[&format!("{type_}=True")]), Healthy, "{type_}");
        assert_eq!(conditions(&[&format!("{type_}=False Failed: 401")]), Degraded, "{type_}");
        assert_eq!(conditions(&[&format!("{type_}=Unknown")]), Progressing, "{type_}");
    }
}

#[test]
fn a_run_that_ended_well_has_its_steps_behind_it() {
    let run = |phase: &str, list: &[&str]| {
        health("example.com/v1", "RestartTask", &json!({"status": {"phase": phase, "conditions": list}}))
    };
    assert_eq!(run("Succeeded", &["Running=True", "Success=True"]), Healthy);
    assert_eq!(run("Running", &["Running=True"]), Progressing);
    let build =
        |list: &[&str]| health("example.com/v1", "ImageBuild", &json!({"status": {"conditions": list}}));
    assert_eq!(build(&["Prepared=False Prepared: build pending", "Succeeded=True Done"]), Healthy);
    assert_eq!(build(&["Building=True Building", "Succeeded=True Done"]), Healthy);
    assert_eq!(build(&["Pushed=False PushFailed: denied", "Succeeded=True Done"]), Degraded);
    assert_eq!(build(&["Prepared=False Prepared: build pending", "Ready=True"]), Progressing);
    let parts = |phase: &str, part: &str| {
        health(
            "example.com/v1",
            "RestartTask",
            &json!({"status": {"phase": phase, "parts": {"db": {"phase": part}}}}),
        )
    };
    assert_eq!(parts("Succeeded", "Running"), Healthy);
    assert_eq!(parts("Succeeded", "Failed"), Degraded);
    assert_eq!(run("Ready", &["Progressing=True Copying"]), Progressing, "ready is not over");
    let well = json!({"status": {"health": "ok", "conditions": ["Running=True"]}});
    assert_eq!(health("example.com/v1", "RestartTask", &well), Progressing, "well is not over");
    assert_eq!(run("Succeeded", &["Running=True", "Failed=True StepFailed"]), Degraded);
}

#[test]
fn that_it_was_begun_stays_true_of_a_newer_wish() {
    let at = |begun: i64, ready: i64| {
        health(
            "example.com/v1",
            "Widget",
            &json!({"metadata": {"generation": 3}, "status": {"conditions": [
                {"type": "ProvisioningStarted", "status": "True", "observedGeneration": begun},
                {"type": "Ready", "status": "True", "observedGeneration": ready},
            ]}}),
        )
    };
    assert_eq!((at(2, 3), at(3, 2)), (Healthy, Progressing));
}

#[test]
fn a_part_that_was_skipped_is_none_that_is_missed() {
    assert_eq!(conditions(&["OSUpgraded=True Succeeded", "ChartUpgraded=False Skipped"]), Healthy);
    assert_ne!(conditions(&["Ready=False Skipped"]), Healthy, "the whole cannot be skipped");
    assert_ne!(conditions(&["ChartUpgraded=False Skipped"]), Healthy, "nothing speaks for it");
}

#[test]
fn what_was_halted_because_something_is_missing_was_not_asked_to_rest() {
    assert_eq!(conditions(&["ActivitiesHalted=True ParentMissing"]), Degraded);
    assert_eq!(conditions(&["ActivitiesHalted=True ByUser"]), Health::Suspended);
}

#[test]
fn what_waits_to_be_judged_is_not_judged_yet() {
    assert_eq!(conditions(&["AllNodesHealthy=False WaitingForNodeRef"]), Progressing);
    assert_eq!(conditions(&["AllNodesHealthy=False NodesRestarting"]), Degraded);
}

#[test]
fn a_step_may_be_called_by_a_noun() {
    for phase in ["Initialization", "Creation", "installation", "Configuration"] {
        let status = json!({"phase": phase, "conditions": ["PlatformAvailable=True"]});
        assert_eq!(says(&status), Progressing, "{phase}");
    }
}

#[test]
fn an_unknown_name_can_say_that_it_is_under_way() {
    assert_eq!(conditions(&["PlacementVerified=True", "Weather=False Progressing"]), Progressing);
    assert_eq!(conditions(&["PlacementVerified=True", "Weather=False Sunny"]), Healthy);
    assert_eq!(conditions(&["PlacementVerified=True", "PlacementRolledOut=False"]), Degraded);
    let resizing =
        |status: &str| says(&json!({"phase": "Bound", "conditions": [format!("Resizing={status}")]}));
    assert_eq!((resizing("InProgress"), resizing("Failed")), (Progressing, Degraded));
}

#[test]
fn a_step_that_was_good_once_is_no_news_beside_a_summary_about_the_present_wish() {
    let seen = |ready: u32, installed: u32, is_installed: &str| {
        let condition = |type_: &str, status: &str, generation: u32| json!({"type": type_, "status": status, "reason": "R", "observedGeneration": generation});
        let conditions = [condition("Ready", "True", ready), condition("Installed", is_installed, installed)];
        widget(&json!({"metadata": {"generation": 5}, "status": {"conditions": conditions}})).health
    };
    assert_eq!(seen(5, 1, "True"), Healthy);
    assert_eq!(seen(4, 1, "True"), Progressing, "nothing speaks of the present wish");
    assert_eq!(seen(5, 1, "False"), Progressing, "what was bad has not been looked at");
    assert_eq!(seen(5, 5, "False"), Degraded);
}

#[test]
fn counts_that_are_met_are_good_news_under_any_name_of_the_wish() {
    let counts = |spec: Value, status: Value| widget(&json!({"spec": spec, "status": status})).health;
    assert_eq!(counts(json!({"replicas": 2}), json!({"readyCount": 2})), Healthy);
    assert_eq!(counts(json!({"replicas": 2}), json!({"readyCount": 1})), Progressing);
    let nodes = |updated: u32| json!({"availableNodes": 3, "currentNodes": 3, "upToDateNodes": updated});
    assert_eq!(counts(json!({"desiredNodes": 3}), nodes(3)), Healthy);
    assert_eq!(counts(json!({"desiredNodes": 3}), nodes(2)), Progressing);
}

#[test]
fn a_map_of_states_is_as_good_as_all_of_them() {
    let health = |etcd: &str| says(&json!({"extendedHealth": {"api": "HealthStatusUp", "etcd": etcd}}));
    assert_eq!(health("HealthStatusUp"), Healthy);
    assert_eq!(health("HealthStatusDown"), Degraded);
    assert_ne!(health("HealthStatusOdd"), Healthy, "one that nobody understands is no good news");
}

#[test]
fn a_part_may_hold_its_state_in_a_field_of_its_own_name() {
    let status = |phase: &str| json!({"conditions": ["Validated=True"], "provisioningStatus": {"provisioningPhase": phase}});
    assert_eq!((says(&status("pending")), says(&status("fulfilled"))), (Progressing, Healthy));
    let nodes = |last: &str| json!({"phase": "Active", "nodeStatus": [{"condition": "Succeeded"}, {"condition": last}]});
    assert_eq!((says(&nodes("Succeeded")), says(&nodes("Failed"))), (Healthy, Degraded));
}

#[test]
fn a_run_that_says_when_it_ended_is_over_unless_it_failed() {
    let run = |phase: &str, ended: &str| {
        let status = json!({"phase": phase, "completionTimestamp": ended});
        health("example.com/v1", "Snapshot", &json!({"status": status}))
    };
    assert_eq!(run("Uploaded", ""), Progressing);
    assert_eq!(run("Uploaded", "2026-01-01T00:00:00Z"), Healthy);
    assert_eq!(run("InProgress", "2026-01-01T00:00:00Z"), Progressing, "it says itself that it has not");
    assert_eq!(run("Failed", "2026-01-01T00:00:00Z"), Degraded);
}

#[test]
fn an_activity_that_is_over_tells_how_it_ended() {
    assert_eq!(conditions(&["ConfigUpdateInProgress=False UpdateSuccessful"]), Healthy);
    assert_eq!(conditions(&["ConfigUpdateInProgress=False UpdateFailed"]), Degraded);
    assert_eq!(conditions(&["ConfigUpdateInProgress=False"]), Progressing, "nobody says that it ever began");
}

#[test]
fn what_is_ignored_on_purpose_does_not_count_and_what_is_idle_is_well() {
    let rules =
        |status: &str| json!({"state": "ready", "rules": [{"status": "running"}, {"status": status}]});
    assert_eq!((says(&rules("ignored-missing-rule")), says(&rules("failed"))), (Healthy, Degraded));
    assert_eq!(says(&json!({"conditions": ["Ready=True ScheduleValid"], "active": false})), Healthy);
    assert_eq!(says(&json!({"active": false})), Progressing);
}

#[test]
fn a_message_that_begins_with_a_failure_outdoes_the_step_beside_it() {
    let step = |phase: &str, message: &str| says(&json!({"phase": phase, "message": message}));
    assert_eq!(step("CreatingResources", "Failed to create Deployment: quota exceeded"), Degraded);
    assert_eq!(step("CreatingResources", "creating the Deployment"), Progressing);
    assert_eq!(step("created", "Created, not processed yet"), Progressing);
    assert_eq!(step("created", ""), Healthy);
}

#[test]
fn what_runs_for_ever_may_tell_of_it_as_of_a_job() {
    let status = |ready: &str| json!({"jobStatus": "running", "conditions": [format!("Ready={ready}")]});
    assert_eq!((says(&status("True")), says(&status("Unknown"))), (Healthy, Progressing));
    assert_eq!(conditions(&["AccountStatus=True AccountSuccessful"]), Healthy);
    assert_eq!(conditions(&["AccountStatus=False AccountFailed"]), Degraded);
}

#[test]
fn what_waits_for_a_person_rests() {
    for phase in
        ["WaitingForPlanApproval", "waiting_human", "ReviewRequired", "pending-review", "AwaitingInput"]
    {
        assert_eq!(says(&json!({"phase": phase})), Suspended, "{phase}");
    }
    assert_eq!(says(&json!({"phase": "Pending", "reason": "WaitingForApproval"})), Suspended);
    assert_eq!(says(&json!({"phase": "WaitingForOperator"})), Progressing);
    assert_eq!(says(&json!({"phase": "ApprovedAndWaiting"})), Progressing);
    assert_eq!(conditions(&["Ready=False AwaitingSignoff: x"]), Suspended);
}

#[test]
fn what_is_not_ready_is_not_for_that_under_way() {
    let says =
        |phase: &str| says(&json!({"phase": phase, "conditions": ["Ready=False TemplateNotFound: x"]}));
    assert_eq!((says("NotReady"), says("Creating")), (Degraded, Progressing));
}

#[test]
fn a_good_word_with_a_limit_is_as_good_as_the_limit() {
    assert_eq!(says(&json!({"cluster": {"status": "ONLINE_PARTIAL"}})), Progressing);
    assert_eq!(says(&json!({"phase": "OnlinePartial"})), Progressing);
    assert_eq!(says(&json!({"phase": "OnlineMode"})), Unknown);
}

#[test]
fn what_rests_has_nothing_running() {
    assert_eq!(says(&json!({"lifecycleState": "SUSPENDED", "deploymentStatus": "MISSING"})), Suspended);
    assert_eq!(says(&json!({"lifecycleState": "STABLE", "deploymentStatus": "MISSING"})), Missing);
}

#[test]
fn a_switch_of_the_spec_puts_it_to_rest() {
    let status = json!({"phase": "Running"});
    let says = |spec: Value| health("example.com/v1", "Widget", &json!({"spec": spec, "status": status}));
    for key in ["shutdown", "stopped", "unschedulable", "disabled"] {
        assert_eq!((says(json!({key: true})), says(json!({key: false}))), (Suspended, Healthy), "{key}");
    }
    let silent = json!({"spec": {"replicas": 0}, "status": {"endpoint": "a"}});
    assert_eq!(health("example.com/v1", "Widget", &silent), Suspended);
}

#[test]
fn a_state_that_is_past_is_no_lack_beside_ready() {
    assert_eq!(conditions(&["Ready=True", "Created=False", "Initialized=False"]), Healthy);
    assert_eq!(conditions(&["Ready=True", "Initialized=False NotYet: x"]), Progressing);
    assert_eq!(conditions(&["Ready=True", "VolumeCreated=False"]), Progressing);
}

#[test]
fn a_phase_that_succeeded_is_not_undone_by_what_is_no_longer_ready() {
    let says = |phase: &str| says(&json!({"phase": phase, "conditions": ["Ready=False Succeeded"]}));
    assert_eq!((says("Succeeded"), says("Available")), (Healthy, Progressing));
}

#[test]
fn a_part_that_is_down_is_not_up_yet_while_the_whole_is_made() {
    let says = |phase: &str| says(&json!({"phase": phase, "health": {"etcd": "Down", "api": "Up"}}));
    assert_eq!((says("Creating"), says("Running")), (Progressing, Degraded));
}

#[test]
fn pods_of_a_daemon_are_counted_by_their_names() {
    let says =
        |ready: i64| says(&json!({"desiredNumberScheduled": 3, "numberReady": ready, "nodeNames": ["a"]}));
    assert_eq!((says(3), says(1)), (Healthy, Progressing));
}
