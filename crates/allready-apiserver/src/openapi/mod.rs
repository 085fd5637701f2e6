//! OpenAPI v3 documents and discovery, from what is served.

use serde_json::{Value, json};

use crate::resource::Registry;

mod digest;
pub mod discovery;
pub(crate) mod prose;

/// The answer to `/openapi/v3`: every document with its hash.
pub fn index(_registry: &Registry) -> Value {
    json!({})
}

/// What changes when the document of a group version changes; `None` when the group version is not served. Cheap: nothing
/// is built for it.
pub fn hash(_registry: &Registry, _group: &str, _version: &str) -> Option<String> {
    None
}

/// The OpenAPI v3 document of a group version. Worth keeping by its [`hash`]: building it takes milliseconds.
pub fn document(_registry: &Registry, _group: &str, _version: &str) -> Option<Value> {
    None
}
