//! Facts in, answer out.

use std::collections::BTreeMap;

use allready_core::{Condition, ConditionType, Status, Time, condition_type, reason};
use allready_kube::kinds::{Component, ConfigurationStatusSpec, Instances, Naming, Preset, Source};
use proptest::prelude::*;
use serde_json::json;

use super::super::*;
use crate::pace::{Pace, Pacer, Verdict};

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
    NodeFacts { labels: BTreeMap::from([("speaker".to_owned(), "yes".to_owned())]), ready: true }
}

fn pod_on(node: &str) -> PodFacts {
    PodFacts { daemon_set: "speaker".to_owned(), node: node.to_owned(), ready: true }
}

fn spec(instances: Instances) -> ConfigurationStatusSpec {
    let component = |name: &str, reconciler: &str, instances| Component {
        name: name.to_owned(),
        reconcilers: vec![reconciler.to_owned()],
        instances,
    };
    let components = vec![
        component("controller", "poolReconciler", None),
        component("speaker", "configReconciler", Some(instances)),
    ];
    ConfigurationStatusSpec { components, ..Default::default() }
}

fn on_nodes() -> ConfigurationStatusSpec {
    let selector = serde_json::from_value(json!({ "matchLabels": { "speaker": "yes" } })).unwrap();
    spec(Instances::Nodes(selector))
}

/// Two nodes with a speaker each and the controller, all well.
fn healthy() -> Board {
    let mut board = Board::new(&on_nodes());
    for node in ["a", "b"] {
        board.node(node, Some(ready_node()));
        let (origin, report) = speaker(node, Status::True);
        board.report(origin, report);
    }
    let (origin, report) = controller(Status::True);
    board.report(origin, report);
    board
}

fn ready(board: &Board) -> (Status, String, String) {
    let ready = board.answer(None, at(100)).ready;
    (ready.status, ready.reason.to_string(), ready.message.to_string())
}

#[test]
fn all_expected_reporters_true_is_ready() {
    let board = healthy();
    assert_eq!(ready(&board), (Status::True, "AllComponentsReady".to_owned(), "3 of 3 ready".to_owned()));
    let answer = board.answer(None, at(100));
    assert_eq!((answer.reporters.expected, answer.reporters.summary.as_str()), (3, "3/3"));
    assert_eq!((answer.causes.len(), answer.more_causes), (0, 0));
}

#[test]
fn one_cause_on_many_nodes_is_told_once_and_with_their_number() {
    let mut board = healthy();
    for node in ["a", "b"] {
        let (origin, report) = speaker(node, Status::False);
        board.report(origin, report);
    }
    let message = "2 of 3 failing: ConfigError in configReconcilerValid on 2 (speaker-a, speaker-b): pool \"a\" overlaps";
    assert_eq!(ready(&board), (Status::False, "ComponentFailing".to_owned(), message.to_owned()));
    let cause = &board.answer(None, at(100)).causes[0];
    assert_eq!((cause.count, cause.reporters.join(" ").as_str()), (2, "speaker-a speaker-b"));
}

#[test]
fn two_faults_at_once_are_both_told() {
    let mut board = healthy();
    let (origin, report) = speaker("a", Status::False);
    board.report(origin, report);
    let (origin, mut report) = controller(Status::False);
    report.conditions[0].message = "no pool".into();
    board.report(origin, report);
    let (_, _, message) = ready(&board);
    assert!(message.contains("overlaps") && message.contains("no pool"), "{message}");
}

#[test]
fn an_expected_reporter_without_a_report_is_unknown_and_named() {
    let mut board = healthy();
    board.node("c", Some(ready_node()));
    let (status, reason, message) = ready(&board);
    assert_eq!((status, reason.as_str()), (Status::Unknown, "ComponentsUnknown"));
    assert!(message.contains("speaker-c"), "{message}");
}

#[test]
fn a_node_that_the_selector_does_not_match_is_not_missed() {
    let mut board = healthy();
    board.node("c", Some(NodeFacts { labels: BTreeMap::new(), ready: true }));
    assert_eq!(ready(&board).0, Status::True);
    board.node("c", Some(ready_node()));
    assert_eq!(ready(&board).0, Status::Unknown, "it was relabelled");
}

