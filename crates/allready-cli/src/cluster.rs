//! The way to a cluster, which the controllers go, too.

pub(crate) use allready_controller::program::cluster::{
    CLUSTER_OPTIONS, Cluster, ClusterArgs, Patience, refused,
};
pub(crate) use allready_controller::program::duration::{duration, shown};

use kube::api::{Api, ListParams};
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Runs a command that talks to a cluster.
pub(crate) fn block_on<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::unavailable(format_args!("cannot start: {error}")))?;
    runtime.block_on(command)
}

/// Returns all objects that are selected, read page by page; none where the kind is not served.
pub(crate) async fn list_all<K: Clone + DeserializeOwned + std::fmt::Debug>(
    api: &Api<K>,
    selected: ListParams,
    what: &str,
) -> Result<Vec<K>, Failure> {
    let mut page = selected.limit(500);
    let mut found = Vec::new();
    loop {
        let list = match api.list(&page).await {
            Ok(list) => list,
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(Vec::new()),
            Err(error) => return Err(refused(&format!("cannot list {what}"), &error)),
        };
        found.extend(list.items);
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => return Ok(found),
        }
    }
}
