//! A figure on a line, with its limit.

use std::time::Duration;

use crate::printer;

/// One figure.
pub(in crate::bench) struct Row {
    name: String,
    figure: String,
    limit: Option<(&'static str, bool)>,
}

impl Row {
    pub(in crate::bench) fn new(name: impl Into<String>, figure: impl Into<String>) -> Self {
        Self { name: name.into(), figure: figure.into(), limit: None }
    }

    /// What it may be, and whether it is.
    pub(in crate::bench) fn limit(self, limit: &'static str, holds: bool) -> Self {
        Self { limit: Some((limit, holds)), ..self }
    }
}

/// Prints them; says whether every limit holds.
pub(in crate::bench) fn print(rows: &[Row]) -> bool {
    for Row { name, figure, limit } in rows {
        let (limit, verdict) = match limit {
            Some((limit, true)) => (*limit, "pass"),
            Some((limit, false)) => (*limit, "FAIL"),
            None => ("", ""),
        };
        printer::line(format!("  {name:<56} {figure:>12}  {limit:<22} {verdict}").trim_end());
    }
    rows.iter().all(|row| row.limit.is_none_or(|(_, holds)| holds))
}

pub(in crate::bench) fn cost(duration: Duration) -> String {
    format!("{duration:.1?}")
}

/// The value below which so many of a hundred are.
pub(in crate::bench) fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let index = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values_and_nothing_has_none() {
        let mut times: Vec<_> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&mut times, 50), Duration::from_millis(100));
        assert_eq!(percentile(&mut times, 99), Duration::from_millis(198));
        assert_eq!(percentile(&mut times, 100), Duration::from_millis(200));
        assert_eq!(percentile(&mut [], 99), Duration::ZERO);
    }
}
