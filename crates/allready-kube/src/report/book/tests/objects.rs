//! Objects that are not there, are deleted, or have a past.

use allready_core::{Reason, condition_type};

use super::*;

#[test]
fn an_object_of_its_own_is_made_when_it_is_not_there() {
    let mut book = own();
    book.report("configReconciler", Outcome::success(), at(1));
    assert_eq!(book.next(START, 1.0), Step::Send(Ask::Read));
    book.refuse(Refusal::NotFound, START);
    assert_eq!(book.next(START, 1.0), Step::Send(Ask::Create));
    book.answered(Answer::Done, START, 1.0);
    book.written_at(START);
    assert_eq!(book.trouble(), None);

    // Deleted, and noticed by the next write.
    book.report("configReconciler", Outcome::error("a"), at(2));
    book.due(START);
    book.refuse(Refusal::NotFound, START);
    assert_eq!((book.next(START, 1.0), book.trouble()), (Step::Send(Ask::Create), None));
    book.answered(Answer::Done, START, 1.0);
    assert_eq!(book.due(START).conditions[0].last_transition_time, at(2));
    book.refuse(Refusal::NotFound, START);
    assert_eq!(
        book.next(START, 1.0),
        Step::Wait(Some(seconds(1))),
        "deleted again at once: not in a tight circle"
    );
}

#[test]
fn a_missing_definition_and_a_missing_permission_are_waited_for() {
    for (refusal, trouble) in [
        (Refusal::NotFound, Trouble::Missing),
        (Refusal::Forbidden, Trouble::Forbidden),
        (Refusal::Invalid, Trouble::Invalid),
    ] {
        let mut book = own();
        book.report("configReconciler", Outcome::success(), at(1));
        book.next(START, 1.0);
        book.refuse(Refusal::NotFound, START);
        let mut now = START;
        for wait in [1, 2, 4, 8, 16, 32, 32] {
            assert_eq!(book.next(now, 1.0), Step::Send(Ask::Create));
            book.refuse(refusal, now);
            assert_eq!(
                (book.next(now, 1.0), book.trouble()),
                (Step::Wait(Some(now + seconds(wait))), Some(trouble))
            );
            now += seconds(wait);
        }
    }
}

#[test]
fn an_object_with_owners_is_renewed_once_and_reported_into_even_if_that_is_not_allowed() {
    let renewed = || Book::new(speaker(), Shape::Own { renew: true }, PACE).having(vec![], None);
    for answer in [Answer::Done, Answer::Refused(Refusal::Forbidden)] {
        let mut book = renewed();
        book.report("configReconciler", Outcome::success(), at(1));
        assert_eq!(book.next(START, 1.0), Step::Send(Ask::Create));
        book.answered(answer, START, 1.0);
        book.written_at(START);
        book.report("configReconciler", Outcome::error("a"), at(1));
        book.written_at(START);
    }
}

