//! Attacks on one Ready: three nodes report, and one of them turns red while something goes wrong.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use allready_apiserver::ApiServer;
use allready_apiserver::server::Listening;
use anyhow::{Context as _, Result, bail, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Node;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::sleep;

use super::{PATIENCE, peak_of, start};
use crate::bench::hub::fleet::{self, NAMESPACE};
use crate::printer;

const TARGET: &str = "config-status";
const NODES: usize = 3;
/// The reports of the flood, each as large as the API server takes it.
const FLOOD: usize = 480;
/// The reports of a namespace that nobody bounds, each within every limit.
const MANY: usize = 20_000;
/// The ConfigurationStatuses of the attack, and what each of them expects: components with so many instances each.
const STATUSES: usize = 40;
const EXPECTED: [usize; 2] = [64, 1_024];
/// The ConfigurationStatus that they are for.
const CROWDED: &str = "crowded";
/// The time for the program to lead again after its leader is back.
const SETTLED: Duration = Duration::from_secs(2);

/// The figures of a flood.
pub(super) struct Flooded {
    pub(super) accepted: usize,
    pub(super) peak: u64,
    pub(super) during: Duration,
    pub(super) after: Duration,
}

/// One node fills the namespace with reports on something else, as large as they may be.
pub(super) async fn flood(program: &Path) -> Result<Flooded> {
    let mut stage = Stage::set(program, 1).await?;
    let client = stage.client.clone();
    let flooding = tokio::spawn(async move { fill(&client).await });
    let mut during = Duration::ZERO;
    while !flooding.is_finished() {
        during = during.max(stage.green_over_red().await?);
    }
    let accepted = flooding.await??;
    let first = peak_of(&stage.controllers[0])?;
    stage.controllers.clear();
    stage.start_controllers(1)?;
    stage.until("True").await?;
    let after = stage.green_over_red().await?;
    Ok(Flooded { accepted, peak: first.max(peak_of(&stage.controllers[0])?), during, after })
}

/// Reports of 18 kB, each within every limit, are more than the memory has room for. One of the last of them is red.
pub(super) async fn many_reports(program: &Path) -> Result<Flooded> {
    let mut stage = Stage::set(program, 1).await?;
    let object = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
        "metadata": { "name": CROWDED }, "spec": { "components": [] } });
    let statuses = ours(&stage.client, "ConfigurationStatus");
    statuses.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    let writers = (0..4).map(|part| tokio::spawn(crowd(stage.client.clone(), part, 4)));
    for writer in writers.collect::<Vec<_>>() {
        writer.await??;
    }
    let mut during = stage.green_over_red().await?;
    let peak = peak_of(&stage.controllers[0])?;
    during = during.max(red_of_the_crowd(&stage).await?);
    stage.controllers.clear();
    stage.start_controllers(1)?;
    let after = stage.green_over_red().await?.max(red_of_the_crowd(&stage).await?);
    Ok(Flooded { accepted: MANY, peak: peak.max(peak_of(&stage.controllers[0])?), during, after })
}

/// Writes every so many of the reports.
async fn crowd(client: Client, first: usize, step: usize) -> Result<()> {
    for number in (first..MANY).step_by(step) {
        crowd_report(&client, number, "True").await?;
    }
    Ok(())
}

async fn crowd_report(client: &Client, number: usize, last: &str) -> Result<()> {
    let conditions = (0..31).map(|one| {
        let message = format!("{number} {one} {}", "m".repeat(490));
        condition(&format!("r{one}Valid"), if one == 30 { last } else { "True" }, "Padded", &message)
    });
    let conditions = conditions.collect::<Value>();
    report(client, CROWDED, &format!("node-{number}"), &json!({}), &conditions).await
}

/// Lets one report say False that there was no room for, and waits until the whole says so; says how long it was True.
async fn red_of_the_crowd(stage: &Stage) -> Result<Duration> {
    crowd_report(&stage.client, MANY - 1, "False").await?;
    let written = Instant::now();
    let mut green = Duration::ZERO;
    loop {
        match &*stage.ready_of(CROWDED).await? {
            "False" => return Ok(green),
            "True" => green = written.elapsed(),
            ready if written.elapsed() > PATIENCE => bail!("{CROWDED} is {ready} over a report that is red"),
            _ => {}
        }
        sleep(Duration::from_millis(5)).await;
    }
}

