//! The clusters: an API server with a port and a store of its own for each, with the same Gateways in all of them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use allready_apiserver::server::Listening;
use allready_apiserver::{ApiServer, catalog};
use anyhow::Result;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::said::{LISTENERS, Said, Shown};

pub(in crate::bench) const NAMESPACE: &str = "bench";
/// How many requests are under way at a time while much is written.
const AT_ONCE: usize = 32;

pub(super) struct Fleet {
    names: Vec<String>,
    clusters: Vec<Cluster>,
    /// By Gateway, then by cluster.
    said: Vec<Vec<Said>>,
    /// How many changes there have been: each says something that was never said before.
    changes: usize,
    directory: tempfile::TempDir,
}

struct Cluster {
    gateways: Api<DynamicObject>,
    _listening: Listening,
    _server: ApiServer,
}

/// How what a cluster says changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A Gateway is not programmed any more.
    Bad,
    /// It is still not programmed, in other words.
    Words,
    /// It is programmed again.
    Good,
    /// Another number of routes is attached.
    Routes,
    /// It has another address.
    Address,
}

impl Fleet {
    /// Starts the servers, each with the Gateways in it, and writes a kubeconfig for each.
    pub(super) async fn start(clusters: usize, gateways: usize) -> Result<Self> {
        let first = |cluster: usize| Said {
            trouble: None,
            address: format!("10.0.{}.{}", cluster / 256, cluster % 256),
            routes: 1,
        };
        let mut fleet = Self {
            names: (0..clusters).map(|cluster| format!("c-{cluster:03}")).collect(),
            clusters: Vec::new(),
            said: (0..gateways).map(|_| (0..clusters).map(first).collect()).collect(),
            changes: 0,
            directory: tempfile::tempdir()?,
        };
        for name in &fleet.names {
            let (server, client) = server([catalog::gateway()]).await?;
            let listening =
                listen(&server, &fleet.directory.path().join(format!("{name}.kubeconfig"))).await?;
            let gateways = Api::namespaced_with(client, NAMESPACE, &gateway_resource());
            fleet.clusters.push(Cluster { gateways, _listening: listening, _server: server });
        }
        let fleet_ref = &fleet;
        fleet
            .everywhere(|gateway, cluster| async move {
                let api = &fleet_ref.clusters[cluster].gateways;
                api.create(&PostParams::default(), &serde_json::from_value(object(gateway))?).await?;
                fleet_ref.write(gateway, cluster).await
            })
            .await?;
        Ok(fleet)
    }

