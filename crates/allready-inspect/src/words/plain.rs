//! Ages and numbers in words, as kubectl says them.

use allready_core::Time;

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

/// The plural of a kind, where there is not one: `Pods`, `Ingresses`, `NetworkPolicies`.
pub fn plural(kind: &str, count: usize) -> String {
    let mut letters = kind.chars().rev();
    let (last, before) = (letters.next().unwrap_or_default(), letters.next().unwrap_or_default());
    match (last, before) {
        _ if count == 1 => kind.to_owned(),
        ('s', 'i') => format!("{}es", &kind[..kind.len() - 2]),
        ('y', before) if !"aeiou".contains(before) => format!("{}ies", &kind[..kind.len() - 1]),
        ('s' | 'x' | 'z', _) | ('h', 'c' | 's') => format!("{kind}es"),
        _ => format!("{kind}s"),
    }
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
