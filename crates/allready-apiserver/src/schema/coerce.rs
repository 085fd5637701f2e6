//! What decoding into a type does to an object, for custom objects, which have none.

use serde_json::Value;

use super::{Schema, defaults::drop_nulls, meta, prune, prune::prune_metadata};

/// Drops what a schema does not know, and `null` where it can be nothing else; metadata goes through its type. Of a version
/// without a schema nothing is known. Returns the paths of what was unknown.
pub(crate) fn coerce(schema: Option<&Schema>, object: &mut Value) -> Vec<String> {
    let nothing = Schema::default();
    let schema = schema.unwrap_or(&nothing);
    let unknown = prune(schema, object);
    drop_nulls(schema, object);
    tidy(object);
    unknown
}

/// As [`coerce`], for an object of another kind, of which metadata alone is known.
pub(crate) fn coerce_metadata(object: &mut Value) -> Vec<String> {
    let unknown = prune_metadata(object);
    tidy(object);
    unknown
}

fn tidy(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata") {
        meta::tidy(metadata);
    }
}
