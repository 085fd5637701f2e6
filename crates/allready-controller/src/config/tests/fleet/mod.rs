//! Facts in, answer out.

mod order;
mod sources;

use std::{collections::BTreeMap, time::Duration};

use allready_core::{Condition, ConditionType, Status, Time, condition_type, reason};
use allready_kube::kinds::{Component, ComponentRole, ConfigurationStatusSpec, HeartbeatTimeout, Instances};
use serde_json::json;

use super::super::*;

fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn valid(status: Status) -> Condition {
    let (reason, message) = match status {
        Status::True => (reason!("SyncStateSuccess"), ""),
        Status::False => (reason!("ConfigError"), "pool \"a\" overlaps"),
        Status::Unknown => (reason!("Starting"), ""),
    };
    Condition::new(condition_type!("configReconcilerValid"), status, reason, message, Time::EPOCH)
}

fn speaker(node: &str, status: Status) -> (Origin, Report) {
    let report = Report {
        component: "speaker".to_owned(),
        instance: Some(node.to_owned()),
        conditions: vec![valid(status)],
        revision: None,
    };
    (Origin::status_report(&format!("config-status-speaker-{node}")), report)
}

fn controller(status: Status) -> (Origin, Report) {
    let condition = Condition { type_: condition_type!("poolReconcilerValid"), ..valid(status) };
    let report = Report {
        component: "controller".to_owned(),
        instance: None,
        conditions: vec![condition],
        revision: None,
    };
    (Origin::status_report("config-status-controller"), report)
}

fn ready_node() -> NodeFacts {
    NodeFacts { labels: BTreeMap::from([("speaker".to_owned(), "yes".to_owned())]).into(), ready: true }
}

fn pod_on(node: &str) -> PodFacts {
    PodFacts { daemon_set: "speaker".to_owned(), node: node.to_owned(), ready: true }
}

fn spec(instances: Instances) -> ConfigurationStatusSpec {
    let component = |name: &str, reconciler: &str, instances| Component {
        name: name.to_owned(),
        reconcilers: vec![reconciler.to_owned()],
        instances,
        ..Component::default()
    };
    let components = vec![
        component("controller", "poolReconciler", None),
        component("speaker", "configReconciler", Some(instances)),
    ];
    ConfigurationStatusSpec { components, ..Default::default() }
}

fn on_nodes() -> ConfigurationStatusSpec {
    let selector = serde_json::from_value(json!({ "matchLabels": { "speaker": "yes" } })).unwrap();
    spec(Instances::nodes(selector))
}

/// Two nodes with a speaker each and the controller, all well.
fn healthy() -> Fleet {
    let mut fleet = Fleet::new(&on_nodes());
    for node in ["a", "b"] {
        fleet.node(node, Some(ready_node()));
        let (origin, report) = speaker(node, Status::True);
        fleet.report(origin, report);
    }
    let (origin, report) = controller(Status::True);
    fleet.report(origin, report);
    fleet
}

fn ready(fleet: &Fleet) -> (Status, String, String) {
    let ready = fleet.answer(None, at(100)).ready;
    (ready.status, ready.reason.to_string(), ready.message.to_string())
}

#[test]
fn all_expected_reporters_true_is_ready() {
    let fleet = healthy();
    assert_eq!(ready(&fleet), (Status::True, "AllComponentsReady".to_owned(), "3 of 3 ready".to_owned()));
    let answer = fleet.answer(None, at(100));
    assert_eq!((answer.reporters.expected, answer.reporters.display.as_str()), (3, "3/3"));
    assert_eq!((answer.causes.len(), answer.more_causes), (0, 0));
}

#[test]
fn one_cause_on_many_nodes_is_told_once_and_with_their_number() {
    let mut fleet = healthy();
    for node in ["a", "b"] {
        let (origin, report) = speaker(node, Status::False);
        fleet.report(origin, report);
    }
    let message = "2 of 3 failing: ConfigError in configReconcilerValid on 2 (speaker/a, speaker/b): pool \"a\" overlaps";
    assert_eq!(ready(&fleet), (Status::False, "ComponentFailing".to_owned(), message.to_owned()));
    let cause = &fleet.answer(None, at(100)).causes[0];
    assert_eq!((cause.count, cause.reporters.join(" ").as_str()), (2, "speaker/a speaker/b"));
}

