//! What a set does where sources disagree: untouched conditions, and dependents that appear after an upgrade.
//!
//! What a stale generation is worth is the roll-up's question: [`Stale`](crate::rollup::Stale).

use serde::{Deserialize, Serialize};

/// What becomes of declared conditions that a *finished* pass has not touched.
///
/// A pass that ends early touches nothing it was not told to, whatever this says. Conditions outside of the set belong to
/// somebody else and always stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untouched {
    /// They stay as they are; if the object has moved on since, they are stale and count as `Unknown`.
    #[default]
    Keep,
    /// Informational ones go. Dependents become `Unknown`: a declared dependent is never absent.
    Remove,
    /// Dependents and informational ones become `Unknown`.
    Unknown,
}

/// What a dependent is worth that is new in the set while the top condition is already good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Upgrade {
    /// It starts `Unknown`, and a pass that ends early does not turn the top condition for it. The first pass that
    /// finishes counts it like any other.
    #[default]
    OnePassGrace,
    /// It starts `Unknown` and counts at once (operatorpkg, KRO).
    Unknown,
    /// It starts good, with a reason that says so (Knative).
    AssumeGood,
}
