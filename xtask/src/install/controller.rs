//! The program of the controllers, with the arguments of the installed Deployment and with no more permissions than it has there.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use allready_apiserver::catalog;
use anyhow::{Context as _, Result, anyhow, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::helm::{NAMESPACE, Release};
use super::stage::Stage;
use crate::embedded::Server;

/// What must not be in the log of a controller that may do its work. At this level its client logs every request that fails.
const COMPLAINTS: [&str; 4] = ["forbidden", "Forbidden", "cannot be seen", "cannot write"];

/// Installs a hub, runs its program, and waits for an answer of each controller.
pub(super) async fn play(release: &Release<'_>) -> Result<()> {
    let stage = release.stage;
    // In a cluster of its own: what a hub reads and what it writes are never the same object.
    let cluster = Server::embedded().await?;
    stage.step("install a hub", install(release, &cluster)).await?;
    let (_running, log) =
        stage.step("start its program as its service account", start(stage, release.controller)).await?;
    let told = |error: anyhow::Error| {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        anyhow!("{error:#}\nthe log of the controller:\n{log}")
    };
    stage.step("it makes a ConfigurationStatus Ready", answers(stage)).await.map_err(told)?;
    stage.step("it gives a Gateway the status of its cluster", aggregates(stage)).await.map_err(told)?;
    let said = std::fs::read_to_string(&log)?;
    let complaints: Vec<_> =
        said.lines().filter(|line| COMPLAINTS.iter().any(|word| line.contains(word))).collect();
    ensure!(complaints.is_empty(), "the controller may not do its work: {complaints:#?}");
    stage.step("uninstall", release.uninstall()).await
}

async fn install(release: &Release<'_>, cluster: &Server) -> Result<()> {
    let stage = release.stage;
    let more = ["--values", "manifests/hub/values.yaml", "--set", "ensure={shop/config-status},log=debug"];
    release.install(&more).await?;
    let address = json!([{ "type": "IPAddress", "value": "192.0.2.1" }]);
    let condition = json!({ "type": "Programmed", "status": "True", "reason": "Programmed", "message": "",
        "observedGeneration": 1, "lastTransitionTime": "2026-03-01T10:00:00Z" });
    let status = json!({ "status": { "addresses": address, "conditions": [condition] } });
    for kubeconfig in [stage.kubeconfig(), cluster.kubeconfig()] {
        let shop = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
        stage.apply_on(kubeconfig, &[shop, catalog::gateway()]).await?;
        let crd = "crd/gateways.gateway.networking.k8s.io";
        stage
            .kubectl_on(kubeconfig, &["wait", "--for=condition=Established", crd, "--timeout=30s"])
            .await?
            .ok()?;
        let listener = json!({ "name": "web", "port": 80, "protocol": "HTTP" });
        let gateway = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "gatewayClassName": "any", "listeners": [listener] } });
        stage.apply_on(kubeconfig, &[gateway]).await?;
    }
    let patch = ["patch", "gateway", "web", "-n", "shop", "--subresource=status", "--type=merge", "-p"];
    let status = status.to_string();
    stage.kubectl_on(cluster.kubeconfig(), &[&patch[..], &[&status]].concat()).await?.ok()?;
    let aggregation = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation",
        "metadata": { "name": "gateways" },
        "spec": { "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
            "conditions": [{ "type": "Programmed" }], "rows": ["Addresses"], "instanceStatuses": "Always" } });
    let secret = json!({ "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": "cluster-1", "namespace": NAMESPACE, "labels": { "allready.dev/cluster": "true" } },
        "data": { "kubeconfig": STANDARD.encode(std::fs::read(cluster.kubeconfig())?) } });
    stage.apply(&[aggregation, secret]).await
}

/// Starts the program as a pod of the Deployment would, and returns it with the path of its log.
async fn start(stage: &Stage, program: &Path) -> Result<(Child, String)> {
    let deployment = stage.get(&["deployment", "allready-controller", "-n", NAMESPACE]).await?;
    let pod = &deployment["spec"]["template"]["spec"];
    let account = pod["serviceAccountName"].as_str().context("the pods have no service account")?;
    let arguments: Vec<String> = serde_json::from_value(pod["containers"][0]["args"].clone())?;
    // The port may be taken on this machine.
    let here =
        |argument: &String| argument.strip_prefix("--metrics=").map(|_| "--metrics=127.0.0.1:0".to_owned());
    let arguments = arguments.iter().map(|argument| here(argument).unwrap_or_else(|| argument.clone()));
    let kubeconfig = stage.kubeconfig_of(account, NAMESPACE).await?;
    let log = stage.file("controller.log", "")?;
    let child = Command::new(program)
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        .env("POD_NAME", "controller-0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log)?)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    Ok((child, log))
}

/// Whether an object has a condition with this status.
fn is(object: &Value, condition: &str, status: &str) -> bool {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|found| found["type"] == condition && found["status"] == status)
}

async fn answers(stage: &Stage) -> Result<()> {
    let object = ["configurationstatus", "config-status", "-n", "shop"];
    stage.until("the object that is to be made", &object, |_| true).await?;
    let report = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
        "metadata": { "name": "config-status.speaker", "namespace": "shop" },
        "spec": { "targetRef": { "name": "config-status" }, "component": "speaker" } });
    stage.apply(&[report]).await?;
    let condition = json!({ "type": "configReconcilerValid", "status": "True", "reason": "Said", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z" });
    let status = json!({ "status": { "conditions": [condition] } }).to_string();
    let patch = [
        "patch",
        "statusreport",
        "config-status.speaker",
        "-n",
        "shop",
        "--subresource=status",
        "--field-manager=speaker",
        "--type=merge",
    ];
    stage.kubectl(&[&patch[..], &["-p", &status]].concat()).await?.ok()?;
    stage.until("Ready", &object, |object| is(object, "Ready", "True")).await?;
    let events = |found: &Value| found["items"].as_array().is_some_and(|items| !items.is_empty());
    stage.until("an Event", &["events.events.k8s.io", "-n", "shop"], events).await.map(drop)
}

async fn aggregates(stage: &Stage) -> Result<()> {
    let gateway = |object: &Value| {
        let address = &object["status"]["addresses"][0]["value"];
        is(object, "Programmed", "True") && address == "cluster-1/192.0.2.1"
    };
    stage.until("the status of the Gateway", &["gateway", "web", "-n", "shop"], gateway).await?;
    let aggregation = |object: &Value| is(object, "Ready", "True");
    stage.until("Ready of the StatusAggregation", &["statusaggregation", "gateways"], aggregation).await?;
    let cluster = |object: &Value| is(object, "Reachable", "True");
    stage.until("the ClusterStatus", &["clusterstatus", "cluster-1", "-n", NAMESPACE], cluster).await?;
    let some = |found: &Value| found["items"].as_array().is_some_and(|items| !items.is_empty());
    stage.until("the InstanceStatus", &["instancestatuses", "-n", "shop"], some).await?;
    stage
        .until("the Lease of the cluster", &["lease", "cluster.cluster-1", "-n", NAMESPACE], |_| true)
        .await
        .map(drop)
}
