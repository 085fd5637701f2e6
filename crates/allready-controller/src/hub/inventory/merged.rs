//! Several inventories as one.

use std::{future::ready, sync::Arc};

use futures::{
    StreamExt,
    stream::{self, BoxStream},
};

use super::{ClusterInventory, Inventory, found::changes};

/// Several inventories as one: nothing is said before each has been seen, so that none of its clusters is missing for a
/// moment. Of two clusters with one name, the one from the inventory that stands first is taken.
///
/// ```
/// use allready_controller::hub::inventory::{ClusterInventory, DirectoryInventory, FilesInventory, merged};
///
/// let all = merged(vec![Box::new(DirectoryInventory::new("fleet")), Box::new(FilesInventory::new("recorded"))]);
/// assert_eq!(all.name(), "kubeconfigs in fleet, objects in recorded");
/// ```
pub fn merged(inventories: Vec<Box<dyn ClusterInventory>>) -> Merged {
    Merged { inventories }
}

/// Several inventories as one.
pub struct Merged {
    inventories: Vec<Box<dyn ClusterInventory>>,
}

impl std::fmt::Debug for Merged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl ClusterInventory for Merged {
    fn name(&self) -> String {
        let names: Vec<_> = self.inventories.iter().map(|inventory| inventory.name()).collect();
        names.join(", ")
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        if self.inventories.is_empty() {
            return stream::once(ready(Ok(Inventory::default()))).chain(stream::pending()).boxed();
        }
        let streams = self.inventories.iter().enumerate().map(|(index, inventory)| {
            let name: Arc<str> = inventory.name().into();
            inventory.watch().map(move |snapshot| (index, snapshot.map_err(|why| format!("{name}: {why}"))))
        });
        let seen: Vec<Option<Inventory>> = vec![None; self.inventories.len()];
        let snapshots = stream::select_all(streams).scan(seen, |seen, (index, snapshot)| {
            let all = match snapshot {
                Ok(snapshot) => {
                    if let Some(last) = seen.get_mut(index) {
                        *last = Some(snapshot);
                    }
                    join(seen).map(Ok)
                }
                Err(why) => Some(Err(why)),
            };
            ready(Some(all))
        });
        changes(snapshots.filter_map(ready))
    }
}

/// All of them together, once all have been seen.
fn join(seen: &[Option<Inventory>]) -> Option<Inventory> {
    let mut all = Inventory::default();
    for inventory in seen {
        let inventory = inventory.as_ref()?;
        for (name, cluster) in &inventory.clusters {
            all.add(name.clone(), cluster.clone());
        }
        all.problems.extend(inventory.problems.iter().cloned());
    }
    Some(all)
}