#[test]
fn two_faults_at_once_are_both_told() {
    let mut fleet = healthy();
    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, report);
    let (origin, mut report) = controller(Status::False);
    report.conditions[0].message = "no pool".into();
    fleet.report(origin, report);
    let (_, _, message) = ready(&fleet);
    assert!(message.contains("overlaps") && message.contains("no pool"), "{message}");
}

#[test]
fn an_expected_reporter_without_a_report_is_unknown_and_named() {
    let mut fleet = healthy();
    fleet.node("c", Some(ready_node()));
    let (status, reason, message) = ready(&fleet);
    assert_eq!((status, reason.as_str()), (Status::Unknown, "ComponentsUnknown"));
    assert!(message.contains("speaker/c"), "{message}");
}

#[test]
fn a_node_that_the_selector_does_not_match_is_not_missed() {
    let mut fleet = healthy();
    fleet.node("c", Some(NodeFacts { labels: BTreeMap::new().into(), ready: true }));
    assert_eq!(ready(&fleet).0, Status::True);
    fleet.node("c", Some(ready_node()));
    assert_eq!(ready(&fleet).0, Status::Unknown, "it was relabelled");
}

#[test]
fn the_report_of_a_failing_node_is_not_believed() {
    let mut fleet = healthy();
    fleet.node("b", Some(NodeFacts { ready: false, ..ready_node() }));
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("NodeNotReady") && message.contains("speaker/b"), "{message}");
    fleet.node("b", Some(ready_node()));
    assert_eq!(ready(&fleet).0, Status::True, "it is back");
}

#[test]
fn a_reporter_leaves_with_its_node_unless_its_last_word_was_bad_or_nodes_are_not_seen() {
    for (last, stays) in
        [(Status::True, None), (Status::False, Some("ConfigError")), (Status::Unknown, Some("NodeGone"))]
    {
        let mut fleet = healthy();
        let (origin, report) = speaker("b", last);
        fleet.report(origin, report);
        fleet.node("b", None);
        let (status, _, message) = ready(&fleet);
        assert_eq!(status == Status::True, stays.is_none(), "{message}");
        assert!(stays.is_none_or(|reason| message.contains(reason)), "{message}");
        fleet.nodes_listed(false);
        assert_ne!(ready(&fleet).0, Status::True, "it may be there");
        fleet.nodes_listed(true);
        fleet.tick(Duration::from_secs(10));
        assert_eq!(ready(&fleet).0, Status::True, "it does not come back");
    }
}

#[test]
fn pods_of_a_daemon_set_say_who_is_expected() {
    let mut fleet = Fleet::new(&spec(Instances::daemon_set("speaker")));
    let (origin, report) = controller(Status::True);
    fleet.report(origin, report);
    assert!(ready(&fleet).2.contains("DaemonSet speaker is not there"), "{:?}", ready(&fleet));

    fleet.daemon_set("speaker", Some(DaemonSetFacts { desired: 2, current: true }));
    for node in ["a", "b"] {
        fleet.node(node, Some(ready_node()));
        let (origin, report) = speaker(node, Status::True);
        fleet.report(origin, report);
    }
    fleet.pod("speaker-1", Some(&pod_on("a")));
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("1 of 2 pods of DaemonSet speaker are there"), "{message}");

    fleet.pod("speaker-2", Some(&pod_on("b")));
    assert_eq!(ready(&fleet).0, Status::True);
    fleet.pod("speaker-2", Some(&PodFacts { ready: false, ..pod_on("b") }));
    assert!(ready(&fleet).2.contains("PodNotReady"), "{:?}", ready(&fleet));
    // A restart: the new pod is there before the old one has gone.
    fleet.pod("speaker-3", Some(&pod_on("b")));
    assert_eq!(ready(&fleet).0, Status::True);
    fleet.pod("speaker-2", None);
    assert_eq!(ready(&fleet).0, Status::True);
    fleet.pod("speaker-3", None);
    assert_eq!(ready(&fleet).0, Status::Unknown);
}

