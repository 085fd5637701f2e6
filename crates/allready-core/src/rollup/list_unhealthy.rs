//! `list-unhealthy`: fixed reasons, and a message that lists every input that is not good, as operatorpkg has it.

use std::borrow::Cow;

use super::{Context, Input, Policy, Rollup, empty};
use crate::Standing;

/// The reason where something is bad.
const UNHEALTHY: &str = "UnhealthyDependents";
/// The reason where nothing is bad, but something is not known to be good.
const RECONCILING: &str = "ReconcilingDependents";

pub(super) fn roll_up<'a>(mut inputs: Vec<Input<'a>>, context: &Context<'a>, policy: &Policy) -> Rollup<'a> {
    let (standing, reason) = match inputs.iter().map(Input::standing).max() {
        None => return empty::roll_up(context, policy, empty::NOTHING_DECLARED),
        Some(Standing::Good) => {
            return Rollup::new(context, Standing::Good, context.good_reason(), Cow::Borrowed(""));
        }
        Some(Standing::Unknown) => (Standing::Unknown, RECONCILING),
        Some(Standing::Bad) => (Standing::Bad, UNHEALTHY),
    };
    inputs.retain(|input| input.standing() != Standing::Good);
    inputs.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.tie_break(b)));
    // The status as reported, also of a stale one: a person will look for just that.
    let listed: Vec<String> =
        inputs.iter().map(|input| format!("{}={}", input.name(), input.status)).collect();
    Rollup::new(context, standing, Cow::Borrowed(reason), Cow::Owned(listed.join(", ")))
}
