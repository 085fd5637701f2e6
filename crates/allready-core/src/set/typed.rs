//! Sets whose conditions are the variants of an enum: a mark names a variant, so that it cannot fail.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::Serialize;

use super::{At, ClearError, ConditionSet, ConditionSetBuilder, Finished, Pass};
use crate::{
    Condition, ConditionType, Message, Polarity, Reason, Status,
    condition::IntoReason,
    damping::{Damping, DampingMemory},
    findings::{Findings, Fold},
    rollup::{Input, Policy},
};

/// An enum with one variant for each declared condition of a set.
///
/// `#[derive(ConditionSet)]` implements it and adds methods named by intent. Where it is implemented by hand,
/// `set().declared()[variant.index()]` must be the declaration of the variant.
///
/// ```
/// use std::sync::LazyLock;
/// use allready_core::{ConditionSet, ConditionType, Status, Time, condition, condition_type, reason};
/// use allready_core::set::{At, TypedPass, TypedSet};
///
/// #[derive(Clone, Copy)]
/// enum Backup {
///     Taken,
/// }
///
/// impl TypedSet for Backup {
///     const ALL: &'static [Self] = &[Self::Taken];
///     fn set() -> &'static ConditionSet {
///         static SET: LazyLock<ConditionSet> =
///             LazyLock::new(|| ConditionSet::living().dependent(condition_type!("Taken")).build().unwrap());
///         &SET
///     }
///     fn index(self) -> usize {
///         0
///     }
///     fn condition_type(self) -> &'static ConditionType {
///         static TAKEN: ConditionType = condition_type!("Taken");
///         &TAKEN
///     }
/// }
///
/// let mut conditions = vec![];
/// let mut pass = TypedPass::<Backup>::new(&mut conditions, At::new(1u32, Time::EPOCH));
/// pass.mark_false(Backup::Taken, reason!("NoSpace"), "the bucket is full");
/// pass.finish();
/// assert_eq!(condition::find(&conditions, "Ready").unwrap().status, Status::False);
/// ```
pub trait TypedSet: Copy + 'static {
    /// Every declared condition, in the order of declaration.
    const ALL: &'static [Self];

    /// The description of the set.
    fn set() -> &'static ConditionSet;

    /// The place of this condition among those [declared](ConditionSet::declared).
    fn index(self) -> usize;

    /// The type of this condition.
    fn condition_type(self) -> &'static ConditionType;
}

/// A [`Pass`] over the conditions of a [`TypedSet`]: only declared conditions have a name, so that a mark cannot fail.
///
/// It ends as a [`Pass`] does; one that is dropped keeps the marks that were made.
#[must_use = "finish the pass, or what was left untouched is not settled"]
pub struct TypedPass<'a, S> {
    pass: Pass<'a>,
    set: PhantomData<fn(S)>,
}

impl<'a, S: TypedSet> TypedPass<'a, S> {
    /// Begins a reconcile pass, as [`ConditionSet::pass`] does.
    pub fn new(conditions: &'a mut Vec<Condition>, at: At) -> Self {
        Self::over(S::set().pass(conditions, at))
    }

    /// Names the conditions of a pass by the variants of this enum.
    pub fn over(pass: Pass<'a>) -> Self {
        Self { pass, set: PhantomData }
    }

    /// Marks a condition with a status.
    pub fn mark<'m>(
        &mut self,
        condition: S,
        status: Status,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> &mut Self {
        self.pass.mark_declared(condition.index(), status, reason.into_reason(), &message.into());
        self
    }

    /// Marks a condition `True`.
    ///
    /// True of a normal-true condition is good news; of an abnormal-true one it is bad.
    pub fn mark_true<'m>(
        &mut self,
        condition: S,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> &mut Self {
        self.mark(condition, Status::True, reason, message)
    }

    /// Marks a condition `False`: for a normal-true one, somebody has to do something.
    pub fn mark_false<'m>(
        &mut self,
        condition: S,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> &mut Self {
        self.mark(condition, Status::False, reason, message)
    }

