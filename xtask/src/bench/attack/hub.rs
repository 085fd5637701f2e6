//! Attacks on a hub: a tenant asks for more than there is, while a Gateway of somebody else changes.

use std::path::Path;
use std::time::{Duration, Instant};

use allready_apiserver::server::Listening;
use allready_apiserver::{ApiServer, catalog};
use anyhow::{Result, bail};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::sleep;

use super::{PATIENCE, peak_of, start};
use crate::bench::hub::fleet::{self, NAMESPACE};

/// The objects of the tenant, and the clusters that each of them names.
const GATEWAYS: usize = 30;
const NAMES: usize = 40_000;
const TENANT: &str = "tenant";
/// The changes before the attack, and at least as many in it and after it.
const CHANGES: usize = 20;

/// The clusters that wish ill, and what each of them has: Gateways with 64 listeners whose names are as long as they may be.
const SPOKES: usize = 24;
const LARGE: usize = 1_000;
/// The Gateways of a tenant, each with 64 listeners whose names and hostnames are as long as they may be.
const OBJECTS: usize = 8_000;
/// How many of them are made at a time.
const AT_ONCE: usize = 4;
/// The time for which they are watched.
const LASTS: Duration = Duration::from_mins(1);

/// The figures of a tenant who asks for too much.
pub(super) struct Exhausted {
    pub(super) peak: u64,
    pub(super) calm: Duration,
    pub(super) during: Duration,
}

/// A hub with one Gateway that is in one cluster.
struct Stage {
    client: Client,
    web: Api<DynamicObject>,
    instance: Api<DynamicObject>,
    controller: Child,
    clusters: TempDir,
    turn: usize,
    calm: Duration,
    _servers: [ApiServer; 2],
    _listening: [Listening; 2],
    _directory: TempDir,
}

impl Stage {
    async fn set(program: &Path) -> Result<Self> {
        let definitions = allready_kube::kinds::definitions();
        let definitions = definitions.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        let (hub, client) = fleet::server(definitions.into_iter().chain([catalog::gateway()])).await?;
        for namespace in [TENANT, "allready-system"] {
            fleet::make_namespace(&client, namespace).await?;
        }
        let (cluster, spoke) = fleet::server([catalog::gateway()]).await?;
        let (directory, clusters) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let kubeconfig = directory.path().join("kubeconfig");
        let listening = [
            fleet::listen(&hub, &kubeconfig).await?,
            fleet::listen(&cluster, &clusters.path().join("c-000.kubeconfig")).await?,
        ];
        let aggregation = json!({
            "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation", "metadata": { "name": "gateways" },
            "spec": {
                "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
                "placement": { "type": "Annotated" },
                "conditions": [{ "type": "Programmed" }],
                "rows": ["Listeners"],
            },
        });
        let aggregations: Api<DynamicObject> = Api::all_with(client.clone(), &ours("StatusAggregation"));
        aggregations.create(&PostParams::default(), &serde_json::from_value(aggregation)?).await?;
        let (web, instance) = (gateways(&client, NAMESPACE), gateways(&spoke, NAMESPACE));
        web.create(&PostParams::default(), &gateway(0, "c-000")?).await?;
        instance.create(&PostParams::default(), &gateway(0, "")?).await?;
        let source = format!("dir:{}", clusters.path().display());
        let controller = start(
            program,
            &kubeconfig,
            &[
                "--no-leader-election",
                "--no-dns",
                "--hub-namespace",
                "allready-system",
                "--clusters",
                &source,
            ],
        )?;
        let mut stage = Self {
            client,
            web,
            instance,
            controller,
            clusters,
            turn: 0,
            calm: Duration::ZERO,
            _servers: [hub, cluster],
            _listening: listening,
            _directory: directory,
        };
        // The first change waits until everything has been listed.
        stage.change().await?;
        for _ in 0..CHANGES {
            stage.calm = stage.calm.max(stage.change().await?);
        }
        Ok(stage)
    }

    async fn change(&mut self) -> Result<Duration> {
        change(&self.instance, &self.web, &mut self.turn).await
    }
}

/// A tenant annotates Gateways with thousands of clusters that do not exist.
pub(super) async fn tenant(program: &Path) -> Result<Exhausted> {
    let mut stage = Stage::set(program).await?;
    let names: Vec<String> = (0..NAMES).map(|name| format!("{name:05}")).collect();
    let attacked = gateways(&stage.client, TENANT);
    let attack = tokio::spawn(async move {
        for number in 0..GATEWAYS {
            attacked.create(&PostParams::default(), &gateway(number, &names.join(","))?).await?;
        }
        anyhow::Ok(())
    });
    let (mut during, mut left) = (Duration::ZERO, CHANGES);
    while left > 0 {
        during = during.max(stage.change().await?);
        left -= usize::from(attack.is_finished());
    }
    attack.await??;
    Ok(Exhausted { peak: peak_of(&stage.controller)?, calm: stage.calm, during })
}

