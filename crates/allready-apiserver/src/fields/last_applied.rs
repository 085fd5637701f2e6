//! From client-side to server-side apply: the annotation in which `kubectl` kept what it last applied.

use serde_json::Value;

use super::{
    set::FieldSet,
    typed::{
        Type, compare,
        owned::owned,
        validate::{Duplicates, validate},
    },
};
use crate::status::json_text;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What all annotations of an object may have together.
const MOST_BYTES: usize = 256 * 1024;

/// The only manager for whom the annotation is minded.
pub(crate) const MANAGER: &str = "kubectl";

fn annotation(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}

/// What an object's annotation says was applied, if it says so in the given version.
pub(crate) fn configuration(object: &Value, api_version: &str) -> Option<Value> {
    let configuration: Value = serde_json::from_str(annotation(object)?).ok()?;
    (configuration.get("apiVersion")?.as_str()? == api_version).then_some(configuration)
}

/// The fields that were applied on the client's side and still stand as they were applied: these `kubectl` may take from
/// its own former self.
pub(crate) fn allowed<'a>(live: &'a Value, configuration: &'a Value, root: Type<'a>) -> Option<FieldSet<'a>> {
    validate(live, root, Duplicates::Refused).ok()?;
    validate(configuration, root, Duplicates::Refused).ok()?;
    let changes = compare::compare(configuration, live, root);
    let fields = owned(configuration, root);
    Some(fields.difference(&changes.modified).difference(&changes.added).difference(&changes.removed))
}

/// Keeps the annotation of an object that has one up to date with what was applied.
pub(crate) fn refresh(object: &mut Value, configuration: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut bare = configuration.clone();
    if let Some(metadata) = bare.get_mut("metadata").and_then(Value::as_object_mut) {
        let texts = metadata.get_mut("annotations").and_then(Value::as_object_mut);
        match texts {
            Some(texts) if texts.values().all(Value::is_string) => {
                texts.remove(ANNOTATION);
            }
            _ => {
                metadata.remove("annotations");
            }
        }
    }
    let text = format!("{}\n", json_text(&bare));
    let annotations = object.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
    let Some(annotations) = annotations.and_then(Value::as_object_mut) else { return };
    annotations.insert(ANNOTATION.into(), text.into());
    let size: usize =
        annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    if size > MOST_BYTES {
        annotations.remove(ANNOTATION);
    }
}
