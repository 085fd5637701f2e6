//! `allready`: is everything all ready, and if not: what, since when, who says so, and why?

mod age;
mod aggregate;
#[cfg(test)]
mod agreement;
mod apiserver;
mod check;
mod cli;
mod cluster;
mod completion;
mod declared;
mod demo;
mod dns;
mod explain;
mod failure;
mod gateway;
mod hub;
mod input;
mod install;
mod kubeconfig;
mod lint;
mod man;
mod migrate;
mod objects;
mod offline;
mod output;
mod owners;
mod printer;
mod registry;
mod report;
mod rollup;
mod sweep;
mod target;
mod uninstall;
mod version;
mod view;
mod wait;
mod watch;

use std::process::ExitCode;

use allready_controller::program::{self, signal};
use allready_core::Time;

use crate::{
    cli::{Cli, Command},
    failure::Failure,
    printer::Printer,
};

fn main() -> ExitCode {
    let cli = Cli::said(&std::env::args_os().collect::<Vec<_>>());
    let mut printer = Printer::new(cli.as_ref().map(|cli| cli.color).unwrap_or_default());
    let done = match cli {
        Ok(cli) => run(cli, &mut printer),
        Err(error) => failure::from_clap(&error, &mut printer),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure::report(&failure, &mut printer),
    }
}

fn run(cli: Cli, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = Time::new(jiff::Timestamp::now());
    match cli.command {
        Command::Check(args) => check::run(&args, now, printer),
        Command::Explain(args) => explain::run(&args, now, printer),
        Command::Wait(args) => wait::run(&args, now, printer),
        Command::Lint(args) => lint::run(&args, now, printer),
        Command::Watch(args) => watch::run(&args, now),
        Command::View(args) => view::run(&args, printer),
        Command::Sweep(args) => sweep::run(&args, now, printer),
        Command::Owners(args) => owners::run(&args, now, printer),
        Command::Registry(args) => registry::run(&args, now, printer),
        Command::Completion(args) => completion::run(&args, now, printer),
        Command::Man(args) => man::run(&args, now, printer),
        Command::Rollup(args) => rollup::run(&args, now, printer),
        Command::Demo(args) => demo::run(&args, printer),
        Command::Apiserver(args) => apiserver::run(&args, printer),
        Command::Controller(args) => program::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Aggregate(args) => aggregate::run(&args, now, printer),
        Command::Dns(args) => dns::run(&args, now, printer),
        Command::Hub(args) => hub::run(&args, now, printer),
        Command::Gateway(args) => gateway::run(&args, now, printer),
        Command::Report(args) => report::run(&args, printer),
        Command::Install(args) => install::run(&args, printer),
        Command::Migrate(args) => migrate::run(&args, printer),
        Command::Version(args) => version::run(&args, printer),
        Command::Uninstall(args) => uninstall::run(&args, printer),
    }
}
