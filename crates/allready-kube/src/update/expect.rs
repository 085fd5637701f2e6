//! What a test expects of a condition.

use std::time::Duration;

use allready_core::{Condition, Generation, Status, Time, condition};
use jiff::SignedDuration;

/// What a test expects of a condition: what is not said matches anything.
///
/// ```
/// use std::time::Duration;
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_kube::update::ExpectedCondition;
///
/// let now = Time::from_second(100).unwrap();
/// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
/// let ready = ExpectedCondition::of("Ready").status(Status::False).since(now, Duration::from_secs(1));
/// assert_eq!(ready.check(&list), Ok(()));
///
/// let mismatch = ready.reason("Offline").check(&list).unwrap_err();
/// assert_eq!(mismatch, "condition Ready: its reason is \"DiskFull\" and should be \"Offline\"");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "it says nothing until it is checked"]
pub struct ExpectedCondition {
    type_: String,
    status: Option<Status>,
    reason: Option<String>,
    message: Option<String>,
    generation: Option<Generation>,
    since: Option<(Time, Duration)>,
}

impl ExpectedCondition {
    /// That there is one condition of this type.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// assert_eq!(ExpectedCondition::of("Ready").check(&list), Ok(()));
    /// assert_eq!(ExpectedCondition::of("Synced").check(&list).unwrap_err(), "condition Synced is not there");
    /// ```
    pub fn of(type_: impl Into<String>) -> Self {
        Self { type_: type_.into(), ..Self::default() }
    }

    /// With this status.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// assert!(ExpectedCondition::of("Ready").status(Status::True).check(&list).is_err());
    /// ```
    pub fn status(self, status: Status) -> Self {
        Self { status: Some(status), ..self }
    }

    /// With this reason.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// assert_eq!(ExpectedCondition::of("Ready").reason("DiskFull").check(&list), Ok(()));
    /// ```
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// With this message.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// assert_eq!(ExpectedCondition::of("Ready").message("sda is full").check(&list), Ok(()));
    /// ```
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// About this generation.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// assert!(ExpectedCondition::of("Ready").generation(2u32).check(&list).is_err(), "it says none");
    /// ```
    pub fn generation(self, generation: impl Into<Generation>) -> Self {
        Self { generation: Some(generation.into()), ..self }
    }

    /// Since this time, give or take so much: earlier or later by more does not match.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// let (later, second) = (Time::from_second(102).unwrap(), std::time::Duration::from_secs(1));
    /// assert!(ExpectedCondition::of("Ready").since(later, second).check(&list).is_err());
    /// assert_eq!(ExpectedCondition::of("Ready").since(later, 2 * second).check(&list), Ok(()));
    /// ```
    pub fn since(self, time: Time, tolerance: Duration) -> Self {
        Self { since: Some((time, tolerance)), ..self }
    }

    /// Whether a list is as expected, or what is not.
    ///
    /// ```
    /// # use allready_core::{Condition, Status, Time, condition_type, reason};
    /// # use allready_kube::update::ExpectedCondition;
    /// # let now = Time::from_second(100).unwrap();
    /// let list = [Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", now)];
    /// let wrong = ExpectedCondition::of("Ready").status(Status::True).check(&list).unwrap_err();
    /// assert_eq!(wrong, "condition Ready: its status is False and should be True");
    /// ```
    pub fn check(&self, conditions: &[Condition]) -> Result<(), String> {
        let type_ = &self.type_;
        if conditions.iter().filter(|condition| condition.type_ == **type_).count() > 1 {
            return Err(format!("condition {type_} is there more than once"));
        }
        let Some(found) = condition::find(conditions, type_) else {
            return Err(format!("condition {type_} is not there"));
        };
        let wrong =
            |what, is, should| Err(format!("condition {type_}: its {what} is {is} and should be {should}"));
        match self {
            Self { status: Some(status), .. } if found.status != *status => {
                wrong("status", found.status.to_string(), status.to_string())
            }
            Self { reason: Some(reason), .. } if found.reason != **reason => {
                wrong("reason", format!("{:?}", found.reason.as_str()), format!("{reason:?}"))
            }
            Self { message: Some(message), .. } if found.message != **message => {
                wrong("message", format!("{:?}", found.message.as_str()), format!("{message:?}"))
            }
            Self { generation: Some(generation), .. }
                if found.observed_generation.unwrap_or_default() != *generation =>
            {
                let is = found.observed_generation.unwrap_or_default();
                wrong("generation", is.to_string(), generation.to_string())
            }
            Self { since: Some((time, tolerance)), .. }
                if !near(found.last_transition_time, *time, *tolerance) =>
            {
                let should = format!("{time} give or take {tolerance:?}");
                wrong("transition time", found.last_transition_time.to_string(), should)
            }
            _ => Ok(()),
        }
    }
}

fn near(found: Time, expected: Time, tolerance: Duration) -> bool {
    let tolerance = SignedDuration::try_from(tolerance).unwrap_or(SignedDuration::MAX);
    found.since(expected).abs() <= tolerance
}

#[cfg(test)]
mod tests {
    use allready_core::{condition_type, reason};

    use super::*;

    fn at(second: i64) -> Time {
        Time::from_second(second).unwrap()
    }

    #[test]
    fn case_16_a_time_that_is_too_late_does_not_match_any_more_than_one_that_is_too_early() {
        let list = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", at(100))];
        let within = |second| {
            ExpectedCondition::of("Ready").since(at(second), Duration::from_secs(5)).check(&list).is_ok()
        };
        assert_eq!([94, 95, 100, 105, 106].map(within), [false, true, true, true, false]);
    }

    #[test]
    fn what_is_not_said_matches_anything_and_what_is_said_only_itself() {
        let list =
            [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "fine", at(1))
                .observed(3)];
        let ready = || ExpectedCondition::of("Ready");
        assert_eq!(ready().check(&list), Ok(()));
        for wrong in [
            ExpectedCondition::of("Synced"),
            ready().status(Status::False),
            ready().reason("Other"),
            ready().message("bad"),
            ready().generation(2u32),
        ] {
            assert!(wrong.check(&list).is_err(), "{wrong:?}");
        }
        assert!(ready().check(&[list.to_vec(), list.to_vec()].concat()).is_err(), "twice");
    }
}
