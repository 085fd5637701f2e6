//! What is said, what is sent, and when.

mod objects;

use allready_core::Status;

use super::*;
use crate::report::SyncState;

const START: Duration = Duration::ZERO;
const PACE: Pace =
    Pace { backoff: Backoff { min: Duration::from_secs(1), max: Duration::from_secs(8) }, refresh: None };

pub(in crate::report::book) fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn speaker() -> Identity {
    Identity::of("speaker").on("kind-worker")
}

fn shared() -> Book {
    Book::new(speaker(), Shape::Shared, PACE)
}

fn own() -> Book {
    Book::new(speaker(), Shape::Own { renew: false }, PACE)
}

impl Book {
    /// A book that has found these conditions.
    fn having(mut self, conditions: Vec<Condition>, revision: Option<&str>) -> Self {
        assert_eq!(self.next(START, 1.0), Step::Send(Ask::Read));
        self.answered(Answer::Found(conditions, revision.map(Into::into)), START, 1.0);
        self
    }

    /// The write that is due.
    fn due(&mut self, now: Duration) -> Write {
        match self.next(now, 1.0) {
            Step::Send(Ask::Write(write)) => write,
            other => panic!("no write is due, but {other:?}"),
        }
    }

    fn refuse(&mut self, refusal: Refusal, now: Duration) {
        self.answered(Answer::Refused(refusal), now, 1.0);
    }

    fn written_at(&mut self, now: Duration) -> Write {
        let write = self.due(now);
        self.answered(Answer::Done, now, 1.0);
        write
    }
}

fn stored(type_: &'static str, state: SyncState, second: i64) -> Condition {
    let (status, reason) = state.verdict();
    Condition::new(ConditionType::from_static(type_), status, reason, "", at(second))
}

const CONFIG: &str = "speaker-kind-worker/configReconcilerValid";

#[test]
fn in_a_shared_object_each_reconciler_applies_one_condition_as_a_manager_of_its_own() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    book.report("nodeReconciler", Outcome::error("no such node"), at(2));
    let writes = [book.written_at(START), book.written_at(START)];
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
    let said = writes.map(|write| (write.manager.to_string(), write.conditions));
    let config = stored(CONFIG, SyncState::Success, 1);
    let mut node = stored("speaker-kind-worker/nodeReconcilerValid", SyncState::Error, 2);
    node.message = "no such node".into();
    assert_eq!(
        said,
        [
            ("speaker-kind-worker/configReconciler".to_owned(), vec![config]),
            ("speaker-kind-worker/nodeReconciler".to_owned(), vec![node])
        ]
    );
}

#[test]
fn a_shared_object_has_no_place_for_a_revision() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success().observed("r1"), at(1));
    assert_eq!(book.written_at(START).revision, None);
    assert!(!book.report("configReconciler", Outcome::success().observed("r2"), at(1)));
}

#[test]
fn in_an_object_of_its_own_one_write_carries_all_conditions() {
    let mut book = own().having(vec![], None);
    book.report("nodeReconciler", Outcome::success(), at(1));
    book.report("configReconciler", Outcome::success().observed("r1"), at(1));
    let write = book.written_at(START);
    assert_eq!(write.manager.as_str(), "speaker-kind-worker");
    let types: Vec<_> = write.conditions.iter().map(|condition| condition.type_.as_str()).collect();
    assert_eq!(types, ["configReconcilerValid", "nodeReconcilerValid", "Ready"]);
    assert_eq!(write.revision.as_deref(), Some("r1"));
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn what_is_stored_already_is_not_written_again() {
    let mut book = shared().having(vec![stored(CONFIG, SyncState::Success, 5)], None);
    assert!(!book.report("configReconciler", Outcome::success(), at(100)));
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn the_time_moves_with_the_status_and_never_otherwise() {
    let mut book = shared().having(vec![stored(CONFIG, SyncState::Success, 5)], None);
    let mut time = |outcome, second| {
        book.report("configReconciler", outcome, at(second));
        book.written_at(START).conditions[0].last_transition_time.as_second()
    };
    assert_eq!(
        time(SyncState::ReprocessAll.into(), 10),
        5,
        "another reason for the same status, after a restart"
    );
    assert_eq!(time(Outcome::error("a"), 20), 20);
    assert_eq!(time(Outcome::error("b"), 30), 20, "another message");
    assert_eq!(time(Outcome::config_error("b"), 40), 20, "another reason");
    assert_eq!(time(Outcome::success(), 15), 20, "the clock went back, the time does not");
}

#[test]
fn a_status_that_was_never_stored_leaves_no_trace_in_the_time() {
    let mut book = shared().having(vec![stored(CONFIG, SyncState::Success, 5)], None);
    book.report("configReconciler", Outcome::error("a blip"), at(10));
    assert!(!book.report("configReconciler", Outcome::success(), at(11)));
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn after_an_unanswered_write_it_is_sent_again_with_the_same_time() {
    let mut book = shared().having(vec![stored(CONFIG, SyncState::Success, 5)], None);
    book.report("configReconciler", Outcome::error("a"), at(10));
    let first = book.due(START);
    book.refuse(Refusal::Unanswered, START);
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(1))));
    assert_eq!(book.due(seconds(1)), first);
}

