//! The hub beside the aggregator: one status from the same object in many clusters.

use super::{args::ControllerArgs, cluster::Cluster, failure::Failure, sources, text::tame};
use crate::{
    engine::Running,
    hub::{HubController, inventory::Providers},
};

/// The plugins that give credentials, from the file that is named.
pub(super) fn providers(args: &ControllerArgs) -> Result<Providers, Failure> {
    let Some(path) = &args.cluster_providers else { return Ok(Providers::default()) };
    Providers::read_from(path)
        .map_err(|error| Failure::no_input(format_args!("--cluster-providers: {}", tame(&error.to_string()))))
}

/// Makes the controller of the hub; none where no clusters are given.
pub(super) fn controller(
    args: &ControllerArgs,
    cluster: &Cluster,
    providers: &Providers,
    running: Running,
) -> Option<HubController> {
    if args.clusters.is_empty() {
        return None;
    }
    let namespace = args.hub_namespace(&cluster.namespace);
    let inventory = sources::inventory(&args.clusters, providers, &namespace, &cluster.client);
    let mut controller = HubController::new(cluster.client.clone(), Box::new(inventory));
    controller.options.namespace = namespace;
    controller.options.dns = !args.no_dns;
    let (namespace, name) = super::lease(args, cluster);
    controller.options.lease = Some(format!("{namespace}/{name}").into());
    Some(HubController { running, ..controller })
}
