//! The one place that writes to the terminal.

use std::io::Write;

/// A line of result, to standard output.
pub fn line(text: impl AsRef<str>) {
    // A reader that went away (`| head`) is no failure of the chore.
    let _ = writeln!(std::io::stdout().lock(), "{}", text.as_ref());
}

/// A line about the work itself, to standard error.
pub fn note(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr().lock(), "{}", text.as_ref());
}
