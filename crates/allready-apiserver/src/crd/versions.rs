//! What is refused in the versions of a definition.
//!
//! What all versions have in common is looked at once and named as if it stood at the top (`spec.validation`), because that
//! is where the real server moves it first.

use serde_json::{Map, Value};

use super::{
    defaults,
    names::label_problems,
    openapi,
    raw::{self, flag, list, object, text},
    structural,
};
use crate::{
    schema::{
        Shape, parse,
        validate::{path, rules::walk_path},
    },
    status::{FieldError, quote},
};

pub(super) fn each(spec: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    list(spec, "versions").iter().filter_map(Value::as_object)
}

/// What all versions have alike, if they do.
fn common<'a>(spec: &'a Map<String, Value>, word: &str) -> Option<&'a Value> {
    let first = each(spec).next()?;
    let value = raw::given(first, word)?;
    let empty = value.as_array().is_some_and(Vec::is_empty);
    (!empty && each(spec).all(|version| version.get(word) == Some(value))).then_some(value)
}

pub(super) fn versions(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let at = |index: usize| path::index("spec.versions", index);
    for (index, version) in each(spec).enumerate() {
        let schema = object(version, "schema").and_then(|schema| object(schema, "openAPIV3Schema"));
        if schema.is_none() {
            errors.push(FieldError::required(format!("{}.schema.openAPIV3Schema", at(index)), ""));
        }
    }
    for (index, version) in each(spec).enumerate() {
        let problems = label_problems(text(version, "name"));
        if !problems.is_empty() {
            let field = format!("{}.name", at(index));
            errors.push(FieldError::invalid(field, text(version, "name"), problems.join(",")));
        }
        deprecation(version, &at(index), errors);
        if let Some(schema) = own(spec, version, "schema") {
            let status =
                object(version, "subresources").is_some_and(|inner| raw::given(inner, "status").is_some());
            validation(schema, status, &format!("{}.schema", at(index)), errors);
        }
        if let Some(Value::Object(inner)) =
            own(spec, version, "subresources").map(std::borrow::ToOwned::to_owned)
        {
            subresources(&inner, &format!("{}.subresources", at(index)), errors);
        }
        if own(spec, version, "additionalPrinterColumns").is_some() {
            columns(version, &format!("{}.additionalPrinterColumns", at(index)), errors);
        }
        if own(spec, version, "selectableFields").is_some() {
            selectable(version, &format!("{}.selectableFields", at(index)), errors);
        }
    }
    let names: Vec<_> = each(spec).map(|version| text(version, "name")).collect();
    let twice =
        names.iter().enumerate().any(|(index, name)| names.iter().take(index).any(|other| other == name));
    let mut wrong = |detail: &str| {
        let shown = super::internal::versions(spec);
        let error = FieldError::invalid("spec.versions", Value::Null, format!("{shown}: {detail}"));
        errors.push(error.without_value());
    };
    if twice {
        wrong("must contain unique version names");
    }
    if each(spec).filter(|version| flag(version, "storage")).count() != 1 {
        wrong("must have exactly one version marked as storage version");
    }
    if let Some(first) = names.first().filter(|name| !name.is_empty()) {
        let problems = label_problems(first);
        if !problems.is_empty() {
            errors.push(FieldError::invalid("spec.version", *first, problems.join(",")));
        }
    }
}

/// What a version has of its own, not shared by all.
fn own<'a>(spec: &Map<String, Value>, version: &'a Map<String, Value>, word: &str) -> Option<&'a Value> {
    if common(spec, word).is_some() { None } else { raw::given(version, word) }
}