#[test]
fn a_reporter_that_is_silent_for_too_long_is_unknown_until_it_is_heard_again() {
    let mut fleet = Fleet::new(&ConfigurationStatusSpec {
        heartbeat: Some(HeartbeatTimeout { timeout_seconds: 30 }),
        ..on_nodes()
    });
    let mut all = healthy_reports();
    all.push(controller(Status::True));
    for node in ["a", "b"] {
        fleet.node(node, Some(ready_node()));
    }
    for (origin, report) in all {
        fleet.report(origin, report);
    }
    fleet.tick(Duration::from_secs(100));
    // By its own clock it is far ahead, which nobody believes.
    fleet.heartbeat("config-status-speaker-a", Some(Some(at(9_000))));
    assert_eq!(fleet.tick(Duration::from_secs(129)), Some(Duration::from_secs(130)));
    assert_eq!(ready(&fleet).0, Status::True);
    fleet.tick(Duration::from_secs(130));
    assert!(ready(&fleet).2.contains("HeartbeatLost"), "{:?}", ready(&fleet));
    fleet.heartbeat("config-status-speaker-a", Some(Some(at(9_031))));
    assert_eq!(ready(&fleet).0, Status::True);
}

fn healthy_reports() -> Vec<(Origin, Report)> {
    ["a", "b"].map(|node| speaker(node, Status::True)).into()
}

#[test]
fn a_new_revision_is_ready_only_when_everybody_has_observed_it() {
    let mut fleet = healthy();
    let state = |fleet: &mut Fleet, (origin, report): (Origin, Report), revision: &str| {
        fleet.report(origin, Report { revision: Some(revision.to_owned()), ..report });
    };
    state(&mut fleet, speaker("a", Status::True), "7");
    state(&mut fleet, speaker("b", Status::True), "7");
    fleet.set_spec(&ConfigurationStatusSpec { revision: Some("8".to_owned()), ..on_nodes() });
    assert_eq!(ready(&fleet).0, Status::Unknown);
    state(&mut fleet, speaker("a", Status::True), "8");
    let revision = fleet.answer(None, at(1)).revision.unwrap();
    assert_eq!((revision.expected.as_str(), revision.observed, revision.of), ("8", 1, 3));
    state(&mut fleet, speaker("b", Status::True), "8");
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown, "the controller has not said so");
    assert!(message.contains("has not stated that it has observed revision 8"), "{message}");
    state(&mut fleet, controller(Status::True), "8");
    assert_eq!(ready(&fleet).0, Status::True);
}

#[test]
fn bad_news_about_an_older_revision_is_told() {
    let mut fleet = healthy();
    fleet.set_spec(&ConfigurationStatusSpec { revision: Some("8".to_owned()), ..on_nodes() });
    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, Report { revision: Some("7".to_owned()), ..report });
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::False);
    assert!(message.contains("overlaps"), "{message}");
}

#[test]
fn two_whose_names_look_alike_when_joined_are_two() {
    let mut fleet = Fleet::new(&ConfigurationStatusSpec::default());
    let report = |component: &str, instance: &str, status| Report {
        component: component.to_owned(),
        instance: Some(instance.to_owned()),
        conditions: vec![valid(status)],
        revision: None,
    };
    fleet.report(Origin::status_report("1"), report("speaker", "a-b", Status::False));
    fleet.report(Origin::status_report("2"), report("speaker-a", "b", Status::True));
    assert_eq!(ready(&fleet).0, Status::False, "the second does not take the place of the first");
    assert_eq!(fleet.answer(None, at(1)).reporters.display, "1/2");
    fleet.unreport(&Origin::status_report("2"));
    assert_eq!(ready(&fleet).0, Status::False);
}

