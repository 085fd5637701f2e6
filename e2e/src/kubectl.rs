//! The real kubectl and the command line of allready, as a user runs them.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

use crate::patience::within;

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Output {
    /// What it printed, if it succeeded.
    ///
    /// # Panics
    /// If it failed, with what it complained about.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "the program failed: {}{}", self.out, self.err);
        self.out
    }
}

/// A program that a user runs; the environment says where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    Kubectl,
    Allready,
    Controller,
}

pub(crate) async fn run(program: Program, kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Output {
    let child = command(program, kubeconfig, home, arguments).output();
    let output = within(Duration::from_mins(1), &format!("{program:?} {}", arguments.join(" ")), child).await;
    let output = output.expect("cannot start a program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

pub(crate) fn begin(program: Program, kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Begun {
    let mut command = command(program, kubeconfig, home, arguments);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cannot start a program");
    let stderr = child.stderr.take().expect("it was asked for");
    Begun { child, err: BufReader::new(stderr).lines(), said: String::new() }
}

/// Starts a program that runs until it is ended, with its standard output as a pipe.
pub(crate) fn start(program: Program, kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Child {
    let mut command = command(program, kubeconfig, home, arguments);
    command.stdout(Stdio::piped()).spawn().expect("cannot start a program")
}

fn command(program: Program, kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Command {
    let variable = match program {
        Program::Kubectl => "ALLREADY_KUBECTL",
        Program::Allready => "ALLREADY_COMMAND",
        Program::Controller => "ALLREADY_CONTROLLER",
    };
    let path = std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} names no program: run `cargo xtask e2e`"));
    let mut command = Command::new(&path);
    command
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        // A home of its own: kubectl keeps there what it discovered.
        .env("HOME", home)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// A program that runs while something else happens.
#[derive(Debug)]
pub struct Begun {
    child: Child,
    err: Lines<BufReader<ChildStderr>>,
    said: String,
}

impl Begun {
    /// Reads what it says on standard error until it says this.
    ///
    /// # Panics
    /// If it ends without saying it, or takes too long.
    pub async fn until(&mut self, wanted: &str) {
        let said = async {
            while let Ok(Some(line)) = self.err.next_line().await {
                self.said = format!("{}{line}\n", self.said);
                if line.contains(wanted) {
                    return true;
                }
            }
            false
        };
        let is_said = within(Duration::from_mins(1), wanted, said).await;
        assert!(is_said, "it did not say {wanted:?}, but: {}", self.said);
    }

    /// What it printed, when it has ended.
    pub async fn end(mut self) -> Output {
        let rest = async {
            while let Ok(Some(line)) = self.err.next_line().await {
                self.said = format!("{}{line}\n", self.said);
            }
            self.child.wait_with_output().await
        };
        let output = within(Duration::from_mins(1), "a program to end", rest).await;
        let output = output.expect("cannot wait for a program");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        Output { code: output.status.code(), out, err: self.said }
    }
}
