//! `allready demo`: a condition set lives through a reconcile story on a clock of its own, and then a whole system does on an
//! API server.

mod fleet;
mod scene;
mod story;
mod system;

use std::{process::ExitCode, thread, time::Duration};

use crate::{cli::DemoArgs, failure::Failure, printer::Printer};

pub(crate) fn run(args: &DemoArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let story = if args.no_story { Vec::new() } else { story::tell() };
    for scene in story {
        printer.text(&scene)?;
        if args.pause > 0 {
            thread::sleep(Duration::from_secs(args.pause));
        }
    }
    system::play(args, printer)?;
    Ok(ExitCode::SUCCESS)
}
