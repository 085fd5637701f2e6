//! Questions about what someone may do.

use serde_json::Value;

use super::Errors;
use crate::{
    builtin::{
        path::{at, text_at},
        written,
    },
    status::{FieldError, Mistake, quote},
};

pub(super) fn check(new: &Value, errors: &mut Errors) {
    let (resource, path) = (["spec", "resourceAttributes"], ["spec", "nonResourceAttributes"]);
    match (at(new, &resource).is_some(), at(new, &path).is_some()) {
        (true, true) => {
            let part = |field: &str| quote(text_at(new, &["spec", "nonResourceAttributes", field]));
            let why = "cannot be specified in combination with resourceAttributes";
            let shown = format!("{{\"Path\":{},\"Verb\":{}}}: {why}", part("path"), part("verb"));
            let field = path.join(".");
            errors.push(FieldError::new(Mistake::Invalid, field, Value::Null, shown).without_value());
        }
        (false, false) => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            errors.push(FieldError::invalid(resource.join("."), Value::Null, why));
        }
        _ => {}
    }
    let mut metadata = at(new, &["metadata"]).and_then(Value::as_object).cloned().unwrap_or_default();
    let managed = metadata.remove("managedFields");
    metadata.retain(|_, value| !value.is_null());
    if !metadata.is_empty() {
        metadata.extend(managed.map(|managed| ("managedFields".to_owned(), managed)));
        let shown = written::text("meta.v1.ObjectMeta", &Value::Object(metadata));
        let detail = format!("{shown}: must be empty");
        errors.push(FieldError::new(Mistake::Invalid, "metadata", Value::Null, detail).without_value());
    }
}
