//! The real kubectl and the command line of allready, as a user runs them.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::Command;

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
}

pub(crate) async fn run(program: Program, kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Output {
    let variable = match program {
        Program::Kubectl => "ALLREADY_KUBECTL",
        Program::Allready => "ALLREADY_COMMAND",
    };
    let path = std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} names no program: run `cargo xtask e2e`"));
    let child = Command::new(&path)
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        // A home of its own: kubectl keeps there what it discovered.
        .env("HOME", home)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = within(Duration::from_mins(1), &format!("{program:?} {}", arguments.join(" ")), child).await;
    let output = output.expect("cannot start a program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}