#[test]
fn a_component_named_like_an_instance_does_not_vouch_for_it() {
    let mut fleet = healthy();
    fleet.unreport(&speaker("a", Status::True).0);
    let forged = Report { component: "speaker-a".to_owned(), instance: None, ..speaker("a", Status::True).1 };
    fleet.report(Origin::status_report("config-status.speaker-a"), forged);
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("speaker/a"), "{message}");
}

#[test]
fn whoever_is_not_listed_decides_unless_the_spec_says_otherwise() {
    let mut fleet = healthy();
    let red = Report { component: "other".to_owned(), instance: None, ..speaker("a", Status::False).1 };
    fleet.report(Origin::status_report("config-status.other"), red);
    assert_eq!(ready(&fleet).0, Status::False);
    let unlisted_components = ComponentRole::Informational;
    fleet.set_spec(&ConfigurationStatusSpec { unlisted_components, ..on_nodes() });
    let answer = fleet.answer(None, at(1));
    assert_eq!((answer.ready.status, answer.reporters.expected), (Status::True, 3));
    assert_eq!(answer.causes[0].role, Some(ComponentRole::Informational), "it is shown");
    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, report);
    assert_eq!(ready(&fleet).0, Status::False, "those who are listed decide as before");
}

#[test]
fn a_lease_that_was_there_and_is_gone_is_a_heartbeat_that_was_lost() {
    let mut fleet = Fleet::new(&ConfigurationStatusSpec {
        heartbeat: Some(HeartbeatTimeout { timeout_seconds: 30 }),
        ..Default::default()
    });
    let (origin, report) = speaker("a", Status::True);
    fleet.report(origin, report);
    fleet.heartbeat("config-status-speaker-a", None);
    assert_eq!(ready(&fleet).0, Status::True, "it never had one");
    fleet.heartbeat("config-status-speaker-a", Some(Some(at(1))));
    fleet.heartbeat("config-status-speaker-a", None);
    assert!(ready(&fleet).2.contains("its Lease is gone"), "{:?}", ready(&fleet));
    fleet.forget_heartbeats();
    assert_eq!(ready(&fleet).0, Status::True);
}

#[test]
fn what_cannot_be_seen_is_never_good_and_hides_nothing_bad() {
    let mut fleet = healthy();
    fleet.gap("nodes", Some("forbidden".to_owned()));
    let (status, reason, message) = ready(&fleet);
    assert_eq!((status, reason.as_str()), (Status::Unknown, "ComponentsUnknown"));
    assert_eq!(message, "nodes cannot be seen: forbidden");
    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, report);
    assert_eq!(ready(&fleet).0, Status::False);
    fleet.gap("nodes", None);
    let (origin, report) = speaker("a", Status::True);
    fleet.report(origin, report);
    assert_eq!(ready(&fleet).0, Status::True);
}

#[test]
fn a_spec_that_cannot_be_acted_on_is_never_good() {
    let mut fleet = healthy();
    let mut spec = on_nodes();
    spec.components[0].reconcilers.push("not a name".to_owned());
    fleet.set_spec(&spec);
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("not a name"), "{message}");
}

#[test]
fn nothing_expected_and_nothing_reported_is_unknown() {
    let fleet = Fleet::new(&ConfigurationStatusSpec::default());
    assert_eq!(ready(&fleet).0, Status::Unknown);
}

#[test]
fn the_time_of_ready_moves_with_its_status_alone() {
    let mut fleet = healthy();
    let first = fleet.answer(None, at(10)).ready;
    let (origin, report) = speaker("c", Status::True);
    fleet.report(origin, report);
    fleet.node("c", Some(ready_node()));
    let second = fleet.answer(Some(&first), at(20)).ready;
    assert_eq!((second.message.as_str(), second.last_transition_time), ("4 of 4 ready", at(10)));
    fleet.gap("nodes", Some("gone".to_owned()));
    let third = fleet.answer(Some(&second), at(30)).ready;
    assert_eq!(third.last_transition_time, at(30));
    assert_eq!(fleet.answer(Some(&third), at(40)).ready.last_transition_time, at(30));
}

