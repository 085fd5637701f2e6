//! The paths of a scale subresource: reading and writing through them.

use serde_json::{Map, Value};

use crate::{
    fields::{printed, type_name},
    resource::Scale,
    status::FieldError,
};

/// What a scale subresource shows of an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Read {
    /// How many are wanted; `None` where the object does not say.
    pub spec_replicas: Option<i64>,
    /// How many there are; 0 where the object does not say.
    pub status_replicas: i64,
    /// Which they are, as a label selector in text.
    pub selector: String,
}

/// Reads an object through the paths. The error is what stands in the way, in the real server's words.
pub(crate) fn read(paths: &Scale, object: &Value) -> Result<Read, String> {
    let selector = paths.label_selector.as_deref().map(|path| text(object, path)).transpose()?;
    Ok(Read {
        spec_replicas: number(object, &paths.spec_replicas)?,
        status_replicas: number(object, &paths.status_replicas)?.unwrap_or_default(),
        selector: selector.flatten().unwrap_or_default(),
    })
}

/// Writes how many are wanted, making the objects on the way. The error is what stands in the way.
pub(crate) fn write(paths: &Scale, object: &mut Value, replicas: i64) -> Result<(), String> {
    let steps = steps(&paths.spec_replicas);
    let mut here = object;
    for step in steps.iter().take(steps.len().saturating_sub(1)) {
        let Value::Object(fields) = here else { return Err(in_the_way(&steps)) };
        here = fields.entry(*step).or_insert_with(|| Value::Object(Map::new()));
    }
    let (Value::Object(fields), Some(last)) = (here, steps.last()) else { return Err(in_the_way(&steps)) };
    fields.insert((*last).to_owned(), replicas.into());
    Ok(())
}

fn in_the_way(steps: &[&str]) -> String {
    format!("value cannot be set because .{} is not a map[string]interface{{}}", steps.join("."))
}

/// What is wrong with what stands at the paths. `main` is whether the whole object was written, or its status alone.
pub(super) fn check(paths: &Scale, object: &Value, main: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut replicas = |path: &str| {
        let error = match number(object, path) {
            Err(problem) => FieldError::invalid(path, 0, problem),
            Ok(Some(count)) if count < 0 => {
                FieldError::invalid(path, count, "should be a non-negative integer")
            }
            Ok(Some(count)) if count > i64::from(i32::MAX) => {
                FieldError::invalid(path, count, "should be less than or equal to 2147483647")
            }
            Ok(_) => return,
        };
        errors.push(error);
    };
    if main {
        replicas(&paths.spec_replicas);
    }
    replicas(&paths.status_replicas);
    if let Some(path) = &paths.label_selector
        && let Err(problem) = text(object, path)
    {
        errors.push(FieldError::invalid(path.as_str(), "", problem));
    }
    errors
}

fn number(object: &Value, path: &str) -> Result<Option<i64>, String> {
    let Some(value) = find(object, path)? else { return Ok(None) };
    value.as_i64().map(Some).ok_or_else(|| wrong_type(&steps(path), value, "int64"))
}

fn text(object: &Value, path: &str) -> Result<Option<String>, String> {
    let Some(value) = find(object, path)? else { return Ok(None) };
    value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| wrong_type(&steps(path), value, "string"))
}

fn find<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let steps = steps(path);
    let mut here = object;
    for (index, step) in steps.iter().enumerate() {
        match here {
            Value::Object(fields) => match fields.get(*step) {
                Some(value) => here = value,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            other => {
                let passed = steps.get(..=index).unwrap_or_default();
                return Err(wrong_type(passed, other, "map[string]interface{}"));
            }
        }
    }
    Ok(Some(here))
}

fn steps(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

fn wrong_type(steps: &[&str], value: &Value, wanted: &str) -> String {
    let (shown, kind) = (printed(value), type_name(value));
    format!(".{} accessor error: {shown} is of the type {kind}, expected {wanted}", steps.join("."))
}
