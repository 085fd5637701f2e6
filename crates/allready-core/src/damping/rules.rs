//! The rules of damping: which changes are held back, and until when.

use std::{collections::BTreeMap, fmt, time::Duration};

use jiff::SignedDuration;

use crate::{ConditionType, Polarity, Standing, Status, Time};

/// Which types are damped, and how. Without a rule nothing is.
///
/// ```
/// use allready_core::{Polarity, condition_type};
/// use allready_core::damping::{Damping, Hold, Until};
///
/// let rules = Damping::new().hold(condition_type!("Degraded"), Hold {
///     polarity: Polarity::AbnormalTrue,
///     to_bad: Some(Until::Observations(3)),
///     ..Hold::default()
/// });
/// assert_ne!(rules, Damping::new());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damping {
    named: BTreeMap<ConditionType, Hold>,
    others: Option<Hold>,
}

impl Damping {
    /// No rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Damps a type.
    #[must_use]
    pub fn hold(mut self, type_: ConditionType, hold: Hold) -> Self {
        self.named.insert(type_, hold);
        self
    }

    /// Damps every type that has no rule of its own.
    ///
    /// ```
    /// use allready_core::damping::{Damping, Hold, Until};
    ///
    /// let rules = Damping::new().hold_others(Hold { to_bad: Some(Until::Observations(2)), ..Hold::default() });
    /// assert_ne!(rules, Damping::new());
    /// ```
    #[must_use]
    pub fn hold_others(self, hold: Hold) -> Self {
        Self { others: Some(hold), ..self }
    }

    pub(super) fn rule(&self, type_: &ConditionType) -> Option<&Hold> {
        self.named.get(type_).or(self.others.as_ref())
    }
}

/// Which changes of a type are held back; by default none, on a normal-true type.
///
/// ```
/// use allready_core::damping::{Hold, Until};
///
/// // Bad news at once, good news only when it has been seen three times.
/// let hold = Hold { to_good: Some(Until::Observations(3)), ..Hold::default() };
/// assert_eq!(hold.to_bad, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// The polarity of the type: which status is the bad one. In a [pass](crate::set::Pass::damp) the polarity that the set
    /// declares counts instead.
    pub polarity: Polarity,
    /// Until when a turn for the bad is held back.
    pub to_bad: Option<Until>,
    /// Until when a turn for the good is held back.
    pub to_good: Option<Until>,
    /// Until when a turn to `Unknown` is held back.
    pub to_unknown: Option<Until>,
}

/// How long a status has to last before it is shown.
///
/// ```
/// use allready_core::damping::Until;
/// use std::time::Duration;
///
/// assert_ne!(Until::Duration(Duration::from_secs(3)), Until::Observations(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Until {
    /// So long after it was first observed; shown exactly then, or at once if that is no time at all. A fraction of a
    /// second counts as a whole one.
    Duration(Duration),
    /// Until it has been observed so many times in a row; one or zero is at once.
    Observations(u32),
}

/// What a held status waits for.
#[derive(Clone, Copy)]
pub(super) enum Wait {
    Until(Time),
    More(u32),
}

impl Hold {
    pub(super) fn is_good(&self, status: Status) -> bool {
        self.polarity.standing(status) == Standing::Good
    }

    /// What a status still waits for, if it has been observed since then and so often.
    pub(super) fn wait(&self, status: Status, since: Time, observations: u32, now: Time) -> Option<Wait> {
        let until = match self.polarity.standing(status) {
            Standing::Bad => self.to_bad,
            Standing::Good => self.to_good,
            Standing::Unknown => self.to_unknown,
        };
        match until? {
            Until::Duration(duration) => {
                let fraction = u64::from(duration.subsec_nanos() > 0);
                let seconds = i64::try_from(duration.as_secs().saturating_add(fraction)).unwrap_or(i64::MAX);
                let seconds = SignedDuration::from_secs(seconds);
                let release = since.saturating_add(seconds);
                (now < release).then_some(Wait::Until(release))
            }
            Until::Observations(needed) => {
                let more = needed.saturating_sub(observations);
                (more > 0).then_some(Wait::More(more))
            }
        }
    }
}

impl Wait {
    pub(super) fn look_again(self) -> Option<Time> {
        match self {
            Self::Until(release) => Some(release),
            Self::More(_) => None,
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Until(release) => write!(f, "until {release}"),
            Self::More(1) => f.write_str("for 1 more observation"),
            Self::More(more) => write!(f, "for {more} more observations"),
        }
    }
}
