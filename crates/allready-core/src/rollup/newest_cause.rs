//! `newest-cause`: the worst input speaks for all, and of several equally bad ones the newest. What has not been reported yet hides
//! no cause that was.

use std::{borrow::Cow, cmp::Ordering};

use super::{Context, Input, Policy, Rollup, empty};
use crate::Standing;

/// One pass over the inputs, without an allocation.
pub(super) fn roll_up<'a>(
    inputs: impl Iterator<Item = Input<'a>>,
    context: &Context<'a>,
    policy: &Policy,
) -> Rollup<'a> {
    let mut nothing = true;
    let mut worst: Option<Input<'a>> = None;
    for input in inputs {
        nothing = false;
        // What is good has nothing to say, so it need not be compared.
        if input.standing() != Standing::Good
            && worst.as_ref().is_none_or(|worst| speaks_before(&input, worst))
        {
            worst = Some(input);
        }
    }
    match worst {
        Some(worst) => {
            let (reason, message) = worst.words(context.generation);
            Rollup::new(context, worst.standing(), reason, message)
        }
        None if nothing => empty::roll_up(context, policy, empty::NOTHING_DECLARED),
        None => Rollup::new(context, Standing::Good, context.good_reason(), Cow::Borrowed("")),
    }
}

/// Returns true if `a` speaks rather than `b`: worse, then with a cause that somebody stated, then newer (no time is the oldest),
/// then first by name.
fn speaks_before(a: &Input<'_>, b: &Input<'_>) -> bool {
    b.standing()
        .cmp(&a.standing())
        .then_with(|| a.is_placeholder().cmp(&b.is_placeholder()))
        .then_with(|| b.since.cmp(&a.since))
        .then_with(|| a.tie_break(b))
        == Ordering::Less
}
