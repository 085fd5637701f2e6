//! The modules of a crate use each other as its table in ARCHITECTURE.md says, and no two of them each other.
//!
//! Shared by the tests of the crates that have such a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The table of ARCHITECTURE.md: each module, and what it may use.
fn allowed(section: &str) -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let page = fs::read_to_string(page).unwrap();
    let section = page.split_once(section).unwrap().1.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let uses = cells[2]
            .split(", ")
            .filter(|module| *module != "–")
            .map(|module| module.trim_matches('`').to_owned())
            .collect();
        (cells[0].trim_matches('`').to_owned(), uses)
    })
    .collect()
}

/// The modules that the code of a module names, without its tests.
fn used(path: &Path, all: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            if entry.file_name().is_none_or(|name| name != "tests" && name != "tests.rs") {
                used(&entry, all, found);
            }
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    for after in code.split("crate::").skip(1) {
        let names: Vec<&str> = match after.strip_prefix('{') {
            // `crate::{health::Health, registry::{self, Registry}}`: the names at the first depth.
            Some(list) => {
                let mut depth = 0;
                let mut names = Vec::new();
                let mut start = 0;
                for (at, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => {
                            names.push(&list[start..at]);
                            break;
                        }
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            names.push(&list[start..at]);
                            start = at + 1;
                        }
                        _ => {}
                    }
                }
                names
            }
            None => vec![after],
        };
        for name in names {
            let name: String =
                name.trim_start().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if all.contains(&name) {
                found.insert(name);
            }
        }
    }
}

/// The code of every module uses what the table says, and nothing else.
pub(crate) fn holds(section: &str) {
    let allowed = allowed(section);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all: BTreeSet<String> = fs::read_dir(&source)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "lib")
        .collect();
    assert_eq!(all, allowed.keys().cloned().collect(), "the table names every module");
    for module in &all {
        let mut found = BTreeSet::new();
        let file = source.join(format!("{module}.rs"));
        for path in [file, source.join(module)].iter().filter(|path| path.exists()) {
            used(path, &all, &mut found);
        }
        found.remove(module);
        assert_eq!(found, allowed[module], "{module}");
    }
}

/// No module of the table uses itself by way of others.
pub(crate) fn is_acyclic(section: &str) {
    let mut left = allowed(section);
    while !left.is_empty() {
        let free: Vec<String> =
            left.iter().filter(|(_, uses)| uses.is_empty()).map(|(name, _)| name.clone()).collect();
        assert!(!free.is_empty(), "these use each other: {:?}", left.keys());
        left.retain(|name, _| !free.contains(name));
        for uses in left.values_mut() {
            uses.retain(|name| !free.contains(name));
        }
    }
}
