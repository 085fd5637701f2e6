//! The JSON Schema of a file of declarations, from the types that read it.

use std::borrow::Cow;

use allready_core::Polarity;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::{ConditionMeaning, ConditionRole, read::File};
use crate::health::Health;

/// Returns the JSON Schema of a file of declarations.
///
/// ```
/// let schema = allready_inspect::registry::schema();
/// assert_eq!(schema["title"], "Declarations");
/// assert!(schema["$defs"]["Entry"]["properties"]["skipItems"].is_object());
/// ```
pub fn schema() -> Value {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<File>();
    schema.insert("title".to_owned(), "Declarations".into());
    schema.insert(
        "description".to_owned(),
        "What conditions and fields of kinds mean, for `allready --registry`.".into(),
    );
    let mut schema = schema.to_value();
    without_examples(&mut schema);
    schema
}

/// Cuts the examples in Rust off the descriptions.
fn without_examples(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(text)) = map.get_mut("description")
                && let Some(end) = text.find("\n\n```")
            {
                text.truncate(end);
            }
            map.values_mut().for_each(without_examples);
        }
        Value::Array(list) => list.iter_mut().for_each(without_examples),
        _ => {}
    }
}

/// A text, or a list of texts.
pub(super) struct OneOrMore;

impl JsonSchema for OneOrMore {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMore".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
    }
}

impl JsonSchema for ConditionMeaning {
    fn schema_name() -> Cow<'static, str> {
        "ConditionMeaning".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let role = generator.subschema_for::<ConditionRole>();
        let health = generator.subschema_for::<Health>();
        let polarities = [Polarity::NormalTrue, Polarity::AbnormalTrue];
        json_schema!({
            "description": "A role alone, `abnormal` for a dependent of which True is bad, or an object with details.",
            "anyOf": [
                role,
                { "const": "abnormal" },
                {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "role": role,
                        "polarity": { "description": "Which status of it is good.", "enum": polarities },
                        "bad": health,
                        "unknown": health,
                        "grace": {
                            "description": "For how many seconds a broken one is still taken to be under way.",
                            "type": "integer",
                            "minimum": 0
                        }
                    }
                }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_every_key_that_a_built_in_entry_uses() {
        let schema = schema();
        let known = schema["$defs"]["Entry"]["properties"].as_object().unwrap();
        for entry in super::super::Registry::builtin().entries() {
            let written = serde_json::to_value(entry).unwrap();
            for key in written.as_object().unwrap().keys() {
                assert!(known.contains_key(key), "{key}");
            }
        }
    }
}
