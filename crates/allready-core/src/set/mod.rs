//! Condition sets: a resource's conditions described once, and the reconcile [`Pass`] that marks them.
//!
//! A [`ConditionSet`] is the immutable description: the top type, the dependents it is computed from, and the
//! informational conditions that are shown and do not count. A [`Pass`] is short-lived and bound to one list, one
//! generation and one instant. The top condition is computed, never set by hand.
//!
//! ```
//! use allready_core::{ConditionSet, Status, Time, condition, condition_type, reason, set::At};
//!
//! let set = ConditionSet::builder(condition_type!("Ready"))
//!     .dependent(condition_type!("Synced"))
//!     .dependent(condition_type!("Healthy"))
//!     .informational(condition_type!("Cached"))
//!     .build()
//!     .unwrap();
//!
//! let mut conditions = vec![]; // status.conditions of the object
//! let now = Time::from_second(1_772_359_200).unwrap();
//! let mut pass = set.pass(&mut conditions, At::new(1u32, now));
//! pass.mark_true("Synced", reason!("Applied"), "")?;
//! pass.mark_false("Healthy", reason!("DiskFull"), "disk sda is full")?;
//! let finished = pass.finish();
//!
//! assert!(finished.changed);
//! let ready = condition::find(&conditions, "Ready").unwrap();
//! assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "DiskFull"));
//! assert_eq!(condition::find(&conditions, "Cached").unwrap().status, Status::Unknown, "never ambiguous");
//! # Ok::<(), allready_core::set::MarkError>(())
//! ```

mod at;
mod builder;
mod conditions;
mod declared;
mod describe;
mod index;
mod mark;
mod markable;
mod marks;
mod pass;
mod policies;
mod propagate;
mod record;
mod refusal;
mod settle;
#[cfg(test)]
mod tests;
mod text;
mod touched;
mod typed;
mod updater;

use std::borrow::Cow;

pub use at::At;
pub use builder::{ConditionSetBuilder, SetError};
pub use conditions::Conditions;
pub use declared::{Declared, Initial, Role};
pub use describe::{DeclaredDescription, SetDescription};
pub use markable::{Mark, Markable, Untyped};
pub use marks::Marks;
pub use pass::{Finished, Pass};
pub use policies::{Untouched, Upgrade};
pub use refusal::{ClearError, MarkError};
pub use text::SetTextError;
#[doc(hidden)]
pub use typed::generated;
pub use typed::{TypedPass, TypedSet};
pub use updater::{ConditionUpdater, UpdatedConditions};

use crate::{
    Condition, ConditionType, Generation, Polarity, Reason, Standing,
    condition::ListOrder,
    rollup::{Bullets, FirstIssue, Form, Input, Policy},
};

/// The annotation in which a resource author says which conditions of a kind count, which inform, and how they read.
pub const ANNOTATION: &str = "allready.dev/conditions";

/// The immutable description of a resource's conditions.
///
/// Made by a [builder](ConditionSet::builder), by `#[derive(ConditionSet)]`, or from data: it reads and writes as JSON
/// (see [`SetDescription`]) and as one line of text (see [`FromStr`](#impl-FromStr-for-ConditionSet)).
///
/// ```
/// use allready_core::ConditionSet;
///
/// let set: ConditionSet = "Ready: Synced, !Degraded, (Cached)".parse().unwrap();
/// assert_eq!((set.top().as_str(), set.dependents().count(), set.declared().len()), ("Ready", 2, 3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionSet {
    pub(crate) top: ConditionType,
    pub(crate) good_reason: Option<Reason>,
    pub(crate) declared: Vec<Declared>,
    pub(crate) prune: Vec<ConditionType>,
    pub(crate) policy: Policy,
    pub(crate) untouched: Untouched,
    pub(crate) upgrade: Upgrade,
    pub(crate) order: ListOrder,
    pub(crate) open: bool,
    pub(crate) detailed: bool,
}

impl ConditionSet {
    /// Starts a description with this top type.
    pub fn builder(top: ConditionType) -> ConditionSetBuilder {
        ConditionSetBuilder::new(top)
    }

    /// Starts the description of something that lives on: its top type is `Ready`.
    pub fn living() -> ConditionSetBuilder {
        Self::builder(ConditionType::from_static("Ready"))
    }

    /// Starts the description of something that runs to an end: its top type is `Succeeded`.
    pub fn batch() -> ConditionSetBuilder {
        Self::builder(ConditionType::from_static("Succeeded"))
    }

    /// The set of an object that nobody has described: whatever is in its list counts, as normal-true dependents.
    ///
    /// ```
    /// use allready_core::{Condition, ConditionSet, Status, Time, condition_type, reason};
    ///
    /// let found = [Condition::new(condition_type!("Synced"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// assert_eq!(ConditionSet::inferred(condition_type!("Ready"), &found).to_string(), "Ready: Synced");
    /// ```
    pub fn inferred(top: ConditionType, conditions: &[Condition]) -> Self {
        let mut set = ConditionSetBuilder::new(top).into_unchecked();
        for condition in conditions {
            if condition.type_ != set.top && set.get(condition.type_.as_str()).is_none() {
                set.declared.push(Declared::new(condition.type_.clone()));
            }
        }
        set
    }

