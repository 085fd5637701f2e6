use super::*;

#[test]
fn a_configuration_error_comes_before_every_state() {
    use SyncState::{Error, ErrorNoRetry, ReprocessAll, Success};
    let table = [
        (Success, Status::True, "SyncStateSuccess"),
        (ReprocessAll, Status::True, "SyncStateReprocessAll"),
        (Error, Status::False, "SyncStateError"),
        (ErrorNoRetry, Status::False, "SyncStateErrorNoRetry"),
    ];
    for (state, status, reason) in table {
        let plain = Outcome::of(None::<&str>, state);
        assert_eq!((plain.status(), plain.reason().as_str(), plain.message()), (status, reason, ""));
        let invalid = Outcome::of(Some("no such pool"), state);
        assert_eq!(
            (invalid.status(), invalid.reason().as_str(), invalid.message()),
            (Status::False, "ConfigError", "no such pool")
        );
    }
}

#[test]
fn an_error_that_calls_itself_a_success_is_reported_as_an_error() {
    for error in [Some(Outcome::success()), Some(SyncState::ReprocessAll.into()), None] {
        let outcome = Err::<(), _>(error).to_outcome().unwrap();
        assert_eq!((outcome.status(), outcome.reason().as_str()), (Status::False, "SyncStateError"));
    }
}

#[test]
fn every_kind_of_failure_has_its_reason() {
    let reason = |failure: Failure| failure.to_outcome().unwrap().reason().to_string();
    assert_eq!(reason(Failure::config("x")), "ConfigError");
    assert_eq!(reason(Failure::retry("x")), "SyncStateError");
    assert_eq!(reason(Failure::no_retry("x")), "SyncStateErrorNoRetry");
}

#[test]
fn a_reconcile_with_nothing_to_do_says_nothing() {
    assert_eq!(Ok::<Option<()>, Failure>(None).to_outcome(), None);
    assert_eq!(Ok::<_, Failure>(Some(())).to_outcome(), Some(Outcome::success()));
}

#[test]
fn a_text_of_any_length_becomes_a_message_that_the_server_takes() {
    assert_eq!(Outcome::error("é".repeat(40_000)).message().len(), Message::MAX_BYTES);
}
