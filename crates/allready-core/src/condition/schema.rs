//! The schema of conditions, as the API server checks them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::{Condition, ConditionType, Generation, Message, Reason, Time};

impl JsonSchema for Condition {
    fn schema_name() -> Cow<'static, str> {
        "Condition".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema()
    }
}

/// The schema of a condition, as Kubernetes' own kinds have it.
pub(crate) fn schema() -> Schema {
    json_schema!({
        "type": "object",
        "description": "One aspect of the present state of this object.",
        "required": ["type", "status", "lastTransitionTime", "reason", "message"],
        "properties": {
            "type": {
                "type": "string",
                "description": "What the condition is about, in CamelCase or as prefix/CamelCase.",
                "maxLength": ConditionType::MAX_BYTES,
                "pattern": ConditionType::PATTERN,
            },
            "status": {
                "type": "string",
                "description": "Whether it holds.",
                "enum": ["True", "False", "Unknown"],
            },
            "observedGeneration": {
                "type": "integer",
                "format": "int64",
                "minimum": 0,
                "description": "The metadata.generation that this was found out about.",
            },
            "lastTransitionTime": {
                "type": "string",
                "format": "date-time",
                "description": "When the status last changed.",
            },
            "reason": {
                "type": "string",
                "description": "The cause, for programs: one CamelCase word.",
                "minLength": 1,
                "maxLength": Reason::MAX_BYTES,
                "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            },
            "message": {
                "type": "string",
                "description": "The cause, for people. May be empty.",
                "maxLength": Message::MAX_BYTES,
            },
        },
    })
}

/// The schema of a condition that lists its errors and warnings.
pub(crate) fn detailed_schema() -> Schema {
    let mut schema = schema();
    let sub = |description: &str| {
        let Value::Object(mut sub) = self::schema().to_value() else { return Value::Null };
        if let Some(Value::Object(properties)) = sub.get_mut("properties") {
            properties.remove("observedGeneration");
            properties.remove("lastTransitionTime");
        }
        sub.insert("required".to_owned(), json!(["type", "status", "reason", "message"]));
        json!({ "type": "array", "description": description, "maxItems": 64, "x-kubernetes-list-type": "atomic", "items": sub })
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("errors".to_owned(), sub("The problems that make it bad."));
        properties.insert(
            "warnings".to_owned(),
            sub("The problems that somebody should know of although it may hold."),
        );
    }
    schema
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl JsonSchema for Generation {
    fn schema_name() -> Cow<'static, str> {
        "Generation".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "format": "int64", "minimum": 0 })
    }
}
