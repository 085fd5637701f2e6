//! What is said while waiting.

use std::{io::IsTerminal as _, time::Duration};

use allready_core::Time;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{gather::Awaited, tracked::State};
use crate::printer::{Printer, is_dumb, tame};

/// So many objects have a line of their own in a terminal.
const LINES: usize = 10;
/// So many changes are told one by one where it is no terminal: a log is not for ever, and an object may flap for hours.
const MOST_LINES: usize = 200;

/// What is said while waiting, and how.
pub(super) enum Progress {
    /// Nothing.
    Quiet,
    /// A line for each change.
    Lines(Lines),
    /// What is waited for now, in a terminal.
    Live(Box<Live>),
}

pub(super) struct Lines {
    /// What was said last of each object.
    said: Vec<String>,
    /// How many lines were said.
    count: usize,
}

pub(super) struct Live {
    bars: MultiProgress,
    head: ProgressBar,
    lines: Vec<ProgressBar>,
}

impl Progress {
    pub(super) fn new(is_quiet: bool, objects: &[Awaited]) -> Self {
        if is_quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() || is_dumb() {
            return Self::Lines(Lines { said: vec![String::new(); objects.len()], count: 0 });
        }
        let bars = MultiProgress::new();
        let head = bars.add(ProgressBar::new_spinner());
        head.enable_steady_tick(Duration::from_millis(120));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            head.set_style(style);
        }
        Self::Live(Box::new(Live { bars, head, lines: Vec::new() }))
    }

    /// Shows how things stand; each change once where it is no terminal.
    pub(super) fn show(&mut self, objects: &[Awaited], now: Time, printer: &mut Printer) {
        match self {
            Self::Quiet => {}
            Self::Lines(lines) => lines.show(objects, printer),
            Self::Live(live) => live.show(objects, now),
        }
    }

    /// Says something that is not about one object.
    pub(super) fn note(&self, note: &str, printer: &mut Printer) {
        match self {
            Self::Quiet => {}
            Self::Lines(_) => printer.warning(tame(note)),
            Self::Live(live) => {
                let _ = live.bars.println(format!("warning: {}", tame(note)));
            }
        }
    }

    /// Leaves the terminal as it was.
    pub(super) fn end(self) {
        if let Self::Live(live) = self {
            let _ = live.bars.clear();
        }
    }
}

impl Lines {
    fn show(&mut self, objects: &[Awaited], printer: &mut Printer) {
        for (object, said) in objects.iter().zip(&mut self.said) {
            if self.count > MOST_LINES {
                return;
            }
            // Without ages, which change without anything having happened.
            let line = line(object, Time::EPOCH);
            if object.tracked.state == State::Unseen || line == *said {
                continue;
            }
            self.count += 1;
            if self.count > MOST_LINES {
                printer.warning("more changes are not told one by one; how things stand is told at the end");
                return;
            }
            printer.error_text(&format!("{line}\n"));
            *said = line;
        }
    }
}

impl Live {
    fn show(&mut self, objects: &[Awaited], now: Time) {
        let waiting: Vec<&Awaited> =
            objects.iter().filter(|object| object.tracked.state != State::Met).collect();
        let (met, all) = (objects.len() - waiting.len(), objects.len());
        let more = waiting.len().saturating_sub(LINES);
        let more = if more > 0 { format!("; {more} more are not shown") } else { String::new() };
        self.head.set_message(format!("{met} of {all} as wished{more}"));
        let shown = waiting.len().min(LINES);
        while self.lines.len() < shown {
            let line = self.bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {wide_msg}") {
                line.set_style(style);
            }
            self.lines.push(line);
        }
        for line in self.lines.drain(shown..) {
            self.bars.remove(&line);
        }
        for (bar, object) in self.lines.iter().zip(&waiting) {
            // What is waited for is all that is shown: the word for it would only take room.
            bar.set_message(format!("{}: {}", object.label(), tame(&object.tracked.describe(now))));
        }
    }
}

/// How an object stands, on one line.
pub(super) fn line(object: &Awaited, now: Time) -> String {
    let word = match object.tracked.state {
        State::Unseen | State::Waiting => "waiting",
        State::Met => "met",
        State::Failed => "failed",
        State::Absent => "absent",
        State::Deleted => "deleted",
    };
    format!("{}: {word}: {}", object.label(), tame(&object.tracked.describe(now)))
}
