//! Values for programs: documents with an `apiVersion` and a `kind`, and Kubernetes objects as they are.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::Format;
use crate::{
    failure::Failure,
    printer::{is_obeyed, tame_json},
};

/// The version of all documents of the command line.
pub(crate) const API_VERSION: &str = "cli.allready.dev/v1alpha1";

/// A value with a schema in `docs/schemas`, under its kind.
pub(crate) trait Document: Serialize {
    /// The kind.
    const KIND: &'static str;
}

impl<T: Document> Document for &T {
    const KIND: &'static str = T::KIND;
}

/// The identity of a Kubernetes object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectName<'a> {
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) kind: &'a str,
    /// The namespace; empty for objects of the cluster.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> ObjectName<'a> {
    /// The identity of any JSON: what it does not have is empty.
    pub(crate) fn of(object: &'a Value) -> Self {
        let text = |value: &'a Value| value.as_str().unwrap_or_default();
        let metadata = &object["metadata"];
        Self {
            api_version: text(&object["apiVersion"]).into(),
            kind: text(&object["kind"]),
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
        }
    }
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    #[serde(rename = "apiVersion")]
    api_version: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    body: &'a T,
}

impl<'a, T: Document> Envelope<'a, T> {
    fn of(body: &'a T) -> Self {
        Self { api_version: API_VERSION, kind: T::KIND, body }
    }
}

/// A document with its `apiVersion` and `kind`.
pub(crate) fn text(document: &impl Document, format: Format) -> Result<String, Failure> {
    value(&Envelope::of(document), format)
}

/// The same on one line, in JSON.
pub(crate) fn line(document: &impl Document) -> String {
    one_line(&Envelope::of(document))
}

/// One value in JSON on one line.
pub(crate) fn one_line(value: &impl Serialize) -> String {
    // Nothing in a document can fail to be JSON: keys are text.
    let json = serde_json::to_string(value).unwrap_or_default();
    if json.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) { tame_json(&json) } else { json }
}

/// One value.
pub(crate) fn value(value: &impl Serialize, format: Format) -> Result<String, Failure> {
    let json = || {
        let json = serde_json::to_string_pretty(value).map_err(Failure::output)?;
        Ok(tame_json(&json) + "\n")
    };
    if format != Format::Yaml {
        return json();
    }
    let yaml = serde_saphyr::to_string(value).map_err(Failure::output)?;
    // Every JSON value is a YAML value, and in JSON the escapes are ours to choose.
    if yaml.chars().any(|c| is_obeyed(c) && c != '\n') { json() } else { Ok(yaml) }
}

/// Some objects: documents of one YAML stream, or one List in JSON unless there is only one.
pub(crate) fn objects(objects: &[&Value], format: Format) -> Result<String, Failure> {
    match (objects, format) {
        ([one], _) => value(one, format),
        (many, Format::Yaml) => {
            let documents: Result<Vec<_>, _> = many.iter().map(|one| value(one, format)).collect();
            Ok(documents?.join("---\n"))
        }
        (many, _) => value(&json!({ "apiVersion": "v1", "kind": "List", "items": many }), format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_an_escape_in_either_form() {
        let hostile = json!({ "message": "a\u{1b}[31m\u{202e}b", "other": "c\nd" });
        for output in [Format::Yaml, Format::Json] {
            let text = value(&hostile, output).unwrap();
            assert!(!text.chars().any(|c| is_obeyed(c) && c != '\n'), "{text:?}");
            let read: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
            assert_eq!(read, std::slice::from_ref(&hostile), "{output:?}");
        }
    }

    #[test]
    fn several_objects_are_documents_or_a_list() {
        let (one, two) = (json!({ "a": 1 }), json!({ "b": 2 }));
        assert_eq!(objects(&[&one, &two], Format::Yaml).unwrap(), "a: 1\n---\nb: 2\n");
        let list: Value = serde_json::from_str(&objects(&[&one, &two], Format::Json).unwrap()).unwrap();
        assert_eq!(list["items"], json!([{ "a": 1 }, { "b": 2 }]));
        assert_eq!(objects(&[&one], Format::Json).unwrap(), "{\n  \"a\": 1\n}\n");
    }
}
