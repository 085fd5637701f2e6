//! The bytes of an object that belong to each manager.

use std::{collections::HashMap, io};

use serde_json::{Map, Value};

use super::fields::is_item;

/// No tree is deeper that a server has written; what is deeper is not weighed.
const MAX_DEPTH: usize = 128;

/// The most that is spent on one object before its sums stay rough: a few hundred milliseconds.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(8_000_000)
    }
}

impl Budget {
    /// Takes from it, if there is that much.
    pub(super) fn take(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    /// Tells whether it was enough.
    pub(super) fn was_enough(&self) -> bool {
        self.0 > 0
    }
}

/// The length of a value as JSON.
pub(super) fn length(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and values are always JSON.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// The bytes, as JSON, of the fields of a value that a tree of fields has, with their names.
pub(super) fn weigh(tree: &Map<String, Value>, value: &Value, budget: &mut Budget) -> usize {
    weigh_at(tree, value, 0, budget)
}

fn weigh_at(tree: &Map<String, Value>, value: &Value, depth: usize, budget: &mut Budget) -> usize {
    if depth > MAX_DEPTH || !budget.take(tree.len() + 1) {
        return 0;
    }
    let mut items = Items::default();
    let mut bytes = 0;
    for (key, node) in tree {
        let Some((sort, name)) = key.split_once(':') else { continue };
        let (below, around) = match sort {
            // The name, its quotes, the colon and the comma.
            "f" => (value.get(name), name.len() + 4),
            "k" => (items.find(name, tree.len(), value, budget), 1),
            "i" => (name.parse::<usize>().ok().and_then(|index| value.get(index)), 1),
            "v" => {
                bytes += name.len() + 1;
                continue;
            }
            _ => continue,
        };
        let (Some(below), Some(node)) = (below, node.as_object()) else { continue };
        bytes +=
            if node.is_empty() { length(below) + around } else { weigh_at(node, below, depth + 1, budget) };
    }
    bytes
}

/// Finds the items of a list by their keys: one after the other in a short list, through an index in a long one.
#[derive(Default)]
struct Items<'v> {
    index: Option<HashMap<String, &'v Value>>,
}

impl<'v> Items<'v> {
    fn find(&mut self, keys: &str, wanted: usize, list: &'v Value, budget: &mut Budget) -> Option<&'v Value> {
        let items = list.as_array()?;
        if wanted > 8 {
            if self.index.is_none() {
                self.index = Some(index(keys, items));
            }
            if let Some(found) = self.index.as_ref().and_then(|index| index.get(keys)) {
                return Some(found);
            }
        }
        budget.take(items.len().saturating_mul(4)).then_some(())?;
        items.iter().find(|item| is_item(keys, "", Some(item)))
    }
}

/// The items by the text of their keys, which are those that one of them has.
fn index<'v>(keys: &str, items: &'v [Value]) -> HashMap<String, &'v Value> {
    let Ok(Value::Object(like)) = serde_json::from_str(keys) else { return HashMap::new() };
    let text = |item: &Value| {
        let keys: Option<Map<String, Value>> =
            like.keys().map(|key| Some((key.clone(), item.get(key)?.clone()))).collect();
        keys.map(|keys| Value::Object(keys).to_string())
    };
    items.iter().filter_map(|item| Some((text(item)?, item))).collect()
}
