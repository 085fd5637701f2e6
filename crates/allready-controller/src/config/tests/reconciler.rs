//! Events in, writes out, at the right time.

use std::time::Duration;

use allready_core::Time;
use allready_kube::{list_watch::WatchEvent, refusal::Refusal};
use serde_json::{Value, json};

use super::{
    super::*,
    stage::{Stage, at, leases, ms, node, object, report, reports, statuses},
};
use crate::engine::Now;

fn expecting_a() -> Value {
    json!({ "components": [{ "name": "speaker", "reconcilers": ["configReconciler"], "instances": { "type": "Names", "names": ["a"] } }] })
}

fn with_heartbeats() -> Value {
    json!({ "components": expecting_a()["components"], "heartbeat": { "timeoutSeconds": 30 } })
}

fn on_nodes() -> Value {
    json!({ "components": [{ "name": "speaker", "reconcilers": ["configReconciler"], "instances": { "type": "Nodes", "nodes": { "selector": {} } } }] })
}

/// Has listed its object and its reports, the one report saying this.
fn listed(status: &str) -> Stage {
    let mut stage = Stage::with(&expecting_a());
    stage.list(&reports(), &[("r", report("a", status))], ms(0));
    stage
}

const MINUTE: fn(u64) -> Duration = Duration::from_mins;

#[test]
fn nothing_is_written_before_everything_was_listed() {
    let mut stage = Stage::with(&expecting_a());
    assert_eq!(stage.until(ms(0), ms(9_999)), []);
    // It has been too long: the reader is told what is missing.
    let written = stage.until(ms(9_999), ms(10_100));
    let (ready, _) = &written[0];
    assert_eq!(ready["status"], "Unknown");
    let message = ready["message"].as_str().unwrap();
    assert!(message.starts_with("StatusReports cannot be seen: has not been listed yet"), "{message}");
}

#[test]
fn a_status_is_written_once_and_nothing_is_due_after_it() {
    let mut stage = listed("True");
    let written = stage.until(ms(0), MINUTE(10));
    assert_eq!(written.len(), 1, "{written:?}");
    assert_eq!((&written[0].0["status"], &written[0].0["observedGeneration"]), (&json!("True"), &json!(1)));
    assert_eq!(stage.engine.next_due(true), None);
}

#[test]
fn a_replica_that_does_not_lead_writes_nothing_and_knows_everything_when_it_does() {
    let mut stage = listed("True");
    assert_eq!(stage.engine.step(false, at(ms(60_000))), []);
    stage.see(reports(), WatchEvent::Apply("r".to_owned(), report("a", "False")), ms(60_000));
    assert_eq!(stage.engine.step(false, at(ms(60_001))), []);
    stage.step(ms(60_002));
    assert_eq!(stage.ready().0, "False");
}

#[test]
fn a_new_leader_writes_its_term_and_a_deposed_one_has_another() {
    let options = Options { lease: Some("allready-system/allready-controller".into()), ..Options::default() };
    let reconciler = ConfigReconciler::new([statuses()], [], options);
    let mut stage = listed("True");
    let queue = reconciler.queue();
    stage.engine = crate::engine::Engine::new(reconciler, queue);
    stage.list(&statuses(), &[], ms(0));
    stage.show(ms(0));
    stage.list(&reports(), &[("r", report("a", "True"))], ms(0));
    let leads = |term, now| Now { term: Some(term), ..at(now) };
    stage.engine.step(true, leads(7, ms(0)));
    let [(_, Some(body))] = &stage.engine.step(true, leads(7, ms(100)))[..] else { panic!("one write") };
    let controller = json!({ "lease": "allready-system/allready-controller", "term": 7 });
    assert_eq!(body["status"]["controller"], controller);
    let target = ConfigTarget::Status(super::stage::key());
    let stored = object(&expecting_a(), &body["status"], 9);
    stage.engine.written(&target, Ok(Some(stored)), 1.0, leads(7, ms(100)));
    assert_eq!(stage.engine.step(true, leads(7, ms(5_000))), []);
    stage.engine.step(true, leads(8, ms(6_000)));
    let [(_, Some(body))] = &stage.engine.step(true, leads(8, ms(6_100)))[..] else { panic!("one write") };
    assert_eq!(body["status"]["controller"]["term"], 8);
    let stored = object(&expecting_a(), &body["status"], 10);
    stage.engine.written(&target, Ok(Some(stored)), 1.0, leads(8, ms(6_100)));
    // Whoever writes without the Lease leaves it to its holder.
    assert_eq!(stage.engine.step(true, at(ms(9_000))), []);
    assert_eq!(stage.engine.step(true, at(ms(9_100))), []);
}

