//! The way to a cluster, which the controllers go, too.

pub(crate) use allready_controller::program::cluster::{Cluster, ClusterArgs, Patience, refused};
use kube::runtime::watcher;

/// What is behind a watch that broke; nothing for a server that has only forgotten the past.
pub(crate) fn broken(error: watcher::Error) -> Option<kube::Error> {
    let error = match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => error,
        watcher::Error::WatchError(status) => kube::Error::Api(status),
        watcher::Error::NoResourceVersion => return None,
    };
    let is_old = matches!(&error, kube::Error::Api(status) if status.code == 410);
    (!is_old).then_some(error)
}
