//! Whole-second times and generations: the two clocks a condition carries.

use std::{fmt, str::FromStr};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize, Serializer, de};

/// The first second of the year 0.
const FIRST_SECOND: i64 = -62_167_219_200;

/// An instant as a condition carries it: UTC, whole seconds.
///
/// Fractions are dropped when a time is made, so that a condition equals what the API server gives back.
///
/// ```
/// use allready_core::Time;
///
/// let time: Time = "2026-03-01T10:00:00.75Z".parse().unwrap();
/// assert_eq!(time.to_string(), "2026-03-01T10:00:00Z");
/// assert_eq!(time, Time::from_second(1_772_359_200).unwrap());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(Timestamp);

/// A text or number that is no instant.
///
/// ```
/// use allready_core::Time;
///
/// assert_eq!("yesterday".parse::<Time>().unwrap_err().found, "yesterday");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("time {found:?} is not allowed: write RFC 3339 such as 2026-03-01T10:00:00Z")]
pub struct TimeError {
    /// What stood there instead.
    pub found: String,
}

impl Time {
    /// The Unix epoch, which some APIs use as "no time yet".
    pub const EPOCH: Self = Self(Timestamp::UNIX_EPOCH);

    /// The second in which this instant lies; the first of the year 0 for anything before it.
    pub fn new(instant: Timestamp) -> Self {
        let fraction = instant.subsec_nanosecond();
        if fraction == 0 && instant.as_second() >= FIRST_SECOND {
            return Self(instant);
        }
        // Round towards the past, also before 1970.
        Self::clamped(instant.as_second() - i64::from(fraction < 0))
    }

    /// RFC 3339 cannot write what lies before the year 0.
    fn clamped(second: i64) -> Self {
        let second = second.clamp(FIRST_SECOND, Timestamp::MAX.as_second());
        Self(Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH))
    }

    /// Seconds since the Unix epoch.
    ///
    /// ```
    /// # use allready_core::Time;
    /// assert_eq!(Time::from_second(60).unwrap().to_string(), "1970-01-01T00:01:00Z");
    /// assert!(Time::from_second(i64::MAX).is_err());
    /// ```
    pub fn from_second(second: i64) -> Result<Self, TimeError> {
        match Timestamp::from_second(second) {
            Ok(instant) if second >= FIRST_SECOND => Ok(Self(instant)),
            _ => Err(TimeError { found: second.to_string() }),
        }
    }

    /// Seconds since the Unix epoch.
    ///
    /// ```
    /// # use allready_core::Time;
    /// assert_eq!("1970-01-01T00:01:00Z".parse::<Time>().unwrap().as_second(), 60);
    /// ```
    pub fn as_second(self) -> i64 {
        self.0.as_second()
    }

    /// The same instant for use with `jiff`.
    pub fn as_timestamp(self) -> Timestamp {
        self.0
    }

    /// How long after `earlier` this is; negative if it is before.
    ///
    /// ```
    /// # use allready_core::Time;
    /// let (a, b) = (Time::from_second(10).unwrap(), Time::from_second(25).unwrap());
    /// assert_eq!(b.since(a).as_secs(), 15);
    /// ```
    pub fn since(self, earlier: Self) -> SignedDuration {
        self.0.duration_since(earlier.0)
    }

    /// This instant moved by a duration, kept within the range of times.
    pub fn saturating_add(self, duration: SignedDuration) -> Self {
        Self::clamped(self.as_second().saturating_add(duration.as_secs()))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        match super::rfc3339::from_text(text) {
            Some((time, None)) => Ok(time),
            _ => Err(TimeError { found: super::excerpt(text) }),
        }
    }
}

impl From<Timestamp> for Time {
    fn from(instant: Timestamp) -> Self {
        Self::new(instant)
    }
}

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        time.0
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a time, which is a text in RFC 3339 such as \"2026-03-01T10:00:00Z\"";
        super::text::read(deserializer, expected)?.parse().map_err(de::Error::custom)
    }
}

/// A value of `metadata.generation`: zero or more, and zero means "this kind has none".
///
/// ```
/// use allready_core::Generation;
///
/// let generation = Generation::new(7).unwrap();
/// assert_eq!(generation.get(), 7);
/// assert!(Generation::new(-1).is_err());
/// assert!(Generation::NONE.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Generation(i64);

/// A negative generation.
///
/// ```
/// use allready_core::Generation;
///
/// assert_eq!(Generation::new(-1).unwrap_err().found, -1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("generation {found} is not allowed: it must be 0 or more")]
pub struct GenerationError {
    /// What stood there instead.
    pub found: i64,
}

impl Generation {
    /// The kind has no generation, or it is not known.
    pub const NONE: Self = Self(0);

    /// Checks that the number is not negative.
    pub const fn new(number: i64) -> Result<Self, GenerationError> {
        if number < 0 { Err(GenerationError { found: number }) } else { Ok(Self(number)) }
    }

    /// The number.
    ///
    /// ```
    /// # use allready_core::Generation;
    /// assert_eq!(Generation::from(7u32).get(), 7);
    /// ```
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use allready_core::Generation;
    /// assert!(Generation::from(0u32).is_none());
    /// ```
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl TryFrom<i64> for Generation {
    type Error = GenerationError;

    fn try_from(number: i64) -> Result<Self, GenerationError> {
        Self::new(number)
    }
}

impl From<u32> for Generation {
    fn from(number: u32) -> Self {
        Self(i64::from(number))
    }
}

impl From<Option<i64>> for Generation {
    /// `metadata.generation` as Kubernetes clients have it. The API server never gives a negative one; it would be none.
    ///
    /// ```
    /// use allready_core::Generation;
    /// assert_eq!(Generation::from(Some(3)), Generation::from(3u32));
    /// assert!(Generation::from(None).is_none());
    /// ```
    fn from(number: Option<i64>) -> Self {
        Self(number.unwrap_or(0).max(0))
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for Generation {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl de::Visitor<'_> for Number {
            type Value = Generation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a generation, which is a whole number of 0 or more")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Generation, E> {
                Generation::new(number).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Generation, E> {
                let number = i64::try_from(number);
                let number =
                    number.map_err(|_| E::custom("a generation of more than 63 bits is not allowed"))?;
                self.visit_i64(number)
            }
        }

        deserializer.deserialize_i64(Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_dropped_towards_the_past_on_both_sides_of_the_epoch() {
        for (text, expected) in [
            ("2026-03-01T10:00:00.999999999Z", "2026-03-01T10:00:00Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"),
            ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
        ] {
            assert_eq!(text.parse::<Time>().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn only_rfc_3339_as_the_api_server_reads_it_is_a_time() {
        for text in [
            "2026-03-01 10:00:00Z",
            "2026-03-01T10:00:00+0000",
            "20260301T100000Z",
            "2026-03-01T10:00:00,5Z",
            "2026-03-01T10:00:60Z",
            "2026-03-01T10:00:00Za",
            "2026-03-01T10:00:00",
            "0000-01-01T00:00:00+01:00",
            "now",
            "",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text:?}");
        }
        assert_eq!(Time::new(Timestamp::MIN).to_string(), "0000-01-01T00:00:00Z");
        assert!(Time::from_second(i64::MIN).is_err());
    }

    #[test]
    fn moving_a_time_stays_within_range() {
        let far = Time::EPOCH.saturating_add(SignedDuration::MAX);
        assert!(far > Time::EPOCH);
        assert_eq!(far.saturating_add(SignedDuration::MAX), far);
        assert!(Time::EPOCH.saturating_add(SignedDuration::MIN) < Time::EPOCH);
    }
}
