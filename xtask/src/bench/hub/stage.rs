//! The hub: its API server, the controller in a process of its own, and a watch that sees what it writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use allready_apiserver::server::Listening;
use allready_apiserver::{ApiServer, catalog};
use anyhow::{Context as _, Result, bail};
use futures::TryStreamExt as _;
use kube::api::{ApiResource, DynamicObject, ListParams, PostParams};
use kube::core::GroupVersionKind;
use kube::runtime::watcher;
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::fleet::{self, Fleet, NAMESPACE};
use super::said::{Reported, Shown, have_room, reported};
use crate::bench::controller::memory;
use crate::real::processor_time_of;

/// The program that is weighed; it stands beside this one.
pub(super) const PROGRAM: &str = "hub-controller";
/// How long anything may take before the benchmark gives up.
const PATIENCE: Duration = Duration::from_mins(5);

pub(super) struct Stage {
    client: Client,
    sights: Vec<watch::Receiver<Sight>>,
    kubeconfig: PathBuf,
    controller: Option<Child>,
    watching: JoinHandle<()>,
    _directory: tempfile::TempDir,
    _listening: Listening,
    _server: ApiServer,
}

/// A Gateway of the hub as the watch saw it last.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) shown: Shown,
    pub(super) at: Instant,
    /// How often it has been written.
    pub(super) writes: usize,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Stage {
    /// The server with the Gateways on it and the aggregation of them; nobody acts on it yet.
    pub(super) async fn set(gateways: usize) -> Result<Self> {
        let definitions =
            allready_kube::kinds::definitions().into_iter().map(|kind| serde_json::to_value(&kind));
        let definitions: Vec<Value> = definitions.collect::<Result<_, _>>()?;
        let (server, client) = fleet::server(definitions.into_iter().chain([catalog::gateway()])).await?;
        fleet::make_namespace(&client, "allready-system").await?;
        let directory = tempfile::tempdir()?;
        let kubeconfig = directory.path().join("kubeconfig");
        let listening = fleet::listen(&server, &kubeconfig).await?;
        let api: Api<DynamicObject> =
            Api::namespaced_with(client.clone(), NAMESPACE, &fleet::gateway_resource());
        for gateway in 0..gateways {
            api.create(&PostParams::default(), &serde_json::from_value(fleet::object(gateway))?).await?;
        }
        let aggregation = json!({
            "apiVersion": "allready.dev/v1alpha1",
            "kind": "StatusAggregation",
            "metadata": { "name": "gateways" },
            "spec": {
                "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
                "conditions": [{ "type": "Programmed" }, { "type": "Accepted" }],
                "rows": ["Addresses", "Listeners"],
            },
        });
        let aggregations: Api<DynamicObject> = Api::all_with(client.clone(), &ours("StatusAggregation"));
        aggregations.create(&PostParams::default(), &serde_json::from_value(aggregation)?).await?;
        let (sights, watching) = watch_all(api, gateways);
        Ok(Self {
            client,
            sights,
            kubeconfig,
            controller: None,
            watching,
            _directory: directory,
            _listening: listening,
            _server: server,
        })
    }

    pub(super) fn start_controller(&mut self, fleet: &Fleet) -> Result<()> {
        let program = std::env::current_exe()?.with_file_name(PROGRAM);
        let mut command = Command::new(program);
        command.arg(&self.kubeconfig).arg(fleet.directory());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).kill_on_drop(true);
        self.controller = Some(command.spawn()?);
        Ok(())
    }

    /// The sight of a Gateway as soon as it shows what the clusters say.
    pub(super) async fn until_right(&self, fleet: &Fleet, gateway: usize) -> Result<Sight> {
        let expected = fleet.expected(gateway);
        let mut sights = self.sights[gateway].clone();
        let seen = tokio::time::timeout(PATIENCE, sights.wait_for(|sight| sight.shown == expected)).await;
        if let Ok(seen) = seen {
            return Ok(seen.context("the watch of the hub ended")?.clone());
        }
        let shown = self.sights[gateway].borrow().shown.clone();
        bail!("the hub is wrong about Gateway {gateway}:\n  it says   {shown:?}\n  should be {expected:?}")
    }

    /// When every Gateway showed what the clusters say.
    pub(super) async fn until_all_right(&self, fleet: &Fleet) -> Result<Option<Instant>> {
        let mut last = None;
        for gateway in 0..fleet.gateways() {
            last = last.max(Some(self.until_right(fleet, gateway).await?.at));
        }
        Ok(last)
    }

    /// Fails unless every Gateway, as the server has it now, shows what the clusters say.
    pub(super) async fn is_right(&self, fleet: &Fleet) -> Result<()> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), NAMESPACE, &fleet::gateway_resource());
        for gateway in 0..fleet.gateways() {
            let object = serde_json::to_value(api.get(&fleet::name(gateway)).await?)?;
            let (shown, expected) = (Shown::read(&object), fleet.expected(gateway));
            if shown != expected {
                bail!(
                    "the hub is wrong about Gateway {gateway}:\n  it says   {shown:?}\n  should be {expected:?}"
                );
            }
        }
        Ok(())
    }

    /// Waits, by looking, until what has no room in the Gateways stands in reports as the clusters say it.
    pub(super) async fn until_reported(&self, fleet: &Fleet) -> Result<()> {
        let expected: BTreeMap<_, _> = fleet
            .said()
            .filter(|_| !have_room(fleet.clusters()))
            .map(|(gateway, cluster, said)| ((fleet::name(gateway), cluster.to_owned()), said.reported()))
            .collect();
        let give_up = Instant::now() + PATIENCE;
        loop {
            let found = self.reports().await?;
            if found == expected {
                return Ok(());
            }
            if Instant::now() > give_up {
                let right = found.iter().filter(|(of, report)| expected.get(*of) == Some(report)).count();
                bail!(
                    "{right} of {} reports on instances are right, there are {}",
                    expected.len(),
                    found.len()
                );
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn reports(&self) -> Result<BTreeMap<(String, String), Reported>> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), NAMESPACE, &ours("InstanceStatus"));
        let mut reports = BTreeMap::new();
        for report in api.list(&ListParams::default()).await? {
            let report = serde_json::to_value(&report)?;
            let text = |field: &str| report["spec"][field].as_str().unwrap_or_default().to_owned();
            let target = report["spec"]["targetRef"]["name"].as_str().unwrap_or_default().to_owned();
            reports.insert((target, text("cluster")), reported(&report));
        }
        Ok(reports)
    }

    /// How often a Gateway has been written.
    pub(super) fn writes(&self, gateway: usize) -> usize {
        self.sights[gateway].borrow().writes
    }

    /// How often all of them have been.
    pub(super) fn all_writes(&self) -> usize {
        (0..self.sights.len()).map(|gateway| self.writes(gateway)).sum()
    }

    /// The processor time that the controller has used.
    pub(super) fn processor_time(&self) -> Result<Duration> {
        processor_time_of(self.controller()?).context("no processor time")
    }

    /// The memory of the controller in bytes: now, and the most that it ever had.
    pub(super) fn memory(&self) -> Result<[u64; 2]> {
        memory(self.controller()?)
    }

    fn controller(&self) -> Result<u32> {
        self.controller.as_ref().and_then(Child::id).context("the controller has ended")
    }
}

