//! Who wrote what: read from `metadata.managedFields`.

use serde::Serialize;
use serde_json::Value;

use crate::Time;

/// Who wrote something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Writer {
    /// The name of the field manager.
    pub manager: String,
    /// When it last wrote, which need not be this.
    pub time: Option<Time>,
}

/// Who wrote a condition: the path of its list within the object, such as `status.conditions` or
/// `status.listeners[web].conditions`, and its type.
pub fn of_condition(_object: &Value, _list: &str, _type: &str) -> Option<Writer> {
    None
}

/// Who wrote a field, such as `status.phase`.
pub fn of_field(_object: &Value, _field: &str) -> Option<Writer> {
    None
}
