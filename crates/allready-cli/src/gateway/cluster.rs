//! Objects that are stored in a cluster.

use std::{collections::BTreeSet, pin::pin};

use allready_gateway::Kind;
use allready_kube::resources::{Listed, Selection, listing};
use futures::StreamExt as _;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    core::{ApiResource, DynamicObject},
};

use super::{args::CheckArgs, manifest::Manifest};
use crate::{
    cluster::Patience,
    failure::Failure,
    target::{discover, unlisted},
};

/// The number of kinds that are read at the same time.
const PARALLEL: usize = 8;

/// The objects of a cluster.
pub(super) struct Stored {
    pub(super) objects: Vec<Manifest>,
    /// Sentences on the kinds that could not be read.
    pub(super) problems: Vec<String>,
    /// Kinds that could not be read.
    pub(super) unread: BTreeSet<String>,
    /// Kinds of the Gateway API that the API server serves.
    pub(super) served: BTreeSet<String>,
    /// The namespace of the context.
    pub(super) namespace: String,
}

/// Reads every object that may decide a status.
///
/// # RBAC
/// `list` on the kinds of the Gateway API, and on namespaces, services, secrets and configmaps; `get` on the CRDs of the Gateway API. What may not be listed is told, and
/// taken to exist where it is named.
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
    let mut problems = Vec::new();
    let mut objects = Vec::new();
    let crds: Api<DynamicObject> =
        Api::all_with(cluster.client.clone(), &ApiResource::erase::<CustomResourceDefinition>(&()));
    let own = || resources.iter().filter(|one| one.group == allready_gateway::GROUP);
    let served = own().map(|one| one.kind.clone()).collect();
    // What is stored was validated when it was written.
    for resource in own().filter(|_| args.input.is_given()) {
        let name = format!("{}.{}", resource.plural, resource.group);
        match crds.get(&name).await.map(serde_json::to_value) {
            Ok(Ok(value)) => objects.push(Manifest { value, text: None }),
            Ok(Err(error)) => problems.push(format!("cannot read the CRD {name}: {error}")),
            Err(error) => {
                let why = match &error {
                    kube::Error::Api(status) => status.message.clone(),
                    other => other.to_string(),
                };
                problems.push(format!("no {} is checked against its schema: {why}", resource.kind));
            }
        }
    }
    let everything = Selection::default();
    let mut stored =
        Stored { objects, problems, unread: BTreeSet::new(), served, namespace: cluster.namespace.clone() };
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
            Listed::Failed(problem) => {
                stored.unread.insert(resource.kind.clone());
                stored.problems.push(unlisted(resource, None, &problem).to_string());
            }
        }
    }
    Ok(stored)
}
