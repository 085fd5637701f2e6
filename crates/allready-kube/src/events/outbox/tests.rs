use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::events::Rate;

fn at(second: u64) -> Duration {
    Duration::from_secs(second)
}

fn object(name: &str) -> ObjectReference {
    ObjectReference {
        name: Some(name.to_owned()),
        namespace: Some("shop".to_owned()),
        ..ObjectReference::default()
    }
}

fn note(severity: EventSeverity, text: &str) -> EventNote {
    EventNote { severity, reason: EventNote::REASON.into(), action: EventNote::ACTION, note: text.to_owned() }
}

fn normal(text: &str) -> EventNote {
    note(EventSeverity::Normal, text)
}

fn warning(text: &str) -> EventNote {
    note(EventSeverity::Warning, text)
}

fn outbox(limits: EventLimits) -> Outbox {
    let backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(8) };
    Outbox::new(limits, backoff, Origin::new("pools", "pools-0"), EventMetrics::default())
}

fn record(outbox: &mut Outbox, about: &str, note: &EventNote, second: u64) {
    let unique = outbox.next_id;
    let wall = Timestamp::UNIX_EPOCH + at(second);
    outbox.record(&object(about), note, wall, at(second), unique);
}

/// What is sent next: the note of an event that is created, or the count of a series.
fn sent(outbox: &mut Outbox, second: u64) -> String {
    match outbox.next(at(second)) {
        Next::Send(Request { body: Body::Create(event), .. }) => {
            let count = event.series.map_or(1, |series| series.count);
            format!("{} x{count}", event.note.unwrap())
        }
        Next::Send(Request { body: Body::Patch(patch), .. }) => {
            format!("patch x{}", patch["series"]["count"])
        }
        Next::At(instant) => format!("at {}", instant.as_secs()),
        Next::Idle => "idle".to_owned(),
    }
}

fn write(outbox: &mut Outbox, second: u64) -> String {
    let text = sent(outbox, second);
    outbox.answered(Ok(()), at(second), 1.0);
    text
}

#[test]
fn repeats_become_a_series_and_another_note_another_event() {
    let mut outbox = outbox(EventLimits::default());
    record(&mut outbox, "a", &normal("True to False"), 0);
    assert_eq!(write(&mut outbox, 0), "True to False x1");
    record(&mut outbox, "a", &normal("False to True"), 1);
    assert_eq!(write(&mut outbox, 1), "False to True x1", "the same reason, another text");
    record(&mut outbox, "a", &normal("True to False"), 2);
    record(&mut outbox, "a", &normal("True to False"), 3);
    assert_eq!(write(&mut outbox, 4), "at 10", "ten seconds after it was written");
    assert_eq!(write(&mut outbox, 10), "patch x3");
    assert_eq!(write(&mut outbox, 11), "idle");
    record(&mut outbox, "b", &normal("True to False"), 12);
    assert_eq!(write(&mut outbox, 12), "True to False x1", "another object");
    assert_eq!((outbox.metrics.created.get(), outbox.metrics.repeated.get()), (3, 1));
}

#[test]
fn a_series_ends_after_a_quiet_time() {
    let mut outbox = outbox(EventLimits::default());
    record(&mut outbox, "a", &normal("n"), 0);
    assert_eq!(write(&mut outbox, 0), "n x1");
    record(&mut outbox, "a", &normal("n"), 360);
    assert_eq!(write(&mut outbox, 360), "patch x2");
    record(&mut outbox, "a", &normal("n"), 721);
    assert_eq!(write(&mut outbox, 721), "n x1");
    assert_eq!(outbox.entries.len(), 1);
}

#[test]
fn a_repeat_during_the_request_is_told_afterwards() {
    let mut outbox = outbox(EventLimits::default());
    record(&mut outbox, "a", &normal("n"), 0);
    assert_eq!(sent(&mut outbox, 0), "n x1");
    record(&mut outbox, "a", &normal("n"), 0);
    assert_eq!(outbox.answered(Ok(()), at(1), 1.0), Outcome::Written);
    assert_eq!(write(&mut outbox, 11), "patch x2");
}

