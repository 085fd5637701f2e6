//! JSON that somebody else has written: whatever the strict reader accepts means one thing to every reader, and what it refuses beyond that
//! has a field twice or is too large.

use allready_controller::json::{self, Place};
use serde_json::Value;

/// Few enough that inputs near the seeds are refused for it, too.
const MOST: usize = 60;

/// Leaves out a field wherever it stands, as the command line does with what is half of many objects.
#[derive(Clone, Copy)]
struct WithoutHistory;

impl Place for WithoutHistory {
    fn field(self, key: &str) -> Option<Self> {
        (key != "managedFields").then_some(self)
    }

    fn item(self) -> Self {
        self
    }
}

/// Reads JSON, and panics where another reader would find something else in what was accepted.
pub fn run(bytes: &[u8]) {
    let plain = serde_json::from_slice::<Value>(bytes);
    match (json::read(bytes, (), MOST), plain) {
        (Ok(strict), Ok(plain)) => {
            assert_eq!(strict, plain);
            assert!(nodes(&strict) <= MOST, "{} nodes", nodes(&strict));
            let without = json::read(bytes, WithoutHistory, MOST).expect("less of it is accepted, too");
            assert!(!without.to_string().contains("\"managedFields\":"), "{without}");
        }
        (Ok(strict), Err(error)) => panic!("it is no JSON: {error}: {strict}"),
        (Err(refusal), Ok(_)) => {
            let why = refusal.to_string();
            assert!(why.contains("a field is there twice") || why.contains("values: give fewer"), "{why}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Objects, lists, keys and scalars.
fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(fields) => fields.values().map(|value| 1 + nodes(value)).sum(),
        _ => 0,
    }
}
