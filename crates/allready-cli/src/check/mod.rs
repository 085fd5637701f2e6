//! `allready check`: what is not healthy, worst first.

mod args;
mod causes;
mod cluster;
mod collect;
pub(crate) mod entry;
mod files;
mod judged;
mod judgement;
mod stream;
mod table;
mod tally;

use std::process::ExitCode;

use allready_core::Time;
use allready_inspect::{causes::Causes, graph::Extent};

pub(crate) use args::CheckArgs;
pub(crate) use causes::sign;
#[cfg(test)]
pub(crate) use files::{said, said_together};

use self::{
    args::Rules,
    collect::Collector,
    judged::{Plan, Shown},
    judgement::By,
};
use crate::{
    declared::{Known, look_through},
    failure::Failure,
    output::Format,
    printer::Printer,
    watch::command,
};

pub(crate) fn run(args: &CheckArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let check = Check {
        now: args.now.unwrap_or(now),
        output: args.output,
        shown: if args.all { Shown::All } else { Shown::NotHealthy },
        args,
    };
    args.check(printer)?;
    let mut declared = args.declared.read()?;
    let mut is_incomplete = false;
    let has_hints;
    let (tally, nothing) = if args.input.is_given() {
        let sources = args.input.find()?;
        if args.rules.is_none() {
            printer.warnings(&look_through(&mut declared, &sources.files));
        }
        let known = Known::of(&declared);
        let plan = check.plan(&known);
        let mut collector = Collector::new(&plan, Causes::new(Extent::Part));
        files::check(&sources.files, &plan, declared, &mut collector)?;
        let found = collector.search();
        has_hints = found.as_ref().is_some_and(|found| !found.hints.is_empty());
        let tally = collector.finish(found.as_ref(), printer)?;
        printer.warnings(&sources.left_out());
        let nothing = sources.nothing().or_else(|| (tally.total() == 0).then(|| NO_OBJECTS.to_owned()));
        is_incomplete = sources.is_partial();
        (tally, nothing)
    } else {
        let (tally, nothing, hinted) = cluster::check(&check, declared, printer)?;
        has_hints = hinted;
        (tally, nothing)
    };
    let code = tally.exit_code(args.fail_on());
    match nothing {
        // Nothing is not the same as all well: somebody may have mistyped what they meant.
        Some(nothing) if !args.allow_none => {
            is_incomplete = true;
            printer.error(&format!("{nothing}; --allow-none accepts that"));
        }
        Some(nothing) => printer.warning(nothing),
        None => {}
    }
    Ok(ExitCode::from(if code == 0 && (is_incomplete || has_hints && args.hints) { 2 } else { code }))
}

/// Input without a single object in it, such as an empty list.
const NO_OBJECTS: &str = "there are no objects in the files";

/// What is asked, before it is known what is declared of kinds.
struct Check<'a> {
    args: &'a CheckArgs,
    now: Time,
    output: Format,
    shown: Shown,
}

impl<'a> Check<'a> {
    fn plan(&self, known: &'a Known) -> Plan<'a> {
        let by = match self.args.rules {
            Some(Rules::Kstatus) => By::Kstatus,
            None => By::Own(known),
        };
        Plan {
            by,
            now: self.now,
            output: self.output,
            shown: self.shown,
            tells_why: self.args.why,
            shows_objects: self.args.shows_objects(),
            is_grouped: !self.args.no_group,
            group_by: self.args.by,
            flags: command::flags(&self.args.cluster),
        }
    }
}
