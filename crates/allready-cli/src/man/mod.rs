//! `allready man`: the manual, a page for each command.

#[cfg(test)]
mod reference;

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use allready_core::Time;
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;

use crate::{
    cli::Cli,
    failure::Failure,
    printer::{Printer, tame},
};

/// Options of `allready man`.
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
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write(&command, &args.directory).map_err(unwritable)?;
    printer.text(&format!("The manual is in {directory}: man {directory}/allready.1\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// A page for a command, and for each command below it.
fn write(command: &Command, directory: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write(below, directory)?;
    }
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    let name = page.get_filename();
    fs::write(directory.join(&name), tidied(&String::from_utf8_lossy(&text), name.trim_end_matches(".1")))
}

/// A page as every reader of such pages understands it: with a whole title, with tables and examples as they were
/// written, and in ASCII.
fn tidied(page: &str, name: &str) -> String {
    let mut tidied = String::with_capacity(page.len());
    let mut is_as_written = false;
    for line in page.lines() {
        let line = match line {
            title if title.starts_with(".TH ") => {
                format!(".TH {name} 1 \"\" \"allready {}\" \"allready\"", env!("CARGO_PKG_VERSION"))
            }
            ".SH EXTRA" => {
                is_as_written = true;
                ".SH NOTES\n.nf".to_owned()
            }
            section if section.starts_with(".SH ") && std::mem::take(&mut is_as_written) => {
                format!(".fi\n{section}")
            }
            other => other.to_owned(),
        };
        for letter in line.chars() {
            if letter.is_ascii() {
                tidied.push(letter);
            } else {
                let _ = write!(tidied, "\\[u{:04X}]", u32::from(letter));
            }
        }
        tidied.push('\n');
    }
    tidied
}
