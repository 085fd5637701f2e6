//! Ages and numbers in words, as kubectl says them.

use std::borrow::Cow;

use allready_core::{Time, rollup};

/// The age of what happened at an instant. One to come is now: clocks differ.
pub fn age(then: Time, now: Time) -> String {
    let seconds = now.since(then).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..10_800 => format!("{}m", seconds / 60),
        10_800..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The kind of so many objects: `1 Pod`, `2 Pods`.
pub fn plural(kind: &str, count: usize) -> Cow<'_, str> {
    if count == 1 { Cow::Borrowed(kind) } else { rollup::plural(kind) }
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
    }
}
