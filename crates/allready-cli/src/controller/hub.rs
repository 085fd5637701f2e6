//! The hub beside the aggregator: one status from the same object in many clusters.

use std::sync::Arc;

use allready_controller::hub::{Hubbing, inventory::Providers};

use super::{args::ControllerArgs, sources};
use crate::{cluster::Cluster, failure::Failure, printer::tame};

/// The plugins that give credentials, from the file that is named.
pub(super) fn providers(args: &ControllerArgs) -> Result<Providers, Failure> {
    let Some(path) = &args.cluster_providers else { return Ok(Providers::default()) };
    Providers::read_from(path)
        .map_err(|error| Failure::no_input(format_args!("--cluster-providers: {}", tame(&error.to_string()))))
}

/// What the hub takes; none where no clusters are given.
pub(super) fn hubbing(
    args: &ControllerArgs,
    cluster: &Cluster,
    providers: &Providers,
    leading: Arc<dyn Fn() -> bool + Send + Sync>,
) -> Option<Hubbing> {
    if args.clusters.is_empty() {
        return None;
    }
    let namespace = args.hub_namespace(&cluster.namespace);
    let inventory = sources::inventory(&args.clusters, providers, &namespace, &cluster.client);
    let mut hubbing = Hubbing::new(cluster.client.clone(), Box::new(inventory));
    hubbing.options.namespace = namespace;
    hubbing.leading = leading;
    Some(hubbing)
}
