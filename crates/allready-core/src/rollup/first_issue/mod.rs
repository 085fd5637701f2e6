//! `first-issue`: the first of the most important inputs speaks for all, as Flux and Cluster API's v1beta1 have it.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, cmp::Reverse, collections::BTreeSet};

use super::{Context, Input, Policy, Ranks, Rollup, lists};
use crate::{ConditionType, Polarity, Standing};

/// The options of the form `first-issue`.
///
/// <div class="warning">
///
/// **This form can be good while an input is `Unknown`.** Unknown counts least of all: `True` and `Unknown` together are
/// `True`, and what is missing is not counted at all. It is here for those who need Flux's answer; no other form does
/// that. For the same reason an outdated input is taken at its word here: counted as `Unknown` it would count for nothing,
/// however bad it was.
///
/// </div>
///
/// Of the inputs, the first group that is not empty decides: abnormal-true types that are `True`, normal-true ones that
/// are `False`, normal-true ones that are `True`, abnormal-true ones that are `False`, and `Unknown` of any type. Within
/// the group the first speaks: in the requested order, else `Stalled`, `Reconciling` and `Ready` before others, then the
/// highest observed generation, then by type, then by member.
///
/// A condition of the top type is no input of itself. Where nothing is in scope there is no answer: nothing is written.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Input, Policy};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let fetched = Condition::new(condition_type!("Fetched"), Status::True, reason!("Fetched"), "rev 1", at(1));
/// let built = Condition::new(condition_type!("Built"), Status::Unknown, reason!("Waiting"), "in the queue", at(2));
/// let context = Context::new("Ready", at(9));
/// let top = Policy::first_issue().roll_up([&fetched, &built].map(Input::from), &context).unwrap();
/// assert_eq!((top.status, &*top.message), (Status::True, "rev 1"), "although Built is Unknown");
/// assert!(Policy::first_issue().roll_up([], &context).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstIssue {
    /// The types that count, in the order in which they speak; none means every type, and in a
    /// [`ConditionSet`](crate::ConditionSet) its dependents in the order of declaration.
    pub requested: Vec<ConditionType>,
    /// Whether only the inputs with the highest observed generation count.
    pub latest_generation: bool,
    /// Whether the message is a count of what is done.
    pub counter: StepCounter,
}

/// Whether the message of `first-issue` is `x of y completed` rather than that of an input.
///
/// x are the normal-true inputs that are `True`; y are the types of [`StepCounter::IfOnly`], or else the members (also
/// those that have not reported), or else the requested types, or else the conditions in scope.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, FirstIssue, Form, Input, Policy, StepCounter};
///
/// let fetched = Condition::new(condition_type!("Fetched"), Status::True, reason!("Fetched"), "rev 1", Time::EPOCH);
/// let policy = Policy::from(Form::FirstIssue(FirstIssue { counter: StepCounter::On, ..FirstIssue::new() }));
/// let top = policy.roll_up([Input::from(&fetched)], &Context::new("Ready", Time::EPOCH)).unwrap();
/// assert_eq!(top.message, "1 of 1 completed");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepCounter {
    /// Never.
    #[default]
    Off,
    /// Always.
    On,
    /// As long as no other types than these are in scope.
    IfOnly(Vec<ConditionType>),
}

impl FirstIssue {
    /// Every type, every generation, no counter.
    pub const fn new() -> Self {
        Self { requested: Vec::new(), latest_generation: false, counter: StepCounter::Off }
    }

    pub(super) fn roll_up<'a>(
        &self,
        mut inputs: Vec<Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Option<Rollup<'a>> {
        let members = inputs.iter().filter_map(|input| input.member).collect::<BTreeSet<_>>().len();
        let ranks = Ranks::of(&self.requested);
        let is_requested = |input: &Input<'_>| ranks.has(input.type_) || self.requested.is_empty();
        inputs.retain(|input| is_requested(input) && !policy.missing.ignores(input));
        let steps = self.steps(&inputs, members);
        if self.latest_generation {
            let generation = |input: &Input<'_>| input.observed.unwrap_or_default();
            let latest = inputs.iter().map(generation).max()?;
            inputs.retain(|input| generation(input) == latest);
        }
        let first =
            inputs.iter().min_by(|a, b| key(a, &ranks).cmp(&key(b, &ranks)).then_with(|| a.tie_break(b)))?;
        let (reason, message) = first.words(context.generation);
        let message = match steps {
            None => message,
            Some(steps) => {
                let done = inputs.iter().filter(|input| priority(input) == DONE).count();
                Cow::Owned(format!("{done} of {steps} completed"))
            }
        };
        Some(Rollup::new(context, first.standing(), reason, message))
    }

    /// The y of `x of y completed`, where that is the message.
    fn steps(&self, inputs: &[Input<'_>], members: usize) -> Option<usize> {
        match &self.counter {
            StepCounter::Off => None,
            StepCounter::IfOnly(types) => {
                inputs.iter().all(|input| lists(types, input.type_)).then_some(types.len())
            }
            StepCounter::On if members > 0 => Some(members),
            StepCounter::On if !self.requested.is_empty() => Some(self.requested.len()),
            StepCounter::On => Some(inputs.len()),
        }
    }
}

/// What makes an input speak before another.
fn key<'i>(input: &'i Input<'_>, ranks: &Ranks<'_>) -> impl Ord + use<'i> {
    let weight = match input.type_ {
        "Stalled" => 0,
        "Reconciling" => 1,
        "Ready" => 2,
        _ => 3,
    };
    let generation = Reverse(input.observed.unwrap_or_default());
    (priority(input), ranks.rank(input.type_), weight, generation, input.type_, input.name())
}

/// The group of what is done.
const DONE: u8 = 2;

/// The group of an input: the lower, the more important.
fn priority(input: &Input<'_>) -> u8 {
    match (input.standing(), input.polarity) {
        (Standing::Bad, Polarity::AbnormalTrue) => 0,
        (Standing::Bad, Polarity::NormalTrue) => 1,
        (Standing::Good, Polarity::NormalTrue) => DONE,
        (Standing::Good, Polarity::AbnormalTrue) => 3,
        (Standing::Unknown, _) => 4,
    }
}
