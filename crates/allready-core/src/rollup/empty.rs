//! What every form says where nothing is in scope.

use std::borrow::Cow;

use super::{Context, Policy, Rollup};
use crate::{Polarity, Standing};

/// The reason where nothing is in scope.
pub(super) const NOTHING_DECLARED: &str = "NothingDeclared";

/// The answer to no inputs at all: what the policy says that is worth, and never silently.
pub(super) fn roll_up<'a>(context: &Context<'a>, policy: &Policy, reason: &'static str) -> Rollup<'a> {
    let standing = Polarity::NormalTrue.standing(policy.empty);
    let (reason, message) = match standing {
        Standing::Good => {
            (context.good_reason(), "no condition counts for this one, and this policy takes that as good")
        }
        Standing::Unknown | Standing::Bad => {
            (Cow::Borrowed(reason), "no condition counts for this one, so nothing vouches for it")
        }
    };
    Rollup::new(context, standing, reason, Cow::Borrowed(message))
}
