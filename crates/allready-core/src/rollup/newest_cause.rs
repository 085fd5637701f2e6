//! `newest-cause`: the worst input speaks for all, and of several equally bad ones the newest.

use std::{borrow::Cow, cmp::Ordering};

use super::{Context, Input, Policy, Rollup, Stale};
use crate::{Polarity, Standing};

/// One pass over the inputs, without an allocation.
pub(super) fn roll_up<'a>(
    inputs: impl Iterator<Item = Input<'a>>,
    context: &Context<'a>,
    policy: &Policy,
) -> Option<Rollup<'a>> {
    let mut worst: Option<Input<'a>> = None;
    let mut any_stale = false;
    for input in inputs {
        any_stale |= policy.stale == Stale::HoldsTop && is_stale(&input, context);
        if worst.as_ref().is_none_or(|worst| speaks_before(&input, worst)) {
            worst = Some(input);
        }
    }
    let standing =
        worst.as_ref().map_or_else(|| Polarity::NormalTrue.standing(policy.empty), Input::standing);
    if standing == Standing::Good && any_stale {
        // KRO: staleness alone neither raises nor lowers what stands there.
        let previous = context.previous?;
        return Some(Rollup {
            status: previous.status,
            reason: Cow::Borrowed(previous.reason.as_str()),
            message: Cow::Borrowed(previous.message.as_str()),
            observed: None,
        });
    }
    let (reason, message) = match &worst {
        _ if standing == Standing::Good => (context.good_reason(), Cow::Borrowed("")),
        Some(input) => input.words(context.generation),
        None => (
            Cow::Borrowed(NOTHING_DECLARED),
            Cow::Borrowed("no condition counts for this one, so nothing vouches for it"),
        ),
    };
    Some(Rollup { status: context.polarity.status(standing), reason, message, observed: None })
}

/// The reason where nothing is in scope.
pub(super) const NOTHING_DECLARED: &str = "NothingDeclared";

fn is_stale(input: &Input<'_>, context: &Context<'_>) -> bool {
    input.observed.is_some_and(|observed| observed < context.generation)
}

/// Whether `a` is a better spokesman than `b`: worse, then newer (no time is the oldest), then first by name. The last
/// comparisons only make the choice independent of the order of the inputs.
fn speaks_before(a: &Input<'_>, b: &Input<'_>) -> bool {
    b.standing()
        .cmp(&a.standing())
        .then_with(|| b.since.cmp(&a.since))
        .then_with(|| a.type_.cmp(b.type_))
        .then_with(|| a.member.cmp(&b.member))
        .then_with(|| a.reason.cmp(&b.reason))
        .then_with(|| a.message.cmp(&b.message))
        == Ordering::Less
}
