//! What ends a command early, and the exit code that says so: 64 and above, as in `sysexits.h`.

use std::{fmt::Display, process::ExitCode};

use crate::printer::Printer;

/// A command that could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Failure {
    /// The arguments contradict each other.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { code: 64, message: message.to_string() }
    }

    /// The input cannot be understood.
    pub(crate) fn data(message: impl Display) -> Self {
        Self { code: 65, message: message.to_string() }
    }

    /// The input cannot be read.
    pub(crate) fn no_input(message: impl Display) -> Self {
        Self { code: 66, message: message.to_string() }
    }

    /// The system does not give what is needed, such as an address.
    pub(crate) fn unavailable(message: impl Display) -> Self {
        Self { code: 69, message: message.to_string() }
    }

    /// The output cannot be written.
    pub(crate) fn output(message: impl Display) -> Self {
        Self { code: 74, message: message.to_string() }
    }

    /// Somebody has to give a permission first.
    pub(crate) fn permission(message: impl Display) -> Self {
        Self { code: 77, message: message.to_string() }
    }

    /// Whether the system does not give what is needed, which may change.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.code == 69
    }

    /// Prints what clap has to say: help and version are no failure, a wrong call is one.
    pub(crate) fn from_clap(error: &clap::Error, printer: &mut Printer) -> Result<ExitCode, Self> {
        let text = error.render().ansi().to_string();
        if error.use_stderr() {
            printer.error_text(&text);
            return Ok(ExitCode::from(64));
        }
        printer.text(&text)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Says what went wrong, and with which exit code to end.
    pub(crate) fn report(&self, printer: &mut Printer) -> ExitCode {
        printer.error(&self.message);
        ExitCode::from(self.code)
    }
}
