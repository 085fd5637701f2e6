//! Several passes after each other, under every policy: what one leaves behind must not make a later one lie.

use proptest::prelude::*;

use super::{
    at,
    properties::{TYPES, found, marks, set as plain_set},
};
use crate::{
    Condition, ConditionSet, Reason, Standing, Status, condition,
    condition::ListOrder,
    damping::{Damping, DampingMemory, Hold, Until},
    rollup::{Input, Policy, Stale},
    set::{At, Upgrade},
    transition,
};

fn set() -> impl Strategy<Value = ConditionSet> {
    let order = prop_oneof![Just(ListOrder::AsFound), Just(ListOrder::ByType), Just(ListOrder::OldestFirst)];
    (plain_set(), prop::sample::select(Policy::NAMES), order, any::<bool>()).prop_map(
        |(set, policy, order, assume_good)| ConditionSet {
            policy: policy.parse().unwrap(),
            order,
            upgrade: if assume_good { Upgrade::AssumeGood } else { set.upgrade },
            ..set
        },
    )
}

#[derive(Clone, Debug)]
struct Step {
    generations: u32,
    seconds: i64,
    marks: Vec<(usize, Status, &'static str)>,
    finish: bool,
    deleting: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..2u32, 1..100i64, marks(), any::<bool>(), any::<bool>()).prop_map(
        |(generations, seconds, marks, finish, deleting)| Step {
            generations,
            seconds,
            marks,
            finish,
            deleting,
        },
    );
    prop::collection::vec(step, 1..6)
}

fn rules() -> Damping {
    Damping::new().hold_others(Hold {
        to_bad: Some(Until::Duration(std::time::Duration::from_mins(1))),
        to_good: Some(Until::Observations(2)),
        to_unknown: Some(Until::Observations(3)),
        ..Hold::default()
    })
}

/// What is wrong with a good top condition that does not say so, if anything is.
fn lie(set: &ConditionSet, list: &[Condition], generation: u32) -> Option<String> {
    let top = condition::find(list, "Ready")?;
    let silent = top.message.is_empty() || top.message == "All is well";
    // `first-issue` warns of it in its documentation; the message of a `union` has to tell what inertia hides.
    if top.status != Status::True || set.policy.name() == "first-issue" || !silent {
        return None;
    }
    let worth = |condition: &Condition| {
        let input = Input::from(condition).with_polarity(set.polarity(condition.type_.as_str()));
        match set.policy.stale {
            Stale::Unknown => input.against(generation.into()).standing(),
            Stale::Ignored | Stale::HoldsTop => input.standing(),
        }
    };
    set.dependents().find_map(|dependent| {
        let condition = condition::find(list, dependent.type_.as_str());
        (condition.map(worth) != Some(Standing::Good)).then(|| format!("{condition:?}"))
    })
}

proptest! {
    #[test]
    fn no_sequence_of_passes_makes_a_top_condition_lie(
        set in set(), mut list in found(), steps in steps(), damped: bool,
    ) {
        let (rules, mut memory) = (rules(), DampingMemory::default());
        let (mut generation, mut now) = (0, 100);
        for step in &steps {
            generation += step.generations;
            now += step.seconds;
            let before = list.clone();
            let moment = At { deleting: step.deleting, ..At::new(generation, at(now)) };
            let mut pass = set.pass(&mut list, moment);
            if damped {
                pass.damp(&rules, &mut memory);
            }
            for (type_, status, reason) in &step.marks {
                pass.mark(TYPES[*type_], *status, Reason::from_static(reason), "").unwrap();
            }
            let finished = if step.finish { pass.finish() } else { pass.abandon() };

            if step.finish || set.upgrade != Upgrade::OnePassGrace {
                prop_assert_eq!(lie(&set, &list, generation), None);
            }
            prop_assert!(finished.look_again.is_none_or(|instant| instant > at(now)));
            let has_twice = |list: &[Condition]| {
                (1..list.len()).any(|index| condition::find(&list[..index], list[index].type_.as_str()).is_some())
            };
            if !has_twice(&before) {
                prop_assert_eq!(&finished.transitions, &transition::diff(&before, &list));
                for old in &before {
                    if let Some(new) = condition::find(&list, old.type_.as_str()) {
                        let since = if old.status == new.status { old.last_transition_time } else { at(now) };
                        prop_assert_eq!(new.last_transition_time, since, "{}", old.type_);
                    }
                }
            }
        }
    }
}
