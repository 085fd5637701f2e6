//! The known differences and their reasons: `xtask/envoy/differences.yaml`.

use std::fmt;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::facts::Difference;

/// A rule that explains differences. In every pattern `|` separates alternatives, and `*` stands for anything.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Explanation {
    /// The kind of the object; any, if absent.
    #[serde(default = "anything")]
    kind: String,
    /// `object`, `listener`, `parent` or `ancestor`; any, if absent.
    #[serde(default = "anything")]
    part: String,
    /// The manifest; any, if absent. For what only a manifest can tell.
    #[serde(default = "anything")]
    manifest: String,
    /// The type of a condition, or another fact.
    what: String,
    ours: String,
    theirs: String,
    /// Who says what the specification says.
    specification: Specification,
    /// The reason, in one sentence.
    pub(super) because: String,
}

/// The side that the specification agrees with.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Specification {
    /// It says what we say.
    Ours,
    /// It says what Envoy Gateway says.
    Theirs,
    /// It leaves this to the implementation, or to what the implementation supports.
    Open,
}

fn anything() -> String {
    "*".to_owned()
}

impl Explanation {
    pub(super) fn explains(&self, difference: &Difference) -> bool {
        let kind = difference.object.split('/').next().unwrap_or_default();
        [
            (&self.kind, kind),
            (&self.part, difference.place.part),
            (&self.manifest, &difference.manifest),
            (&self.what, &difference.what),
            (&self.ours, &difference.ours),
            (&self.theirs, &difference.theirs),
        ]
        .into_iter()
        .all(|(pattern, text)| pattern.split('|').any(|pattern| is_like(pattern, text)))
    }
}

/// Reads the file.
pub(super) fn read() -> Result<Vec<Explanation>> {
    let text = include_str!("../../../envoy/differences.yaml");
    serde_saphyr::from_str(text).context("xtask/envoy/differences.yaml")
}

fn is_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| is_like(tail, rest)))
        }),
    }
}

/// An explanation with what it explained.
pub(super) struct Told<'a> {
    pub(super) known: &'a Explanation,
    pub(super) found: &'a [Difference],
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.known.specification {
            Specification::Ours => "ours",
            Specification::Theirs => "theirs",
            Specification::Open => "open",
        };
        write!(f, "{:4}  {side:6}  {}", self.found.len(), self.known.because)?;
        match self.found.first() {
            Some(first) => write!(f, "\n              {first}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_alternatives_and_stars() {
        assert!(is_like("True *", "True Accepted") && !is_like("True *", "False Invalid"));
        assert!(is_like("*Route", "HTTPRoute") && is_like("*", "") && !is_like("", "a"));
    }

    #[test]
    fn every_explanation_of_the_file_is_a_sentence() {
        for known in read().unwrap() {
            assert!(known.because.ends_with('.'), "{}", known.because);
        }
    }
}
