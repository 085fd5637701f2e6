//! Tables as kubectl prints them, fitted to the terminal by the rank of their columns.
//!
//! A table that is too wide gives up its columns from the lowest [`Rank`] to the highest: texts go to a line below the row,
//! with whatever else there is room for. A name is cut only when nothing else is left to give up. In a pipe nothing is cut.

use std::fmt::Write as _;

use anstyle::Style;

use super::{
    Look,
    text::{cut, width, wrap_at_most},
};
use crate::printer::{BOLD, tame};

/// Stands where there is nothing.
pub(crate) const NOTHING: &str = "<none>";
/// The space between two columns.
const GAP: usize = 3;
/// The space before what stands below a row.
const INDENT: usize = 4;
/// The lines of a text in a terminal; all of it is in the machine formats.
const MOST_LINES: usize = 2;
/// The room that a text needs beside other columns.
const LEAST_TEXT: usize = 30;
/// The room for several names of a row, where one name is not longer itself.
const NAMES: usize = 60;

/// The importance of a column: the last one goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Stays where it is: name, reason, health.
    Key,
    /// Goes to the line below: namespace, since.
    Fact,
    /// Text of any length, broken between words: a message.
    Text,
    /// Goes first: writer, rule, field.
    Minor,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    head: &'static str,
    rank: Rank,
}

impl Column {
    pub(crate) const fn key(head: &'static str) -> Self {
        Self { head, rank: Rank::Key }
    }

    pub(crate) const fn fact(head: &'static str) -> Self {
        Self { head, rank: Rank::Fact }
    }

    pub(crate) const fn text(head: &'static str) -> Self {
        Self { head, rank: Rank::Text }
    }

    pub(crate) const fn minor(head: &'static str) -> Self {
        Self { head, rank: Rank::Minor }
    }
}

/// A text in a colour, which is an addition: without it nothing is lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    /// The text, or what stands before all names.
    text: String,
    /// Some of `count` names, as many of which are shown as there is room for.
    names: Vec<String>,
    count: u64,
    style: Style,
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: tame(text.as_ref()), ..Self::default() }
    }
}

impl Cell {
    /// Some of `count` names, with a text before them.
    pub(crate) fn names(before: &str, names: &[String], count: u64) -> Self {
        Self { names: names.iter().map(|name| tame(name)).collect(), count, ..Self::from(before) }
    }

    pub(crate) fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.names.is_empty()
    }

    fn with_names(&self, number: usize) -> String {
        let names = self.names.get(..number).unwrap_or(&self.names);
        let more = match self.count.saturating_sub(names.len() as u64) {
            0 => String::new(),
            more => format!(" (+{more})"),
        };
        format!("{}{}{more}", self.text, names.join(", "))
    }

    /// The text in this room, whole if possible.
    fn fit(&self, room: usize) -> String {
        if self.is_empty() {
            return cut(NOTHING, room);
        }
        let several = (2..=self.names.len().min(3)).rev().map(|number| self.with_names(number));
        let mut several = several.filter(|text| width(text) <= room.min(NAMES));
        several.next().unwrap_or_else(|| {
            let (one, alone) = (self.with_names(1), self.text.as_str());
            match self.names.first() {
                // The number of the others is not cut.
                Some(name) if width(&one) > room => {
                    let name = format!("{alone}{name}");
                    let more = one.strip_prefix(&name).unwrap_or_default();
                    cut(&name, room.saturating_sub(width(more))) + more
                }
                _ => cut(&one, room),
            }
        })
    }

    /// The least room in which nothing of it is cut.
    fn least(&self) -> usize {
        if self.is_empty() { width(NOTHING) } else { width(&self.with_names(1)) }
    }
}

/// Columns with a head, and rows.
#[derive(Debug)]
pub(crate) struct Table {
    look: Look,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// The columns in line with their widths, and those below.
struct Layout {
    inline: Vec<(usize, usize)>,
    below: Vec<usize>,
}

impl Table {
    pub(crate) fn new(look: Look, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { look, columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row: as many cells as there are columns; those that are left out are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) {
        let mut row: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), Cell::default());
        self.rows.push(row);
    }

    /// Returns the lines of the table.
    pub(crate) fn text(&self) -> String {
        let layout = self.layout();
        let mut text = String::new();
        let head: Vec<Cell> =
            self.columns.iter().map(|column| Cell::from(column.head).styled(BOLD)).collect();
        for (index, row) in std::iter::once(&head).chain(&self.rows).enumerate() {
            self.line(row, &layout, &mut text);
            if index > 0 && !layout.below.is_empty() {
                self.below(row, &layout.below, &mut text);
            }
        }
        text
    }

