//! `CustomResourceDefinition`s: what is refused, what is filled in, and the resource that one becomes.

use jiff::Timestamp;
use serde_json::Value;

use crate::resource::{Registry, Resource};

/// Accepts the names of a definition and establishes it.
pub fn accept(_definition: &mut Value, _registry: &Registry, _now: Timestamp) {}

/// The resource that a definition becomes.
pub fn serve(_definition: &Value) -> Option<Resource> {
    None
}
