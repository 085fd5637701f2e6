//! What a set does where sources disagree: untouched conditions, and dependents that appear after an upgrade.
//!
//! What a stale generation is worth is the roll-up's question: [`Stale`](crate::rollup::Stale).

use serde::{Deserialize, Serialize};

/// What becomes of conditions that a *finished* pass, or condition updater, has not touched.
///
/// A pass that ends early touches nothing it was not told to, whatever this says. For a set this is about its declared
/// conditions: others belong to somebody else and always stay. An updater knows no set: there it is about the whole list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Untouched {
    /// They stay as they are; if the object has moved on since, they are stale and count as `Unknown`.
    #[default]
    Keep,
    /// They go; but a declared dependent is never absent, and becomes `Unknown`.
    Remove,
    /// They become `Unknown`.
    Unknown,
}

/// What a dependent is worth that is new in the set while the top condition is already good.
///
/// ```
/// use allready_core::{Condition, ConditionSet, Status, Time, condition, condition_type, reason, set::{At, Upgrade}};
///
/// let mut conditions = vec![Condition::new(condition_type!("Ready"), Status::True, reason!("Ready"), "", Time::EPOCH)];
/// let set = ConditionSet::living().dependent(condition_type!("New")).upgrade(Upgrade::AssumeGood).build().unwrap();
/// set.pass(&mut conditions, At::new(1u32, Time::EPOCH)).finish();
/// assert_eq!(condition::find(&conditions, "New").unwrap().reason, "AssumedGood");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Upgrade {
    /// It starts `Unknown`, and the pass that adds it does not turn the top condition for it if it ends early. A pass
    /// that finishes, and every later one, counts it like any other.
    #[default]
    OnePassGrace,
    /// It starts `Unknown` and counts at once (operatorpkg, KRO).
    Unknown,
    /// It starts good as of the generation that the top condition is about, with a reason that says so (Knative).
    AssumeGood,
}
