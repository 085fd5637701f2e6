//! Who plays: a hub, two clusters that it knows from Secrets, and the controller that makes one status of theirs.

use std::{collections::BTreeMap, net::SocketAddr, path::Path};

use allready_apiserver::{
    ApiServer, catalog,
    server::{Listening, kubeconfig},
};
use allready_controller::hub::{
    HubController, ObjectName, Options, dns::endpoint_name, inventory::SecretInventory,
};
use k8s_openapi::{
    ByteString,
    api::core::v1::{Namespace, Secret},
};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::{
    gateway::{self, AGGREGATION, GATEWAY, NAMESPACE, Said, WELL},
    seen::Seen,
    wire::Wire,
};
use crate::demo::{kubeconfig::Kubeconfig, stage::Played};

/// Where the hub keeps the kubeconfigs of its clusters.
pub(super) const CLUSTERS: &str = "allready-system";

/// Everybody on the stage.
pub(super) struct Cast {
    pub(super) kubeconfig: Kubeconfig,
    hub: Server,
    spokes: BTreeMap<&'static str, Spoke>,
    controller: AbortHandle,
}

struct Server {
    client: Client,
    listening: Listening,
}

struct Spoke {
    server: Server,
    address: &'static str,
    wire: Wire,
}

impl Cast {
    /// A hub with these clusters, each with the address of its Gateway, in which all is well.
    pub(super) async fn gather(clusters: &[(&'static str, &'static str)], kubeconfig: &Path) -> Played<Self> {
        let ours = allready_kube::kinds::definitions().into_iter();
        let mut definitions = ours.map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        definitions.extend([catalog::gateway(), catalog::dns_endpoint()]);
        let (_, hub) = serve(definitions).await?;
        let kubeconfig = Kubeconfig::write(kubeconfig, &hub.listening.kubeconfig())?;
        make_namespace(&hub.client, CLUSTERS).await?;

        let inventory = SecretInventory::new(hub.client.clone()).namespace(CLUSTERS);
        let options = Options { namespace: CLUSTERS.to_owned(), ..Options::default() };
        let controller =
            HubController { options, ..HubController::new(hub.client.clone(), Box::new(inventory)) };
        let controller = tokio::spawn(controller.run()).abort_handle();
        let mut cast = Self { kubeconfig, hub, spokes: BTreeMap::new(), controller };
        for (name, address) in clusters {
            cast.join(name, address).await?;
        }
        let aggregations = Api::<allready_kube::kinds::StatusAggregation>::all(cast.hub.client.clone());
        aggregations.patch(AGGREGATION, &administrator(), &Patch::Apply(gateway::aggregation())).await?;
        Ok(cast)
    }

    /// A cluster joins the hub, as its Secret says.
    async fn join(&mut self, name: &'static str, address: &'static str) -> Played<()> {
        let (api_server, server) = serve(vec![catalog::gateway()]).await?;
        let wire = Wire::to(server.listening.address()).await?;
        let url = format!("https://{}", wire.address());
        let access = kubeconfig(&url, server.listening.ca(), api_server.token());
        self.spokes.insert(name, Spoke { server, address, wire });
        self.says(name, &WELL).await?;

        let mut secret = Secret::default();
        secret.metadata.name = Some(name.to_owned());
        secret.metadata.labels = Some(BTreeMap::from([("allready.dev/cluster".to_owned(), name.to_owned())]));
        secret.data = Some(BTreeMap::from([("kubeconfig".to_owned(), ByteString(access.into_bytes()))]));
        self.secrets().create(&PostParams::default(), &secret).await?;
        Ok(())
    }

    /// What the implementation in a cluster says of its Gateway from now on.
    pub(super) async fn says(&self, cluster: &str, said: &Said) -> Played<()> {
        let Spoke { server, address, .. } = self.spoke(cluster)?;
        let apply = PatchParams::apply("implementation").force();
        let status = gateway::status(address, said);
        gateways(&server.client).patch_status(GATEWAY, &apply, &Patch::Apply(status)).await?;
        Ok(())
    }

    /// Cuts a cluster off.
    pub(super) fn cut(&self, cluster: &str) -> Played<()> {
        self.spoke(cluster)?.wire.cut();
        Ok(())
    }

    /// Ends that.
    pub(super) fn mend(&self, cluster: &str) -> Played<()> {
        self.spoke(cluster)?.wire.mend();
        Ok(())
    }

    /// Removes a cluster from the hub.
    pub(super) async fn forget(&self, cluster: &str) -> Played<()> {
        self.secrets().delete(cluster, &DeleteParams::default()).await?;
        Ok(())
    }

    /// What stands on the hub now.
    pub(super) async fn look(&self) -> Played<Seen> {
        let gateway = gateways(&self.hub.client).get(GATEWAY).await?;
        let name = endpoint_name(&gateway::gateways().kind, &ObjectName::new(NAMESPACE, GATEWAY));
        let endpoint = api(&self.hub.client, &gateway::endpoints()).get_opt(&name).await?;
        Ok(Seen::read(&serde_json::to_value(gateway)?, &serde_json::to_value(endpoint)?))
    }

    pub(super) async fn leaves(self) {
        self.controller.abort();
        for spoke in self.spokes.into_values() {
            drop(spoke.wire);
            spoke.server.listening.shutdown().await;
        }
        self.hub.listening.shutdown().await;
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.hub.client.clone(), CLUSTERS)
    }

    fn spoke(&self, cluster: &str) -> Played<&Spoke> {
        self.spokes.get(cluster).ok_or_else(|| format!("there is no cluster {cluster}").into())
    }
}

/// A server with these definitions and the Gateway.
async fn serve(definitions: Vec<Value>) -> Played<(ApiServer, Server)> {
    let api_server = ApiServer::builder().crds(definitions).build().map_err(|failure| failure.message)?;
    let listening = api_server.listen(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let client = Client::new(api_server.service(), NAMESPACE);
    make_namespace(&client, NAMESPACE).await?;
    gateways(&client).patch(GATEWAY, &administrator(), &Patch::Apply(gateway::gateway())).await?;
    Ok((api_server, Server { client, listening }))
}

async fn make_namespace(client: &Client, name: &str) -> Played<()> {
    let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
    Ok(())
}

fn administrator() -> PatchParams {
    PatchParams::apply("administrator").force()
}

fn gateways(client: &Client) -> Api<DynamicObject> {
    api(client, &gateway::gateways())
}

fn api(client: &Client, resource: &ApiResource) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), resource)
}