/// ConfigurationStatuses expect more reporters than there is room for. One of the last of them was good before.
pub(super) async fn expectations(program: &Path) -> Result<Flooded> {
    let mut stage = Stage::set(program, 1).await?;
    let names: Vec<String> = (0..EXPECTED[1]).map(|name| format!("n{name}")).collect();
    let component = |number: usize| json!({ "name": format!("c{number}"), "instances": { "type": "Names", "names": names } });
    let components: Value = (0..EXPECTED[0]).map(component).collect();
    let statuses = ours(&stage.client, "ConfigurationStatus");
    let mut during = Duration::ZERO;
    for number in 0..STATUSES {
        let object = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
            "metadata": { "name": format!("greedy-{number:02}") }, "spec": { "components": components } });
        statuses.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        during = during.max(stage.green_over_red().await?);
    }
    let first = peak_of(&stage.controllers[0])?;
    stage.controllers.clear();
    stage.start_controllers(1)?;
    stage.until("True").await?;
    let after = stage.green_over_red().await?;
    for number in 0..STATUSES {
        let ready = stage.ready_of(&format!("greedy-{number:02}")).await?;
        ensure!(ready == "Unknown", "greedy-{number:02} is {ready}, and nobody has reported");
    }
    Ok(Flooded { accepted: STATUSES, peak: first.max(peak_of(&stage.controllers[0])?), during, after })
}

/// The leader stops without ending, as on a node whose processor or network is gone.
pub(super) async fn frozen_leader(program: &Path) -> Result<Duration> {
    let stage = Stage::set(program, 2).await?;
    let mut longest = Duration::ZERO;
    for _ in 0..3 {
        let leader = stage.leader().await?;
        signal(leader, "-STOP").await?;
        let taken = stage.turn_red().await;
        signal(leader, "-CONT").await?;
        longest = longest.max(taken?);
        stage.turn_green().await?;
        sleep(SETTLED).await;
    }
    Ok(longest)
}

/// Connections stay open, and nothing comes through them any more, as behind a firewall that has forgotten them.
pub(super) async fn silent_watch(program: &Path) -> Result<Duration> {
    let stage = Stage::set(program, 1).await?;
    let mut longest = Duration::ZERO;
    for round in 0..3 {
        // At another moment of the life of a watch each time.
        sleep(Duration::from_millis(700 * round)).await;
        stage.wire.send_modify(|frozen| *frozen += 1);
        longest = longest.max(stage.turn_red().await?);
        stage.turn_green().await?;
    }
    Ok(longest)
}

struct Stage {
    client: Client,
    program: PathBuf,
    kubeconfig: PathBuf,
    controllers: Vec<Child>,
    /// Counts how often the connections to the server were frozen.
    wire: watch::Sender<usize>,
    _server: ApiServer,
    _listening: Listening,
    _directory: tempfile::TempDir,
}

