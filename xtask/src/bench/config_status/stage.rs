//! A server, nodes, reports and the aggregator, each in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::{Request, header};
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::GroupVersionKind;
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use crate::real::{Environment, Private, processor_time_of, resident_memory_of};

const NAMESPACE: &str = "bench";
const TARGET: &str = "config-status";
const GROUP: &str = "allready.dev/v1alpha1";
const CLIENTS: usize = 16;
/// How long it may take until Ready turns.
const PATIENCE: Duration = Duration::from_secs(30);
/// The answers after which a client tries again: conflict, too many requests, unavailable, timeout.
const TRANSIENT: [u16; 4] = [409, 429, 503, 504];

/// Where reconcilers report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A condition each, in the object that all share.
    Shared,
    /// In an object for each node.
    PerNode,
}

/// A report that turns Ready.
pub(crate) struct Turn {
    pub(crate) is_good: bool,
    /// How long it took until the report was accepted.
    pub(crate) report: Duration,
    /// How long it took from then on until Ready was seen to have turned.
    pub(crate) seen: Duration,
}

pub(crate) struct Stage {
    pub(super) server: &'static str,
    client: Client,
    kubeconfig: PathBuf,
    aggregator: Option<Child>,
    _directory: tempfile::TempDir,
    held: Server,
}

enum Server {
    Embedded(Child),
    Real(Private),
}

impl Stage {
    pub(super) async fn embedded() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let kubeconfig = directory.path().join("kubeconfig");
        let child = allready(&["apiserver", "--kubeconfig"], &kubeconfig)?.spawn()?;
        let start = Instant::now();
        while !kubeconfig.exists() {
            anyhow::ensure!(start.elapsed() < Duration::from_secs(10), "the embedded server did not start");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Self::set("embedded", kubeconfig, directory, Server::Embedded(child)).await
    }

    pub(crate) async fn real(environment: &Environment) -> Result<Self> {
        let real = Private::start(environment).await?;
        let kubeconfig = real.kubeconfig().to_owned();
        Self::set("real", kubeconfig, tempfile::tempdir()?, Server::Real(real)).await
    }

