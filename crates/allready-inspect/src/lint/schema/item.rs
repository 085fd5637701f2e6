//! C02 and C03: the schema of one condition, against that of `metav1.Condition`.

use serde_json::{Value, json};

use super::{described, lists::ConditionsSchema};
use crate::lint::{Severity, finding::Findings};
use allready_core::{ConditionType, Message, Reason};

/// The fields that must be there.
pub(super) const REQUIRED: [&str; 5] = ["lastTransitionTime", "message", "reason", "status", "type"];

const TYPE_PATTERN: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";
const REASON_PATTERN: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";

/// The schema of a field as `metav1.Condition` has it.
pub(super) fn standard(field: &str) -> Value {
    match field {
        "type" => json!({ "type": "string", "maxLength": ConditionType::MAX_BYTES, "pattern": TYPE_PATTERN }),
        "status" => json!({ "type": "string", "enum": ["True", "False", "Unknown"] }),
        "reason" => {
            json!({ "type": "string", "minLength": 1, "maxLength": Reason::MAX_BYTES, "pattern": REASON_PATTERN })
        }
        "message" => json!({ "type": "string", "maxLength": Message::MAX_BYTES }),
        "lastTransitionTime" => json!({ "type": "string", "format": "date-time" }),
        _ => json!({ "type": "integer", "format": "int64", "minimum": 0 }),
    }
}

pub(super) fn look(list: &ConditionsSchema<'_>, findings: &mut Findings) {
    let items = &list.schema["items"];
    let place = list.place.key("items");
    let required: Vec<&str> =
        items["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|field| !required.contains(field)).collect();
    if !missing.is_empty() {
        findings.add("C02", Severity::Warning, place.key("required"), || {
            format!("a condition may lack {}", missing.join(", "))
        });
    }
    for field in REQUIRED {
        let schema = &items["properties"][field];
        let place = || place.keys(&["properties", field]);
        let type_ = &schema["type"];
        if schema.is_null() {
            findings.add("C02", Severity::Warning, place(), || format!("there is no {field}"));
        } else if type_ != "string" {
            findings.add("C02", Severity::Error, place(), || {
                format!("{field} is of type {}: make it a string", described(type_))
            });
        } else {
            let lacks = lacking(field, schema);
            if !lacks.is_empty() {
                findings.add("C02", Severity::Warning, place(), || {
                    format!("{field} has {}", lacks.join(", and "))
                });
            }
        }
    }
    let observed = &items["properties"]["observedGeneration"];
    let place = || place.keys(&["properties", "observedGeneration"]);
    if observed.is_null() {
        findings.add("C03", Severity::Warning, place(), || {
            "a condition cannot say which generation it is about".to_owned()
        });
    } else if observed["type"] != "integer" {
        findings.add("C03", Severity::Error, place(), || {
            format!("observedGeneration is of type {}: make it an integer", described(&observed["type"]))
        });
    } else if observed["minimum"].as_f64().is_none_or(|minimum| minimum < 0.0) {
        findings.add("C03", Severity::Info, place(), || "observedGeneration may be negative".to_owned());
    }
}

/// The values that the standard refuses and a field does not.
pub(super) fn lacking(field: &str, schema: &Value) -> Vec<String> {
    let mut lacks = Vec::new();
    // A list of values is as strict as a pattern and a length.
    if let Some(values) = schema["enum"].as_array() {
        let mut values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        if field == "status" && values != ["False", "True", "Unknown"] {
            lacks.push("an enum that is not True, False and Unknown".to_owned());
        }
        return lacks;
    }
    let standard = standard(field);
    if standard.get("enum").is_some() {
        lacks.push("no enum of True, False and Unknown".to_owned());
    }
    if standard.get("pattern").is_some() && schema.get("pattern").is_none() {
        lacks.push("no pattern".to_owned());
    }
    if standard.get("minLength").is_some() && schema["minLength"].as_u64().is_none_or(|least| least < 1) {
        lacks.push("no minLength".to_owned());
    }
    if let Some(most) = standard["maxLength"].as_u64() {
        match schema["maxLength"].as_u64() {
            None => lacks.push(format!("no maxLength of {most}")),
            Some(found) if found > most => lacks.push(format!("a maxLength over {most}")),
            Some(_) => {}
        }
    }
    if let Some(format) = standard["format"].as_str().filter(|format| schema["format"] != **format) {
        lacks.push(format!("no format {format}"));
    }
    lacks
}
