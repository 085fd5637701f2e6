//! What a pass does not let anybody do.

use crate::ConditionType;

/// A mark that the set does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// The top condition is computed.
    #[error(
        "{type_} is the top condition of this set: it is computed from its dependents and cannot be marked"
    )]
    Top {
        /// The top type.
        type_: ConditionType,
    },
    /// A type that is not in the set.
    #[error(
        "{type_:?} is not a condition of this set ({set}): declare it, or open the set to undeclared types"
    )]
    Undeclared {
        /// The type asked for.
        type_: String,
        /// The set on one line.
        set: String,
    },
}

/// A condition that must not be cleared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{type_} cannot be cleared: {role} is never absent; mark it instead")]
pub struct ClearError {
    /// The type asked for.
    pub type_: ConditionType,
    /// What it is.
    pub role: &'static str,
}