#[test]
fn strangers_are_the_reporters_of_a_known_component_that_nobody_expects() {
    let mut fleet = healthy();
    let (origin, report) = speaker("gone", Status::True);
    fleet.report(origin.clone(), report);
    let strangers: Vec<_> =
        fleet.strangers().map(|(origin, component, instance, _)| (origin, component, instance)).collect();
    assert_eq!(strangers, [(&origin, "speaker", "gone")], "nobody knows who should report for the webhook");
}

#[test]
fn a_condition_type_is_made_from_a_reconciler() {
    let plan = Plan::of(&on_nodes());
    assert_eq!(plan.components[0].types, [ConditionType::new("poolReconcilerValid").unwrap()]);
}

fn condition(type_: &'static str, status: Status) -> Condition {
    Condition { type_: ConditionType::from_static(type_), ..valid(status) }
}

#[test]
fn ready_of_a_report_counts_only_where_it_is_worse_than_all_others_or_alone() {
    use Status::{False, True, Unknown};
    for (conditions, expected, causes) in [
        (vec![("Ready", True)], True, 0),
        (vec![("Ready", False)], False, 1),
        (vec![("Ready", True), ("poolValid", True)], True, 0),
        (vec![("Ready", False), ("poolValid", False)], False, 1),
        (vec![("Ready", False), ("poolValid", True)], False, 1),
        (vec![("Ready", Unknown), ("poolValid", True)], Unknown, 1),
        (vec![("Ready", False), ("poolValid", Unknown)], False, 1),
        (vec![("Ready", True), ("poolValid", False)], False, 1),
        (vec![("Ready", Unknown), ("poolValid", False), ("nodeValid", True)], False, 1),
        (vec![("Ready", False), ("Degraded", True)], False, 1),
        (vec![("Ready", False), ("Degraded", False)], False, 1),
    ] {
        let mut fleet = Fleet::new(&ConfigurationStatusSpec::default());
        let said = conditions.iter().map(|(type_, status)| condition(type_, *status)).collect();
        let report =
            Report { component: "controller".to_owned(), instance: None, conditions: said, revision: None };
        fleet.report(Origin::status_report("config-status.controller"), report);
        let answer = fleet.answer(None, at(1));
        assert_eq!((answer.ready.status, answer.causes.len()), (expected, causes), "{conditions:?}");
    }
}

fn with_informational(spec: ConfigurationStatusSpec) -> ConfigurationStatusSpec {
    let mut components = spec.components.clone();
    components[1].role = ComponentRole::Informational;
    ConfigurationStatusSpec { components, ..spec }
}

#[test]
fn an_informational_component_is_shown_and_never_decides_ready() {
    let mut fleet = healthy();
    fleet.set_spec(&with_informational(on_nodes()));
    let answer = fleet.answer(None, at(1));
    assert_eq!((answer.ready.message.as_str(), answer.summary.as_str()), ("1 of 1 ready", "all 1 ready"));
    assert_eq!((answer.reporters.expected, answer.reporters.display.as_str()), (1, "1/1"));

    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, report);
    let answer = fleet.answer(None, at(1));
    assert_eq!(
        (answer.ready.status, answer.ready.message.as_str()),
        (
            Status::True,
            "1 of 1 ready. Informational: 1 of 2 failing: ConfigError in configReconcilerValid on speaker/a: \
             pool \"a\" overlaps"
        )
    );
    assert_eq!(answer.summary, "all 1 ready; 1 informational failing");
    assert_eq!((answer.reporters.ready, answer.reporters.failing), (1, 0));
    assert_eq!(answer.causes[0].role, Some(ComponentRole::Informational));

    let (origin, report) = controller(Status::False);
    fleet.report(origin, report);
    let answer = fleet.answer(None, at(1));
    assert_eq!(answer.ready.status, Status::False);
    assert_eq!(answer.causes[0].role, None, "what decides comes first");
    fleet.set_spec(&on_nodes());
    assert_eq!(fleet.answer(None, at(1)).reporters.failing, 2, "its role can change");
}

