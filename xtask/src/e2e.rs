//! The end-to-end tier: every scenario, on the embedded server and on the real one.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tokio::process::Command;

use crate::real::{self, Environment, Private};

/// Runs the scenarios whose name contains `filter`, with a real server of their own beside them; with `only_ignored` those
/// alone that `cargo test` leaves out.
pub async fn run(environment: &Environment, filter: Option<&str>, only_ignored: bool) -> Result<bool> {
    let kubectl = real::kubectl(environment)?;
    let Built { scenarios, allready, controller } = build().await?;
    let real = Private::start(environment).await?;
    let status = Command::new(scenarios)
        .args([if only_ignored { "--ignored" } else { "--include-ignored" }, "--show-output"])
        .args(filter)
        .current_dir(root().join("e2e"))
        .env("ALLREADY_REAL_KUBECONFIG", real.kubeconfig())
        .env("ALLREADY_KUBECTL", kubectl)
        .env("ALLREADY_COMMAND", allready)
        .env("ALLREADY_CONTROLLER", controller)
        .status()
        .await
        .context("cannot start the scenarios")?;
    Ok(status.success())
}

/// Where the programs are.
pub(crate) struct Built {
    scenarios: PathBuf,
    pub(crate) allready: PathBuf,
    pub(crate) controller: PathBuf,
}

/// Builds the scenarios, the command line and the program of the controllers.
///
/// All packages are selected, and so the same features of dependencies as by `cargo test --workspace`: what that has built is
/// not built again.
pub(crate) async fn build() -> Result<Built> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "test",
            "--workspace",
            "--test",
            "it",
            "--no-run",
            "--message-format",
            "json-render-diagnostics",
        ])
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cannot build the scenarios");
    let built: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let program = |manifest: &str, target: &str| {
        let is_it = |artifact: &&Value| {
            let of = artifact["manifest_path"].as_str().is_some_and(|path| path.ends_with(manifest));
            of && artifact["target"]["name"] == target && artifact["executable"].is_string()
        };
        let path = built.iter().find(is_it).and_then(|artifact| artifact["executable"].as_str());
        path.map(PathBuf::from).with_context(|| format!("cargo built no {target} of {manifest}"))
    };
    Ok(Built {
        scenarios: program("/e2e/Cargo.toml", "it")?,
        allready: program("/allready-cli/Cargo.toml", "allready")?,
        controller: program("/allready-controller/Cargo.toml", "allready-controller")?,
    })
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