    /// Where the kubeconfigs are.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn clusters(&self) -> usize {
        self.names.len()
    }

    pub(super) fn gateways(&self) -> usize {
        self.said.len()
    }

    /// What every cluster says of every Gateway, with the name of the cluster.
    pub(super) fn said(&self) -> impl Iterator<Item = (usize, &str, &Said)> {
        self.said.iter().enumerate().flat_map(|(gateway, said)| {
            self.names.iter().zip(said).map(move |(name, said)| (gateway, name.as_str(), said))
        })
    }

    /// What the hub should show of a Gateway.
    pub(super) fn expected(&self, gateway: usize) -> Shown {
        let said: Vec<_> = self.names.iter().map(String::as_str).zip(&self.said[gateway]).collect();
        Shown::of(&said)
    }

    /// A cluster in which a Gateway is programmed, or is not; counted from somewhere, so that all have their turn.
    pub(super) fn find(&self, gateway: usize, is_programmed: bool, from: usize) -> Option<usize> {
        let clusters = self.clusters();
        (0..clusters)
            .map(|step| (from + step) % clusters)
            .find(|cluster| self.said[gateway][*cluster].trouble.is_none() == is_programmed)
    }

    /// Decides what a cluster says from now on. It is not written yet.
    pub(super) fn change(&mut self, gateway: usize, cluster: usize, change: Change) {
        self.changes += 1;
        let changes = self.changes;
        let said = &mut self.said[gateway][cluster];
        match change {
            // Short enough for all clusters to be told within the bounds of a message.
            Change::Bad | Change::Words => said.trouble = Some(format!("bad {:x}", changes & 0xffff)),
            Change::Good => said.trouble = None,
            Change::Routes => said.routes += 1,
            Change::Address => {
                said.address =
                    format!("10.{}.{}.{}", 1 + changes / 65536 % 255, changes / 256 % 256, changes % 256);
            }
        }
    }

    /// Writes what a cluster says of a Gateway. Says when the server had accepted it.
    pub(super) async fn write(&self, gateway: usize, cluster: usize) -> Result<Instant> {
        let body = json!({ "status": self.said[gateway][cluster].status() });
        let api = &self.clusters[cluster].gateways;
        api.patch_status(&name(gateway), &PatchParams::default(), &Patch::Merge(body)).await?;
        Ok(Instant::now())
    }

    /// Writes what all clusters say of a Gateway, as fast as they can.
    pub(super) async fn write_all_of(&self, gateway: usize) -> Result<Vec<Instant>> {
        futures::future::try_join_all((0..self.clusters()).map(|cluster| self.write(gateway, cluster))).await
    }

    /// Writes what all clusters say of all Gateways, as fast as they can. Says when the last was accepted.
    pub(super) async fn write_all(&self) -> Result<Option<Instant>> {
        self.everywhere(|gateway, cluster| self.write(gateway, cluster)).await
    }

    /// One cluster after the other, so that all Gateways change all the time.
    async fn everywhere<F: Future<Output = Result<Instant>>>(
        &self,
        mut act: impl FnMut(usize, usize) -> F,
    ) -> Result<Option<Instant>> {
        let all = (0..self.clusters())
            .flat_map(|cluster| (0..self.gateways()).map(move |gateway| (gateway, cluster)));
        let acts =
            stream::iter(all).map(|(gateway, cluster)| act(gateway, cluster)).buffer_unordered(AT_ONCE);
        acts.try_fold(None, |last, at| async move { Ok(last.max(Some(at))) }).await
    }
}

/// A server with these kinds and the namespace of the benchmark, and a client of it without a socket.
pub(in crate::bench) async fn server(
    definitions: impl IntoIterator<Item = Value>,
) -> Result<(ApiServer, Client)> {
    let server = ApiServer::builder().crds(definitions).build()?;
    let client = Client::new(server.service(), NAMESPACE);
    make_namespace(&client, NAMESPACE).await?;
    Ok((server, client))
}

pub(in crate::bench) async fn make_namespace(client: &Client, name: &str) -> Result<()> {
    let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
    Ok(())
}

/// Listens with HTTPS, as clusters do, and writes the kubeconfig.
pub(in crate::bench) async fn listen(server: &ApiServer, kubeconfig: &Path) -> Result<Listening> {
    let listening = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    std::fs::write(kubeconfig, listening.kubeconfig())?;
    Ok(listening)
}

pub(in crate::bench) fn gateway_resource() -> ApiResource {
    ApiResource {
        group: "gateway.networking.k8s.io".to_owned(),
        version: "v1".to_owned(),
        api_version: "gateway.networking.k8s.io/v1".to_owned(),
        kind: "Gateway".to_owned(),
        plural: "gateways".to_owned(),
    }
}

pub(in crate::bench) fn name(gateway: usize) -> String {
    format!("gateway-{gateway}")
}

/// A Gateway, on the hub as in the clusters.
pub(in crate::bench) fn object(gateway: usize) -> Value {
    let listener = |listener: &str| {
        json!({ "name": listener, "port": 80, "protocol": "HTTP",
            "hostname": format!("{listener}.gateway-{gateway}.example.com") })
    };
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": { "name": name(gateway) },
        "spec": { "gatewayClassName": "bench", "listeners": LISTENERS.map(listener) },
    })
}
