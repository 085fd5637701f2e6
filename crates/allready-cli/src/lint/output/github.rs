//! Findings as annotations of a GitHub workflow.

use std::fmt::Write as _;

use allready_core::lint::Severity;

use crate::{
    lint::{args::LintArgs, session::Report},
    printer::tame,
};

pub(super) fn text(report: &Report, args: &LintArgs) -> String {
    let mut text = String::new();
    for told in report.told.iter().filter(|told| told.finding.severity >= args.severity) {
        let finding = &told.finding;
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(origin) = &told.origin {
            properties.push(format!("file={}", property(&origin.file)));
            properties.extend(origin.line.map(|line| format!("line={line}")));
        }
        properties.push(format!("title={} {}", finding.rule.id, property(finding.rule.title)));
        let message =
            tame(&format!("{}, {}: {}", finding.object, finding.place, finding.message)).replace('%', "%25");
        let _ = writeln!(text, "::{command} {}::{message}", properties.join(","));
    }
    text
}

/// A value that cannot end the list of them.
pub(crate) fn property(text: &str) -> String {
    tame(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}
