//! Pruning: what a schema does not know is removed.
//!
//! Follows `pkg/apiserver/schema/pruning` of `k8s.io/apiextensions-apiserver`.

use std::{
    fmt::Write as _,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value};

use super::{Definitions, Schema, Shape};

/// How deep objects are followed. The decoder lets nothing deeper in.
pub(super) const DEEPEST_OBJECT: usize = 256;

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

static META: LazyLock<Arc<Schema>> =
    LazyLock::new(|| Definitions::builtin().get(OBJECT_META).unwrap_or_default());

/// The schema of `metadata`.
pub(super) fn object_meta() -> Arc<Schema> {
    META.clone()
}

/// The schema of a custom kind as its author wrote it, with `apiVersion`, `kind` and the whole of `metadata` added.
pub(crate) fn with_object_meta(schema: &Schema) -> Schema {
    let mut out = schema.clone();
    if let Shape::Any = out.shape {
        out.shape = Shape::Object(super::Object::default());
    }
    if let Shape::Object(object) = &mut out.shape {
        let text = Arc::new(Schema { shape: Shape::String, ..Schema::default() });
        object.properties.insert("apiVersion".into(), text.clone());
        object.properties.insert("kind".into(), text);
        object.properties.insert("metadata".into(), object_meta());
    }
    out
}

/// Removes what the schema does not know, and returns the paths of what was removed, as in `spec.ports[0].x`: those in
/// `metadata` first, then the others sorted, then those in the metadata of embedded objects.
///
/// `apiVersion`, `kind` and `metadata` at the root stay, whether the schema names them or not.
pub(crate) fn prune(schema: &Schema, object: &mut Value) -> Vec<String> {
    let mut walk = Walk::default();
    let mut paths = prune_metadata(object);
    walk.root(schema, object);
    walk.unknown.sort();
    paths.append(&mut walk.unknown);
    paths.append(&mut walk.embedded);
    paths
}

/// As [`prune`], but of `metadata` alone.
pub(crate) fn prune_metadata(object: &mut Value) -> Vec<String> {
    let mut walk = Walk::default();
    if let Some(metadata) = object.get_mut("metadata") {
        "metadata".clone_into(&mut walk.path);
        walk.node(metadata, Some(&META), false);
    }
    walk.unknown
}

#[derive(Default)]
struct Walk {
    path: String,
    depth: usize,
    unknown: Vec<String>,
    embedded: Vec<String>,
}

impl Walk {
    fn root(&mut self, schema: &Schema, object: &mut Value) {
        if let Value::Object(fields) = object {
            let kept = ["apiVersion", "kind", "metadata"].map(|name| fields.remove_entry(name));
            self.node(object, Some(schema), schema.preserve_unknown);
            if let Value::Object(fields) = object {
                fields.extend(kept.into_iter().flatten());
            }
        }
    }

    /// `keep` is whether what is unknown here stays; it reaches through lists, not through known fields.
    fn node(&mut self, value: &mut Value, schema: Option<&Schema>, keep: bool) {
        if self.depth > DEEPEST_OBJECT {
            return;
        }
        self.depth += 1;
        let length = self.path.len();
        let keep = keep || schema.is_some_and(|schema| schema.preserve_unknown);
        match value {
            Value::Object(fields) => self.object(fields, schema, keep),
            Value::Array(items) => {
                let inner = schema.and_then(Schema::items);
                for (index, item) in items.iter_mut().enumerate() {
                    let _ = write!(self.path, "[{index}]");
                    // Below a kept list without known items, everything stays.
                    if !(keep && inner.is_none()) {
                        self.node(item, inner, keep);
                    }
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
        self.depth -= 1;
    }

    fn object(&mut self, fields: &mut Map<String, Value>, schema: Option<&Schema>, keep: bool) {
        let length = self.path.len();
        let mut gone = Vec::new();
        for (name, value) in fields.iter_mut() {
            if schema.is_some_and(|schema| schema.embedded)
                && matches!(name.as_str(), "apiVersion" | "kind" | "metadata")
            {
                if name == "metadata" {
                    self.embedded_metadata(value);
                }
                continue;
            }
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            match schema.and_then(|schema| schema.field(name)) {
                Some(inner) => self.node(value, Some(inner), false),
                None if keep => {}
                None => {
                    self.unknown.push(self.path.clone());
                    gone.push(name.clone());
                }
            }
            self.path.truncate(length);
        }
        for name in gone {
            fields.remove(&name);
        }
    }

    fn embedded_metadata(&mut self, metadata: &mut Value) {
        let mut inner = Walk { path: self.path.clone(), depth: self.depth, ..Walk::default() };
        inner.path.push_str(if self.path.is_empty() { "metadata" } else { ".metadata" });
        inner.node(metadata, Some(&META), false);
        self.embedded.append(&mut inner.unknown);
        super::meta::tidy(metadata);
    }
}
