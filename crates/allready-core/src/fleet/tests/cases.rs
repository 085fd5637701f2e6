//! Cases from the field, in their pure form: many writers (MW), many clusters (MC).

use super::*;

#[test]
fn mw1_mc5_nothing_reported_and_nothing_expected_is_unknown() {
    let mut fleet = FleetIndex::default();
    let rollup = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    assert_eq!((rollup.status, &*rollup.reason), (Status::Unknown, "NothingDeclared"));
    fleet.apply("node-1", &[] as &[Condition]);
    assert_eq!(
        answer(&fleet),
        (
            Status::Unknown,
            "1 of 1 unknown: AwaitingReconciliation on node-1: has not reported yet".to_owned()
        )
    );
}

#[test]
fn mw3_all_true_is_true_without_a_cause() {
    let mut fleet = FleetIndex::default();
    for node in ["node-1", "node-2"] {
        fleet.apply(node, &[of_type("Pools", "Ok", ""), of_type("Peers", "Ok", "")]);
    }
    assert_eq!(answer(&fleet), (Status::True, "2 of 2 ready".to_owned()));
    assert_eq!(fleet.causes().count(), 0);
    assert_eq!(fleet.troubled().count(), 0);
}

#[test]
fn mw4_one_config_error_makes_it_false_with_exactly_that_message_as_the_cause() {
    let mut fleet = FleetIndex::default();
    fleet.apply("node-1", &[valid("Ok", "")]);
    fleet.apply("node-2", &[valid("ConfigurationError", "peer 10.0.0.1 has no secret")]);
    assert_eq!(answer(&fleet).0, Status::False);
    let causes: Vec<_> = fleet.causes().collect();
    assert_eq!(causes.len(), 1);
    assert_eq!((&*causes[0].message, causes[0].count), ("peer 10.0.0.1 has no secret", 1));
}

#[test]
fn mw11_two_faults_are_listed_at_once_and_heal_one_by_one() {
    let (pools, peers) = (of_type("Pools", "Overlap", "a and b"), of_type("Peers", "NoSecret", "peer p"));
    let mut fleet = FleetIndex::default();
    fleet.apply("node-1", [&pools, &peers]);
    assert_eq!(
        answer(&fleet).1,
        "1 of 1 failing: NoSecret in Peers on node-1: peer p; Overlap in Pools on node-1: a and b"
    );
    fleet.apply("node-1", &[of_type("Pools", "Ok", ""), peers]);
    assert_eq!(answer(&fleet).1, "1 of 1 failing: NoSecret in Peers on node-1: peer p");
    fleet.apply("node-1", &[of_type("Pools", "Ok", ""), of_type("Peers", "Ok", "")]);
    assert_eq!(answer(&fleet), (Status::True, "1 of 1 ready".to_owned()));
}

#[test]
fn mw21_an_object_that_concerns_two_of_five_nodes_is_complete_after_two_reports() {
    let mut fleet =
        FleetIndex::new(FleetOptions { unexpected: Unexpected::Ignored, ..FleetOptions::default() });
    fleet.expect_only(["node-1", "node-4"]);
    for node in ["node-2", "node-3", "node-5"] {
        fleet.apply(node, &[valid("ConfigError", "not for this node")]);
    }
    assert_eq!(answer(&fleet).0, Status::Unknown);
    fleet.apply("node-1", &[valid("Ok", "")]);
    fleet.apply("node-4", &[valid("Ok", "")]);
    assert_eq!(answer(&fleet), (Status::True, "2 of 2 ready".to_owned()));
    assert_eq!(fleet.member("node-2").unwrap().standing(), None, "it is known, and does not count");
}

#[test]
fn an_unexpected_red_report_is_not_hidden_by_default() {
    let mut fleet = FleetIndex::default();
    fleet.expect("node-1");
    fleet.apply("node-1", &[valid("Ok", "")]);
    fleet.apply("node-2", &[valid("ConfigError", "")]);
    assert_eq!(answer(&fleet), (Status::False, "1 of 2 failing: ConfigError on node-2".to_owned()));
}

