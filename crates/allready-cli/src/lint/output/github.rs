//! Findings as annotations of a GitHub workflow.

use allready_inspect::lint::Severity;

use crate::{
    lint::{args::LintArgs, session::Report},
    objects::lines::Origin,
    printer::tame,
};

pub(super) fn text(report: &Report, args: &LintArgs) -> String {
    let mut text = String::new();
    for told in report.told.iter().filter(|told| told.finding.severity >= args.severity) {
        let finding = &told.finding;
        let title = format!("{} {}", finding.rule.id, finding.rule.title);
        let message = format!("{}, {}: {}", finding.object, finding.place, finding.message);
        text.push_str(&annotation(finding.severity, told.origin.as_ref(), &title, &message));
    }
    text
}

/// One annotation.
pub(crate) fn annotation(severity: Severity, origin: Option<&Origin>, title: &str, message: &str) -> String {
    let command = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let mut properties = Vec::new();
    if let Some(origin) = origin {
        properties.push(format!("file={}", property(&origin.file)));
        properties.extend(origin.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", property(title)));
    format!("::{command} {}::{}\n", properties.join(","), tame(message).replace('%', "%25"))
}

/// A value that cannot end the list of them.
fn property(text: &str) -> String {
    tame(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}
