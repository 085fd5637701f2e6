//! Kubeconfig files: written for the real server, read for a cluster that stands in for it.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::client::Endpoint;

/// A kubeconfig whose current context is the administrator, with one more context per further user.
pub fn render(endpoint: &Endpoint, users: &[(&str, &str)]) -> String {
    let mut cluster = json!({ "server": endpoint.url() });
    if let Some(authority) = &endpoint.authority {
        cluster["certificate-authority-data"] = STANDARD.encode(authority).into();
    }
    let everyone = || std::iter::once(("admin", endpoint.token.as_str())).chain(users.iter().copied());
    let users: Vec<Value> =
        everyone().map(|(name, token)| json!({ "name": name, "user": { "token": token } })).collect();
    let contexts: Vec<Value> = everyone()
        .map(|(name, _)| json!({ "name": name, "context": { "cluster": "allready", "user": name, "namespace": "default" } }))
        .collect();
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "allready", "cluster": cluster }],
        "users": users,
        "contexts": contexts,
        "current-context": "admin",
    });
    // JSON is YAML; kubectl reads either.
    format!("{config:#}\n")
}

/// The endpoint of a kubeconfig's current context. Only a bearer token is understood.
pub fn read(path: &Path) -> Result<Endpoint> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let config: Value =
        serde_saphyr::from_str(&text).with_context(|| format!("{} is no kubeconfig", path.display()))?;
    let named = |list: &str, name: &str| {
        config[list].as_array().into_iter().flatten().find(|entry| entry["name"] == name).cloned()
    };
    let current = config["current-context"].as_str().unwrap_or_default();
    let context =
        named("contexts", current).with_context(|| format!("{} has no current context", path.display()))?;
    let cluster = named("clusters", context["context"]["cluster"].as_str().unwrap_or_default())
        .with_context(|| format!("{}: the current context has no cluster", path.display()))?;
    let user = named("users", context["context"]["user"].as_str().unwrap_or_default()).unwrap_or_default();
    let cluster = &cluster["cluster"];
    let server = cluster["server"].as_str().unwrap_or_default();
    let (scheme, rest) =
        server.split_once("://").with_context(|| format!("{server:?} is no address of a server"))?;
    let authority =
        match (cluster["certificate-authority-data"].as_str(), cluster["certificate-authority"].as_str()) {
            _ if scheme == "http" => None,
            (Some(data), _) => Some(String::from_utf8(STANDARD.decode(data)?)?),
            (None, Some(file)) => {
                Some(std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?)
            }
            (None, None) => {
                anyhow::bail!("{}: an https server needs a certificate authority", path.display())
            }
        };
    let token = user["user"]["token"]
        .as_str()
        .with_context(|| format!("{}: the current user needs a bearer token", path.display()))?;
    let address = rest.trim_end_matches('/');
    let address = match (address.contains(':'), scheme) {
        (true, _) => address.to_owned(),
        (false, "https") => format!("{address}:443"),
        (false, _) => format!("{address}:80"),
    };
    Ok(Endpoint { address, authority, token: token.to_owned() })
}
