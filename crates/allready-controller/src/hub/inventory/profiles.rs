//! Clusters from `ClusterProfile`s.

use std::{collections::BTreeMap, future::ready, path::Path, sync::Arc, time::Duration};

use allready_kube::list_watch::{Store, WatchEvent};
use futures::{StreamExt, stream, stream::BoxStream};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject},
    config::{
        self, AuthInfo, Context, ExecConfig, ExecInteractiveMode, Kubeconfig, NamedAuthInfo, NamedCluster,
        NamedContext,
    },
    runtime::watcher,
};
use serde::Deserialize;

use super::{
    Access, ClusterInventory, Inventory,
    found::{Found, changes, keep, objects},
    kubeconfig::cluster_reaches_out,
    secrets::{kubeconfig, secrets},
};

use crate::hub::ObjectName;

/// Clusters from `ClusterProfile`s (`multicluster.x-k8s.io/v1alpha1`), as cluster managers make them.
///
/// The name of the profile is the name of the cluster: one that is no DNS label, or that occurs in two namespaces, is a
/// problem and not a cluster. The labels of the profile are those of the cluster. Its `ControlPlaneHealthy` is somebody
/// else's opinion, and is not asked for: the cluster is.
///
/// Credentials come, in this order,
/// - from a plugin: one of the profile's `status.accessProviders` (before that was its name: `credentialProviders`) is
///   named in the [`Providers`] that the administrator gave to the controller;
/// - from a Secret in the namespace of the profile with the label `x-k8s.io/cluster-profile`, or in another one that
///   also has `x-k8s.io/cluster-profile-namespace`; the kubeconfig stands under `Config`.
///
/// What a profile would add to the arguments or the environment of a plugin is ignored.
///
/// # What the hub has to allow
/// ```yaml
/// apiVersion: rbac.authorization.k8s.io/v1
/// kind: Role
/// metadata:
///   name: allready-hub-profiles
///   namespace: fleet
/// rules:
/// - apiGroups: [multicluster.x-k8s.io]
///   resources: [clusterprofiles]
///   verbs: [list, watch]
/// - apiGroups: [""]
///   resources: [secrets]
///   verbs: [list, watch]
/// ```
/// Whoever may write the status of a profile chooses the server that is given a plugin's token.
#[derive(Clone)]
pub struct ProfileInventory {
    client: Client,
    namespace: Option<String>,
    consumer: Option<String>,
    providers: Arc<Providers>,
}

const PROFILE: &str = "x-k8s.io/cluster-profile";
const PROFILE_NAMESPACE: &str = "x-k8s.io/cluster-profile-namespace";
const CONSUMER: &str = "x-k8s.io/cluster-inventory-consumer";

/// Which plugin gives the credentials of which access provider.
///
/// ```
/// use allready_controller::hub::inventory::Providers;
///
/// let text = r#"{ "providers": [{ "name": "google",
///     "execConfig": { "apiVersion": "client.authentication.k8s.io/v1", "command": "gke-gcloud-auth-plugin" } }] }"#;
/// assert!(Providers::read(text).is_ok());
/// assert_eq!(
///     Providers::read("{}").unwrap_err().to_string(),
///     "the providers cannot be read: there has to be an object with a list of providers, each with its name and execConfig"
/// );
/// ```
#[derive(Clone, Default, Deserialize)]
pub struct Providers {
    providers: Vec<Provider>,
}

#[derive(Clone, Deserialize)]
struct Provider {
    name: String,
    #[serde(rename = "execConfig")]
    exec: ExecConfig,
}

/// Why it is not known which plugin gives which credentials.
#[derive(Debug, thiserror::Error)]
#[error("the providers cannot be read: {0}")]
pub struct UnreadableProviders(String);

