use std::time::Duration;

use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;
use crate::{Polarity, condition_type, reason};

fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn ready(status: Status, second: i64) -> Condition {
    Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", at(second))
}

fn lasting(seconds: u64) -> Until {
    Until::Duration(Duration::from_secs(seconds))
}

fn rules(hold: Hold) -> Damping {
    Damping::new().hold(condition_type!("Ready"), hold)
}

/// What a controller does: show what the last observation came to, observe again.
struct Controller {
    rules: Damping,
    memory: DampingMemory,
    shown: Option<Condition>,
}

impl Controller {
    fn new(rules: Damping) -> Self {
        Self { rules, memory: DampingMemory::default(), shown: None }
    }

    fn observe(&mut self, status: Status, second: i64) -> Damped {
        let observed = ready(status, second);
        let damped = self.rules.observe(&mut self.memory, self.shown.as_ref(), observed, at(second));
        self.shown = Some(damped.condition.clone());
        damped
    }

    fn shows(&mut self, status: Status, second: i64) -> Status {
        self.observe(status, second).condition.status
    }
}

#[test]
fn the_first_appearance_is_never_held() {
    let mut controller = Controller::new(rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() }));
    let damped = controller.observe(Status::False, 10);
    assert_eq!(damped, Damped { condition: ready(Status::False, 10), held: None });
    assert!(controller.memory.is_empty());
}

#[test]
fn what_is_held_keeps_everything_shown_but_the_message() {
    let rules = rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() });
    let mut memory = DampingMemory::default();
    let shown = ready(Status::True, 5).observed(3);
    let observed =
        Condition { reason: reason!("NoPods"), message: "0 of 3".into(), ..ready(Status::False, 95) };
    let damped = rules.observe(&mut memory, Some(&shown), observed.clone().observed(4), at(100));
    let message =
        "not True since 1970-01-01T00:01:40Z; False is held back until 1970-01-01T00:02:40Z: NoPods: 0 of 3";
    assert_eq!(
        damped.condition,
        Condition { message: message.into(), ..shown.clone() },
        "also the generation"
    );
    assert_eq!(
        damped.held,
        Some(Held {
            type_: condition_type!("Ready"),
            status: Status::False,
            reason: reason!("NoPods"),
            message: "0 of 3".into(),
            since: at(100),
            look_again: Some(at(160)),
        })
    );
}

#[test]
fn what_was_held_is_shown_exactly_when_it_was_announced_with_the_time_of_its_release() {
    let mut controller = Controller::new(rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() }));
    controller.observe(Status::True, 0);
    controller.observe(Status::False, 100);
    assert_eq!(controller.shows(Status::False, 159), Status::True);
    let damped = controller.observe(Status::False, 160);
    assert_eq!(damped, Damped { condition: ready(Status::False, 160), held: None });
    assert!(controller.memory.is_empty());
}

#[test]
fn a_fraction_of_a_second_never_releases_early() {
    let until = Some(Until::Duration(Duration::from_millis(1_500)));
    let mut controller = Controller::new(rules(Hold { to_bad: until, ..Hold::default() }));
    controller.observe(Status::True, 0);
    assert_eq!(controller.observe(Status::False, 10).held.unwrap().look_again, Some(at(12)));
    assert_eq!(controller.shows(Status::False, 11), Status::True);
    assert_eq!(controller.shows(Status::False, 12), Status::False);
}

#[test]
fn observations_are_counted_in_a_row() {
    let until = Some(Until::Observations(3));
    let mut controller = Controller::new(rules(Hold { to_bad: until, ..Hold::default() }));
    controller.observe(Status::True, 0);
    let damped = controller.observe(Status::False, 1);
    assert_eq!(
        damped.condition.message,
        "not True since 1970-01-01T00:00:01Z; False is held back for 2 more observations: Checked"
    );
    assert_eq!(damped.held.unwrap().look_again, None);
    assert_eq!(
        controller.observe(Status::False, 2).condition.message,
        "not True since 1970-01-01T00:00:01Z; False is held back for 1 more observation: Checked"
    );
    assert_eq!(controller.shows(Status::True, 3), Status::True);
    assert_eq!(controller.shows(Status::False, 4), Status::True, "the count starts again");
    assert_eq!(controller.shows(Status::False, 5), Status::True);
    assert_eq!(controller.shows(Status::False, 6), Status::False);
}

