//! `allready check`: what is not healthy, worst first.

mod args;
mod cluster;
mod collect;
mod files;
mod json;
mod judged;
mod judgement;
mod junit;
mod layout;
mod prometheus;
mod table;
mod tally;

use std::process::ExitCode;

use allready::{Time, registry::Registry};

pub(crate) use args::CheckArgs;

use self::{
    collect::Collector,
    judged::{Plan, Shown},
};
use crate::{failure::Failure, printer::Printer};

pub(crate) fn run(args: &CheckArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let plan = Plan {
        registry: Registry::builtin(),
        now: args.now.unwrap_or(now),
        output: args.output,
        shown: if args.all { Shown::All } else { Shown::NotHealthy },
    };
    let mut collector = Collector::new(&plan, args.is_grouped());
    if args.filename.is_empty() {
        cluster::check(args, &plan, &mut collector, printer)?;
    } else {
        files::check(&args.filename, &plan, &mut collector, printer)?;
    }
    let tally = collector.finish(printer)?;
    Ok(ExitCode::from(tally.exit_code(args.fail_on())))
}
