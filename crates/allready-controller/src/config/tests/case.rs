//! What is seen, and what is written when.

use std::time::Duration;

use allready_core::{Status, Time};
use allready_kube::refusal::Refusal;
use serde_json::{Value, json};

use super::super::*;

fn subject() -> Subject {
    Subject {
        api_version: "metallb.io/v1beta1".to_owned(),
        namespace: "metallb-system".to_owned(),
        name: "config-status".to_owned(),
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn at(now: Duration) -> Time {
    Time::from_second(1_000 + i64::try_from(now.as_secs()).unwrap()).unwrap()
}

fn expecting_a() -> Value {
    json!({ "components": [{ "name": "speaker", "reconcilers": ["configReconciler"], "instances": { "names": ["a"] } }] })
}

fn object(spec: &Value, status: &Value, version: u64) -> Value {
    json!({
        "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationStatus",
        "metadata": { "name": "config-status", "namespace": "metallb-system", "generation": 1,
            "resourceVersion": version.to_string() },
        "spec": spec, "status": status,
    })
}

fn report(status: &str) -> Value {
    json!({
        "metadata": { "name": "r" },
        "spec": { "target": "config-status", "component": "speaker", "instance": "a" },
        "status": { "conditions": [{ "type": "configReconcilerValid", "status": status, "reason": "Said",
            "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] },
    })
}

fn there(topic: Topic, name: &str, object: Value) -> (Topic, Event) {
    let object = Object { name: name.to_owned(), facts: Facts::Whole(object) };
    (topic, Event::There(Box::new(object)))
}

fn only(topic: Topic, event: Event) -> (Topic, Event) {
    (topic, event)
}

/// Lets a case see something, through its present watch of that.
fn see(case: &mut Case, (topic, event): (Topic, Event), now: Duration) {
    let epoch = case.topics().find(|(watched, _)| **watched == topic).map_or(0, |(_, epoch)| epoch);
    case.see(Sight { topic, epoch, event }, now);
}

/// A case that has listed its object and its reports, the one report saying this.
fn listed(status: &str) -> Case {
    let mut case = Case::new(subject(), Options::default(), ms(0));
    for sight in [
        only(Topic::Own, Event::Listing),
        there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 1)),
        only(Topic::Own, Event::Listed),
        only(Topic::Reports, Event::Listing),
        there(Topic::Reports, "r", report(status)),
        only(Topic::Reports, Event::Listed),
    ] {
        see(&mut case, sight, ms(0));
    }
    case
}

/// Lets the case write once, as the API server would take it, and gives what was written.
fn written(case: &mut Case, version: u64, mut now: Duration) -> (Value, Duration) {
    for _ in 0..100 {
        match case.next(true, now, at(now)) {
            Step::Write(body) => {
                let stored = object(&expecting_a(), &body["status"], version);
                case.wrote(Ok(&stored), 1.0, now);
                return (body["status"]["conditions"][0].clone(), now);
            }
            Step::Wait(wait) => now += wait.unwrap(),
        }
    }
    panic!("nothing was written");
}

#[test]
fn nothing_is_written_before_everything_was_listed() {
    let mut case = Case::new(subject(), Options::default(), ms(0));
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 1)), ms(0));
    see(&mut case, only(Topic::Own, Event::Listed), ms(0));
    assert!(!case.is_synced());
    for second in 0..10 {
        let now = Duration::from_secs(second);
        assert!(matches!(case.next(true, now, at(now)), Step::Wait(Some(wait)) if wait <= ms(10_000)));
    }
    // It has been too long: the reader is told what is missing.
    let (ready, _) = written(&mut case, 2, ms(10_000));
    assert_eq!(ready["status"], "Unknown");
    let message = ready["message"].as_str().unwrap();
    assert!(message.starts_with("StatusReports cannot be seen: has not been listed yet"), "{message}");
}

#[test]
fn what_is_written_is_written_once() {
    let mut case = listed("True");
    let (ready, now) = written(&mut case, 2, ms(0));
    assert_eq!((&ready["status"], &ready["observedGeneration"]), (&json!("True"), &json!(1)));
    for millisecond in 0..5_000 {
        let now = now + ms(millisecond);
        assert!(matches!(case.next(true, now, at(now)), Step::Wait(_)));
    }
}

#[test]
fn who_does_not_lead_writes_nothing_and_knows_everything_when_it_does() {
    let mut case = listed("True");
    assert!(matches!(case.next(false, ms(60_000), at(ms(60_000))), Step::Wait(_)));
    see(&mut case, there(Topic::Reports, "r", report("False")), ms(60_000));
    assert!(matches!(case.next(false, ms(60_001), at(ms(60_001))), Step::Wait(_)));
    let Step::Write(body) = case.next(true, ms(60_002), at(ms(60_002))) else { panic!("it leads") };
    assert_eq!(body["status"]["conditions"][0]["status"], "False");
}

#[test]
fn a_watch_that_is_behind_our_own_write_changes_nothing() {
    let mut case = listed("True");
    let (_, now) = written(&mut case, 5, ms(0));
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 4)), now);
    assert!(matches!(case.next(true, now, at(now)), Step::Wait(_)));
    // Somebody emptied the status: it is written again.
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 6)), now);
    written(&mut case, 7, now);
}

