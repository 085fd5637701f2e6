//! What is refused in the schema of a version: what OpenAPI in Kubernetes does not have, what contradicts itself, and rules
//! that cannot work.

use serde_json::{Map, Value};

use super::{
    internal,
    raw::{self, items_of, list, text},
};
use crate::{
    schema::{
        DEEPEST, Schema,
        validate::{
            path,
            rules::{Program, Wants, field_path, problems},
        },
    },
    status::{FieldError, quote},
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Errors of two sorts: rules are looked at only where the schema around them is sound.
#[derive(Default)]
pub(super) struct Found {
    schema: Vec<FieldError>,
    rules: Vec<FieldError>,
}

impl Found {
    pub(super) fn all(self) -> Vec<FieldError> {
        self.schema.into_iter().chain(self.rules).collect()
    }

    fn append(&mut self, other: Self) {
        self.schema.extend(other.schema);
        self.rules.extend(other.rules);
    }
}

/// Where the walk is, and what it knows from above.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) at: String,
    /// The same place in the schema as it was read; without it, rules are not looked at.
    pub(super) schema: Option<&'a Schema>,
    pub(super) root: bool,
    inside_meta: bool,
    no_defaults: Option<String>,
    uncorrelatable: Option<String>,
    depth: usize,
}

impl<'a> Place<'a> {
    pub(super) fn root(at: String, schema: Option<&'a Schema>) -> Self {
        let (no_defaults, uncorrelatable) = (None, None);
        Self { at, schema, root: true, inside_meta: false, no_defaults, uncorrelatable, depth: 0 }
    }

    fn below(&self, at: String, schema: Option<&'a Schema>) -> Self {
        Self { at, schema, root: false, depth: self.depth + 1, ..self.clone() }
    }
}

pub(super) fn check(node: &Map<String, Value>, place: &Place<'_>) -> Found {
    let mut found = Found::default();
    if place.depth > DEEPEST {
        found.schema.push(FieldError::forbidden(place.at.as_str(), "nested too deep"));
        return found;
    }
    unsupported(node, place, &mut found.schema);
    children(node, place, &mut found);
    extensions(node, place, &mut found.schema);
    list_keys(node, place, &mut found.schema);
    rules(node, place, &mut found);
    found
}

fn unsupported(node: &Map<String, Value>, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    let at = |name: &str| path::child(&place.at, name);
    let kind = text(node, "type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.push(FieldError::not_supported(at("type"), kind, &TYPES));
    }
    if let Some(reason) = place.no_defaults.as_ref().filter(|_| raw::given(node, "default").is_some()) {
        errors.push(FieldError::forbidden(at("default"), format!("must not be set {reason}")));
    }
    for name in ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] {
        if raw::is_set(node, name) {
            errors.push(FieldError::forbidden(at(name), format!("{name} is not supported")));
        }
    }
    if kind == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.push(FieldError::forbidden(at("type"), detail));
    }
    if node.get("items").is_some_and(Value::is_array) {
        errors.push(FieldError::forbidden(at("items"), "items must be a schema object and not an array"));
    }
    if place.inside_meta && raw::flag(node, "x-kubernetes-embedded-resource") {
        let detail = "must not be used inside of resource meta";
        errors.push(FieldError::forbidden(at("x-kubernetes-embedded-resource"), detail));
    }
    if raw::flag(node, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(at("uniqueItems"), detail));
    }
}

fn children(node: &Map<String, Value>, place: &Place<'_>, found: &mut Found) {
    let at = |name: &str| path::child(&place.at, name);
    let properties = raw::object(node, "properties");
    if let Some(additional) = raw::given(node, "additionalProperties") {
        if properties.is_some_and(|properties| !properties.is_empty()) && additional != &Value::Bool(true) {
            let detail = "additionalProperties and properties are mutual exclusive";
            found.schema.push(FieldError::forbidden(at("additionalProperties"), detail));
        }
        if let Value::Object(inner) = additional {
            let schema = place.schema.and_then(|schema| schema.field("\u{0}"));
            let mut below = place.below(at("additionalProperties"), schema);
            if place.inside_meta {
                below.no_defaults = Some("inside additionalProperties applying to object metadata".into());
            }
            found.append(check(inner, &below));
        }
    }
    for (name, inner) in properties.into_iter().flatten() {
        let Value::Object(inner) = inner else { continue };
        let schema = place.schema.and_then(|schema| schema.property(name));
        let mut below = place.below(path::key(&at("properties"), name), schema);
        let embedded = raw::flag(node, "x-kubernetes-embedded-resource");
        if (place.root || embedded) && matches!(name.as_str(), "metadata" | "kind" | "apiVersion") {
            below.inside_meta = true;
            if place.root {
                below.no_defaults = Some(format!("in top-level {name}"));
            }
        }
        found.append(check(inner, &below));
    }
    if let Some(Value::Object(inner)) = node.get("not") {
        found.append(check(inner, &place.below(at("not"), None)));
    }
    for word in ["allOf", "oneOf", "anyOf"] {
        for (index, inner) in list(node, word).iter().enumerate() {
            if let Value::Object(inner) = inner {
                found.append(check(inner, &place.below(path::index(&at(word), index), None)));
            }
        }
    }
    if let Some(inner) = items_of(node) {
        let mut below = place.below(at("items"), place.schema.and_then(Schema::items));
        if text(node, "x-kubernetes-list-type") != "map" && below.uncorrelatable.is_none() {
            below.uncorrelatable = Some(place.at.clone());
        }
        found.append(check(inner, &below));
    }
}

