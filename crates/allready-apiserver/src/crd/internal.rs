//! How Go prints the types behind a definition, whose fields have no names for JSON. Only errors show them.

use serde_json::{Map, Value};

use super::raw::{self, list, text};
use crate::{schema::DEEPEST, status::json_text};

/// What a field of a schema is, and so what stands there when it is absent.
enum Kind {
    Text,
    Flag,
    Raw,
    Schema,
    Schemas,
    Named,
    OrArray,
    OrBool,
    Rules,
}

use Kind::{Flag, Named, OrArray, OrBool, Raw, Rules, Schema, Schemas, Text};

const SCHEMA: [(&str, &str, Kind); 44] = [
    ("ID", "id", Text),
    ("Schema", "$schema", Text),
    ("Ref", "$ref", Raw),
    ("Description", "description", Text),
    ("Type", "type", Text),
    ("Nullable", "nullable", Flag),
    ("Format", "format", Text),
    ("Title", "title", Text),
    ("Default", "default", Raw),
    ("Maximum", "maximum", Raw),
    ("ExclusiveMaximum", "exclusiveMaximum", Flag),
    ("Minimum", "minimum", Raw),
    ("ExclusiveMinimum", "exclusiveMinimum", Flag),
    ("MaxLength", "maxLength", Raw),
    ("MinLength", "minLength", Raw),
    ("Pattern", "pattern", Text),
    ("MaxItems", "maxItems", Raw),
    ("MinItems", "minItems", Raw),
    ("UniqueItems", "uniqueItems", Flag),
    ("MultipleOf", "multipleOf", Raw),
    ("Enum", "enum", Raw),
    ("MaxProperties", "maxProperties", Raw),
    ("MinProperties", "minProperties", Raw),
    ("Required", "required", Raw),
    ("Items", "items", OrArray),
    ("AllOf", "allOf", Schemas),
    ("OneOf", "oneOf", Schemas),
    ("AnyOf", "anyOf", Schemas),
    ("Not", "not", Schema),
    ("Properties", "properties", Named),
    ("AdditionalProperties", "additionalProperties", OrBool),
    ("PatternProperties", "patternProperties", Named),
    ("Dependencies", "dependencies", Raw),
    ("AdditionalItems", "additionalItems", OrBool),
    ("Definitions", "definitions", Named),
    ("ExternalDocs", "externalDocs", Raw),
    ("Example", "example", Raw),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Raw),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", Flag),
    ("XIntOrString", "x-kubernetes-int-or-string", Flag),
    ("XListMapKeys", "x-kubernetes-list-map-keys", Raw),
    ("XListType", "x-kubernetes-list-type", Raw),
    ("XMapType", "x-kubernetes-map-type", Raw),
    ("XValidations", "x-kubernetes-validations", Rules),
];

/// A schema.
pub(super) fn schema(node: &Map<String, Value>) -> String {
    nested(node, 0)
}

fn nested(node: &Map<String, Value>, depth: usize) -> String {
    if depth > DEEPEST {
        return "null".into();
    }
    let fields: Vec<_> = SCHEMA
        .iter()
        .map(|(shown, name, kind)| format!("\"{shown}\":{}", field(raw::given(node, name), kind, depth)))
        .collect();
    format!("{{{}}}", fields.join(","))
}

fn field(value: Option<&Value>, kind: &Kind, depth: usize) -> String {
    let below =
        |value: &Value| value.as_object().map_or_else(|| "null".into(), |node| nested(node, depth + 1));
    let Some(value) = value else {
        return match kind {
            Text => "\"\"",
            Flag => "false",
            _ => "null",
        }
        .into();
    };
    match (kind, value) {
        (Schema, value) => below(value),
        (Schemas, Value::Array(items)) => {
            format!("[{}]", items.iter().map(below).collect::<Vec<_>>().join(","))
        }
        (Named, Value::Object(fields)) => {
            let each = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", json_text(&name.as_str().into()), below(value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(","))
        }
        (OrArray, value) => format!("{{\"Schema\":{},\"JSONSchemas\":null}}", below(value)),
        (OrBool, Value::Bool(allows)) => format!("{{\"Allows\":{allows},\"Schema\":null}}"),
        (OrBool, value) => format!("{{\"Allows\":true,\"Schema\":{}}}", below(value)),
        (Rules, Value::Array(rules)) => {
            let each = rules.iter().filter_map(Value::as_object).map(rule);
            format!("[{}]", each.collect::<Vec<_>>().join(","))
        }
        (_, value) => json_text(value),
    }
}

