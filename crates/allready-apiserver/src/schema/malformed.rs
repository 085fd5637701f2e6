//! Metadata of the wrong JSON types. Custom objects are plain JSON, except for their metadata, which is decoded into a type.

use serde_json::Value;

use crate::json::go_type;

/// Why metadata cannot be decoded, in Go's words; `None` when it can.
pub(crate) fn problem(metadata: &Value) -> Option<String> {
    let Value::Object(fields) = metadata else {
        let word = (!metadata.is_null()).then(|| go_type(metadata))?;
        return Some(format!("json: cannot unmarshal {word} into Go value of type v1.ObjectMeta"));
    };
    fields.iter().find_map(|(name, value)| {
        let kind = match name.as_str() {
            "name" | "generateName" | "namespace" | "selfLink" | "resourceVersion" => Kind::Plain("string"),
            "uid" => Kind::Plain("types.UID"),
            "generation" | "deletionGracePeriodSeconds" => Kind::Plain("int64"),
            "creationTimestamp" | "deletionTimestamp" => Kind::Time,
            "labels" | "annotations" => Kind::Map,
            "finalizers" => Kind::List("[]string"),
            "ownerReferences" => Kind::List("[]v1.OwnerReference"),
            "managedFields" => Kind::List("[]v1.ManagedFieldsEntry"),
            _ => return None,
        };
        field(name, value, &kind)
    })
}

enum Kind {
    Plain(&'static str),
    Time,
    Map,
    List(&'static str),
}

fn field(name: &str, value: &Value, kind: &Kind) -> Option<String> {
    let wrong = |value: &Value, wanted: &str| {
        Some(format!(
            "json: cannot unmarshal {} into Go struct field ObjectMeta.{name} of type {wanted}",
            go_type(value)
        ))
    };
    match (kind, value) {
        (_, Value::Null) => None,
        (Kind::Plain(wanted), value) => {
            let fits = if *wanted == "int64" { value.is_i64() } else { value.is_string() };
            if fits { None } else { wrong(value, wanted) }
        }
        (Kind::Time, Value::String(text)) => text.parse::<jiff::Timestamp>().is_err().then(|| {
            format!("parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{text}\" as \"2006\"")
        }),
        (Kind::Time, value) => {
            Some(format!("json: cannot unmarshal {} into Go value of type string", go_type(value)))
        }
        (Kind::Map, Value::Object(inner)) => {
            let wrong_one = inner.values().find(|value| !value.is_string() && !value.is_null());
            wrong_one.and_then(|value| wrong(value, "string"))
        }
        (Kind::Map, value) => wrong(value, "map[string]string"),
        (Kind::List("[]string"), Value::Array(items)) => {
            let wrong_one = items.iter().find(|value| !value.is_string() && !value.is_null());
            wrong_one.and_then(|value| wrong(value, "string"))
        }
        (Kind::List("[]v1.OwnerReference"), Value::Array(items)) => items.iter().find_map(owner),
        (Kind::List(wanted), Value::Array(items)) => {
            let wrong_one = items.iter().find(|value| !value.is_object() && !value.is_null());
            wrong_one.and_then(|value| wrong(value, wanted.trim_start_matches("[]")))
        }
        (Kind::List(wanted), value) => wrong(value, wanted),
    }
}

fn owner(reference: &Value) -> Option<String> {
    let wrong = |name: &str, value: &Value, wanted: &str| {
        Some(format!(
            "json: cannot unmarshal {} into Go struct field {name} of type {wanted}",
            go_type(value)
        ))
    };
    let Value::Object(fields) = reference else {
        return (!reference.is_null())
            .then(|| wrong("ObjectMeta.ownerReferences", reference, "v1.OwnerReference"))
            .flatten();
    };
    fields.iter().filter(|(_, value)| !value.is_null()).find_map(|(name, value)| {
        let (fits, wanted) = match name.as_str() {
            "apiVersion" | "kind" | "name" => (value.is_string(), "string"),
            "uid" => (value.is_string(), "types.UID"),
            "controller" | "blockOwnerDeletion" => (value.is_boolean(), "bool"),
            _ => return None,
        };
        if fits { None } else { wrong(&format!("OwnerReference.ownerReferences.{name}"), value, wanted) }
    })
}
