//! What is written when.

use serde_json::json;

use super::*;
use crate::hub::ObjectName;

const MS: fn(u64) -> Duration = Duration::from_millis;

fn place(name: &str) -> Place {
    let (aggregation, kind) = ("gateways".into(), "Gateway".into());
    Place::Status { aggregation, kind, object: ObjectName::new("shop", name) }
}

fn outbox() -> Outbox {
    let backoff = Backoff { min: MS(100), max: MS(1000) };
    Outbox::new(Pace::default(), backoff)
}

fn draft(text: &str) -> Draft {
    Draft::calm(Some(json!(text)))
}

#[test]
fn a_burst_is_one_write_of_the_last_draft() {
    let mut outbox = outbox();
    for n in 0..40 {
        outbox.want(&place("web"), Some(draft(&n.to_string())), MS(n));
        assert_eq!(outbox.take_due(MS(n)), []);
    }
    assert_eq!(outbox.wait(MS(40)), Some(MS(10)));
    assert_eq!(outbox.take_due(MS(50)), [(place("web"), Some(json!("39")))]);
    assert_eq!(outbox.take_due(MS(60)), []);
}

#[test]
fn a_burst_that_goes_on_is_waited_for_and_not_for_ever() {
    let pace = Pace { longest: MS(200), ..Pace::default() };
    let mut outbox = Outbox::new(pace, Backoff { min: MS(100), max: MS(1000) });
    for n in 0..12 {
        outbox.want(&place("web"), Some(draft(&n.to_string())), MS(10 * n));
        assert_eq!(outbox.take_due(MS(10 * n)), []);
    }
    assert_eq!(outbox.wait(MS(110)), Some(MS(50)), "as long as after the last one");
    for n in 12..20 {
        outbox.want(&place("web"), Some(draft(&n.to_string())), MS(10 * n));
    }
    assert_eq!(outbox.take_due(MS(199)), []);
    assert_eq!(outbox.take_due(MS(200)).len(), 1, "and not longer than so after the first");
}

#[test]
fn bad_news_does_not_wait() {
    let mut outbox = outbox();
    let bad = Draft { body: Some(json!("bad")), news: (Status::False, Some(Status::True)) };
    outbox.want(&place("web"), Some(bad), MS(7));
    assert_eq!(outbox.take_due(MS(7)).len(), 1);
}

#[test]
fn one_place_is_written_once_at_a_time_and_what_comes_meanwhile_comes_after() {
    let mut outbox = outbox();
    outbox.want(&place("web"), Some(draft("1")), MS(0));
    assert_eq!(outbox.take_due(MS(50)).len(), 1);
    outbox.want(&place("web"), Some(draft("2")), MS(60));
    assert_eq!((outbox.take_due(MS(9000)), outbox.is_under_way(&place("web"))), (vec![], true));
    outbox.wrote(&place("web"), Ok(()), 0.5, MS(9000));
    assert_eq!(outbox.take_due(MS(9000)), [(place("web"), Some(json!("2")))]);
}

#[test]
fn what_fails_is_put_off_for_longer_each_time_and_forgotten_when_it_is_not_wanted_any_more() {
    let mut outbox = outbox();
    let mut now = MS(0);
    outbox.want(&place("web"), Some(draft("x")), now);
    for expected in [100, 200, 400, 800, 1000, 1000] {
        now += outbox.wait(now).unwrap();
        assert_eq!(outbox.take_due(now).len(), 1);
        outbox.wrote(&place("web"), Err(Refusal::Unanswered), 1.0, now);
        assert_eq!(outbox.wait(now), Some(MS(expected)));
    }
    outbox.want(&place("web"), None, now);
    assert_eq!((outbox.wait(now), outbox.len()), (None, 0));
}

#[test]
fn no_more_than_so_many_are_under_way_and_statuses_go_before_reports() {
    let mut outbox = outbox();
    for n in 0..100 {
        let report = Place::Report(ObjectName::new("shop", &format!("{n:03}")));
        outbox.want(&report, Some(draft("r")), MS(0));
    }
    outbox.want(&place("web"), Some(draft("s")), MS(0));
    let first = outbox.take_due(MS(50));
    assert_eq!((first.len(), &first[0].0), (MOST_AT_ONCE, &place("web")));
    assert_eq!((outbox.take_due(MS(51)), outbox.wait(MS(51))), (vec![], None));
    outbox.wrote(&place("web"), Ok(()), 0.0, MS(52));
    assert_eq!(outbox.take_due(MS(52)).len(), 1);
}

#[test]
fn a_place_that_is_forgotten_while_it_is_written_gives_its_turn_back() {
    let mut outbox = outbox();
    outbox.want(&place("web"), Some(draft("1")), MS(0));
    outbox.take_due(MS(50));
    outbox.forget(&place("web"));
    assert!(!outbox.wrote(&place("web"), Ok(()), 0.0, MS(60)), "it has no say any more");
    assert!(outbox.is_empty());
}

#[test]
fn what_is_wanted_after_a_place_was_forgotten_waits_for_what_went_before() {
    let mut outbox = outbox();
    outbox.want(&place("web"), Some(draft("1")), MS(0));
    outbox.take_due(MS(50));
    outbox.forget(&place("web"));
    outbox.want(&place("web"), Some(draft("2")), MS(60));
    assert_eq!(outbox.take_due(MS(900)), []);
    outbox.wrote(&place("web"), Err(Refusal::Conflict), 0.0, MS(900));
    assert_eq!(outbox.take_due(MS(2000)), [(place("web"), Some(json!("2")))]);
}

#[test]
fn what_fails_when_nothing_is_wanted_any_more_is_not_tried_again() {
    let mut outbox = outbox();
    outbox.want(&place("web"), Some(draft("1")), MS(0));
    outbox.take_due(MS(50));
    outbox.want(&place("web"), None, MS(60));
    outbox.wrote(&place("web"), Err(Refusal::Unanswered), 0.0, MS(70));
    assert_eq!((outbox.take_due(MS(90_000)), outbox.len()), (vec![], 0));
}

#[test]
fn a_place_at_rest_is_not_kept_for_ever() {
    let mut outbox = outbox();
    outbox.want(&place("web"), Some(draft("1")), MS(0));
    outbox.take_due(MS(50));
    outbox.wrote(&place("web"), Ok(()), 0.0, MS(60));
    outbox.tidy(MS(61));
    assert_eq!(outbox.entries.len(), 1, "its pace is kept");
    outbox.tidy(MS(5000));
    assert_eq!(outbox.entries.len(), 0);
}

#[test]
fn who_has_waited_longest_is_written_first_among_equals() {
    let mut outbox = outbox();
    for (name, at) in [("a", 2), ("b", 1)] {
        outbox.want(&place(name), Some(draft(name)), MS(at));
    }
    let written: Vec<_> = outbox.take_due(MS(60)).into_iter().map(|(place, _)| place).collect();
    assert_eq!(written, [place("b"), place("a")]);
}