#[test]
fn after_a_failed_write_it_waits_as_long_as_it_was_asked_to() {
    let mut case = listed("False");
    let Step::Write(_) = case.next(true, ms(0), at(ms(0))) else { panic!("red is written at once") };
    assert!(matches!(case.next(true, ms(1), at(ms(1))), Step::Wait(_)), "one write at a time");
    case.wrote(Err(Refusal::Busy { after: Some(ms(3_000)) }), 1.0, ms(10));
    assert_eq!(case.next(true, ms(10), at(ms(10))), Step::Wait(Some(ms(3_000))));
    assert!(matches!(case.next(true, ms(3_010), at(ms(3_010))), Step::Write(_)));
    case.wrote(Err(Refusal::Unanswered), 1.0, ms(3_020));
    assert_eq!(case.next(true, ms(3_020), at(ms(3_020))), Step::Wait(Some(ms(200))), "the second failure");
}

#[test]
fn what_a_new_list_does_not_show_is_gone() {
    let mut case = listed("True");
    let (_, now) = written(&mut case, 2, ms(0));
    see(&mut case, only(Topic::Reports, Event::Listing), now);
    see(&mut case, only(Topic::Reports, Event::Listed), now);
    let (ready, _) = written(&mut case, 3, now);
    assert_eq!(ready["status"], "Unknown");
}

#[test]
fn a_watch_that_fails_for_long_is_told_and_one_that_recovers_is_believed_again() {
    let mut case = listed("True");
    let (_, mut now) = written(&mut case, 2, ms(0));
    let until = now + ms(11_000);
    let mut told = None;
    while now < until {
        see(&mut case, only(Topic::Reports, Event::Failed("connection refused".to_owned())), now);
        if let Step::Write(body) = case.next(true, now, at(now)) {
            case.wrote(Ok(&object(&expecting_a(), &body["status"], 3)), 1.0, now);
            told = Some(body["status"]["conditions"][0].clone());
        }
        now += ms(500);
    }
    let told = told.unwrap();
    assert_eq!(told["message"], "StatusReports cannot be seen: connection refused");
    // That it begins to list says nothing; that it has listed does.
    see(&mut case, only(Topic::Reports, Event::Listing), now);
    assert!(matches!(case.next(true, now, at(now)), Step::Wait(_)));
    see(&mut case, there(Topic::Reports, "r", report("True")), now);
    see(&mut case, only(Topic::Reports, Event::Listed), now);
    let (ready, _) = written(&mut case, 4, now);
    assert_eq!(ready["status"], "True");
}

#[test]
fn a_watch_that_lists_and_fails_by_turns_is_told_too() {
    let mut case = Case::new(subject(), Options::default(), ms(0));
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 1)), ms(0));
    see(&mut case, only(Topic::Own, Event::Listed), ms(0));
    let mut now = ms(0);
    while now < ms(12_000) {
        see(&mut case, only(Topic::Reports, Event::Listing), now);
        see(&mut case, only(Topic::Reports, Event::Failed("forbidden".to_owned())), now);
        if let Step::Write(body) = case.next(true, now, at(now)) {
            let message = body["status"]["conditions"][0]["message"].as_str().unwrap();
            assert!(message.starts_with("StatusReports cannot be seen: forbidden"), "{message}");
            return;
        }
        now += ms(100);
    }
    panic!("nothing was written");
}

#[test]
fn what_is_red_is_written_before_everything_has_been_seen() {
    let mut case = listed("False");
    let more = json!({ "components": expecting_a()["components"], "silentAfterSeconds": 30 });
    see(&mut case, there(Topic::Own, "config-status", object(&more, &json!({}), 2)), ms(0));
    assert!(!case.is_synced(), "Leases have not been listed");
    assert!(matches!(case.next(true, ms(1), at(ms(1))), Step::Write(_)));
}

#[test]
fn a_refused_write_does_not_end_a_case() {
    let mut case = listed("False");
    let Step::Write(_) = case.next(true, ms(0), at(ms(0))) else { panic!("red is written at once") };
    case.wrote(Err(Refusal::NotFound), 1.0, ms(10));
    assert!(
        matches!(case.next(true, ms(1_000), at(ms(1_000))), Step::Write(_)),
        "it may be there for others"
    );
}

#[test]
fn a_write_that_does_not_stick_is_not_repeated_at_once() {
    let mut case = listed("False");
    let mut writes = 0;
    let mut now = ms(0);
    while now < ms(10_000) {
        if let Step::Write(body) = case.next(true, now, at(now)) {
            writes += 1;
            let mut stored = object(&expecting_a(), &body["status"], 2 + writes);
            stored["status"]["revision"] = json!({ "expected": "somebody else's", "digested": 0, "of": 0 });
            case.wrote(Ok(&stored), 1.0, now);
        }
        now += ms(10);
    }
    assert!((2..12).contains(&writes), "{writes}");
}

