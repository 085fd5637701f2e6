//! What a condition means.

use serde::{Deserialize, Serialize};

use crate::health::Health;
use allready_core::Polarity;

/// What a condition is for.
///
/// ```
/// use allready_inspect::registry::{ConditionRole, Registry};
///
/// assert_eq!(Registry::empty().condition("example.com", "Widget", "Ready").role, ConditionRole::Summary);
/// assert_eq!(ConditionRole::default(), ConditionRole::Dependent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConditionRole {
    /// It speaks for the whole object.
    Summary,
    /// It is one of the things that must be well.
    #[default]
    Dependent,
    /// While it is true, something is under way.
    Activity,
    /// While it is true, the object rests on purpose.
    Suspension,
    /// It says something that is neither good nor bad.
    Informational,
}

/// What a condition of some kind means.
///
/// ```
/// use allready_core::Polarity;
/// use allready_inspect::registry::{ConditionRole, Registry};
///
/// let stalled = Registry::builtin().condition("kustomize.toolkit.fluxcd.io", "Kustomization", "Stalled");
/// assert_eq!((stalled.role, stalled.polarity), (ConditionRole::Dependent, Polarity::AbnormalTrue));
/// assert!(stalled.is_declared);
///
/// let guessed = Registry::builtin().condition("example.com", "Widget", "DiskPressure");
/// assert_eq!(guessed.polarity, Polarity::AbnormalTrue);
/// assert!(!guessed.is_declared);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Semantics {
    /// What it is for.
    pub role: ConditionRole,
    /// Which status of it is good.
    pub polarity: Polarity,
    /// Whether somebody declared this, or it is read off the name.
    pub is_declared: bool,
    /// What its bad status means, where that is declared; else the reason and the message tell.
    pub on_bad: Option<Health>,
    /// What `Unknown` means.
    pub on_unknown: Health,
    /// For how many seconds a broken one is still taken to be under way.
    pub grace: Option<u32>,
    /// Which of several summaries speaks first; the smallest does.
    pub(crate) rank: u8,
}

impl Semantics {
    /// A meaning that was declared, with nothing said about its details.
    pub(crate) const fn declared(role: ConditionRole, polarity: Polarity) -> Self {
        let rank = if matches!(role, ConditionRole::Summary) { 0 } else { LAST };
        Self {
            role,
            polarity,
            is_declared: true,
            on_bad: None,
            on_unknown: Health::Progressing,
            grace: None,
            rank,
        }
    }

    /// A meaning that is read off the name.
    pub(crate) const fn guessed(role: ConditionRole, polarity: Polarity) -> Self {
        Self { is_declared: false, rank: LAST, ..Self::declared(role, polarity) }
    }

    /// Whether `True` is good.
    pub(crate) const fn is_positive(&self) -> bool {
        matches!(self.polarity, Polarity::NormalTrue)
    }
}

/// The rank of what is no summary.
const LAST: u8 = u8::MAX;