#[test]
fn a_watch_that_is_behind_our_own_write_changes_nothing() {
    let mut stage = listed("True");
    stage.until(ms(0), ms(1_000));
    let behind = object(&expecting_a(), &json!({}), 1);
    let name = "metallb-system/config-status".to_owned();
    stage.see(statuses(), WatchEvent::Apply(name, Facts::Status(behind.into())), ms(1_000));
    assert_eq!(stage.until(ms(1_000), ms(2_000)), []);
    // Somebody emptied the status: it is written again.
    stage.status = json!({});
    stage.show(ms(2_000));
    assert_eq!(stage.until(ms(2_000), ms(3_000)).len(), 1);
}

#[test]
fn after_a_failed_write_it_waits_as_long_as_it_was_asked_to() {
    let mut stage = listed("False");
    let [(target, _)] = &stage.engine.step(true, at(ms(0)))[..] else { panic!("red is written at once") };
    assert_eq!(stage.engine.step(true, at(ms(1))), [], "one write at a time");
    let busy = Refusal::Busy { after: Some(ms(3_000)) };
    stage.engine.written(target, Err((busy, String::new())), 1.0, at(ms(10)));
    assert_eq!(stage.engine.step(true, at(ms(3_009))), []);
    assert_eq!(stage.engine.step(true, at(ms(3_010))).len(), 1);
}

#[test]
fn objects_that_a_new_list_does_not_show_are_gone() {
    let mut stage = listed("True");
    stage.until(ms(0), ms(1_000));
    stage.list(&reports(), &[], ms(1_000));
    stage.until(ms(1_000), ms(2_000));
    assert_eq!(stage.ready().0, "Unknown");
}

#[test]
fn a_watch_that_fails_for_long_is_told_and_one_that_recovers_is_believed_again() {
    let mut stage = listed("True");
    stage.until(ms(0), ms(1_000));
    stage.see(reports(), WatchEvent::Failed("connection refused".into()), ms(1_000));
    assert_eq!(stage.until(ms(1_000), ms(10_999)), []);
    assert_eq!(
        stage.until(ms(10_999), ms(11_100)).len(),
        1,
        "ten seconds are over, and nothing else happens"
    );
    assert_eq!(
        stage.ready(),
        ("Unknown".to_owned(), "StatusReports cannot be seen: connection refused".to_owned())
    );
    // That it begins to list says nothing; that it has listed does.
    stage.see(reports(), WatchEvent::Init, ms(12_000));
    assert_eq!(stage.until(ms(12_000), ms(13_000)), []);
    stage.list(&reports(), &[("r", report("a", "True"))], ms(13_000));
    stage.until(ms(13_000), ms(14_000));
    assert_eq!(stage.ready().0, "True");
}

#[test]
fn a_watch_that_lists_and_fails_by_turns_is_told_too() {
    let mut stage = Stage::with(&expecting_a());
    for second in 0..11 {
        stage.see(reports(), WatchEvent::Init, ms(second * 1_000));
        stage.see(reports(), WatchEvent::Failed("forbidden".into()), ms(second * 1_000));
        stage.until(ms(second * 1_000), ms(second * 1_000 + 999));
    }
    assert!(stage.ready().1.starts_with("StatusReports cannot be seen: forbidden"), "{:?}", stage.ready());
}

#[test]
fn red_is_written_before_everything_has_been_seen() {
    let mut stage = listed("False");
    stage.change(&with_heartbeats(), ms(0));
    stage.step(ms(1));
    assert_eq!(stage.ready().0, "False", "Leases have not been listed");
}