    fn widest(&self, column: usize, of: impl Fn(&Cell) -> usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(of).max();
        cells.unwrap_or(0).max(width(self.columns[column].head))
    }

    fn layout(&self) -> Layout {
        let all = 0..self.columns.len();
        let full: Vec<usize> =
            all.clone().map(|column| self.widest(column, |cell| width(&cell.fit(usize::MAX)))).collect();
        let Some(room) = self.look.width else {
            return Layout { inline: all.zip(full).collect(), below: Vec::new() };
        };
        let need = |column: usize| match self.columns[column].rank {
            Rank::Text => full[column].min(LEAST_TEXT),
            _ => self.widest(column, Cell::least),
        };
        let need: Vec<usize> = all.clone().map(need).collect();
        let mut inline: Vec<usize> = all.collect();
        let total = |inline: &[usize]| {
            inline.iter().map(|&column| need[column] + GAP).sum::<usize>().saturating_sub(GAP)
        };
        let mut below = Vec::new();
        while total(&inline) > room {
            let rank = |&(_, &column): &(usize, &usize)| (self.columns[column].rank, column);
            let last = inline.iter().enumerate().max_by_key(rank);
            match last.filter(|&(_, &column)| self.columns[column].rank != Rank::Key) {
                Some((place, _)) => below.push(inline.remove(place)),
                None => break,
            }
        }
        below.sort_unstable();
        // Nobody needs a line of its own for what is of least importance.
        if !self.look.is_wide && !below.iter().any(|&column| self.columns[column].rank == Rank::Text) {
            below.retain(|&column| self.columns[column].rank != Rank::Minor);
        }
        // Cells are cut only if keys alone are too wide: the widest of them.
        let cap = (6..=room).rev().find(|&cap| {
            inline.iter().map(|&column| need[column].min(cap) + GAP).sum::<usize>() <= room + GAP
        });
        let mut widths: Vec<usize> =
            inline.iter().map(|&column| need[column].min(cap.unwrap_or(6))).collect();
        let mut left = (room + GAP).saturating_sub(widths.iter().map(|width| width + GAP).sum());
        let mut order: Vec<usize> = (0..inline.len()).collect();
        order.sort_by_key(|&place| self.columns[inline[place]].rank);
        for place in order {
            let more = full[inline[place]].saturating_sub(widths[place]).min(left);
            widths[place] += more;
            left -= more;
        }
        Layout { inline: inline.into_iter().zip(widths).collect(), below }
    }