#[test]
fn the_report_of_a_gone_or_failing_node_is_not_believed() {
    for (facts, reason) in
        [(None, "NodeGone"), (Some(NodeFacts { ready: false, ..ready_node() }), "NodeNotReady")]
    {
        let mut board = healthy();
        board.node("b", facts);
        let (status, _, message) = ready(&board);
        assert_eq!(status, Status::Unknown);
        assert!(message.contains(reason) && message.contains("speaker-b"), "{message}");
        board.node("b", Some(ready_node()));
        assert_eq!(ready(&board).0, Status::True, "it is back");
    }
}

#[test]
fn pods_of_a_daemon_set_say_who_is_expected() {
    let mut board = Board::new(&spec(Instances::DaemonSet("speaker".to_owned())));
    let (origin, report) = controller(Status::True);
    board.report(origin, report);
    assert!(ready(&board).2.contains("DaemonSet speaker is not there"), "{:?}", ready(&board));

    board.daemon_set("speaker", Some(DaemonSetFacts { desired: 2, current: true }));
    for node in ["a", "b"] {
        board.node(node, Some(ready_node()));
        let (origin, report) = speaker(node, Status::True);
        board.report(origin, report);
    }
    board.pod("speaker-1", Some(&pod_on("a")));
    let (status, _, message) = ready(&board);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("1 of 2 pods of DaemonSet speaker are there"), "{message}");

    board.pod("speaker-2", Some(&pod_on("b")));
    assert_eq!(ready(&board).0, Status::True);
    board.pod("speaker-2", Some(&PodFacts { ready: false, ..pod_on("b") }));
    assert!(ready(&board).2.contains("PodNotReady"), "{:?}", ready(&board));
    // A restart: the new pod is there before the old one has gone.
    board.pod("speaker-3", Some(&pod_on("b")));
    assert_eq!(ready(&board).0, Status::True);
    board.pod("speaker-2", None);
    assert_eq!(ready(&board).0, Status::True);
    board.pod("speaker-3", None);
    assert_eq!(ready(&board).0, Status::Unknown);
}

#[test]
fn a_reporter_that_is_silent_for_too_long_is_unknown_until_it_is_heard_again() {
    let mut board = Board::new(&ConfigurationStatusSpec { silent_after_seconds: Some(30), ..on_nodes() });
    let mut all = healthy_reports();
    all.push(controller(Status::True));
    for node in ["a", "b"] {
        board.node(node, Some(ready_node()));
    }
    for (origin, report) in all {
        board.report(origin, report);
    }
    board.tick(at(100));
    // By its own clock it is far ahead, which nobody believes.
    board.heartbeat("config-status-speaker-a", Some(Some(at(9_000))));
    board.tick(at(130));
    assert_eq!(ready(&board).0, Status::True);
    board.tick(at(131));
    assert!(ready(&board).2.contains("HeartbeatLost"), "{:?}", ready(&board));
    board.heartbeat("config-status-speaker-a", Some(Some(at(9_031))));
    assert_eq!(ready(&board).0, Status::True);
}

fn healthy_reports() -> Vec<(Origin, Report)> {
    ["a", "b"].map(|node| speaker(node, Status::True)).into()
}

#[test]
fn a_new_revision_is_ready_only_when_everybody_has_digested_it() {
    let mut board = healthy();
    let state = |board: &mut Board, (origin, report): (Origin, Report), revision: &str| {
        board.report(origin, Report { revision: Some(revision.to_owned()), ..report });
    };
    state(&mut board, speaker("a", Status::True), "7");
    state(&mut board, speaker("b", Status::True), "7");
    board.set_spec(&ConfigurationStatusSpec { revision: Some("8".to_owned()), ..on_nodes() });
    assert_eq!(ready(&board).0, Status::Unknown);
    state(&mut board, speaker("a", Status::True), "8");
    let revision = board.answer(None, at(1)).revision.unwrap();
    assert_eq!((revision.expected.as_str(), revision.digested, revision.of), ("8", 1, 3));
    state(&mut board, speaker("b", Status::True), "8");
    let (status, _, message) = ready(&board);
    assert_eq!(status, Status::Unknown, "the controller has not said so");
    assert!(message.contains("has not said that it has digested revision 8"), "{message}");
    state(&mut board, controller(Status::True), "8");
    assert_eq!(ready(&board).0, Status::True);
}

#[test]
fn bad_news_about_an_older_revision_is_told() {
    let mut board = healthy();
    board.set_spec(&ConfigurationStatusSpec { revision: Some("8".to_owned()), ..on_nodes() });
    let (origin, report) = speaker("a", Status::False);
    board.report(origin, Report { revision: Some("7".to_owned()), ..report });
    let (status, _, message) = ready(&board);
    assert_eq!(status, Status::False);
    assert!(message.contains("overlaps"), "{message}");
}