#[test]
fn late_events_of_a_watch_that_was_given_up_are_not_taken() {
    let mut stage = listed("True");
    stage.change(&with_heartbeats(), ms(0));
    let first = stage.number(&leases()).unwrap();
    stage.change(&expecting_a(), ms(0));
    stage.change(&with_heartbeats(), ms(0));
    assert_ne!(stage.number(&leases()), Some(first), "it is watched anew");
    let late = ConfigEvent { watch: leases(), number: first, event: WatchEvent::InitDone };
    stage.engine.observe(late, at(ms(0)));
    assert_eq!(stage.until(ms(0), ms(9_000)), [], "Leases have not been listed");
}

#[test]
fn another_spec_needs_other_watches_and_two_statuses_share_theirs() {
    let mut stage = listed("True");
    let watches = |stage: &Stage| stage.engine.reconciler.wanted_watches().count();
    assert_eq!(watches(&stage), 2);
    let metallb = json!({ "preset": "MetalLB", "heartbeat": { "timeoutSeconds": 30 } });
    stage.change(&metallb, ms(0));
    assert_eq!(watches(&stage), 7);
    let mut another = object(&metallb, &json!({}), 9);
    another["metadata"]["name"] = "another".into();
    let name = "metallb-system/another".to_owned();
    stage.see(statuses(), WatchEvent::Apply(name.clone(), Facts::Status(another.into())), ms(0));
    assert_eq!(watches(&stage), 7);
    stage.see(statuses(), WatchEvent::Delete(name), ms(0));
    stage.change(&expecting_a(), ms(0));
    assert_eq!(watches(&stage), 2);
}

#[test]
fn a_status_that_is_made_later_knows_what_its_watches_have_shown() {
    let mut stage = listed("True");
    let mut another = object(&expecting_a(), &json!({}), 9);
    another["metadata"]["name"] = "another".into();
    stage.see(
        statuses(),
        WatchEvent::Apply("metallb-system/another".to_owned(), Facts::Status(another.into())),
        ms(0),
    );
    let writes: Vec<_> = (0..3).flat_map(|step| stage.engine.step(true, at(ms(step * 60)))).collect();
    let of_another = writes.iter().find(|(target, _)| target.to_string().contains("another")).unwrap();
    let message = &of_another.1.as_ref().unwrap()["status"]["conditions"][0]["message"];
    assert!(message.as_str().unwrap().contains("has not reported yet"), "nobody reports to it: {message}");
}

#[test]
fn a_spec_that_cannot_be_read_is_never_good() {
    let mut stage = listed("True");
    stage.change(&json!({ "components": "all" }), ms(0));
    stage.until(ms(0), ms(1_000));
    let (status, message) = stage.ready();
    assert_eq!(status, "Unknown");
    assert!(message.starts_with("spec cannot be"), "{message}");
}

#[test]
fn ready_keeps_its_time_across_a_restart_of_the_controller() {
    let mut first = listed("True");
    let (ready, _) = first.until(ms(0), ms(1_000)).remove(0);
    let mut second = Stage::with(&expecting_a());
    second.status = json!({ "conditions": [ready] });
    second.show(ms(0));
    second.list(&reports(), &[("r", report("a", "True"))], ms(500_000));
    let (again, _) = second.until(ms(500_000), ms(501_000)).remove(0);
    assert_eq!(
        (&again["lastTransitionTime"], &again["status"]),
        (&ready["lastTransitionTime"], &json!("True"))
    );
}

#[test]
fn a_reporter_falls_silent_without_any_event() {
    let mut stage = listed("True");
    stage.change(&with_heartbeats(), ms(0));
    stage.list(&leases(), &[("r", lease(1_000))], ms(0));
    stage.until(ms(0), ms(29_999));
    assert_eq!(stage.ready().0, "True");
    stage.until(ms(29_999), ms(30_100));
    assert!(stage.ready().1.contains("HeartbeatLost"), "{:?}", stage.ready());
}

fn lease(second: i64) -> Facts {
    Facts::Lease(Some(Time::from_second(second).unwrap()))
}

