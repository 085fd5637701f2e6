//! For any history: the index is the model, the order is no matter, and nothing is green that should not be.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    model::{Model, Operation, apply},
    *,
};
use crate::rollup::Grouped;

const MEMBERS: [&str; 5] = ["a", "b", "c", "d", "e"];
const TYPES: [&str; 3] = ["Degraded", "Ready", "Synced"];

fn any_member() -> impl Strategy<Value = &'static str> {
    select(&MEMBERS[..])
}

fn any_type() -> impl Strategy<Value = ConditionType> {
    select(&TYPES[..]).prop_map(ConditionType::from_static)
}

fn any_condition() -> impl Strategy<Value = Condition> {
    let status = select(&[Status::True, Status::True, Status::False, Status::Unknown][..]);
    let reason = select(&["X", "Y"][..]).prop_map(Reason::from_static);
    let message = select(&["", "one", "two"][..]);
    (any_type(), status, reason, message, 0_u32..4, 0_i64..3).prop_map(
        |(type_, status, reason, message, generation, second)| {
            let since = Time::from_second(second).unwrap();
            Condition::new(type_, status, reason, message, since).observed(generation)
        },
    )
}

fn any_report() -> impl Strategy<Value = Vec<Condition>> {
    vec(any_condition(), 0..5)
}

fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => (any_member(), any_report()).prop_map(|(member, report)| Operation::Apply(member, report)),
        2 => any_member().prop_map(Operation::Remove),
        2 => any_member().prop_map(Operation::Expect),
        1 => (any_member(), vec(any_type(), 0..3))
            .prop_map(|(member, types)| Operation::ExpectTypes(member, types)),
        1 => vec(any_member(), 0..4).prop_map(Operation::ExpectOnly),
        2 => any_member().prop_map(Operation::Unexpect),
        2 => (any_member(), select(&["", "40 s"][..]))
            .prop_map(|(member, message)| Operation::Silence(member, message)),
        2 => any_member().prop_map(Operation::Unsilence),
        1 => (0_u32..4).prop_map(Operation::Generation),
    ]
}

fn any_options() -> impl Strategy<Value = FleetOptions> {
    let unexpected = select(&[Unexpected::Counted, Unexpected::Ignored][..]);
    (vec(any_type(), 0..3), unexpected, 0_usize..4, 0_usize..600).prop_map(
        |(types, unexpected, names, max_bytes)| FleetOptions {
            polarities: BTreeMap::from([(condition_type!("Degraded"), Polarity::AbnormalTrue)]),
            types,
            unexpected,
            wording: Grouped { names, max_bytes, ..Grouped::new() },
        },
    )
}

/// Everything that can be read from an index.
fn readings(fleet: &FleetIndex) -> String {
    let rollup = fleet.roll_up(&Context::new("Ready", Time::EPOCH));
    let causes: Vec<_> = fleet.causes().collect();
    let troubled = names(fleet.troubled());
    let reports: Vec<_> =
        fleet.members().map(|member| (member.name(), member.report().collect::<Vec<_>>())).collect();
    format!("{:?}", (rollup, fleet.counts(), causes, troubled, reports))
}

