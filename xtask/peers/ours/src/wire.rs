//! Cases and answers, as they go over the wire; `xtask/peers/compare/wire` is the same in Go.

use allready_core::{Condition, ConditionType, Generation, Reason, Status, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The second that stands for the instant of a call: peers read the clock.
pub const NOW: i64 = 2_000_000_000;
/// Later times are told as [`NOW`].
const RECENT: i64 = 1_500_000_000;

/// A condition in a case or in an answer. A mark without a status removes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    #[serde(rename = "type")]
    pub type_: String,
    pub status: String,
    pub reason: String,
    pub message: String,
    pub time: i64,
    pub generation: i64,
}

/// An object that an aggregate is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub kind: String,
    pub name: String,
    pub conditions: Vec<Said>,
}

/// An input of a peer; each reads the fields that it knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Case {
    pub target: String,
    pub dependents: Vec<String>,
    pub negative: Vec<String>,
    pub optional: Vec<String>,
    pub conditions: Vec<Said>,
    pub members: Vec<Member>,
    pub marks: Vec<Said>,
    pub generation: i64,
    pub remove_untouched: bool,
    pub latest_only: bool,
    pub step_counter: bool,
    pub object: Value,
}

/// The outcome of a case. A list that is `null` is empty: so Go writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub error: String,
    pub conditions: Option<Vec<Said>>,
    pub changed: bool,
}

impl Answer {
    /// The conditions of the answer.
    pub fn said(&self) -> &[Said] {
        self.conditions.as_deref().unwrap_or_default()
    }
}

impl<'a> FromIterator<&'a Condition> for Answer {
    fn from_iter<I: IntoIterator<Item = &'a Condition>>(conditions: I) -> Self {
        Self { conditions: Some(conditions.into_iter().map(Said::from).collect()), ..Self::default() }
    }
}

impl From<&Condition> for Said {
    fn from(condition: &Condition) -> Self {
        let second = condition.last_transition_time.as_second();
        Self {
            type_: condition.type_.to_string(),
            status: condition.status.to_string(),
            reason: condition.reason.to_string(),
            message: condition.message.to_string(),
            time: if second > RECENT { NOW } else { second },
            generation: condition.observed_generation.unwrap_or_default().get(),
        }
    }
}

impl Said {
    /// The condition that this means.
    pub fn condition(&self) -> Result<Condition, String> {
        let type_ = ConditionType::new(self.type_.clone()).map_err(|error| error.to_string())?;
        let reason = Reason::new(self.reason.clone()).map_err(|error| error.to_string())?;
        let since = time(self.time)?;
        let condition = Condition::new(type_, self.status()?, reason, self.message.clone(), since);
        Ok(condition.observed(generation(self.generation)?))
    }

    /// The status of the condition.
    pub fn status(&self) -> Result<Status, String> {
        self.status.parse::<Status>().map_err(|error| error.to_string())
    }
}

/// The conditions that these mean.
pub fn conditions(said: &[Said]) -> Result<Vec<Condition>, String> {
    said.iter().map(Said::condition).collect()
}

/// The instant that a second means.
pub fn time(second: i64) -> Result<Time, String> {
    Time::from_second(second).map_err(|error| error.to_string())
}

/// The generation of this number.
pub fn generation(number: i64) -> Result<Generation, String> {
    Generation::new(number).map_err(|error| error.to_string())
}
