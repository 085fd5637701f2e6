//! The CRD that makes the kind of a graph. Pure.

use allready::{Conditions, crd};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use schemars::{JsonSchema as _, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::{ResourceGraphSpec, SimpleSchema, graph::Problem, instance};

/// The label that names the graph that a CRD, or a resource of an instance, belongs to.
///
/// A CRD has no owner reference: whoever deletes a graph does not mean to delete every object of its kind.
pub const LABEL: &str = "example.allready.dev/resource-graph";

/// The field manager of this controller.
pub const MANAGER: &str = "resource-graph-controller";

/// The CRD, as it is applied: with the declaration of the instances' conditions, columns and default conditions.
pub fn definition(graph: &str, spec: &ResourceGraphSpec) -> Result<CustomResourceDefinition, Problem> {
    let schema = &spec.schema;
    let text = json!({ "type": "string" });
    let resource = json!({
        "type": "object",
        "required": ["id", "apiVersion", "kind", "name"],
        "properties": { "id": text, "apiVersion": text, "kind": text, "name": text },
    });
    let status = json!({
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {
            "conditions": <Conditions>::json_schema(&mut SchemaGenerator::default()),
            "observedGeneration": { "type": "integer", "format": "int64" },
            "resources": {
                "type": "array",
                "items": resource,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["id"],
            },
        },
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": schema.definition(), "labels": { LABEL: graph } },
        "spec": {
            "group": schema.group,
            "scope": "Namespaced",
            "names": {
                "kind": schema.kind,
                "listKind": format!("{}List", schema.kind),
                "plural": schema.plural(),
                "singular": schema.kind.to_lowercase(),
            },
            "versions": [{
                "name": schema.version,
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": { "spec": fields(schema)?, "status": status },
                } },
            }],
        },
    });
    let definition = serde_json::from_value(definition).map_err(|no| Problem::Definition(no.to_string()))?;
    Ok(crd::complete(definition, &instance::set(schema)?))
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
    fn the_definition_declares_the_conditions_of_instances_and_shows_them() {
        let mut spec = ResourceGraphSpec { schema: schema(&json!({})), resources: Vec::new() };
        spec.schema.conditions = Some("!Degraded, (Cached)".to_owned());
        let made = serde_json::to_value(definition("my-graph", &spec).unwrap()).unwrap();
        assert_eq!(
            made["metadata"]["annotations"][allready::set::ANNOTATION],
            "Ready: InstanceSynced, GraphResolved, ResourcesApplied, ResourcesReady, !Degraded, (Cached)"
        );
        let version = &made["spec"]["versions"][0];
        let columns: Vec<_> = version["additionalPrinterColumns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| &column["name"])
            .collect();
        assert_eq!(columns, ["Ready", "Reason", "Message", "Age"]);
        let default = &version["schema"]["openAPIV3Schema"]["properties"]["status"]["default"]["conditions"];
        let default: Vec<_> =
            default.as_array().unwrap().iter().map(|one| (&one["type"], &one["status"])).collect();
        assert_eq!((default.len(), default[0]), (7, (&json!("Ready"), &json!("Unknown"))));
    }

    #[test]
    fn conditions_that_cannot_be_declared_are_refused() {
        for (text, problem) in [
            (
                "(Cached",
                "\"(Cached\" opens or closes a bracket alone: write an informational condition as `(Cached)` or `(!Paused)`",
            ),
            (
                "(ResourcesReady)",
                "condition ResourcesReady is declared twice with different roles, polarities or starts: keep one declaration",
            ),
        ] {
            let mut spec = ResourceGraphSpec { schema: schema(&json!({})), resources: Vec::new() };
            spec.schema.conditions = Some(text.to_owned());
            let found = definition("my-graph", &spec).unwrap_err();
            assert_eq!(found, Problem::Conditions(problem.to_owned()));
        }
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
