//! Conversions to and from `k8s_openapi`'s `Condition`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use super::{
    Condition, ConditionType, ConditionTypeError, Generation, GenerationError, Message, Reason, ReasonError,
    Status, StatusError, Time,
};

/// Why a `k8s_openapi` condition is not one that the API server would accept.
///
/// ```
/// use allready_core::{Condition, condition::OpenapiError};
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
///
/// let found = r#"{"type": "Ready", "status": "true", "reason": "Ok", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z"}"#;
/// let found: meta::Condition = serde_json::from_str(found).unwrap();
/// assert!(matches!(Condition::try_from(found), Err(OpenapiError::Status(_))), "it must be `True`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenapiError {
    /// The type.
    #[error(transparent)]
    Type(#[from] ConditionTypeError),
    /// The status.
    #[error(transparent)]
    Status(#[from] StatusError),
    /// The reason.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// The observed generation.
    #[error("observedGeneration: {0}")]
    Generation(#[from] GenerationError),
    /// The message.
    #[error("the message has {found} bytes; at most {max} are allowed", max = Message::MAX_BYTES)]
    Message {
        /// Its length.
        found: usize,
    },
}

/// `metav1.Condition` has no place for `errors` and `warnings`: they are dropped.
impl From<Condition> for meta::Condition {
    fn from(condition: Condition) -> Self {
        Self {
            type_: condition.type_.as_str().to_owned(),
            status: condition.status.as_str().to_owned(),
            observed_generation: condition.observed_generation.map(Generation::get),
            last_transition_time: meta::Time(condition.last_transition_time.as_timestamp()),
            reason: condition.reason.as_str().to_owned(),
            message: condition.message.as_str().to_owned(),
        }
    }
}

/// Nothing is lost that stands on the wire: `metav1.Time` is written in whole seconds, as ours is kept.
impl TryFrom<meta::Condition> for Condition {
    type Error = OpenapiError;

    fn try_from(condition: meta::Condition) -> Result<Self, OpenapiError> {
        if condition.message.len() > Message::MAX_BYTES {
            return Err(OpenapiError::Message { found: condition.message.len() });
        }
        let type_ = ConditionType::new(condition.type_)?;
        let status = condition.status.parse::<Status>()?;
        let observed_generation = condition.observed_generation.map(Generation::new).transpose()?;
        let since = Time::new(condition.last_transition_time.0);
        let reason = Reason::new(condition.reason)?;
        Ok(Self { observed_generation, ..Self::new(type_, status, reason, condition.message, since) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wild() -> meta::Condition {
        serde_json::from_value(serde_json::json!({
            "type": "controller/poolReconcilerValid", "status": "False", "reason": "ConfigError",
            "message": "pool \"a\" overlaps", "lastTransitionTime": "2025-10-10T09:13:50Z", "observedGeneration": 0,
        }))
        .unwrap()
    }

    #[test]
    fn a_legal_condition_survives_the_round_trip_unchanged() {
        for observed_generation in [None, Some(0), Some(7)] {
            let theirs = meta::Condition { observed_generation, ..wild() };
            let ours = Condition::try_from(theirs.clone()).unwrap();
            assert_eq!(meta::Condition::from(ours.clone()), theirs);
            assert_eq!(serde_json::to_value(&ours).unwrap(), serde_json::to_value(&theirs).unwrap());
        }
    }

    #[test]
    fn an_illegal_one_is_refused_and_the_field_is_named() {
        let cases = [
            (meta::Condition { type_: "a b".into(), ..wild() }, "condition type \"a b\""),
            (meta::Condition { status: "true".into(), ..wild() }, "status \"true\""),
            (meta::Condition { reason: String::new(), ..wild() }, "reason \"\""),
            (
                meta::Condition { observed_generation: Some(-1), ..wild() },
                "observedGeneration: generation -1",
            ),
            (meta::Condition { message: "x".repeat(40_000), ..wild() }, "the message has 40000 bytes"),
        ];
        for (condition, expected) in cases {
            let error = Condition::try_from(condition).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
