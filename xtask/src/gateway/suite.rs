//! The Go program of `xtask/gateway/suite`, which runs the official suite.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::process::Command;

use super::output::{Ended, Output};

/// One run of the suite: the fields of `settings` in `xtask/gateway/suite/main.go`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Settings {
    pub(super) kubeconfig: PathBuf,
    pub(super) class: String,
    pub(super) tests: Vec<String>,
    /// The features that count as supported.
    pub(super) features: Vec<String>,
    /// Set where there is no data plane.
    pub(super) status_only: bool,
    /// The program of the Pods, and the address where they are; empty where they run nothing.
    pub(super) echo: PathBuf,
    pub(super) address: String,
    pub(super) usable: String,
    pub(super) unusable: String,
    pub(super) report: PathBuf,
    pub(super) implementation: Value,
    pub(super) profiles: Vec<&'static str>,
}

/// A test of the suite.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) features: Vec<String>,
}

/// The tests that the suite has.
pub(super) async fn tests(program: &Path) -> Result<Vec<Test>> {
    let output = Command::new(program).arg("-list").output().await?;
    ensure!(
        output.status.success(),
        "{} -list failed: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The implementation, as the suite's report names it.
pub(super) fn implementation(project: &str) -> Value {
    json!({
        "organization": "allready",
        "project": project,
        "url": "https://allready.dev",
        "version": env!("CARGO_PKG_VERSION"),
        "contact": ["https://allready.dev"],
    })
}

/// Runs the suite and returns the tests that ended. The output is kept in `log`.
pub(super) async fn run(program: &Path, settings: &Settings, log: &Path) -> Result<Vec<Ended>> {
    let told = log.with_extension("json");
    std::fs::write(&told, serde_json::to_vec_pretty(settings)?)?;
    let status = Command::new(program)
        .arg("-settings")
        .arg(&told)
        // Tests that may run at the same time mostly wait.
        .args(["-test.v", "-test.parallel=8", "-test.timeout=30m"])
        .stdin(Stdio::null())
        .stdout(File::create(log)?)
        .stderr(File::create(log.with_extension("err"))?)
        .kill_on_drop(true)
        .status()
        .await
        .with_context(|| format!("cannot start {}", program.display()))?;
    let output = Output::read(&String::from_utf8_lossy(&std::fs::read(log)?));
    let tests = output.tests();
    ensure!(
        !tests.is_empty(),
        "the suite ran no test ({status}): {}; see {}",
        output.setup().join("; "),
        log.display()
    );
    Ok(tests)
}