#[test]
fn too_many_waiting_push_out_the_oldest_normal_and_never_a_warning_for_a_normal() {
    let limits = EventLimits { waiting: 3, ..EventLimits::default() };
    for (recorded, expected) in [
        ("N1 N2 N3 N4", "N2 N3 N4"),
        ("W1 N2 N3 W4", "W1 N3 W4"),
        ("W1 W2 W3 N4", "W1 W2 W3"),
        ("W1 W2 W3 W4", "W2 W3 W4"),
        ("N1 W2 W3 W4 W5", "W3 W4 W5"),
    ] {
        let mut outbox = outbox(limits);
        for text in recorded.split(' ') {
            let note = if text.starts_with('W') { warning(text) } else { normal(text) };
            record(&mut outbox, "a", &note, 0);
        }
        let lost = recorded.split(' ').count() - 3;
        assert_eq!(outbox.metrics.overflowed.get(), lost as u64, "{recorded}");
        let written: Vec<_> =
            (0..3).map(|_| write(&mut outbox, 0).trim_end_matches(" x1").to_owned()).collect();
        assert_eq!(written.join(" "), expected, "{recorded}");
        assert!(outbox.is_done());
    }
}

#[test]
fn a_flood_about_one_object_is_cut_short_and_leaves_room_for_warnings() {
    let per_object = Rate { burst: 5, every: Duration::from_mins(1) };
    let mut outbox = outbox(EventLimits { per_object, ..EventLimits::default() });
    for number in 0..10 {
        record(&mut outbox, "a", &normal(&format!("normal {number}")), 0);
    }
    assert_eq!((outbox.unsent(), outbox.metrics.limited.get()), (4, 6));
    record(&mut outbox, "a", &warning("warning 0"), 0);
    record(&mut outbox, "a", &warning("warning 1"), 0);
    assert_eq!((outbox.unsent(), outbox.metrics.limited.get()), (5, 7));
    record(&mut outbox, "b", &normal("of another object"), 0);
    assert_eq!(outbox.unsent(), 6);
    record(&mut outbox, "a", &normal("normal 0"), 0);
    assert_eq!(outbox.metrics.limited.get(), 7, "repeats cost nothing");
    record(&mut outbox, "a", &warning("warning 2"), 60);
    assert_eq!(outbox.unsent(), 7, "time gives more");
}

#[test]
fn requests_keep_to_the_pace_unless_there_is_a_hurry() {
    let overall = Rate { burst: 2, every: Duration::from_secs(1) };
    let mut outbox = outbox(EventLimits { overall, ..EventLimits::default() });
    for number in 0..5 {
        record(&mut outbox, "a", &normal(&number.to_string()), 0);
    }
    assert_eq!(
        [0, 0, 0, 1, 1].map(|second| write(&mut outbox, second)),
        ["0 x1", "1 x1", "at 1", "2 x1", "at 2"]
    );
    outbox.hurry(true);
    assert_eq!([1, 1, 1].map(|second| write(&mut outbox, second)), ["3 x1", "4 x1", "idle"]);
}

#[test]
fn what_may_pass_is_tried_again_later_and_the_servers_wish_is_kept() {
    let busy = Refusal::Busy { after: Some(Duration::from_secs(7)) };
    for (refusal, second_try) in [(Refusal::Unanswered, 1), (Refusal::Conflict, 1), (busy, 7)] {
        let mut outbox = outbox(EventLimits::default());
        outbox.hurry(true);
        record(&mut outbox, "a", &normal("n"), 0);
        assert_eq!(sent(&mut outbox, 0), "n x1");
        assert_eq!(outbox.answered(Err(refusal), at(0), 1.0), Outcome::Again);
        assert_eq!(sent(&mut outbox, 0), format!("at {second_try}"), "{refusal:?}, also in a hurry");
        assert_eq!(write(&mut outbox, second_try), "n x1");
        assert_eq!(outbox.metrics.retried.get(), 1);
        assert!(outbox.is_done());
    }
}

