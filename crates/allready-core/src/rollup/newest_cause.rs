//! `newest-cause`: the worst input speaks for all, and of several equally bad ones the newest.

use std::{borrow::Cow, cmp::Ordering};

use super::{Context, Input, Policy, Rollup, empty};
use crate::Standing;

/// One pass over the inputs, without an allocation.
pub(super) fn roll_up<'a>(
    inputs: impl Iterator<Item = Input<'a>>,
    context: &Context<'a>,
    policy: &Policy,
) -> Rollup<'a> {
    let mut worst: Option<Input<'a>> = None;
    for input in inputs {
        if worst.as_ref().is_none_or(|worst| speaks_before(&input, worst)) {
            worst = Some(input);
        }
    }
    let Some(worst) = worst else { return empty::roll_up(context, policy, empty::NOTHING_DECLARED) };
    let standing = worst.standing();
    let (reason, message) = match standing {
        Standing::Good => (context.good_reason(), Cow::Borrowed("")),
        Standing::Unknown | Standing::Bad => worst.words(context.generation),
    };
    Rollup::new(context, standing, reason, message)
}

/// Whether `a` is a better spokesman than `b`: worse, then newer (no time is the oldest), then first by name.
fn speaks_before(a: &Input<'_>, b: &Input<'_>) -> bool {
    b.standing().cmp(&a.standing()).then_with(|| b.since.cmp(&a.since)).then_with(|| a.tie_break(b))
        == Ordering::Less
}
