//! OpenAPI v3 documents and discovery, from what is served.
//!
//! The shapes of built-in kinds are data of this crate, what their fields mean comes from the types that it is built with, and
//! custom kinds bring both themselves.
//!
//! Follows `k8s.io/kube-openapi/pkg/builder3` and `k8s.io/apiserver/pkg/endpoints/discovery` (aggregated discovery: KEP-3352).

use serde_json::{Map, Value, json};

use crate::resource::{Registry, Version};

mod builtin;
mod custom;
mod digest;
pub(crate) mod discovery;
mod operations;
mod paths;
pub(crate) mod prose;
#[cfg(test)]
mod tests;

/// Where the definitions of a document stand.
const DEFINITIONS: &str = "#/components/schemas/";

/// The answer to `/openapi/v3`: every document with its hash.
pub(crate) fn index(registry: &Registry) -> Value {
    let mut documents = Map::new();
    for group in std::iter::once("").chain(discovery::groups(registry)) {
        for version in discovery::versions(registry, group) {
            let path =
                if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
            if let Some(hash) = hash(registry, group, version) {
                let address = format!("/openapi/v3/{path}?hash={hash}");
                documents.insert(path, json!({"serverRelativeURL": address}));
            }
        }
    }
    json!({"paths": documents})
}

/// What changes when the document of a group version changes; `None` when the group version is not served. Cheap: nothing
/// is built for it.
pub(crate) fn hash(registry: &Registry, group: &str, version: &str) -> Option<String> {
    let mut texts = vec![env!("CARGO_PKG_VERSION").to_owned(), group.to_owned(), version.to_owned()];
    for (resource, version) in discovery::served(registry, group, version) {
        let Version { status, scale, selectable, published, .. } = version;
        texts.push(format!(
            "{} {} {} {} {:?} {status} {scale:?} {selectable:?}",
            resource.plural, resource.kind, resource.list_kind, resource.namespaced, resource.verbs,
        ));
        texts.extend(published.as_ref().map(ToString::to_string));
    }
    if texts.len() == 3 {
        return None;
    }
    // A separator that stands in none of the texts, so that no two lists of texts are one.
    Some(digest::hexadecimal(&[texts.join("\0").as_bytes()]))
}

/// The OpenAPI v3 document of a group version; `None` when it is not served. Worth keeping by its [`hash`]: building it takes
/// milliseconds.
pub(crate) fn document(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let served: Vec<_> = discovery::served(registry, group, version).collect();
    let (_, first) = served.first()?;
    let is_custom = discovery::is_custom(first);
    let shapes = builtin::Shapes::read();
    let mut definitions = Map::new();
    let mut paths = Map::new();
    let mut wanted = Vec::new();
    for (resource, version) in &served {
        let name = match &version.published {
            Some(_) => custom::name(resource, version),
            None => match shapes.name(resource, version) {
                Some(name) => name.to_owned(),
                None => continue,
            },
        };
        match &version.published {
            Some(published) => {
                definitions.insert(name.clone(), custom::definition(resource, version, published));
            }
            None => wanted.push(name.clone()),
        }
        let is_listed = discovery::verbs(resource, version).contains(&"list");
        let list = is_listed.then(|| format!("{name}List"));
        if let Some(list) = &list {
            let definition = custom::list(resource, version, &name);
            definitions
                .insert(list.clone(), if is_custom { definition } else { builtin::list(definition, &name) });
        }
        match (&version.published, &list) {
            (Some(_), Some(list)) => operations::add(&mut paths, resource, version, &name, list),
            _ => paths::add(&mut paths, resource, version, &name, list.as_deref()),
        }
    }
    if is_custom && served.iter().any(|(_, version)| version.scale.is_some()) {
        let scale: Map<String, Value> = serde_json::from_str(include_str!("scale.json")).unwrap_or_default();
        definitions.extend(scale);
    }
    for value in paths.values().chain(definitions.values()) {
        referred(value, &mut wanted);
    }
    shapes.add(wanted, &mut definitions);
    if let Some(options) = definitions.get_mut(paths::DELETE_OPTIONS) {
        let mut kinds = vec![json!({"group": "", "version": "v1", "kind": "DeleteOptions"})];
        if !is_custom && !group.is_empty() {
            kinds.push(json!({"group": group, "version": version, "kind": "DeleteOptions"}));
        }
        // Custom kinds are deleted with the options of any group that the real server knows.
        let all = || serde_json::from_str(include_str!("delete_options.json")).unwrap_or_default();
        options["x-kubernetes-group-version-kind"] = if is_custom { all() } else { kinds.into() };
    }
    let mut components = json!({"schemas": definitions});
    let mut information = json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"});
    if !is_custom {
        information = json!({"title": "Kubernetes", "version": "1.36"});
        components["securitySchemes"] = json!({"BearerToken": {
            "type": "apiKey",
            "description": "Bearer Token authentication",
            "name": "authorization",
            "in": "header",
        }});
    }
    Some(json!({"openapi": "3.0.0", "info": information, "paths": paths, "components": components}))
}

/// A reference to a definition.
fn reference(definition: &str) -> Value {
    json!({"$ref": format!("{DEFINITIONS}{definition}")})
}

/// Notes all definitions that a value refers to.
fn referred(value: &Value, found: &mut Vec<String>) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                let reference = fields.get("$ref").and_then(Value::as_str);
                found
                    .extend(reference.and_then(|text| text.strip_prefix(DEFINITIONS)).map(ToOwned::to_owned));
                waiting.extend(fields.values());
            }
            _ => {}
        }
    }
}
