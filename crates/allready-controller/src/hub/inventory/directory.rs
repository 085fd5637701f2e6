//! Clusters from kubeconfigs in a directory.

use std::{path::PathBuf, sync::Arc};

use futures::stream::BoxStream;
use kube::config::Kubeconfig;

use super::{
    Access, ClusterInventory, Inventory,
    polled::{self, Form},
};
use crate::hub::access::in_words;

/// Clusters from a directory: every file `NAME.kubeconfig`, `NAME.yaml`, `NAME.yml` or `NAME` is a cluster. The directory
/// is looked at every second; a file that is removed is a cluster that leaves.
///
/// These files are the administrator's own: they may name other files and credential plugins. A file that is there and
/// cannot be read is a cluster that cannot be reached.
///
/// ```
/// use allready_controller::hub::inventory::{ClusterInventory, DirectoryInventory};
/// use futures::StreamExt;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let directory = tempfile::tempdir().unwrap();
/// std::fs::write(directory.path().join("cluster-1.kubeconfig"), "not one").unwrap();
/// let inventory = DirectoryInventory::new(directory.path());
/// let clusters = inventory.watch().next().await.unwrap().unwrap().clusters;
/// assert_eq!(clusters.keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["cluster-1"]);
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryInventory {
    path: PathBuf,
}

/// The most bytes of a kubeconfig: as many as a Secret may have.
const MOST_BYTES: u64 = 1024 * 1024;

impl DirectoryInventory {
    /// The kubeconfigs in this directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl ClusterInventory for DirectoryInventory {
    fn name(&self) -> String {
        format!("kubeconfigs in {}", self.path.display())
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        polled::watch(self.path.clone(), FORM)
    }
}

pub(super) const FORM: Form = Form {
    entries: |path| {
        let files = polled::list(path)?.into_iter().filter(|(_, is_directory)| !is_directory);
        let named = files.filter_map(|(file, _)| {
            let name = polled::stem(&file, &["kubeconfig", "yaml", "yml", ""])?;
            Some((name, vec![file]))
        });
        Ok(named.collect())
    },
    load: |files| {
        let [file] = files else { return Err("there is no file".to_owned()) };
        polled::read(file, MOST_BYTES)?;
        let kubeconfig = Kubeconfig::read_from(file)
            .and_then(|read| kube::Config::try_from(read.clone()).map(|_| read))
            .map_err(|error| format!("its kubeconfig cannot be used: {}", in_words(&error)))?;
        Ok(Access::Kubeconfig(Arc::new(kubeconfig)))
    },
};
