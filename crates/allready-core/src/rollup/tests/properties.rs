//! What holds of every policy, whatever the inputs.

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{Index, select},
    strategy::LazyJust,
    test_runner::TestCaseResult,
};

use super::*;
use crate::{
    Standing,
    rollup::{Form, Freshness, Member, Missing, Stale},
};

/// An input that owns its texts.
#[derive(Clone, Debug)]
struct Given {
    member: Option<(&'static str, String)>,
    type_: String,
    polarity: Polarity,
    status: Status,
    reason: String,
    message: String,
    since: Option<i64>,
    observed: Option<u32>,
    freshness: Freshness,
}

impl Given {
    fn input(&self) -> Input<'_> {
        Input {
            member: self.member.as_ref().map(|(kind, name)| Member { kind, name }),
            type_: &self.type_,
            polarity: self.polarity,
            status: self.status,
            reason: Cow::Borrowed(&self.reason),
            message: Cow::Borrowed(&self.message),
            since: self.since.map(at),
            observed: self.observed.map(Generation::from),
            freshness: self.freshness,
        }
    }
}

/// Few and short texts make ties; some are what nobody expects.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["", "m", "n", "p\n* q", "* q\n  * r", "a; b\r\nc", "ü\n\nü", "2 * 3", " "]).prop_map(String::from),
        2 => "\\PC{0,12}",
        1 => any::<String>(),
    ]
}

fn type_() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => select(vec!["A", "B", "FooDegraded", "Stalled", "Ready", "a.b/C"]).prop_map(String::from),
        1 => text(),
    ]
}

prop_compose! {
    fn given()(
        member in option::of((select(vec!["", "Node", "Policy"]), select(vec!["x", "y", "ü"]).prop_map(String::from))),
        type_ in type_(),
        polarity in select(vec![Polarity::NormalTrue, Polarity::AbnormalTrue]),
        status in select(vec![True, True, False, Unknown]),
        reason in text(),
        message in text(),
        since in option::of(select(vec![870, 880, 900, 990, 1005, 1090])),
        observed in option::of(0..4_u32),
        freshness in select(vec![Freshness::Fresh, Freshness::Fresh, Freshness::Fresh, Freshness::Stale, Freshness::Missing]),
    ) -> Given {
        Given { member, type_, polarity, status, reason, message, since, observed, freshness }
    }
}

/// Inputs that all have a member, or none, or are mixed; some differ from another in a single field.
fn inputs() -> impl Strategy<Value = Vec<Given>> {
    let twins = vec((any::<Index>(), any::<Index>(), 0..4), 0..4);
    (option::of(any::<bool>()), vec(given(), 0..6), twins).prop_map(|(with_members, mut inputs, twins)| {
        for (index, given) in inputs.iter_mut().enumerate() {
            match with_members {
                Some(true) => given.member = given.member.take().or(Some(("Node", format!("n{index}")))),
                Some(false) => given.member = None,
                None => {}
            }
        }
        if inputs.is_empty() {
            return inputs;
        }
        for (one, other, field) in twins {
            let (mut twin, other) = (one.get(&inputs).clone(), other.get(&inputs));
            match field {
                0 => twin.reason.clone_from(&other.reason),
                1 => twin.message.clone_from(&other.message),
                2 => twin.observed = other.observed,
                _ => twin.status = other.status,
            }
            inputs.push(twin);
        }
        inputs
    })
}

fn policies() -> impl Iterator<Item = Policy> {
    Policy::NAMES.iter().map(|name| named(name))
}

fn context(polarity: Polarity) -> Context<'static> {
    Context { polarity, ..Context::new("Ready", at(1000)).at_generation(Generation::from(2)) }
}

fn roll_up<'a>(policy: &Policy, given: &'a [Given], context: &Context<'a>) -> Option<Rollup<'a>> {
    policy.roll_up(given.iter().map(Given::input), context)
}

/// What an input is worth to a policy, if it counts at all: said a second time, from the table in the documentation.
fn counted(policy: &Policy, given: &Given, context: &Context<'_>) -> Option<Standing> {
    let itself = given.member.is_none() && given.type_ == context.top;
    let observed = given.observed.map(i64::from).filter(|&observed| observed > 0);
    let older = observed.is_some_and(|observed| observed < context.generation.get());
    let ahead = observed.is_some_and(|observed| observed > context.generation.get());
    let other = older || ahead && policy.form == Form::ListUnhealthy;
    let reported = given.polarity.standing(given.status);
    match (&policy.form, given.freshness) {
        (Form::Bullets(_) | Form::FirstIssue(_), _) if itself => None,
        (_, Freshness::Missing) => (policy.missing == Missing::Unknown).then_some(Standing::Unknown),
        (_, freshness) if policy.stale == Stale::Unknown && (other || freshness == Freshness::Stale) => {
            Some(Standing::Unknown)
        }
        _ => Some(reported),
    }
}

fn polarity() -> impl Strategy<Value = Polarity> {
    select(vec![Polarity::NormalTrue, Polarity::AbnormalTrue])
}

/// Strict reading accepts what was written, and gives it back.
fn assert_legal(condition: &Condition) -> TestCaseResult {
    let json = serde_json::to_string(condition).unwrap();
    let read = serde_json::from_str::<Condition>(&json);
    prop_assert_eq!(read.map_err(|error| error.to_string()), Ok(condition.clone()));
    Ok(())
}