    fn line(&self, row: &[Cell], layout: &Layout, text: &mut String) {
        let cells: Vec<Vec<String>> = layout
            .inline
            .iter()
            .map(|&(column, room)| match (self.columns[column].rank, self.look.width) {
                (Rank::Text, Some(_)) if !row[column].is_empty() => {
                    wrap_at_most(&row[column].text, room, MOST_LINES)
                }
                _ => vec![row[column].fit(room)],
            })
            .collect();
        for number in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            let mut gap = 0;
            for (lines, &(column, room)) in cells.iter().zip(&layout.inline) {
                let cell = lines.get(number).map_or("", String::as_str);
                if !cell.is_empty() {
                    let style = row[column].style;
                    let _ = write!(line, "{}{style}{cell}{style:#}", " ".repeat(gap));
                    gap = 0;
                }
                gap += (room + GAP).saturating_sub(width(cell));
            }
            let _ = writeln!(text, "{line}");
        }
    }

    /// Writes what has no room beside the rest. The least important goes without a word where it needs a line of its own.
    fn below(&self, row: &[Cell], columns: &[usize], text: &mut String) {
        let room = self.look.width.unwrap_or(usize::MAX).saturating_sub(INDENT);
        let rank = |column: usize| self.columns[column].rank;
        let is_there = |&&column: &&usize| !row[column].is_empty();
        let texts = columns.iter().filter(is_there).filter(|&&column| rank(column) == Rank::Text);
        let said: Vec<&str> = texts.map(|&column| row[column].text.as_str()).collect();
        let facts = |least: Rank| {
            let facts = columns.iter().filter(is_there).filter(|&&column| rank(column) != Rank::Text);
            let facts = facts.filter(|&&column| rank(column) <= least).map(|&column| {
                format!("{}: {}", self.columns[column].head.to_lowercase(), row[column].fit(usize::MAX))
            });
            facts.collect::<Vec<_>>().join(", ")
        };
        let mut lines = wrap_at_most(&said.join(" "), room, MOST_LINES);
        let (all, important) = (facts(Rank::Minor), facts(Rank::Fact));
        let fits = |facts: &str| lines.last().is_some_and(|line| width(line) + width(facts) + 4 <= room);
        let beside = [&all, &important].into_iter().find(|facts| !facts.is_empty() && fits(facts)).cloned();
        if let (Some(facts), Some(last)) = (beside, lines.last_mut()) {
            *last = format!("{last}  ({facts})");
        } else {
            let own = if self.look.is_wide || lines.is_empty() { &all } else { &important };
            lines.extend(wrap_at_most(own, room, MOST_LINES));
        }
        for line in lines {
            let _ = writeln!(text, "{}{line}", " ".repeat(INDENT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::BAD;

    const PIPE: Look = Look { width: None, is_wide: false };

    fn plain(table: &Table) -> String {
        anstream::adapter::strip_str(&table.text()).to_string()
    }

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_and_nothing_is_said_to_be_nothing() {
        let mut table = Table::new(PIPE, [Column::key("NAME"), Column::fact("AGE"), Column::text("MESSAGE")]);
        table.row(["cluster-1", "3s", ""]);
        table.row(["é", "120s", "a\u{1b}[2Jb\nc"]);
        table.row(["short"]);
        assert_eq!(
            plain(&table),
            "NAME        AGE      MESSAGE\n\
             cluster-1   3s       <none>\n\
             é           120s     a\\u{1b}[2Jb\\nc\n\
             short       <none>   <none>\n"
        );
    }

    fn check(look: Look, names: &[&str], count: u64) -> String {
        let columns = [
            Column::key("HEALTH"),
            Column::fact("NAMESPACE"),
            Column::key("KIND/NAME"),
            Column::fact("SINCE"),
            Column::key("REASON"),
            Column::minor("WRITER"),
            Column::text("MESSAGE"),
        ];
        let mut table = Table::new(look, columns);
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let message = "the quick brown fox \u{1b}[31m jumps over the lazy dog ".repeat(20);
        table.row([
            Cell::from("Progressing").styled(BAD),
            "shop".into(),
            Cell::names("Widget/", &names, count),
            "179m".into(),
            "MinimumReplicasUnavailable".into(),
            "kube-controller-manager".into(),
            message.into(),
        ]);
        plain(&table)
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_the_reason_outlasts_the_writer() {
        let long = "certificates.a-very-long-group-name.example.com-with-a-hash-7d4f9c";
        for room in [60, 80, 100, 120, 140, 200] {
            for (names, count) in [(&["a", "b", "c", "d"][..], 312), (&[long][..], 1), (&[long, "b"][..], 2)]
            {
                for is_wide in [false, true] {
                    let text = check(Look { width: Some(room), is_wide }, names, count);
                    let widest = text.lines().map(width).max().unwrap();
                    assert!(widest <= room, "{widest} of {room}:\n{text}");
                    assert!(text.contains("REASON") && text.contains("MinimumR"), "{room}:\n{text}");
                    assert!(text.contains("the quick brown fox"), "{room}:\n{text}");
                    assert!(!text.contains('\u{1b}'), "{text}");
                }
            }
        }
        let several = |room| check(Look { width: Some(room), is_wide: false }, &["a", "b", "c", "d"], 312);
        let (narrow, wide) = (several(80), several(100));
        assert!(narrow.contains("Widget/a (+311)") && !narrow.contains("kube-"), "{narrow}");
        assert!(wide.contains("Widget/a, b, c (+309)"), "{wide}");
    }

    #[test]
    fn in_a_pipe_a_name_and_a_message_are_whole() {
        let long = "x".repeat(200);
        let text = check(PIPE, &[&long, "b"], 9);
        assert!(text.contains(&format!("Widget/{long} (+8)   ")), "{text}");
        assert_eq!(text.matches("lazy dog").count(), 20);
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn a_text_is_broken_between_words_in_its_column_and_goes_below_where_that_is_too_narrow() {
        let table = |room| {
            let columns = [Column::key("KIND"), Column::text("OTHERS")];
            let mut table = Table::new(Look { width: Some(room), is_wide: false }, columns);
            table.row(["Certificate", "Issuing, Renewing, Approved, Denied, Ready"]);
            plain(&table)
        };
        assert_eq!(
            table(45),
            "KIND          OTHERS\n\
             Certificate   Issuing, Renewing, Approved,\n\
             \x20             Denied, Ready\n"
        );
        assert_eq!(
            table(40),
            "KIND\n\
             Certificate\n\
             \x20   Issuing, Renewing, Approved, Denied,\n\
             \x20   Ready\n"
        );
    }
}
