//! The names of policies: what a person writes, and what a policy calls itself.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer, de, ser};

use super::{Form, Missing, Policy, Semicolon, Stale};
use crate::Status;

/// A policy name that nobody knows.
///
/// ```
/// use allready_core::rollup::Policy;
///
/// assert_eq!("loudest".parse::<Policy>().unwrap_err().found, "loudest");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no roll-up policy {found:?}: use one of {}", Policy::NAMES.join(", "))]
pub struct PolicyError {
    /// The name that was asked for.
    pub found: String,
}

impl Policy {
    /// Every name that [`FromStr`] understands: of forms, then of peers.
    pub const NAMES: &'static [&'static str] = &[
        "newest-cause",
        "list-unhealthy",
        "bullets",
        "union",
        "first-issue",
        "semicolon",
        "grouped",
        "knative",
        "kro",
        "operatorpkg",
        "cluster-api",
        "library-go",
        "flux",
        "kuadrant",
    ];

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "newest-cause" => Self::newest_cause(),
            "list-unhealthy" | "operatorpkg" => Self::list_unhealthy(),
            "bullets" | "cluster-api" => Self::bullets(),
            "union" => Self::union(),
            "first-issue" | "flux" => Self::first_issue(),
            "semicolon" => Self::semicolon(),
            "grouped" => Self::grouped(),
            "knative" => Self { stale: Stale::Ignored, empty: Status::True, ..Self::newest_cause() },
            "kro" => Self::newest_cause().with_stale(Stale::HoldsTop),
            "library-go" => Self::union().with_missing(Missing::Ignored),
            "kuadrant" => Self::from(Form::Semicolon(Semicolon::strict())),
            _ => return None,
        })
    }

    /// The name of the form.
    ///
    /// ```
    /// use allready_core::rollup::Policy;
    ///
    /// assert_eq!("knative".parse::<Policy>().unwrap().name(), "newest-cause", "that is the form of Knative's answer");
    /// ```
    pub fn name(&self) -> &'static str {
        match self.form {
            Form::NewestCause => "newest-cause",
            Form::ListUnhealthy => "list-unhealthy",
            Form::Bullets(_) => "bullets",
            Form::Union(_) => "union",
            Form::FirstIssue(_) => "first-issue",
            Form::Semicolon(_) => "semicolon",
            Form::Grouped(_) => "grouped",
        }
    }

    /// The name of just this policy, if it has one: the first of [`Policy::NAMES`] that means it.
    ///
    /// ```
    /// use allready_core::rollup::{Policy, Stale};
    ///
    /// assert_eq!(Policy::newest_cause().with_stale(Stale::HoldsTop).known_as(), Some("kro"));
    /// assert_eq!(Policy::bullets().with_stale(Stale::HoldsTop).known_as(), None);
    /// ```
    pub fn known_as(&self) -> Option<&'static str> {
        Self::NAMES.iter().copied().find(|name| Self::named(name).as_ref() == Some(self))
    }
}

/// The name that means just this policy, or that of its form and a word that there is more to it.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known_as() {
            Some(name) => f.pad(name),
            None => f.pad(&format!("{} (customised)", self.name())),
        }
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Self, PolicyError> {
        Self::named(name).ok_or_else(|| PolicyError { found: crate::condition::excerpt(name) })
    }
}

/// As its name. A policy without one is refused rather than written as something else.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.known_as() {
            Some(name) => serializer.serialize_str(name),
            None => Err(ser::Error::custom(format_args!(
                "a customised {} roll-up policy has no name to be written as: only those named {} do",
                self.name(),
                Self::NAMES.join(", ")
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
