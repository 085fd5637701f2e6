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
    args::{CheckOutput, JudgeAs},
    collect::Collector,
    judged::{Plan, Shown},
    judgement::By,
};
use crate::{declared, failure::Failure, printer::Printer};

pub(crate) fn run(args: &CheckArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let check = Check {
        now: args.now.unwrap_or(now),
        output: args.output,
        shown: if args.all { Shown::All } else { Shown::NotHealthy },
        args,
    };
    let entries = args.declared.entries()?;
    let tally = if args.filename.is_empty() {
        cluster::check(&check, entries, printer)?
    } else {
        let registry = declared::registry(entries);
        let plan = check.plan(&registry);
        let mut collector = Collector::new(&plan, args.is_grouped());
        files::check(&args.filename, &plan, &mut collector, printer)?;
        collector.finish(printer)?
    };
    Ok(ExitCode::from(tally.exit_code(args.fail_on())))
}

/// What is asked, before it is known what is declared of kinds.
struct Check<'a> {
    args: &'a CheckArgs,
    now: Time,
    output: Option<CheckOutput>,
    shown: Shown,
}

impl<'a> Check<'a> {
    fn plan(&self, registry: &'a Registry) -> Plan<'a> {
        let by = match self.args.judge_as {
            Some(JudgeAs::Kstatus) => By::Kstatus,
            None => By::Own(registry),
        };
        Plan { by, now: self.now, output: self.output, shown: self.shown, tells_why: self.args.why }
    }
}
