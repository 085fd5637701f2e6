//! Clusters from Secrets.

use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};

use allready_kube::list_watch::Store;
use futures::{StreamExt, stream::BoxStream};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::watcher,
};

use super::{
    Access, ClusterInventory, Inventory,
    found::{Found, changes, keep, objects},
    kubeconfig::foreign,
};

/// Clusters from Secrets, each with a kubeconfig.
///
/// A Secret is a cluster's by its label, and the kubeconfig stands under `kubeconfig`, `value` or `config`. The name of
/// the cluster is, of these, what is there first:
///
/// | label | name |
/// |---|---|
/// | `allready.dev/cluster` | its value, unless that is empty or `true` |
/// | `cluster.x-k8s.io/cluster-name` (Cluster API) | its value; only the Secret `<name>-kubeconfig` counts |
/// | none of these, such as `sigs.k8s.io/multicluster-runtime-kubeconfig=true` | the name of the Secret |
///
/// The labels of the Secret are the labels of the cluster. The kubeconfig has everything in it: one that would run a
/// program (`exec`, `auth-provider`) or read a file of the controller is refused.
///
/// ```
/// use allready_controller::hub::inventory::{ClusterInventory, SecretInventory};
///
/// # let runtime = tokio::runtime::Runtime::new().unwrap();
/// # let _guard = runtime.enter();
/// # let server = allready_apiserver::ApiServer::new();
/// # let client = kube::Client::new(server.service(), "default");
/// let secrets = SecretInventory::new(client).namespace("allready-system");
/// assert_eq!(secrets.name(), "Secrets in allready-system with allready.dev/cluster");
/// ```
///
/// # What the hub has to allow
/// ```yaml
/// apiVersion: rbac.authorization.k8s.io/v1
/// kind: Role
/// metadata:
///   name: allready-hub-clusters
///   namespace: allready-system
/// rules:
/// - apiGroups: [""]
///   resources: [secrets]
///   verbs: [list, watch]
/// ```
/// A Role cannot be held to a label: keep these Secrets in a namespace of their own. Whoever may write there chooses
/// which servers the controller talks to.
#[derive(Clone)]
pub struct SecretInventory {
    client: Client,
    namespace: Option<String>,
    selector: String,
}

/// The label of a Secret with a kubeconfig, and the name of its cluster.
pub(super) const CLUSTER: &str = "allready.dev/cluster";
const CLUSTER_API: &str = "cluster.x-k8s.io/cluster-name";

impl SecretInventory {
    /// Secrets with the label `allready.dev/cluster`, in all namespaces.
    pub fn new(client: Client) -> Self {
        Self { client, namespace: None, selector: CLUSTER.to_owned() }
    }

    /// Secrets in this namespace only.
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }

    /// Secrets that this selector chooses, as it is written in a request.
    #[must_use]
    pub fn selector(self, selector: impl Into<String>) -> Self {
        Self { selector: selector.into(), ..self }
    }
}

impl std::fmt::Debug for SecretInventory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl ClusterInventory for SecretInventory {
    fn name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("Secrets in {namespace} with {}", self.selector),
            None => format!("Secrets with {}", self.selector),
        }
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        let only = watcher::Config::default().labels(&self.selector);
        let events = objects(secrets(&self.client, self.namespace.as_deref()), only, found);
        let snapshots = events.scan(Store::new(Duration::ZERO), |store, event| {
            let snapshot = match keep(store, event) {
                Ok(false) => None,
                Ok(true) => Some(Ok(store.iter().filter_map(|(_, found)| found.clone()).collect())),
                Err(why) => Some(Err(why)),
            };
            ready(Some(snapshot))
        });
        changes(snapshots.filter_map(ready))
    }
}

/// Secrets read as whatever they are: nothing that is wrong with one can keep the others from being read.
pub(super) fn secrets(client: &Client, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource = ApiResource::erase::<Secret>(&());
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

/// Reads what a Secret says about a cluster; nothing where it belongs to one without being its kubeconfig.
fn found(secret: &DynamicObject) -> Option<Found> {
    let source: Arc<str> =
        format!("Secret {}/{}", secret.namespace().unwrap_or_default(), secret.name_any()).into();
    let labels = secret.labels();
    let own = labels.get(CLUSTER).filter(|value| !value.is_empty() && *value != "true");
    let name = match (own, labels.get(CLUSTER_API)) {
        (Some(name), _) => name.clone(),
        // Cluster API labels the certificates and keys of a cluster too.
        (None, Some(name)) if secret.name_any() == format!("{name}-kubeconfig") => name.clone(),
        (None, Some(_)) if !labels.contains_key(CLUSTER) => return None,
        _ => secret.name_any(),
    };
    let access = kubeconfig(secret, &["kubeconfig", "value", "config"]);
    Some(Found { name, source, labels: labels.clone(), access })
}

/// The kubeconfig of a Secret, under the first of these keys.
pub(super) fn kubeconfig(secret: &DynamicObject, keys: &[&str]) -> Access {
    let data = secret.data.get("data").cloned().unwrap_or_default();
    let data: BTreeMap<String, ByteString> = serde_json::from_value(data).unwrap_or_default();
    match keys.iter().find_map(|key| data.get(*key)) {
        Some(ByteString(text)) => foreign(text),
        None => Access::Unusable(format!("it has no kubeconfig under {}", keys.join(", ")).into()),
    }
}
