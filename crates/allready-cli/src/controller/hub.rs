//! The hub beside the aggregator: one status from the same object in many clusters.

use std::sync::Arc;

use allready::kinds::StatusAggregation;
use allready_controller::hub::{Hubbing, inventory::Providers};
use kube::{Client, Resource as _, api::GroupVersionKind, discovery, error::DiscoveryError};

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

/// Says once what the hub waits for, where there is no definition of what it answers.
pub(super) async fn is_it_served(client: &Client) {
    let no_type = ();
    let (group, version) = (StatusAggregation::group(&no_type), StatusAggregation::version(&no_type));
    let wanted = GroupVersionKind::gvk(&group, &version, &StatusAggregation::kind(&no_type));
    let is_missing = match discovery::pinned_kind(client, &wanted).await {
        Err(kube::Error::Discovery(DiscoveryError::MissingKind(_))) => true,
        Err(kube::Error::Api(status)) => status.code == 404,
        _ => false,
    };
    if is_missing {
        tracing::warn!(
            "the API server does not serve StatusAggregations, so the hub has nothing to do until their definition is \
             installed: manifests/crds/statusaggregations.allready.dev.yaml"
        );
    }
}