#[test]
fn an_event_that_fails_too_often_is_given_up_and_does_not_hold_up_the_others() {
    let mut outbox = outbox(EventLimits { tries: 3, ..EventLimits::default() });
    record(&mut outbox, "a", &normal("bad"), 0);
    record(&mut outbox, "a", &normal("good"), 0);
    let mut story = Vec::new();
    for second in [1, 11, 21, 31, 41] {
        let text = sent(&mut outbox, second);
        let answer = if text == "bad x1" { Err(Refusal::Unanswered) } else { Ok(()) };
        story.push((text, outbox.answered(answer, at(second), 1.0)));
    }
    let expected = [
        ("bad x1", Outcome::Again),
        ("good x1", Outcome::Written),
        ("bad x1", Outcome::Again),
        ("bad x1", Outcome::GivenUp { first: true }),
        ("idle", Outcome::Written),
    ];
    assert_eq!(story, expected.map(|(text, outcome)| (text.to_owned(), outcome)));
    assert_eq!((outbox.metrics.failed.get(), outbox.metrics.created.get()), (1, 1));
}

#[test]
fn refusals_are_complained_about_once_until_something_succeeds() {
    let mut outbox = outbox(EventLimits::default());
    let mut outcomes = Vec::new();
    for (second, answer) in [
        (0, Err(Refusal::Forbidden)),
        (1, Err(Refusal::Invalid)),
        (2, Err(Refusal::NotFound)),
        (3, Ok(())),
        (4, Err(Refusal::Forbidden)),
    ] {
        record(&mut outbox, "a", &normal(&second.to_string()), second);
        sent(&mut outbox, second);
        outcomes.push(outbox.answered(answer, at(second), 1.0));
    }
    let given_up = |first| Outcome::GivenUp { first };
    assert_eq!(
        outcomes,
        [given_up(true), given_up(false), given_up(false), Outcome::Written, given_up(true)]
    );
    assert!(outbox.is_done(), "none of them is tried again");
}

#[test]
fn a_series_whose_event_has_expired_creates_it_again() {
    let mut outbox = outbox(EventLimits::default());
    record(&mut outbox, "a", &normal("n"), 0);
    write(&mut outbox, 0);
    record(&mut outbox, "a", &normal("n"), 20);
    assert_eq!(sent(&mut outbox, 20), "patch x2");
    assert_eq!(outbox.answered(Err(Refusal::NotFound), at(20), 1.0), Outcome::Again);
    assert_eq!(write(&mut outbox, 20), "n x2", "at once, with its series");
    assert!(outbox.is_done());
}

#[test]
fn an_event_that_exists_already_arrived_before_and_its_repeats_are_told_by_patch() {
    let mut outbox = outbox(EventLimits::default());
    record(&mut outbox, "a", &normal("n"), 0);
    sent(&mut outbox, 0);
    assert_eq!(outbox.answered(Err(Refusal::Unanswered), at(0), 1.0), Outcome::Again);
    record(&mut outbox, "a", &normal("n"), 0);
    assert_eq!(sent(&mut outbox, 1), "n x2");
    assert_eq!(outbox.answered(Err(Refusal::AlreadyExists), at(1), 1.0), Outcome::Written);
    assert_eq!(write(&mut outbox, 11), "patch x2");
    assert!(outbox.is_done());
}

