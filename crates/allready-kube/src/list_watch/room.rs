//! The memory that the objects of many watches may take together.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

/// The bytes that the objects of all watches with this room take, as estimated by these, and the most they may take.
///
/// ```
/// use allready_kube::list_watch::Room;
///
/// let room = Room::of(100);
/// assert!(room.replace(0, 80) && !room.replace(0, 30));
/// assert!(room.replace(80, 50) && room.replace(0, 30));
/// ```
#[derive(Debug)]
pub struct Room {
    limit: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Room for so many bytes.
    pub fn of(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, taken: AtomicUsize::new(0) })
    }

    /// Takes bytes in place of others. Returns false, and changes nothing, where there is no room for them; for fewer than before there
    /// always is.
    pub fn replace(&self, released: usize, wanted: usize) -> bool {
        let taken = |taken: usize| {
            let taken = taken.saturating_sub(released).saturating_add(wanted);
            (taken <= self.limit || wanted <= released).then_some(taken)
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// Returns true if there is room for bytes in place of others, and a quarter of it is left for objects of which less is kept.
    pub fn has_plenty(&self, released: usize, wanted: usize) -> bool {
        self.taken().saturating_sub(released).saturating_add(wanted) <= self.limit / 4 * 3
    }

    /// The bytes that are taken.
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

/// The bytes that a value takes in memory, which are several times those of its text.
pub fn weight(value: &Value) -> usize {
    const NODE: usize = 32;
    match value {
        Value::Array(items) => NODE + items.iter().map(weight).sum::<usize>(),
        // A tree allocates nodes for eleven fields.
        Value::Object(fields) => {
            let tree = if fields.is_empty() { 0 } else { (100 * fields.len()).max(650) };
            NODE + tree + fields.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>()
        }
        Value::String(text) => NODE + text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => NODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_weighs_more_than_its_text() {
        let value = serde_json::json!({ "a": [1, { "b": "text" }], "c": {} });
        assert!(weight(&value) > 10 * value.to_string().len(), "{}", weight(&value));
        assert!(weight(&Value::String("x".repeat(1_000))) >= 1_000);
    }
}
