//! `allready`: is everything all ready, and if not: what, since when, who says so, and why?

mod age;
mod aggregate;
mod apiserver;
mod cli;
mod cluster;
mod controller;
mod demo;
mod dns;
mod failure;
mod hub;
mod input;
mod offline;
mod printer;
mod render;
mod report;
mod rollup;
mod signal;
mod table;
mod uninstall;

use std::process::ExitCode;

use allready::Time;
use clap::Parser as _;

use crate::{
    cli::{Cli, Command},
    failure::Failure,
    printer::Printer,
};

fn main() -> ExitCode {
    let mut printer = Printer::new();
    let done = match Cli::try_parse() {
        Ok(cli) => run(cli, &mut printer),
        Err(error) => Failure::from_clap(&error, &mut printer),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(&mut printer),
    }
}

fn run(cli: Cli, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = Time::new(jiff::Timestamp::now());
    match cli.command {
        Command::Rollup(args) => rollup::run(&args, now, printer),
        Command::Demo(args) => demo::run(&args, printer),
        Command::Apiserver(args) => apiserver::run(&args, printer),
        Command::Controller(args) => controller::run(&args, printer),
        Command::Aggregate(args) => aggregate::run(&args, now, printer),
        Command::Dns(args) => dns::run(&args, now, printer),
        Command::Hub(args) => hub::run(&args, now, printer),
        Command::Report(args) => report::run(&args, printer),
        Command::Uninstall(args) => uninstall::run(&args, printer),
    }
}
