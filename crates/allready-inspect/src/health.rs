//! The words for how an object is doing, in one order from good to bad.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The health of an object. The order is from good to bad, so that the greatest of many is the one to look at first.
///
/// ```
/// use allready_inspect::health::Health;
///
/// assert!(Health::Degraded > Health::Progressing && Health::Progressing > Health::Healthy);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Health {
    /// Something says that it is as it should be.
    Healthy,
    /// It is paused or scaled to zero on purpose.
    Suspended,
    /// It is on its way.
    Progressing,
    /// Its health cannot be determined.
    Unknown,
    /// It should be there and is not.
    Missing,
    /// Something is broken.
    Degraded,
}

impl Health {
    /// Every word, the worst first.
    ///
    /// ```
    /// use allready_inspect::health::Health;
    ///
    /// assert!(Health::WORST_FIRST.is_sorted_by(|worse, better| worse > better));
    /// ```
    pub const WORST_FIRST: [Self; 6] =
        [Self::Degraded, Self::Missing, Self::Unknown, Self::Progressing, Self::Suspended, Self::Healthy];

    /// The step of severity for whatever depends on the object: 0 is well or at rest, 1 is on its way or not known, 2 is broken or
    /// not there. It follows the order of the words.
    pub(crate) fn step(self) -> u8 {
        match self {
            health if health >= Self::Missing => 2,
            health if health >= Self::Progressing => 1,
            _ => 0,
        }
    }

    /// The rank of a word among several that are said of one object: the greatest decides. It is the order of severity, turned
    /// around between good and bad: there the more definite word decides. An object that somebody has paused is not on its way,
    /// and one that is on its way is understood.
    pub(crate) const fn rank_of_told(self) -> u8 {
        let is_between = !matches!(self, Self::Healthy | Self::Missing | Self::Degraded);
        if is_between { Self::Suspended as u8 + Self::Unknown as u8 - self as u8 } else { self as u8 }
    }

    /// The word.
    ///
    /// ```
    /// use allready_inspect::health::Health;
    ///
    /// assert_eq!(Health::Degraded.as_str(), "Degraded");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "Healthy",
            Self::Suspended => "Suspended",
            Self::Progressing => "Progressing",
            Self::Unknown => "Unknown",
            Self::Missing => "Missing",
            Self::Degraded => "Degraded",
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_orders_follow_from_that_of_the_words() {
        let mut told = Health::WORST_FIRST;
        told.sort_by_key(|health| health.rank_of_told());
        let expected = [
            Health::Healthy,
            Health::Unknown,
            Health::Progressing,
            Health::Suspended,
            Health::Missing,
            Health::Degraded,
        ];
        assert_eq!(told, expected);
        assert_eq!(Health::WORST_FIRST.map(Health::step), [2, 2, 1, 1, 0, 0]);
    }
}
