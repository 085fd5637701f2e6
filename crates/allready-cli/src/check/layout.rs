//! A table that fits where it is read: as wide as it likes in a pipe, and no wider than a terminal.

use std::fmt::Write as _;

use anstyle::Style;

use super::table::cut;
use allready_inspect::judge::Rule;

use crate::{
    printer::{BOLD, tame},
    table::{GAP, NOTHING},
};

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
    pub(super) rule: Rule,
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
        head.extend(["KIND/NAME", "SINCE", "REASON"]);
        if !is_below {
            head.push("WRITER");
            if self.is_wide {
                head.extend(["RULE", "FIELD", "LAG"]);
            }
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
            if is_below && let Some(row) = index.checked_sub(1).and_then(|row| rows.get(row)) {
                self.below(row, &mut text);
            }
        }
        text
    }

    /// What has no room beside the rest: the message and who wrote it, and for a wide table why it counts.
    fn below(self, row: &Row, text: &mut String) {
        let room = self.width.unwrap_or(usize::MAX).saturating_sub(5);
        let writer = match row.writer.as_str() {
            "" => String::new(),
            writer => cut(&format!("  (by {})", tame(writer)), room / 3),
        };
        if !row.message.is_empty() || !writer.is_empty() {
            let message = cut(&tame(&row.message), room.saturating_sub(writer.chars().count() + 1));
            let _ = writeln!(text, "    {}", format!("{message}{writer}").trim_start());
        }
        if self.is_wide {
            let mut facts = vec![format!("rule {}", row.rule)];
            facts.extend((!row.field.is_empty()).then(|| tame(&row.field)));
            facts.extend((!row.lag.is_empty()).then(|| format!("generations behind: {}", row.lag)));
            let _ = writeln!(text, "    {}", cut(&facts.join(", "), room.saturating_sub(1)));
        }
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
        let _ = writeln!(text, "{style}{first}{style:#}{rest}");
    }

    fn cells(self, row: &Row, is_below: bool) -> Vec<String> {
        let most = |share: usize| self.width.map_or(usize::MAX, |width| width * share / 100);
        let cell = |text: &str, share: usize| match tame(text) {
            text if text.is_empty() => NOTHING.to_owned(),
            text => cut(&text, most(share).saturating_sub(1)),
        };
        let mut cells = vec![row.health.text.clone()];
        let names = match (is_below, self.is_wide) {
            (true, _) if !self.has_namespaces => 45,
            (true, _) | (false, false) => 33,
            (false, true) => 25,
        };
        if self.has_namespaces {
            cells.push(cell(&row.namespace, 15));
        }
        cells.push(row.named(self.width.map(|width| width * names / 100)));
        cells.extend([cell(&row.since, 100), cell(&row.reason, 25)]);
        if !is_below {
            cells.push(cell(&row.writer, 15));
            if self.is_wide {
                cells.extend([cell(row.rule.id(), 100), cell(&row.field, 20), cell(&row.lag, 100)]);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::BAD;

    fn row(names: &[&str], count: u64) -> Row {
        Row {
            health: Cell { text: "Progressing".into(), style: BAD },
            namespace: "a-namespace-of-some-length".into(),
            kind: "CustomResourceDefinition".into(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            count,
            since: "179m".into(),
            reason: "MinimumReplicasUnavailable".into(),
            writer: "kube-controller-manager".into(),
            rule: Rule::ConditionGood,
            field: "status.listeners[https].conditions[Programmed]".into(),
            lag: "2".into(),
            message: "the quick brown fox \u{1b}[31m jumps over the lazy dog ".repeat(20),
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_the_message_has_a_line_where_it_needs_one() {
        let long = "certificates.a-very-long-group-name.example.com-with-a-hash-7d4f9c";
        let rows = [row(&["a", "b", "c", "d"], 312), row(&[long], 1), row(&[long, "other"], 2)];
        for width in [60, 80, 100, 120, 139, 140, 200] {
            for (is_wide, has_namespaces) in [(false, false), (false, true), (true, true)] {
                let layout = Layout { width: Some(width), is_wide, has_namespaces };
                let text = plain(&layout.text(&rows));
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest <= Some(width), "{widest:?} of {width}:\n{text}");
                let lines = match (width < WIDE_ENOUGH, is_wide) {
                    (true, true) => 10,
                    (true, false) => 7,
                    (false, _) => 4,
                };
                assert_eq!(text.lines().count(), lines, "{text}");
                assert!(text.contains("kube-contr") || text.contains("(by kube"), "{text}");
                assert!(!text.contains('\u{1b}'), "{text}");
            }
        }
        let narrow = plain(&Layout { width: Some(80), is_wide: false, has_namespaces: false }.text(&rows));
        assert!(narrow.contains("CustomResourceDefinition/a, b (+310)"), "{narrow}");
    }

    #[test]
    fn in_a_pipe_a_name_and_a_message_are_whole() {
        let long = "x".repeat(200);
        let text =
            Layout { width: None, is_wide: false, has_namespaces: true }.text(&[row(&[&long, "b"], 9)]);
        let text = plain(&text);
        assert!(text.contains(&format!("CustomResourceDefinition/{long} (+8)   ")), "{text}");
        assert_eq!(text.matches("lazy dog").count(), 20);
        assert_eq!(text.lines().count(), 2);
    }
}
