//! The definition that makes the kind of a graph. Pure.

use serde_json::{Map, Value, json};

use crate::{ResourceGraphSpec, SimpleSchema, graph::Problem};

/// The label that says which graph a definition belongs to.
///
/// A definition has no owner reference: whoever deletes a graph does not mean to delete every object of its kind.
pub const LABEL: &str = "example.allready.dev/resource-graph";

/// The manager under which definitions are applied.
pub const MANAGER: &str = "resource-graph-controller";

/// The definition, as it is applied.
pub fn definition(graph: &str, spec: &ResourceGraphSpec) -> Result<Value, Problem> {
    let schema = &spec.schema;
    let plural = schema.plural();
    let fields = fields(schema)?;
    let conditions = allready::kinds::conditions(&mut schemars::SchemaGenerator::default());
    let status = json!({
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": { "conditions": conditions },
    });
    Ok(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": schema.definition(), "labels": { LABEL: graph } },
        "spec": {
            "group": schema.group,
            "scope": "Namespaced",
            "names": {
                "kind": schema.kind,
                "listKind": format!("{}List", schema.kind),
                "plural": plural,
                "singular": schema.kind.to_lowercase(),
            },
            "versions": [{
                "name": schema.version,
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": { "spec": fields, "status": status },
                } },
            }],
        },
    }))
}

/// The schema of the spec.
pub(crate) fn fields(schema: &SimpleSchema) -> Result<Value, Problem> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, text) in &schema.spec {
        let wrong = |problem: String| Problem::Field { field: name.clone(), problem };
        let mut parts = text.split('|').map(str::trim);
        let mut field = kind_of(parts.next().unwrap_or_default()).map_err(wrong)?;
        for marker in parts {
            match marker.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
                None if marker == "required" => required.push(name.clone()),
                Some(("default", value)) => field["default"] = default(&field, value).map_err(wrong)?,
                _ => return Err(wrong(format!("{marker:?} is neither `required` nor `default=…`"))),
            }
        }
        properties.insert(name.clone(), field);
    }
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = required.into();
    }
    Ok(object)
}

fn kind_of(text: &str) -> Result<Value, String> {
    match text {
        "string" | "integer" | "number" | "boolean" => Ok(json!({ "type": text })),
        list => match list.strip_prefix("[]") {
            Some(items) => Ok(json!({ "type": "array", "items": kind_of(items)? })),
            None => Err(format!(
                "{text:?} is no type: string, integer, number, boolean, or a list such as []string"
            )),
        },
    }
}

fn default(field: &Value, text: &str) -> Result<Value, String> {
    let wanted = field["type"].as_str().unwrap_or_default();
    let parsed: Value = match wanted {
        "string" => text.trim_matches('"').into(),
        _ => serde_json::from_str(text).map_err(|_| format!("{text:?} is no {wanted}"))?,
    };
    let fits = match wanted {
        "integer" => parsed.is_i64(),
        "number" => parsed.is_number(),
        "boolean" => parsed.is_boolean(),
        "array" => parsed.is_array(),
        _ => true,
    };
    if fits { Ok(parsed) } else { Err(format!("{text:?} is no {wanted}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(fields: &Value) -> SimpleSchema {
        serde_json::from_value(json!({
            "group": "example.com", "version": "v1", "kind": "MyCustomKind", "spec": fields,
        }))
        .unwrap()
    }

    #[test]
    fn fields_become_a_schema() {
        let made = fields(&schema(&json!({
            "name": "string | required", "replicas": "integer | default=2", "zones": "[]string",
            "greeting": "string | default=\"hello\"", "ratio": "number | default=0.5", "on": "boolean|default=true",
        })))
        .unwrap();
        assert_eq!(
            made,
            json!({ "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string" },
                "replicas": { "type": "integer", "default": 2 },
                "zones": { "type": "array", "items": { "type": "string" } },
                "greeting": { "type": "string", "default": "hello" },
                "ratio": { "type": "number", "default": 0.5 },
                "on": { "type": "boolean", "default": true },
            } })
        );
    }

    #[test]
    fn what_is_no_field_is_refused_by_name() {
        for (text, problem) in [
            ("text", "\"text\" is no type: string, integer, number, boolean, or a list such as []string"),
            ("integer | default=two", "\"two\" is no integer"),
            ("integer | default=2.5", "\"2.5\" is no integer"),
            ("boolean | default=1", "\"1\" is no boolean"),
            ("string | unique", "\"unique\" is neither `required` nor `default=…`"),
        ] {
            let found = fields(&schema(&json!({ "size": text }))).unwrap_err();
            assert_eq!(found, Problem::Field { field: "size".to_owned(), problem: problem.to_owned() });
        }
    }
}
