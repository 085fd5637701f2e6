//! Differences that are known and explained. One that no longer occurs is as much an error as a new one.

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::compare::Difference;

/// One explained difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The script it shows in.
    pub script: String,
    /// The step it shows in.
    pub step: String,
    /// The pointer under which it shows; an empty one covers the whole answer.
    #[serde(default)]
    pub at: String,
    /// Of sequences: a text that one of the two answers has where they differ, anywhere in the step.
    #[serde(default)]
    pub says: String,
    /// Why it is so.
    pub reason: String,
}

impl Known {
    fn covers(&self, difference: &Difference) -> bool {
        self.script == difference.script && self.step == difference.step && self.is_at(difference)
    }

    fn is_at(&self, difference: &Difference) -> bool {
        difference.at.strip_prefix(&self.at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn is_said_by(&self, difference: &Difference) -> bool {
        difference.lines().iter().any(|line| line.contains(&self.says))
    }
}

/// The script of known differences of random sequences; their step is the plural of the kind that the sequence is about.
const SEQUENCES: &str = "sequence";

/// Leaves out what is known of sequences about a kind.
pub fn of_sequence(known: &[Known], plural: &str, differences: &[Difference]) -> Vec<Difference> {
    let entries: Vec<&Known> =
        known.iter().filter(|entry| entry.script == SEQUENCES && entry.step == plural).collect();
    let is_known = |difference: &Difference| {
        let beside = |entry: &Known| {
            let mut step = differences.iter().filter(|other| other.step == difference.step);
            step.any(|other| entry.is_said_by(other))
        };
        entries.iter().any(|entry| entry.is_at(difference) && beside(entry))
    };
    let unknown = differences.iter().filter(|difference| !is_known(difference));
    unknown.cloned().collect()
}

/// Reads the list.
pub fn parse(text: &str) -> Result<Vec<Known>> {
    let known: Option<Vec<Known>> =
        serde_saphyr::from_str(text).context("known.yaml is no list of differences")?;
    let known = known.unwrap_or_default();
    for entry in &known {
        anyhow::ensure!(
            !entry.reason.trim().is_empty(),
            "a known difference of {:?} has no reason",
            entry.step
        );
    }
    Ok(known)
}

/// Splits differences into new ones, and the known entries that did not occur among `scripts`.
pub fn sift<'a>(
    known: &'a [Known],
    differences: Vec<Difference>,
    scripts: &[String],
) -> (Vec<Difference>, Vec<&'a Known>) {
    let stale = known
        .iter()
        .filter(|entry| {
            scripts.contains(&entry.script) && !differences.iter().any(|difference| entry.covers(difference))
        })
        .collect();
    let new = differences
        .into_iter()
        .filter(|difference| !known.iter().any(|entry| entry.covers(difference)))
        .collect();
    (new, stale)
}
