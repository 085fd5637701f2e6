//! Findings as a report of tests: every finding is a case, and the milder ones pass.

use std::fmt::Write as _;

use crate::{
    lint::{args::LintArgs, session::Report},
    xml,
};

/// More of a text helps nobody.
const MOST_CHARS: usize = 4 * 1024;

pub(super) fn text(report: &Report, args: &LintArgs) -> String {
    let told: Vec<_> = report.told.iter().filter(|told| told.finding.severity >= args.severity).collect();
    let failures = told.iter().filter(|told| told.finding.severity >= args.fail_on).count();
    let problems = report.problems.len();
    // A report without a case is taken for one that was not made.
    let clean = usize::from(told.is_empty() && problems == 0);
    let counts =
        format!("tests=\"{}\" failures=\"{failures}\" errors=\"{problems}\"", told.len() + problems + clean);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"allready\" {counts}>\n  <testsuite name=\"allready lint\" {counts}>\n"
    );
    for told in told {
        let finding = &told.finding;
        let _ = write!(
            text,
            "    <testcase classname=\"{}\" name=\"{} {}\"",
            escape(&finding.object.to_string()),
            finding.rule.id,
            escape(&finding.place.to_string())
        );
        if let Some(origin) = &told.origin {
            let _ = write!(text, " file=\"{}\"", escape(&origin.file));
            if let Some(line) = origin.line {
                let _ = write!(text, " line=\"{line}\"");
            }
        }
        let (message, fix) = (escape(&finding.message), escape(&finding.fix));
        let _ = if finding.severity >= args.fail_on {
            writeln!(
                text,
                "><failure type=\"{}\" message=\"{message}\">{fix}</failure></testcase>",
                finding.severity
            )
        } else {
            writeln!(text, "><system-out>{}: {message}</system-out></testcase>", finding.severity)
        };
    }
    for problem in &report.problems {
        let problem = escape(problem);
        let _ = writeln!(
            text,
            "    <testcase classname=\"allready lint\" name=\"looking at everything\"><error message=\"{problem}\"/></testcase>"
        );
    }
    if clean == 1 {
        let _ =
            writeln!(text, "    <testcase classname=\"allready lint\" name=\"{} objects\"/>", report.objects);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn escape(text: &str) -> String {
    xml::escape(text, MOST_CHARS)
}
