//! From what was found to what is a cluster.

use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};

use allready_kube::list_watch::{Store, WatchEvent, list_watch, reduced};
use futures::{Stream, StreamExt, stream::BoxStream};
use kube::{Api, ResourceExt, api::DynamicObject, runtime::watcher};

use super::{Access, Cluster, Inventory};
use crate::{
    hub::{ClusterName, ObjectName},
    words::cut,
};

/// Something that should be a cluster.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) source: Arc<str>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) access: Access,
}

impl FromIterator<Found> for Inventory {
    /// Of several with one name none is taken at its word: which of them came first is nothing to go by.
    fn from_iter<I: IntoIterator<Item = Found>>(all: I) -> Self {
        let mut inventory = Self::default();
        for Found { name, source, labels, access } in all {
            let name: ClusterName = match name.parse() {
                Ok(name) => name,
                Err(error) => {
                    inventory.problems.push(format!("{source}: {error}"));
                    continue;
                }
            };
            if let Some(first) = inventory.clusters.get_mut(&name) {
                first.access =
                    Access::Unusable(format!("both {} and {source} are called {name}", first.source).into());
            }
            inventory.add(name, Cluster { labels, source, access });
        }
        inventory
    }
}

impl Inventory {
    /// Adds a cluster, unless there is one of its name.
    pub(super) fn add(&mut self, name: ClusterName, cluster: Cluster) {
        if let Some(first) = self.clusters.get(&name) {
            let (source, first) = (&cluster.source, &first.source);
            self.problems.push(format!("{source}: there is a cluster {name} already, from {first}"));
        } else {
            self.clusters.insert(name, cluster);
        }
    }
}

/// Passes on what is new: neither the same clusters nor the same failure twice in a row.
pub(super) fn changes(
    snapshots: impl Stream<Item = Result<Inventory, String>> + Send + 'static,
) -> BoxStream<'static, Result<Inventory, String>> {
    let news = snapshots.scan(None, |last, snapshot| {
        let is_new = last.as_ref() != Some(&snapshot);
        if is_new {
            *last = Some(snapshot.clone());
        }
        ready(Some(is_new.then_some(snapshot)))
    });
    news.filter_map(ready).boxed()
}

/// The events of the objects of an inventory, each as it is read.
pub(super) fn objects<T>(
    api: Api<DynamicObject>,
    only: watcher::Config,
    read: fn(&DynamicObject) -> T,
) -> impl Stream<Item = WatchEvent<ObjectName, T>> + Send + use<T>
where
    T: 'static,
{
    let name =
        |object: &DynamicObject| ObjectName::new(&object.namespace().unwrap_or_default(), &object.name_any());
    reduced(list_watch(api, only), name, move |object| read(&object))
}

/// Keeps an event. Returns true if the objects are known and may have changed; a failure takes nothing away.
pub(super) fn keep<T>(
    store: &mut Store<ObjectName, T>,
    event: WatchEvent<ObjectName, T>,
) -> Result<bool, String> {
    let failed = if let WatchEvent::Failed(why) = &event { Some(cut(why).to_string()) } else { None };
    store.apply(event, Duration::ZERO);
    failed.map_or_else(|| Ok(store.is_synced() && !store.is_listing()), Err)
}
