//! The documents of discovery, old and new, as resources.
//!
//! They come from the server and from the servers behind it, so nothing in them is taken for granted: what has no name or no
//! kind is left out.

use std::collections::HashSet;

use serde_json::Value;

use super::{Catalog, Resource};

/// A group as a server tells of it, its versions with the preferred one first.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) versions: Vec<Version>,
}

/// What one version of a group has.
pub(super) struct Version {
    pub(super) name: String,
    /// Its resources, or why nothing is known of them.
    pub(super) resources: Result<Vec<Resource>, String>,
}

/// Whether a document is of aggregated discovery.
pub(super) fn is_aggregated(document: &Value) -> bool {
    document["kind"] == "APIGroupDiscoveryList"
}

/// The groups of an `APIGroupDiscoveryList`.
pub(super) fn aggregated(document: &Value) -> Vec<Group> {
    let group = |item: &Value| {
        let name = text(&item["metadata"]["name"]);
        let versions = list(&item["versions"]).filter(|version| !text(&version["version"]).is_empty());
        let versions = versions.map(|version| aggregated_version(&name, version)).collect();
        Group { name, versions }
    };
    list(&document["items"]).map(group).collect()
}

fn aggregated_version(group: &str, version: &Value) -> Version {
    let name = text(&version["version"]);
    if version["freshness"] == "Stale" {
        // What is told then is what the server behind it had once, and it does not answer now.
        return Version { name, resources: Err("the server that serves it does not answer".to_owned()) };
    }
    let resource = |told: &Value| {
        let kind = text(&told["responseKind"]["kind"]);
        named(Resource {
            group: group.to_owned(),
            version: name.clone(),
            plural: text(&told["resource"]),
            singular: singular(text(&told["singularResource"]), &kind),
            kind,
            short_names: texts(&told["shortNames"]),
            categories: texts(&told["categories"]),
            is_namespaced: told["scope"] == "Namespaced",
            verbs: texts(&told["verbs"]),
        })
    };
    let resources = list(&version["resources"]).filter_map(resource).collect();
    Version { name, resources: Ok(resources) }
}

/// The names of the groups of an `APIGroupList` and of their versions, the preferred one first.
pub(super) fn group_versions(document: &Value) -> Vec<(String, Vec<String>)> {
    let group = |item: &Value| {
        let preferred = text(&item["preferredVersion"]["version"]);
        let mut versions: Vec<String> =
            list(&item["versions"]).map(|version| text(&version["version"])).collect();
        versions.sort_by_key(|version| *version != preferred);
        (text(&item["name"]), versions)
    };
    list(&document["groups"]).map(group).filter(|(name, _)| !name.is_empty()).collect()
}

/// The versions of an `APIVersions`.
pub(super) fn core_versions(document: &Value) -> Vec<String> {
    texts(&document["versions"])
}

/// The resources of an `APIResourceList`.
pub(super) fn resource_list(group: &str, version: &str, document: &Value) -> Vec<Resource> {
    let resource = |told: &Value| {
        let kind = text(&told["kind"]);
        named(Resource {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: text(&told["name"]),
            singular: singular(text(&told["singularName"]), &kind),
            kind,
            short_names: texts(&told["shortNames"]),
            categories: texts(&told["categories"]),
            is_namespaced: told["namespaced"] == true,
            verbs: texts(&told["verbs"]),
        })
    };
    list(&document["resources"]).filter_map(resource).collect()
}

/// One catalog of all groups: of each resource the first version, and the others apart.
pub(super) fn catalog(groups: Vec<Group>) -> Catalog {
    let mut catalog = Catalog::default();
    for group in groups {
        let mut known = HashSet::new();
        for version in group.versions {
            match version.resources {
                Ok(resources) => {
                    for resource in resources {
                        let is_new = known.insert(resource.plural.clone());
                        let versions = if is_new { &mut catalog.resources } else { &mut catalog.others };
                        versions.push(resource);
                    }
                }
                Err(problem) => {
                    let at = if group.name.is_empty() {
                        version.name
                    } else {
                        format!("{}/{}", group.name, version.name)
                    };
                    catalog.problems.push(format!("{at}: {problem}"));
                }
            }
        }
    }
    catalog
}

/// Nothing for a subresource, or for what has no name or kind.
fn named(resource: Resource) -> Option<Resource> {
    let is_whole = !resource.plural.is_empty() && !resource.kind.is_empty();
    (is_whole && !resource.plural.contains('/')).then_some(resource)
}

/// As clients have it: where none is told, the kind in small letters.
fn singular(told: String, kind: &str) -> String {
    if told.is_empty() { kind.to_lowercase() } else { told }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    list(value).filter_map(Value::as_str).map(str::to_owned).collect()
}