    /// The type of the top condition.
    pub fn top(&self) -> &ConditionType {
        &self.top
    }

    /// Every declared condition but the top one, in the order of declaration.
    pub fn declared(&self) -> &[Declared] {
        &self.declared
    }

    /// The conditions that the top one is computed from.
    pub fn dependents(&self) -> impl Iterator<Item = &Declared> {
        self.declared.iter().filter(|declared| declared.role == Role::Dependent)
    }

    pub(crate) fn is_dependent(&self, type_: &ConditionType) -> bool {
        self.dependents().any(|dependent| dependent.type_ == *type_)
    }

    /// The roll-up policy of the top condition.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The policy with the order of declaration, where its form goes by an order and was given none of its own.
    fn policy_in_order(&self) -> Cow<'_, Policy> {
        let declared = || self.dependents().map(|dependent| dependent.type_.clone()).collect();
        let form = match &self.policy.form {
            Form::Bullets(bullets) if bullets.order.is_empty() => {
                Form::Bullets(Bullets { order: declared(), ..bullets.clone() })
            }
            Form::FirstIssue(first_issue) if first_issue.requested.is_empty() => {
                Form::FirstIssue(FirstIssue { requested: declared(), ..first_issue.clone() })
            }
            _ => return Cow::Borrowed(&self.policy),
        };
        Cow::Owned(Policy { form, ..self.policy.clone() })
    }

    /// The reason of a good top condition, where the set has one of its own.
    pub fn good_reason(&self) -> Option<&Reason> {
        self.good_reason.as_ref()
    }

    /// The polarity of a type: as declared, and normal-true for the top type and for what the set does not know.
    pub fn polarity(&self, type_: &str) -> Polarity {
        self.get(type_).map_or(Polarity::NormalTrue, |declared| declared.polarity)
    }

    /// Tells whether findings are listed in `errors` and `warnings` of a condition, and not in its message.
    pub fn is_detailed(&self) -> bool {
        self.detailed
    }

    /// The declaration of a type, if it is in the set; the top type is not.
    pub fn get(&self, type_: &str) -> Option<&Declared> {
        self.declared.iter().find(|declared| declared.type_ == *type_)
    }

    /// A copy of this description that removes further types, as after a rename. The original is left as it is.
    ///
    /// ```
    /// use allready_core::{ConditionSet, condition_type};
    /// let set = ConditionSet::living().build().unwrap();
    /// let renamed = set.clone().pruning([condition_type!("ReconcilerReady")]);
    /// assert_ne!(set, renamed);
    /// ```
    pub fn pruning(mut self, types: impl IntoIterator<Item = ConditionType>) -> Self {
        self.prune.extend(types);
        self.prune.retain(|type_| *type_ != self.top && !self.declared.iter().any(|d| d.type_ == *type_));
        self
    }

    /// Begins a reconcile pass over a list of conditions: prunes what was renamed, and initialises what is missing.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Time, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let mut conditions = vec![];
    /// set.pass(&mut conditions, At::new(1u32, Time::EPOCH)).finish();
    /// assert_eq!(conditions.iter().map(|condition| condition.type_.as_str()).collect::<Vec<_>>(), ["Ready", "Synced"]);
    /// ```
    pub fn pass<'a>(&'a self, conditions: &'a mut Vec<Condition>, at: At) -> Pass<'a> {
        Pass::begin(self, conditions, at)
    }

    /// Whether the top condition of this list is good *and* is about this generation. Where it is there twice, both
    /// have to be.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Time, condition_type, reason, set::At};
    ///
    /// let set = ConditionSet::living().dependent(condition_type!("Synced")).build().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_true("Synced", reason!("Applied"), "").unwrap();
    /// pass.finish();
    /// assert!(set.is_good(&conditions, 1u32));
    /// assert!(!set.is_good(&conditions, 2u32), "the object has changed since");
    /// ```
    pub fn is_good(&self, conditions: &[Condition], generation: impl Into<Generation>) -> bool {
        let generation = generation.into();
        let tops = conditions.iter().filter(|condition| condition.type_ == self.top);
        let worst = tops.map(|top| Input::from(top).against(generation).standing()).max();
        worst == Some(Standing::Good)
    }

    /// The set as a Markdown table for documentation.
    ///
    /// ```
    /// use allready_core::{ConditionSet, condition_type, set::Declared};
    /// let set = ConditionSet::living()
    ///     .dependent(Declared::new(condition_type!("Synced")).described("The manifests are applied."))
    ///     .build()
    ///     .unwrap();
    /// assert_eq!(
    ///     set.table(),
    ///     "| condition | role | good when | meaning |\n\
    ///      |---|---|---|---|\n\
    ///      | `Ready` | top | True | Computed from the dependents by `newest-cause`. |\n\
    ///      | `Synced` | dependent | True | The manifests are applied. |\n"
    /// );
    /// ```
    pub fn table(&self) -> String {
        describe::table(self)
    }
}