#[test]
fn what_a_given_up_watch_still_says_is_not_believed() {
    let mut case = listed("True");
    let with = json!({ "components": expecting_a()["components"], "silentAfterSeconds": 30 });
    let epoch =
        |case: &Case| case.topics().find(|(topic, _)| **topic == Topic::Leases).map(|(_, epoch)| epoch);
    see(&mut case, there(Topic::Own, "config-status", object(&with, &json!({}), 2)), ms(0));
    let first = epoch(&case).unwrap();
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 3)), ms(0));
    see(&mut case, there(Topic::Own, "config-status", object(&with, &json!({}), 4)), ms(0));
    assert_ne!(epoch(&case), Some(first), "it is watched anew");
    case.see(Sight { topic: Topic::Leases, epoch: first, event: Event::Listed }, ms(0));
    assert!(!case.is_synced());
}

#[test]
fn another_spec_needs_other_watches() {
    let mut case = listed("True");
    let topics = |case: &Case| case.topics().map(|(topic, _)| topic.clone()).collect::<Vec<_>>();
    assert_eq!(topics(&case), [Topic::Own, Topic::Reports]);
    let metallb = object(&json!({ "preset": "MetalLB", "silentAfterSeconds": 30 }), &json!({}), 9);
    see(&mut case, there(Topic::Own, "config-status", metallb), ms(0));
    let [.., Topic::Leases, Topic::Source { kind, .. }] = &topics(&case)[..] else {
        panic!("{:?}", topics(&case))
    };
    assert_eq!((topics(&case).len(), kind.as_str()), (7, "ConfigurationState"));
    assert!(!case.is_synced());
    see(&mut case, there(Topic::Own, "config-status", object(&expecting_a(), &json!({}), 10)), ms(0));
    assert_eq!(topics(&case).len(), 2);
}

#[test]
fn a_spec_that_cannot_be_read_is_never_good() {
    let mut case = listed("True");
    let odd = object(&json!({ "components": "all" }), &json!({}), 9);
    see(&mut case, there(Topic::Own, "config-status", odd), ms(0));
    let (ready, _) = written(&mut case, 10, ms(0));
    assert_eq!(ready["status"], "Unknown");
    assert!(ready["message"].as_str().unwrap().starts_with("spec cannot be"), "{ready}");
}

#[test]
fn ready_keeps_its_time_across_a_restart_of_the_aggregator() {
    let mut first = listed("True");
    let (ready, _) = written(&mut first, 2, ms(0));
    let mut second = listed("True");
    let standing = object(&expecting_a(), &json!({ "conditions": [ready] }), 3);
    see(&mut second, there(Topic::Own, "config-status", standing), ms(0));
    let (again, _) = written(&mut second, 4, ms(500_000));
    assert_eq!(again["lastTransitionTime"], ready["lastTransitionTime"]);
    assert_eq!(again["status"], Status::True.as_str());
}

#[test]
fn only_who_is_gone_for_long_is_swept_and_nobody_while_it_is_not_known_who_is_there() {
    let on_nodes = json!({ "components": [{ "name": "speaker", "instances": { "nodes": {} } }] });
    let mut case = Case::new(subject(), Options::default(), ms(0));
    see(&mut case, there(Topic::Own, "config-status", object(&on_nodes, &json!({}), 1)), ms(0));
    for topic in [Topic::Own, Topic::Reports] {
        see(&mut case, only(topic, Event::Listed), ms(0));
    }
    see(&mut case, there(Topic::Reports, "r", report("True")), ms(0));
    let minutes = |minutes| Duration::from_mins(minutes);
    assert_eq!(case.stale(minutes(10)), [], "nodes have not been listed");
    see(&mut case, only(Topic::Nodes, Event::Listed), minutes(10));
    assert_eq!(case.stale(minutes(20)), [], "a cluster without any node is one that is not seen");

    let node = |name: &str| {
        let facts = NodeFacts { labels: std::collections::BTreeMap::new(), ready: true };
        let object = Object { name: name.to_owned(), facts: Facts::Node(facts) };
        only(Topic::Nodes, Event::There(Box::new(object)))
    };
    see(&mut case, node("b"), minutes(20));
    assert_eq!(case.stale(minutes(20)), [], "gone just now");
    let [stale] = &case.stale(minutes(21))[..] else { panic!("speaker-a is gone") };
    assert_eq!((stale.kind.as_str(), stale.component.as_str()), ("StatusReport", "speaker"));
    assert_eq!(stale.gone.iter().collect::<Vec<_>>(), ["speaker-a"]);
    assert_eq!(stale.living.iter().map(ToString::to_string).collect::<Vec<_>>(), ["speaker-b"]);

    see(&mut case, node("a"), minutes(22));
    assert_eq!(case.stale(minutes(22)), []);
    see(&mut case, only(Topic::Nodes, Event::Gone { name: "a".to_owned() }), minutes(23));
    assert_eq!(case.stale(minutes(23)), [], "it has to be gone for long once more");
    see(&mut case, only(Topic::Nodes, Event::Failed("refused".to_owned())), minutes(24));
    assert_eq!(case.stale(minutes(30)), [], "nodes are not seen");
}
