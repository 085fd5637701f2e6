//! `allready man`: the manual, a page for each command.

use std::{fs, path::PathBuf, process::ExitCode};

use allready::Time;
use clap::{Args, CommandFactory as _};

use crate::{
    cli::Cli,
    failure::Failure,
    printer::{Printer, tame},
};

/// Where to write them.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0 they are written, 64 wrong usage, 74 the directory cannot be written

Examples:
  allready man ~/.local/share/man/man1 && man allready-owners
  allready man pages && man ./pages/allready.1")]
pub(crate) struct ManArgs {
    /// The directory, which is made if it is not there.
    #[arg(value_name = "DIRECTORY")]
    pub(crate) directory: PathBuf,
}

pub(crate) fn run(args: &ManArgs, _now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let directory = tame(&args.directory.display().to_string());
    let unwritable = |error: std::io::Error| {
        Failure::output(format_args!("cannot write the pages to {directory}: {error}"))
    };
    fs::create_dir_all(&args.directory).map_err(unwritable)?;
    // `help` of each command would be pages about nothing.
    let command = Cli::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, &args.directory).map_err(unwritable)?;
    printer.text(&format!("The manual is in {directory}: man {directory}/allready.1\n"))?;
    Ok(ExitCode::SUCCESS)
}