/// A controller that starts with the status that another one has left behind, and sees this report and these Leases at this time.
fn restarted(status: &Value, leases_seen: &[(&str, Facts)], now: Duration) -> Stage {
    let mut stage = Stage::new();
    stage.status = status.clone();
    stage.see(statuses(), WatchEvent::Init, now);
    stage.change(&with_heartbeats(), now);
    stage.see(statuses(), WatchEvent::InitDone, now);
    stage.list(&reports(), &[("r", report("a", "True"))], now);
    stage.list(&leases(), leases_seen, now);
    stage
}

/// The status of a reporter that has fallen silent, and the time at which it has.
fn silent() -> (Value, Duration) {
    let mut stage = listed("True");
    stage.change(&with_heartbeats(), ms(0));
    stage.list(&leases(), &[("r", lease(1_000))], ms(0));
    stage.until(ms(0), ms(31_000));
    assert!(stage.ready().1.contains("HeartbeatLost"), "{:?}", stage.ready());
    (stage.status, ms(31_000))
}

#[test]
fn a_restart_does_not_make_a_dead_reporter_green() {
    let (status, now) = silent();
    for seen in [vec![("r", lease(1_000))], Vec::new()] {
        let mut again = restarted(&status, &seen, now);
        assert_eq!(again.until(now, now + MINUTE(10)), [], "nothing has happened: {seen:?}");
        assert!(again.ready().1.contains("HeartbeatLost"), "{:?}", again.ready());
        // A second restart knows it too.
        let later = now + MINUTE(10);
        let mut third = restarted(&again.status, &seen, later);
        assert_eq!(third.until(later, later + MINUTE(1)), []);
        third.see(leases(), WatchEvent::Apply("r".to_owned(), lease(2_000)), later + MINUTE(1));
        third.see(leases(), WatchEvent::Apply("r".to_owned(), lease(2_010)), later + MINUTE(1));
        third.until(later + MINUTE(1), later + MINUTE(1) + ms(1_000));
        assert_eq!(third.ready().0, "True", "it was heard again");
    }
}

#[test]
fn a_reporter_that_died_while_no_controller_ran_is_not_green_when_one_starts() {
    // By the clock of the stage it is 1,000 s when it begins: this Lease is 501 s old.
    let stage_of = |renewed: i64| {
        let mut stage = restarted(&json!({}), &[("r", lease(renewed))], ms(1));
        stage.until(ms(1), ms(1_000));
        stage
    };
    assert!(stage_of(499).ready().1.contains("HeartbeatLost"), "{:?}", stage_of(499).ready());
    assert_eq!(stage_of(900).ready().0, "True", "the clocks of nodes differ");
    let mut behind = stage_of(499);
    behind.see(leases(), WatchEvent::Apply("r".to_owned(), lease(509)), ms(2_000));
    behind.until(ms(2_000), ms(3_000));
    assert_eq!(behind.ready().0, "True", "its clock is behind, and it is alive");
}

#[test]
fn whoever_could_not_be_named_among_many_dead_reporters_is_doubted_too() {
    let (mut status, now) = silent();
    status["causes"][0]["reporters"] = json!(["speaker/b"]);
    status["causes"][0]["count"] = json!(2);
    let mut again = restarted(&status, &[], now);
    again.until(now, now + MINUTE(10));
    assert!(again.ready().1.contains("HeartbeatLost"), "{:?}", again.ready());
    status["causes"][0]["count"] = json!(1);
    let mut again = restarted(&status, &[], now);
    again.until(now, now + MINUTE(10));
    assert_eq!(again.ready().0, "True", "it was another one");
}

fn two_nodes() -> Stage {
    let mut stage = Stage::with(&on_nodes());
    stage.list(&Watch::Nodes, &[("a", node(true)), ("b", node(true))], ms(0));
    stage.list(&reports(), &[("a", report("a", "True")), ("b", report("b", "True"))], ms(0));
    stage.until(ms(0), MINUTE(5));
    assert_eq!(stage.ready(), ("True".to_owned(), "2 of 2 ready".to_owned()));
    stage
}

