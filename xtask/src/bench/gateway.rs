//! The statuses of Gateway API: what all of them cost, and those of one change. The figures are those of `allready-gateway`'s own benchmark.

use anyhow::Result;

use super::{cargo, machine};
use crate::printer;

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
}

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(options: Options) -> Result<bool> {
    printer::line(machine::described());
    let holds = cargo(&["bench", "--quiet", "--package", "allready-gateway", "--bench", "engine"]).await?;
    printer::line(machine::described());
    Ok(holds || !options.strict)
}
