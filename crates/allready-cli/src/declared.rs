//! What is declared of kinds beyond what is built in: in files, and by the definitions of a cluster.

use std::path::{Path, PathBuf};

use allready::{
    registry::{self, Entry, Registry},
    resources::Catalog,
};
use clap::Args;
use kube::api::{ListParams, PartialObjectMeta};
use serde_json::{Value, json};

use crate::{cluster::Cluster, failure::Failure, input, printer::tame};

/// The annotation of a definition that says what its conditions mean.
const ANNOTATION: &str = "allready.dev/conditions";
/// So many definitions are asked for at once.
const PAGE: u32 = 500;

/// More to know than what is built in.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DeclaredArgs {
    /// What conditions of kinds mean, as `allready registry` shows it, or definitions that say so; comes before what is
    /// built in. May be said several times.
    #[arg(long = "registry", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

impl DeclaredArgs {
    /// What is declared in the files.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, Failure> {
        let mut entries = Vec::new();
        for path in &self.files {
            for document in input::read_all(path)? {
                entries.extend(of_document(&document).map_err(|error| unusable(path, &error))?);
            }
        }
        Ok(entries)
    }
}

fn of_document(document: &Value) -> Result<Vec<Entry>, registry::RegistryError> {
    if document["kind"] == "CustomResourceDefinition" {
        return Entry::of_definition(document).into_iter().collect();
    }
    if document.is_null() { Ok(Vec::new()) } else { registry::read(document) }
}

fn unusable(path: &Path, error: &registry::RegistryError) -> Failure {
    Failure::data(format_args!("{}: {}", tame(&path.display().to_string()), tame(&error.to_string())))
}

/// What is built in, with more before it.
pub(crate) fn registry(entries: Vec<Entry>) -> Registry {
    Registry::builtin().clone().with(entries)
}

/// What the definitions of a cluster say of their kinds themselves, and what of that cannot be understood. Who may not list
/// definitions does without.
///
/// # RBAC
/// `list` on `customresourcedefinitions.apiextensions.k8s.io`.
pub(crate) async fn of_cluster(cluster: &Cluster, catalog: &Catalog) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    let Some(definitions) = catalog.of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition") else {
        return (entries, problems);
    };
    let api = definitions.api(cluster.client.clone(), None);
    let mut params = ListParams::default().limit(PAGE);
    while let Ok(page) = api.list_metadata(&params).await {
        for definition in &page.items {
            match declared(definition, catalog) {
                Some(Ok(entry)) => entries.push(entry),
                Some(Err(error)) => problems.push(error.to_string()),
                None => {}
            }
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    (entries, problems)
}

/// A definition's own word. Its name and annotations are enough: the kind is what the server serves under that name.
fn declared(
    definition: &PartialObjectMeta<kube::api::DynamicObject>,
    catalog: &Catalog,
) -> Option<Result<Entry, registry::RegistryError>> {
    let annotation = definition.metadata.annotations.as_ref()?.get(ANNOTATION)?;
    let name = definition.metadata.name.as_deref()?;
    let (plural, group) = name.split_once('.')?;
    let resource =
        catalog.resources.iter().find(|resource| resource.plural == plural && resource.group == group)?;
    Entry::of_definition(&json!({
        "kind": "CustomResourceDefinition",
        "metadata": { "name": name, "annotations": { ANNOTATION: annotation } },
        "spec": { "group": group, "names": { "kind": resource.kind } },
    }))
}