impl Providers {
    /// The providers in a file.
    pub fn read_from(path: &Path) -> Result<Self, UnreadableProviders> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| UnreadableProviders(format!("{}: {error}", path.display())))?;
        Self::read(&text)
    }

    /// The providers in a text, JSON or YAML.
    pub fn read(text: &str) -> Result<Self, UnreadableProviders> {
        // What is wrong in detail is not told: an environment of a plugin may be secret.
        serde_saphyr::from_str(text).map_err(|_| {
            let form =
                "there has to be an object with a list of providers, each with its name and execConfig";
            UnreadableProviders(form.to_owned())
        })
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.providers.iter().map(|provider| &provider.name)).finish()
    }
}

impl ProfileInventory {
    /// The profiles of all namespaces, with credentials from Secrets.
    pub fn new(client: Client) -> Self {
        Self { client, namespace: None, consumer: None, providers: Arc::default() }
    }

    /// Profiles and Secrets in this namespace only.
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }

    /// Secrets for this consumer only: those with the label `x-k8s.io/cluster-inventory-consumer`.
    #[must_use]
    pub fn consumer(self, consumer: impl Into<String>) -> Self {
        Self { consumer: Some(consumer.into()), ..self }
    }

    /// Credentials from these plugins, where a profile names one of them.
    #[must_use]
    pub fn providers(self, providers: Providers) -> Self {
        Self { providers: Arc::new(providers), ..self }
    }
}

impl std::fmt::Debug for ProfileInventory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl ClusterInventory for ProfileInventory {
    fn name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("ClusterProfiles in {namespace}"),
            None => "ClusterProfiles".to_owned(),
        }
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        let namespace = self.namespace.as_deref();
        let labels = match &self.consumer {
            Some(consumer) => format!("{PROFILE},{CONSUMER}={consumer}"),
            None => PROFILE.to_owned(),
        };
        let of_secrets = watcher::Config::default().labels(&labels);
        let of_secrets = objects(secrets(&self.client, namespace), of_secrets, Credentials::read);
        let of_profiles =
            objects(profiles(&self.client, namespace), watcher::Config::default(), Profile::read);
        let events = stream::select(of_profiles.map(Event::Profile), of_secrets.map(Event::Secret));
        let fleet = Fleet {
            providers: self.providers.clone(),
            profiles: Store::new(Duration::ZERO),
            credentials: Store::new(Duration::ZERO),
        };
        changes(events.scan(fleet, |fleet, event| ready(Some(fleet.see(event)))).filter_map(ready))
    }
}

fn profiles(client: &Client, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: "multicluster.x-k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "multicluster.x-k8s.io/v1alpha1".to_owned(),
        kind: "ClusterProfile".to_owned(),
        plural: "clusterprofiles".to_owned(),
    };
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

enum Event {
    Profile(WatchEvent<ObjectName, Profile>),
    Secret(WatchEvent<ObjectName, Option<Credentials>>),
}

/// The content of a profile.
struct Profile {
    labels: BTreeMap<String, String>,
    /// The access to the cluster, by the name of the provider.
    access: BTreeMap<String, Result<config::Cluster, &'static str>>,
}

/// The content of a Secret: which profile it is for, and its kubeconfig.
struct Credentials {
    profile: ObjectName,
    access: Access,
}

struct Fleet {
    providers: Arc<Providers>,
    profiles: Store<ObjectName, Profile>,
    credentials: Store<ObjectName, Option<Credentials>>,
}

impl Fleet {
    fn see(&mut self, event: Event) -> Option<Result<Inventory, String>> {
        let changed = match event {
            Event::Profile(event) => keep(&mut self.profiles, event),
            Event::Secret(event) => keep(&mut self.credentials, event),
        };
        match changed {
            Ok(true) => self.inventory().map(Ok),
            Ok(false) => None,
            Err(why) => Some(Err(why)),
        }
    }

