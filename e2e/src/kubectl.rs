//! The real kubectl, as a user runs it.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::Command;

use crate::patience::within;

/// What kubectl printed.
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
        assert_eq!(self.code, Some(0), "kubectl failed: {}{}", self.out, self.err);
        self.out
    }
}

pub(crate) async fn run(kubeconfig: &Path, home: &Path, arguments: &[&str]) -> Output {
    let kubectl = std::env::var_os("ALLREADY_KUBECTL")
        .expect("ALLREADY_KUBECTL names no kubectl: run `cargo xtask e2e`");
    let child = Command::new(kubectl)
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        // A home of its own: kubectl keeps there what it discovered.
        .env("HOME", home)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = within(Duration::from_mins(1), &format!("kubectl {}", arguments.join(" ")), child).await;
    let output = output.expect("cannot start kubectl");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}
