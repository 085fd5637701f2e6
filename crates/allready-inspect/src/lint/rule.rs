//! The rules: what each is about, why it exists, and what to do about a breach.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::table;

/// The weight of a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A guess from names or ages, worth a look.
    Info,
    /// Something that the conventions say one should do, or not do.
    #[serde(alias = "warn")]
    Warning,
    /// Something that an API server with the standard schema would refuse, or that a specification forbids.
    Error,
}

/// A word that is no severity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is no severity: write error, warning or info")]
pub struct SeverityError {
    /// The word.
    pub found: String,
}

impl Severity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Severity {
    type Err = SeverityError;

    fn from_str(text: &str) -> Result<Self, SeverityError> {
        match text {
            "info" => Ok(Self::Info),
            "warning" | "warn" => Ok(Self::Warning),
            "error" => Ok(Self::Error),
            other => Err(SeverityError { found: allready_core::condition::excerpt(other) }),
        }
    }
}

/// The kind of thing that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The schema of a definition.
    Definition,
    /// One object as it stands.
    Object,
    /// Successive versions of one object.
    Watch,
    /// Objects of the Gateway API.
    Gateway,
}

impl Scope {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Object => "object",
            Self::Watch => "watch",
            Self::Gateway => "gateway",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One rule.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Rule {
    /// Its name: `O04`.
    pub id: &'static str,
    /// The rule, in one line.
    pub title: &'static str,
    /// The weight of its worst breach; a milder one may matter less.
    pub severity: Severity,
    /// The thing that it looks at.
    pub scope: Scope,
    /// The reason for it.
    pub rationale: &'static str,
    /// The remedy.
    pub fix: &'static str,
    /// An excerpt that breaks it, as YAML.
    pub bad: &'static str,
    /// The same excerpt as it should be.
    pub good: &'static str,
}

/// All rules, by id within their families: C for definitions, O for objects, W for watching, M for managers, G for the
/// Gateway API.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    table::RULES.iter()
}

/// The rule of this id, in either case.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id.eq_ignore_ascii_case(id))
}
