//! Fixed reasons, for forms that do not take one from their inputs.

use std::borrow::Cow;

use crate::{Reason, Standing};

/// The three reasons of a form that does not propagate the reason of an input.
///
/// ```
/// use allready_core::{reason, rollup::{Form, Policy, Reasons, Semicolon}};
///
/// let reasons = Reasons {
///     good: reason!("AllGatewaysReady"),
///     unknown: reason!("GatewaysUnknown"),
///     bad: reason!("GatewaysNotReady"),
/// };
/// let policy = Policy::from(Form::Semicolon(Semicolon { reasons, ..Semicolon::default() }));
/// assert_eq!(policy.name(), "semicolon");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasons {
    /// Everything is good.
    pub good: Reason,
    /// Nothing is bad, but something is not known to be good.
    pub unknown: Reason,
    /// Something is bad.
    pub bad: Reason,
}

impl Reasons {
    pub(super) fn of(&self, standing: Standing) -> Cow<'static, str> {
        let reason = match standing {
            Standing::Good => &self.good,
            Standing::Unknown => &self.unknown,
            Standing::Bad => &self.bad,
        };
        Cow::Owned(reason.as_str().to_owned())
    }
}