#[test]
fn a_hold_that_is_no_time_at_all_is_none() {
    for until in [Until::Duration(Duration::ZERO), Until::Observations(0), Until::Observations(1)] {
        let mut controller = Controller::new(rules(Hold { to_bad: Some(until), ..Hold::default() }));
        controller.observe(Status::True, 0);
        assert_eq!(controller.shows(Status::False, 1), Status::False, "{until:?}");
    }
}

#[test]
fn back_at_the_shown_status_what_was_held_is_forgotten_and_the_time_stays() {
    let mut controller = Controller::new(rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() }));
    controller.observe(Status::True, 5);
    controller.observe(Status::False, 100);
    let damped = controller.observe(Status::True, 130);
    assert_eq!(
        damped,
        Damped { condition: ready(Status::True, 5), held: None },
        "with the message of the observation"
    );
    assert!(controller.memory.is_empty());
    assert_eq!(controller.shows(Status::False, 160), Status::True, "the hold starts again");
}

#[test]
fn a_problem_that_alternates_between_false_and_unknown_is_not_hidden_for_ever() {
    let both = Hold { to_bad: Some(lasting(60)), to_unknown: Some(lasting(60)), ..Hold::default() };
    let mut controller = Controller::new(rules(both));
    controller.observe(Status::True, 0);
    controller.observe(Status::False, 100);
    let held = controller.observe(Status::Unknown, 130).held.unwrap();
    assert_eq!((held.status, held.since, held.look_again), (Status::Unknown, at(100), Some(at(160))));
    assert_eq!(controller.shows(Status::False, 159), Status::True);
    assert_eq!(controller.shows(Status::Unknown, 160), Status::Unknown);
}

#[test]
fn good_has_to_last_without_a_break() {
    let slow = Hold { to_good: Some(lasting(60)), to_unknown: Some(lasting(600)), ..Hold::default() };
    let mut controller = Controller::new(rules(slow));
    controller.observe(Status::False, 0);
    assert_eq!(controller.shows(Status::True, 100), Status::False);
    assert_eq!(controller.shows(Status::Unknown, 130), Status::False);
    assert_eq!(controller.shows(Status::True, 160), Status::False, "the hold starts anew after the break");
    assert_eq!(controller.shows(Status::True, 220), Status::True);
}

#[test]
fn each_direction_is_held_by_its_own_rule_under_its_polarity() {
    use Status::{False, True, Unknown};
    let held = |polarity, from, to| {
        let hold = Hold { polarity, to_bad: Some(lasting(10)), to_good: None, to_unknown: Some(lasting(30)) };
        let mut controller = Controller::new(rules(hold));
        controller.observe(from, 0);
        controller.observe(to, 100).held.and_then(|held| held.look_again)
    };
    assert_eq!(held(Polarity::NormalTrue, True, False), Some(at(110)));
    assert_eq!(held(Polarity::NormalTrue, False, True), None);
    assert_eq!(held(Polarity::NormalTrue, False, Unknown), Some(at(130)));
    assert_eq!(held(Polarity::AbnormalTrue, True, False), None);
    assert_eq!(held(Polarity::AbnormalTrue, False, True), Some(at(110)));
    assert_eq!(held(Polarity::AbnormalTrue, True, Unknown), Some(at(130)));
}

#[test]
fn a_clock_that_was_set_back_makes_the_hold_start_again() {
    let mut controller = Controller::new(rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() }));
    controller.observe(Status::True, 0);
    controller.observe(Status::False, 1_000_000);
    let held = controller.observe(Status::False, 100).held.unwrap();
    assert_eq!((held.since, held.look_again), (at(100), Some(at(160))), "not in eleven days");
    assert_eq!(controller.shows(Status::False, 159), Status::True);
    assert_eq!(controller.shows(Status::False, 160), Status::False);
}

#[test]
fn the_ends_of_time_are_no_trouble() {
    let (first, last) =
        (Time::EPOCH.saturating_add(SignedDuration::MIN), Time::EPOCH.saturating_add(SignedDuration::MAX));
    let rules = rules(Hold { to_bad: Some(Until::Duration(Duration::MAX)), ..Hold::default() });
    let mut memory = DampingMemory::default();
    let shown = ready(Status::True, 0);
    let mut status_at =
        |now| rules.observe(&mut memory, Some(&shown), ready(Status::False, 0), now).condition.status;
    assert_eq!(status_at(first), Status::True);
    assert_eq!(status_at(at(0)), Status::True);
    assert_eq!(status_at(last), Status::False);
}

