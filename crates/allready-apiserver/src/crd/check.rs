//! What is refused in a definition, in the order in which the real server looks.
//!
//! What all versions have in common is looked at once and named as if it stood at the top (`spec.validation`), because that
//! is where the real server moves it first.

use serde_json::{Map, Value};

use super::{
    defaults,
    names::{label_problems, subdomain_problems},
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

/// What is wrong with a definition; with the one it replaces, if there is one.
pub(super) fn check(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let none = Map::new();
    let spec = new.get("spec").and_then(Value::as_object).unwrap_or(&none);
    let mut errors = Vec::new();
    if old.is_none() {
        name(new, spec, &mut errors);
    }
    group_and_scope(spec, &mut errors);
    versions(spec, &mut errors);
    names(spec, &mut errors);
    shared(spec, &mut errors);
    conversion(spec, &mut errors);
    if let Some(old) = old.and_then(|old| old.get("spec")).and_then(Value::as_object) {
        immutable(spec, old, established(new), &mut errors);
    }
    stored_versions(new, spec, &mut errors);
    approval(new, spec, old, &mut errors);
    if flag(spec, "preserveUnknownFields") {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                      instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", true, detail));
    }
    errors
}

fn name(new: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let name = new.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let plural = object(spec, "names").map(|names| text(names, "plural")).unwrap_or_default();
    if name != format!("{plural}.{}", text(spec, "group")) {
        let detail = r#"must be spec.names.plural+"."+spec.group"#;
        errors.push(FieldError::invalid("metadata.name", name, detail));
    }
}

fn group_and_scope(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let group = text(spec, "group");
    let problems = subdomain_problems(group);
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if !problems.is_empty() {
        errors.push(FieldError::invalid("spec.group", group, problems.join(",")));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid("spec.group", group, "should be a domain with at least one dot"));
    }
    one_of("spec.scope", text(spec, "scope"), &["Cluster", "Namespaced"], errors);
}

fn one_of(field: &str, value: &str, allowed: &[&str], errors: &mut Vec<FieldError>) {
    if value.is_empty() {
        errors.push(FieldError::required(field, ""));
    } else if !allowed.contains(&value) {
        errors.push(FieldError::not_supported(field, value, allowed));
    }
}

fn each(spec: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    list(spec, "versions").iter().filter_map(Value::as_object)
}

/// What all versions have alike, if they do.
fn common<'a>(spec: &'a Map<String, Value>, word: &str) -> Option<&'a Value> {
    let first = each(spec).next()?;
    let value = raw::given(first, word)?;
    let empty = value.as_array().is_some_and(Vec::is_empty);
    (!empty && each(spec).all(|version| version.get(word) == Some(value))).then_some(value)
}

fn versions(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
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
        if let Some(Value::Object(inner)) = own(spec, version, "subresources").map(|value| value.to_owned()) {
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

fn names(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let none = Map::new();
    let names = object(spec, "names").unwrap_or(&none);
    for word in ["plural", "singular", "kind", "listKind"] {
        if text(names, word).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{word}"), ""));
        }
    }
    for word in ["plural", "singular", "kind", "listKind"] {
        let name = text(names, word);
        let mixed = matches!(word, "kind" | "listKind");
        let problems = if mixed { label_problems(&name.to_lowercase()) } else { label_problems(name) };
        if !name.is_empty() && !problems.is_empty() {
            let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
            let detail = format!("{prefix}{}", problems.join(","));
            errors.push(FieldError::invalid(format!("spec.names.{word}"), name, detail));
        }
    }
    lists_of_names(names, "shortNames", errors);
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        let detail = "kind and listKind may not be the same";
        errors.push(FieldError::invalid("spec.names.listKind", kind, detail));
    }
    lists_of_names(names, "categories", errors);
}

fn lists_of_names(names: &Map<String, Value>, word: &str, errors: &mut Vec<FieldError>) {
    for (index, name) in raw::texts(names, word).into_iter().enumerate() {
        let problems = label_problems(&name);
        if !problems.is_empty() {
            let field = path::index(&format!("spec.names.{word}"), index);
            errors.push(FieldError::invalid(field, name, problems.join(",")));
        }
    }
}

