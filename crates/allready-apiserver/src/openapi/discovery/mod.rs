//! Discovery: which groups, versions and resources there are.
//!
//! Follows `k8s.io/apiserver/pkg/endpoints/discovery` and its `aggregated`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::digest;
use crate::resource::{Registry, Resource, Version};

mod groups;
#[cfg(test)]
pub(crate) mod tests;

pub(super) use groups::{groups, versions};

/// The answer to `/version`.
pub(crate) fn version() -> Value {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": "v1.36.4",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": format!("{system}/{processor}"),
    })
}

/// The answer to `/api`; `address` is where this server listens, such as `127.0.0.1:6443`.
pub(crate) fn api(registry: &Registry, address: &str) -> Value {
    json!({
        "kind": "APIVersions",
        "versions": versions(registry, ""),
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// The answer to `/apis`.
pub(crate) fn apis(registry: &Registry) -> Value {
    let groups: Vec<Value> = groups(registry).into_iter().map(|name| describe(registry, name)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// The answer to `/apis/GROUP`.
pub(crate) fn group(registry: &Registry, name: &str) -> Option<Value> {
    if !groups(registry).contains(&name) {
        return None;
    }
    let mut group = describe(registry, name);
    group["kind"] = "APIGroup".into();
    group["apiVersion"] = "v1".into();
    Some(group)
}

fn describe(registry: &Registry, name: &str) -> Value {
    let entry = |version: &str| json!({"groupVersion": format!("{name}/{version}"), "version": version});
    let versions: Vec<Value> = versions(registry, name).into_iter().map(entry).collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

/// The answer to `/api/v1` and `/apis/GROUP/VERSION`.
pub(crate) fn resources(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let served: Vec<_> = served(registry, group, version).collect();
    let (first, _) = served.first()?;
    let mut entries = Vec::new();
    for (resource, version) in &served {
        entries.push(entry(resource, version));
        entries.extend(subresources(resource, version).into_iter().map(|part| part.entry(resource)));
    }
    let mut list =
        json!({"kind": "APIResourceList", "groupVersion": first.api_version(version), "resources": entries});
    // The core group is older than this version of lists, and never says it.
    if !group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    Some(list)
}

/// Aggregated discovery: of the core group (`/api`), or of all the others (`/apis`).
pub(crate) fn aggregated(registry: &Registry, core: bool) -> Value {
    let names = if core { vec![""] } else { groups(registry) };
    let items: Vec<Value> = names.into_iter().map(|name| aggregated_group(registry, name)).collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

/// The resources of a group version, by name.
pub(super) fn served<'a>(
    registry: &'a Registry,
    group: &'a str,
    version: &'a str,
) -> impl Iterator<Item = (&'a Resource, &'a Version)> {
    let of_group = registry.iter().filter(move |resource| resource.group == group);
    of_group.filter_map(move |resource| Some((&**resource, resource.version(version)?)))
}

/// Whether an author of a custom kind stands behind a version.
pub(super) fn is_custom(version: &Version) -> bool {
    version.published.is_some() || !version.columns.is_empty()
}

/// What can be done with a resource, in the order in which the real server says so.
pub(super) fn verbs<'a>(resource: &'a Resource, version: &Version) -> Vec<&'a str> {
    if !resource.verbs.is_empty() {
        let mut verbs = resource.verbs.clone();
        verbs.sort_unstable();
        return verbs;
    }
    if is_custom(version) {
        vec!["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
    } else {
        vec!["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    }
}

fn entry(resource: &Resource, version: &Version) -> Value {
    let verbs = verbs(resource, version);
    let mut entry = Map::new();
    entry.insert("name".into(), resource.plural.as_str().into());
    entry.insert("singularName".into(), resource.singular.as_str().into());
    entry.insert("namespaced".into(), resource.namespaced.into());
    entry.insert("kind".into(), resource.kind.as_str().into());
    // What is only asked is never stored.
    if verbs.contains(&"get") {
        let stored = match resource.plural.as_str() {
            // The real server files these under the version that it stored them in first.
            "customresourcedefinitions" if !is_custom(version) => "apiextensions.k8s.io/v1beta1",
            _ => resource.storage_version.as_str(),
        };
        let (group, version) = stored.split_once('/').unwrap_or(("", stored));
        let digest = digest::sha256(&[format!("{group}/{version}/{}", resource.kind).as_bytes()]);
        let hash = STANDARD.encode(digest.get(..8).unwrap_or_default());
        entry.insert("storageVersionHash".into(), hash.into());
    }
    entry.insert("verbs".into(), verbs.into());
    names(resource, &mut entry);
    entry.into()
}

fn names(resource: &Resource, entry: &mut Map<String, Value>) {
    for (key, names) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
        if !names.is_empty() {
            entry.insert(key.into(), names.clone().into());
        }
    }
}

/// A subresource: its name, the kind it speaks where that is not the resource's own, and its verbs.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) speaks: Option<[&'static str; 3]>,
    pub(super) verbs: &'static [&'static str],
}

impl Part {
    fn entry(&self, resource: &Resource) -> Value {
        let mut entry = json!({
            "name": format!("{}/{}", resource.plural, self.name),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": self.speaks.map_or(resource.kind.as_str(), |[_, _, kind]| kind),
            "verbs": self.verbs,
        });
        if let Some([group, version, _]) = self.speaks.filter(|[_, version, _]| !version.is_empty()) {
            entry["group"] = group.into();
            entry["version"] = version.into();
        }
        entry
    }
}

/// The subresources of a version.
pub(super) fn subresources(resource: &Resource, version: &Version) -> Vec<Part> {
    const WRITE: &[&str] = &["get", "patch", "update"];
    let mut parts = Vec::new();
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "namespaces") => parts.push(Part { name: "finalize", speaks: None, verbs: &["update"] }),
        ("", "pods") => {
            parts.push(Part { name: "binding", speaks: Some(["", "", "Binding"]), verbs: &["create"] });
            parts.push(Part {
                name: "eviction",
                speaks: Some(["policy", "v1", "Eviction"]),
                verbs: &["create"],
            });
        }
        ("certificates.k8s.io", "certificatesigningrequests") => {
            parts.push(Part { name: "approval", speaks: None, verbs: WRITE });
        }
        ("", "serviceaccounts") => parts.push(Part {
            name: "token",
            speaks: Some(["authentication.k8s.io", "v1", "TokenRequest"]),
            verbs: &["create"],
        }),
        _ => {}
    }
    let status = version.status.then_some(Part { name: "status", speaks: None, verbs: WRITE });
    let speaks = Some(["autoscaling", "v1", "Scale"]);
    let scale = version.scale.is_some().then_some(Part { name: "scale", speaks, verbs: WRITE });
    if is_custom(version) {
        parts.extend(status.into_iter().chain(scale));
    } else {
        parts.extend(scale.into_iter().chain(status));
    }
    parts
}

fn aggregated_group(registry: &Registry, name: &str) -> Value {
    let versions: Vec<Value> = versions(registry, name)
        .into_iter()
        .map(|version| {
            let resources: Vec<Value> = served(registry, name, version)
                .map(|(resource, version)| aggregated_entry(resource, version))
                .collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if name.is_empty() { json!({}) } else { json!({"name": name}) };
    json!({"metadata": metadata, "versions": versions})
}

fn aggregated_entry(resource: &Resource, version: &Version) -> Value {
    // Built-in kinds leave out the group and version that are the ones around them.
    let own = if is_custom(version) { [resource.group.as_str(), &version.name] } else { ["", ""] };
    let kind = |[group, version, kind]: [&str; 3]| json!({"group": group, "version": version, "kind": kind});
    let own = [own[0], own[1], resource.kind.as_str()];
    let mut entry = Map::new();
    entry.insert("resource".into(), resource.plural.as_str().into());
    entry.insert("responseKind".into(), kind(own));
    entry.insert("scope".into(), if resource.namespaced { "Namespaced" } else { "Cluster" }.into());
    entry.insert("singularResource".into(), resource.singular.as_str().into());
    entry.insert("verbs".into(), verbs(resource, version).into());
    names(resource, &mut entry);
    let parts: Vec<Value> = subresources(resource, version)
        .into_iter()
        .map(|part| {
            json!({"subresource": part.name, "responseKind": kind(part.speaks.unwrap_or(own)), "verbs": part.verbs})
        })
        .collect();
    if !parts.is_empty() {
        entry.insert("subresources".into(), parts.into());
    }
    entry.into()
}
