//! Tables as kubectl prints them.

use crate::printer::tame;

/// What stands where there is nothing.
pub(crate) const NOTHING: &str = "<none>";
/// The space between two columns.
pub(crate) const GAP: usize = 3;

/// A table: columns with a head, rows of foreign text.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: impl IntoIterator<Item = &'static str>) -> Self {
        Self { head: head.into_iter().collect(), rows: Vec::new() }
    }

    /// A row: as many cells as there are columns; those that are left out are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| tame(&cell)).collect());
    }

    /// The text. Columns are as wide as their widest cell, but for the last one.
    pub(crate) fn text(&self) -> String {
        let cell = |row: &Vec<String>, column: usize| match row.get(column) {
            Some(cell) if !cell.is_empty() => cell.clone(),
            _ => NOTHING.to_owned(),
        };
        let head: Vec<String> = self.head.iter().map(|&name| name.to_owned()).collect();
        let columns = 0..head.len();
        let rows: Vec<Vec<String>> = std::iter::once(head)
            .chain(self.rows.iter().map(|row| columns.clone().map(|column| cell(row, column)).collect()))
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = columns.map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width + GAP - cell.chars().count()));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_and_nothing_is_said_to_be_nothing() {
        let mut table = Table::new(["NAME", "AGE", "MESSAGE"]);
        table.row(["cluster-1".to_owned(), "3s".to_owned(), String::new()]);
        table.row(["é".to_owned(), "120s".to_owned(), "a\u{1b}[2Jb\nc".to_owned()]);
        table.row(["short".to_owned()]);
        assert_eq!(
            table.text(),
            "NAME        AGE      MESSAGE\n\
             cluster-1   3s       <none>\n\
             é           120s     a\\u{1b}[2Jb\\nc\n\
             short       <none>   <none>\n"
        );
    }
}
