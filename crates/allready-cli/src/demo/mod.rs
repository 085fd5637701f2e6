//! `allready demo`: a condition set lives through a reconcile story, on a clock of its own.

mod cluster;
mod fleet;
mod scene;
mod story;

use std::{process::ExitCode, thread, time::Duration};

use crate::{cli::DemoArgs, failure::Failure, printer::Printer};

pub(crate) fn run(args: &DemoArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    for scene in story::tell()? {
        printer.text(&scene)?;
        if args.pause > 0 {
            thread::sleep(Duration::from_secs(args.pause));
        }
    }
    Ok(ExitCode::SUCCESS)
}
