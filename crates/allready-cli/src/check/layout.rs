//! A table that fits where it is read: as wide as it likes in a pipe, and no wider than a terminal.

use anstyle::Style;

use super::table::cut;
use crate::printer::{BOLD, tame};

/// What stands where there is nothing.
const NOTHING: &str = "-";
/// The space between two columns.
const GAP: usize = 2;
/// How wide the names of a row may be where there is no terminal.
const NAMES_IN_A_PIPE: usize = 60;
/// From this width on, a message has room beside the rest.
const WIDE_ENOUGH: usize = 140;

/// A text in a colour, which is an addition: without it nothing is lost.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) style: Style,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) health: Cell,
    pub(super) namespace: String,
    pub(super) kind: String,
    pub(super) names: Vec<String>,
    pub(super) count: u64,
    pub(super) since: String,
    pub(super) reason: String,
    pub(super) writer: String,
    pub(super) rule: &'static str,
    pub(super) field: String,
    pub(super) lag: String,
    pub(super) message: String,
}

/// How the table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The width of the terminal; none where it is not shown on one.
    pub(super) width: Option<usize>,
    /// With the rule, the field and the generation lag.
    pub(super) is_wide: bool,
    pub(super) has_namespaces: bool,
}

impl Layout {
    /// The table.
    pub(super) fn text(self, rows: &[Row]) -> String {
        let is_below = self.width.is_some_and(|width| width < WIDE_ENOUGH);
        let mut head = vec!["HEALTH"];
        if self.has_namespaces {
            head.push("NAMESPACE");
        }
        head.extend(["KIND/NAME", "SINCE", "REASON", "WRITER"]);
        if self.is_wide {
            head.extend(["RULE", "FIELD", "LAG"]);
        }
        if !is_below {
            head.push("MESSAGE");
        }
        let mut lines = vec![head.into_iter().map(str::to_owned).collect()];
        lines.extend(rows.iter().map(|row| self.cells(row, is_below)));
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            lines
                .iter()
                .map(|line| line.get(column).map_or(0, |cell| cell.chars().count()))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            let style =
                index.checked_sub(1).and_then(|row| rows.get(row)).map_or(BOLD, |row| row.health.style);
            self.line(line, &widths, index == 0, style, &mut text);
            if is_below
                && let Some(row) = index.checked_sub(1).and_then(|row| rows.get(row))
                && !row.message.is_empty()
            {
                let room = self.width.unwrap_or(usize::MAX).saturating_sub(4).max(20);
                text.push_str("    ");
                text.push_str(&cut(&tame(&row.message), room.saturating_sub(1)));
                text.push('\n');
            }
        }
        text
    }

    fn line(self, cells: &[String], widths: &[usize], is_head: bool, style: Style, text: &mut String) {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + GAP - cell.chars().count()));
        }
        let line = line.trim_end();
        let line = match self.width {
            Some(width) => cut(line, width.saturating_sub(1)),
            None => line.to_owned(),
        };
        // Only the first word is coloured, or all of the head.
        let split = if is_head { line.len() } else { line.find(' ').unwrap_or(line.len()) };
        let (first, rest) = line.split_at(split);
        text.push_str(&format!("{style}{first}{style:#}{rest}\n"));
    }

    fn cells(self, row: &Row, is_below: bool) -> Vec<String> {
        let most = |share: usize| self.width.map_or(usize::MAX, |width| width * share / 100);
        let cell = |text: &str, share: usize| match tame(text) {
            text if text.is_empty() => NOTHING.to_owned(),
            text => cut(&text, most(share).saturating_sub(1)),
        };
        let mut cells = vec![row.health.text.clone()];
        let names = match (self.is_wide, self.has_namespaces) {
            (false, false) => 45,
            (true, true) => 25,
            _ => 33,
        };
        if self.has_namespaces {
            cells.push(cell(&row.namespace, 15));
        }
        cells.push(row.named(self.width.map(|width| width * names / 100)));
        cells.extend([cell(&row.since, 100), cell(&row.reason, 22), cell(&row.writer, 20)]);
        if self.is_wide {
            cells.extend([cell(row.rule, 100), cell(&row.field, 25), cell(&row.lag, 100)]);
        }
        if !is_below {
            cells.push(cell(&row.message, 100));
        }
        cells
    }
}

impl Row {
    /// The kind and as many names as there is room for, and how many more there are. Where the room is not that of a terminal,
    /// one name is there in full.
    fn named(&self, room: Option<usize>) -> String {
        let slash = if self.kind.is_empty() { "" } else { "/" };
        let with = |count: usize| {
            let names: Vec<String> = self.names.iter().take(count).map(|name| tame(name)).collect();
            let more = self.count - names.len() as u64;
            let more = if more > 0 { format!(" (+{more})") } else { String::new() };
            (format!("{}{slash}{}", tame(&self.kind), names.join(", ")), more)
        };
        let fits = |(names, more): &(String, String)| {
            names.chars().count() + more.chars().count() <= room.unwrap_or(NAMES_IN_A_PIPE)
        };
        let most = (1..=self.names.len().min(3)).rev().map(with).find(fits);
        let (names, more) = most.unwrap_or_else(|| {
            let (names, more) = with(1);
            let most = room.map_or(usize::MAX, |room| room.saturating_sub(more.chars().count() + 1));
            (cut(&names, most), more)
        });
        names + &more
    }
}
