//! The file with which clients find a server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

/// A kubeconfig for one server: `ca` is its certificate authority as PEM, for HTTPS.
///
/// ```
/// let text = allready_apiserver::server::kubeconfig("http://127.0.0.1:8001", None, "secret");
/// assert!(text.contains("server: \"http://127.0.0.1:8001\""));
/// assert!(text.contains("token: \"secret\""));
/// ```
pub fn kubeconfig(url: &str, ca: Option<&str>, token: &str) -> String {
    // Every JSON string is a YAML string.
    let (url, token) = (Value::from(url), Value::from(token));
    let authority = ca
        .map(|pem| format!("\n    certificate-authority-data: {}", STANDARD.encode(pem)))
        .unwrap_or_default();
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: allready
  cluster:
    server: {url}{authority}
users:
- name: admin
  user:
    token: {token}
contexts:
- name: allready
  context:
    cluster: allready
    user: admin
    namespace: default
current-context: allready
"
    )
}