fn extensions(node: &Map<String, Value>, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    let at = |name: &str| path::child(&place.at, name);
    let kind = text(node, "type");
    let must_be = |errors: &mut Vec<FieldError>, wanted: &str, word: &str| {
        let detail = format!("must be {wanted} if {word} is specified");
        errors.push(match kind {
            "" => FieldError::required(at("type"), detail),
            kind => FieldError::invalid(at("type"), kind, detail),
        });
    };
    if node.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let field = at("x-kubernetes-preserve-unknown-fields");
        errors.push(FieldError::invalid(field, false, "must be true or undefined"));
    }
    if let Some(map_type) = node.get("x-kubernetes-map-type").and_then(Value::as_str) {
        if kind != "object" {
            must_be(errors, "object", "x-kubernetes-map-type");
        }
        if !matches!(map_type, "atomic" | "granular") {
            let field = at("x-kubernetes-map-type");
            errors.push(FieldError::not_supported(field, map_type, &["atomic", "granular"]));
        }
    }
    let Some(list_type) = node.get("x-kubernetes-list-type").and_then(Value::as_str) else { return };
    if kind != "array" {
        must_be(errors, "array", "x-kubernetes-list-type");
    } else if let Some(items) = items_of(node).filter(|_| list_type == "set") {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let inner = items.get("x-kubernetes-list-type").cloned().unwrap_or_default();
        match text(items, "type") {
            "array" if inner.as_str().is_some_and(|inner| inner != "atomic") => {
                errors.push(FieldError::invalid(at("items.x-kubernetes-list-type"), inner, detail));
            }
            "object" if text(items, "x-kubernetes-map-type") != "atomic" => {
                errors.push(FieldError::invalid(at("items.x-kubernetes-map-type"), inner, detail));
            }
            _ => {}
        }
    }
    if !matches!(list_type, "atomic" | "set" | "map") {
        let field = at("x-kubernetes-list-type");
        errors.push(FieldError::not_supported(field, list_type, &["atomic", "set", "map"]));
    }
}

fn list_keys(node: &Map<String, Value>, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    let at = |name: &str| path::child(&place.at, name);
    let keys = list(node, "x-kubernetes-list-map-keys");
    let list_type = node.get("x-kubernetes-list-type").and_then(Value::as_str);
    if !keys.is_empty() && list_type != Some("map") {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        let field = at("x-kubernetes-list-type");
        errors.push(match list_type {
            None => FieldError::required(field, detail),
            Some(other) => FieldError::invalid(field, other, detail),
        });
    }
    let items = items_of(node);
    if list_type == Some("map") {
        if keys.is_empty() {
            let detail = "must not be empty if x-kubernetes-list-type is map";
            errors.push(FieldError::required(at("x-kubernetes-list-map-keys"), detail));
        }
        match items {
            None => {
                let detail = "must have a schema if x-kubernetes-list-type is map";
                errors.push(FieldError::required(at("items"), detail));
            }
            Some(items) if text(items, "type") != "object" => {
                let detail = "must be object if parent array's x-kubernetes-list-type is map";
                errors.push(FieldError::invalid(at("items.type"), text(items, "type"), detail));
            }
            Some(items) => named_keys(keys, items, place, errors),
        }
    }
    let (Some(items), Some(list_type @ ("map" | "set"))) = (items, list_type) else { return };
    if raw::flag(items, "nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(FieldError::forbidden(at("items.nullable"), detail));
    }
    if list_type == "map" {
        required_keys(keys, items, place, errors);
    }
}

fn named_keys(keys: &[Value], items: &Map<String, Value>, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    let field = path::child(&place.at, "x-kubernetes-list-map-keys");
    let properties = raw::object(items, "properties");
    for (index, key) in keys.iter().enumerate() {
        let name = key.as_str().unwrap_or_default();
        match properties.and_then(|properties| properties.get(name)).and_then(Value::as_object) {
            None => {
                let detail = "entries must all be names of item properties";
                errors.push(FieldError::invalid(field.as_str(), keys.to_vec(), detail));
            }
            Some(property) if matches!(text(property, "type"), "array" | "object") => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let at = path::key(&path::child(&place.at, "items.properties"), name);
                errors.push(FieldError::invalid(format!("{at}.type"), "object", detail));
            }
            Some(_) => {}
        }
        if keys.iter().take(index).any(|earlier| earlier == key) {
            let detail = "must not contain duplicate entries";
            errors.push(FieldError::invalid(field.as_str(), keys.to_vec(), detail));
        }
    }
}

