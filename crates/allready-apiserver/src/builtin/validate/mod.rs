//! What is wrong with an object, beyond its metadata.

use serde_json::Value;

use super::table::Row;
use crate::{resource::Endpoint, status::FieldError};

/// Everything that is wrong.
pub(crate) fn object(row: &Row, endpoint: Endpoint, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let _ = (row, endpoint, new, old);
    Vec::new()
}