fn ours(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("allready.dev", "v1alpha1", kind))
}

fn watch_all(api: Api<DynamicObject>, gateways: usize) -> (Vec<watch::Receiver<Sight>>, JoinHandle<()>) {
    let first = Sight { shown: Shown::default(), at: Instant::now(), writes: 0 };
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..gateways).map(|_| watch::channel(first.clone())).unzip();
    let names: BTreeMap<_, _> = (0..gateways).map(|gateway| (fleet::name(gateway), gateway)).collect();
    let watching = tokio::spawn(async move {
        let events = watcher(api, watcher::Config::default());
        let mut events = std::pin::pin!(events);
        // An error is followed by another attempt.
        loop {
            let Ok(Some(event)) = events.try_next().await else { continue };
            let (object, is_write) = match event {
                watcher::Event::Apply(object) => (object, 1),
                watcher::Event::InitApply(object) => (object, 0),
                _ => continue,
            };
            let at = Instant::now();
            let Some(gateway) = names.get(&object.name_any()) else { continue };
            let shown = Shown::read(&serde_json::to_value(&object).unwrap_or_default());
            senders[*gateway].send_modify(|sight| {
                *sight = Sight { shown, at, writes: sight.writes + is_write };
            });
        }
    });
    (receivers, watching)
}