#[test]
fn a_long_message_is_cut_and_still_says_that_it_is_held() {
    let rules = rules(Hold { to_bad: Some(lasting(60)), ..Hold::default() });
    let observed = Condition { message: "x".repeat(Message::MAX_BYTES).into(), ..ready(Status::False, 0) };
    let damped = rules.observe(&mut DampingMemory::default(), Some(&ready(Status::True, 0)), observed, at(0));
    assert!(damped.condition.message.as_str().len() <= Message::MAX_BYTES);
    assert!(
        damped
            .condition
            .message
            .as_str()
            .starts_with("not True since 1970-01-01T00:00:00Z; False is held back until ")
    );
}

#[test]
fn a_condition_of_another_type_is_not_what_is_shown() {
    let rules = Damping::new().hold_others(Hold { to_bad: Some(lasting(60)), ..Hold::default() });
    let other = Condition { type_: condition_type!("Synced"), ..ready(Status::True, 0) };
    let damped = rules.observe(&mut DampingMemory::default(), Some(&other), ready(Status::False, 1), at(1));
    assert_eq!(damped, Damped { condition: ready(Status::False, 1), held: None });
}

#[test]
fn types_that_are_not_observed_any_more_are_forgotten() {
    let rules = Damping::new().hold_others(Hold { to_bad: Some(lasting(60)), ..Hold::default() });
    let both =
        |status| [ready(status, 0), Condition { type_: condition_type!("Synced"), ..ready(status, 0) }];
    let mut memory = DampingMemory::default();
    let damped = rules.observe_all(&mut memory, &both(Status::True), both(Status::False), at(100));
    assert_eq!((memory.len(), damped.look_again()), (2, Some(at(160))));
    let damped = rules.observe_all(&mut memory, &damped.conditions, [ready(Status::False, 0)], at(101));
    assert_eq!((memory.len(), damped.conditions.len()), (1, 1));
    memory.forget("Ready");
    assert!(memory.is_empty());
}

#[test]
fn a_rule_of_its_own_comes_before_the_rule_for_the_others() {
    let rules = rules(Hold::default()).hold_others(Hold { to_bad: Some(lasting(60)), ..Hold::default() });
    let mut controller = Controller::new(rules);
    controller.observe(Status::True, 0);
    assert_eq!(controller.shows(Status::False, 1), Status::False);
}

fn any_status() -> impl Strategy<Value = Status> {
    prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)]
}

fn any_hold() -> impl Strategy<Value = Hold> {
    let until = || {
        prop::option::of(prop_oneof![
            (0..20_u64).prop_map(|seconds| Until::Duration(Duration::from_secs(seconds))),
            (0..5_u32).prop_map(Until::Observations),
        ])
    };
    let polarity = prop_oneof![Just(Polarity::NormalTrue), Just(Polarity::AbnormalTrue)];
    (polarity, until(), until(), until()).prop_map(|(polarity, to_bad, to_good, to_unknown)| Hold {
        polarity,
        to_bad,
        to_good,
        to_unknown,
    })
}

/// Observations of a few types at instants that mostly go forward.
fn any_observations() -> impl Strategy<Value = Vec<(Condition, Time)>> {
    let one = ("[A-C]", any_status(), -3..10_i64, "[a-z]{0,3}");
    prop::collection::vec(one, 0..60).prop_map(|steps| {
        let mut second = 0;
        let mut observations = Vec::new();
        for (type_, status, elapsed, message) in steps {
            second += elapsed;
            let type_ = ConditionType::new(type_).unwrap();
            observations
                .push((Condition::new(type_, status, reason!("Checked"), message, at(second)), at(second)));
        }
        observations
    })
}

