//! `allready completion`: what may come next on a command line, for shells and for kubectl. Their scripts ask the program itself,
//! which asks the cluster for namespaces, types and names.

mod ask;
mod words;

use std::process::ExitCode;

use allready_core::Time;
use clap::{Args, CommandFactory as _, ValueEnum};

use self::{
    ask::ask,
    words::{Next, next},
};
use crate::{
    cli::Cli,
    failure::Failure,
    printer::{Printer, tame},
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

Namespaces, contexts, types and names of objects are completed too. The cluster is
asked for at most two seconds, and at most 200 words are offered.

Exit codes:
  0 it is printed, 64 wrong usage, 74 unwritable output")]
pub(crate) struct CompletionArgs {
    /// The shell.
    #[arg(value_name = "SHELL", required_unless_present_any = ["kubectl", "words"])]
    pub(crate) shell: Option<ShellArg>,

    /// Print the script that kubectl calls to complete `kubectl allready`, to be saved as kubectl_complete-allready.
    #[arg(long, conflicts_with_all = ["shell", "words"])]
    pub(crate) kubectl: bool,

    /// What may come after these words: what the scripts ask.
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

/// What scripts are told after the words: no files, please. The numbers are those of kubectl (`ShellCompDirective` of cobra).
const NO_FILES: &str = ":4";
/// What scripts are told where the shell knows best.
const AS_USUAL: &str = ":0";

pub(crate) fn run(args: &CompletionArgs, _now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let text = if let Some(words) = &args.words {
        let mut command = Cli::command();
        command.build();
        &answer(&command, words)
    } else {
        match args.shell {
            Some(ShellArg::Bash) => include_str!("allready.bash"),
            Some(ShellArg::Zsh) => include_str!("allready.zsh"),
            Some(ShellArg::Fish) => include_str!("allready.fish"),
            None => include_str!("kubectl_complete-allready.sh"),
        }
    };
    printer.text(text)?;
    Ok(ExitCode::SUCCESS)
}

/// What scripts read: a word and its meaning on each line, and what the shell is to do with them.
fn answer(command: &clap::Command, words: &[String]) -> String {
    let (next, given) = next(command, words);
    let mut lines: Vec<String> = match next {
        Next::Files => return format!("{AS_USUAL}\n"),
        Next::Words(words) => words.iter().map(|(word, meaning)| format!("{word}\t{meaning}")).collect(),
        Next::Asked { wanted, begun, before } => {
            let words = ask(&wanted, &begun, &given).into_iter();
            words.map(|word| tame(&format!("{before}{word}"))).collect()
        }
    };
    lines.push(format!("{NO_FILES}\n"));
    lines.join("\n")
}
