//! An object as found: who it is, its generations, its owners, and every list of conditions in it, at typed paths.
//!
//! Whatever judges, lints or explains an object asks this one view of it, so that they see the same lists at the same paths.

mod condition;
mod path;

use std::cell::OnceCell;

use serde_json::{Map, Value};

pub(crate) use condition::{Listed, Said, json, number, text};
pub use path::{Path, Step};

/// Maps within maps that are looked into for lists of conditions: as deep as JSON is parsed.
const MAX_DEPTH: usize = 128;
/// Maps of one object that are looked into for them.
const MAX_MAPS: usize = 100_000;

/// A list of conditions.
#[derive(Clone, Debug)]
pub struct ConditionList<'a> {
    /// Its path: `status.conditions`, `status.listeners[web].conditions`.
    pub path: Path<'a>,
    /// The list as it stands there: an array, or a map by type.
    pub value: &'a Value,
    /// Set if it is the list of the object itself, and not of a part of it.
    pub is_top: bool,
}

/// An object as found. What is not as it should be is as if it were not there.
///
/// ```
/// use allready_inspect::view::View;
/// use serde_json::json;
///
/// let object = json!({
///     "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "namespace": "shop", "name": "web", "generation": 2 },
///     "status": {
///         "conditions": [{ "type": "Accepted", "status": "True" }],
///         "listeners": [{ "name": "https", "conditions": [{ "type": "Programmed", "status": "False" }] }],
///     },
/// });
/// let view = View::new(&object);
/// assert_eq!((view.group, view.kind, view.generation), ("gateway.networking.k8s.io", "Gateway", Some(2)));
/// let paths: Vec<String> = view.lists().iter().map(|list| list.path.to_string()).collect();
/// assert_eq!(paths, ["status.conditions", "status.listeners[https].conditions"]);
/// ```
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The object.
    pub object: &'a Value,
    /// Its API group; empty for the core group.
    pub group: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its namespace; empty where it has none.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its generation.
    pub generation: Option<i64>,
    /// Its metadata.
    pub metadata: Option<&'a Map<String, Value>>,
    /// Its spec.
    pub spec: Option<&'a Map<String, Value>>,
    /// Its status; the object itself, for a kind that has its conditions beside the spec.
    pub status: Option<&'a Map<String, Value>>,
    lists: OnceCell<Lists<'a>>,
}

#[derive(Clone, Debug, Default)]
struct Lists<'a> {
    all: Vec<ConditionList<'a>>,
    /// Maps that were looked into; all that may be, where something was left out.
    maps: usize,
}

impl<'a> View<'a> {
    /// Reads an object.
    pub fn new(object: &'a Value) -> Self {
        let part = |key: &str| object.get(key).and_then(Value::as_object);
        let metadata = part("metadata");
        let of = |key: &str| metadata.and_then(|it| it.get(key)?.as_str()).unwrap_or_default();
        Self {
            object,
            group: group(object),
            kind: object.get("kind").and_then(Value::as_str).unwrap_or_default(),
            namespace: of("namespace"),
            name: of("name"),
            generation: metadata.and_then(|metadata| number(metadata.get("generation")?)),
            metadata,
            spec: part("spec"),
            status: part("status").or_else(|| object.as_object().filter(|root| has_conditions(root))),
            lists: OnceCell::new(),
        }
    }

    /// The time of its creation, as it says.
    pub fn created(&self) -> Option<&'a str> {
        self.metadata?.get("creationTimestamp")?.as_str()
    }

    /// The path of its status.
    pub fn status_path(&self) -> Path<'a> {
        let is_at_root = self.status.is_some() && !self.object.get("status").is_some_and(Value::is_object);
        if is_at_root { Path::default() } else { Path::of(["status"]) }
    }

    /// Every list of conditions, that of the object itself first.
    pub fn lists(&self) -> &[ConditionList<'a>] {
        &self.found().all
    }

    /// Tells whether all lists were found; an object of absurd size or depth is not looked through to its end.
    pub fn has_all_lists(&self) -> bool {
        self.found().maps < MAX_MAPS
    }

    fn found(&self) -> &Lists<'a> {
        self.lists.get_or_init(|| {
            let mut lists = Lists::default();
            if let Some(status) = self.status {
                let mut path = self.status_path();
                if let Some(value) = status.get("conditions") {
                    let path = path.join(Step::Field("conditions"));
                    lists.all.push(ConditionList { path, value, is_top: true });
                }
                lists.walk(status, &mut path, 0);
            }
            lists
        })
    }
}

impl<'a> Lists<'a> {
    fn walk(&mut self, map: &'a Map<String, Value>, path: &mut Path<'a>, depth: usize) {
        if depth > MAX_DEPTH || self.maps >= MAX_MAPS {
            self.maps = MAX_MAPS;
            return;
        }
        self.maps += 1;
        for (key, value) in map {
            if depth == 0 && key == "conditions" {
                continue;
            }
            path.push(Step::Field(key));
            match value {
                Value::Array(_) | Value::Object(_) if is_list(key, value) => {
                    self.all.push(ConditionList { path: path.clone(), value, is_top: false });
                }
                Value::Object(below) => self.walk(below, path, depth + 1),
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        let Value::Object(below) = item else { continue };
                        path.push(Step::Item { index, name: item_name(below) });
                        self.walk(below, path, depth + 1);
                        path.pop();
                    }
                }
                _ => {}
            }
            path.pop();
        }
    }
}

/// `conditions`, or `instanceConditions` in which everything is a condition.
fn is_list(key: &str, value: &Value) -> bool {
    let has = |item: &Value, key: &str| item.get(key).is_some();
    match value {
        Value::Array(_) if key == "conditions" => true,
        Value::Array(items) => {
            let is_condition = |item: &Value| has(item, "type") && has(item, "status");
            key.ends_with("Conditions") && !items.is_empty() && items.iter().all(is_condition)
        }
        // Of a map of another meaning, nothing is read.
        Value::Object(_) => key == "conditions" && !Listed::list(value).is_empty(),
        _ => false,
    }
}

/// The step into an item of a list.
pub(crate) fn item(item: &Value, index: usize) -> Step<'_> {
    Step::Item { index, name: item.as_object().and_then(item_name) }
}

/// The name of an item of a list: its own, or that of the object that it is about.
fn item_name(item: &Map<String, Value>) -> Option<&str> {
    let own = item.get("name").and_then(Value::as_str);
    let of = |key: &str| item.get(key)?.get("name")?.as_str();
    own.or_else(|| of("parentRef")).or_else(|| of("ancestorRef")).filter(|name| !name.is_empty())
}

/// Some kinds without a status have their conditions beside the spec.
fn has_conditions(root: &Map<String, Value>) -> bool {
    let is_list = |key: &str, value: &Value| {
        (key == "conditions" || key.ends_with("Conditions"))
            && value.as_array().is_some_and(|list| !list.is_empty())
    };
    !root.contains_key("status") && root.iter().any(|(key, value)| is_list(key, value))
}

/// The API group of an object: what stands before the slash of its `apiVersion`, nothing for the core group.
pub fn group(object: &Value) -> &str {
    let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    version.split_once('/').map_or("", |(group, _)| group)
}