fn deprecation(version: &Map<String, Value>, at: &str, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else { return };
    let mut wrong = |detail: &str| {
        errors.push(FieldError::invalid(format!("{at}.deprecationWarning"), warning, detail));
    };
    if !flag(version, "deprecated") {
        wrong("can only be set for deprecated versions");
        return;
    }
    if warning.len() > 256 {
        wrong("must be <= 256 characters long");
    }
    if warning.is_empty() {
        wrong("must not be an empty string");
    }
    let hidden = warning.char_indices().find(|(_, letter)| {
        // Quoting leaves alone what can be printed.
        !matches!(letter, '"' | '\\') && quote(&letter.to_string()).chars().nth(1) != Some(*letter)
    });
    if let Some((index, _)) = hidden {
        wrong(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
}

/// The fields that a schema with a status subresource may have at its root.
const AT_ROOT: [&str; 22] = [
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

fn validation(schema: &Value, status: bool, at: &str, errors: &mut Vec<FieldError>) {
    let Some(root) = schema.get("openAPIV3Schema").and_then(Value::as_object) else { return };
    let at = path::child(at, "openAPIV3Schema");
    let before = errors.len();
    if status {
        let kind = text(root, "type");
        if !kind.is_empty() && kind != "object" {
            let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
            errors.push(FieldError::invalid(format!("{at}.type"), kind, detail));
        } else if root.keys().any(|word| !AT_ROOT.contains(&word.as_str()) && raw::is_set(root, word)) {
            let shown = super::internal::schema(root);
            let detail = format!(
                "{shown}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength \
                 MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
                 XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource \
                 is enabled"
            );
            errors.push(FieldError::invalid(at.as_str(), Value::Null, detail).without_value());
        }
    }
    if flag(root, "nullable") {
        errors.push(FieldError::forbidden(format!("{at}.nullable"), "nullable cannot be true at the root"));
    }
    let mut readable = None;
    if !structural::is_unreadable(root, 0) {
        let problems = structural::check(root, &at);
        if problems.is_empty() {
            readable = schema.get("openAPIV3Schema").and_then(|schema| parse(schema).ok());
        }
        errors.extend(problems);
    }
    if let Some(schema) = &readable {
        let problems = defaults::check(schema, &at);
        if !problems.is_empty() {
            errors.extend(problems);
            readable = None;
        }
    }
    errors.extend(openapi::check(root, &openapi::Place::root(at.clone(), readable.as_ref())).all());
    if errors.len() == before
        && let Some(Err(error)) = schema.get("openAPIV3Schema").map(parse)
    {
        errors.push(FieldError::invalid(at, "", error.to_string()));
    }
}

fn subresources(inner: &Map<String, Value>, at: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = object(inner, "scale") else { return };
    for (word, prefix) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        let field = format!("{at}.scale.{word}");
        let value = text(scale, word);
        if value.is_empty() {
            errors.push(FieldError::required(field, ""));
        } else if !value.starts_with('.') {
            errors.push(FieldError::invalid(field, value, "must be a simple json path starting with ."));
        } else if !value.starts_with(&format!("{prefix}.")) {
            errors.push(FieldError::invalid(field, value, format!("should be a json path under {prefix}")));
        }
    }
    let value = text(scale, "labelSelectorPath");
    let field = format!("{at}.scale.labelSelectorPath");
    if !value.is_empty() && !value.starts_with('.') {
        errors.push(FieldError::invalid(field, value, "must be a simple json path starting with ."));
    } else if !value.is_empty() && !value.starts_with(".spec.") && !value.starts_with(".status.") {
        let detail = "should be a json path under either .spec or .status";
        errors.push(FieldError::invalid(field, value, detail));
    }
}

const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];

fn columns(holder: &Map<String, Value>, at: &str, errors: &mut Vec<FieldError>) {
    let columns = list(holder, "additionalPrinterColumns").iter().filter_map(Value::as_object);
    for (index, column) in columns.enumerate() {
        let at = path::index(at, index);
        if text(column, "name").is_empty() {
            errors.push(FieldError::required(format!("{at}.name"), ""));
        }
        let kind = text(column, "type");
        let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
        if kind.is_empty() {
            errors.push(FieldError::required(format!("{at}.type"), detail));
        } else if !COLUMN_TYPES.contains(&kind) {
            errors.push(FieldError::invalid(format!("{at}.type"), kind, detail));
        }
        let format = text(column, "format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.push(FieldError::invalid(format!("{at}.format"), format, detail));
        }
        let json_path = text(column, "jsonPath");
        if json_path.is_empty() {
            errors.push(FieldError::required(format!("{at}.JSONPath"), ""));
        } else if !json_path.starts_with('.') {
            let detail = "must be a simple json path starting with .";
            errors.push(FieldError::invalid(format!("{at}.JSONPath"), json_path, detail));
        }
    }
}

const MOST_SELECTABLE: usize = 8;

fn selectable(version: &Map<String, Value>, at: &str, errors: &mut Vec<FieldError>) {
    let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    let Some(Ok(schema)) = schema.map(parse) else { return };
    let mut seen: Vec<String> = Vec::new();
    let fields = list(version, "selectableFields").iter().filter_map(Value::as_object);
    for (index, selectable) in fields.enumerate() {
        let json_path = text(selectable, "jsonPath");
        let field = format!("{}.jsonPath", path::index(at, index));
        if json_path.is_empty() {
            errors.push(FieldError::required(field, ""));
            continue;
        }
        match walk_path(json_path, &schema, false) {
            Err(problem) => {
                errors.push(FieldError::invalid(field, json_path, format!("is an invalid path: {problem}")));
            }
            Ok((place, found)) => {
                if place.split('.').next() == Some("metadata") {
                    let detail = "must not point to fields in metadata";
                    errors.push(FieldError::invalid(field.as_str(), json_path, detail));
                }
                if !matches!(found.shape, Shape::String | Shape::Boolean | Shape::Integer) {
                    let detail = "must point to a field of type string, boolean or integer. Enum string fields and \
                                  strings with formats are allowed.";
                    errors.push(FieldError::invalid(field.as_str(), json_path, detail));
                }
                if seen.contains(&place) {
                    errors.push(FieldError::duplicate(field, json_path));
                } else {
                    seen.push(place);
                }
            }
        }
    }
    if seen.len() > MOST_SELECTABLE {
        errors.push(FieldError::too_many(at, seen.len() as u64, MOST_SELECTABLE as u64));
    }
}

/// What all versions have in common.
pub(super) fn shared(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(first) = each(spec).next() else { return };
    if let Some(schema) = common(spec, "schema") {
        let status = each(spec).any(|version| {
            object(version, "subresources").is_some_and(|inner| raw::given(inner, "status").is_some())
        });
        validation(schema, status, "spec.validation", errors);
    }
    if let Some(Value::Object(inner)) = common(spec, "subresources") {
        subresources(inner, "spec.subresources", errors);
    }
    if common(spec, "additionalPrinterColumns").is_some() {
        columns(first, "spec.additionalPrinterColumns", errors);
    }
    if common(spec, "selectableFields").is_some() {
        selectable(first, "spec.selectableFields", errors);
    }
}
