//! What is said while waiting.

use std::{io::IsTerminal as _, time::Duration};

use allready_core::Time;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{gather::Awaited, tracked::State};
use crate::printer::{Printer, is_dumb, tame};

/// The most objects that have a line of their own.
const LINES: usize = 10;
/// The most lines of a log that follow each other as fast as the changes do: an object may flap for hours.
const MOST_LINES: usize = 200;
/// The time between two lines of a log from then on.
const PAUSE: i64 = 60;

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
    /// The last line about each object; the first is the summary where there are many.
    said: Vec<String>,
    /// The number of lines so far.
    count: usize,
    /// The time of the last line.
    last: Option<Time>,
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
            return Self::Lines(Lines { said: vec![String::new(); objects.len()], count: 0, last: None });
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
            Self::Lines(lines) => {
                for line in lines.next(objects, now) {
                    printer.error_text(&format!("{line}\n"));
                }
            }
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
    /// The lines for what has changed: one for each object, or a summary of many.
    fn next(&mut self, objects: &[Awaited], now: Time) -> Vec<String> {
        let is_early = |last: Time| now.since(last).as_secs() < PAUSE;
        if self.count >= MOST_LINES && self.last.is_some_and(is_early) {
            return Vec::new();
        }
        // Without ages, which change without anything having happened.
        let lines: Vec<String> = if objects.len() > LINES {
            vec![summary(objects)]
        } else {
            let seen = |object: &Awaited| object.tracked.state != State::Unseen;
            objects
                .iter()
                .map(|object| if seen(object) { line(object, Time::EPOCH) } else { String::new() })
                .collect()
        };
        let mut changed = Vec::new();
        for (line, said) in lines.into_iter().zip(&mut self.said) {
            if !line.is_empty() && line != *said {
                said.clone_from(&line);
                changed.push(line);
            }
        }
        if !changed.is_empty() {
            self.last = Some(now);
        }
        self.count += changed.len();
        changed
    }
}

impl Live {
    fn show(&mut self, objects: &[Awaited], now: Time) {
        let waiting: Vec<&Awaited> =
            objects.iter().filter(|object| object.tracked.state != State::Met).collect();
        let (met, all) = (objects.len() - waiting.len(), objects.len());
        let more = waiting.len().saturating_sub(LINES);
        let more = if more > 0 { format!("; {more} more objects not shown") } else { String::new() };
        self.head.set_message(format!("{met} of {all} objects met{more}"));
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

/// Many objects on one line: the number of those that are as awaited, and the first that is not.
fn summary(objects: &[Awaited]) -> String {
    let of = |state: &State| objects.iter().filter(|object| object.tracked.state == *state).count();
    let head = format!("{} of {} objects met", of(&State::Met), objects.len());
    let waiting = of(&State::Waiting);
    let Some(first) = objects.iter().find(|object| object.tracked.state == State::Waiting) else {
        return head;
    };
    let more = if waiting > 1 { format!("; and {} more", waiting - 1) } else { String::new() };
    format!("{head}, waiting for {}: {}{more}", first.label(), tame(&first.tracked.describe(Time::EPOCH)))
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
