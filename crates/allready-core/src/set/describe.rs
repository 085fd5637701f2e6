//! A set as data: what a resource author writes in a schema, a file or an annotation; and as a table for people.

use serde::{Deserialize, Serialize};

use super::{ConditionSet, Declared, Initial, Role, SetError, Untouched, Upgrade};
use crate::{ConditionType, Polarity, Reason, Standing, condition::ListOrder, rollup::Policy};

/// A [`ConditionSet`] as data.
///
/// ```
/// use allready_core::{ConditionSet, Polarity, set::Role};
///
/// let set: ConditionSet = serde_json::from_str(r#"{
///     "top": "Ready",
///     "conditions": [
///         {"type": "DatabaseReady"},
///         {"type": "Degraded", "polarity": "abnormal-true"},
///         {"type": "BackupTaken", "role": "informational", "description": "The last backup is younger than a day."}
///     ]
/// }"#).unwrap();
/// assert_eq!(set.get("Degraded").unwrap().polarity, Polarity::AbnormalTrue);
/// assert_eq!(set.get("BackupTaken").unwrap().role, Role::Informational);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetDescription {
    /// The top type; `Ready` if none is given.
    #[serde(default = "ready")]
    pub top: ConditionType,
    /// The declared conditions.
    #[serde(default)]
    pub conditions: Vec<DeclaredDescription>,
    /// Types that an earlier version had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prune: Vec<ConditionType>,
    /// The roll-up policy by name.
    #[serde(default)]
    pub policy: Policy,
    /// The reason of a good top condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_reason: Option<Reason>,
    /// What becomes of untouched conditions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub untouched: Untouched,
    /// What a new dependent is worth.
    #[serde(default, skip_serializing_if = "is_default")]
    pub upgrade: Upgrade,
    /// In which order the list is kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: ListOrder,
    /// Whether undeclared types may be marked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub open: bool,
    /// Lists findings in `errors` and `warnings` of a condition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub detailed: bool,
}

/// One declared condition as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeclaredDescription {
    /// Its type.
    #[serde(rename = "type")]
    pub type_: ConditionType,
    /// Whether it counts.
    #[serde(default)]
    pub role: Role,
    /// How it reads.
    #[serde(default)]
    pub polarity: Polarity,
    /// How it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Initial>,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

fn ready() -> ConditionType {
    ConditionType::from_static("Ready")
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TryFrom<SetDescription> for ConditionSet {
    type Error = SetError;

    fn try_from(data: SetDescription) -> Result<Self, SetError> {
        let mut builder = Self::builder(data.top)
            .policy(data.policy)
            .untouched(data.untouched)
            .upgrade(data.upgrade)
            .order(data.order);
        for one in data.conditions {
            builder = builder.declare(Declared {
                type_: one.type_,
                role: one.role,
                polarity: one.polarity,
                initial: one.initial,
                description: one.description.into(),
            });
        }
        for type_ in data.prune {
            builder = builder.prune(type_);
        }
        if let Some(reason) = data.good_reason {
            builder = builder.good_reason(reason);
        }
        if data.open {
            builder = builder.open();
        }
        if data.detailed {
            builder = builder.detailed();
        }
        builder.build()
    }
}

impl From<&ConditionSet> for SetDescription {
    fn from(set: &ConditionSet) -> Self {
        Self {
            top: set.top.clone(),
            conditions: set
                .declared
                .iter()
                .map(|declared| DeclaredDescription {
                    type_: declared.type_.clone(),
                    role: declared.role,
                    polarity: declared.polarity,
                    initial: declared.initial.clone(),
                    description: declared.description.clone().into_owned(),
                })
                .collect(),
            prune: set.prune.clone(),
            policy: set.policy.clone(),
            good_reason: set.good_reason.clone(),
            untouched: set.untouched,
            upgrade: set.upgrade,
            order: set.order,
            open: set.open,
            detailed: set.detailed,
        }
    }
}

impl Serialize for ConditionSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SetDescription::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ConditionSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SetDescription::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

pub(super) fn table(set: &ConditionSet) -> String {
    let mut table = format!(
        "| condition | role | good when | meaning |\n|---|---|---|---|\n| `{}` | top | True | Computed from the \
         dependents by `{}`. |\n",
        set.top, set.policy
    );
    for declared in &set.declared {
        let role = match declared.role {
            Role::Dependent => "dependent",
            Role::Informational => "informational",
        };
        let good = declared.polarity.status(Standing::Good);
        // A cell is one line, and a bar would end it.
        let meaning =
            declared.description.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        table.push_str(
            &["| `", declared.type_.as_str(), "` | ", role, " | ", good.as_str(), " | ", &meaning, " |\n"]
                .concat(),
        );
    }
    table
}
