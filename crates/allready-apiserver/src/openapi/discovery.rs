//! Discovery: which groups, versions and resources there are.

use serde_json::{Value, json};

use crate::resource::Registry;

/// The answer to `/version`.
pub fn version() -> Value {
    json!({})
}

/// The answer to `/api`; `address` is where this server listens, such as `127.0.0.1:6443`.
pub fn api(_registry: &Registry, _address: &str) -> Value {
    json!({})
}

/// The answer to `/apis`.
pub fn apis(_registry: &Registry) -> Value {
    json!({})
}

/// The answer to `/apis/GROUP`.
pub fn group(_registry: &Registry, _name: &str) -> Option<Value> {
    None
}

/// The answer to `/api/v1` and `/apis/GROUP/VERSION`.
pub fn resources(_registry: &Registry, _group: &str, _version: &str) -> Option<Value> {
    None
}

/// Aggregated discovery: of the core group (`/api`), or of all the others (`/apis`).
pub fn aggregated(_registry: &Registry, _core: bool) -> Value {
    json!({})
}