#[test]
fn a_deleted_object_is_written_again_with_the_times_that_it_had() {
    let mut book = own().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    let first = book.written_at(START);
    book.lost();
    assert_eq!(book.next(START, 1.0), Step::Send(Ask::Create));
    book.answered(Answer::Done, START, 1.0);
    assert_eq!(book.written_at(START), first);
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn an_object_that_is_deleted_while_a_write_is_under_way_is_written_again() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    let first = book.due(START);
    book.lost();
    book.answered(Answer::Done, START, 1.0);
    assert_eq!(book.written_at(START), first);
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn a_report_during_a_write_is_written_next() {
    let mut book = shared().having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    book.due(START);
    book.report("configReconciler", Outcome::error("a"), at(2));
    book.report("configReconciler", Outcome::error("b"), at(3));
    book.answered(Answer::Done, START, 1.0);
    let write = book.written_at(START);
    assert_eq!(
        (write.conditions[0].message.as_str(), write.conditions[0].last_transition_time),
        ("b", at(2))
    );
    assert_eq!(book.next(START, 1.0), Step::Wait(None));
}

#[test]
fn what_a_process_before_said_stays_until_its_reconciler_speaks_again() {
    let found = vec![
        stored("configReconcilerValid", SyncState::Success, 5),
        stored("nodeReconcilerValid", SyncState::Error, 6),
    ];
    let mut book = own().having(found, Some("r1"));
    assert_eq!(book.next(START, 1.0), Step::Wait(None), "nobody has said anything yet");
    book.report("configReconciler", Outcome::success().observed("r2"), at(10));
    let write = book.written_at(START);
    assert_eq!(write.conditions[1], stored("nodeReconcilerValid", SyncState::Error, 6));
    assert_eq!(write.revision, None, "of the other nobody knows whether it has observed r2");
    book.report("nodeReconciler", Outcome::success().observed("r2"), at(11));
    assert_eq!(book.written_at(START).revision.as_deref(), Some("r2"));
}

#[test]
fn a_revision_is_shown_when_all_who_name_one_agree() {
    let mut book = own().having(vec![], None);
    book.report("a", Outcome::success().observed("r1"), at(1));
    book.report("b", Outcome::success(), at(1));
    assert_eq!(book.written_at(START).revision.as_deref(), Some("r1"));
    book.report("b", Outcome::success().observed("r2"), at(1));
    assert_eq!(book.written_at(START).revision, None);
    assert!(book.report("a", Outcome::success().observed("r2"), at(1)));
    assert_eq!(book.written_at(START).revision.as_deref(), Some("r2"));
}

#[test]
fn conditions_of_others_in_a_shared_object_are_left_alone() {
    let other = stored("speaker-kind-worker2/configReconcilerValid", SyncState::Error, 5);
    let mut book = shared().having(vec![other], None);
    assert_eq!(book.past, BTreeMap::new());
    book.report("configReconciler", Outcome::error(""), at(9));
    assert_eq!(book.written_at(START).conditions[0].last_transition_time, at(9));
}

#[test]
fn not_being_allowed_to_read_costs_the_past_and_nothing_else() {
    for refusal in [Refusal::Forbidden, Refusal::Invalid, Refusal::NotFound] {
        let mut book = shared();
        book.next(START, 1.0);
        book.refuse(refusal, START);
        book.report("configReconciler", Outcome::success(), at(9));
        assert_eq!(book.written_at(START).conditions[0].last_transition_time, at(9), "{refusal:?}");
    }
}

#[test]
fn reading_is_given_up_after_five_failures() {
    let mut book = shared();
    book.report("configReconciler", Outcome::success(), at(9));
    for second in (0..500).step_by(100).map(seconds) {
        assert_eq!(book.next(second, 1.0), Step::Send(Ask::Read));
        book.refuse(Refusal::Unanswered, second);
    }
    book.due(seconds(500));
}

#[test]
fn an_object_of_its_own_is_not_written_before_its_past_is_known() {
    let table = [
        (Refusal::Forbidden, Trouble::Forbidden),
        (Refusal::Invalid, Trouble::Invalid),
        (Refusal::Unanswered, Trouble::Unreachable),
        (Refusal::Busy { after: None }, Trouble::Unreachable),
    ];
    for (refusal, trouble) in table {
        let mut book = own();
        book.report("configReconciler", Outcome::success(), at(9));
        for second in (0..1000).step_by(100).map(seconds) {
            assert_eq!(book.next(second, 1.0), Step::Send(Ask::Read), "{refusal:?}");
            book.refuse(refusal, second);
        }
        assert_eq!(book.trouble(), Some(trouble));
        assert_eq!(book.next(seconds(1000), 1.0), Step::Send(Ask::Read));
        let red = stored("nodeReconcilerValid", SyncState::Error, 6);
        book.answered(Answer::Found(vec![red.clone()], None), seconds(1000), 1.0);
        assert_eq!(book.trouble(), None);
        assert_eq!(book.written_at(seconds(1000)).conditions[1], red);
    }
}

#[test]
fn what_is_there_is_written_again_now_and_then() {
    let pace = Pace { refresh: Some(seconds(600)), ..PACE };
    let mut book = Book::new(speaker(), Shape::Shared, pace).having(vec![], None);
    book.report("configReconciler", Outcome::success(), at(1));
    let first = book.written_at(START);
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(600))));
    assert_eq!(book.next(seconds(600), 0.0), Step::Send(Ask::Write(first)));
    book.answered(Answer::Done, seconds(600), 1.0);
    assert_eq!(book.next(seconds(600), 1.0), Step::Wait(Some(seconds(900))), "spread over half of it");
}

#[test]
fn what_was_found_as_it_should_be_is_written_again_now_and_then_too() {
    let pace = Pace { refresh: Some(seconds(600)), ..PACE };
    let found = vec![
        stored("configReconcilerValid", SyncState::Success, 5),
        ready(Status::True, "AllReconcilersValid", 5),
    ];
    let mut book = Book::new(speaker(), Shape::Own { renew: false }, pace).having(found.clone(), None);
    assert!(!book.report("configReconciler", Outcome::success(), at(9)));
    assert_eq!(book.next(START, 1.0), Step::Wait(Some(seconds(600))), "somebody may have deleted it since");
    assert_eq!(book.due(seconds(600)).conditions, found);
}

fn ready(status: Status, reason: &'static str, second: i64) -> Condition {
    Condition::new(condition_type!("Ready"), status, Reason::from_static(reason), "", at(second))
}

#[test]
fn ready_is_as_bad_as_the_worst_reconciler_in_its_words_and_moves_when_that_does() {
    let mut book = own().having(vec![], None);
    let mut said = |reconciler: &str, outcome: Outcome, second| {
        book.report(reconciler, outcome, at(second));
        let ready = book.written_at(START).conditions.pop().unwrap();
        let since = ready.last_transition_time.as_second();
        (ready.type_.to_string(), ready.status, ready.reason.to_string(), ready.message.to_string(), since)
    };
    let is = |status, reason: &str, message: &str, since| {
        ("Ready".to_owned(), status, reason.to_owned(), message.to_owned(), since)
    };
    assert_eq!(said("a", Outcome::success(), 1), is(Status::True, "AllReconcilersValid", "", 1));
    assert_eq!(said("b", Outcome::config_error("no"), 2), is(Status::False, "ConfigError", "no", 2));
    assert_eq!(said("a", Outcome::error("down"), 3), is(Status::False, "SyncStateError", "down", 2));
    assert_eq!(said("a", Outcome::success(), 4), is(Status::False, "ConfigError", "no", 2));
    assert_eq!(said("b", Outcome::success(), 5), is(Status::True, "AllReconcilersValid", "", 5));
}

#[test]
fn a_ready_that_is_not_what_the_reconcilers_come_to_is_written_again() {
    let valid = stored("configReconcilerValid", SyncState::Success, 5);
    let pending = ready(Status::Unknown, "Pending", 0);
    let mut book = own().having(vec![pending, valid.clone()], None);
    assert!(book.report("configReconciler", Outcome::success(), at(9)));
    let written = book.written_at(START).conditions;
    assert_eq!(written, [valid, ready(Status::True, "AllReconcilersValid", 5)]);
    assert!(!book.report("configReconciler", Outcome::success(), at(9)));
}
