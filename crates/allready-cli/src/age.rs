//! How long ago something was, as kubectl says it.

use allready_core::Time;

/// How long ago this instant is. One to come is now: clocks differ.
pub(crate) fn age(then: Time, now: Time) -> String {
    let seconds = now.since(then).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..10_800 => format!("{}m", seconds / 60),
        10_800..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How long something took.
pub(crate) fn milliseconds(milliseconds: i64) -> String {
    if milliseconds < 10_000 { format!("{milliseconds}ms") } else { format!("{}s", milliseconds / 1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_the_unit_that_says_enough() {
        let at = |second| Time::from_second(second).unwrap();
        let told = |seconds: i64| age(at(1_000_000), at(1_000_000 + seconds));
        assert_eq!(told(-5), "0s");
        assert_eq!((told(12), told(119), told(120)), ("12s".into(), "119s".into(), "2m".into()));
        assert_eq!((told(10_799), told(10_800), told(172_800)), ("179m".into(), "3h".into(), "2d".into()));
        assert_eq!((milliseconds(3), milliseconds(10_000)), ("3ms".into(), "10s".into()));
    }
}
