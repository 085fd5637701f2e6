//! The memory for reports: whatever does not fit is never good, and never absent.

use allready_core::{Condition, Standing, Status};
use allready_kube::list_watch::WatchEvent;
use serde_json::{Value, json};

use super::{
    super::*,
    stage::{Stage, key, ms, node, report, reports, statuses},
};

/// Nobody is expected: everybody who reports counts.
fn anybody() -> Value {
    json!({ "components": [] })
}

fn name(node: &str) -> String {
    format!("config-status.speaker.{node}")
}

/// A report with 31 conditions of long messages, of which the last has this status.
fn large(node: &str, last: &str) -> Facts {
    let condition = |number: usize| {
        let status = if number == 30 { last } else { "True" };
        json!({ "type": format!("r{number}Valid"), "status": status, "reason": "Said",
            "message": format!("{node} {number} {}", "m".repeat(490)), "lastTransitionTime": "2026-03-01T10:00:00Z" })
    };
    let object = json!({
        "metadata": { "name": name(node) },
        "spec": { "targetRef": { "kind": "ConfigurationStatus", "name": "config-status" }, "component": "speaker", "instance": node },
        "status": { "conditions": (0..31).map(condition).collect::<Vec<_>>() },
    });
    let report = of_status_report(&object, "config-status").unwrap().into();
    Facts::Report(Some(
        TargetedReport { target: Some("config-status".to_owned()), report, is_brief: false }.into(),
    ))
}

/// The least limit of reports in full under which these are kept in full.
fn least(shown: &[(&str, &str)]) -> usize {
    let is_kept = |full: usize| {
        let mut budget = budget::Budget::new(Limit { full, brief: usize::MAX / 2 }, roomy());
        shown.iter().all(|(node, last)| {
            let Facts::Report(Some(report)) = large(node, last) else { panic!("a report") };
            let standing = |condition: &Condition| match condition.status {
                Status::True => Standing::Good,
                _ => Standing::Bad,
            };
            let kept = budget.fit("n", &name(node), &report, budget::Bytes::default(), standing).unwrap();
            budget.replace("n", budget::Bytes::default(), budget::Bytes::of(&name(node), &kept));
            !kept.is_brief
        })
    };
    let limits: Vec<usize> = (0..100_000).collect();
    limits.partition_point(|full| !is_kept(*full))
}

fn stage(namespace: Limit, total: Limit) -> Stage {
    staged(Options { namespace_limit: namespace, total_limit: total, ..Options::default() })
}

fn staged(options: Options) -> Stage {
    let reconciler = ConfigReconciler::new([statuses()], [], options);
    let mut stage = Stage::new();
    let queue = reconciler.queue();
    stage.engine = crate::engine::Engine::new(reconciler, queue);
    stage.see(statuses(), WatchEvent::Init, ms(0));
    stage.change(&anybody(), ms(0));
    stage.see(statuses(), WatchEvent::InitDone, ms(0));
    stage
}

/// `Ready` after these reports were listed, with the reason of the worst cause, and the numbers of reporters: good, failing, unknown.
fn listed(stage: &mut Stage, shown: &[(&str, &str)]) -> (String, Value, [i64; 3]) {
    let objects: Vec<_> = shown.iter().map(|(node, last)| (name(node), large(node, last))).collect();
    let objects: Vec<_> = objects.iter().map(|(name, facts)| (name.as_str(), facts.clone())).collect();
    stage.list(&reports(), &objects, ms(0));
    stage.until(ms(0), ms(1_000));
    said(stage)
}

fn said(stage: &Stage) -> (String, Value, [i64; 3]) {
    let counts = &stage.status["reporters"];
    let counts = ["ready", "failing", "unknown"].map(|count| counts[count].as_i64().unwrap_or_default());
    (stage.ready().0, stage.status["causes"][0]["reason"].clone(), counts)
}

fn roomy() -> Limit {
    Limit { full: usize::MAX / 2, brief: usize::MAX / 2 }
}

#[test]
fn messages_that_nobody_is_shown_take_no_memory_and_those_that_are_shown_are_kept() {
    assert!(least(&[("a", "True")]) < 14_000, "of 18,000 bytes of text");
    assert!(
        least(&[("a", "False")]) > least(&[("a", "True")]) + 900,
        "the message of the red condition is kept"
    );
    let mut stage = stage(roomy(), roomy());
    assert_eq!(listed(&mut stage, &[("a", "True")]).0, "True");
    listed(&mut stage, &[("a", "False")]);
    let message = stage.status["causes"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("a 30 mmm"), "{message}");
}

