//! A real server with the CRDs of the Gateway API, and the controller that is held to the suite.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::e2e;
use crate::real::{self, Environment, Private};

/// The class of the tests.
pub(super) const CLASS: &str = "allready";
/// The one address that Gateways have.
pub(super) const ADDRESS: &str = "127.0.0.1";

/// The names of the controller and of `examples/gateway` in their class.
const CONTROLLER: &str = "allready.dev/gateway";
const EXAMPLE: &str = "allready.dev/example-gateway";

/// The time that a controller has to accept its class.
const PATIENCE: Duration = Duration::from_secs(30);

/// A fresh server, and the controller that runs on it.
pub(super) struct Stage {
    server: Private,
    kubectl: PathBuf,
    program: PathBuf,
    arguments: &'static [&'static str],
    controller_name: &'static str,
    log: PathBuf,
    running: Option<Running>,
}

struct Running {
    without: Option<String>,
    child: Child,
    features: BTreeSet<String>,
}

impl Stage {
    /// Starts a server of its own, never a cluster that the environment names: Pods are made and unmade on it.
    pub(super) async fn start(
        environment: &Environment,
        program: Option<PathBuf>,
        directory: &Path,
    ) -> Result<Self> {
        let program = match program {
            Some(given) => given,
            None => e2e::build().await?.controller,
        };
        #[rustfmt::skip]
        let arguments = &[
            "--gateway-class", CLASS, "--gateway-address", ADDRESS, "--no-leader-election",
            // A test makes a class of its own.
            "--gateway-class", "gatewayclass-observed-generation-bump",
        ];
        Self::with(environment, program, CONTROLLER, arguments, &directory.join("controller.log")).await
    }

    /// Starts such a server for `examples/gateway`.
    pub(super) async fn start_example(
        environment: &Environment,
        program: PathBuf,
        directory: &Path,
    ) -> Result<Self> {
        Self::with(environment, program, EXAMPLE, &[], &directory.join("example-gateway.log")).await
    }

    async fn with(
        environment: &Environment,
        program: PathBuf,
        controller_name: &'static str,
        arguments: &'static [&'static str],
        log: &Path,
    ) -> Result<Self> {
        let kubectl = real::kubectl(environment)?;
        let server = server(environment, &kubectl).await?;
        File::create(log)?;
        Ok(Self { server, kubectl, program, arguments, controller_name, log: log.to_owned(), running: None })
    }

    pub(super) fn kubeconfig(&self) -> &Path {
        self.server.kubeconfig()
    }

    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    /// Runs the controller without a feature, and returns those that its class claims.
    pub(super) async fn controller(&mut self, without: Option<&str>) -> Result<BTreeSet<String>> {
        if let Some(running) = &self.running
            && running.without.as_deref() == without
        {
            return Ok(running.features.clone());
        }
        if let Some(mut running) = self.running.take() {
            running.child.kill().await?;
        }
        // A class of its own: what it claims is not what an earlier one claimed.
        self.kubectl(&["delete", "gatewayclass", CLASS, "--ignore-not-found"]).await?;
        let class = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": { "name": CLASS },
            "spec": { "controllerName": self.controller_name } });
        let file = self.log.with_extension("class.json");
        std::fs::write(&file, class.to_string())?;
        self.kubectl(&["create", "-f", &file.display().to_string()]).await?;
        let more = without.map(|feature| ["--gateway-without", feature]);
        let child = Command::new(&self.program)
            .args(self.arguments)
            .args(more.iter().flatten())
            .env("KUBECONFIG", self.kubeconfig())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(&self.log)?)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let mut running = Running { without: without.map(str::to_owned), child, features: BTreeSet::new() };
        running.features = self.accepted(&mut running.child).await?;
        let features = running.features.clone();
        self.running = Some(running);
        Ok(features)
    }

    /// Waits until the class is accepted.
    async fn accepted(&self, child: &mut Child) -> Result<BTreeSet<String>> {
        let start = Instant::now();
        loop {
            let said = self.kubectl(&["get", "gatewayclass", CLASS, "-o", "json"]).await?;
            let class: Value = serde_json::from_str(&said)?;
            let status = &class["status"];
            let mut conditions = status["conditions"].as_array().into_iter().flatten();
            if conditions.any(|condition| condition["type"] == "Accepted" && condition["status"] == "True") {
                let features = status["supportedFeatures"].as_array().into_iter().flatten();
                return Ok(features
                    .filter_map(|feature| Some(feature["name"].as_str()?.to_owned()))
                    .collect());
            }
            if let Some(status) = child.try_wait()? {
                bail!("the controller ended ({status}); its log: {}", self.log.display());
            }
            ensure!(
                start.elapsed() < PATIENCE,
                "the controller did not accept its class within {PATIENCE:?}: {status}; its log: {}",
                self.log.display()
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        kubectl(&self.kubectl, &self.server, arguments).await
    }
}

/// Starts a server with the CRDs of the Gateway API.
pub(super) async fn server(environment: &Environment, program: &Path) -> Result<Private> {
    let fresh = Environment { kubeconfig: None, ..environment.clone() };
    let crds = real::go_source("gateway", "sigs.k8s.io/gateway-api")?.join("config/crd/experimental");
    let server = Private::start(&fresh).await?;
    kubectl(program, &server, &["apply", "--server-side", "-k", &crds.display().to_string()]).await?;
    established(program, &server).await?;
    Ok(server)
}

/// Waits until the server serves every kind that has a CRD.
pub(super) async fn established(program: &Path, server: &Private) -> Result<()> {
    let arguments = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
    kubectl(program, server, &arguments).await.map(drop)
}

/// Runs kubectl, and returns what it printed.
pub(super) async fn kubectl(program: &Path, server: &Private, arguments: &[&str]) -> Result<String> {
    let output =
        Command::new(program).args(arguments).env("KUBECONFIG", server.kubeconfig()).output().await?;
    let err = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "kubectl {} failed: {err}", arguments.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
