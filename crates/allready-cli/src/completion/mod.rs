//! `allready completion`.

use std::process::ExitCode;

use allready::Time;
use clap::Args;

use crate::{failure::Failure, printer::Printer};

/// What to do, and with what.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {}

pub(crate) fn run(_args: &CompletionArgs, _now: Time, _printer: &mut Printer) -> Result<ExitCode, Failure> {
    Err(Failure::unavailable("completion is not there yet"))
}