/// Many clusters have as much as a cluster may have: one server, by many names.
pub(super) async fn spokes(program: &Path) -> Result<Exhausted> {
    let mut stage = Stage::set(program).await?;
    let (hostile, client) = fleet::server([catalog::gateway()]).await?;
    let large = gateways(&client, NAMESPACE);
    let listeners = (0..64).map(|number| {
        json!({ "name": format!("{number:02}{}", "a".repeat(250)), "attachedRoutes": 0, "supportedKinds": [],
            "conditions": [] })
    });
    let body = json!({ "status": { "listeners": listeners.collect::<Value>() } });
    for number in 0..LARGE {
        large.create(&PostParams::default(), &gateway(number, "")?).await?;
        large.patch_status(&fleet::name(number), &PatchParams::default(), &Patch::Merge(&body)).await?;
    }
    let first = stage.clusters.path().join("x-000.kubeconfig");
    let _listening = fleet::listen(&hostile, &first).await?;
    for number in 1..SPOKES {
        std::fs::copy(&first, stage.clusters.path().join(format!("x-{number:03}.kubeconfig")))?;
    }
    let (began, mut during) = (Instant::now(), Duration::ZERO);
    while began.elapsed() < LASTS {
        during = during.max(stage.change().await?);
    }
    Ok(Exhausted { peak: peak_of(&stage.controller)?, calm: stage.calm, during })
}

/// A tenant fills the hub with Gateways that are as large as they may be.
pub(super) async fn objects(program: &Path) -> Result<Exhausted> {
    let mut stage = Stage::set(program).await?;
    let large = gateways(&stage.client, TENANT);
    let attack = tokio::spawn(async move {
        let listeners = (0..64).map(|number| {
            let hostname = format!("{number:02}.{}example.com", "a23456789.".repeat(23));
            json!({ "name": format!("{number:02}{}", "a".repeat(250)), "port": 80, "protocol": "HTTP", "hostname": hostname })
        });
        let listeners: Value = listeners.collect();
        let all = (0..OBJECTS).map(|number| {
            let (large, listeners) = (large.clone(), listeners.clone());
            async move {
                let mut object = gateway(number, "c-000")?;
                object.data["spec"]["listeners"] = listeners;
                large.create(&PostParams::default(), &object).await?;
                anyhow::Ok(())
            }
        });
        stream::iter(all).buffer_unordered(AT_ONCE).try_collect::<()>().await
    });
    let (mut during, mut left) = (Duration::ZERO, CHANGES);
    while left > 0 {
        during = during.max(stage.change().await?);
        left -= usize::from(attack.is_finished());
    }
    attack.await??;
    Ok(Exhausted { peak: peak_of(&stage.controller)?, calm: stage.calm, during })
}

fn ours(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("allready.dev", "v1alpha1", kind))
}

/// Changes what the cluster says, and waits until the hub says so; returns how long that took.
async fn change(
    instance: &Api<DynamicObject>,
    web: &Api<DynamicObject>,
    turn: &mut usize,
) -> Result<Duration> {
    *turn += 1;
    let status = if (*turn).is_multiple_of(2) { "True" } else { "False" };
    let condition = json!({ "type": "Programmed", "status": status, "reason": "Programmed", "message": "",
        "observedGeneration": 1, "lastTransitionTime": "2026-03-01T10:00:00Z" });
    let body = json!({ "status": { "conditions": [condition] } });
    instance.patch_status(&fleet::name(0), &PatchParams::default(), &Patch::Merge(body)).await?;
    let accepted = Instant::now();
    while programmed(&web.get(&fleet::name(0)).await?) != status {
        if accepted.elapsed() > PATIENCE {
            bail!("the hub has not said {status} within {PATIENCE:?}");
        }
        sleep(Duration::from_millis(2)).await;
    }
    let taken = accepted.elapsed();
    // Slow enough not to be paced.
    sleep(Duration::from_millis(300)).await;
    Ok(taken)
}

fn programmed(object: &DynamicObject) -> &str {
    let conditions = object.data["status"]["conditions"].as_array().into_iter().flatten();
    let programmed = conditions.into_iter().find(|condition| condition["type"] == "Programmed");
    programmed.and_then(|programmed| programmed["status"].as_str()).unwrap_or_default()
}

fn gateways(client: &Client, namespace: &str) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), namespace, &fleet::gateway_resource())
}

fn gateway(number: usize, clusters: &str) -> Result<DynamicObject> {
    let mut object: Value = fleet::object(number);
    if !clusters.is_empty() {
        object["metadata"]["annotations"] = json!({ "allready.dev/clusters": clusters });
    }
    Ok(serde_json::from_value(object)?)
}