/// A rule.
pub(super) fn rule(rule: &Map<String, Value>) -> String {
    let shown = |name: &str| json_text(&Value::from(text(rule, name)));
    let or_null = |name: &str| rule.get(name).map_or_else(|| "null".into(), json_text);
    format!(
        r#"{{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}}"#,
        shown("rule"),
        shown("message"),
        shown("messageExpression"),
        or_null("reason"),
        shown("fieldPath"),
        or_null("optionalOldSelf"),
    )
}

/// The versions, without what all of them have in common.
pub(super) fn versions(spec: &Map<String, Value>) -> String {
    let versions: Vec<_> = list(spec, "versions").iter().filter_map(Value::as_object).collect();
    let common = |word: &str| {
        versions.iter().all(|version| version.get(word) == versions.first().and_then(|it| it.get(word)))
    };
    let own = |version: &'_ Map<String, Value>, word: &str| {
        raw::given(version, word).filter(|_| !common(word)).cloned()
    };
    let each = versions.iter().map(|version| {
        let schema = own(version, "schema").and_then(|schema| Some(nested(schema.get("openAPIV3Schema")?.as_object()?, 0)));
        let schema = schema.map_or_else(|| "null".into(), |schema| format!("{{\"OpenAPIV3Schema\":{schema}}}"));
        let subresources = own(version, "subresources").map_or_else(|| "null".into(), |value| subresources(&value));
        let columns = own(version, "additionalPrinterColumns").map_or_else(|| "null".into(), |value| columns(&value));
        let selectable = own(version, "selectableFields").map_or_else(|| "null".into(), |value| selectable(&value));
        format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":{schema},\
             \"Subresources\":{subresources},\"AdditionalPrinterColumns\":{columns},\"SelectableFields\":{selectable}}}",
            json_text(&text(version, "name").into()),
            raw::flag(version, "served"),
            raw::flag(version, "storage"),
            raw::flag(version, "deprecated"),
            raw::given(version, "deprecationWarning").map_or_else(|| "null".into(), json_text),
        )
    });
    format!("[{}]", each.collect::<Vec<_>>().join(","))
}

fn subresources(value: &Value) -> String {
    let status = if value.get("status").is_some_and(Value::is_object) { "{}" } else { "null" };
    let scale = value.get("scale").and_then(Value::as_object).map_or_else(
        || "null".into(),
        |scale| {
            format!(
                "{{\"SpecReplicasPath\":{},\"StatusReplicasPath\":{},\"LabelSelectorPath\":{}}}",
                json_text(&text(scale, "specReplicasPath").into()),
                json_text(&text(scale, "statusReplicasPath").into()),
                raw::given(scale, "labelSelectorPath").map_or_else(|| "null".into(), json_text),
            )
        },
    );
    format!("{{\"Status\":{status},\"Scale\":{scale}}}")
}

fn columns(value: &Value) -> String {
    let each = value.as_array().into_iter().flatten().filter_map(Value::as_object).map(|column| {
        let shown = |name: &str| json_text(&text(column, name).into());
        format!(
            "{{\"Name\":{},\"Type\":{},\"Format\":{},\"Description\":{},\"Priority\":{},\"JSONPath\":{}}}",
            shown("name"),
            shown("type"),
            shown("format"),
            shown("description"),
            column.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            shown("jsonPath"),
        )
    });
    format!("[{}]", each.collect::<Vec<_>>().join(","))
}

fn selectable(value: &Value) -> String {
    let each = value.as_array().into_iter().flatten().filter_map(Value::as_object);
    let each = each.map(|field| format!("{{\"JSONPath\":{}}}", json_text(&text(field, "jsonPath").into())));
    format!("[{}]", each.collect::<Vec<_>>().join(","))
}
