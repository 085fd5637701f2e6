//! Metadata only: `PartialObjectMetadata` and its list.

use serde_json::{Map, Value, json};

use crate::rest::ListBody;

/// An object as `PartialObjectMetadata`.
pub(crate) fn partial_metadata(object: &Value) -> Value {
    let mut partial = Map::new();
    partial.insert("kind".into(), "PartialObjectMetadata".into());
    partial.insert("apiVersion".into(), "meta.k8s.io/v1".into());
    let mut metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    crate::builtin::without_projections(object, &mut metadata);
    partial.insert("metadata".into(), metadata);
    partial.into()
}

/// Objects as `PartialObjectMetadataList`.
pub(crate) fn partial_metadata_list(objects: &[Value], list: &ListBody) -> Value {
    // An empty list of these is written as nothing by the real server.
    let items = match objects {
        [] => Value::Null,
        objects => objects.iter().map(partial_metadata).collect(),
    };
    let mut partial = Map::new();
    partial.insert("kind".into(), "PartialObjectMetadataList".into());
    partial.insert("apiVersion".into(), "meta.k8s.io/v1".into());
    partial.insert("metadata".into(), list_metadata(list));
    partial.insert("items".into(), items);
    partial.into()
}

/// The metadata of a list, whatever its kind.
pub(super) fn list_metadata(list: &ListBody) -> Value {
    let mut metadata = json!({"resourceVersion": list.resource_version.to_string()});
    if !list.continue_token.is_empty() {
        metadata["continue"] = list.continue_token.as_str().into();
    }
    if let Some(remaining) = list.remaining {
        metadata["remainingItemCount"] = remaining.into();
    }
    metadata
}
