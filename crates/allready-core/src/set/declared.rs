//! One declared condition: its type, its role, how its status reads, and how it starts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{ConditionType, Message, Polarity, Reason, Standing, Status};

/// A condition of a set, other than the top one.
///
/// ```
/// use allready_core::{Polarity, condition_type, set::{Declared, Role}};
///
/// let degraded = Declared::new(condition_type!("Degraded")).abnormal_true().described("A replica is lost.");
/// assert_eq!(degraded.role, Role::Dependent);
/// assert_eq!(degraded.polarity, Polarity::AbnormalTrue);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its type.
    pub type_: ConditionType,
    /// Whether it counts for the top condition.
    pub role: Role,
    /// Which status of it is good.
    pub polarity: Polarity,
    /// What it says before anybody has marked it; by default that it has not been reported.
    pub initial: Option<Initial>,
    /// What it means, for documentation.
    pub description: Cow<'static, str>,
}

/// Whether a condition counts for the top one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The top condition is computed from it.
    #[default]
    Dependent,
    /// It is shown, and never influences the top condition.
    Informational,
}

/// What a condition says before anybody has marked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initial {
    /// The status; a dependent never starts good.
    pub status: Status,
    /// The reason.
    pub reason: Reason,
    /// The message.
    #[serde(default)]
    pub message: Message,
}

impl Declared {
    /// A normal-true dependent that starts `Unknown`.
    pub fn new(type_: ConditionType) -> Self {
        Self {
            type_,
            role: Role::Dependent,
            polarity: Polarity::NormalTrue,
            initial: None,
            description: Cow::Borrowed(""),
        }
    }

    /// The same condition, with `True` as the bad status.
    pub fn abnormal_true(self) -> Self {
        Self { polarity: Polarity::AbnormalTrue, ..self }
    }

    /// The same condition, not counting for the top one.
    pub fn informational(self) -> Self {
        Self { role: Role::Informational, ..self }
    }

    /// The same condition with a meaning, for documentation.
    pub fn described(self, description: impl Into<Cow<'static, str>>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// The same condition, saying this before anybody has marked it.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, condition_type, reason, set::{At, Declared}};
    ///
    /// let synced = Declared::new(condition_type!("Synced")).starting(Status::False, reason!("NotYet"), "nothing is applied");
    /// let set = ConditionSet::living().dependent(synced).build().unwrap();
    /// let mut conditions = vec![];
    /// set.pass(&mut conditions, At::new(1u32, Time::EPOCH)).finish();
    /// assert_eq!(condition::find(&conditions, "Synced").unwrap().reason, "NotYet");
    /// ```
    pub fn starting(self, status: Status, reason: Reason, message: impl Into<Message>) -> Self {
        Self { initial: Some(Initial { status, reason, message: message.into() }), ..self }
    }

    /// Whether it would be good without anybody having marked it, which a dependent must not.
    pub(crate) fn starts_good(&self) -> bool {
        self.initial.as_ref().is_some_and(|initial| self.polarity.standing(initial.status) == Standing::Good)
    }
}

impl From<ConditionType> for Declared {
    fn from(type_: ConditionType) -> Self {
        Self::new(type_)
    }
}