#[test]
fn events_are_in_the_namespace_of_their_object_or_in_the_default_one() {
    for (namespace, expected) in [(Some("shop"), "shop"), (Some(""), "default"), (None, "default")] {
        let mut outbox = outbox(EventLimits::default());
        let object = ObjectReference { namespace: namespace.map(str::to_owned), ..object("a") };
        outbox.record(&object, &normal("n"), Timestamp::UNIX_EPOCH, at(0), 42);
        let Next::Send(request) = outbox.next(at(0)) else { panic!("nothing to send") };
        assert_eq!((request.namespace.as_str(), request.name.as_str()), (expected, "a.000000000000002a"));
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    let rate = Rate { burst: u32::MAX, every: Duration::ZERO };
    let limits = EventLimits { waiting: 10, per_object: rate, overall: rate, ..EventLimits::default() };
    let mut outbox = outbox(limits);
    for number in 0..20_000 {
        record(&mut outbox, "a", &normal(&number.to_string()), 0);
        write(&mut outbox, 0);
        assert!(outbox.entries.len() <= REMEMBERED + 10 && outbox.ids.len() == outbox.entries.len());
    }
    assert_eq!(outbox.metrics.created.get(), 20_000);
}

#[derive(Clone, Debug)]
enum Step {
    Record { object: u8, warning: bool, note: u8 },
    Send,
    Answer(u8),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u8..3, any::<bool>(), 0_u8..6)
            .prop_map(|(object, warning, note)| Step::Record { object, warning, note }),
        3 => Just(Step::Send),
        3 => (0_u8..12).prop_map(Step::Answer),
        1 => (0_u64..400).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..120)
}

proptest! {
    /// Every record is written, part of a series that is written, or counted as lost.
    #[test]
    fn nothing_is_lost_without_being_counted(steps in steps()) {
        let limits = EventLimits {
            waiting: 4,
            per_object: Rate { burst: 6, every: Duration::from_mins(1) },
            tries: 3,
            ..EventLimits::default()
        };
        let mut outbox = outbox(limits);
        let (mut now, mut recorded, mut events, mut stored) = (0, 0_u64, 0_u64, HashMap::new());
        let mut underway: Option<(String, i64)> = None;
        let mut answer = |outbox: &mut Outbox, underway: &mut Option<(String, i64)>, now, answer: u8| {
            let Some((name, count)) = underway.take() else { return };
            let refusal = match answer {
                0 => Err(Refusal::Forbidden),
                1 | 2 => Err(Refusal::Unanswered),
                3 => Err(Refusal::Busy { after: Some(Duration::from_secs(2)) }),
                _ => Ok(()),
            };
            if refusal.is_ok() {
                stored.insert(name, count);
            }
            outbox.answered(refusal, at(now), 0.5);
        };
        let mut send = |outbox: &mut Outbox, now| match outbox.next(at(now)) {
            Next::Send(Request { name, body: Body::Create(event), .. }) => {
                events += 1;
                Some((name, event.series.map_or(1, |series| i64::from(series.count))))
            }
            Next::Send(Request { name, body: Body::Patch(patch), .. }) => {
                Some((name, patch["series"]["count"].as_i64().unwrap()))
            }
            _ => None,
        };
        for step in steps {
            match step {
                Step::Record { object, warning: bad, note } => {
                    let note = if bad { warning(&note.to_string()) } else { normal(&note.to_string()) };
                    record(&mut outbox, &object.to_string(), &note, now);
                    recorded += 1;
                }
                Step::Send if underway.is_none() => underway = send(&mut outbox, now),
                Step::Send => {}
                Step::Answer(code) => answer(&mut outbox, &mut underway, now, code),
                Step::Wait(seconds) => now += seconds,
            }
            prop_assert!(outbox.due.len() <= 4);
            prop_assert_eq!(outbox.due.len(), outbox.normals.len() + outbox.warnings.len());
            prop_assert_eq!(outbox.entries.len(), outbox.ids.len());
        }
        answer(&mut outbox, &mut underway, now, 9);
        outbox.hurry(true);
        while !outbox.is_done() {
            now += 10;
            underway = send(&mut outbox, now);
            answer(&mut outbox, &mut underway, now, 9);
        }
        let told: u64 = stored.values().map(|count| u64::try_from(*count).unwrap()).sum();
        let metrics = &outbox.metrics;
        prop_assert!(told <= recorded);
        if metrics.overflowed.get() == 0 && metrics.failed.get() == 0 {
            prop_assert_eq!(told + metrics.limited.get(), recorded);
        }
        prop_assert_eq!(stored.len() as u64, metrics.created.get());
    }
}