#[test]
fn a_report_over_the_budget_is_unknown_and_a_red_one_stays_red() {
    let full = least(&[("a", "True")]);
    for (namespace, total) in
        [(Limit { full, brief: usize::MAX / 2 }, roomy()), (roomy(), Limit { full, brief: usize::MAX / 2 })]
    {
        let mut stage = stage(namespace, total);
        assert_eq!(listed(&mut stage, &[("a", "True")]), ("True".to_owned(), Value::Null, [1, 0, 0]));
        let (ready, reason, counts) = listed(&mut stage, &[("a", "True"), ("b", "True")]);
        assert_eq!((&*ready, &reason, counts), ("Unknown", &json!("ReportOverBudget"), [1, 0, 1]));
        let (ready, reason, counts) = listed(&mut stage, &[("a", "True"), ("b", "False")]);
        assert_eq!((&*ready, &reason, counts), ("False", &json!("Said"), [1, 1, 0]));
        assert_eq!(stage.status["causes"][0]["type"], "r30Valid");
    }
}

#[test]
fn a_report_for_which_there_is_no_room_at_all_makes_ready_unknown_until_a_list_has_room_for_all() {
    let full = least(&[("a", "True")]);
    let limit = Limit { full, brief: 0 };
    let mut stage = stage(limit, roomy());
    let (ready, _, counts) = listed(&mut stage, &[("a", "True"), ("b", "False")]);
    assert_eq!((&*ready, counts), ("Unknown", [1, 0, 0]));
    let message = stage.ready().1;
    assert!(message.contains("more reports than there is memory for"), "{message}");
    // That another list is under way makes it no better.
    stage.see(reports(), WatchEvent::Init, ms(2_000));
    stage.see(reports(), WatchEvent::Apply(name("a"), large("a", "True")), ms(2_000));
    stage.until(ms(2_000), ms(3_000));
    assert_eq!(stage.ready().0, "Unknown");
    stage.see(reports(), WatchEvent::InitDone, ms(3_000));
    stage.until(ms(3_000), ms(4_000));
    assert_eq!(stage.ready().0, "True");
    // The same for one that comes with the watch.
    stage.see(reports(), WatchEvent::Apply(name("b"), large("b", "True")), ms(5_000));
    stage.until(ms(5_000), ms(6_000));
    assert_eq!(stage.ready().0, "Unknown");
    stage.see(reports(), WatchEvent::Init, ms(7_000));
    stage.until(ms(7_000), ms(8_000));
    assert_eq!(stage.ready().0, "Unknown");
}

#[test]
fn reports_that_are_gone_make_room_and_one_takes_no_more_however_often_it_changes() {
    let full = least(&[("a", "True")]);
    let mut stage = stage(Limit { full, brief: 0 }, roomy());
    for round in 0..20 {
        let now = ms(round * 1_000);
        for node in ["a", "b"] {
            stage.list(&reports(), &[(&name(node), large(node, "True"))], now);
            stage.see(reports(), WatchEvent::Apply(name(node), large(node, "True")), now);
            stage.see(reports(), WatchEvent::Delete(name(node)), now);
        }
    }
    assert_eq!(listed(&mut stage, &[("a", "True")]).0, "True");
    // Nobody needs the reports of a ConfigurationStatus that is gone.
    stage.see(statuses(), WatchEvent::Delete(format!("{}/config-status", key().namespace)), ms(30_000));
    assert_eq!(stage.number(&reports()), None);
    stage.show(ms(31_000));
    assert_eq!(listed(&mut stage, &[("b", "True")]).0, "True");
}

#[test]
fn reports_are_listed_again_where_other_messages_can_be_shown_than_before() {
    let mut stage = stage(roomy(), roomy());
    listed(&mut stage, &[("a", "True")]);
    let before = stage.number(&reports());
    let source = json!({ "apiVersion": "example.com/v1", "kind": "Widget",
        "component": { "type": "Name" }, "conditions": [{ "type": "r1Valid", "polarity": "Negative" }] });
    stage.change(&json!({ "components": [], "sources": [source] }), ms(2_000));
    assert_ne!(stage.number(&reports()), before);
    let listed = stage.number(&reports());
    stage.show(ms(3_000));
    assert_eq!(stage.number(&reports()), listed, "once");
}

