//! Pages that say how the server is and what paths it has.

use serde_json::{Value, json};

use super::path;
use crate::resource::Registry;

/// What the server looks at to say how it is: there is little that can be wrong with a server that answers.
const CHECKS: [&str; 4] = ["ping", "log", "etcd", "poststarthook/crd-informer-synced"];

/// The text of a health page; `None` for a check that there is not.
pub(crate) fn health(endpoint: &str, check: Option<&str>, query: &[(String, String)]) -> Option<String> {
    let mut checks: Vec<&str> = CHECKS.to_vec();
    if endpoint == "readyz" {
        checks.extend(["etcd-readiness", "informer-sync", "shutdown"]);
    }
    if let Some(check) = check {
        return checks.contains(&check).then(|| "ok".to_owned());
    }
    if path::first(query, "verbose").is_none() {
        return Some("ok".to_owned());
    }
    let excluded: Vec<&str> =
        query.iter().filter(|(key, _)| key == "exclude").map(|(_, value)| value.as_str()).collect();
    let mut lines: Vec<String> = checks
        .into_iter()
        .map(|check| {
            let word = if excluded.contains(&check) { "excluded: ok" } else { "ok" };
            format!("[+]{check} {word}\n")
        })
        .collect();
    lines.push(format!("{endpoint} check passed\n"));
    Some(lines.concat())
}

/// `/`: the paths that there are.
pub(crate) fn root(registry: &Registry) -> Value {
    let mut paths: Vec<String> = ["/api", "/apis", "/apis/"].map(str::to_owned).to_vec();
    for resource in registry.iter() {
        for version in &resource.versions {
            if resource.group.is_empty() {
                paths.push(format!("/api/{}", version.name));
            } else {
                paths.push(format!("/apis/{}", resource.group));
                paths.push(format!("/apis/{}/{}", resource.group, version.name));
            }
        }
    }
    paths.extend(
        ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/readyz", "/version"]
            .map(str::to_owned),
    );
    paths.sort();
    paths.dedup();
    json!({ "paths": paths })
}

/// `/openapi/v2` as JSON. It describes nothing: whoever finds a kind in no document of version 3 looks here next, and is to
/// learn that it is not described, not that nothing could be asked.
pub(crate) const OPENAPI_TWO: &str =
    r#"{"swagger":"2.0","info":{"title":"Kubernetes","version":"1.36"},"paths":{},"definitions":{}}"#;

/// The same as a message of protobuf: version, information (title, version), paths, definitions.
pub(crate) const OPENAPI_TWO_PROTOBUF: &[u8] =
    b"\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.36\x42\x00\x4a\x00";