/// What all versions have in common.
fn shared(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
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

fn conversion(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = object(spec, "conversion") else { return };
    let strategy = text(conversion, "strategy");
    one_of("spec.conversion.strategy", strategy, &["None", "Webhook"], errors);
    let webhook = object(conversion, "webhook");
    if strategy == "Webhook" {
        let detail = "conversion by webhook is not covered by this server: use None";
        errors.push(FieldError::forbidden("spec.conversion.strategy", detail));
    } else if let Some(webhook) = webhook {
        let detail = "should not be set when strategy is not set to Webhook";
        if raw::given(webhook, "clientConfig").is_some() {
            errors.push(FieldError::forbidden("spec.conversion.webhookClientConfig", detail));
        }
        if !list(webhook, "conversionReviewVersions").is_empty() {
            errors.push(FieldError::forbidden("spec.conversion.conversionReviewVersions", detail));
        }
    }
}

fn established(crd: &Value) -> bool {
    super::accept::has_condition(crd, "Established")
}

fn immutable(
    new: &Map<String, Value>,
    old: &Map<String, Value>,
    established: bool,
    errors: &mut Vec<FieldError>,
) {
    let empty = Map::new();
    let names = |spec: &'_ Map<String, Value>, word: &str| {
        text(object(spec, "names").unwrap_or(&empty), word).to_owned()
    };
    let mut same = |field: &str, new: &str, old: &str| {
        if new != old {
            errors.push(FieldError::invalid(field, new, "field is immutable"));
        }
    };
    if established {
        same("spec.scope", text(new, "scope"), text(old, "scope"));
        same("spec.names.kind", &names(new, "kind"), &names(old, "kind"));
    }
    same("spec.group", text(new, "group"), text(old, "group"));
    same("spec.names.plural", &names(new, "plural"), &names(old, "plural"));
}

fn stored_versions(new: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let field = "status.storedVersions";
    let none = Map::new();
    let status = new.get("status").and_then(Value::as_object).unwrap_or(&none);
    let stored = raw::texts(status, "storedVersions");
    if stored.is_empty() {
        errors.push(FieldError::invalid(field, Value::Null, "must have at least one stored version"));
        return;
    }
    for version in each(spec).filter(|version| flag(version, "storage")) {
        let name = text(version, "name");
        if !stored.iter().any(|stored| stored == name) {
            let detail = format!("must have the storage version {name}");
            errors.push(FieldError::invalid(field, stored.clone(), detail));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !each(spec).any(|version| text(version, "name") == name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a \
                 storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            errors.push(FieldError::invalid(path::index(field, index), name.as_str(), detail));
        }
    }
}

/// Groups of the project itself need the approval of its people.
fn approval(new: &Value, spec: &Map<String, Value>, old: Option<&Value>, errors: &mut Vec<FieldError>) {
    const ANNOTATION: &str = "api-approved.kubernetes.io";
    let group = text(spec, "group");
    let ours = |end: &str| group == end || group.ends_with(&format!(".{end}"));
    let annotation =
        new.pointer("/metadata/annotations").and_then(|all| all.get(ANNOTATION)).and_then(Value::as_str);
    if !(ours("k8s.io") || ours("kubernetes.io")) || old.is_some() {
        return;
    }
    let field = path::key("metadata.annotations", ANNOTATION);
    match annotation {
        None | Some("") => {
            let detail = format!(
                "protected groups must have approval annotation {}, see https://github.com/kubernetes/enhancements/pull/1111",
                quote(ANNOTATION)
            );
            errors.push(FieldError::required(field, detail));
        }
        Some(text) if text.starts_with("unapproved") || text.contains("://") => {}
        Some(text) => {
            let detail = format!(
                "protected groups must have approval annotation {} with either a URL or a reason starting with \
                 \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111",
                quote(ANNOTATION)
            );
            errors.push(FieldError::invalid(field, text, detail));
        }
    }
}
