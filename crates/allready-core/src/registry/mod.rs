//! What condition types and fields of well-known kinds mean: declared once, and used by everything that judges.

use std::sync::LazyLock;

use crate::Polarity;

/// What is declared of kinds and their conditions.
#[derive(Clone, Debug, Default)]
pub struct Registry {}

/// What a condition is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionRole {
    /// It speaks for the whole object.
    Summary,
    /// It is one of the things that must be well.
    Dependent,
    /// While it is true, something is under way.
    Activity,
    /// While it is true, the object rests on purpose.
    Suspension,
    /// It says something that is neither good nor bad.
    Informational,
}

/// What a condition of some kind means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// What it is for.
    pub role: ConditionRole,
    /// Which status of it is good.
    pub polarity: Polarity,
    /// Whether somebody declared this, or it is read off the name.
    pub is_declared: bool,
}

static BUILTIN: LazyLock<Registry> = LazyLock::new(Registry::default);

impl Registry {
    /// What is known of well-known projects.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// What a condition type of a kind means: as declared, or by its name.
    pub fn condition(&self, _group: &str, _kind: &str, type_: &str) -> Semantics {
        let is_negative = ["Degraded", "Failed", "Stalled", "ReplicaFailure"].contains(&type_);
        Semantics {
            role: if type_ == "Ready" { ConditionRole::Summary } else { ConditionRole::Dependent },
            polarity: if is_negative { Polarity::AbnormalTrue } else { Polarity::NormalTrue },
            is_declared: false,
        }
    }
}
