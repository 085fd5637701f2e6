//! Verdicts as metrics, in the text format.

use std::fmt::Write as _;

use allready_inspect::health::Health;

use super::{judgement::Judgement, tally::Tally};
use crate::printer::tame;

/// More series than that no server should be given by one command.
pub(super) const MAX_SERIES: u64 = 50_000;
/// The longest name in a cluster is a quarter of it.
const MAX_LABEL: usize = 1024;

/// What stands before the samples of objects.
pub(super) const HEAD: &str = "\
# HELP allready_object_health What an object came to: 1 for the word that it came to.
# TYPE allready_object_health gauge
";

/// One object.
pub(super) fn sample(judgement: &Judgement) -> String {
    let labels = [
        ("group", judgement.group()),
        ("kind", &judgement.kind),
        ("namespace", &judgement.namespace),
        ("name", judgement.called()),
        ("health", judgement.health().as_str()),
    ];
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", label(value))).collect();
    format!("allready_object_health{{{}}} 1", labels.join(","))
}

/// The totals.
pub(super) fn foot(tally: &Tally, not_shown: u64) -> String {
    let mut text =
        "# HELP allready_objects How many objects came to what.\n# TYPE allready_objects gauge\n".to_owned();
    for health in Health::WORST_FIRST {
        let _ = writeln!(text, "allready_objects{{health=\"{}\"}} {}", health.as_str(), tally.of(health));
    }
    let mut one = |name: &str, help: &str, value: u64| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
    };
    one("allready_objects_unreadable", "How many objects could not be read.", tally.unreadable);
    one("allready_kinds_unlisted", "How many kinds could not be listed.", tally.unlisted);
    one(
        "allready_objects_not_shown",
        "How many objects have no series of their own for want of room.",
        not_shown,
    );
    text
}

fn label(text: &str) -> String {
    let cut: String = text.chars().take(MAX_LABEL).collect();
    tame(&cut).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stays_within_its_quotes() {
        assert_eq!(label("a\"b\\c\nd\u{1b}"), r#"a\"b\\c\\nd\\u{1b}"#);
        assert_eq!(label(&"é".repeat(5000)).chars().count(), MAX_LABEL);
    }
}
