//! Strategic merge patches.

use serde_json::Value;

use crate::{schema::Schema, status::Failure};

/// Merges a patch.
pub fn merge(_schema: &Schema, live: &Value, patch: &Value) -> Result<Value, Failure> {
    let mut out = live.clone();
    super::merge::merge(&mut out, patch);
    Ok(out)
}
