//! The words for a command that found nothing: what it looked for, and where.

use allready_kube::resources::close_names;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, api::ListParams};

use super::{Asked, Target};
use crate::{cluster::Cluster, printer::tame};

/// Namespaces that are read to find a name close to one that does not exist.
const MAX_NAMESPACES: u32 = 1000;

/// Says what was looked for and where. A namespace that does not exist is the reason for finding nothing in it.
///
/// # RBAC
/// `get` and `list` on namespaces; without them less is said.
pub(crate) async fn none_found(cluster: &Cluster, targets: &[Target], asked: &[Asked]) -> String {
    let some = asked.iter().find(|asked| asked.selection.namespace.is_some()).or_else(|| asked.first());
    let selection = some.map(|asked| asked.selection.clone()).unwrap_or_default();
    if let Some(namespace) = &selection.namespace
        && let Some(absent) = absent_namespace(cluster, namespace).await
    {
        return absent;
    }
    let mut kinds: Vec<String> = asked.iter().map(|asked| asked.resource.full_name()).collect();
    kinds.truncate(5);
    let what = if targets.is_empty() || kinds.is_empty() { "objects".to_owned() } else { kinds.join(" or ") };
    let labels = selection.labels.map(|labels| format!(" with labels {labels}")).unwrap_or_default();
    let and = if labels.is_empty() { " with" } else { " and" };
    let fields = selection.fields.map(|fields| format!("{and} fields {fields}")).unwrap_or_default();
    let place = match selection.namespace {
        Some(namespace) => format!(" in namespace {namespace}"),
        None if asked.iter().any(|asked| asked.resource.is_namespaced) => " in any namespace".to_owned(),
        None => String::new(),
    };
    tame(&format!("no {what} found{labels}{fields}{place}"))
}

/// Says that a namespace does not exist, and which names are close to it. Nothing where it exists, or nobody says.
pub(crate) async fn absent_namespace(cluster: &Cluster, namespace: &str) -> Option<String> {
    let api: Api<Namespace> = Api::all(cluster.client.clone());
    let is_absent = matches!(api.get_metadata_opt(namespace).await, Ok(None));
    if !is_absent {
        return None;
    }
    let listed = api.list_metadata(&ListParams::default().limit(MAX_NAMESPACES)).await.ok();
    let names: Vec<String> =
        listed.into_iter().flat_map(|list| list.items).filter_map(|object| object.metadata.name).collect();
    let close = close_names(namespace, names.iter().map(String::as_str));
    let hint =
        if close.is_empty() { String::new() } else { format!("; did you mean {}?", close.join(" or ")) };
    Some(tame(&format!("namespace {namespace} does not exist{hint}")))
}
