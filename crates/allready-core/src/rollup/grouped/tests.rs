use proptest::prelude::*;

use super::*;
use crate::{Condition, ConditionType, Status, Time, rollup::Stale};

fn condition(type_: &'static str, status: Status, reason: &'static str, message: &str) -> Condition {
    Condition::new(
        ConditionType::from_static(type_),
        status,
        Reason::from_static(reason),
        message.to_owned(),
        Time::EPOCH,
    )
}

/// A member's condition; good where the reason is `Ok`, unknown where it is `Wait`.
fn on<'a>(name: &'a str, type_: &'a str, reason: &'a str, message: &'a str) -> Input<'a> {
    let status = match reason {
        "Ok" => Status::True,
        "Wait" => Status::Unknown,
        _ => Status::False,
    };
    Input {
        status,
        reason: Cow::Borrowed(reason),
        message: Cow::Borrowed(message),
        freshness: Freshness::Fresh,
        ..Input::missing(type_, Polarity::NormalTrue).from_member("", name)
    }
}

fn rolled(inputs: &[Input<'_>], options: Grouped) -> (Status, String, String) {
    let policy = Policy { form: super::super::Form::Grouped(options), ..Policy::grouped() };
    let context = Context::new("Ready", Time::EPOCH);
    let rollup = policy.roll_up(inputs.iter().cloned(), &context).unwrap();
    (rollup.status, rollup.reason.into_owned(), rollup.message.into_owned())
}

fn message(inputs: &[Input<'_>]) -> String {
    rolled(inputs, Grouped::new()).2
}

#[test]
fn the_worst_come_first_and_equal_causes_are_said_once() {
    let mut inputs = vec![
        on("node-7", "Valid", "DiskFull", "sda is full."),
        on("node-2", "Valid", "ConfigError", "pool \"a\" overlaps"),
        on("node-9", "Valid", "Wait", ""),
        on("node-1", "Valid", "ConfigError", "pool \"a\" overlaps"),
    ];
    let names: Vec<String> = (10..18).map(|number| format!("node-{number}")).collect();
    inputs.extend(names.iter().map(|name| on(name, "Valid", "Ok", "")));
    assert_eq!(
        message(&inputs),
        "3 of 12 failing: ConfigError on 2 (node-1, node-2): pool \"a\" overlaps; \
         DiskFull on node-7: sda is full. 1 unknown: Wait on node-9"
    );
}

#[test]
fn the_reason_follows_the_worst_standing() {
    let (good, unknown, bad) =
        (on("a", "Valid", "Ok", ""), on("b", "Valid", "Wait", ""), on("c", "Valid", "No", ""));
    for (inputs, expected) in [
        (vec![good.clone()], (Status::True, "AllComponentsReady", "1 of 1 ready")),
        (
            vec![good.clone(), unknown.clone()],
            (Status::Unknown, "ComponentsUnknown", "1 of 2 unknown: Wait on b"),
        ),
        (
            vec![unknown.clone(), bad.clone()],
            (Status::False, "ComponentFailing", "1 of 2 failing: No on c. 1 unknown: Wait on b"),
        ),
        (vec![good, bad], (Status::False, "ComponentFailing", "1 of 2 failing: No on c")),
    ] {
        let (status, reason, message) = rolled(&inputs, Grouped::new());
        assert_eq!((status, reason.as_str(), message.as_str()), expected);
    }
}

#[test]
fn nothing_in_scope_is_never_good() {
    let context = Context::new("Ready", Time::EPOCH);
    for (empty, expected) in
        [(Status::Unknown, Status::Unknown), (Status::True, Status::Unknown), (Status::False, Status::False)]
    {
        let rollup = Policy { empty, ..Policy::grouped() }.roll_up([], &context).unwrap();
        assert_eq!((rollup.status, &*rollup.reason), (expected, "NothingDeclared"));
    }
}

#[test]
fn a_bad_member_is_counted_once_and_listed_with_all_that_is_bad() {
    let inputs = [
        on("node-1", "Config", "Invalid", "no such pool"),
        on("node-1", "Disk", "Full", "sda is full"),
        on("node-1", "Network", "Wait", "probing"),
        on("node-2", "Network", "Wait", "probing"),
    ];
    assert_eq!(
        message(&inputs),
        "1 of 2 failing: Invalid in Config on node-1: no such pool; Full in Disk on node-1: sda is full. \
         1 unknown: Wait in Network on node-2: probing"
    );
}

#[test]
fn conditions_of_the_object_itself_are_named_by_type() {
    let conditions = [
        condition("Synced", Status::False, "ConfigError", "pool \"a\" overlaps"),
        condition("Valid", Status::False, "ConfigError", "pool \"a\" overlaps"),
        condition("Healthy", Status::True, "Ok", ""),
    ];
    let inputs: Vec<Input<'_>> = conditions.iter().map(Input::from).collect();
    assert_eq!(message(&inputs), "2 of 3 failing: ConfigError on 2 (Synced, Valid): pool \"a\" overlaps");
}

#[test]
fn what_is_stale_or_missing_is_unknown_and_grouped_without_names_in_the_text() {
    let old = condition("Valid", Status::True, "Ok", "").observed(6);
    let inputs = [
        Input::from(&old).from_member("", "node-1"),
        Input::from(&old).from_member("", "node-2"),
        Input::missing("Valid", Polarity::NormalTrue).from_member("", "node-3"),
        Input::missing("", Polarity::NormalTrue).from_member("", "node-4"),
    ];
    let context = Context::new("Ready", Time::EPOCH).at_generation(Generation::from(7));
    let rollup = Policy::grouped().roll_up(inputs, &context).unwrap();
    assert_eq!((rollup.status, rollup.observed), (Status::Unknown, Some(Generation::from(6))));
    assert_eq!(
        rollup.message,
        "4 of 4 unknown: LatestGenerationNotObserved on 2 (node-1, node-2): \
         is about generation 6; the object is at generation 7; \
         AwaitingReconciliation on node-4: has not reported yet; \
         AwaitingReconciliation on node-3: has not been reported yet"
    );
}

#[test]
fn polarity_is_taken_out_before_anything_is_counted() {
    let degraded = condition("Degraded", Status::True, "DiskFull", "sda is full");
    let fine = condition("Degraded", Status::False, "Ok", "");
    let inputs = [&degraded, &fine].map(|c| Input::from(c).with_polarity(Polarity::AbnormalTrue));
    let inputs = [inputs[0].clone().from_member("", "a"), inputs[1].clone().from_member("", "b")];
    let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new("Degraded", Time::EPOCH) };
    let rollup = Policy::grouped().roll_up(inputs, &context).unwrap();
    assert_eq!(
        (rollup.status, &*rollup.message),
        (Status::True, "1 of 2 failing: DiskFull on a: sda is full")
    );
}

#[test]
fn a_policy_that_holds_the_top_keeps_it_when_only_staleness_is_wrong() {
    let old = condition("Valid", Status::True, "Ok", "").observed(1);
    let previous = condition("Ready", Status::False, "Before", "as it was");
    let held = |previous| {
        let context = Context { previous, ..Context::new("Ready", Time::EPOCH) };
        Policy::grouped()
            .with_stale(Stale::HoldsTop)
            .roll_up([Input::from(&old)], &context.at_generation(Generation::from(2)))
    };
    assert_eq!(held(Some(&previous)).map(|rollup| rollup.status), Some(Status::False));
    assert_eq!(held(None), None);
}

#[test]
fn names_are_sorted_and_the_rest_is_counted() {
    let names: Vec<String> = (1..=5000).map(|number| format!("node-{number:04}")).collect();
    let inputs: Vec<Input<'_>> =
        names.iter().rev().map(|name| on(name, "Valid", "ConfigError", "")).collect();
    assert_eq!(
        message(&inputs),
        "5000 of 5000 failing: ConfigError on 5000 (node-0001, node-0002, node-0003 and 4997 more)"
    );
    let one = Grouped { names: 0, ..Grouped::new() };
    assert_eq!(
        rolled(&inputs, one).2,
        "5000 of 5000 failing: ConfigError on 5000 (node-0001 and 4999 more)",
        "at least one is named"
    );
}

#[test]
fn long_names_leave_room_for_the_message() {
    let names = ["a", "b", "c"].map(|letter| format!("ip-10-0-0-1.eu-west-1.compute.internal.{letter}"));
    let inputs = [0, 1, 2].map(|i: usize| on(&names[i], "Valid", "ConfigError", "overlap"));
    assert_eq!(
        message(&inputs),
        "3 of 3 failing: ConfigError on 3 (ip-10-0-0-1.eu-west-1.compute.internal.a, \
         ip-10-0-0-1.eu-west-1.compute.internal.b and 1 more): overlap"
    );
}

#[test]
fn a_long_message_is_shortened_so_that_the_others_are_still_heard() {
    let long = "ü".repeat(20_000);
    let inputs = [
        on("node-1", "Valid", "Dump", &long),
        on("node-2", "Valid", "Full", "sda is full"),
        on("node-3", "Valid", "Wait", "probing"),
    ];
    let message = message(&inputs);
    assert!((1000..=1024).contains(&message.len()), "the long one gets what the others leave: {message}");
    assert!(message.starts_with("2 of 3 failing: Dump on node-1: üüü"));
    assert!(
        message.ends_with("üü…; Full on node-2: sda is full. 1 unknown: Wait on node-3: probing"),
        "{message}"
    );
}

#[test]
fn causes_that_do_not_fit_are_counted() {
    let messages: Vec<String> = (1..=100).map(|number| format!("pool {number:03} overlaps")).collect();
    let names: Vec<String> = (1..=100).map(|number| format!("node-{number:03}")).collect();
    let mut inputs: Vec<Input<'_>> = names
        .iter()
        .zip(&messages)
        .map(|(name, message)| on(name, "Valid", "ConfigError", message))
        .collect();
    inputs.push(on("node-101", "Valid", "Wait", "probing"));
    inputs.push(on("node-102", "Valid", "Wait", "starting"));
    let options = Grouped { max_bytes: 256, ..Grouped::new() };
    assert_eq!(
        rolled(&inputs, options).2,
        "100 of 102 failing: ConfigError on node-001: pool 001 overlaps; \
         ConfigError on node-002: pool 002 overlaps; ConfigError on node-003: pool 003 overlaps; \
         and 97 more causes in 97 places. 2 unknown"
    );
}

#[test]
fn a_text_of_several_lines_becomes_one_line() {
    let inputs = [on("node-1", "Valid", "", "\n line one\r\n\tline two \u{7} \u{1b}[31mred...\n")];
    assert_eq!(message(&inputs), "1 of 1 failing: Unspecified on node-1: line one line two [31mred");
}

#[test]
fn the_largest_numbers_fit_in_the_least_limit() {
    let most = Share { members: usize::MAX, causes: usize::MAX, places: usize::MAX };
    let tally = Tally { members: usize::MAX, types: 1, bad: most, unknown: most };
    let options = Grouped { max_bytes: 0, ..Grouped::new() };
    let text = "x".repeat(300);
    let causes = [Standing::Bad, Standing::Unknown].map(|standing| Cause {
        standing,
        type_: "",
        reason: Cow::Borrowed(&text),
        message: Cow::Borrowed(""),
        count: 1,
        names: vec!["a"],
    });
    let message = wording::message(&options, &tally, causes.into_iter());
    assert!(message.len() <= Grouped::MIN_BYTES, "{} bytes: {message}", message.len());
    assert!(message.starts_with("18446744073709551615 of 18446744073709551615 failing: xxx"), "{message}");
    assert!(message.ends_with("places. 18446744073709551615 unknown"), "{message}");
}

/// Few enough words that causes collide, and one that is too long.
fn any_inputs() -> impl Strategy<Value = Vec<(String, String, String, String)>> {
    let name = prop_oneof![4 => "[a-f]", 1 => "\\PC{0,80}"];
    let type_ = "[AB]";
    let reason = prop_oneof![2 => Just("Ok".to_owned()), 2 => Just("Wait".to_owned()), 4 => "[XY]", 1 => any::<String>()];
    let message = prop_oneof![4 => "[mn]{0,1}", 2 => ".{0,300}", 1 => any::<String>()];
    proptest::collection::vec((name, type_, reason, message), 0..40)
}

proptest! {
    #[test]
    fn the_message_keeps_its_limit_and_its_counts_for_any_text(
        drawn in any_inputs(),
        max_bytes in 0_usize..2000,
        names in 0_usize..5,
    ) {
        let inputs: Vec<Input<'_>> = drawn.iter().map(|(n, t, r, m)| on(n, t, r, m)).collect();
        let options = Grouped { names, max_bytes, ..Grouped::new() };
        let (status, _, message) = rolled(&inputs, options.clone());
        prop_assert!(message.len() <= options.limit());
        prop_assert!(!message.contains(char::is_control), "{message:?} is one line");

        let worst = |name: &str| inputs.iter().filter(|i| i.name() == name).map(Input::standing).max();
        let members: BTreeSet<&str> = inputs.iter().map(Input::name).collect();
        let count = |standing| members.iter().filter(|name| worst(name) == Some(standing)).count();
        let (total, bad, unknown) = (members.len(), count(Standing::Bad), count(Standing::Unknown));
        let head = match (total, bad, unknown) {
            (0, ..) => "nothing is expected".to_owned(),
            (_, 0, 0) => format!("{total} of {total} ready"),
            (_, 0, _) => format!("{unknown} of {total} unknown: "),
            _ => format!("{bad} of {total} failing: "),
        };
        prop_assert!(message.starts_with(&head), "{message:?} should start with {head:?}");
        if bad > 0 && unknown > 0 {
            let second = format!(". {unknown} unknown");
            prop_assert!(message.contains(&second), "{message:?} should have {second:?}");
        }
        prop_assert_eq!(status == Status::True, total > 0 && bad == 0 && unknown == 0);
    }

    #[test]
    fn the_order_of_the_inputs_does_not_change_a_byte(
        (drawn, shuffled) in any_inputs().prop_flat_map(|drawn| (Just(drawn.clone()), Just(drawn).prop_shuffle())),
    ) {
        fn inputs(drawn: &[(String, String, String, String)]) -> Vec<Input<'_>> {
            drawn.iter().map(|(n, t, r, m)| on(n, t, r, m)).collect()
        }
        prop_assert_eq!(
            rolled(&inputs(&drawn), Grouped::new()),
            rolled(&inputs(&shuffled), Grouped::new())
        );
    }
}
