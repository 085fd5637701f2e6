//! Failures that end a command, and their exit codes: 64 and above, as in `sysexits.h`.

use std::fmt::Display;

/// A command that could not do its work.
#[derive(Debug)]
pub struct Failure {
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
    pub fn usage(message: impl Display) -> Self {
        Self { code: 64, message: message.to_string() }
    }

    /// The input cannot be understood.
    pub fn data(message: impl Display) -> Self {
        Self { code: 65, message: message.to_string() }
    }

    /// The input cannot be read.
    pub fn no_input(message: impl Display) -> Self {
        Self { code: 66, message: message.to_string() }
    }

    /// The system does not give what is needed, such as an address.
    pub fn unavailable(message: impl Display) -> Self {
        Self { code: 69, message: message.to_string() }
    }

    /// The output cannot be written.
    pub fn output(message: impl Display) -> Self {
        Self { code: 74, message: message.to_string() }
    }

    /// Somebody has to give a permission first.
    pub fn permission(message: impl Display) -> Self {
        Self { code: 77, message: message.to_string() }
    }

    /// Returns true if the system does not give what is needed, which may change.
    pub fn is_unavailable(&self) -> bool {
        self.code == 69
    }

    /// The exit code that says so.
    pub fn code(&self) -> u8 {
        self.code
    }
}
