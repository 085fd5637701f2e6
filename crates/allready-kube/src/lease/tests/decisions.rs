//! The rule, as a table.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use tokio::time::Instant;

use crate::lease::{Answer, Decision, Election, Next, Now, Observed, Record, Request, Timing, decide};

fn at(start: Instant, seconds: u64) -> Now {
    let wall = Timestamp::from_second(1_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Now { instant: start + Duration::from_secs(seconds), wall }
}

fn held(holder: &str, duration_seconds: i32) -> Record {
    let long_ago = Some(Timestamp::from_second(10).unwrap());
    Record {
        holder: holder.to_owned(),
        duration_seconds,
        transitions: 3,
        acquired: long_ago,
        renewed: long_ago,
    }
}

#[test]
fn what_is_done_depends_on_the_holder_and_on_how_long_we_have_seen_no_change() {
    let start = Instant::now();
    let timing = Timing::default();
    // holder, the duration it says, seconds since we saw it change, and what is done
    let cases = [
        ("other", 15, 0, "wait"),
        ("other", 15, 14, "wait"),
        ("other", 15, 15, "acquire"),
        ("other", 60, 59, "wait"),
        ("other", 60, 60, "acquire"),
        ("other", 1, 1, "acquire"),
        // A lease that does not say how long it holds is given our own time.
        ("other", 0, 14, "wait"),
        ("other", -5, 14, "wait"),
        ("other", 0, 15, "acquire"),
        ("", 15, 0, "acquire"),
        ("", 1, 0, "acquire"),
        ("me", 15, 0, "renew"),
        ("me", 15, 100, "renew"),
    ];
    for (holder, duration, seconds, expected) in cases {
        let observed = Observed { record: held(holder, duration), since: start };
        let found = match decide(Some(&observed), "me", at(start, seconds), &timing) {
            Decision::Create(_) => "create",
            Decision::Renew(_) => "renew",
            Decision::Acquire(_) => "acquire",
            Decision::Wait { holder, until } => {
                assert_eq!((holder.as_str(), until), ("other", observed.expires(&timing)));
                "wait"
            }
        };
        assert_eq!(found, expected, "{holder:?} for {duration} s, seen {seconds} s ago");
    }
    assert!(matches!(decide(None, "me", at(start, 0), &timing), Decision::Create(_)));
}

#[test]
fn a_new_holder_counts_a_transition_and_a_renewal_keeps_what_was() {
    let start = Instant::now();
    let (timing, now) = (Timing::default(), at(start, 100));
    let taken = decide(Some(&Observed { record: held("other", 15), since: start }), "me", now, &timing);
    let expected = Record {
        holder: "me".to_owned(),
        duration_seconds: 15,
        transitions: 4,
        acquired: Some(now.wall),
        renewed: Some(now.wall),
    };
    assert_eq!(taken, Decision::Acquire(expected.clone()));
    assert_eq!(decide(None, "me", now, &timing), Decision::Create(Record { transitions: 0, ..expected }));

    let own = held("me", 60);
    let renewed = decide(Some(&Observed { record: own.clone(), since: start }), "me", now, &timing);
    assert_eq!(renewed, Decision::Renew(Record { duration_seconds: 15, renewed: Some(now.wall), ..own }));
}

#[test]
fn a_renewal_is_seen_by_others_even_if_the_holders_clock_stands_or_goes_back() {
    let start = Instant::now();
    let before = Record { renewed: Some(Timestamp::from_second(2_000_000).unwrap()), ..held("me", 15) };
    let observed = Observed { record: before.clone(), since: start };
    let Decision::Renew(after) = decide(Some(&observed), "me", at(start, 5), &Timing::default()) else {
        panic!()
    };
    assert!(after.renewed > before.renewed);
}

#[test]
fn a_record_that_does_not_change_is_as_old_as_when_it_was_first_seen() {
    let start = Instant::now();
    let later = start + Duration::from_secs(9);
    let first = Observed::after(None, held("other", 15), start);
    let same = Observed::after(Some(first.clone()), held("other", 15), later);
    assert_eq!(same.since, start);
    let renewed = Record { renewed: Some(Timestamp::UNIX_EPOCH), ..held("other", 15) };
    assert_eq!(Observed::after(Some(first), renewed, later).since, later);
}

#[test]
fn durations_are_written_in_whole_seconds_and_never_shorter_than_they_are() {
    let start = Instant::now();
    for (milliseconds, seconds) in [(200, 1), (1000, 1), (1001, 2), (15_000, 15)] {
        let timing = Timing { lease_duration: Duration::from_millis(milliseconds), ..Timing::default() };
        let Decision::Create(record) = decide(None, "me", at(start, 0), &timing) else { panic!() };
        assert_eq!(record.duration_seconds, seconds, "{milliseconds} ms");
    }
}

#[test]
fn what_a_lease_says_beside_the_record_stays() {
    let spec = LeaseSpec { strategy: Some("OldestEmulationVersion".to_owned()), ..LeaseSpec::default() };
    let mut lease = Lease { spec: Some(spec), ..Lease::default() };
    held("me", 15).write(&mut lease);
    assert_eq!(Record::of(&lease), held("me", 15));
    assert_eq!(lease.spec.unwrap().strategy.as_deref(), Some("OldestEmulationVersion"));
    assert_eq!(Record::of(&Lease::default()), Record::default());
}

fn leader(start: Instant) -> Election {
    let mut election = Election::new("default", "lock", "me", Timing::default());
    let now = at(start, 0);
    assert_eq!(election.begin(now), Request::Get);
    let Next::Ask(Request::Create(lease)) = election.take(now, Answer::Missing, now) else { panic!() };
    assert_eq!(election.take(now, Answer::Lease(lease), now), Next::Rest);
    assert_eq!((election.term(), election.holder()), (Some(1), Some("me")));
    election
}

#[test]
fn a_term_is_counted_from_before_the_write_and_ends_at_the_deadline() {
    let start = Instant::now();
    let mut election = leader(start);
    let sent = at(start, 5);
    let Request::Replace(lease) = election.begin(sent) else { panic!("a leader renews without a look") };
    election.take(sent, Answer::Lease(lease), at(start, 8));
    assert_eq!(election.until(), Some(start + Duration::from_secs(15)));
    assert!(election.leads(start + Duration::from_millis(14_999)));
    assert!(!election.leads(start + Duration::from_secs(15)));
}

#[test]
fn an_answer_that_comes_after_its_own_deadline_makes_no_leader() {
    let start = Instant::now();
    let mut election = leader(start);
    let Request::Replace(lease) = election.begin(at(start, 2)) else { panic!() };
    election.take(at(start, 2), Answer::Lease(lease), at(start, 12));
    assert_eq!(election.term(), None);
}

#[test]
fn a_leader_that_cannot_renew_looks_and_goes_on_if_the_lease_is_still_its_own() {
    let start = Instant::now();
    let mut election = leader(start);
    let Request::Replace(stored) = election.begin(at(start, 2)) else { panic!() };
    // The write took effect, the answer was lost.
    assert_eq!(election.take(at(start, 2), Answer::Failed, at(start, 3)), Next::Ask(Request::Get));
    let Next::Ask(Request::Replace(again)) = election.take(at(start, 3), Answer::Lease(stored), at(start, 4))
    else {
        panic!()
    };
    assert_eq!(election.take(at(start, 4), Answer::Lease(again), at(start, 4)), Next::Rest);
    assert_eq!((election.term(), election.until()), (Some(1), Some(start + Duration::from_secs(14))));
}

#[test]
fn whoever_sees_another_holder_stops_at_once() {
    let start = Instant::now();
    let mut election = leader(start);
    let Request::Replace(mut lease) = election.begin(at(start, 2)) else { panic!() };
    held("other", 15).write(&mut lease);
    assert_eq!(election.take(at(start, 2), Answer::Failed, at(start, 2)), Next::Ask(Request::Get));
    assert_eq!(election.take(at(start, 2), Answer::Lease(lease), at(start, 2)), Next::Rest);
    assert!(!election.leads(start + Duration::from_secs(2)));
    assert_eq!(election.holder(), Some("other"));
}

#[test]
fn a_term_that_was_lost_and_won_again_is_another_term() {
    let start = Instant::now();
    let mut election = leader(start);
    assert_eq!(election.begin(at(start, 10)), Request::Get, "the deadline has passed");
    let mut lease = Lease::default();
    held("me", 15).write(&mut lease);
    let Next::Ask(Request::Replace(lease)) =
        election.take(at(start, 10), Answer::Lease(lease), at(start, 10))
    else {
        panic!()
    };
    election.take(at(start, 10), Answer::Lease(lease), at(start, 10));
    assert_eq!(election.term(), Some(2));
}

#[test]
fn only_the_holder_releases() {
    let start = Instant::now();
    let election = leader(start);
    let mut lease = Lease::default();
    held("other", 15).write(&mut lease);
    assert_eq!(election.released(lease.clone(), at(start, 1)), None);
    held("me", 15).write(&mut lease);
    let released = Record::of(&election.released(lease, at(start, 1)).unwrap());
    assert_eq!((released.holder.as_str(), released.duration_seconds, released.transitions), ("", 1, 3));
}

#[test]
fn durations_that_make_two_leaders_or_none_are_refused() {
    let seconds = Duration::from_secs;
    let timing =
        |lease, renew, retry| Timing { lease_duration: lease, renew_deadline: renew, retry_period: retry };
    assert!(timing(seconds(15), seconds(10), seconds(2)).checked().is_ok());
    for wrong in [
        timing(seconds(10), seconds(10), seconds(2)),
        timing(seconds(15), seconds(10), seconds(9)),
        timing(seconds(15), seconds(10), seconds(0)),
    ] {
        assert!(wrong.checked().is_err(), "{wrong:?}");
    }
}
