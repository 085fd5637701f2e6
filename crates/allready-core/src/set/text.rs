//! A set on one line, short enough for an annotation or a flag.

use std::{fmt, str::FromStr};

use super::{ConditionSet, Declared, Role, SetError};
use crate::{ConditionType, Polarity, condition::ConditionTypeError};

/// Why a line does not describe a set.
///
/// ```
/// use allready_core::{ConditionSet, set::SetTextError};
///
/// assert!(matches!("Synced, Healthy".parse::<ConditionSet>(), Err(SetTextError::Form { .. })), "which is the top?");
/// assert!(matches!("Ready: (Cached".parse::<ConditionSet>(), Err(SetTextError::Bracket { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetTextError {
    /// A name is not a condition type.
    #[error("{0}")]
    Type(#[from] ConditionTypeError),
    /// No top type and colon.
    #[error("{found:?} does not describe a condition set: write `Ready: Synced, !Degraded, (Cached)`")]
    Form {
        /// The text.
        found: String,
    },
    /// A bracket without its other half.
    #[error(
        "{found:?} opens or closes a bracket alone: write an informational condition as `(Cached)` or `(!Paused)`"
    )]
    Bracket {
        /// The part.
        found: String,
    },
    /// The parts contradict each other.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The text looks like JSON and is not a set.
    #[error("this JSON does not describe a condition set: {0}")]
    Json(String),
}

/// The top type, a colon, then the conditions: `!` before an abnormal-true one, brackets around an informational one.
/// Text that begins with `{` is read as JSON, so that an annotation may hold either.
///
/// ```
/// use allready_core::ConditionSet;
///
/// let set: ConditionSet = "Ready: Synced, !Degraded, (Cached), (!Paused)".parse().unwrap();
/// assert_eq!(set.dependents().count(), 2);
/// assert_eq!(set.to_string(), "Ready: Synced, !Degraded, (Cached), (!Paused)");
/// assert_eq!(serde_json::to_string(&set).unwrap().parse::<ConditionSet>().unwrap(), set);
/// ```
impl FromStr for ConditionSet {
    type Err = SetTextError;

    fn from_str(text: &str) -> Result<Self, SetTextError> {
        let text = text.trim();
        if text.starts_with('{') {
            return serde_json::from_str(text).map_err(|error| SetTextError::Json(error.to_string()));
        }
        let Some((top, conditions)) = text.split_once(':') else {
            return Err(SetTextError::Form { found: crate::condition::excerpt(text) });
        };
        let mut builder = Self::builder(top.trim().parse()?);
        for part in conditions.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            builder = builder.declare(declared(part)?);
        }
        Ok(builder.build()?)
    }
}

fn declared(part: &str) -> Result<Declared, SetTextError> {
    let (role, name) = match (part.strip_prefix('('), part.strip_suffix(')')) {
        (Some(rest), Some(_)) => (Role::Informational, rest.strip_suffix(')').unwrap_or(rest).trim()),
        (None, None) => (Role::Dependent, part),
        _ => return Err(SetTextError::Bracket { found: crate::condition::excerpt(part) }),
    };
    let (polarity, name) = match name.strip_prefix('!') {
        Some(rest) => (Polarity::AbnormalTrue, rest.trim()),
        None => (Polarity::NormalTrue, name),
    };
    let type_: ConditionType = name.parse()?;
    Ok(Declared { role, polarity, ..Declared::new(type_) })
}

impl fmt::Display for ConditionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.top)?;
        for (index, declared) in self.declared.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let mark = if declared.polarity == Polarity::AbnormalTrue { "!" } else { "" };
            match declared.role {
                Role::Dependent => write!(f, "{comma} {mark}{}", declared.type_)?,
                Role::Informational => write!(f, "{comma} ({mark}{})", declared.type_)?,
            }
        }
        Ok(())
    }
}
