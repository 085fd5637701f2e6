//! The three-valued status, what it means under a polarity, and how bad that is.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};

/// The status of a condition: `True`, `False` or `Unknown`, and nothing else.
///
/// ```
/// use allready_core::Status;
///
/// assert_eq!("False".parse::<Status>().unwrap(), Status::False);
/// assert_eq!(Status::from(true), Status::True);
/// assert_eq!(Status::from(None::<bool>), Status::Unknown);
/// assert_eq!(Status::Unknown.as_bool(), None);
/// assert!("true".parse::<Status>().is_err(), "the API server compares the letters, so do we");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Status {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// Nobody can say yet.
    Unknown,
}

/// A status that is none of the three.
///
/// ```
/// use allready_core::Status;
///
/// assert_eq!("true".parse::<Status>().unwrap_err().found, "true", "only `True` is");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("status {found:?} is not allowed: use \"True\", \"False\" or \"Unknown\"")]
pub struct StatusError {
    /// What stood there instead.
    pub found: String,
}

impl Status {
    /// The word on the wire.
    ///
    /// ```
    /// # use allready_core::Status;
    /// assert_eq!(Status::Unknown.as_str(), "Unknown");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    /// `Some(true)`, `Some(false)`, or `None` for `Unknown`.
    ///
    /// ```
    /// # use allready_core::Status;
    /// assert_eq!(Status::False.as_bool(), Some(false));
    /// assert_eq!(Status::Unknown.as_bool(), None);
    /// ```
    pub const fn as_bool(self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::False => Some(false),
            Self::Unknown => None,
        }
    }

    /// The opposite; `Unknown` stays `Unknown`.
    ///
    /// ```
    /// # use allready_core::Status;
    /// assert_eq!(Status::True.inverted(), Status::False);
    /// assert_eq!(Status::Unknown.inverted(), Status::Unknown);
    /// ```
    pub const fn inverted(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        match text {
            "True" => Ok(Self::True),
            "False" => Ok(Self::False),
            "Unknown" => Ok(Self::Unknown),
            other => Err(StatusError { found: super::excerpt(other) }),
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a status, which is one of the texts \"True\", \"False\" and \"Unknown\"";
        super::text::read(deserializer, expected)?.parse().map_err(de::Error::custom)
    }
}

impl From<bool> for Status {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl From<Option<bool>> for Status {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Unknown, Self::from)
    }
}

/// Which status of a condition type is the good one.
///
/// Polarity belongs to the type, not to a single condition: `Ready` is normal-true wherever it appears, `Degraded` is
/// abnormal-true.
///
/// ```
/// use allready_core::{Polarity, Standing, Status};
///
/// assert_eq!(Polarity::NormalTrue.standing(Status::False), Standing::Bad);
/// assert_eq!(Polarity::AbnormalTrue.standing(Status::False), Standing::Good);
/// assert_eq!(Polarity::AbnormalTrue.status(Standing::Bad), Status::True);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Polarity {
    /// `True` is good: `Ready`, `Available`, `Accepted`.
    #[default]
    NormalTrue,
    /// `True` is bad: `Degraded`, `Stalled`, `PartiallyInvalid`.
    AbnormalTrue,
}

impl Polarity {
    /// What a status means for a type of this polarity.
    ///
    /// ```
    /// # use allready_core::{Polarity, Standing, Status};
    /// assert_eq!(Polarity::AbnormalTrue.standing(Status::True), Standing::Bad);
    /// ```
    pub const fn standing(self, status: Status) -> Standing {
        match (self, status) {
            (_, Status::Unknown) => Standing::Unknown,
            (Self::NormalTrue, Status::True) | (Self::AbnormalTrue, Status::False) => Standing::Good,
            (Self::NormalTrue, Status::False) | (Self::AbnormalTrue, Status::True) => Standing::Bad,
        }
    }

    /// The status that expresses a standing for a type of this polarity.
    ///
    /// ```
    /// # use allready_core::{Polarity, Standing, Status};
    /// assert_eq!(Polarity::AbnormalTrue.status(Standing::Good), Status::False);
    /// ```
    pub const fn status(self, standing: Standing) -> Status {
        match (self, standing) {
            (_, Standing::Unknown) => Status::Unknown,
            (Self::NormalTrue, Standing::Good) | (Self::AbnormalTrue, Standing::Bad) => Status::True,
            (Self::NormalTrue, Standing::Bad) | (Self::AbnormalTrue, Standing::Good) => Status::False,
        }
    }
}

impl fmt::Display for Polarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NormalTrue => "normal-true",
            Self::AbnormalTrue => "abnormal-true",
        })
    }
}

/// A status after polarity has been taken out: is this good news?
///
/// Ordered by severity, so that the worst of several is their maximum: `Good < Unknown < Bad`.
///
/// ```
/// use allready_core::Standing;
///
/// assert_eq!([Standing::Good, Standing::Bad, Standing::Unknown].into_iter().max(), Some(Standing::Bad));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// As it should be.
    Good,
    /// On its way, or nobody has said.
    Unknown,
    /// Needs somebody's attention.
    Bad,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polarity_and_standing_are_inverse_to_each_other() {
        for polarity in [Polarity::NormalTrue, Polarity::AbnormalTrue] {
            for status in [Status::True, Status::False, Status::Unknown] {
                assert_eq!(polarity.status(polarity.standing(status)), status);
            }
        }
    }

    #[test]
    fn a_wrong_status_is_refused_with_the_allowed_words() {
        let error = "Maybe".parse::<Status>().unwrap_err();
        assert_eq!(error.to_string(), r#"status "Maybe" is not allowed: use "True", "False" or "Unknown""#);
    }
}