    /// All clusters, once both profiles and Secrets are known.
    fn inventory(&self) -> Option<Inventory> {
        if !self.profiles.is_synced() || !self.credentials.is_synced() {
            return None;
        }
        let found = self.profiles.iter().map(|(name, profile)| Found {
            name: name.name.to_string(),
            source: format!("ClusterProfile {name}").into(),
            labels: profile.labels.clone(),
            access: self.access(name, profile),
        });
        Some(found.collect())
    }

    fn access(&self, name: &ObjectName, profile: &Profile) -> Access {
        let plugin =
            self.providers.providers.iter().find_map(|provider| {
                profile.access.get(&provider.name).map(|cluster| (cluster, &provider.exec))
            });
        if let Some((cluster, exec)) = plugin {
            return match cluster {
                Ok(cluster) => Access::Kubeconfig(Arc::new(with_plugin(cluster.clone(), exec.clone()))),
                Err(why) => Access::Unusable((*why).into()),
            };
        }
        let credentials = self.credentials.iter().filter_map(|(secret, read)| Some((secret, read.as_ref()?)));
        let mut for_it = credentials.filter(|(_, credentials)| credentials.profile == *name);
        match (for_it.next(), for_it.next()) {
            (Some((_, credentials)), None) => credentials.access.clone(),
            (Some((one, _)), Some((other, _))) => {
                Access::Unusable(format!("both Secret {one} and Secret {other} have its credentials").into())
            }
            (None, _) => Access::Unusable(
                "none of its access providers is known here, and no Secret has its credentials".into(),
            ),
        }
    }
}

impl Profile {
    fn read(profile: &DynamicObject) -> Self {
        let status = profile.data.get("status");
        let providers = ["credentialProviders", "accessProviders"]
            .iter()
            .filter_map(|field| status?.get(field)?.as_array())
            .flatten()
            .filter_map(|provider| Some((provider.get("name")?.as_str()?, provider.get("cluster")?)));
        let access = providers.map(|(name, cluster)| {
            let cluster = serde_json::from_value::<config::Cluster>(cluster.clone());
            let cluster = match cluster {
                Ok(cluster) if cluster_reaches_out(&cluster).is_some() => {
                    Err("its access provider is refused: certificate-authority would read a file of the controller")
                }
                Ok(cluster) => Ok(cluster),
                Err(_) => Err("the cluster of its access provider cannot be read"),
            };
            (name.to_owned(), cluster)
        });
        Self { access: access.collect(), labels: profile.labels().clone() }
    }
}

impl Credentials {
    fn read(secret: &DynamicObject) -> Option<Self> {
        let labels = secret.labels();
        let own = secret.namespace().unwrap_or_default();
        let namespace = labels.get(PROFILE_NAMESPACE).unwrap_or(&own);
        let profile = ObjectName::new(namespace, labels.get(PROFILE)?);
        Some(Self { profile, access: kubeconfig(secret, &["Config", "config", "kubeconfig", "value"]) })
    }
}

/// The kubeconfig of a cluster whose credentials come from a plugin.
fn with_plugin(cluster: config::Cluster, mut exec: ExecConfig) -> Kubeconfig {
    const NAME: &str = "cluster";
    exec.interactive_mode = Some(ExecInteractiveMode::Never);
    let user = AuthInfo { exec: Some(exec), ..AuthInfo::default() };
    let context = Context { cluster: NAME.to_owned(), user: Some(NAME.to_owned()), ..Context::default() };
    Kubeconfig {
        clusters: vec![NamedCluster {
            name: NAME.to_owned(),
            cluster: Some(cluster),
            ..NamedCluster::default()
        }],
        auth_infos: vec![NamedAuthInfo {
            name: NAME.to_owned(),
            auth_info: Some(user),
            ..NamedAuthInfo::default()
        }],
        contexts: vec![NamedContext {
            name: NAME.to_owned(),
            context: Some(context),
            ..NamedContext::default()
        }],
        current_context: Some(NAME.to_owned()),
        ..Kubeconfig::default()
    }
}