#[test]
fn two_who_go_by_one_name_are_judged_as_one() {
    let mut board = Board::new(&ConfigurationStatusSpec::default());
    let report = |component: &str, instance: &str, status| Report {
        component: component.to_owned(),
        instance: Some(instance.to_owned()),
        conditions: vec![valid(status)],
        revision: None,
    };
    board.report(Origin::status_report("1"), report("speaker", "a-b", Status::False));
    board.report(Origin::status_report("2"), report("speaker-a", "b", Status::True));
    assert_eq!(ready(&board).0, Status::False, "the second does not take the place of the first");
    board.unreport(&Origin::status_report("2"));
    assert_eq!(ready(&board).0, Status::False);
}

#[test]
fn a_lease_that_was_there_and_is_gone_is_a_heartbeat_that_was_lost() {
    let mut board =
        Board::new(&ConfigurationStatusSpec { silent_after_seconds: Some(30), ..Default::default() });
    let (origin, report) = speaker("a", Status::True);
    board.report(origin, report);
    board.heartbeat("config-status-speaker-a", None);
    assert_eq!(ready(&board).0, Status::True, "it never had one");
    board.heartbeat("config-status-speaker-a", Some(Some(at(1))));
    board.heartbeat("config-status-speaker-a", None);
    assert!(ready(&board).2.contains("its Lease is gone"), "{:?}", ready(&board));
    board.forget_heartbeats();
    assert_eq!(ready(&board).0, Status::True);
}

#[test]
fn the_objects_of_others_are_read_with_their_polarity_their_generation_and_without_a_name() {
    let source = Source {
        api_version: "example.com/v1".to_owned(),
        kind: "Engine".to_owned(),
        component: Naming::Label("role".to_owned()),
        negative: vec!["Overheated".to_owned()],
        ..Default::default()
    };
    let mut board =
        Board::new(&ConfigurationStatusSpec { sources: vec![source.clone()], ..Default::default() });
    let object = |type_: &str, status: &str, observed: i64| {
        json!({ "metadata": { "name": "v8", "generation": 2 }, "status": { "conditions": [{ "type": type_,
            "status": status, "reason": "Said", "message": "", "observedGeneration": observed,
            "lastTransitionTime": "2026-03-01T10:00:00Z" }] } })
    };
    for (type_, status, observed, expected) in [
        ("Ready", "True", 2, Status::True),
        ("Ready", "True", 1, Status::Unknown),
        ("Degraded", "True", 2, Status::False),
        ("Degraded", "False", 2, Status::True),
        ("Overheated", "True", 2, Status::False),
    ] {
        let report = of_source(&object(type_, status, observed), &source).unwrap();
        assert_eq!(report.component, "v8", "without a label it goes by its own name");
        board.report(Origin::new("engines", "v8"), report);
        assert_eq!(ready(&board).0, expected, "{type_}={status} about generation {observed} of 2");
    }
}

#[test]
fn what_cannot_be_seen_is_never_good_and_hides_nothing_bad() {
    let mut board = healthy();
    board.gap("nodes", Some("forbidden".to_owned()));
    let (status, reason, message) = ready(&board);
    assert_eq!((status, reason.as_str()), (Status::Unknown, "ComponentsUnknown"));
    assert_eq!(message, "nodes cannot be seen: forbidden");
    let (origin, report) = speaker("a", Status::False);
    board.report(origin, report);
    assert_eq!(ready(&board).0, Status::False);
    board.gap("nodes", None);
    let (origin, report) = speaker("a", Status::True);
    board.report(origin, report);
    assert_eq!(ready(&board).0, Status::True);
}

#[test]
fn a_spec_that_cannot_be_acted_on_is_never_good() {
    let mut board = healthy();
    let mut spec = on_nodes();
    spec.components[0].reconcilers.push("not a name".to_owned());
    board.set_spec(&spec);
    let (status, _, message) = ready(&board);
    assert_eq!(status, Status::Unknown);
    assert!(message.contains("not a name"), "{message}");
}

#[test]
fn nothing_expected_and_nothing_reported_is_unknown() {
    let board = Board::new(&ConfigurationStatusSpec::default());
    assert_eq!(ready(&board).0, Status::Unknown);
}