proptest! {
    #[test]
    fn the_order_of_the_inputs_does_not_change_a_byte(
        (given, shuffled) in inputs().prop_flat_map(|given| (Just(given.clone()), Just(given).prop_shuffle())),
        polarity in polarity(),
    ) {
        let context = context(polarity);
        for policy in policies() {
            let (one, other) = (roll_up(&policy, &given, &context), roll_up(&policy, &shuffled, &context));
            prop_assert_eq!(one, other, "{}", policy);
            let again = |given: &[Given]| policy.look_again(given.iter().map(Given::input), &context);
            prop_assert_eq!(again(&given), again(&shuffled), "{}", policy);
        }
    }

    #[test]
    fn no_policy_but_first_issue_is_good_while_something_that_counts_is_not(
        given in inputs(),
        polarity in polarity(),
        previous in option::of(select(vec![Standing::Bad, Standing::Unknown])),
    ) {
        let top = previous.map(|standing| ready(polarity.status(standing), "Before", "", 1));
        let context = Context { previous: top.as_ref(), ..context(polarity) };
        for policy in policies().filter(|policy| !matches!(policy.form, Form::FirstIssue(_))) {
            let Some(rollup) = roll_up(&policy, &given, &context) else { continue };
            let worst = given.iter().filter_map(|given| counted(&policy, given, &context)).max();
            let hidden = policy.look_again(given.iter().map(Given::input), &context).is_some();
            if worst.is_some_and(|worst| worst != Standing::Good) && !hidden {
                prop_assert_ne!(polarity.standing(rollup.status), Standing::Good, "{} of {:?}", policy, given);
            }
            if hidden {
                prop_assert_ne!(&*rollup.message, "All is well");
            }
        }
    }

    #[test]
    fn every_policy_is_good_once_all_that_counts_is(given in inputs(), polarity in polarity()) {
        let context = context(polarity);
        for policy in policies().filter(|policy| policy.stale != Stale::HoldsTop) {
            let worst = given.iter().filter_map(|given| counted(&policy, given, &context)).max();
            if worst == Some(Standing::Good) {
                let rollup = roll_up(&policy, &given, &context).unwrap();
                prop_assert_eq!(polarity.standing(rollup.status), Standing::Good, "{} of {:?}", policy, given);
            }
        }
    }

    #[test]
    fn where_nothing_is_in_scope_no_policy_but_knative_is_good(polarity in polarity()) {
        for policy in policies().filter(|policy| *policy != named("knative")) {
            if let Some(rollup) = roll_up(&policy, &[], &context(polarity)) {
                prop_assert_eq!(rollup.status, Unknown, "{}", policy);
            }
        }
    }

    #[test]
    fn a_condition_made_of_any_answer_is_legal(
        given in inputs(),
        polarity in polarity(),
        long in option::weighted(0.1, (0..8_usize, LazyJust::new(|| "ü; é\n".repeat(9_000)))),
    ) {
        let mut given = given;
        if let Some((index, text)) = long
            && let Some(given) = given.get_mut(index)
        {
            given.message = text;
        }
        let context = context(polarity);
        for policy in policies() {
            let Some(rollup) = roll_up(&policy, &given, &context) else { continue };
            assert_legal(&rollup.into_condition(ConditionType::from_static("Ready"), None, at(1000)))?;
        }
    }

    #[test]
    fn asking_twice_changes_nothing_and_the_time_moves_only_with_the_status(
        given in inputs(),
        polarity in polarity(),
        before in select(vec![True, False, Unknown]),
    ) {
        let previous = ready(before, "Before", "", 7);
        let context = context(polarity);
        for policy in policies() {
            let Some(first) = roll_up(&policy, &given, &context) else { continue };
            let condition = |rollup: Rollup<'_>, previous: &Condition, now| {
                rollup.into_condition(previous.type_.clone(), Some(previous), now)
            };
            let first = condition(first, &previous, at(1000));
            let kept = first.last_transition_time == at(7);
            prop_assert_eq!(kept, first.status == before, "{}", policy);
            let second = condition(roll_up(&policy, &given, &context).unwrap(), &first, at(2000));
            prop_assert_eq!(second, first, "{}", policy);
        }
    }

    #[test]
    fn an_answer_rolled_up_alone_keeps_its_status(given in inputs(), polarity in polarity()) {
        // Where there are no members there is nobody to be strict about, until somebody reports just that.
        if given.is_empty() {
            return Ok(());
        }
        let context = context(polarity);
        for policy in policies() {
            let Some(first) = roll_up(&policy, &given, &context) else { continue };
            let child = first.into_condition(ConditionType::from_static("Child"), None, at(1000));
            let parent = Context {
                generation: child.observed_generation.unwrap_or_default(),
                ..context.clone()
            };
            let input = Input::from(&child).with_polarity(polarity);
            let second = policy.roll_up([input], &parent).unwrap();
            prop_assert_eq!(second.status, child.status, "{}", policy);
            if matches!(policy.form, Form::NewestCause) && polarity.standing(child.status) != Standing::Good {
                prop_assert_eq!((&*second.reason, &*second.message), (child.reason.as_str(), child.message.as_str()));
            }
        }
    }

    #[test]
    fn an_answer_changes_with_time_exactly_when_it_said_it_would(given in inputs(), polarity in polarity()) {
        let context = context(polarity);
        for policy in policies() {
            let again = policy.look_again(given.iter().map(Given::input), &context);
            let standing = |now: Time| {
                let context = Context { now, ..context.clone() };
                roll_up(&policy, &given, &context).map(|rollup| polarity.standing(rollup.status))
            };
            let Some(end) = again else {
                prop_assert_eq!(standing(at(5000)), standing(context.now), "{}", policy);
                continue;
            };
            prop_assert!(end > context.now);
            prop_assert_eq!(standing(at(end.as_second() - 1)), Some(Standing::Good));
            prop_assert_ne!(standing(end), Some(Standing::Good));
        }
    }
}