    /// Marks a condition `Unknown`: work on it is going on.
    pub fn mark_unknown<'m>(
        &mut self,
        condition: S,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> &mut Self {
        self.mark(condition, Status::Unknown, reason, message)
    }

    /// Marks a condition with findings: bad if there is an error among them; see [`Pass::mark_findings`].
    pub fn mark_findings(&mut self, condition: S, findings: &Findings) -> &mut Self {
        // Refused are only undeclared types and the top one, and a variant is neither.
        let _ = self.pass.mark_findings(condition.condition_type().as_str(), findings);
        self
    }

    /// The same with words and limits of your own; see [`Pass::mark_findings_with`].
    pub fn mark_findings_with(&mut self, condition: S, findings: &Findings, how: &Fold) -> &mut Self {
        // As above.
        let _ = self.pass.mark_findings_with(condition.condition_type().as_str(), findings, how);
        self
    }

    /// Marks a condition with what a child's condition says; see [`Pass::propagate`].
    pub fn propagate<'c>(
        &mut self,
        condition: S,
        child: impl Into<Input<'c>>,
        polarity: Polarity,
    ) -> &mut Self {
        // As above.
        let _ = self.pass.propagate(condition.condition_type().as_str(), child, polarity);
        self
    }

    /// Marks a condition with what a whole child object says; see [`Pass::propagate_object`].
    pub fn propagate_object<'o, O: Serialize + 'o>(
        &mut self,
        condition: S,
        child: impl Into<Option<&'o O>>,
    ) -> &mut Self {
        // As above.
        let _ = self.pass.propagate_object(condition.condition_type().as_str(), child);
        self
    }

    /// Holds changes of status back until they have lasted; see [`Pass::damp`].
    pub fn damp(&mut self, rules: &'a Damping, memory: &'a mut DampingMemory) -> &mut Self {
        self.pass.damp(rules, memory);
        self
    }

    /// Takes an informational condition out of the list; see [`Pass::clear`]. A dependent is never absent.
    pub fn clear(&mut self, condition: S) -> Result<&mut Self, ClearError> {
        self.pass.clear(condition.condition_type().as_str())?;
        Ok(self)
    }

    /// The object and the instant that this pass is about.
    pub fn at(&self) -> At {
        self.pass.at()
    }

    /// The list as it stands in the middle of the pass; its top condition is from before.
    pub fn conditions(&self) -> &[Condition] {
        self.pass.conditions()
    }

    /// The pass by type names, for conditions that are known only at run time.
    pub fn untyped(&mut self) -> &mut Pass<'a> {
        &mut self.pass
    }

    /// The pass by type names, instead of this one.
    pub fn into_untyped(self) -> Pass<'a> {
        self.pass
    }

    /// Says that the reconcile came to its end, and settles the list; see [`Pass::finish`].
    pub fn finish(self) -> Finished {
        self.pass.finish()
    }

    /// Ends the pass with the error that ended the reconcile; see [`Pass::fail`].
    pub fn fail(self, reason: Reason, message: impl Into<Message>) -> Finished {
        self.pass.fail(reason, message)
    }

    /// Says that the reconcile did *not* come to its end; see [`Pass::abandon`].
    pub fn abandon(self) -> Finished {
        self.pass.abandon()
    }
}

impl<S> fmt::Debug for TypedPass<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedPass").field(&self.pass).finish()
    }
}

/// The set that the derive macro describes, with a policy by name.
///
/// # Panics
/// Never for what the macro emits: it refuses at compile time whatever is refused here, and its tests compare the two.
#[doc(hidden)]
pub fn generated(builder: ConditionSetBuilder, policy: &str) -> ConditionSet {
    match policy.parse::<Policy>().map(|policy| builder.policy(policy).build()) {
        Ok(Ok(set)) => set,
        Ok(Err(error)) => unreachable!("the derive macro has let a wrong set pass: {error}"),
        Err(error) => unreachable!("the derive macro has let a wrong policy pass: {error}"),
    }
}
