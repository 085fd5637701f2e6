//! Annotations of a GitHub workflow.

use allready_inspect::lint::Severity;

use super::Finding;
use crate::printer::tame;

/// An annotation for each problem.
pub(crate) fn text(items: &[Finding<'_>]) -> String {
    items.iter().map(|item| annotation(item) + "\n").collect()
}

pub(crate) fn annotation(item: &Finding<'_>) -> String {
    let command = match item.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let mut properties = Vec::new();
    if let Some((file, line)) = item.origin.and_then(|origin| Some((origin.path()?, origin.line))) {
        properties.push(format!("file={},line={line}", property(file)));
    }
    properties.push(format!("title={}", property(&item.title)));
    format!("::{command} {}::{}", properties.join(","), tame(&item.message).replace('%', "%25"))
}

/// A value that cannot end the list of them.
fn property(text: &str) -> String {
    tame(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}
