//! What every form says where nothing is in scope.

use std::borrow::Cow;

use super::{Context, Policy, Rollup};
use crate::{Polarity, Standing};

/// The reason where nothing is in scope.
pub(crate) const NOTHING_DECLARED: &str = "NothingDeclared";

/// The answer to no inputs at all: what the policy says that is worth, and never silently.
pub(super) fn roll_up<'a>(context: &Context<'a>, policy: &Policy, reason: &'static str) -> Rollup<'a> {
    match Polarity::NormalTrue.standing(policy.empty) {
        Standing::Good => {
            let message = "no condition counts for this one, and this policy takes that as good";
            Rollup::new(context, Standing::Good, context.good_reason(), Cow::Borrowed(message))
        }
        standing => unvouched(context, standing, reason),
    }
}

/// The same where it is not taken as good.
pub(crate) fn unvouched(context: &Context<'_>, standing: Standing, reason: &'static str) -> Rollup<'static> {
    let message = "no condition counts for this one, so nothing vouches for it";
    Rollup::new(context, standing, Cow::Borrowed(reason), Cow::Borrowed(message))
}
