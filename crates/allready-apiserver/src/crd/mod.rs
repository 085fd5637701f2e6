//! `CustomResourceDefinition`s: what is refused, what is filled in, and the resource that one becomes.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver` and `pkg/registry/customresource`; each file names its part of it.

mod accept;
mod check;
mod conversion;
mod custom;
mod decoded;
mod defaults;
mod internal;
mod names;
mod openapi;
mod raw;
pub(crate) mod scale;
mod serve;
mod strategy;
mod structural;
#[cfg(test)]
mod tests;
mod versions;

use std::sync::{Arc, LazyLock};

pub(crate) use accept::accept;
pub(crate) use serve::{made_from, serve};

use crate::{
    resource::{Resource, Version},
    schema::Definitions,
};

const NAME: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";

/// The resource `customresourcedefinitions` itself.
pub(crate) fn definition() -> Resource {
    let version = Version {
        name: "v1".into(),
        schema: LazyLock::new(Box::new(|| Definitions::builtin().get(NAME).unwrap_or_default())),
        status: true,
        scale: None,
        columns: Vec::new(),
        selectable: Vec::new(),
        deprecation: None,
        published: None,
    };
    Resource {
        group: "apiextensions.k8s.io".into(),
        plural: "customresourcedefinitions".into(),
        singular: "customresourcedefinition".into(),
        kind: "CustomResourceDefinition".into(),
        list_kind: "CustomResourceDefinitionList".into(),
        short_names: vec!["crd".into(), "crds".into()],
        categories: vec!["api-extensions".into()],
        namespaced: false,
        versions: vec![version],
        storage_version: "apiextensions.k8s.io/v1".into(),
        place: "apiextensions.k8s.io/customresourcedefinitions".into(),
        verbs: Vec::new(),
        strategy: Arc::new(strategy::DefinitionStrategy),
    }
}