fn required_keys(
    keys: &[Value],
    items: &Map<String, Value>,
    place: &Place<'_>,
    errors: &mut Vec<FieldError>,
) {
    let properties = raw::object(items, "properties");
    for name in keys.iter().filter_map(Value::as_str) {
        let property = properties.and_then(|properties| properties.get(name)).and_then(Value::as_object);
        let Some(property) = property else { continue };
        let at = path::key(&path::child(&place.at, "items.properties"), name);
        let required = list(items, "required").iter().any(|required| required == name);
        if !required && raw::given(property, "default").is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                          property";
            errors.push(FieldError::required(format!("{at}.default"), detail));
        }
        if raw::flag(property, "nullable") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(FieldError::forbidden(format!("{at}.nullable"), detail));
        }
    }
}

fn rules(node: &Map<String, Value>, place: &Place<'_>, found: &mut Found) {
    let rules = list(node, "x-kubernetes-validations");
    let each = || rules.iter().filter_map(Value::as_object).enumerate();
    let at = |index: usize, name: &str| {
        path::child(&path::index(&path::child(&place.at, "x-kubernetes-validations"), index), name)
    };
    for (index, rule) in each() {
        rule_texts(node, rule, &|name| at(index, name), &mut found.schema);
    }
    let Some(schema) = place.schema.filter(|_| found.schema.is_empty()) else { return };
    for (index, rule) in each() {
        let source = text(rule, "rule");
        let told = |detail: String| format!("{}: {detail}", internal::rule(rule));
        if let Some(problem) = problems(source, schema, place.root, Wants::Truth) {
            let error = FieldError::invalid(at(index, "rule"), Value::Null, told(problem));
            found.rules.push(error.without_value());
        }
        let message = text(rule, "messageExpression");
        if !message.is_empty()
            && let Some(problem) = problems(message, schema, place.root, Wants::Text)
        {
            let error = FieldError::invalid(at(index, "messageExpression"), Value::Null, told(problem));
            found.rules.push(error.without_value());
        }
        let uses_old = Program::compile(source).is_ok_and(|program| program.uses("oldSelf"));
        if let Some(within) = place.uncorrelatable.as_ref().filter(|_| uses_old) {
            let detail =
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {within}");
            found.rules.push(FieldError::invalid(at(index, "rule"), source, detail));
        }
        if let Some(optional) = rule.get("optionalOldSelf").filter(|value| !uses_old && !value.is_null()) {
            let detail = "may not be set if oldSelf is not used in rule";
            found.rules.push(FieldError::invalid(at(index, "optionalOldSelf"), optional.clone(), detail));
        }
    }
}

fn rule_texts(
    node: &Map<String, Value>,
    rule: &Map<String, Value>,
    at: &dyn Fn(&str) -> String,
    errors: &mut Vec<FieldError>,
) {
    let broken = |text: &str| text.contains(['\n', '\r']);
    let (source, message) = (text(rule, "rule"), text(rule, "message"));
    if source.trim().is_empty() {
        errors.push(FieldError::required(at("rule"), "rule is not specified"));
    } else if !message.is_empty() && message.trim().is_empty() {
        errors.push(FieldError::invalid(at("message"), message, "must be non-empty if specified"));
    } else if broken(message.trim()) {
        errors.push(FieldError::invalid(at("message"), message, "must not contain line breaks"));
    } else if broken(source.trim()) && message.trim().is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.push(FieldError::required(at("message"), detail));
    }
    let expression = text(rule, "messageExpression");
    if !expression.is_empty() && expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errors.push(FieldError::required(at("messageExpression"), detail));
    }
    if let Some(reason) =
        rule.get("reason").and_then(Value::as_str).filter(|reason| !REASONS.contains(reason))
    {
        errors.push(FieldError::not_supported(at("reason"), reason, &REASONS));
    }
    let below = text(rule, "fieldPath");
    if !below.is_empty() {
        let mut wrong = |detail| errors.push(FieldError::invalid(at("fieldPath"), below, detail));
        if below.trim().is_empty() {
            wrong("must be non-empty if specified");
        }
        if broken(below) {
            wrong("must not contain line breaks");
        }
        let schema = crate::schema::parse(&Value::Object(node.clone()));
        if schema.is_ok_and(|schema| field_path(below, &schema).is_err()) {
            wrong("must be a valid path");
        }
    }
}

/// Formats in a schema that mean nothing to the server; it warns about them.
pub(super) fn unknown_formats(schema: &Schema) -> Vec<String> {
    let mut out = Vec::new();
    schema.visit(&mut |node| {
        let format = node.checks.as_ref().and_then(|checks| checks.format.as_deref());
        if let Some(format) = format.filter(|_| crate::schema::validate::formats::effective(node).is_none()) {
            out.push(format!("unrecognized format {}", quote(format)));
        }
    });
    out
}