#[test]
fn a_status_that_may_have_been_stored_counts_as_a_transition() {
    let mut book = shared().having(vec![stored(CONFIG, SyncState::Success, 5)], None);
    book.report("configReconciler", Outcome::error("a"), at(10));
    book.due(START);
    book.refuse(Refusal::Unanswered, START);
    assert!(book.report("configReconciler", Outcome::success(), at(20)), "what is stored is not known");
    let write = book.due(seconds(1));
    assert_eq!(
        (write.conditions[0].status, write.conditions[0].last_transition_time),
        (Status::True, at(20))
    );
}

#[test]
fn an_unanswered_write_that_arrives_late_is_overwritten_a_minute_later() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    book.due(START);
    book.refuse(Refusal::Unanswered, START);
    book.report("configReconciler", Outcome::error("a"), at(2));
    let last = book.written_at(seconds(1));
    assert_eq!(book.next(seconds(2), 1.0), Step::Wait(Some(seconds(61))));
    assert_eq!(book.written_at(seconds(61)), last);
    assert_eq!(book.next(seconds(61), 1.0), Step::Wait(None));
}

#[test]
fn failures_wait_longer_and_longer_and_a_success_forgets_them() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    let mut now = START;
    for wait in [1, 2, 4, 8, 8] {
        book.due(now);
        book.refuse(Refusal::Conflict, now);
        assert_eq!(book.next(now, 1.0), Step::Wait(Some(now + seconds(wait))));
        now += seconds(wait);
    }
    book.written_at(now);
    book.report("configReconciler", Outcome::error("a"), at(2));
    book.due(now);
    book.refuse(Refusal::Conflict, now);
    assert_eq!(book.next(now, 1.0), Step::Wait(Some(now + seconds(1))));
}

#[test]
fn a_busy_server_is_left_alone_for_as_long_as_it_asks_even_at_the_end() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    book.due(START);
    book.refuse(Refusal::Busy { after: Some(seconds(30)) }, START);
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(31))));
    book.close();
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(30))));
    book.written_at(seconds(30));
    assert_eq!(book.next(seconds(30), 1.0), Step::End);
}

#[test]
fn closing_does_not_wait_for_the_backoff() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    book.due(START);
    book.refuse(Refusal::NotFound, START);
    book.close();
    book.written_at(START);
    assert_eq!((book.next(START, 1.0), book.unwritten()), (Step::End, 0));
}

#[test]
fn a_closed_book_with_nothing_said_ends_without_a_request() {
    let mut book = shared();
    book.close();
    assert_eq!(book.next(START, 1.0), Step::End);
}

#[test]
fn troubles_are_states_and_a_blip_is_none() {
    let table = [
        (Refusal::NotFound, [Some(Trouble::Missing); 3]),
        (Refusal::Forbidden, [Some(Trouble::Forbidden); 3]),
        (Refusal::Invalid, [Some(Trouble::Invalid); 3]),
        (Refusal::Unanswered, [None, None, Some(Trouble::Unreachable)]),
        (Refusal::Conflict, [None, None, Some(Trouble::Unreachable)]),
        (Refusal::Busy { after: None }, [None, None, Some(Trouble::Unreachable)]),
    ];
    for (refusal, troubles) in table {
        let mut book = shared().having(vec![], None);
        book.report("configReconciler", Outcome::success(), at(1));
        for (second, trouble) in (0..).step_by(1000).zip(troubles) {
            book.due(seconds(second));
            book.refuse(refusal, seconds(second));
            assert_eq!(book.trouble(), trouble, "{refusal:?} at {second}");
        }
        book.written_at(seconds(9000));
        assert_eq!(book.trouble(), None, "{refusal:?}");
    }
}

#[test]
fn what_the_server_finds_invalid_does_not_hold_up_others() {
    let mut book = shared().having(vec![], None);
    book.report("a", Outcome::success(), at(1));
    book.report("b", Outcome::success(), at(1));
    assert_eq!(book.due(START).manager.as_str(), "speaker-kind-worker/a");
    book.refuse(Refusal::Invalid, START);
    assert_eq!(book.written_at(START).manager.as_str(), "speaker-kind-worker/b");
    assert_eq!(book.trouble(), Some(Trouble::Invalid), "the success of another does not hide it");
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(1))));
}

#[test]
fn managers_take_turns() {
    let mut book = shared().having(vec![], None);
    for reconciler in ["a", "b", "c"] {
        book.report(reconciler, Outcome::success(), at(1));
    }
    let mut turn = |second: u64| {
        let manager = book.due(seconds(second)).manager.to_string();
        book.refuse(Refusal::Conflict, seconds(second));
        manager.rsplit('/').next().unwrap().to_owned()
    };
    assert_eq!([0, 100, 200, 300].map(&mut turn).concat(), "abca");
}
