//! What stands on the hub, and whether it can be seen.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use serde_json::Value;

use super::{Change, ObjectName};

/// Whether objects of the hub can be seen.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    since: Duration,
    is_listed: bool,
    failing: Option<(Duration, String)>,
}

impl Watched {
    pub(super) fn new(now: Duration) -> Self {
        Self { since: now, is_listed: false, failing: None }
    }

    /// Notes what a change says of the watch itself.
    pub(super) fn note(&mut self, change: &Change, now: Duration) {
        match change {
            Change::Listing | Change::There(_) | Change::Gone(_) => {}
            Change::Listed => (self.is_listed, self.failing) = (true, None),
            Change::Failed(why) => {
                let since = self.failing.take().map_or(now, |(since, _)| since);
                self.failing = Some((since, why.clone()));
            }
        }
    }

    /// Whether all of them have been seen at least once.
    pub(super) fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Whether it is a matter of time until it is told that they cannot be seen.
    pub(super) fn is_unsettled(&self) -> bool {
        !self.is_listed || self.failing.is_some()
    }

    /// Why they cannot be seen, if that has lasted for longer than this.
    pub(super) fn trouble(&self, patience: Duration, now: Duration) -> Option<&str> {
        match &self.failing {
            Some((since, why)) if now.saturating_sub(*since) > patience => Some(why),
            None if !self.is_listed && now.saturating_sub(self.since) > patience => {
                Some("they are still being listed")
            }
            _ => None,
        }
    }
}

/// A number that is the same for equal JSON, whatever the order of its keys.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        mix(part, &mut hasher);
    }
    hasher.finish()
}

fn mix(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(value) => (1_u8, value).hash(hasher),
        Value::Number(number) => (2_u8, number.to_string()).hash(hasher),
        Value::String(text) => (3_u8, text).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            for item in items {
                mix(item, hasher);
            }
        }
        Value::Object(fields) => {
            (5_u8, fields.len()).hash(hasher);
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.cmp(b.0));
            for (name, field) in fields {
                name.hash(hasher);
                mix(field, hasher);
            }
        }
    }
}

/// The name of an object.
pub(super) fn named(object: &Value) -> ObjectName {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    ObjectName::new(&text("namespace"), &text("name"))
}

/// A label of an object.
pub(super) fn label<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object["metadata"]["labels"].get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_json_has_equal_digests_and_other_json_has_not() {
        let same = |a: Value, b: Value| digest([&a]) == digest([&b]);
        assert!(same(json!({"a": 1, "b": [null, "x"]}), json!({"b": [null, "x"], "a": 1})));
        for (a, b) in [
            (json!({"a": 1}), json!({"a": "1"})),
            (json!([1, 2]), json!([2, 1])),
            (json!({"a": {}}), json!({"a": []})),
            (json!(["ab", "c"]), json!(["a", "bc"])),
        ] {
            assert!(!same(a.clone(), b.clone()), "{a} {b}");
        }
    }
}