    async fn set(
        server: &'static str,
        kubeconfig: PathBuf,
        directory: tempfile::TempDir,
        held: Server,
    ) -> Result<Self> {
        let options = KubeConfigOptions::default();
        let mut config =
            kube::Config::from_custom_kubeconfig(Kubeconfig::read_from(&kubeconfig)?, &options).await?;
        // A watch may have nothing to tell for long.
        config.read_timeout = None;
        let client = Client::try_from(config)?;
        for definition in allready_kube::kinds::definitions() {
            let definitions = Api::all(client.clone());
            let name = definition.name_any();
            definitions.create(&PostParams::default(), &definition).await?;
            let established = kube::runtime::conditions::is_crd_established();
            kube::runtime::wait::await_condition(definitions, &name, established).await?;
        }
        let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": NAMESPACE } }))?;
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
        Ok(Self { server, client, kubeconfig, aggregator: None, _directory: directory, held })
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The processes of the server.
    pub(crate) fn server_processes(&self) -> Vec<u32> {
        match &self.held {
            Server::Embedded(child) => child.id().into_iter().collect(),
            Server::Real(real) => real.processes(),
        }
    }

    fn api(&self, kind: &str) -> Api<DynamicObject> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("allready.dev", "v1alpha1", kind));
        Api::namespaced_with(self.client.clone(), NAMESPACE, &resource)
    }

    /// The median time of a report into an object that all share, each reconciler under a manager of its own.
    pub(super) async fn singleton_report(
        &self,
        nodes: usize,
        reconcilers: usize,
        reports: usize,
    ) -> Result<Duration> {
        let api = self.api("ConfigurationStatus");
        let name = "one-for-all";
        let object =
            json!({ "apiVersion": GROUP, "kind": "ConfigurationStatus", "metadata": { "name": name } });
        api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        let all = (0..nodes).flat_map(|node| (0..reconcilers).map(move |reconciler| (node, reconciler)));
        for (node, reconciler) in all {
            apply_one(&api, name, node, reconciler, true).await?;
        }
        let mut times = Vec::new();
        for round in 0..reports {
            times.push(apply_one(&api, name, round * 7 % nodes, 0, false).await?);
        }
        api.delete(name, &kube::api::DeleteParams::default()).await?;
        Ok(median(times))
    }

    pub(crate) async fn make_nodes(&self, nodes: usize) -> Result<()> {
        let all: Api<Node> = Api::all(self.client.clone());
        stream::iter(0..nodes)
            .map(|node| {
                let all = all.clone();
                async move {
                    let ready = json!([{ "type": "Ready", "status": "True", "reason": "KubeletReady" }]);
                    let name = format!("node-{node}");
                    let node = json!({ "metadata": { "name": name }, "status": { "conditions": ready } });
                    all.create(&PostParams::default(), &serde_json::from_value(node)?).await?;
                    anyhow::Ok(())
                }
            })
            .buffer_unordered(CLIENTS)
            .try_collect()
            .await
    }

    /// Makes the object that all report for, and starts the program that computes its Ready.
    pub(crate) async fn start_aggregator(&mut self, program: &mut Command) -> Result<()> {
        let spec = json!({ "components": [{ "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } },
            "reconcilers": ["r0", "r1", "r2", "r3"] }] });
        let object = json!({ "apiVersion": GROUP, "kind": "ConfigurationStatus",
            "metadata": { "name": TARGET }, "spec": spec });
        self.api("ConfigurationStatus")
            .create(&PostParams::default(), &serde_json::from_value(object)?)
            .await?;
        self.aggregator = Some(program.spawn().with_context(|| format!("cannot start {program:?}"))?);
        // A new object says by itself that nobody has looked at it yet.
        self.until(|ready, _| ready["status"] == "Unknown" && ready["reason"] != "Pending").await.map(drop)
    }

    /// Every reconciler of every node reports for the first time. How long until all is ready, and how often the object was
    /// written meanwhile.
    pub(super) async fn storm(&self, nodes: usize, reconcilers: usize) -> Result<(Duration, usize)> {
        let (counted, counting) = self.count_writes().await?;
        let start = Instant::now();
        self.first_reports(Layout::PerNode, nodes, reconcilers, &AtomicUsize::new(0)).await?;
        let all = format!("{nodes} of {nodes} ready");
        self.until(|ready, _| ready["message"] == all.as_str()).await?;
        let taken = start.elapsed();
        let writes = *counted.borrow();
        counting.abort();
        Ok((taken, writes))
    }

    /// Every reconciler of every node reports for the first time, and is counted once its report is accepted.
    pub(crate) async fn first_reports(
        &self,
        layout: Layout,
        nodes: usize,
        reconcilers: usize,
        accepted: &AtomicUsize,
    ) -> Result<()> {
        stream::iter(0..nodes)
            .map(|node| async move {
                if layout == Layout::PerNode {
                    self.make_report(node).await?;
                }
                for reconciler in 0..reconcilers {
                    match layout {
                        Layout::PerNode => self.report(node, reconciler + 1, true).await?,
                        Layout::Shared => self.report_shared(node, reconciler).await?,
                    }
                    accepted.fetch_add(1, Ordering::Relaxed);
                }
                anyhow::Ok(())
            })
            .buffer_unordered(CLIENTS)
            .try_collect()
            .await
    }

    /// A first report into the object that all share, tried again as long as it may succeed.
    async fn report_shared(&self, node: usize, reconciler: usize) -> Result<()> {
        let api = self.api("ConfigurationStatus");
        loop {
            match apply_one(&api, TARGET, node, reconciler, true).await {
                Err(kube::Error::Api(status)) if TRANSIENT.contains(&status.code) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                other => return Ok(other.map(drop)?),
            }
        }
    }

    /// The time of a report of the first reconciler of a node.
    pub(crate) async fn report_again(&self, layout: Layout, node: usize, good: bool) -> Result<Duration> {
        let start = Instant::now();
        match layout {
            Layout::PerNode => self.report(node, 4, good).await?,
            Layout::Shared => {
                return Ok(apply_one(&self.api("ConfigurationStatus"), TARGET, node, 0, good).await?);
            }
        }
        Ok(start.elapsed())
    }

    /// The median time of a report into an object of one's own.
    pub(super) async fn sharded_report(&self, reports: usize) -> Result<Duration> {
        let mut times = Vec::new();
        for round in 0..reports {
            let start = Instant::now();
            // Another message each time, so that every one is a write.
            self.report_saying(round, 4, true, &format!("round {round}")).await?;
            times.push(start.elapsed());
        }
        Ok(median(times))
    }

    /// Makes Ready turn by a report of one of so many nodes, to and fro.
    pub(crate) async fn turns(
        &self,
        layout: Layout,
        nodes: usize,
        turns: usize,
        rest: Duration,
    ) -> Result<Vec<Turn>> {
        let mut ready = self.watch_ready().await?;
        let mut taken = Vec::new();
        for turn in 0..turns {
            let is_good = turn % 2 == 1;
            let report = self.report_again(layout, turn / 2 % nodes, is_good).await?;
            let accepted = Instant::now();
            let wanted = if is_good { "True" } else { "False" };
            let turned = ready.wait_for(|(status, _)| status == wanted);
            let seen = tokio::time::timeout(PATIENCE, turned).await.context("Ready did not turn")??.1;
            taken.push(Turn { is_good, report, seen: seen.saturating_duration_since(accepted) });
            tokio::time::sleep(rest).await;
        }
        Ok(taken)
    }

    /// The processor time that the aggregator takes while nothing happens.
    pub(super) async fn idle(&self, while_: Duration) -> Result<Duration> {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let before = processor_time_of(self.aggregator()?).context("no processor time")?;
        tokio::time::sleep(while_).await;
        Ok(processor_time_of(self.aggregator()?).context("no processor time")?.saturating_sub(before))
    }

    pub(super) fn aggregator_memory(&self) -> Result<u64> {
        resident_memory_of(self.aggregator()?).context("no memory")
    }

    /// The size of the object as it is sent.
    pub(super) async fn object_bytes(&self) -> Result<usize> {
        Ok(serde_json::to_vec(&self.api("ConfigurationStatus").get(TARGET).await?)?.len())
    }

    /// The process of the aggregator.
    pub(crate) fn aggregator(&self) -> Result<u32> {
        self.aggregator.as_ref().and_then(Child::id).context("the aggregator has ended")
    }

    async fn make_report(&self, node: usize) -> Result<()> {
        let name = report_name(node);
        let body = json!({ "apiVersion": GROUP, "kind": "StatusReport", "metadata": { "name": name },
            "spec": { "targetRef": { "name": TARGET }, "component": "speaker", "instance": format!("node-{node}") } });
        self.api("StatusReport").patch(&name, &apply(node), &Patch::Apply(body)).await?;
        Ok(())
    }

    async fn report(&self, node: usize, reconcilers: usize, good: bool) -> Result<()> {
        self.report_saying(node, reconcilers, good, "").await
    }

    /// What the first so many reconcilers of a node say, the first of them this.
    async fn report_saying(&self, node: usize, reconcilers: usize, good: bool, message: &str) -> Result<()> {
        let said = |reconciler| match reconciler {
            0 => condition(&format!("r{reconciler}Valid"), good, message),
            _ => condition(&format!("r{reconciler}Valid"), true, ""),
        };
        let conditions: Vec<_> = (0..reconcilers).map(said).collect();
        let body =
            json!({ "apiVersion": GROUP, "kind": "StatusReport", "status": { "conditions": conditions } });
        self.api("StatusReport").patch_status(&report_name(node), &apply(node), &Patch::Apply(body)).await?;
        Ok(())
    }

    /// Waits, by looking, until the object is so.
    async fn until(&self, wanted: impl Fn(&Value, &Value) -> bool) -> Result<Value> {
        let give_up = Instant::now() + Duration::from_mins(5);
        loop {
            let object = serde_json::to_value(self.api("ConfigurationStatus").get(TARGET).await?)?;
            let ready = ready(&object);
            if wanted(&ready, &object) {
                return Ok(object);
            }
            if Instant::now() > give_up {
                bail!("waited in vain; Ready is {ready}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The status of Ready, and since when a watch has seen it; the first one is there when this returns. The watch asks for rows of a
    /// table, as kubectl does: the object itself may be large.
    pub(crate) async fn watch_ready(&self) -> Result<watch::Receiver<(String, Instant)>> {
        let url = format!(
            "/apis/{GROUP}/namespaces/{NAMESPACE}/configurationstatuses?watch=true&includeObject=None&fieldSelector=metadata.name={TARGET}"
        );
        let request = Request::get(url)
            .header(header::ACCEPT, "application/json;as=Table;v=v1;g=meta.k8s.io")
            .body(Vec::new())?;
        let mut events = self.client.request_events::<Value>(request).await?.boxed();
        let (sender, mut receiver) = watch::channel((String::new(), Instant::now()));
        tokio::spawn(async move {
            while let Some(WatchEvent::Added(table) | WatchEvent::Modified(table)) = events.try_next().await?
            {
                // The columns are those of `additionalPrinterColumns`, behind the name.
                let status = table["rows"][0]["cells"][1].as_str().unwrap_or("none").to_owned();
                let is_other = |known: &(String, Instant)| known.0 != status;
                sender.send_if_modified(|known| {
                    is_other(known) && {
                        *known = (status.clone(), Instant::now());
                        true
                    }
                });
            }
            anyhow::Ok(())
        });
        receiver.wait_for(|(status, _)| !status.is_empty()).await?;
        Ok(receiver)
    }

    async fn count_writes(&self) -> Result<(watch::Receiver<usize>, tokio::task::JoinHandle<Result<()>>)> {
        let (sender, receiver) = watch::channel(0);
        let (mut events, _) = self.watch().await?;
        let counting = tokio::spawn(async move {
            while let Some(event) = events.try_next().await? {
                if matches!(event, WatchEvent::Modified(_)) {
                    sender.send_modify(|count| *count += 1);
                }
            }
            Ok(())
        });
        Ok((receiver, counting))
    }

    async fn watch(
        &self,
    ) -> Result<(stream::BoxStream<'static, kube::Result<WatchEvent<DynamicObject>>>, String)> {
        let api = self.api("ConfigurationStatus");
        let version = api.get(TARGET).await?.resource_version().unwrap_or_default();
        let only = WatchParams::default().fields(&format!("metadata.name={TARGET}"));
        Ok((api.watch(&only, &version).await?.boxed(), version))
    }
}

/// Our controller, in a process of its own.
pub(crate) fn controller(kubeconfig: &Path) -> Result<Command> {
    allready(&["controller", "--no-leader-election", "--log", "warn", "--kubeconfig"], kubeconfig)
}

/// The command line as users have it; it stands beside this program.
fn allready(arguments: &[&str], kubeconfig: &Path) -> Result<Command> {
    let program = std::env::current_exe()?.with_file_name("allready");
    let mut command = Command::new(program);
    command.args(arguments).arg(kubeconfig).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    Ok(command)
}

async fn apply_one(
    api: &Api<DynamicObject>,
    name: &str,
    node: usize,
    reconciler: usize,
    good: bool,
) -> kube::Result<Duration> {
    let who = format!("speaker-node-{node}");
    let conditions = [condition(&format!("{who}/r{reconciler}Valid"), good, "")];
    let body =
        json!({ "apiVersion": GROUP, "kind": "ConfigurationStatus", "status": { "conditions": conditions } });
    let params = PatchParams::apply(&format!("{who}/r{reconciler}")).force();
    let start = Instant::now();
    api.patch_status(name, &params, &Patch::Apply(body)).await?;
    Ok(start.elapsed())
}

fn apply(node: usize) -> PatchParams {
    PatchParams::apply(&format!("speaker-node-{node}")).force()
}

fn report_name(node: usize) -> String {
    format!("{TARGET}.speaker.node-{node}")
}

fn condition(type_: &str, good: bool, message: &str) -> Value {
    let (status, reason) = if good { ("True", "SyncStateSuccess") } else { ("False", "ConfigError") };
    json!({ "type": type_, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-03-01T10:00:00Z" })
}

fn ready(object: &Value) -> Value {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().find(|condition| condition["type"] == "Ready").cloned().unwrap_or_default()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
