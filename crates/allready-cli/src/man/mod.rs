//! `allready man`.

use std::process::ExitCode;

use allready::Time;
use clap::Args;

use crate::{failure::Failure, printer::Printer};

/// What to do, and with what.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {}

pub(crate) fn run(_args: &ManArgs, _now: Time, _printer: &mut Printer) -> Result<ExitCode, Failure> {
    Err(Failure::unavailable("man is not there yet"))
}