impl Stage {
    /// A server with reports that are good, and so many replicas, of which one has said so.
    async fn set(program: &Path, replicas: usize) -> Result<Self> {
        let definitions = allready_kube::kinds::definitions();
        let definitions = definitions.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        let (server, client) = fleet::server(definitions).await?;
        let directory = tempfile::tempdir()?;
        let kubeconfig = directory.path().join("kubeconfig");
        let listening = fleet::listen(&server, &kubeconfig).await?;
        let (wire, port) = wire(listening.address()).await?;
        let direct = format!("127.0.0.1:{}", listening.address().port());
        let through = std::fs::read_to_string(&kubeconfig)?.replace(&direct, &format!("127.0.0.1:{port}"));
        std::fs::write(&kubeconfig, through)?;
        let nodes: Api<Node> = Api::all(client.clone());
        for node in 0..NODES {
            let node = json!({ "metadata": { "name": format!("node-{node}") },
                "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady" }] } });
            nodes.create(&PostParams::default(), &serde_json::from_value(node)?).await?;
        }
        let object = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
            "metadata": { "name": TARGET }, "spec": { "components": [
                { "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } }] } });
        let statuses = ours(&client, "ConfigurationStatus");
        statuses.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        let mut stage = Self {
            client,
            program: program.to_owned(),
            kubeconfig,
            controllers: Vec::new(),
            wire,
            _server: server,
            _listening: listening,
            _directory: directory,
        };
        for node in 0..NODES {
            stage.report(node, true).await?;
        }
        stage.start_controllers(replicas)?;
        stage.until("True").await?;
        Ok(stage)
    }

    fn start_controllers(&mut self, replicas: usize) -> Result<()> {
        for replica in 0..replicas {
            let identity = format!("replica-{replica}");
            let election = if replicas > 1 { "--leader-election" } else { "--no-leader-election" };
            let lease = format!("{NAMESPACE}/allready-controller");
            let arguments = [election, "--lease", &lease, "--identity", &identity];
            self.controllers.push(start(&self.program, &self.kubeconfig, &arguments)?);
        }
        Ok(())
    }

    /// The process of the replica that leads.
    async fn leader(&self) -> Result<u32> {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), NAMESPACE);
        let holder = leases.get("allready-controller").await?.spec.and_then(|spec| spec.holder_identity);
        let holder = holder.context("nobody leads")?;
        let replica = holder.strip_prefix("replica-").and_then(|replica| replica.parse::<usize>().ok());
        let child = replica.and_then(|replica| self.controllers.get(replica));
        child.and_then(Child::id).with_context(|| format!("{holder} leads, and is none of the replicas"))
    }

    async fn report(&self, node: usize, is_good: bool) -> Result<()> {
        let instance = format!("node-{node}");
        let (status, reason) = if is_good { ("True", "SyncStateSuccess") } else { ("False", "ConfigError") };
        report(
            &self.client,
            TARGET,
            &instance,
            &json!({}),
            &json!([condition("configReconcilerValid", status, reason, "")]),
        )
        .await
    }

    /// Lets a node say False, and waits until Ready is not True; says how long that took.
    async fn turn_red(&self) -> Result<Duration> {
        self.report(1, false).await?;
        let accepted = Instant::now();
        while self.ready().await? == "True" {
            ensure!(
                accepted.elapsed() < PATIENCE,
                "Ready has been True for {PATIENCE:?} over a report that says False"
            );
            sleep(Duration::from_millis(2)).await;
        }
        Ok(accepted.elapsed())
    }

    async fn turn_green(&self) -> Result<()> {
        self.report(1, true).await?;
        self.until("True").await
    }

    /// Turns red and green again; says how long Ready was True over red.
    async fn green_over_red(&self) -> Result<Duration> {
        let taken = self.turn_red().await?;
        self.turn_green().await?;
        Ok(taken)
    }

    async fn until(&self, wanted: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let ready = self.ready().await?;
            if ready == wanted {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                bail!("Ready is {ready} after {PATIENCE:?}, and not {wanted}");
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn ready(&self) -> Result<String> {
        self.ready_of(TARGET).await
    }

    async fn ready_of(&self, name: &str) -> Result<String> {
        let object = ours(&self.client, "ConfigurationStatus").get(name).await?;
        let conditions = object.data["status"]["conditions"].as_array().into_iter().flatten();
        let ready = conditions.into_iter().find(|condition| condition["type"] == "Ready");
        Ok(ready.and_then(|ready| ready["status"].as_str()).unwrap_or("Unknown").to_owned())
    }
}

/// Writes the reports of the flood; says how many were accepted.
async fn fill(client: &Client) -> Result<usize> {
    let padding = json!({ "padding": "x".repeat(250_000) });
    let message = "m".repeat(30_000);
    let conditions: Vec<Value> =
        (0..31).map(|number| condition(&format!("r{number}Valid"), "True", "Padded", &message)).collect();
    let conditions = Value::from(conditions);
    let mut accepted = 0;
    for number in 0..FLOOD {
        let written = report(client, "elsewhere", &format!("node-0-{number}"), &padding, &conditions).await;
        match written {
            Ok(()) => accepted += 1,
            // Refused is as good as bounded, as long as it is told.
            Err(error) if number == 0 => printer::note(format!("the flood is refused: {error:#}")),
            Err(_) => {}
        }
        tokio::task::yield_now().await;
    }
    Ok(accepted)
}

async fn report(
    client: &Client,
    target: &str,
    instance: &str,
    annotations: &Value,
    conditions: &Value,
) -> Result<()> {
    let api = ours(client, "StatusReport");
    let name = format!("{target}.speaker.{instance}");
    let manager = PatchParams::apply(&format!("speaker-{instance}")).force();
    let body = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
        "metadata": { "name": name, "annotations": annotations },
        "spec": { "targetRef": { "name": target }, "component": "speaker", "instance": instance } });
    api.patch(&name, &manager, &Patch::Apply(body)).await?;
    let body = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "status": { "conditions": conditions } });
    api.patch_status(&name, &manager, &Patch::Apply(body)).await?;
    Ok(())
}

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-03-01T10:00:00Z" })
}

fn ours(client: &Client, kind: &str) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("allready.dev", "v1alpha1", kind));
    Api::namespaced_with(client.clone(), NAMESPACE, &resource)
}

/// Listens in front of a server, and passes on what is said. Connections that are open when they are frozen stay open, and nothing comes
/// through them any more; new ones are as before.
async fn wire(server: SocketAddr) -> Result<(watch::Sender<usize>, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let (sender, frozen) = watch::channel(0);
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut frozen = frozen.clone();
            frozen.mark_unchanged();
            tokio::spawn(async move {
                let Ok(mut far) = TcpStream::connect(server).await else { return };
                tokio::select! {
                    _ = copy_bidirectional(&mut near, &mut far) => {}
                    changed = frozen.changed() => {
                        if changed.is_ok() {
                            sleep(2 * PATIENCE).await;
                        }
                    }
                }
            });
        }
    });
    Ok((sender, port))
}

async fn signal(process: u32, signal: &str) -> Result<()> {
    let status = Command::new("kill").arg(signal).arg(process.to_string()).status().await?;
    ensure!(status.success(), "cannot send {signal} to process {process}");
    Ok(())
}