#[test]
fn a_scale_down_never_makes_ready_unknown() {
    let mut stage = two_nodes();
    stage.see(Watch::Nodes, WatchEvent::Delete("b".to_owned()), MINUTE(5));
    let written = stage.until(MINUTE(5), MINUTE(6));
    assert!(written.iter().all(|(ready, _)| ready["status"] == "True"), "{written:?}");
    assert_eq!(stage.ready(), ("True".to_owned(), "1 of 1 ready".to_owned()));
}

#[test]
fn bad_news_from_a_node_that_is_gone_stays_for_ten_seconds() {
    let mut stage = two_nodes();
    let gone = MINUTE(5);
    stage.see(reports(), WatchEvent::Apply("b".to_owned(), report("b", "False")), gone);
    stage.see(Watch::Nodes, WatchEvent::Delete("b".to_owned()), gone);
    stage.until(gone, gone + ms(9_000));
    assert_eq!(stage.ready().0, "False", "it may come back: {:?}", stage.ready());
    stage.until(gone + ms(9_000), gone + ms(15_000));
    assert_eq!(stage.ready(), ("True".to_owned(), "1 of 1 ready".to_owned()));
    // And one that still reports is there.
    stage.see(reports(), WatchEvent::Apply("b".to_owned(), report("b", "Unknown")), gone + ms(20_000));
    stage.until(gone + ms(20_000), gone + ms(21_000));
    assert!(stage.ready().1.contains("NodeGone"), "{:?}", stage.ready());
}

#[test]
fn a_node_that_merely_cannot_be_seen_takes_nobody_out_of_the_count() {
    let mut stage = two_nodes();
    // The list is empty, as when nodes may not be read any more.
    stage.list(&Watch::Nodes, &[], MINUTE(5));
    stage.until(MINUTE(5), MINUTE(10));
    assert!(stage.ready().1.contains("NodeGone"), "{:?}", stage.ready());
    assert_eq!(stage.ready().0, "Unknown");
}

#[test]
fn only_leftovers_of_reporters_that_are_gone_for_long_are_removed() {
    let leftovers = |stage: &mut Stage, from: Duration, end: Duration| {
        let mut found = Vec::new();
        let mut now = from;
        loop {
            for (target, body) in stage.step(now) {
                if let ConfigTarget::Leftovers { kind, component, .. } = target {
                    found.push((kind, component, body));
                }
            }
            match stage.engine.next_due(true) {
                Some(due) if due <= end && found.is_empty() => now = now.max(due),
                _ => return found,
            }
        }
    };
    let mut stage = Stage::with(&on_nodes());
    stage.list(&reports(), &[("r", report("a", "True"))], ms(0));
    assert_eq!(leftovers(&mut stage, ms(0), MINUTE(10)), [], "nodes have not been listed");
    stage.list(&Watch::Nodes, &[], MINUTE(10));
    assert_eq!(leftovers(&mut stage, MINUTE(10), MINUTE(20)), [], "a cluster without any node is not seen");
    stage.see(Watch::Nodes, WatchEvent::Apply("b".to_owned(), node(true)), MINUTE(20));
    let found = leftovers(&mut stage, MINUTE(20), MINUTE(22));
    let expected = json!({ "living": ["b"], "gone": ["speaker-a"] });
    assert_eq!(found, [("StatusReport".to_owned(), "speaker".to_owned(), expected)]);

    stage.see(Watch::Nodes, WatchEvent::Apply("a".to_owned(), node(true)), MINUTE(22));
    assert_eq!(leftovers(&mut stage, MINUTE(22), MINUTE(23)), []);
    stage.see(Watch::Nodes, WatchEvent::Delete("a".to_owned()), MINUTE(23));
    assert_eq!(
        leftovers(&mut stage, MINUTE(23), MINUTE(23) + ms(59_000)),
        [],
        "it has to be gone for long once more"
    );
    stage.see(Watch::Nodes, WatchEvent::Failed("refused".into()), MINUTE(23) + ms(59_500));
    assert_eq!(leftovers(&mut stage, MINUTE(24), MINUTE(30)), [], "nodes are not seen");
}
