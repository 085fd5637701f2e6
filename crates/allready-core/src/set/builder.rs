//! Building a set, and what cannot be one.

use super::{ConditionSet, Declared, Role, Untouched, Upgrade};
use crate::{ConditionType, Reason, condition::ListOrder, rollup::Policy};

/// Collects a description; see [`ConditionSet::builder`].
///
/// ```
/// use allready_core::{ConditionSet, condition_type};
///
/// let builder = ConditionSet::living().dependent(condition_type!("Synced")).informational(condition_type!("Cached"));
/// assert_eq!(builder.build().unwrap().to_string(), "Ready: Synced, (Cached)");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct ConditionSetBuilder {
    set: ConditionSet,
}

/// A description that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// One type, two declarations that differ.
    #[error(
        "condition {type_} is declared twice with different roles, polarities or starts: keep one declaration"
    )]
    Contradiction {
        /// The type.
        type_: ConditionType,
    },
    /// A dependent that would be good before anybody has looked.
    #[error(
        "dependent {type_} would start {status}, which is good for it: a dependent starts Unknown or bad, so that the \
         top condition is never good without a report"
    )]
    StartsGood {
        /// The type.
        type_: ConditionType,
        /// The status it would start with.
        status: crate::Status,
    },
    /// A type that is both part of the set and to be removed.
    #[error("condition {type_} is both declared and pruned: prune only types that the set no longer has")]
    PrunedAndDeclared {
        /// The type.
        type_: ConditionType,
    },
}

impl ConditionSetBuilder {
    pub(super) fn new(top: ConditionType) -> Self {
        Self {
            set: ConditionSet {
                top,
                good_reason: None,
                declared: Vec::new(),
                prune: Vec::new(),
                policy: Policy::default(),
                untouched: Untouched::default(),
                upgrade: Upgrade::default(),
                order: ListOrder::default(),
                open: false,
                detailed: false,
            },
        }
    }

    /// What has been collected, for a caller that knows it to be free of contradictions.
    pub(super) fn into_unchecked(self) -> ConditionSet {
        self.set
    }

    /// Adds a declaration with the role it has.
    pub fn declare(mut self, declared: impl Into<Declared>) -> Self {
        self.set.declared.push(declared.into());
        self
    }

    /// Adds a condition that the top one is computed from.
    pub fn dependent(self, declared: impl Into<Declared>) -> Self {
        self.declare(Declared { role: Role::Dependent, ..declared.into() })
    }

    /// Adds a condition that is shown and does not count.
    pub fn informational(self, declared: impl Into<Declared>) -> Self {
        self.declare(declared.into().informational())
    }

    /// Removes a type that an earlier version of the set had, at the beginning of each pass.
    pub fn prune(mut self, type_: ConditionType) -> Self {
        self.set.prune.push(type_);
        self
    }

    /// How the top condition is computed; `newest-cause` unless said otherwise.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.set.policy = policy;
        self
    }

    /// The reason of a good top condition; the name of the top type unless said otherwise.
    pub fn good_reason(mut self, reason: Reason) -> Self {
        self.set.good_reason = Some(reason);
        self
    }

    /// What becomes of conditions that a finished pass has not touched.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition_type, reason, set::{At, Untouched}};
    ///
    /// let set = ConditionSet::living().dependent(condition_type!("Synced")).untouched(Untouched::Unknown).build().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_true("Synced", reason!("Applied"), "").unwrap();
    /// pass.finish();
    /// set.pass(&mut conditions, At::new(1u32, Time::EPOCH)).finish();
    /// assert_eq!(conditions[0].status, Status::Unknown, "the second pass has not spoken of Synced");
    /// ```
    pub fn untouched(mut self, untouched: Untouched) -> Self {
        self.set.untouched = untouched;
        self
    }

    /// What a dependent is worth that is new while the top condition is already good.
    ///
    /// ```
    /// use allready_core::{Condition, ConditionSet, Status, Time, condition, condition_type, reason, set::{At, Upgrade}};
    ///
    /// let mut conditions = vec![Condition::new(condition_type!("Ready"), Status::True, reason!("Ready"), "", Time::EPOCH)];
    /// let set = ConditionSet::living().dependent(condition_type!("New")).upgrade(Upgrade::Unknown).build().unwrap();
    /// set.pass(&mut conditions, At::new(1u32, Time::EPOCH)).finish();
    /// assert_eq!(condition::find(&conditions, "Ready").unwrap().status, Status::Unknown, "it counts at once");
    /// ```
    pub fn upgrade(mut self, upgrade: Upgrade) -> Self {
        self.set.upgrade = upgrade;
        self
    }

    /// In which order the list is kept.
    pub fn order(mut self, order: ListOrder) -> Self {
        self.set.order = order;
        self
    }

    /// Lets a pass mark types that are not declared, as informational ones. Without this, such a mark is an error, since
    /// it is most likely a typing mistake.
    pub fn open(mut self) -> Self {
        self.set.open = true;
        self
    }

    /// Lists [findings](super::Pass::mark_findings) in `errors` and `warnings` of a condition, as Contour's
    /// `DetailedCondition` does, and not in its message. The schema of the list must have these fields; that of
    /// [`Conditions`](super::Conditions) has them.
    pub fn detailed(mut self) -> Self {
        self.set.detailed = true;
        self
    }

    /// Checks the description. An equal declaration said twice counts once, and the top type among its own dependents is
    /// left out, as in Knative.
    ///
    /// ```
    /// use allready_core::{ConditionSet, condition_type};
    ///
    /// let synced = condition_type!("Synced");
    /// let twice = ConditionSet::living().dependent(synced.clone()).dependent(synced.clone()).build().unwrap();
    /// assert_eq!(twice.declared().len(), 1);
    /// let error = ConditionSet::living().dependent(synced.clone()).informational(synced).build().unwrap_err();
    /// assert!(error.to_string().contains("Synced is declared twice"));
    /// ```
    pub fn build(self) -> Result<ConditionSet, SetError> {
        let Self { mut set } = self;
        let mut declared: Vec<Declared> = Vec::with_capacity(set.declared.len());
        for one in set.declared {
            if one.type_ == set.top {
                continue;
            }
            if one.role == Role::Dependent && one.starts_good() {
                let status = one.polarity.status(crate::Standing::Good);
                return Err(SetError::StartsGood { type_: one.type_, status });
            }
            match declared.iter().find(|other| other.type_ == one.type_) {
                None => declared.push(one),
                Some(other) if *other == one => {}
                Some(_) => return Err(SetError::Contradiction { type_: one.type_ }),
            }
        }
        for type_ in &set.prune {
            if *type_ == set.top || declared.iter().any(|declared| declared.type_ == *type_) {
                return Err(SetError::PrunedAndDeclared { type_: type_.clone() });
            }
        }
        set.declared = declared;
        Ok(set)
    }
}
