//! How long ago something was, in few figures.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// What stands where no time is known.
pub(super) const UNKNOWN: &str = "<unknown>";

/// A duration with two or three significant figures, as in `5m3s`.
pub(super) fn human(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let days = hours / 24;
    let pair = |large: i64, unit: &str, small: i64, part: &str| {
        if small == 0 { format!("{large}{unit}") } else { format!("{large}{unit}{small}{part}") }
    };
    match seconds {
        ..=-2 => "<invalid>".into(),
        // Clocks may differ by a second.
        -1 => "0s".into(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        _ if minutes < 60 * 3 => format!("{minutes}m"),
        _ if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 24 * 8 => pair(days, "d", hours % 24, "h"),
        _ if hours < 24 * 365 * 2 => format!("{days}d"),
        _ if hours < 24 * 365 * 8 => pair(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

/// The age of a timestamp in an object.
pub(super) fn since(time: &Value, now: Timestamp) -> String {
    match instant(time) {
        Some(time) => human(now.duration_since(time)),
        None => UNKNOWN.into(),
    }
}

/// A timestamp in an object, where there is one.
pub(super) fn instant(time: &Value) -> Option<Timestamp> {
    time.as_str()?.parse().ok()
}
