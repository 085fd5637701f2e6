//! The descriptions of the fields of built-in kinds, from Kubernetes' own API documentation.
//!
//! `prose.json` has one line a definition: the words on each field by its name, those on the definition itself by the empty
//! one. `cargo xtask shapes` makes it. Nothing is read before the first question.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

type Words = BTreeMap<String, String>;

/// The definitions by name, each as it is written, and once it was asked for as it is read.
static DEFINITIONS: LazyLock<BTreeMap<&'static str, (&'static str, OnceLock<Words>)>> = LazyLock::new(|| {
    let lines = include_str!("prose.json").lines();
    let named = lines.filter_map(|line| line.strip_prefix('"')?.split_once("\":"));
    named.map(|(name, written)| (name, (written.trim_end_matches(','), OnceLock::new()))).collect()
});

/// What a definition is, such as `io.k8s.api.core.v1.Pod`.
pub(crate) fn definition(name: &str) -> Option<&'static str> {
    field(name, "")
}

/// What a field of a definition is.
pub(crate) fn field(definition: &str, name: &str) -> Option<&'static str> {
    let (written, words) = DEFINITIONS.get(definition)?;
    let words = words.get_or_init(|| serde_json::from_str(written).unwrap_or_default());
    words.get(name).map(String::as_str)
}
