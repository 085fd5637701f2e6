//! Inertia: for how long a problem is too young to count.

use std::time::Duration;

use jiff::SignedDuration;

use crate::{
    Time,
    rollup::{Freshness, Input},
};

/// For how long a problem is not counted, by condition type.
///
/// A problem counts once its last transition is longer ago than that; one without a time counts at once, and so does what
/// is missing or stale, for that is no transition. A time in the future is believed no further than the inertia itself
/// reaches, so that a wrong clock cannot hide a problem for ever.
///
/// ```
/// use std::time::Duration;
/// use allready_core::rollup::Inertia;
///
/// let inertia = Inertia::of(Duration::from_secs(120))
///     .except("Storage*Degraded", Duration::from_secs(600))
///     .except("*Degraded", Duration::from_secs(30));
/// assert_eq!(inertia.for_type("StorageVolumeDegraded").as_secs(), 600, "the first match wins");
/// assert_eq!(inertia.for_type("NetworkDegraded").as_secs(), 30);
/// assert_eq!(inertia.for_type("Available").as_secs(), 120);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inertia {
    /// For types that no pattern matches.
    pub default: Duration,
    /// Patterns of types and the inertia of those; the first that matches wins. A `*` stands for any text.
    pub exceptions: Vec<(String, Duration)>,
}

impl Inertia {
    /// Every problem counts at once.
    pub const NONE: Self = Self::of(Duration::ZERO);

    /// The same for every type.
    ///
    /// ```
    /// # use allready_core::rollup::Inertia;
    /// use std::time::Duration;
    /// assert_eq!(Inertia::of(Duration::from_secs(30)).for_type("Ready").as_secs(), 30);
    /// ```
    pub const fn of(default: Duration) -> Self {
        Self { default, exceptions: Vec::new() }
    }

    /// The same, with another inertia for the types that this pattern matches and no earlier one does.
    ///
    /// ```
    /// # use allready_core::rollup::Inertia;
    /// use std::time::Duration;
    /// let inertia = Inertia::NONE.except("*Degraded", Duration::from_mins(2));
    /// assert_eq!((inertia.for_type("PoolDegraded").as_secs(), inertia.for_type("Ready").as_secs()), (120, 0));
    /// ```
    pub fn except(mut self, pattern: impl Into<String>, inertia: Duration) -> Self {
        self.exceptions.push((pattern.into(), inertia));
        self
    }

    /// The inertia of a condition type.
    ///
    /// ```
    /// # use allready_core::rollup::Inertia;
    /// assert!(Inertia::NONE.for_type("PoolDegraded").is_zero());
    /// ```
    pub fn for_type(&self, type_: &str) -> Duration {
        self.exceptions
            .iter()
            .find(|(pattern, _)| matches(pattern, type_))
            .map_or(self.default, |(_, inertia)| *inertia)
    }

    /// Whether a problem is still too young to count.
    pub(super) fn hides(&self, problem: &Input<'_>, now: Time) -> bool {
        self.end(problem, now).is_some()
    }

    /// The first second in which a problem counts that does not now; none if it counts already.
    pub(super) fn end(&self, problem: &Input<'_>, now: Time) -> Option<Time> {
        let since = problem.since.filter(|_| problem.freshness == Freshness::Fresh)?;
        let inertia = self.for_type(problem.type_);
        let inertia = SignedDuration::try_from(inertia).unwrap_or(SignedDuration::MAX);
        let hidden = !inertia.is_zero() && now.since(since).abs() <= inertia;
        // "Longer ago than" in whole seconds: the second after the last one that is not.
        let last = SignedDuration::from_secs(inertia.as_secs());
        hidden.then(|| since.saturating_add(last).saturating_add(SignedDuration::from_secs(1)))
    }
}

/// Whether a text has the shape of a pattern, in which `*` stands for any text, also for none.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, pattern)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts = pattern.split('*');
    // `split` yields at least one part, so there is a last one.
    let tail = parts.next_back().unwrap_or_default();
    for part in parts {
        match text.split_once(part) {
            Some((_, rest)) => text = rest,
            None => return false,
        }
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, matching, other) in [
            ("Foo", &["Foo"][..], &["Foo1", "xFoo", ""][..]),
            ("*", &["", "Foo"], &[]),
            ("*Degraded", &["Degraded", "FooDegraded"], &["DegradedFoo"]),
            ("Foo*", &["Foo", "FooBar"], &["xFoo"]),
            ("a*b*c", &["abc", "a-b-c", "abbcc"], &["ac", "acb", "ab"]),
            ("a*a", &["aa", "aba"], &["a"]),
            ("**", &["", "x"], &[]),
            ("ü*é", &["üé", "ü-é"], &["üe"]),
        ] {
            for text in matching {
                assert!(matches(pattern, text), "{pattern} should match {text}");
            }
            for text in other {
                assert!(!matches(pattern, text), "{pattern} should not match {text}");
            }
        }
    }
}
