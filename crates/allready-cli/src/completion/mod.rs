//! `allready completion`: what the shell knows of the command line.

mod words;

use std::{fmt::Write as _, process::ExitCode};

use allready_core::Time;
use clap::{Args, CommandFactory as _, ValueEnum};

use self::words::{Next, next};
use crate::{
    cli::{Cli, NAME},
    failure::Failure,
    printer::Printer,
};

/// For which shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Set up the completion of `allready`:
  bash   echo 'source <(allready completion bash)' >> ~/.bashrc
  zsh    allready completion zsh > \"${fpath[1]}/_allready\"
  fish   allready completion fish > ~/.config/fish/completions/allready.fish

As a plugin of kubectl, under a name that kubectl looks for:
  ln -s \"$(which allready)\" ~/.local/bin/kubectl-allready
  allready completion --kubectl > ~/.local/bin/kubectl_complete-allready
  chmod +x ~/.local/bin/kubectl_complete-allready
  kubectl allready check

Exit codes:
  0 it is printed, 64 wrong usage, 74 unwritable output")]
pub(crate) struct CompletionArgs {
    /// The shell.
    #[arg(value_name = "SHELL", required_unless_present_any = ["kubectl", "words"])]
    pub(crate) shell: Option<ShellArg>,

    /// Print the script that kubectl calls to complete `kubectl allready`, to be saved as kubectl_complete-allready.
    #[arg(long, conflicts_with_all = ["shell", "words"])]
    pub(crate) kubectl: bool,

    /// What may come after these words: what that script asks.
    #[arg(long, hide = true, num_args = 0.., allow_hyphen_values = true, conflicts_with = "shell")]
    pub(crate) words: Option<Vec<String>>,
}

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShellArg {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
}

/// What kubectl is told after the words: no files, please.
const NO_FILES: &str = ":4";
/// What kubectl is told where the shell knows best.
const AS_USUAL: &str = ":0";

pub(crate) fn run(args: &CompletionArgs, _now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if args.kubectl {
        printer.text(include_str!("kubectl_complete-allready.sh"))?;
    } else if let Some(words) = &args.words {
        let mut command = Cli::command();
        command.build();
        printer.text(&answer(next(&command, words)))?;
    } else if let Some(shell) = args.shell {
        printer.text(&script(shell))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What kubectl reads: a word and its meaning on each line, and what the shell is to do with them.
fn answer(next: Next) -> String {
    match next {
        Next::Objects => ":objects\n".to_owned(),
        Next::Files => format!("{AS_USUAL}\n"),
        Next::Words(words) => {
            let mut lines: Vec<String> =
                words.iter().map(|(word, meaning)| format!("{word}\t{meaning}")).collect();
            lines.push(format!("{NO_FILES}\n"));
            lines.join("\n")
        }
    }
}

fn script(shell: ShellArg) -> String {
    let shell = match shell {
        ShellArg::Bash => clap_complete::Shell::Bash,
        ShellArg::Zsh => clap_complete::Shell::Zsh,
        ShellArg::Fish => clap_complete::Shell::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if shell == clap_complete::Shell::Fish {
        text.push_str(&fish_values());
    }
    text
}

/// What stands for itself without an option before it, which the script for fish would take for files.
fn fish_values() -> String {
    let mut text = String::new();
    for command in Cli::command().get_subcommands().filter(|found| !found.is_hide_set()) {
        let values = command.get_positionals().flat_map(clap::Arg::get_possible_values);
        for value in values.filter(|value| !value.is_hide_set()) {
            let is_here = format!("__fish_{NAME}_using_subcommand {}", command.get_name());
            let _ = writeln!(text, "complete -c {NAME} -n \"{is_here}\" -f -a \"{}\"", value.get_name());
        }
    }
    text
}
