//! Own writes that the cache of a controller may not have seen yet.

use std::collections::HashMap;

use allready_core::Time;
use jiff::SignedDuration;

use super::requeue::ObjectKey;

/// How long a cache may lag behind. What is older is forgotten.
const LAG: SignedDuration = SignedDuration::from_mins(5);

/// The versions that were written lately.
///
/// A controller reconciles what its cache has, and that may be older than the controller's own last write. Then "nothing has
/// changed" would be a comparison with the past, and the write that is needed would be spared.
#[derive(Debug, Default)]
pub(super) struct RecentWrites {
    written: HashMap<ObjectKey, (u64, Time)>,
    swept: Option<Time>,
}

impl RecentWrites {
    /// Notes the version that a write came to. Versions are compared as the numbers that the API server makes them.
    pub(super) fn wrote(&mut self, key: ObjectKey, version: Option<&str>, now: Time) {
        if self.swept.is_none_or(|swept| now.since(swept) > LAG) {
            self.written.retain(|_, (_, at)| now.since(*at) <= LAG);
            self.swept = Some(now);
        }
        if let Some(version) = version.and_then(|version| version.parse().ok()) {
            self.written.insert(key, (version, now));
        }
    }

    /// Whether this version is from before the last write; what has caught up is forgotten.
    pub(super) fn is_stale(&mut self, key: &ObjectKey, version: &str) -> bool {
        let (Some((written, _)), Ok(version)) = (self.written.get(key), version.parse::<u64>()) else {
            return false;
        };
        let stale = version < *written;
        if !stale {
            self.written.remove(key);
        }
        stale
    }

    pub(super) fn forget(&mut self, key: &ObjectKey) {
        self.written.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey { kind: "Pool".to_owned(), namespace: String::new(), name: name.to_owned() }
    }

    #[test]
    fn a_version_from_before_the_write_is_stale_until_the_cache_catches_up() {
        let mut recent = RecentWrites::default();
        recent.wrote(key("a"), Some("10"), Time::EPOCH);
        assert!(recent.is_stale(&key("a"), "9"));
        assert!(!recent.is_stale(&key("b"), "9"), "another object");
        assert!(!recent.is_stale(&key("a"), "10"));
        assert!(recent.written.is_empty());
    }

    #[test]
    fn what_is_long_ago_is_forgotten() {
        let mut recent = RecentWrites::default();
        for number in 0..100 {
            recent.wrote(key(&number.to_string()), Some("10"), Time::EPOCH);
        }
        recent.wrote(key("new"), Some("11"), Time::from_second(301).unwrap());
        assert_eq!(recent.written.len(), 1);
    }

    #[test]
    fn a_version_that_is_no_number_says_nothing() {
        let mut recent = RecentWrites::default();
        recent.wrote(key("a"), Some("x7"), Time::EPOCH);
        assert!(!recent.is_stale(&key("a"), "x6"));
        recent.wrote(key("a"), Some("7"), Time::EPOCH);
        assert!(!recent.is_stale(&key("a"), "x6"));
    }
}
