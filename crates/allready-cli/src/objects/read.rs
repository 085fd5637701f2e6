//! One object from its text.

use allready_controller::json::Place;
use serde_json::{Map, Value};

use super::{Batch, Content, Form, ListOf, Piece};
use crate::printer::tame;

/// The parts of an object that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// All but managedFields and what was applied: half of many objects, and only needed for those that are looked at.
    WithoutHistory,
    /// That, and without what Pods are made from, which says nothing of how the object is.
    WithoutTemplates,
}

/// An object or a problem, with the JSON pointer at which it stands in the text of its piece.
pub(crate) type Placed = (String, Result<Value, String>);

/// The objects of a piece: one, or those of a list that is written as one.
pub(crate) fn read(batch: &Batch, piece: &Piece, extent: Extent) -> Vec<Result<Value, String>> {
    read_placed(batch, piece, extent).into_iter().map(|(_, object)| object).collect()
}

/// The same, with their pointers.
pub(crate) fn read_placed(batch: &Batch, piece: &Piece, extent: Extent) -> Vec<Placed> {
    let (range, form, list) = match &piece.content {
        Content::Fault(problem) => return vec![(String::new(), Err(problem.clone()))],
        Content::Text { range, form, list } => (range, *form, list.as_deref()),
    };
    let text = &batch.bytes[range.clone()];
    let value = match form {
        Form::Json => json(text, extent),
        Form::Yaml | Form::YamlItem => yaml(text, form),
    };
    match value {
        // A list without a name, as JSON may have it too.
        Ok(Value::Array(items)) if form == Form::Yaml => placed_items("", items, None),
        Ok(value) => unroll(value, if form == Form::YamlItem { "/0" } else { "" }, list),
        Err(problem) => vec![(String::new(), Err(problem))],
    }
}

fn json(text: &[u8], extent: Extent) -> Result<Value, String> {
    json_value(text, extent)
        .map_err(|error| format!("it cannot be read as JSON: {}", tame(&error.to_string())))
}

/// Reads JSON with no more nodes than the reader of YAML takes.
fn json_value(text: &[u8], extent: Extent) -> serde_json::Result<Value> {
    let place = InObject { place: NodePlace::Root, extent };
    allready_controller::json::read(text, place, serde_saphyr::Budget::default().max_nodes)
}

fn yaml(text: &[u8], form: Form) -> Result<Value, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("this is not UTF-8 text: {error}"))?;
    let value = match form {
        Form::YamlItem => serde_saphyr::from_str(text).map(|[item]: [Value; 1]| item),
        _ => serde_saphyr::from_str(text),
    };
    value.map_err(|error| {
        // The reader quotes the input, and the input is not ours. Its first line says what and where.
        let said = error.to_string();
        let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let line = line.trim_start_matches("error: ");
        // What follows is for the one who calls the reader, not for the one who wrote the file.
        let line = line.split_once(", set DuplicateKeyPolicy").map_or(line, |(said, _)| said);
        format!("it cannot be read as YAML: {}", tame(line))
    })
}

/// Every document of a text, JSON or YAML.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, String> {
    // Every JSON text is YAML too, and JSON's own reader is the faster one.
    match json_value(text.as_bytes(), Extent::Whole) {
        Ok(value) => return Ok(vec![value]),
        Err(error) if error.is_data() => {
            return Err(format!("it cannot be read as JSON: {}", tame(&error.to_string())));
        }
        Err(_) => {}
    }
    serde_saphyr::from_multiple(text).map_err(|error| {
        // The reader quotes the input, and the input is not ours.
        let lines: Vec<String> = error.to_string().lines().map(tame).collect();
        format!("this is neither JSON nor YAML: {}", lines.join("\n").trim_start_matches("error: "))
    })
}

/// An object, or the objects of a list. A list in a list is nobody's: it would be possible to nest them for ever.
fn unroll(value: Value, at: &str, list: Option<&ListOf>) -> Vec<Placed> {
    let mut object = match value {
        Value::Object(object) => object,
        Value::Null if list.is_none() => return Vec::new(),
        other => return vec![(at.to_owned(), Err(format!("this is no object but {}", noun(&other))))],
    };
    let text = |object: &Map<String, Value>, field: &str| {
        object.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let kind = text(&object, "kind");
    if (kind.is_empty() || kind.ends_with("List")) && object.get("items").is_some_and(Value::is_array) {
        let list = ListOf::new(&text(&object, "apiVersion"), &kind);
        let Some(Value::Array(items)) = object.remove("items") else { return Vec::new() };
        return placed_items(&format!("{at}/items"), items, list.as_deref());
    }
    vec![(at.to_owned(), Ok(Value::Object(of_kind(object, list))))]
}

fn placed_items(at: &str, items: Vec<Value>, list: Option<&ListOf>) -> Vec<Placed> {
    let items = items.into_iter().enumerate();
    items.map(|(index, value)| (format!("{at}/{index}"), item(value, list))).collect()
}

fn item(value: Value, list: Option<&ListOf>) -> Result<Value, String> {
    match value {
        Value::Object(item) if item.get("items").is_some_and(Value::is_array) => {
            Err("this is a list in a list".to_owned())
        }
        Value::Object(item) => Ok(Value::Object(of_kind(item, list))),
        other => Err(format!("this is no object but {}", noun(&other))),
    }
}

fn of_kind(mut object: Map<String, Value>, list: Option<&ListOf>) -> Map<String, Value> {
    if let Some(list) = list.filter(|_| !object.contains_key("kind")) {
        object.insert("kind".to_owned(), list.kind.clone().into());
        object.entry("apiVersion").or_insert_with(|| list.api_version.clone().into());
    }
    object
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) | Value::Number(_) => "a number or a word",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The place of a value in an object.
#[derive(Clone, Copy)]
struct InObject {
    place: NodePlace,
    extent: Extent,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePlace {
    Root,
    Metadata,
    Annotations,
    Spec,
    Other,
}

impl Place for InObject {
    fn field(self, key: &str) -> Option<Self> {
        let place = match (self.place, key) {
            (NodePlace::Root, "metadata") => NodePlace::Metadata,
            (NodePlace::Metadata, "annotations") => NodePlace::Annotations,
            (NodePlace::Root, "spec") => NodePlace::Spec,
            _ => NodePlace::Other,
        };
        (!self.is_left_out(key)).then_some(Self { place, ..self })
    }

    fn item(self) -> Self {
        Self { place: NodePlace::Other, ..self }
    }
}

impl InObject {
    fn is_left_out(self, key: &str) -> bool {
        match self.place {
            NodePlace::Metadata => self.extent != Extent::Whole && key == "managedFields",
            NodePlace::Annotations => {
                self.extent != Extent::Whole && key == "kubectl.kubernetes.io/last-applied-configuration"
            }
            NodePlace::Spec => {
                self.extent == Extent::WithoutTemplates
                    && matches!(
                        key,
                        "template"
                            | "jobTemplate"
                            | "containers"
                            | "initContainers"
                            | "volumes"
                            | "volumeClaimTemplates"
                    )
            }
            NodePlace::Root | NodePlace::Other => false,
        }
    }
}
