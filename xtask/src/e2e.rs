//! The end-to-end tier: every scenario, on the embedded server and on the real one.

use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

use crate::real::{self, Environment, Private};

/// Runs the scenarios whose name contains `filter`, with a real server of their own beside them.
pub async fn run(environment: &Environment, filter: Option<&str>) -> Result<bool> {
    let kubectl = real::kubectl(environment)?;
    let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let built = cargo().args(["build", "--package", "allready-cli"]).status().await;
    ensure!(built.context("cannot start cargo")?.success(), "cannot build allready");
    let real = Private::start(environment).await?;
    let status = cargo()
        .args(["test", "--package", "allready-e2e", "--", "--include-ignored", "--show-output"])
        .args(filter)
        .env("ALLREADY_REAL_KUBECONFIG", real.kubeconfig())
        .env("ALLREADY_KUBECTL", kubectl)
        // Cargo puts it beside this program.
        .env("ALLREADY_COMMAND", std::env::current_exe()?.with_file_name("allready"))
        .status()
        .await
        .context("cannot start cargo")?;
    Ok(status.success())
}
