//! Durations as people write them on a command line, and as they are printed.

use std::{fmt::Write as _, time::Duration};

use jiff::SignedDuration;

/// Reads a duration: `90s`, `5m`, `1h30m`; a number alone is seconds, as in kubectl's --request-timeout.
///
/// # Errors
/// What is no duration, or less than none.
pub fn duration(text: &str) -> Result<Duration, String> {
    let problem = || format!("{text:?} is not a duration: write 90s, 5m or 1h30m");
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(Duration::from_secs(seconds));
    }
    let read: SignedDuration = text.parse().map_err(|_| problem())?;
    Duration::try_from(read).map_err(|_| problem())
}

/// Writes a duration in the way that it is read: `1h30m`. Parts of a second are written only where there are no whole ones.
pub fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds == 0 {
        return match duration.as_millis() {
            0 => "0s".to_owned(),
            milliseconds => format!("{milliseconds}ms"),
        };
    }
    let parts = [(seconds / 3600, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    parts.into_iter().filter(|(count, _)| *count > 0).fold(String::new(), |mut text, (count, unit)| {
        let _ = write!(text, "{count}{unit}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_kubectl_users_write_them() {
        for (text, seconds) in
            [("0", 0), ("0s", 0), ("10", 10), ("30s", 30), ("5m", 300), ("1h30m", 5400), ("5m0s", 300)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "-5s", "-5", "soon", "5x"] {
            assert_eq!(
                duration(text),
                Err(format!("{text:?} is not a duration: write 90s, 5m or 1h30m")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_duration_is_written_so_that_it_reads_the_same() {
        for text in ["0s", "250ms", "1s", "90s", "5m", "1h30m", "2h5s", "100h"] {
            let read = duration(text).unwrap();
            assert_eq!(duration(&shown(read)), Ok(read), "{text}");
        }
        assert_eq!(shown(Duration::from_secs(90)), "1m30s");
        assert_eq!(shown(Duration::from_millis(2500)), "2s");
    }
}