#[test]
fn an_informational_component_that_is_missing_does_not_decide_ready() {
    let mut fleet = Fleet::new(&with_informational(spec(Instances::daemon_set("speaker"))));
    let (origin, report) = controller(Status::True);
    fleet.report(origin, report);
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::True);
    assert_eq!(message, "1 of 1 ready. Informational: DaemonSet speaker is not there");

    fleet.set_spec(&with_informational(spec(Instances::names(["a"]))));
    let answer = fleet.answer(None, at(1));
    assert_eq!((answer.ready.status, answer.reporters.unknown), (Status::True, 0));
    assert_eq!(answer.summary, "all 1 ready; 1 informational unknown");
}

#[test]
fn a_revision_is_asked_of_required_reporters_alone() {
    let mut fleet = healthy();
    fleet.set_spec(&ConfigurationStatusSpec {
        revision: Some("8".to_owned()),
        ..with_informational(on_nodes())
    });
    let (origin, report) = controller(Status::True);
    fleet.report(origin, Report { revision: Some("8".to_owned()), ..report });
    let answer = fleet.answer(None, at(1));
    assert_eq!(answer.ready.status, Status::True);
    let revision = answer.revision.unwrap();
    assert_eq!((revision.observed, revision.of), (1, 1));
}

#[test]
fn reporters_in_the_object_itself_are_told_that_they_cannot_state_a_revision() {
    let mut fleet =
        Fleet::new(&ConfigurationStatusSpec { revision: Some("8".to_owned()), ..Default::default() });
    let (_, report) = controller(Status::True);
    fleet.report(Origin::new("ConfigurationStatus", "controller"), report);
    let (status, _, message) = ready(&fleet);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("RevisionNotObserved") && message.contains("StatusReport"), "{message}");
    assert!(message.contains("or remove spec.revision"), "{message}");
}

#[test]
fn the_summary_is_one_line_of_at_most_a_hundred_characters() {
    let summary = |fleet: &Fleet| fleet.answer(None, at(1)).summary;
    let mut fleet = healthy();
    assert_eq!(summary(&fleet), "all 3 ready");
    fleet.node("c", Some(ready_node()));
    fleet.node("d", Some(ready_node()));
    assert_eq!(summary(&fleet), "waiting for 2 of 5: AwaitingReconciliation on speaker/c and 1 more");
    let (origin, report) = speaker("a", Status::False);
    fleet.report(origin, report);
    assert_eq!(summary(&fleet), "1 of 5 failing: ConfigError on speaker/a");
    let long = "ä".repeat(200);
    let (origin, report) = speaker(&long, Status::False);
    let mut fleet = Fleet::new(&ConfigurationStatusSpec::default());
    fleet.report(origin, report);
    assert_eq!(summary(&fleet).chars().count(), 100);
    assert_eq!(
        summary(&Fleet::new(&ConfigurationStatusSpec::default())),
        "nobody is expected, and nobody has reported"
    );
    let unscheduled = Fleet::new(&spec(Instances::daemon_set("speaker")));
    assert_eq!(summary(&unscheduled), "DaemonSet speaker is not there");
}

#[test]
fn members_whose_names_look_alike_are_two() {
    let mut fleet = Fleet::new(&ConfigurationStatusSpec::default());
    let (origin, report) = speaker("b", Status::False);
    fleet.report(origin, report);
    let odd = Report { component: "speaker/b".to_owned(), instance: None, ..speaker("b", Status::True).1 };
    fleet.report(Origin::status_report("odd"), odd);
    let answer = fleet.answer(None, at(1));
    assert_eq!((answer.ready.status, answer.reporters.display.as_str()), (Status::False, "1/2"));
}
