//! Objects as controllers wrote them, where the corpus of them is there: how useful an export is, rather than how careful.

use std::collections::BTreeMap;
use std::path::Path;

use allready_inspect::registry::Registry;
use allready_inspect::registry::export::Wanted;
use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{Question, question, tallies};

/// The objects of each kind that can be told to a peer; nothing where there is no corpus.
pub(super) fn questions(registry: &Registry) -> Result<Option<Vec<(Wanted, Question)>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/health/dev.jsonl");
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut kinds: BTreeMap<Wanted, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let mut entry: Value = serde_json::from_str(line)?;
        let object = entry["object"].take();
        let [version, kind] = ["apiVersion", "kind"].map(|key| object[key].as_str().unwrap_or_default());
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let wanted =
            Wanted { group: group.to_owned(), version: Some(version.to_owned()), kind: kind.to_owned() };
        kinds.entry(wanted).or_default().push(object);
    }
    // Why a kind cannot be told is said for all that are declared.
    let mut unheard = tallies();
    let asked = kinds.into_iter().map(|(wanted, objects)| {
        let question = Question { objects, ..question(registry, &wanted, &mut unheard) };
        (wanted, question)
    });
    Ok(Some(asked.filter(|(_, question)| question.has_rules()).collect()))
}
