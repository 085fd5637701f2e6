//! The columns of the built-in kinds.
//!
//! `columns.json` has one line a resource: for each column its name, type, format, priority and description, the latter as
//! `@definition#field` where it is that of a field. `cargo xtask shapes` makes it.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Value, json};

use crate::openapi::prose;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// The resources with columns of their own, each as it is written.
static COLUMNS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("columns.json").lines();
    let named = lines.filter_map(|line| line.strip_prefix('"')?.split_once("\":"));
    named.map(|(name, written)| (name, written.trim_end_matches(','))).collect()
});

/// The columns of a built-in kind as a `Table` defines them; `None` for one without columns of its own.
pub(super) fn definitions(group: &str, plural: &str) -> Option<Vec<Value>> {
    let written = COLUMNS.get(format!("{group}/{plural}").as_str())?;
    let columns: Vec<(&str, &str, &str, i64, String)> = serde_json::from_str(written).unwrap_or_default();
    let define = |(name, kind, format, priority, words): &(&str, &str, &str, i64, String)| {
        let of_field = words.strip_prefix('@').and_then(|place| place.split_once('#'));
        let words = match of_field {
            Some((definition, field)) => prose::field(definition, field).unwrap_or_default(),
            None => words.as_str(),
        };
        definition(name, kind, format, words, *priority)
    };
    Some(columns.iter().map(define).collect())
}

/// The number of kinds that have columns of their own.
#[cfg(test)]
pub(super) fn count() -> usize {
    COLUMNS.len()
}

/// A column definition of a `Table`.
pub(super) fn definition(name: &str, kind: &str, format: &str, words: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": words, "priority": priority})
}

/// The `Name` column of every kind.
pub(super) fn name() -> Value {
    definition("Name", "string", "name", prose::field(META, "name").unwrap_or_default(), 0)
}

/// The column with the time of creation of kinds that choose no columns.
pub(super) fn created(name: &str) -> Value {
    definition(name, "date", "", prose::field(META, "creationTimestamp").unwrap_or_default(), 0)
}
