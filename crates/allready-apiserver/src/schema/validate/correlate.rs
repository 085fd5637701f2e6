//! Which old value a new value follows. What has not changed is not held against an update.
//!
//! Follows KEP-4008 (CRD validation ratcheting) and `k8s.io/apiserver/pkg/cel/common/equality.go`.

use serde_json::Value;

use crate::schema::{List, Schema, Shape};

/// A value, the value it follows, and their schema.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) new: &'a Value,
    pub(super) old: &'a Value,
    pub(super) schema: &'a Schema,
}

impl Pair<'_> {
    /// The pair of a field: only where both sides have it and the schema knows it.
    pub(super) fn key(self, name: &str) -> Option<Self> {
        let (Value::Object(new), Value::Object(old)) = (self.new, self.old) else { return None };
        Some(Self { new: new.get(name)?, old: old.get(name)?, schema: self.schema.field(name)? })
    }

    /// The pair of an item: only lists of type map can tell which item follows which.
    pub(super) fn index(self, index: usize) -> Option<Self> {
        let (Value::Array(new), Value::Array(old)) = (self.new, self.old) else { return None };
        let new = new.get(index)?;
        let old = follow(self.schema, old, new)?;
        Some(Self { new, old, schema: self.schema.items()? })
    }

    /// Whether nothing has changed, as far as the schema can see.
    pub(super) fn unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if !is_map_list(self.schema) {
                    return new == old;
                }
                (0..new.len()).all(|index| self.index(index).is_some_and(Self::unchanged))
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len() && new.keys().all(|name| self.key(name).is_some_and(Self::unchanged))
            }
            (new, old) => new == old,
        }
    }
}

fn is_map_list(schema: &Schema) -> bool {
    matches!(&schema.shape, Shape::Array(array) if matches!(array.list, List::Map(_)))
}

/// The old item that has the keys of the new one.
pub(super) fn follow<'a>(schema: &Schema, old: &'a [Value], new: &Value) -> Option<&'a Value> {
    let Shape::Array(array) = &schema.shape else { return None };
    let List::Map(keys) = &array.list else { return None };
    let new = new.as_object()?;
    old.iter()
        .find(|old| old.as_object().is_some_and(|old| keys.iter().all(|key| old.get(key) == new.get(key))))
}
