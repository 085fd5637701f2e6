//! The hub, two clusters that it knows from Secrets, and the controller that makes one status of theirs.

use std::{collections::BTreeMap, path::Path};

use allready_apiserver::{catalog, server::kubeconfig};
use allready_controller::hub::{
    HubController, ObjectName, Options, dns::endpoint_name, inventory::SecretInventory,
};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::{
    ADDRESSES,
    gateway::{self, AGGREGATION, GATEWAY, NAMESPACE, Said, WELL},
    seen::Seen,
    wire::Wire,
};
use crate::demo::{
    kubeconfig::Kubeconfig,
    stage::{Played, Server, administrator},
};

/// The namespace in which the hub keeps the kubeconfigs of its clusters.
pub(super) const CLUSTERS: &str = "allready-system";

/// A Gateway on a hub that answers for those of two clusters.
pub(in crate::demo) struct Hub {
    pub(super) kubeconfig: Kubeconfig,
    server: Server,
    spokes: BTreeMap<&'static str, Spoke>,
    controller: AbortHandle,
}

struct Spoke {
    server: Server,
    address: &'static str,
    wire: Wire,
}

impl Hub {
    /// A hub and its clusters, in which all is well.
    pub(in crate::demo) async fn gather(kubeconfig: &Path) -> Played<Self> {
        let ours = allready_kube::kinds::definitions().into_iter();
        let mut definitions = ours.map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        definitions.extend([catalog::gateway(), catalog::dns_endpoint()]);
        let hub = serve(definitions).await?;
        let kubeconfig = Kubeconfig::write(kubeconfig, &hub.listening.kubeconfig())?;
        hub.make_namespace(CLUSTERS).await?;

        let inventory = SecretInventory::new(hub.client.clone()).namespace(CLUSTERS);
        let options = Options { namespace: CLUSTERS.to_owned(), ..Options::default() };
        let controller =
            HubController { options, ..HubController::new(hub.client.clone(), Box::new(inventory)) };
        let controller = tokio::spawn(controller.run()).abort_handle();
        let mut hub = Self { kubeconfig, server: hub, spokes: BTreeMap::new(), controller };
        for (name, address) in ADDRESSES {
            hub.join(name, address).await?;
        }
        let aggregations = Api::<allready_kube::kinds::StatusAggregation>::all(hub.server.client.clone());
        aggregations.patch(AGGREGATION, &administrator(), &Patch::Apply(gateway::aggregation())).await?;
        Ok(hub)
    }

    /// A client of its server.
    pub(in crate::demo) fn client(&self) -> &Client {
        &self.server.client
    }

    /// A cluster joins the hub, as its Secret says.
    async fn join(&mut self, name: &'static str, address: &'static str) -> Played<()> {
        let server = serve(vec![catalog::gateway()]).await?;
        let wire = Wire::to(server.listening.address()).await?;
        let url = format!("https://{}", wire.address());
        let access = kubeconfig(&url, server.listening.ca(), server.api.token());
        self.spokes.insert(name, Spoke { server, address, wire });
        self.says(name, &WELL).await?;

        let mut secret = Secret::default();
        secret.metadata.name = Some(name.to_owned());
        secret.metadata.labels = Some(BTreeMap::from([("allready.dev/cluster".to_owned(), name.to_owned())]));
        secret.data = Some(BTreeMap::from([("kubeconfig".to_owned(), ByteString(access.into_bytes()))]));
        self.secrets().create(&PostParams::default(), &secret).await?;
        Ok(())
    }

    /// Writes the status that the implementation in a cluster gives its Gateway.
    pub(super) async fn says(&self, cluster: &str, said: &Said) -> Played<()> {
        let Spoke { server, address, .. } = self.spoke(cluster)?;
        let apply = PatchParams::apply("implementation").force();
        let status = gateway::status(address, said);
        gateways(&server.client).patch_status(GATEWAY, &apply, &Patch::Apply(status)).await?;
        Ok(())
    }

    /// The connection to a cluster, which can be cut.
    pub(super) fn wire(&self, cluster: &str) -> Played<&Wire> {
        Ok(&self.spoke(cluster)?.wire)
    }

    /// Removes a cluster from the hub, on purpose.
    pub(super) async fn forget(&self, cluster: &str) -> Played<()> {
        let aggregations = Api::<allready_kube::kinds::StatusAggregation>::all(self.server.client.clone());
        let removed = json!({ "metadata": { "annotations": { "allready.dev/remove-clusters": cluster } } });
        aggregations.patch(AGGREGATION, &PatchParams::default(), &Patch::Merge(removed)).await?;
        self.secrets().delete(cluster, &DeleteParams::default()).await?;
        Ok(())
    }

    /// Reads the hub.
    pub(super) async fn look(&self) -> Played<Seen> {
        let gateway = gateways(&self.server.client).get(GATEWAY).await?;
        let name = endpoint_name(&gateway::gateways().kind, &ObjectName::new(NAMESPACE, GATEWAY));
        let endpoint = api(&self.server.client, &gateway::endpoints()).get_opt(&name).await?;
        Ok(Seen::read(&serde_json::to_value(gateway)?, &serde_json::to_value(endpoint)?))
    }

    pub(in crate::demo) async fn leaves(self) {
        self.controller.abort();
        for spoke in self.spokes.into_values() {
            drop(spoke.wire);
            spoke.server.listening.shutdown().await;
        }
        self.server.listening.shutdown().await;
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.server.client.clone(), CLUSTERS)
    }

    fn spoke(&self, cluster: &str) -> Played<&Spoke> {
        self.spokes.get(cluster).ok_or_else(|| format!("there is no cluster {cluster}").into())
    }
}

/// A server with these definitions and the Gateway.
async fn serve(definitions: Vec<Value>) -> Played<Server> {
    let server = Server::start(definitions, NAMESPACE).await?;
    gateways(&server.client).patch(GATEWAY, &administrator(), &Patch::Apply(gateway::gateway())).await?;
    Ok(server)
}

fn gateways(client: &Client) -> Api<DynamicObject> {
    api(client, &gateway::gateways())
}

fn api(client: &Client, resource: &ApiResource) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), resource)
}
