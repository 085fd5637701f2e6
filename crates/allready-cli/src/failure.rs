//! Failures on their way to the terminal.

use std::process::ExitCode;

pub(crate) use allready_controller::program::Failure;

use crate::printer::Printer;

/// Prints what clap has to say: help and version are no failure, a wrong call is one.
pub(crate) fn from_clap(error: &clap::Error, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        printer.error_text(&text);
        return Ok(ExitCode::from(64));
    }
    printer.text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Says what went wrong, and with which exit code to end.
pub(crate) fn report(failure: &Failure, printer: &mut Printer) -> ExitCode {
    printer.error(&failure.to_string());
    ExitCode::from(failure.code())
}
