//! Watches that overlap: each begins where the one before it began, so that every event is sent twice, and one that was lost on the way is
//! told by the next watch. Which ones are new is a matter of versions, which are numbers that grow (KEP-5504).

use std::collections::HashMap;

/// The versions that the present watch and the one before it have told.
#[derive(Debug, Default)]
pub(super) struct Overlap {
    /// The version up to which everything had been told when the last watch was opened.
    opened: Option<u64>,
    /// The last version of each object that has changed since.
    told: HashMap<String, u64>,
}

impl Overlap {
    /// The version from which to open a watch, where everything has been told up to this one. The same one where versions are no numbers.
    pub(super) fn begin(&mut self, version: &str) -> String {
        let Ok(now) = version.parse::<u64>() else {
            *self = Self::default();
            return version.to_owned();
        };
        let from = self.opened.replace(now).unwrap_or(now).min(now);
        self.told.retain(|_, told| from < *told && *told <= now);
        from.to_string()
    }

    /// Takes the version of an object that an event tells. Returns false if this one or a later one has been told.
    pub(super) fn is_news(&mut self, object: String, version: &str) -> bool {
        let Ok(version) = version.parse::<u64>() else { return true };
        let told = self.told.entry(object).or_default();
        let is_news = *told < version;
        *told = version.max(*told);
        is_news
    }
}

/// The later one of two versions; the second where they are no numbers.
pub(super) fn later(known: &str, told: String) -> String {
    let is_behind =
        known.parse::<u64>().ok().zip(told.parse::<u64>().ok()).is_some_and(|(known, told)| told < known);
    if is_behind { known.to_owned() } else { told }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_watch_begins_where_the_one_before_it_began() {
        let mut overlap = Overlap::default();
        let begun: Vec<_> =
            ["5", "9", "9", "12", "20"].iter().map(|version| overlap.begin(version)).collect();
        assert_eq!(begun, ["5", "5", "9", "9", "12"]);
        assert_eq!(overlap.begin("3"), "3", "a store that was restored counts from an earlier version on");
        assert_eq!(overlap.begin("opaque"), "opaque");
        assert_eq!(
            (later("7", "6".to_owned()), later("7", "x".to_owned())),
            ("7".to_owned(), "x".to_owned())
        );
    }

    proptest! {
        /// Of changes to three objects, by turns, a watch loses some, and ends after some.
        #[test]
        fn whatever_one_watch_loses_the_next_one_tells_and_nothing_is_told_twice(
            changes in proptest::collection::vec((0..3_u64, any::<bool>(), 0..4_u8), 1..60),
        ) {
            let mut overlap = Overlap::default();
            let mut known: HashMap<u64, u64> = HashMap::new();
            let versions = || changes.iter().zip(1_u64..);
            let mut tell = |overlap: &mut Overlap, object: u64, version: u64| {
                if overlap.is_news(object.to_string(), &version.to_string()) {
                    let before = known.insert(object, version);
                    assert!(before < Some(version), "{version} is told after {before:?}");
                }
                known.clone()
            };
            overlap.begin("0");
            let end = versions().map(|(_, version)| version).max().unwrap_or_default();
            let mut seen = HashMap::new();
            for ((object, is_lost, ends), now) in versions() {
                if !is_lost {
                    seen = tell(&mut overlap, *object, now);
                }
                if *ends == 0 || now == end {
                    let from: u64 = overlap.begin(&now.to_string()).parse().unwrap();
                    for ((object, ..), version) in versions().filter(|(_, version)| (from + 1..=now).contains(version)) {
                        seen = tell(&mut overlap, *object, version);
                    }
                }
            }
            prop_assert_eq!(seen, versions().map(|((object, ..), version)| (*object, version)).collect());
        }
    }
}
