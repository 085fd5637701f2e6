//! Objects that are stored in a cluster.

use std::pin::pin;

use allready_gateway::Kind;
use allready_kube::resources::{Listed, Selection, listing};
use futures::StreamExt as _;

use super::{args::CheckArgs, manifest::Manifest};
use crate::{
    cluster::Patience,
    failure::Failure,
    target::{discover, unlisted},
};

/// So many kinds are read at the same time.
const PARALLEL: usize = 8;

/// What a cluster has.
pub(super) struct Stored {
    pub(super) objects: Vec<Manifest>,
    /// Kinds that could not be read.
    pub(super) problems: Vec<String>,
    /// The namespace of the context.
    pub(super) namespace: String,
}

/// Reads every object that may decide a status.
///
/// # RBAC
/// `list` on the kinds of the Gateway API, and on namespaces, services, secrets and configmaps. What may not be listed is told, and counts
/// as absent.
pub(super) async fn read(args: &CheckArgs) -> Result<Stored, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let catalog = discover(&cluster).await?;
    let is_wanted = |group: &str, kind: &str| Kind::of(group, kind).is_some();
    let resources: Vec<_> =
        catalog.resources.iter().filter(|one| is_wanted(&one.group, &one.kind) && one.can("list")).collect();
    if !resources.iter().any(|one| one.group == allready_gateway::GROUP) {
        return Err(Failure::unavailable(
            "the API server does not serve gateway.networking.k8s.io: install the CRDs of the Gateway API, or leave --from-cluster out",
        ));
    }
    let everything = Selection::default();
    let mut stored =
        Stored { objects: Vec::new(), problems: Vec::new(), namespace: cluster.namespace.clone() };
    let mut pages = pin!(listing(&cluster.client, resources, &everything, PARALLEL));
    while let Some((resource, listed)) = pages.next().await {
        match listed {
            Listed::Page(objects) => {
                for mut value in objects {
                    // Items of a list do not say of what kind they are.
                    value["apiVersion"] = resource.api_version().into();
                    value["kind"] = resource.kind.as_str().into();
                    stored.objects.push(Manifest { value, text: None });
                }
            }
            Listed::Done => {}
            Listed::Failed(problem) => stored.problems.push(unlisted(resource, None, &problem).to_string()),
        }
    }
    Ok(stored)
}
