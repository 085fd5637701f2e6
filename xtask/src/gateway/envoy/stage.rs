//! A real server with the control plane of Envoy Gateway.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use allready_gateway::Kind;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::manifests::Manifest;
use crate::gateway::stage;
use crate::real::{self, ENVOY_GATEWAY, Environment, Private};

/// The class of every Gateway.
pub(super) const CLASS: &str = "second-opinion";
/// The name of Envoy Gateway's controller.
pub(super) const CONTROLLER: &str = "gateway.envoyproxy.io/gatewayclass-controller";
/// The address that Gateways have, here and in `xtask/envoy/control`.
pub(super) const ADDRESS: &str = crate::gateway::stage::ADDRESS;

/// A status that has not changed for so long is the last one.
const QUIET: Duration = Duration::from_millis(1500);
const PATIENCE: Duration = Duration::from_mins(1);

/// The server, and the control plane that runs on it.
pub(super) struct EnvoyStage {
    server: Private,
    kubectl: PathBuf,
    directory: PathBuf,
    control: Child,
    /// A bare API server has nobody who removes a namespace: they stay.
    namespaces: BTreeSet<String>,
}

impl EnvoyStage {
    pub(super) async fn start(environment: &Environment, directory: &Path) -> Result<Self> {
        let program = real::envoy_gateway(environment)?;
        let crds =
            real::go_source("envoy", ENVOY_GATEWAY)?.join("charts/gateway-helm/charts/crds/crds/generated");
        let kubectl = real::kubectl(environment)?;
        let server = stage::server(environment, &kubectl).await?;
        let crds = crds.display().to_string();
        stage::kubectl(&kubectl, &server, &["apply", "--server-side", "-f", &crds]).await?;
        stage::established(&kubectl, &server).await?;
        let control = Command::new(&program)
            .env("KUBECONFIG", server.kubeconfig())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(directory.join("envoy-gateway.log"))?)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut stage =
            Self { server, kubectl, directory: directory.to_owned(), control, namespaces: BTreeSet::new() };
        let class = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": { "name": CLASS },
            "spec": { "controllerName": CONTROLLER } });
        stage.apply(&Manifest { name: "class".to_owned(), objects: vec![class] }).await?;
        let accepted = format!("gatewayclass/{CLASS}");
        stage.kubectl(&["wait", "--for=condition=Accepted", &accepted, "--timeout=30s"]).await.with_context(
            || {
                format!(
                    "Envoy Gateway did not accept its class; its log: {}",
                    directory.join("envoy-gateway.log").display()
                )
            },
        )?;
        Ok(stage)
    }

    /// Applies the objects, with the namespaces that they need, and returns what the API server refused.
    pub(super) async fn apply(&mut self, manifest: &Manifest) -> Result<Vec<String>> {
        let mut objects = manifest.objects.clone();
        let is_namespace = |object: &Value| object["kind"] == "Namespace";
        let named =
            objects.iter().filter(|object| is_namespace(object)).map(|object| &object["metadata"]["name"]);
        self.namespaces.extend(named.filter_map(Value::as_str).map(str::to_owned));
        let used =
            objects.iter().filter_map(|object| object["metadata"]["namespace"].as_str().map(str::to_owned));
        let missing: Vec<_> =
            used.filter(|name| name != "default" && self.namespaces.insert(name.clone())).collect();
        for name in missing {
            objects.push(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }));
        }
        objects.sort_by_key(|object| !is_namespace(object));
        let file = self.write(manifest, "yaml", &objects)?;
        let output = Command::new(&self.kubectl)
            .args(["apply", "-f", &file])
            .env("KUBECONFIG", self.server.kubeconfig())
            .output()
            .await?;
        let said = String::from_utf8_lossy(&output.stderr);
        let refused = said.lines().filter(|line| !line.starts_with("Warning: ") && !line.trim().is_empty());
        Ok(refused.map(|line| line.chars().take(300).collect()).collect())
    }

    /// Deletes the objects of a manifest, and waits until they are gone.
    pub(super) async fn delete(&self, manifest: &Manifest) -> Result<()> {
        let kept = |object: &Value| object["kind"] == "Namespace";
        let objects: Vec<_> = manifest.objects.iter().filter(|object| !kept(object)).cloned().collect();
        let file = self.write(manifest, "delete.yaml", &objects)?;
        // What was refused is not there either.
        let _ = self.kubectl(&["delete", "-f", &file, "--ignore-not-found", "--timeout=30s"]).await;
        Ok(())
    }

    /// Waits until no status changes any more, and returns every object that decides or has a status.
    pub(super) async fn settled(&mut self) -> Result<Vec<Value>> {
        let start = Instant::now();
        let kinds = Kind::ALL.map(|kind| match kind.group() {
            "" => kind.as_str().to_lowercase(),
            group => format!("{}.{group}", kind.as_str().to_lowercase()),
        });
        let kinds = kinds.join(",");
        let (mut last, mut since) = (Value::Null, Instant::now());
        loop {
            let said = self.kubectl(&["get", &kinds, "--all-namespaces", "-o", "json"]).await?;
            let now: Value = serde_json::from_str(&said)?;
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() >= QUIET {
                return Ok(last["items"].as_array().cloned().unwrap_or_default());
            }
            if let Some(status) = self.control.try_wait()? {
                bail!(
                    "Envoy Gateway ended ({status}); its log: {}",
                    self.directory.join("envoy-gateway.log").display()
                );
            }
            ensure!(
                start.elapsed() < PATIENCE,
                "the statuses of Envoy Gateway still change after {PATIENCE:?}"
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    pub(super) async fn stop(mut self) -> Result<()> {
        Ok(self.control.kill().await?)
    }

    fn write(&self, manifest: &Manifest, extension: &str, objects: &[Value]) -> Result<String> {
        let name = manifest.name.trim_end_matches(".yaml").replace('/', "-");
        let file = self.directory.join(format!("{name}.{extension}"));
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        std::fs::write(&file, serde_json::to_vec_pretty(&list)?)?;
        Ok(file.display().to_string())
    }

    async fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        stage::kubectl(&self.kubectl, &self.server, arguments).await
    }
}
