//! Several problems under one condition type.

use serde::{Deserialize, Deserializer, Serialize};

use super::{ConditionType, Message, Reason, Status};

/// One error or warning of a [`Condition`](super::Condition), shaped as Contour's `SubCondition`: abnormal-true, and listed only
/// while it is true.
///
/// [`Findings::detail`](crate::findings::Findings::detail) makes them from findings.
///
/// ```
/// use allready_core::condition::SubCondition;
/// use allready_core::{Condition, Status, Time, condition_type, reason};
///
/// let error = SubCondition {
///     type_: condition_type!("TLSError"),
///     status: Status::True,
///     reason: reason!("SecretNotValid"),
///     message: "Secret shop/cert not found".into(),
/// };
/// let mut valid = Condition::new(condition_type!("Valid"), Status::False, reason!("ErrorPresent"), "", Time::EPOCH);
/// valid.errors = [error].into();
/// assert_eq!(serde_json::to_value(&valid).unwrap()["errors"][0]["reason"], "SecretNotValid");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SubCondition {
    /// The kind of thing it is about, such as `TLSError`. Not unique.
    #[serde(rename = "type")]
    pub type_: ConditionType,
    /// Always `True` in what we write.
    pub status: Status,
    /// The cause, for programs.
    pub reason: Reason,
    /// The cause, for people.
    pub message: Message,
}

/// Reads a list in which null stands for none, as Go writes a list that was never filled.
pub(super) fn null_is_none<'de, D: Deserializer<'de>>(from: D) -> Result<Box<[SubCondition]>, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
