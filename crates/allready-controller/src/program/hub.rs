//! The hub beside the aggregator: one status from the same object in many clusters.

use std::sync::Arc;

use super::{args::ControllerArgs, cluster::Cluster, failure::Failure, sources, text::tame};
use crate::{
    engine::Running,
    hub::{Hubbing, inventory::Providers},
};
use tokio::time::Instant;

/// The plugins that give credentials, from the file that is named.
pub(super) fn providers(args: &ControllerArgs) -> Result<Providers, Failure> {
    let Some(path) = &args.cluster_providers else { return Ok(Providers::default()) };
    Providers::read_from(path)
        .map_err(|error| Failure::no_input(format_args!("--cluster-providers: {}", tame(&error.to_string()))))
}

/// What the hub takes; none where no clusters are given.
pub(super) fn controller(
    args: &ControllerArgs,
    cluster: &Cluster,
    providers: &Providers,
    running: Running,
) -> Option<Hubbing> {
    if args.clusters.is_empty() {
        return None;
    }
    let namespace = args.hub_namespace(&cluster.namespace);
    let inventory = sources::inventory(&args.clusters, providers, &namespace, &cluster.client);
    let mut hubbing = Hubbing::new(cluster.client.clone(), Box::new(inventory));
    hubbing.options.namespace = namespace;
    let Running { leader, writes, .. } = running;
    hubbing.leading = Arc::new(move || leader.term(Instant::now()).is_some());
    hubbing.metrics = writes;
    Some(hubbing)
}