proptest! {
    #[test]
    fn the_index_is_what_a_computation_from_scratch_gives_after_every_change(
        options in any_options(),
        operations in vec(any_operation(), 1..40),
    ) {
        let mut fleet = FleetIndex::new(options.clone());
        let mut model = Model::new(options);
        let context = Context::new("Ready", Time::EPOCH);
        for operation in &operations {
            apply(&mut fleet, operation);
            model.apply(operation);
            prop_assert_eq!(fleet.roll_up(&context), model.roll_up(&context));
            prop_assert_eq!(fleet.counts(), model.counts());
            prop_assert_eq!(fleet.causes().collect::<Vec<_>>(), model.causes());

            let standings = model.standings();
            for member in MEMBERS {
                let standing = fleet.member(member).and_then(|member| member.standing());
                prop_assert_eq!(standing, standings.get(member).copied());
            }
            let mut troubled: Vec<_> =
                standings.into_iter().filter(|(_, standing)| *standing != Standing::Good).collect();
            troubled.sort_by_key(|(name, standing)| (std::cmp::Reverse(*standing), *name));
            prop_assert_eq!(names(fleet.troubled()), troubled.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        }
    }

    #[test]
    fn it_is_never_good_while_one_condition_that_counts_is_not(
        options in any_options(),
        operations in vec(any_operation(), 1..40),
    ) {
        let mut fleet = FleetIndex::new(options);
        for operation in &operations {
            apply(&mut fleet, operation);
            let inputs: Vec<_> = fleet.members().flat_map(|member| member.inputs().collect::<Vec<_>>()).collect();
            let all_good = inputs.iter().all(|input| input.standing() == Standing::Good);
            prop_assert_eq!(answer(&fleet).0 == Status::True, all_good && !inputs.is_empty());
        }
    }

    #[test]
    fn doing_it_again_changes_nothing(
        operations in vec(any_operation(), 1..40),
    ) {
        let mut fleet = FleetIndex::default();
        for operation in &operations {
            apply(&mut fleet, operation);
            let before = readings(&fleet);
            prop_assert!(!apply(&mut fleet, operation), "{operation:?} said that it changed something");
            prop_assert_eq!(readings(&fleet), before);
        }
    }

    #[test]
    fn the_order_in_which_facts_arrive_does_not_change_a_byte(
        options in any_options(),
        (facts, shuffled) in facts().prop_flat_map(|facts| (Just(facts.clone()), Just(facts).prop_shuffle())),
        detours in vec(any_operation(), 0..20),
    ) {
        let mut straight = FleetIndex::new(options.clone());
        for fact in &facts {
            apply(&mut straight, fact);
        }
        let mut other = FleetIndex::new(options);
        for fact in detours.iter().chain(&undone()).chain(&shuffled) {
            apply(&mut other, fact);
        }
        prop_assert_eq!(readings(&straight), readings(&other));
    }

    #[test]
    fn a_fleet_that_everybody_has_left_holds_nothing(
        operations in vec(any_operation(), 1..40),
    ) {
        let mut fleet = FleetIndex::default();
        for operation in operations.iter().chain(&undone()) {
            apply(&mut fleet, operation);
        }
        prop_assert_eq!(readings(&fleet), readings(&FleetIndex::default()));
        prop_assert_eq!(fleet.texts.len(), 0, "every text is released");
    }

    #[test]
    fn any_text_gives_a_message_within_bounds(
        members in vec((any::<String>(), any::<String>(), any::<String>(), any::<String>()), 0..20),
        max_bytes in 0_usize..2000,
    ) {
        let wording = Grouped { max_bytes, ..Grouped::new() };
        let mut fleet = FleetIndex::new(FleetOptions { wording, ..FleetOptions::default() });
        for (name, type_, reason, message) in &members {
            fleet.apply(name, [Input {
                status: Status::False,
                reason: reason.into(),
                message: message.into(),
                freshness: crate::rollup::Freshness::Fresh,
                ..Input::missing(type_, Polarity::NormalTrue)
            }]);
        }
        let message = answer(&fleet).1;
        let total = fleet.counts().members();
        prop_assert!(message.len() <= max_bytes.max(Grouped::MIN_BYTES));
        prop_assert!(total == 0 || message.starts_with(&format!("{total} of {total} failing: ")), "{message}");
    }
}

/// At most one fact of each sort for each member.
fn facts() -> impl Strategy<Value = Vec<Operation>> {
    let of = |member: &'static str| {
        let report = proptest::option::of(any_report())
            .prop_map(move |report| report.map(|report| Operation::Apply(member, report)));
        let expected = any::<bool>().prop_map(move |yes| yes.then_some(Operation::Expect(member)));
        let silent =
            prop::bool::weighted(0.2).prop_map(move |yes| yes.then_some(Operation::Silence(member, "40 s")));
        (report, expected, silent).prop_map(|(a, b, c)| [a, b, c].into_iter().flatten().collect::<Vec<_>>())
    };
    let generation = (0_u32..4).prop_map(|generation| vec![Operation::Generation(generation)]);
    (MEMBERS.map(of), generation)
        .prop_map(|(members, generation)| members.into_iter().flatten().chain(generation).collect())
}

/// Takes back everything that any operation can have done.
fn undone() -> Vec<Operation> {
    let members = MEMBERS.into_iter();
    let each = members.flat_map(|member| {
        [Operation::Remove(member), Operation::Unexpect(member), Operation::Unsilence(member)]
    });
    each.chain([Operation::Generation(0)]).collect()
}
