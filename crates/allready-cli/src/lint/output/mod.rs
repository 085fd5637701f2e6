//! How findings are told.

mod ci;
mod json;
mod text;

use super::{
    args::{LintArgs, LintOutput},
    session::Report,
};
use crate::{failure::Failure, printer::Printer};

pub(super) use text::one as one_line;

/// Prints what was found, in the form that is wanted; what should be known besides goes to the side.
pub(super) fn print(report: &Report, args: &LintArgs, printer: &mut Printer) -> Result<(), Failure> {
    match args.output {
        None => text::print(report, args, printer)?,
        Some(LintOutput::Json) => printer.text(&json::text(report, args)?)?,
        Some(LintOutput::Sarif) => printer.text(&ci::sarif(report, args)?)?,
        Some(LintOutput::Junit) => printer.text(&ci::junit(report, args))?,
        Some(LintOutput::Github) => printer.text(&ci::github(report, args))?,
    }
    let missing = report.total().saturating_sub(report.told.len());
    if missing > 0 {
        printer.warning(format_args!(
            "{missing} more findings are counted and not shown: look at fewer objects at once"
        ));
    }
    printer.warnings(&report.problems);
    for notice in report.notices.iter().take(20) {
        printer.error_text(&format!("info: {}\n", crate::printer::tame(notice)));
    }
    if report.notices.len() > 20 {
        printer.error_text(&format!("info: and {} more like these\n", report.notices.len() - 20));
    }
    Ok(())
}
