//! The definitions of custom kinds, as the real server publishes them.

use serde_json::{Map, Value, json};

use super::{prose, reference};
use crate::resource::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
/// Any kind will do: all say the same about what they have in common.
const ANY: &str = "io.k8s.api.core.v1.Pod";
/// Deeper than any schema that the server reads.
const DEEPEST: usize = 128;

/// What the real server keeps of a node of a schema as it is.
const KEPT: [&str; 23] = [
    "description",
    "type",
    "title",
    "default",
    "example",
    "externalDocs",
    "format",
    "maximum",
    "minimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

/// What is kept only when it is true.
const FLAGS: [&str; 7] = [
    "nullable",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "uniqueItems",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
];

/// `example.lab.v1.Widget` for a `Widget` of `lab.example/v1`.
pub(super) fn name(resource: &Resource, version: &Version) -> String {
    let reversed: Vec<&str> = resource.group.split('.').rev().collect();
    format!("{}.{}.{}", reversed.join("."), version.name, resource.kind)
}

/// The definition of a custom kind.
pub(super) fn definition(resource: &Resource, version: &Version, published: &Value) -> Value {
    let mut definition = match publish(published, 0) {
        definition @ Value::Object(_) => definition,
        _ => json!({"type": "object"}),
    };
    add_properties(&mut definition, [prose::field(ANY, "apiVersion"), prose::field(ANY, "kind")]);
    definition["x-kubernetes-group-version-kind"] =
        json!([{"group": resource.group, "version": version.name, "kind": resource.kind}]);
    add_selectable(&mut definition, version);
    definition
}

/// The definition of the list of a kind.
pub(super) fn list(resource: &Resource, version: &Version, name: &str) -> Value {
    const CONVENTIONS: &str =
        "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
    let describe = |mut field: Value, words: String| {
        field["description"] = words.into();
        field
    };
    let text = |field| json!({"description": prose::field(ANY, field), "type": "string"});
    let items = json!({"type": "array", "items": reference(name)});
    let metadata = json!({"allOf": [reference("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")]});
    let mut definition = json!({
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": text("apiVersion"),
            "items": describe(items, format!("List of {}. {CONVENTIONS}", resource.plural)),
            "kind": text("kind"),
            "metadata": describe(metadata, format!("Standard list metadata. {CONVENTIONS}#types-kinds")),
        },
        "x-kubernetes-group-version-kind": [
            {"group": resource.group, "version": version.name, "kind": resource.list_kind},
        ],
    });
    if version.published.is_some() {
        add_selectable(&mut definition, version);
    }
    definition
}

fn add_selectable(definition: &mut Value, version: &Version) {
    if !version.selectable.is_empty() {
        let field = |path: &String| json!({"fieldPath": path.strip_prefix('.').unwrap_or(path)});
        definition["x-kubernetes-selectable-fields"] = version.selectable.iter().map(field).collect();
    }
}

fn add_properties(node: &mut Value, [version, kind]: [Option<&str>; 2]) {
    let properties = &mut node["properties"];
    if !properties.is_object() {
        *properties = json!({});
    }
    properties["apiVersion"] = json!({"description": version, "type": "string"});
    properties["kind"] = json!({"description": kind, "type": "string"});
    properties["metadata"] =
        json!({"description": prose::field(ANY, "metadata"), "allOf": [reference(META)]});
}

/// A node of a schema without what is not published, and with what is understood.
fn publish(node: &Value, depth: usize) -> Value {
    let Some(fields) = node.as_object().filter(|_| depth < DEEPEST) else { return node.clone() };
    let inside = |node: &Value| publish(node, depth + 1);
    let mut published = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, node)| (name.clone(), inside(node))).collect()
            }
            ("items" | "additionalProperties" | "not", _) => inside(value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(nodes)) => nodes.iter().map(inside).collect(),
            (flag, Value::Bool(true)) if FLAGS.contains(&flag) => value.clone(),
            (kept, _) if KEPT.contains(&kept) && !is_empty(value) => value.clone(),
            _ => continue,
        };
        published.insert(key.clone(), value);
    }
    let mut published = Value::from(published);
    if fields.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
        && !fields.contains_key("anyOf")
        && !fields.contains_key("allOf")
    {
        published["anyOf"] = json!([{"type": "integer"}, {"type": "string"}]);
    }
    if fields.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)) {
        embed(&mut published);
    }
    published
}

fn embed(node: &mut Value) {
    const CONVENTIONS: &str =
        "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
    let version = format!(
        "apiVersion defines the versioned schema of this representation of an object. {CONVENTIONS}#resources"
    );
    let kind = format!(
        "kind is a string value representing the type of this object. In CamelCase. {CONVENTIONS}#types-kinds"
    );
    add_properties(node, [Some(&version), Some(&kind)]);
    let mut required = node["required"].as_array().cloned().unwrap_or_default();
    for field in ["kind", "apiVersion"] {
        if !required.iter().any(|name| name == field) {
            required.push(field.into());
        }
    }
    node["required"] = required.into();
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Null => true,
        _ => false,
    }
}
