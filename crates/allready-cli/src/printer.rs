//! Everything the command line prints goes through here: colours that pipes and `NO_COLOR` take away, and foreign text
//! that cannot speak to the terminal.

use std::{
    fmt::Write as _,
    io::{ErrorKind, Write},
};

pub(crate) use allready_controller::program::text::{is_obeyed, tame};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// No news yet.
pub(crate) const UNKNOWN: Style = AnsiColor::Yellow.on_default();
/// What stands out.
pub(crate) const BOLD: Style = Style::new().bold();
/// What stands back.
pub(crate) const DIM: Style = Style::new().dimmed();

/// The two streams of a command.
pub(crate) struct Printer {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
}

impl Printer {
    /// The streams of this process.
    pub(crate) fn new() -> Self {
        // By itself anstream sends colours to any terminal of a build machine (`CI`), also to one that cannot show them.
        let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|force| force != "0");
        if is_dumb() && !is_forced {
            ColorChoice::Never.write_global();
        }
        Self {
            out: Box::new(AutoStream::new(std::io::stdout(), ColorChoice::Auto)),
            err: Box::new(AutoStream::new(std::io::stderr(), ColorChoice::Auto)),
        }
    }

    /// Writes text as it is. A reader that has gone away is no failure: it has read enough.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::output(format_args!("cannot write the output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Says what stopped the command.
    pub(crate) fn error(&mut self, message: &str) {
        self.error_text(&format!("{BAD}error:{BAD:#} {message}\n"));
    }

    /// Says what the reader should know, on the side.
    pub(crate) fn warning(&mut self, message: impl std::fmt::Display) {
        self.error_text(&format!("{UNKNOWN}warning:{UNKNOWN:#} {message}\n"));
    }

    /// Says what others have to say, on the side, but not for ever.
    pub(crate) fn warnings(&mut self, notes: &[String]) {
        const MAX_WARNINGS: usize = 20;
        for note in notes.iter().take(MAX_WARNINGS) {
            self.warning(tame(note));
        }
        if notes.len() > MAX_WARNINGS {
            self.warning(format_args!("and {} more like these", notes.len() - MAX_WARNINGS));
        }
    }

    /// Writes to the side; there is nobody to tell when that fails.
    pub(crate) fn error_text(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

/// Whether the terminal prints escape sequences instead of obeying them.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The same JSON, with what a terminal would obey written as an escape: it means the same to every reader of JSON.
pub(crate) fn tame_json(json: &str) -> String {
    let mut tame = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks outside of strings are layout; inside, JSON has escaped them already.
        if is_obeyed(c) && c != '\n' {
            // All of them are below U+10000, so that one escape is enough.
            let _ = write!(tame, "\\u{:04x}", u32::from(c));
        } else {
            tame.push(c);
        }
    }
    tame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tamed_json_means_the_same() {
        let text: String = (0..0x2100).filter_map(char::from_u32).collect();
        let json = tame_json(&serde_json::to_string_pretty(&[&text]).unwrap());
        assert!(!json.chars().any(|c| is_obeyed(c) && c != '\n'));
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
    }
}
