//! Where clusters come from.

use std::{collections::BTreeMap, sync::Arc};

use futures::stream::BoxStream;
use kube::config::Kubeconfig;
use serde_json::Value;

use super::ClusterName;

/// Where clusters come from: they join and leave while the controller runs.
pub trait ClusterInventory: Send + Sync + 'static {
    /// What it is called in a message, such as `Secrets in allready-system`.
    fn name(&self) -> String;

    /// All clusters, again whenever they change. A failure says that nothing can be seen at present: it takes nothing away.
    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>>;
}

/// All clusters of an inventory.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The clusters.
    pub clusters: BTreeMap<ClusterName, Cluster>,
    /// What should have been a cluster and cannot be one, such as a Secret with a name that no cluster can have.
    pub problems: Vec<String>,
}

/// A cluster, and how to get at it.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Where it is known from, such as `Secret allready-system/cluster-1`.
    pub source: Arc<str>,
    /// How to get at it.
    pub access: Access,
}

/// How to get at a cluster. What is secret about it is never printed.
#[derive(Clone)]
pub enum Access {
    /// Through its API server.
    Kubeconfig(Arc<Kubeconfig>),
    /// Its objects are here: for offline use.
    Objects(Arc<[Value]>),
    /// Not at all, and why.
    Unusable(Arc<str>),
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Kubeconfig(_) => "Kubeconfig(..)",
            Self::Objects(_) => "Objects(..)",
            Self::Unusable(_) => "Unusable(..)",
        })
    }
}