#[test]
fn mw22_it_is_not_true_until_every_expected_writer_has_reported() {
    let nodes = ["node-1", "node-2", "node-3"];
    let mut fleet = FleetIndex::default();
    fleet.expect_only(nodes);
    for (reported, node) in nodes.into_iter().enumerate() {
        let missing = nodes.len() - reported;
        assert!(answer(&fleet).1.starts_with(&format!("{missing} of 3 unknown: AwaitingReconciliation on ")));
        assert_eq!((fleet.standing(), fleet.counts().missing), (Standing::Unknown, missing));
        fleet.apply(node, &[valid("Ok", "")]);
    }
    assert_eq!(fleet.standing(), Standing::Good);
}

#[test]
fn mc3_false_beats_unknown_beats_true() {
    for (reasons, expected) in [
        (["Ok", "Wait"], Status::Unknown),
        (["Wait", "Wait"], Status::Unknown),
        (["Wait", "Broken"], Status::False),
        (["Ok", "Broken"], Status::False),
        (["Ok", "Ok"], Status::True),
    ] {
        let mut fleet = FleetIndex::default();
        fleet.apply("eu-1", &[valid(reasons[0], "")]);
        fleet.apply("us-1", &[valid(reasons[1], "")]);
        assert_eq!(answer(&fleet).0, expected, "for {reasons:?}");
    }
}

#[test]
fn mc4_a_type_that_one_member_lacks_is_unknown() {
    let mut fleet = FleetIndex::new(FleetOptions {
        types: vec![condition_type!("Accepted"), condition_type!("Programmed")],
        ..FleetOptions::default()
    });
    fleet.apply("eu-1", &[of_type("Accepted", "Ok", ""), of_type("Programmed", "Ok", "")]);
    fleet.apply("us-1", &[of_type("Accepted", "Ok", "")]);
    assert_eq!(
        answer(&fleet),
        (
            Status::Unknown,
            "1 of 2 unknown: AwaitingReconciliation in Programmed on us-1: has not been reported yet"
                .to_owned()
        )
    );
}

#[test]
fn mc7_a_member_behind_is_unknown_and_the_answer_is_about_what_it_has_seen() {
    let mut fleet = FleetIndex::default();
    fleet.apply("eu-1", &[valid("Ok", "").observed(4)]);
    fleet.apply("us-1", &[valid("Ok", "").observed(5)]);
    assert!(fleet.set_generation(Generation::from(5)));
    let rollup = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    assert_eq!((rollup.status, rollup.observed), (Status::Unknown, Some(Generation::from(4))));
    assert_eq!(
        rollup.message,
        "1 of 2 unknown: LatestGenerationNotObserved on eu-1: \
         is about generation 4; the object is at generation 5"
    );
    fleet.apply("eu-1", &[valid("Ok", "").observed(5)]);
    let rollup = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    assert_eq!((rollup.status, rollup.observed), (Status::True, Some(Generation::from(5))));
}

#[test]
fn mc8_the_order_of_arrival_does_not_change_a_byte() {
    let reports = [("eu-1", "Broken"), ("us-1", "Wait"), ("ap-1", "Broken"), ("sa-1", "Ok")];
    let arrived = |order: [usize; 4]| {
        let mut fleet = FleetIndex::default();
        for (member, reason) in order.map(|position| reports[position]) {
            fleet.apply(member, &[valid(reason, "")]);
        }
        answer(&fleet)
    };
    let expected =
        (Status::False, "2 of 4 failing: Broken on 2 (ap-1, eu-1). 1 unknown: Wait on us-1".to_owned());
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        assert_eq!(arrived(order), expected);
    }
}

#[test]
fn mc27_the_worst_state_is_found_over_all_members_also_when_its_text_does_not_fit() {
    let mut fleet = FleetIndex::default();
    for number in 0..2000 {
        let message = format!("waiting for volume {number}");
        let wait =
            Condition::new(condition_type!("Valid"), Status::Unknown, reason!("Wait"), message, Time::EPOCH);
        fleet.apply(&format!("node-{number:04}"), [&wait]);
    }
    fleet.apply("zzz", &[valid("Broken", "the last one by any order")]);
    let (status, message) = answer(&fleet);
    assert_eq!(status, Status::False);
    assert!(message.starts_with(
        "1 of 2001 failing: Broken on zzz: the last one by any order. 2000 unknown: Wait on node-0000: waiting"
    ));
    assert!(message.ends_with(" places"), "{message}");
    assert!(message.len() <= 1024);
    assert_eq!(fleet.causes().count(), 2001);
}