#[test]
fn the_time_of_ready_moves_with_its_status_alone() {
    let mut board = healthy();
    let first = board.answer(None, at(10)).ready;
    let (origin, report) = speaker("c", Status::True);
    board.report(origin, report);
    board.node("c", Some(ready_node()));
    let second = board.answer(Some(&first), at(20)).ready;
    assert_eq!((second.message.as_str(), second.last_transition_time), ("4 of 4 ready", at(10)));
    board.gap("nodes", Some("gone".to_owned()));
    let third = board.answer(Some(&second), at(30)).ready;
    assert_eq!(third.last_transition_time, at(30));
    assert_eq!(board.answer(Some(&third), at(40)).ready.last_transition_time, at(30));
}

#[test]
fn metallb_as_it_ships_is_read_through_its_preset() {
    let mut board =
        Board::new(&ConfigurationStatusSpec { preset: Some(Preset::MetalLB), ..Default::default() });
    let source = board.plan().sources[0].clone();
    let state = |name: &str,
                 labels: serde_json::Value,
                 type_: &str,
                 status: &str,
                 reason: &str,
                 message: &str| {
        let object = json!({
            "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationState",
            "metadata": { "name": name, "labels": labels },
            "status": { "result": "Valid", "conditions": [{ "type": type_, "status": status, "reason": reason,
                "message": message, "lastTransitionTime": "2026-03-01T10:00:00Z" }] },
        });
        (Origin::new("ConfigurationState", name), of_source(&object, &source).unwrap())
    };
    board.daemon_set("speaker", Some(DaemonSetFacts { desired: 1, current: true }));
    board.node("kind-worker", Some(ready_node()));
    board.pod("speaker-x", Some(&pod_on("kind-worker")));
    let labels = json!({ "metallb.io/component-type": "controller" });
    let (origin, report) = state("controller", labels, "poolReconcilerValid", "True", "Reconciled", "");
    board.report(origin, report);
    let labels = json!({ "metallb.io/component-type": "speaker", "metallb.io/node-name": "kind-worker" });
    let with = |status, reason, message| {
        state("speaker-kind-worker", labels.clone(), "configReconcilerValid", status, reason, message)
    };
    let (origin, report) = with("True", "Reconciled", "");
    board.report(origin, report);
    assert_eq!(ready(&board).2, "2 of 2 ready");
    let (origin, report) = with("False", "UnknownError", "boom");
    board.report(origin, report);
    assert_eq!(ready(&board).0, Status::False, "also an error that MetalLB itself does not count");
}

#[test]
fn reports_in_the_object_itself_are_read_by_what_stands_before_the_slash() {
    let plan = Plan::of(&on_nodes());
    let condition = |type_: &str| {
        json!({ "type": type_, "status": "True", "reason": "SyncStateSuccess", "message": "",
            "lastTransitionTime": "2025-10-10T09:13:47Z" })
    };
    let object = json!({ "status": { "conditions": [
        condition("Ready"), condition("speaker-kind-worker/configReconcilerValid"),
        condition("speaker-kind-worker/frrk8sReconcilerValid"), condition("controller/poolReconcilerValid"),
    ] } });
    let nodes = |_: &str, instance: Option<&str>| instance == Some("kind-worker");
    let reports = own_reports(&object, |prefix, types| plan.split(prefix, types, nodes));
    assert_eq!(reports.keys().collect::<Vec<_>>(), ["controller", "speaker-kind-worker"]);
    let speaker = &reports["speaker-kind-worker"];
    assert_eq!((speaker.instance.as_deref(), speaker.conditions.len()), (Some("kind-worker"), 2));
}

#[test]
fn strangers_are_the_reporters_of_a_known_component_that_nobody_expects() {
    let mut board = healthy();
    let (origin, report) = speaker("gone", Status::True);
    board.report(origin.clone(), report);
    let strangers: Vec<_> =
        board.strangers("speaker").map(|(origin, instance, _)| (origin, instance)).collect();
    assert_eq!(strangers, [(&origin, Some("gone"))]);
    assert_eq!(board.strangers("webhook").count(), 0, "nobody knows who should report for it");
}

#[test]
fn a_burst_is_written_together_and_bad_news_at_once() {
    let ms = std::time::Duration::from_millis;
    let mut pacer = Pacer::new(Pace::default());
    assert_eq!(pacer.decide(Status::True, None, ms(0)), Verdict::Idle);
    let mut writes = 0;
    let mut now = ms(0);
    // Ten seconds in which something changes every millisecond.
    while now < ms(10_000) {
        pacer.changed(now);
        if pacer.decide(Status::Unknown, Some(Status::Unknown), now) == Verdict::Write {
            writes += 1;
            pacer.wrote(now);
        }
        now += ms(1);
    }
    assert!((40..=45).contains(&writes), "{writes}");
    pacer.changed(now);
    assert_eq!(pacer.decide(Status::False, Some(Status::Unknown), now), Verdict::Write);
}

