//! `allready lint`: what is wrong with how objects and definitions tell their status.

mod args;
mod cluster;
mod config;
pub(crate) mod explain;
mod files;
mod fix;
pub(crate) mod output;
mod session;
mod watch;

use std::process::ExitCode;

use allready_core::Time;
use allready_inspect::lint::Ignores;

pub(crate) use args::LintArgs;
use session::{Begin, Session};

use crate::{
    declared::look_through,
    failure::Failure,
    printer::{Printer, tame},
};

pub(crate) fn run(args: &LintArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if args.rules || args.explain.is_some() {
        return explain::run(args.explain.as_deref(), args.output, printer);
    }
    args.check()?;
    let config = config::read(args.config.as_deref())?;
    if args.fix {
        return fix::run(args, printer);
    }
    let ignores = Ignores::new(&config);
    let mut declared = args.declared.read()?;
    let begin = Begin { config: &config, ignores: &ignores, now: args.now.unwrap_or(now) };
    let (report, mut nothing) = if args.input.is_given() {
        let sources = args.input.find()?;
        let problems = look_through(&mut declared, &sources.files);
        let mut session = Session::new(&begin, declared);
        for problem in problems {
            session.problem(tame(&problem));
        }
        files::lint(&sources.files, &mut session)?;
        sources.left_out().into_iter().for_each(|left_out| session.problem(left_out));
        (session.finish(args.unmet()), sources.nothing())
    } else {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime =
            runtime.map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
        runtime.block_on(cluster::lint(args, &begin, declared, printer))?
    };
    output::print(&report, args, printer)?;
    if args.input.is_given() && report.objects == 0 && !report.problems.is_empty() {
        return Err(Failure::data("nothing in the files can be read"));
    }
    let code = report.exit_code(args.fail_on);
    if report.objects == 0 && report.problems.is_empty() {
        nothing.get_or_insert_with(|| "there are no objects to lint".to_owned());
    }
    match nothing {
        Some(nothing) if !args.allow_none => {
            printer.error(&format!("{nothing}; --allow-none accepts that"));
            Ok(ExitCode::from(code.max(2)))
        }
        Some(nothing) => {
            printer.warning(nothing);
            Ok(ExitCode::from(code))
        }
        None => Ok(ExitCode::from(code)),
    }
}
