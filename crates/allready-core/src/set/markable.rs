//! The ways to name the conditions that a pass marks: by the variants of an enum that derives `ConditionSet`, or by type.

use super::{ConditionSet, MarkError, Pass, TypedPass, TypedSet};
use crate::{Reason, Standing};

/// A way to name the conditions of a list: an enum that derives `ConditionSet`, or [`Untyped`].
///
/// `#[derive(ConditionSet)]` implements it; there is no need to do so by hand.
pub trait Markable: Sized + 'static {
    /// The pass, with the methods for marking that this type has.
    type Pass<'a>: Send;

    /// The set, where the type has one.
    fn declared_set() -> Option<&'static ConditionSet>;

    /// Wraps a pass.
    fn typed(pass: Pass<'_>) -> Self::Pass<'_>;

    /// Unwraps it again.
    fn untyped(pass: Self::Pass<'_>) -> Pass<'_>;
}

/// Conditions that no enum declares: they are marked by the names of their types.
///
/// ```
/// use allready_core::{Status, Time, reason, set::{At, Conditions}};
///
/// let mut conditions: Conditions = Conditions::default();
/// let mut pass = conditions.pass(At::new(1u32, Time::EPOCH));
/// pass.mark_true("Synced", reason!("Applied"), "")?;
/// pass.finish();
/// assert_eq!(conditions.find("Synced").unwrap().status, Status::True);
/// # Ok::<(), allready_core::set::MarkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untyped {}

impl Markable for Untyped {
    type Pass<'a> = Pass<'a>;

    fn declared_set() -> Option<&'static ConditionSet> {
        None
    }

    fn typed(pass: Pass<'_>) -> Self::Pass<'_> {
        pass
    }

    fn untyped(pass: Self::Pass<'_>) -> Pass<'_> {
        pass
    }
}

/// A pass whose conditions are named by `C`: a variant of the set's enum, or the text of a type.
pub trait Mark<C> {
    /// Marks a condition good, bad or unknown, whichever way round its polarity reads.
    fn mark_standing(
        &mut self,
        condition: C,
        standing: Standing,
        reason: Reason,
        message: &str,
    ) -> Result<(), MarkError>;
}

impl Mark<&str> for Pass<'_> {
    fn mark_standing(
        &mut self,
        condition: &str,
        standing: Standing,
        reason: Reason,
        message: &str,
    ) -> Result<(), MarkError> {
        let status = self.set.polarity(condition).status(standing);
        self.mark(condition, status, reason, message).map(drop)
    }
}

impl<S: TypedSet> Mark<S> for TypedPass<'_, S> {
    fn mark_standing(
        &mut self,
        condition: S,
        standing: Standing,
        reason: Reason,
        message: &str,
    ) -> Result<(), MarkError> {
        let polarity = S::set().declared().get(condition.index()).map(|declared| declared.polarity);
        self.mark(condition, polarity.unwrap_or_default().status(standing), reason, message);
        Ok(())
    }
}