/// One thing that a watch can tell.
#[derive(Clone, Debug)]
enum Told {
    Report(u8, Option<Status>),
    Node(u8, Option<bool>),
    Pod(u8, Option<(u8, bool)>),
    Controller(Option<Status>),
}

fn told() -> impl Strategy<Value = Told> {
    let status = || prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)];
    prop_oneof![
        (0..4_u8, prop::option::of(status())).prop_map(|(node, status)| Told::Report(node, status)),
        (0..4_u8, prop::option::of(any::<bool>())).prop_map(|(node, ready)| Told::Node(node, ready)),
        (0..3_u8, prop::option::of((0..4_u8, any::<bool>()))).prop_map(|(pod, place)| Told::Pod(pod, place)),
        prop::option::of(status()).prop_map(Told::Controller),
    ]
}

fn tell(board: &mut Board, told: &Told) {
    match told {
        Told::Report(node, status) => {
            let (origin, report) = speaker(&node.to_string(), status.unwrap_or(Status::True));
            if status.is_some() { board.report(origin, report) } else { board.unreport(&origin) }
        }
        Told::Node(node, ready) => {
            board.node(&node.to_string(), ready.map(|ready| NodeFacts { ready, ..ready_node() }));
        }
        Told::Pod(pod, place) => {
            let facts = place.map(|(node, ready)| PodFacts { ready, ..pod_on(&node.to_string()) });
            board.pod(&format!("speaker-{pod}"), facts.as_ref());
        }
        Told::Controller(status) => {
            let (origin, report) = controller(status.unwrap_or(Status::True));
            if status.is_some() { board.report(origin, report) } else { board.unreport(&origin) }
        }
    }
}

fn key(told: &Told) -> (u8, u8) {
    match told {
        Told::Report(node, _) => (0, *node),
        Told::Node(node, _) => (1, *node),
        Told::Pod(pod, _) => (2, *pod),
        Told::Controller(_) => (3, 0),
    }
}

proptest! {
    /// The answer depends on the last word about each thing, not on what was said before or in which order.
    #[test]
    fn the_answer_is_that_of_a_board_that_heard_the_last_words_alone(
        all in prop::collection::vec(told(), 0..60), on_pods in any::<bool>(), respec in any::<bool>(),
    ) {
        let spec = if on_pods { spec(Instances::DaemonSet("speaker".to_owned())) } else { on_nodes() };
        let mut board = Board::new(&if respec { ConfigurationStatusSpec::default() } else { spec.clone() });
        let last: BTreeMap<_, _> = all.iter().map(|told| (key(told), told)).collect();
        for told in &all {
            tell(&mut board, told);
        }
        board.set_spec(&spec);
        let mut naive = Board::new(&spec);
        for told in last.values().rev() {
            tell(&mut naive, told);
        }
        prop_assert_eq!(board.answer(None, at(1)), naive.answer(None, at(1)));
    }

    /// Never green while a reporter that is there says False, or while somebody expected has said nothing.
    #[test]
    fn true_means_that_every_live_reporter_said_so(all in prop::collection::vec(told(), 0..60)) {
        let mut board = Board::new(&on_nodes());
        for told in &all {
            tell(&mut board, told);
        }
        let last: BTreeMap<_, _> = all.iter().map(|told| (key(told), told)).collect();
        if board.answer(None, at(1)).ready.status == Status::True {
            for told in last.values() {
                if let Told::Report(_, Some(status)) | Told::Controller(Some(status)) = told {
                    prop_assert_eq!(*status, Status::True);
                }
            }
            let controller = last.get(&(3, 0)).is_some_and(|told| matches!(told, Told::Controller(Some(_))));
            prop_assert!(controller);
            for node in 0..4 {
                if matches!(last.get(&(1, node)), Some(Told::Node(_, Some(_)))) {
                    let reported = matches!(last.get(&(0, node)), Some(Told::Report(_, Some(_))));
                    prop_assert!(reported, "node {} has not reported", node);
                }
            }
        }
    }
}

#[test]
fn a_condition_type_is_made_from_a_reconciler() {
    let plan = Plan::of(&on_nodes());
    assert_eq!(plan.components[0].types, [ConditionType::new("poolReconcilerValid").unwrap()]);
}
