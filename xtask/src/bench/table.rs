//! The table of figures.

use crate::printer;

/// What the embedded server's figure must be.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// Anything; the figure explains another one.
    None,
    /// At most this, in the row's base unit.
    Most(f64),
    /// At least so many times the real server's.
    Times(f64),
}

/// What a figure counts.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Seconds,
    Megabytes,
    PerSecond,
}

/// One figure of both servers.
pub(super) struct Row {
    name: String,
    limit: Limit,
    unit: Unit,
    embedded: Option<f64>,
    real: Option<f64>,
}

impl Row {
    pub(super) fn new(
        name: &str,
        limit: Limit,
        unit: Unit,
        embedded: Option<f64>,
        real: Option<f64>,
    ) -> Self {
        Self { name: name.to_owned(), limit, unit, embedded, real }
    }

    /// Whether the limit holds. A figure that could not be taken holds nothing.
    pub(super) fn holds(&self) -> bool {
        match self.limit {
            Limit::None => true,
            Limit::Most(most) => self.embedded.is_some_and(|figure| figure <= most),
            Limit::Times(times) => {
                self.embedded.zip(self.real).is_some_and(|(figure, real)| figure >= times * real)
            }
        }
    }

    fn shown(&self, value: Option<f64>) -> String {
        let Some(value) = value else { return "-".to_owned() };
        match self.unit {
            Unit::Seconds if value < 0.001 => format!("{:.0} µs", value * 1e6),
            Unit::Seconds if value < 1.0 => format!("{:.1} ms", value * 1e3),
            Unit::Seconds => format!("{value:.1} s"),
            Unit::Megabytes => format!("{value:.1} MB"),
            Unit::PerSecond => format!("{value:.0}/s"),
        }
    }

    fn ratio(&self) -> String {
        // Always how many times better the embedded server is.
        let Some((embedded, real)) = self.embedded.zip(self.real) else { return "-".to_owned() };
        let ratio = match self.unit {
            Unit::PerSecond => embedded / real,
            Unit::Seconds | Unit::Megabytes => real / embedded,
        };
        format!("{ratio:.1}x")
    }

    fn cells(&self) -> [String; 6] {
        let limit = match self.limit {
            Limit::None => String::new(),
            Limit::Most(most) => format!("at most {}", self.shown(Some(most))),
            Limit::Times(times) => format!("at least {times:.0}x"),
        };
        let verdict = match (self.limit, self.holds()) {
            (Limit::None, _) => "",
            (_, true) => "pass",
            (_, false) => "FAIL",
        };
        [
            self.name.clone(),
            limit,
            self.shown(self.embedded),
            self.shown(self.real),
            self.ratio(),
            verdict.to_owned(),
        ]
    }
}

/// Prints the rows under each other.
pub(super) fn print(rows: &[Row]) {
    let heading = ["figure", "limit", "embedded", "real", "better by", "verdict"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(heading).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    for cells in &lines {
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let gap = " ".repeat(width(column) - cell.chars().count());
            if column < 2 || column == 5 {
                line = line + cell + &gap + "  ";
            } else {
                line = line + &gap + cell + "  ";
            }
        }
        printer::line(line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_held_by_the_embedded_figure_alone_or_against_the_real_one() {
        let row = |limit, embedded, real| Row::new("", limit, Unit::PerSecond, embedded, real);
        assert!(row(Limit::Times(20.0), Some(9000.0), Some(400.0)).holds());
        assert!(!row(Limit::Times(20.0), Some(7000.0), Some(400.0)).holds());
        assert!(!row(Limit::Times(20.0), Some(9000.0), None).holds());
        assert!(row(Limit::Most(40.0), Some(39.0), None).holds());
        assert!(!row(Limit::Most(40.0), None, Some(1.0)).holds());
    }
}
