//! The built-in data: one file for each family of API groups.

use super::{Entry, gateway, read};

/// The families and their texts, by name; the build script makes the list.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/declarations.rs"));

/// All built-in entries. A test reads every file, so that none can be left out here for being wrong.
pub(super) fn entries() -> Vec<Entry> {
    let read = |(_, text): &(&str, &str)| {
        serde_json::from_str::<read::File>(text).map(read::File::into_entries).unwrap_or_default()
    };
    std::iter::once(gateway::entry()).chain(FILES.iter().flat_map(read)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn directory() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/registry/data")
    }

    /// The file that an API group belongs into: README.md of the directory says the rule.
    fn family(group: &str) -> String {
        let labels: Vec<&str> = group.split('.').collect();
        match labels.as_slice() {
            [.., domain, top] => format!("{domain}.{top}"),
            _ => "kubernetes".to_owned(),
        }
    }

    fn files() -> impl Iterator<Item = (&'static str, Vec<Entry>)> {
        FILES.iter().map(|(name, text)| {
            let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (*name, super::super::read(&value).unwrap_or_else(|error| panic!("{name}: {error}")))
        })
    }

    #[test]
    fn every_file_of_the_directory_is_loaded_and_has_entries() {
        let names = std::fs::read_dir(directory()).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name != "README.md" && !name.ends_with(".tests.json"));
        names.sort();
        let mut loaded: Vec<String> = FILES.iter().map(|(name, _)| format!("{name}.json")).collect();
        loaded.sort();
        assert_eq!(names, loaded);
        assert!(files().all(|(_, entries)| !entries.is_empty()));
    }

    #[test]
    fn a_group_is_declared_in_the_file_of_its_family_and_nowhere_else() {
        for (name, entries) in files() {
            for group in entries.iter().flat_map(|entry| &entry.groups) {
                assert_eq!(family(group), name, "{group} belongs into {}.json", family(group));
            }
        }
    }

    #[test]
    fn entries_of_a_file_are_sorted_by_groups_and_kinds_and_none_is_there_twice() {
        for (name, entries) in files() {
            for pair in entries.windows(2) {
                let [first, second] = [&pair[0], &pair[1]].map(|entry| (&entry.groups, &entry.kinds));
                assert!(first < second, "{name}: {second:?} belongs before {first:?}");
            }
        }
    }

    #[test]
    fn every_entry_has_a_source_and_says_something() {
        for (name, entries) in files() {
            for entry in &entries {
                let about = (name, &entry.groups, &entry.kinds);
                let source = entry.source.as_ref().unwrap_or_else(|| panic!("{about:?} has no source"));
                for text in [&source.project, &source.read, &source.version] {
                    assert!(!text.is_empty() && !text.contains("://"), "{about:?}: {source:?}");
                }
                let (groups, kinds) = (entry.groups.clone(), entry.kinds.clone());
                let nothing = Entry { groups, kinds, source: entry.source.clone(), ..Entry::default() };
                assert_ne!(*entry, nothing, "{about:?} says nothing");
            }
        }
    }

    #[test]
    fn parts_are_skipped_by_few_and_for_a_reason() {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for reason in files().flat_map(|(_, entries)| entries).filter_map(|entry| entry.skip_items) {
            *reasons.entry(reason).or_default() += 1;
        }
        assert!(reasons.values().sum::<usize>() <= 24, "{reasons:?}");
        assert!(
            reasons.keys().all(|reason| reason.is_empty() || reason.split(' ').count() > 4),
            "{reasons:?}"
        );
    }
}