fn flips(statuses: &[Status]) -> usize {
    statuses.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

proptest! {
    #[test]
    fn without_rules_everything_is_shown_as_it_was_observed(observations in any_observations()) {
        let (rules, mut memory) = (Damping::new(), DampingMemory::default());
        let mut shown: BTreeMap<ConditionType, Condition> = BTreeMap::new();
        for (observed, now) in observations {
            let damped = rules.observe(&mut memory, shown.get(&observed.type_), observed.clone(), now);
            prop_assert_eq!(&damped, &Damped { condition: observed, held: None });
            prop_assert!(memory.is_empty());
            shown.insert(damped.condition.type_.clone(), damped.condition);
        }
    }

    #[test]
    fn damping_holds_its_promises(hold in any_hold(), observations in any_observations()) {
        let (rules, mut memory) = (Damping::new().hold_others(hold), DampingMemory::default());
        let mut shown: BTreeMap<ConditionType, Condition> = BTreeMap::new();
        let mut statuses: BTreeMap<ConditionType, (Vec<Status>, Vec<Status>)> = BTreeMap::new();
        for (observed, now) in observations {
            let before = shown.get(&observed.type_).cloned();
            let damped = rules.observe(&mut memory, before.as_ref(), observed.clone(), now);
            let (raw, calm) = statuses.entry(observed.type_.clone()).or_default();
            raw.push(observed.status);
            calm.push(damped.condition.status);
            prop_assert!(flips(calm) <= flips(raw), "never flips more often than what is observed");
            prop_assert!(memory.len() <= statuses.len(), "the memory is bounded by the types");
            if let Some(held) = &damped.held {
                prop_assert_eq!(held.status, observed.status);
                prop_assert_eq!(&held.reason, &observed.reason);
                prop_assert_eq!(&held.message, &observed.message);
                prop_assert!(held.since <= now && held.look_again.is_none_or(|time| time > now));
                let shows = before.as_ref().unwrap().status;
                let told = format!("not {shows} since {}; {} is held back ", held.since, observed.status);
                prop_assert!(damped.condition.message.as_str().starts_with(&told));
                let message = damped.condition.message.clone();
                prop_assert_eq!(damped.condition.clone(), Condition { message, ..before.unwrap() });
            } else {
                prop_assert_eq!(damped.condition.status, observed.status);
                prop_assert_eq!(&damped.condition.message, &observed.message);
                prop_assert!(!memory.0.contains_key(&observed.type_));
                let same = before.filter(|before| before.status == observed.status);
                let since = same.map_or(now, |same| same.last_transition_time);
                prop_assert_eq!(damped.condition.last_transition_time, since);
            }
            shown.insert(observed.type_, damped.condition);
        }
    }

    #[test]
    fn at_the_instant_that_was_announced_it_is_released_and_a_second_before_it_is_not(
        seconds in 1..1_000_i64, start in -10_000..10_000_i64, steps in prop::collection::vec(1..100_i64, 0..10),
    ) {
        let rules = rules(Hold { to_bad: Some(lasting(seconds.unsigned_abs())), ..Hold::default() });
        let (mut memory, mut shown) = (DampingMemory::default(), ready(Status::True, start));
        let mut now = at(start);
        let mut look_again = None;
        for step in steps.into_iter().chain([0]) {
            let damped = rules.observe(&mut memory, Some(&shown), ready(Status::False, start), now);
            let Some(held) = damped.held else { break };
            look_again = held.look_again;
            shown = damped.condition;
            now = now.saturating_add(SignedDuration::from_secs(step)).min(at(start + seconds - 1));
        }
        let release = look_again.unwrap();
        prop_assert_eq!(release, at(start + seconds));
        let mut observe = |now| rules.observe(&mut memory, Some(&shown), ready(Status::False, start), now).held;
        prop_assert!(observe(release.saturating_add(SignedDuration::from_secs(-1))).is_some());
        prop_assert!(observe(release).is_none());
    }

    #[test]
    fn a_memory_that_was_stored_goes_on_as_if_it_had_not_been(hold in any_hold(), observations in any_observations()) {
        let rules = Damping::new().hold_others(hold);
        let (mut kept, mut stored) = (DampingMemory::default(), DampingMemory::default());
        let mut shown: BTreeMap<ConditionType, Condition> = BTreeMap::new();
        for (observed, now) in observations {
            let before = shown.get(&observed.type_);
            stored = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
            let damped = rules.observe(&mut kept, before, observed.clone(), now);
            prop_assert_eq!(&damped, &rules.observe(&mut stored, before, observed, now));
            prop_assert_eq!(&kept, &stored);
            shown.insert(damped.condition.type_.clone(), damped.condition);
        }
    }
}
