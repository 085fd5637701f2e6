mod cases;
mod model;
mod properties;

use super::*;
use crate::{
    Condition, Polarity, Standing, Status, Time, condition_type, reason,
    rollup::{Cause, Context, Rollup},
};

/// A condition of type `Valid`; good where the reason is `Ok`, unknown where it is `Wait`.
fn valid(reason: &'static str, message: &'static str) -> Condition {
    of_type("Valid", reason, message)
}

fn of_type(type_: &'static str, reason: &'static str, message: &'static str) -> Condition {
    let status = match reason {
        "Ok" => Status::True,
        "Wait" => Status::Unknown,
        _ => Status::False,
    };
    Condition::new(
        ConditionType::from_static(type_),
        status,
        Reason::from_static(reason),
        message,
        Time::EPOCH,
    )
}

fn answer(fleet: &FleetIndex) -> (Status, String) {
    let rollup = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    (rollup.status, rollup.message.into_owned())
}

fn names<'a>(members: impl Iterator<Item = FleetMember<'a>>) -> Vec<&'a str> {
    members.map(|member| member.name()).collect()
}

#[test]
fn the_three_facts_of_a_member_are_independent() {
    let mut fleet = FleetIndex::default();
    assert!(fleet.silence("a", reason!("HeartbeatLost"), "not seen for 40 s"));
    assert!(!fleet.silence("a", reason!("HeartbeatLost"), "not seen for 40 s"), "nothing new");
    assert_eq!(fleet.counts(), Counts::default(), "nobody expects it and it has not reported");
    assert_eq!(fleet.member("a").unwrap().standing(), None);

    assert!(fleet.apply("a", &[valid("Ok", "")]));
    assert_eq!(fleet.counts(), Counts { reporting: 1, silent: 1, unknown: 1, ..Counts::default() });
    assert_eq!(
        answer(&fleet),
        (Status::Unknown, "1 of 1 unknown: HeartbeatLost on a: not seen for 40 s".to_owned())
    );

    assert!(fleet.expect("a"));
    assert!(fleet.remove("a"));
    assert!(!fleet.remove("a"));
    assert_eq!(fleet.counts(), Counts { expected: 1, missing: 1, unknown: 1, ..Counts::default() });
    assert_eq!(
        answer(&fleet).1,
        "1 of 1 unknown: HeartbeatLost on a: not seen for 40 s",
        "the silence says more than that it is missing"
    );

    assert!(fleet.unsilence("a"));
    assert_eq!(answer(&fleet).1, "1 of 1 unknown: AwaitingReconciliation on a: has not reported yet");
    assert!(fleet.unexpect("a"));
    assert!(!fleet.unexpect("a"));
    assert!(fleet.member("a").is_none(), "nothing is known of it any more");
}

#[test]
fn a_silent_member_keeps_its_last_report() {
    let mut fleet = FleetIndex::default();
    fleet.apply("a", &[valid("DiskFull", "sda is full").observed(3)]);
    fleet.silence("a", reason!("ClusterUnreachable"), "");
    assert_eq!(answer(&fleet), (Status::Unknown, "1 of 1 unknown: ClusterUnreachable on a".to_owned()));
    let last: Vec<_> = fleet.member("a").unwrap().report().collect();
    assert_eq!(
        (last[0].status, &*last[0].message, last[0].since),
        (Status::False, "sda is full", Some(Time::EPOCH))
    );
    fleet.unsilence("a");
    assert_eq!(answer(&fleet), (Status::False, "1 of 1 failing: DiskFull on a: sda is full".to_owned()));
}

#[test]
fn troubled_members_come_worst_first_then_by_name() {
    let mut fleet = FleetIndex::default();
    fleet.apply("d", &[valid("DiskFull", "")]);
    fleet.apply("c", &[valid("Ok", "")]);
    fleet.apply("b", &[valid("DiskFull", "")]);
    fleet.expect("a");
    assert_eq!(names(fleet.troubled()), ["b", "d", "a"]);
    assert_eq!(names(fleet.members()), ["a", "b", "c", "d"]);
    fleet.apply("b", &[valid("Ok", "")]);
    assert_eq!(names(fleet.troubled()), ["d", "a"]);
}

#[test]
fn expecting_a_list_drops_the_others_and_keeps_types() {
    let mut fleet = FleetIndex::default();
    fleet.expect_types("a", [condition_type!("Valid")]);
    fleet.expect("b");
    assert!(fleet.expect_only(["a", "c"]));
    assert_eq!(names(fleet.members()), ["a", "c"]);
    fleet.apply("a", &[of_type("Other", "Ok", "")]);
    assert_eq!(
        fleet.member("a").unwrap().standing(),
        Some(Standing::Unknown),
        "its own type is still expected"
    );
    assert!(!fleet.expect_only(["c", "a", "a"]));
    assert!(fleet.expect_only([]));
    assert_eq!(fleet.counts().expected, 0);
}

#[test]
fn several_conditions_of_one_type_all_count() {
    let mut fleet = FleetIndex::default();
    fleet.apply(
        "a",
        &[valid("Ok", ""), valid("DiskFull", "sda"), valid("DiskFull", "sda"), valid("DiskFull", "sdb")],
    );
    assert_eq!(
        answer(&fleet),
        (Status::False, "1 of 1 failing: DiskFull on a: sda; DiskFull on a: sdb".to_owned())
    );
}

#[test]
fn the_declared_polarity_is_stronger_than_that_of_an_input() {
    let degraded = of_type("Degraded", "Ok", "");
    let mut fleet = FleetIndex::new(FleetOptions {
        polarities: BTreeMap::from([(condition_type!("Degraded"), Polarity::AbnormalTrue)]),
        ..FleetOptions::default()
    });
    fleet.apply("a", [&degraded]);
    assert_eq!(fleet.standing(), Standing::Bad);

    let mut plain = FleetIndex::default();
    plain.apply("a", [Input::from(&degraded).with_polarity(Polarity::AbnormalTrue)]);
    assert_eq!(plain.standing(), Standing::Bad, "where none is declared, the input's own counts");
}

#[test]
fn a_fleet_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<FleetIndex>();
}
