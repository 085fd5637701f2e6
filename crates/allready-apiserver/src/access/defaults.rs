//! The roles and bindings that every cluster has and that users meet: what anybody may see of a server, what anybody who is
//! known may ask, and the roles `cluster-admin`, `admin`, `edit` and `view` to bind to. The roles of Kubernetes' own components
//! are left out: none of them runs here.

use std::sync::LazyLock;

use serde_json::Value;

static OBJECTS: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("defaults.json")).unwrap_or_default());

/// The manifests of the roles and bindings of every cluster, from `cargo xtask shapes`.
pub(crate) fn objects() -> &'static [Value] {
    &OBJECTS
}
