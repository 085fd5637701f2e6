//! Everything the command line prints goes through here: colours that pipes and `NO_COLOR` take away, and foreign text
//! that cannot speak to the terminal.

use std::{
    fmt::Write as _,
    io::{ErrorKind, IsTerminal as _, Write},
};

pub(crate) use allready_controller::program::text::{is_obeyed, tame};
use allready_inspect::health::Health;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::{
    failure::Failure,
    output::{Format, Look},
};

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

/// The most notes of a kind on standard error.
const MAX_NOTES: usize = 20;

/// The colour of a health.
pub(crate) fn health_style(health: Health) -> Style {
    match health {
        Health::Degraded | Health::Missing => BAD,
        Health::Unknown | Health::Progressing => UNKNOWN,
        Health::Suspended => DIM,
        Health::Healthy => GOOD,
    }
}

/// When to write colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // Without help of their own the values take one line of every help.
    #[default]
    Auto,
    Always,
    Never,
}

/// The two streams of a command.
pub(crate) struct Printer {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    /// The columns of the terminal; none in a pipe.
    width: Option<usize>,
}

impl Printer {
    /// The streams of this process.
    pub(crate) fn new(color: Color) -> Self {
        // By itself anstream sends colours to any terminal of a build machine (`CI`), also to one that cannot show them.
        let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|force| force != "0");
        match color {
            Color::Always => ColorChoice::Always.write_global(),
            Color::Never => ColorChoice::Never.write_global(),
            Color::Auto if is_dumb() && !is_forced => ColorChoice::Never.write_global(),
            Color::Auto => {}
        }
        Self {
            out: Box::new(AutoStream::new(std::io::stdout(), ColorChoice::Auto)),
            err: Box::new(AutoStream::new(std::io::stderr(), ColorChoice::Auto)),
            width: terminal_width(),
        }
    }

    /// Returns the room for text in this format.
    pub(crate) fn look(&self, format: Format) -> Look {
        Look { width: self.width, is_wide: format == Format::Wide }
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
        self.error_text(&format!("{BAD}error:{BAD:#} {}\n", tame_lines(message)));
    }

    /// Says what the reader should know, on the side.
    pub(crate) fn warning(&mut self, message: impl std::fmt::Display) {
        let message = tame_lines(&message.to_string());
        self.error_text(&format!("{UNKNOWN}warning:{UNKNOWN:#} {message}\n"));
    }

    /// Says what others have to say, on the side, but not for ever.
    pub(crate) fn warnings(&mut self, notes: &[String]) {
        for note in notes.iter().take(MAX_NOTES) {
            self.warning(tame(note));
        }
        if notes.len() > MAX_NOTES {
            self.warning(format_args!("and {} more like these", notes.len() - MAX_NOTES));
        }
    }

    /// Says what may be of interest, on the side, but not for ever.
    pub(crate) fn infos(&mut self, notes: &[String]) {
        for note in notes.iter().take(MAX_NOTES) {
            self.error_text(&format!("info: {}\n", tame(note)));
        }
        if notes.len() > MAX_NOTES {
            self.error_text(&format!("info: and {} more like these\n", notes.len() - MAX_NOTES));
        }
    }

    /// Writes to the side; there is nobody to tell when that fails.
    pub(crate) fn error_text(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

/// The columns of the terminal that standard output is, if it is one. Fewer than 40 are no use to anybody.
fn terminal_width() -> Option<usize> {
    let size = std::io::stdout().is_terminal().then(ratatui::crossterm::terminal::size);
    size.and_then(Result::ok).map(|(columns, _)| usize::from(columns).max(40))
}

/// Whether the terminal prints escape sequences instead of obeying them.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// A message of several lines, with what is foreign in it made harmless; harmless already, where whoever wrote it did so.
fn tame_lines(message: &str) -> String {
    message.split('\n').map(tame).collect::<Vec<_>>().join("\n")
}

/// The same JSON, with what a terminal would obey written as an escape: it means the same to every reader of JSON.
pub(crate) fn tame_json(json: &str) -> String {
    let mut tame = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks outside of strings are layout; inside, JSON has escaped them already.
        if is_obeyed(c) && c != '\n' {
            // Beyond U+FFFF JSON takes two of them.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(tame, "\\u{unit:04x}");
            }
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
        let text: String = (0..=0x10_ffff).filter_map(char::from_u32).collect();
        let json = tame_json(&serde_json::to_string_pretty(&[&text]).unwrap());
        assert!(!json.chars().any(|c| is_obeyed(c) && c != '\n'));
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
    }
}
