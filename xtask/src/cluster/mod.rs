//! A whole control plane without containers: everything that runs in a cluster, except what pods would run.
//!
//! The programs are built from their Go modules and cached, as those of [`real`] are. `xtask/cluster/stages.yaml`
//! describes the kubelets.

mod scenario;
pub mod test;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use http::Method;
use serde_json::{Value, json};

use crate::client::{Call, Client};
use crate::real::{self, Environment};
use crate::{kubeconfig, printer};

const STAGES: &str = include_str!("../../cluster/stages.yaml");
/// The time within which nodes are to be ready, and namespaces to have their service account.
const PATIENCE: Duration = Duration::from_mins(1);

/// Returns the directory of a cluster that nobody gave one.
pub fn default_directory(environment: &Environment) -> PathBuf {
    environment.cache.join("cluster")
}

/// The number of nodes that are made at the same time.
const AT_ONCE: usize = 16;

/// Starts a control plane with this many nodes, or finds it running, and returns the path of its kubeconfig.
pub async fn up(environment: &Environment, directory: &Path, nodes: usize) -> Result<PathBuf> {
    let start = Instant::now();
    // The leases of many nodes are renewed less often.
    let lost_after = Duration::from_secs(12.max(nodes as u64 / 4));
    let kubeconfig = real::up_control_plane(environment, directory, STAGES, lost_after).await?;
    let client = Client::new(kubeconfig::read(&kubeconfig)?)?;
    stream::iter(1..=nodes)
        .map(|number| {
            let client = &client;
            async move { create(client, "/api/v1/nodes", &node(&format!("node-{number}"))).await }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    wait_until("the nodes are ready", || ready_nodes(&client, nodes)).await?;
    wait_until("the namespace default has a service account", || has_account(&client)).await?;
    printer::note(format!("{nodes} nodes are ready after {:.1} s", start.elapsed().as_secs_f64()));
    Ok(kubeconfig)
}

fn node(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": name, "labels": { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } },
    })
}

/// Creates an object, unless it is there.
pub(crate) async fn create(client: &Client, path: &str, object: &Value) -> Result<()> {
    let call = Call {
        method: Method::POST,
        path: path.to_owned(),
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body: object.to_string().into(),
        token: None,
    };
    let answer = client.send(&call).await?;
    if !answer.status.is_success() && answer.status.as_u16() != 409 {
        bail!("POST {path}: {}", String::from_utf8_lossy(&answer.body));
    }
    Ok(())
}

async fn ready_nodes(client: &Client, expected: usize) -> Result<bool> {
    let list: Value = serde_json::from_slice(&client.get("/api/v1/nodes").await?.body)?;
    let is_ready = |node: &&Value| {
        let conditions = node["status"]["conditions"].as_array();
        conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True")
    };
    Ok(list["items"].as_array().into_iter().flatten().filter(is_ready).count() >= expected)
}

async fn has_account(client: &Client) -> Result<bool> {
    Ok(client.get("/api/v1/namespaces/default/serviceaccounts/default").await?.status.is_success())
}

async fn wait_until<F: Future<Output = Result<bool>>>(what: &str, holds: impl Fn() -> F) -> Result<()> {
    let start = Instant::now();
    while !holds().await? {
        if start.elapsed() > PATIENCE {
            bail!("timed out after {PATIENCE:?} until {what}");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
