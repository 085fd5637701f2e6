//! The words for how an object is doing, in one order from good to bad.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How an object is doing. The order is from good to bad, so that the greatest of many is the one to look at first.
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
    /// Somebody wants it to rest.
    Suspended,
    /// It is on its way.
    Progressing,
    /// Nothing that is understood says how it is.
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
