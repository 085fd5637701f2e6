//! `allready wait`.

use std::process::ExitCode;

use allready::Time;
use clap::Args;

use crate::{failure::Failure, printer::Printer};

/// What to do, and with what.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {}

pub(crate) fn run(_args: &WaitArgs, _now: Time, _printer: &mut Printer) -> Result<ExitCode, Failure> {
    Err(Failure::unavailable("wait is not there yet"))
}
