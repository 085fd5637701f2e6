//! The inventory of clusters.
//!
//! | inventory | a cluster is |
//! |---|---|
//! | [`SecretInventory`] | a Secret with a kubeconfig in it |
//! | [`ProfileInventory`] | a `ClusterProfile`, with its credentials in a Secret or from a plugin |
//! | [`DirectoryInventory`] | a kubeconfig in a directory |
//! | [`FilesInventory`] | the objects of a cluster in a directory, for offline use |
//! | [`merged`] | any of several of these |
//!
//! What cannot be read is a cluster all the same: it is [`Access::Unusable`], and counts as one that does not answer.
//! Only what has been seen to be gone leaves.

mod directory;
mod files;
mod found;
mod kubeconfig;
mod merged;
mod polled;
mod profiles;
mod secrets;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use futures::stream::BoxStream;
use kube::{Client, config::Kubeconfig};
use serde_json::Value;

#[doc(hidden)] // for the fuzz target
pub use self::kubeconfig::foreign;
pub use self::{
    directory::DirectoryInventory,
    files::FilesInventory,
    merged::{Merged, merged},
    profiles::{ProfileInventory, Providers, UnreadableProviders},
    secrets::SecretInventory,
};
use super::ClusterName;

/// The origin of clusters: they join and leave while the controller runs.
///
/// ```
/// use allready_controller::hub::inventory::{ClusterInventory, Inventory};
/// use futures::{StreamExt, stream::{self, BoxStream}};
///
/// /// No clusters, and never any.
/// struct None;
///
/// impl ClusterInventory for None {
///     fn name(&self) -> String {
///         "no clusters".to_owned()
///     }
///
///     fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
///         stream::once(async { Ok(Inventory::default()) }).chain(stream::pending()).boxed()
///     }
/// }
///
/// let first = futures::executor::block_on(None.watch().next()).unwrap().unwrap();
/// assert!(first.clusters.is_empty());
/// ```
pub trait ClusterInventory: Send + Sync + 'static {
    /// Its name in a message, such as `Secrets in allready-system`.
    fn name(&self) -> String;

    /// All clusters, again whenever they change. A failure says that nothing can be seen at present: it takes nothing away.
    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>>;
}

/// All clusters of an inventory.
///
/// ```
/// use allready_controller::hub::{ClusterName, inventory::{Access, Cluster, Inventory}};
///
/// let access = Access::Unusable("no kubeconfig".into());
/// let labels = [("region".to_owned(), "eu".to_owned())].into();
/// let cluster = Cluster { labels, source: "a test".into(), access };
/// let inventory = Inventory { clusters: [(ClusterName::new("eu-1").unwrap(), cluster)].into(), problems: Vec::new() };
/// assert_eq!(&*inventory.clusters["eu-1"].source, "a test");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// The clusters.
    pub clusters: BTreeMap<ClusterName, Cluster>,
    /// Entries that should have been a cluster and cannot be one, such as a Secret with a name that no cluster can have.
    pub problems: Vec<String>,
}

/// A cluster, and how to get at it.
///
/// ```
/// use allready_controller::hub::{ClusterName, inventory::{Access, Cluster, Inventory}};
///
/// let access = Access::Unusable("no kubeconfig".into());
/// let labels = [("region".to_owned(), "eu".to_owned())].into();
/// let cluster = Cluster { labels, source: "a test".into(), access };
/// assert_eq!(cluster.labels["region"], "eu");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The origin of it, such as `Secret allready-system/cluster-1`.
    pub source: Arc<str>,
    /// The access to it.
    pub access: Access,
}

/// The access to a cluster. What is secret about it is never printed.
///
/// ```
/// use allready_controller::hub::{ClusterName, inventory::{Access, Cluster, Inventory}};
///
/// let access = Access::Unusable("no kubeconfig".into());
/// let labels = [("region".to_owned(), "eu".to_owned())].into();
/// let cluster = Cluster { labels, source: "a test".into(), access };
/// assert_eq!(format!("{:?}", cluster.access), r#"Unusable("no kubeconfig")"#);
/// ```
#[derive(Clone)]
pub enum Access {
    /// Through its API server.
    Kubeconfig(Arc<Kubeconfig>),
    /// Through a client that somebody else has made. Neither what it is sent nor how long it waits has bounds, unless its maker
    /// gave it some; and it is another connection if it is another client, even if it goes to the same cluster.
    Client(Arc<Client>),
    /// Its objects are here: for offline use.
    Objects(Arc<[Value]>),
    /// Not at all, and why.
    Unusable(Arc<str>),
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kubeconfig(_) => f.write_str("Kubeconfig(..)"),
            Self::Client(_) => f.write_str("Client(..)"),
            Self::Objects(objects) => write!(f, "Objects({})", objects.len()),
            Self::Unusable(why) => write!(f, "Unusable({why:?})"),
        }
    }
}

impl PartialEq for Access {
    /// Returns true if a connection by one is as good as a connection by the other.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kubeconfig(one), Self::Kubeconfig(other)) => {
                let same = || Some(serde_json::to_value(one).ok()? == serde_json::to_value(other).ok()?);
                Arc::ptr_eq(one, other) || same() == Some(true)
            }
            (Self::Client(one), Self::Client(other)) => Arc::ptr_eq(one, other),
            (Self::Objects(one), Self::Objects(other)) => Arc::ptr_eq(one, other) || one == other,
            (Self::Unusable(one), Self::Unusable(other)) => one == other,
            _ => false,
        }
    }
}