/// A speaker is expected on every node.
fn on_nodes() -> Value {
    json!({ "components": [{ "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } }] })
}

/// Lists so many nodes, of which each reports that all is well; returns `Ready` then.
fn with_nodes(stage: &mut Stage, count: usize, start: u64) -> (String, String) {
    let names: Vec<String> = (0..count).map(|number| format!("node-{number}")).collect();
    let nodes: Vec<_> = names.iter().map(|name| (name.as_str(), node(true))).collect();
    stage.list(&Watch::Nodes, &nodes, ms(start));
    let said: Vec<_> = names.iter().map(|node| (name(node), report(node, "True"))).collect();
    let said: Vec<_> = said.iter().map(|(name, facts)| (name.as_str(), facts.clone())).collect();
    stage.list(&reports(), &said, ms(start));
    stage.until(ms(start), ms(start + 1_000));
    stage.ready()
}

#[test]
fn nodes_for_which_there_is_no_room_make_ready_unknown_until_a_list_has_room_for_all() {
    let mut stage = staged(Options { object_limit: 60_000, ..Options::default() });
    stage.change(&on_nodes(), ms(0));
    assert_eq!(with_nodes(&mut stage, 10, 0).0, "True");
    // More than there is room for even if nobody is expected on them.
    let (ready, message) = with_nodes(&mut stage, 500, 2_000);
    assert_eq!(ready, "Unknown", "{message}");
    with_nodes(&mut stage, 10, 4_000);
    // The object is seen again with the next list.
    stage.show(ms(6_000));
    assert_eq!(with_nodes(&mut stage, 10, 7_000).0, "True");
}

#[test]
fn a_configuration_status_that_expects_more_than_there_is_room_for_is_unknown_and_others_are_as_they_were() {
    let mut stage = staged(Options { object_limit: 200_000, ..Options::default() });
    stage.change(&on_nodes(), ms(0));
    assert_eq!(with_nodes(&mut stage, 50, 0).0, "True");
    let greedy = |version: u64, components: usize| {
        let nodes = json!({ "type": "Nodes", "nodes": { "selector": {} } });
        let component = |number: usize| json!({ "name": format!("c{number}"), "instances": nodes.clone() });
        let object = json!({
            "metadata": { "name": "greedy", "namespace": key().namespace, "resourceVersion": version.to_string() },
            "spec": { "components": (0..components).map(component).collect::<Vec<_>>() },
            "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "AllReady", "message": "",
                "lastTransitionTime": "2026-03-01T10:00:00Z" }] },
        });
        WatchEvent::Apply(format!("{}/greedy", key().namespace), Facts::Status(object.into()))
    };
    stage.see(statuses(), greedy(10, 64), ms(2_000));
    let ready = |writes: Vec<(ConfigTarget, Value)>| {
        let [(ConfigTarget::Status(key), body)] = &writes[..] else { panic!("{writes:?}") };
        assert_eq!(key.name, "greedy");
        let ready = &body["status"]["conditions"][0];
        (ready["status"].clone(), ready["message"].as_str().unwrap_or_default().to_owned())
    };
    let (status, message) = ready(
        stage
            .engine
            .step(true, super::stage::at(ms(2_000)))
            .into_iter()
            .map(|(target, body)| (target, body.unwrap()))
            .collect(),
    );
    assert_eq!(status, "Unknown");
    assert!(message.contains("no memory left"), "{message}");
    assert_eq!(stage.ready().0, "True", "the other one");
    // One that expects less is answered for.
    stage.see(statuses(), greedy(11, 1), ms(4_000));
    let reconciler = &stage.engine.reconciler;
    let forgotten = format!("{reconciler:?}").matches("is_crowded: true").count();
    assert_eq!(forgotten, 0);
}

#[test]
fn a_configuration_status_with_more_sources_than_may_be_watched_is_unknown() {
    let mut stage = staged(Options { object_limit: 6 << 20, ..Options::default() });
    let source = |number: usize| {
        json!({ "apiVersion": "example.com/v1", "kind": "Widget", "component": { "type": "Name" },
            "selector": { "matchLabels": { "part": number.to_string() } } })
    };
    let sources =
        |count: usize| json!({ "components": [], "sources": (0..count).map(source).collect::<Vec<_>>() });
    let watched = |stage: &Stage| {
        stage
            .engine
            .reconciler
            .wanted_watches()
            .filter(|(watch, _)| matches!(watch, Watch::Source { .. }))
            .count()
    };
    stage.change(&sources(8), ms(0));
    assert_eq!(watched(&stage), 8);
    stage.change(&sources(16), ms(1_000));
    assert_eq!(watched(&stage), 0, "there is no room for so many");
    stage.until(ms(1_000), ms(2_000));
    let (ready, message) = stage.ready();
    assert!(ready == "Unknown" && message.contains("no memory left"), "{ready}: {message}");
    stage.change(&sources(2), ms(3_000));
    assert_eq!(watched(&stage), 2);
}

#[test]
fn a_small_configuration_status_has_room_where_large_ones_have_taken_all_of_theirs() {
    let room = allready_kube::list_watch::Room::of(200_000);
    assert!(room.replace(0, 160_000), "others have more than three quarters");
    let object = super::stage::object(&on_nodes(), &Value::Null, 1);
    let state = |nodes: usize| {
        let around = status::Around { nodes, ..status::Around::default() };
        let mut state =
            status::StatusState::new(key(), &object, std::sync::Arc::clone(&room), status::Around::default());
        state.fits(around)
    };
    assert!(state(5), "it may grow a little");
    assert!(!state(500));
    assert_eq!(room.taken(), 160_000, "what is gone takes none");
}
