//! `allready check`: what is not healthy, worst first.

mod args;
mod cluster;
mod collect;
pub(crate) mod entry;
mod files;
mod judged;
mod judgement;
mod stream;
mod table;
mod tally;
mod turns;

use std::process::ExitCode;

use allready_core::Time;

pub(crate) use args::CheckArgs;

use self::{
    args::JudgeAs,
    collect::Collector,
    judged::{Plan, Shown},
    judgement::By,
};
use crate::{declared::Known, failure::Failure, objects::sources, output::Format, printer::Printer};

pub(crate) fn run(args: &CheckArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let check = Check {
        now: args.now.unwrap_or(now),
        output: args.output,
        shown: if args.all { Shown::All } else { Shown::NotHealthy },
        args,
    };
    let mut declared = args.declared.read()?;
    let tally = if args.filename.is_empty() {
        cluster::check(&check, declared, printer)?
    } else {
        let sources = sources(&args.filename)?;
        if args.judge_as.is_none() {
            printer.warnings(&declared.look_through(&sources));
        }
        let known = declared.known();
        let plan = check.plan(&known);
        let mut collector = Collector::new(&plan, args.is_grouped());
        files::check(&sources, &plan, declared, &mut collector, printer)?;
        collector.finish(printer)?
    };
    Ok(ExitCode::from(tally.exit_code(args.fail_on())))
}

/// What is asked, before it is known what is declared of kinds.
struct Check<'a> {
    args: &'a CheckArgs,
    now: Time,
    output: Format,
    shown: Shown,
}

impl<'a> Check<'a> {
    fn plan(&self, known: &'a Known) -> Plan<'a> {
        let by = match self.args.judge_as {
            Some(JudgeAs::Kstatus) => By::Kstatus,
            None => By::Own(known),
        };
        Plan { by, now: self.now, output: self.output, shown: self.shown, tells_why: self.args.why }
    }
}
