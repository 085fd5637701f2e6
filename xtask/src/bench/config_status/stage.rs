//! A server, nodes, reports and the aggregator, each in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{StreamExt as _, TryStreamExt as _, stream};
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

pub(super) struct Stage {
    pub(super) server: &'static str,
    client: Client,
    kubeconfig: PathBuf,
    aggregator: Option<Child>,
    _directory: tempfile::TempDir,
    _server: Server,
}

#[expect(dead_code, reason = "the servers are held so that they live")]
enum Server {
    Embedded(Child),
    Real(Private),
}

impl Stage {
    pub(super) async fn embedded() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let kubeconfig = directory.path().join("kubeconfig");
        let child = allready(&["apiserver", "--kubeconfig"], &kubeconfig)?;
        let start = Instant::now();
        while !kubeconfig.exists() {
            anyhow::ensure!(start.elapsed() < Duration::from_secs(10), "the embedded server did not start");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Self::set("embedded", kubeconfig, directory, Server::Embedded(child)).await
    }

    pub(super) async fn real(environment: &Environment) -> Result<Self> {
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
        let config =
            kube::Config::from_custom_kubeconfig(Kubeconfig::read_from(&kubeconfig)?, &options).await?;
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
        Ok(Self { server, client, kubeconfig, aggregator: None, _directory: directory, _server: held })
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

    pub(super) async fn make_nodes(&self, nodes: usize) -> Result<()> {
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

    pub(super) async fn start_aggregator(&mut self) -> Result<()> {
        let spec = json!({ "components": [{ "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } },
            "reconcilers": ["r0", "r1", "r2", "r3"] }] });
        let object = json!({ "apiVersion": GROUP, "kind": "ConfigurationStatus",
            "metadata": { "name": TARGET }, "spec": spec });
        self.api("ConfigurationStatus")
            .create(&PostParams::default(), &serde_json::from_value(object)?)
            .await?;
        let arguments = ["controller", "--no-leader-election", "--log", "warn", "--kubeconfig"];
        self.aggregator = Some(allready(&arguments, &self.kubeconfig)?);
        self.until(|ready, _| ready["status"] == "Unknown").await.map(drop)
    }

    /// Every reconciler of every node reports for the first time. How long until all is ready, and how often the object was
    /// written meanwhile.
    pub(super) async fn storm(&self, nodes: usize, reconcilers: usize) -> Result<(Duration, usize)> {
        let (counted, counting) = self.count_writes().await?;
        let start = Instant::now();
        stream::iter(0..nodes)
            .map(|node| async move {
                self.make_report(node).await?;
                for reconciler in 0..reconcilers {
                    self.report(node, reconciler + 1, true).await?;
                }
                anyhow::Ok(())
            })
            .buffer_unordered(CLIENTS)
            .try_collect::<()>()
            .await?;
        let all = format!("{nodes} of {nodes} ready");
        self.until(|ready, _| ready["message"] == all.as_str()).await?;
        let taken = start.elapsed();
        let writes = *counted.borrow();
        counting.abort();
        Ok((taken, writes))
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

    /// Makes Ready turn, and takes the time from when the report was accepted until Ready has changed: median and 99 of 100.
    pub(super) async fn turns(&self, turns: usize, rest: Duration) -> Result<[Duration; 2]> {
        let mut times = Vec::new();
        for turn in 0..turns {
            let good = turn % 2 == 1;
            let wanted = if good { "True" } else { "False" };
            let turned = self.turned(wanted).await?;
            self.report(turn / 2, 4, good).await?;
            let accepted = Instant::now();
            let seen = tokio::time::timeout(Duration::from_secs(30), turned)
                .await
                .context("Ready did not turn")???;
            times.push(seen.saturating_duration_since(accepted));
            tokio::time::sleep(rest).await;
        }
        times.sort_unstable();
        Ok([times[times.len() / 2], times[(times.len() * 99).div_ceil(100) - 1]])
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

    fn aggregator(&self) -> Result<u32> {
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

    /// When a watch sees that Ready has this status. The watch is there when this returns.
    async fn turned(&self, wanted: &'static str) -> Result<tokio::task::JoinHandle<Result<Instant>>> {
        let (mut events, _) = self.watch().await?;
        Ok(tokio::spawn(async move {
            while let Some(event) = events.try_next().await? {
                if let WatchEvent::Modified(object) = event
                    && ready(&serde_json::to_value(&object)?)["status"] == wanted
                {
                    return Ok(Instant::now());
                }
            }
            bail!("the watch ended")
        }))
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

/// Starts the command line as users have it; it stands beside this program.
fn allready(arguments: &[&str], kubeconfig: &Path) -> Result<Child> {
    let program = std::env::current_exe()?.with_file_name("allready");
    let mut command = Command::new(program);
    command.args(arguments).arg(kubeconfig).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    Ok(command.spawn()?)
}

async fn apply_one(
    api: &Api<DynamicObject>,
    name: &str,
    node: usize,
    reconciler: usize,
    good: bool,
) -> Result<Duration> {
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
