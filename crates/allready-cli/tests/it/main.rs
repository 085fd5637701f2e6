//! The command line as its users call it.
#![expect(clippy::unwrap_used, reason = "a test that cannot run its command fails")]

mod aggregate;
mod apiserver;
mod check;
mod config;
mod declared;
mod demo;
mod denied;
mod explain;
mod gateway;
mod hub;
mod input;
mod install;
mod kubectl;
mod lint;
mod migrate;
mod owners;
mod registry;
mod rollup;
mod schemas;
mod shell;
mod sweep;
mod terminal;
mod uninstall;
mod version;
mod view;
mod wait;
mod watch;

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

/// Runs `allready` and gives the exit code, standard output and standard error in one text.
fn allready(arguments: &[&str], stdin: &str) -> String {
    played(command().args(arguments), stdin)
}

/// `allready` without colours.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allready"));
    // Signs are those of the locale, and tests have none.
    command.env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
    command
}

/// What a command comes to.
fn played(command: &mut Command, stdin: &str) -> String {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that fails on its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    schemas::check(&stdout);
    format!(
        "exit {}\n--- stdout\n{stdout}--- stderr\n{}",
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}
