//! Whatever is marked in whatever order, the list stays legal, the times honest and the top no better than its parts.

use proptest::prelude::*;

use super::at;
use crate::{
    Condition, ConditionSet, ConditionType, Reason, Standing, Status, condition,
    rollup::Input,
    set::{At, Declared, Role, Untouched, Upgrade},
};

pub(super) const TYPES: [&str; 6] = ["A", "B", "C", "D", "example.com/E", "Foreign"];

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)]
}

pub(super) fn found() -> impl Strategy<Value = Vec<Condition>> {
    let one = (0..8usize, status(), 0..3u32, 1..50i64).prop_map(|(type_, status, generation, second)| {
        let type_ = TYPES.get(type_).copied().unwrap_or("Ready");
        Condition::new(
            ConditionType::from_static(type_),
            status,
            Reason::from_static("Before"),
            "",
            at(second),
        )
        .observed(generation)
    });
    prop::collection::vec(one, 0..8)
}

pub(super) fn set() -> impl Strategy<Value = ConditionSet> {
    let role = prop_oneof![Just(Role::Dependent), Just(Role::Dependent), Just(Role::Informational)];
    let declared = prop::collection::vec((role, any::<bool>()), 5);
    let untouched = prop_oneof![Just(Untouched::Keep), Just(Untouched::Remove), Just(Untouched::Unknown)];
    let upgrade = prop_oneof![Just(Upgrade::OnePassGrace), Just(Upgrade::Unknown)];
    (declared, untouched, upgrade).prop_map(|(declared, untouched, upgrade)| {
        let mut builder = ConditionSet::living().untouched(untouched).upgrade(upgrade);
        for (type_, (role, abnormal)) in TYPES.into_iter().zip(declared) {
            let one = Declared { role, ..Declared::new(ConditionType::from_static(type_)) };
            builder = builder.declare(if abnormal { one.abnormal_true() } else { one });
        }
        builder.build().unwrap()
    })
}

pub(super) fn marks() -> impl Strategy<Value = Vec<(usize, Status, &'static str)>> {
    prop::collection::vec((0..5usize, status(), prop_oneof![Just("Before"), Just("After")]), 0..10)
}

fn run(
    set: &ConditionSet,
    list: &mut Vec<Condition>,
    at: At,
    marks: &[(usize, Status, &'static str)],
    finish: bool,
) -> bool {
    let mut pass = set.pass(list, at);
    for (type_, status, reason) in marks {
        pass.mark(TYPES[*type_], *status, Reason::from_static(reason), "").unwrap();
    }
    if finish { pass.finish().changed } else { pass.abandon().changed }
}

proptest! {
    #[test]
    fn the_top_is_never_true_while_a_dependent_that_counts_is_not(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool,
    ) {
        run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        let graced = !finish && set.upgrade == Upgrade::OnePassGrace;
        if set.is_good(&list, 0u32) && !graced {
            for dependent in set.dependents() {
                let condition = condition::find(&list, dependent.type_.as_str()).unwrap();
                let input = Input::from(condition).with_polarity(dependent.polarity).against(generation.into());
                prop_assert_eq!(input.standing(), Standing::Good, "{}", dependent.type_);
            }
        }
    }

    #[test]
    fn a_transition_time_moves_exactly_with_the_status(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool,
    ) {
        // One settled pass first, so that duplicates and gaps of the found list are out of the way.
        run(&set, &mut list, At::new(generation, at(90)), &[], false);
        let before = list.clone();
        run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        for old in before.iter().filter(|old| old.type_ != "Foreign") {
            if let Some(new) = condition::find(&list, old.type_.as_str()) {
                let moved = new.last_transition_time != old.last_transition_time;
                prop_assert_eq!(moved, new.status != old.status, "{}", old.type_);
            }
        }
    }

    #[test]
    fn the_same_pass_again_changes_nothing(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool,
    ) {
        run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        // A pass that ended early may have spared a new dependent once; from the second on it is like any other.
        run(&set, &mut list, At::new(generation, at(101)), &marks, finish);
        let settled = list.clone();
        prop_assert!(!run(&set, &mut list, At::new(generation, at(102)), &marks, finish));
        prop_assert_eq!(list, settled);
    }

    #[test]
    fn changed_says_whether_the_list_differs(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool,
    ) {
        let before = list.clone();
        let changed = run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        prop_assert_eq!(changed, list != before);
    }

    #[test]
    fn foreign_conditions_stay_as_they_are(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool,
    ) {
        let foreign = |list: &[Condition]| -> Vec<_> {
            list.iter().filter(|condition| condition.type_ == "Foreign").cloned().collect()
        };
        let before = foreign(&list);
        run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        prop_assert_eq!(foreign(&list), before);
    }

    #[test]
    fn a_long_list_is_settled_as_a_short_one(
        set in set(), mut list in found(), marks in marks(), generation in 0..4u32, finish: bool, front: bool,
    ) {
        let others: Vec<_> = (0..60)
            .map(|number| Condition::unreported(ConditionType::new(format!("Other{number}")).unwrap(), at(1)))
            .collect();
        let mut long = if front { [&others[..], &list[..]] } else { [&list[..], &others[..]] }.concat();
        let changed = run(&set, &mut list, At::new(generation, at(100)), &marks, finish);
        prop_assert_eq!(run(&set, &mut long, At::new(generation, at(100)), &marks, finish), changed);
        let (others_after, ours): (Vec<_>, Vec<_>) =
            long.into_iter().partition(|condition| condition.type_.as_str().starts_with("Other"));
        prop_assert_eq!(others_after, others);
        prop_assert_eq!(ours, list);
    }

    #[test]
    fn any_text_reads_as_a_set_or_is_refused(text in ".{0,60}") {
        if let Ok(set) = text.parse::<ConditionSet>() {
            prop_assert_eq!(set.to_string().parse::<ConditionSet>().unwrap(), set);
        }
    }
}
