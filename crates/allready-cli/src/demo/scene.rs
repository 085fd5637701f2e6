//! A scene as text: a heading, what happens, the conditions as a table, the events.

use std::fmt::Write as _;

use allready_core::{
    Condition, ConditionSet, ConditionType, Standing, Time,
    set::Finished,
    transition::{self, EventSeverity, Style as NoteStyle, Verbosity},
};

use crate::printer::{BAD, BOLD, DIM, GOOD, UNKNOWN};

/// A scene in the making.
pub(super) struct Scene(String);

impl Scene {
    pub(super) fn new(title: &str) -> Self {
        Self(format!("\n{BOLD}{title}{BOLD:#}\n"))
    }

    pub(super) fn says(mut self, text: &str) -> Self {
        let _ = writeln!(self.0, "{text}");
        self
    }

    /// The conditions as `kubectl` would show them, the top one first.
    pub(super) fn shows(mut self, set: &ConditionSet, conditions: &[Condition], now: Time) -> Self {
        let _ = writeln!(
            self.0,
            "\n  {DIM}{:<18} {:<8} {:<28} {:<5} MESSAGE{DIM:#}",
            "CONDITION", "STATUS", "REASON", "AGE"
        );
        for condition in conditions {
            let style = match set.polarity(condition.type_.as_str()).standing(condition.status) {
                Standing::Good => GOOD,
                Standing::Unknown => UNKNOWN,
                Standing::Bad => BAD,
            };
            let age = format!("{}s", now.since(condition.last_transition_time).as_secs());
            let row = format!(
                "  {:<18} {style}{:<8}{style:#} {:<28} {age:<5} {}",
                condition.type_, condition.status, condition.reason, condition.message
            );
            let _ = writeln!(self.0, "{}", row.trim_end());
        }
        self
    }

    /// The events that a recorder would send after the write.
    pub(super) fn records(mut self, set: &ConditionSet, finished: &Finished) -> Self {
        let polarity = |type_: &ConditionType| set.polarity(type_.as_str());
        let notes = transition::notes(
            &finished.transitions,
            Verbosity::PerNewStatus,
            &NoteStyle::ByPolarity(&polarity),
        );
        for note in notes {
            let style = if note.severity == EventSeverity::Warning { BAD } else { DIM };
            let _ = writeln!(self.0, "  {style}event {}: {}{style:#}", note.severity.as_str(), note.note);
        }
        if !finished.changed {
            let _ = writeln!(self.0, "  {DIM}nothing changed: nothing is written, no event is sent{DIM:#}");
        }
        self
    }

    pub(super) fn done(self) -> String {
        self.0
    }
}
