//! From when on something is too old, too many or too large.

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de};

/// From when on something is too old, too many or too large.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Thresholds {
    /// O08: how long a generation may wait to be observed.
    #[serde(deserialize_with = "duration")]
    pub stale_after: SignedDuration,
    /// O16: how long a condition may be Unknown.
    #[serde(deserialize_with = "duration")]
    pub unknown_after: SignedDuration,
    /// O17: how long a condition may be bad for the same reason.
    #[serde(deserialize_with = "duration")]
    pub false_after: SignedDuration,
    /// O06: how far the clocks of a cluster may differ.
    #[serde(deserialize_with = "duration")]
    pub clock_skew: SignedDuration,
    /// O18: so many conditions may be in one list.
    pub max_conditions: usize,
    /// O18: so many conditions may differ only in their prefix.
    pub max_siblings: usize,
    /// O18: so many bytes may a status have, as JSON.
    pub max_status_bytes: usize,
    /// W03: so often may a condition change its status within the window.
    pub max_flaps: usize,
    /// W04: so often may a status be written within the window without saying anything new.
    pub max_idle_writes: usize,
    /// W03 and W04: what is counted together.
    #[serde(deserialize_with = "duration")]
    pub window: SignedDuration,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            stale_after: SignedDuration::from_mins(5),
            unknown_after: SignedDuration::from_mins(10),
            false_after: SignedDuration::from_hours(24),
            clock_skew: SignedDuration::from_mins(1),
            max_conditions: 32,
            max_siblings: 8,
            max_status_bytes: 256 * 1024,
            max_flaps: 5,
            max_idle_writes: 10,
            window: SignedDuration::from_mins(10),
        }
    }
}

/// A duration as people write it: `90s`, `10m`, `1h 30m`.
fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SignedDuration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let read: Result<SignedDuration, _> = text.parse();
    match read {
        Ok(duration) if !duration.is_negative() => Ok(duration),
        _ => Err(de::Error::custom(format_args!("{text:?} is not a duration: write 90s, 10m or 1h"))),
    }
}
