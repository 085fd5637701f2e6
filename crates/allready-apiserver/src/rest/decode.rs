//! From the body of a request to an object.

use std::{collections::HashMap, fmt::Write as _};

use serde_json::{Map, Value};

use super::json::{self, Duplicate, Parsed, go_type};
use crate::{
    resource::{Call, Registry, Resource, Version},
    status::Failure,
};

/// The largest body that is read.
pub(crate) const BODY_LIMIT: usize = 3 << 20;

/// A decoded body: the object, and what strict decoding has to say about it.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    /// The object.
    pub(crate) object: Value,
    /// What is wrong with its fields.
    pub(crate) strict: Strict,
}

/// What strict decoding has to say about a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Strict {
    /// Such as `line 7: key "size" already set in map`.
    pub(crate) yaml: Vec<String>,
    /// Such as `duplicate field "metadata.name"`.
    pub(crate) fields: Vec<String>,
}

impl Strict {
    /// About duplicate keys, as the format of the body words it.
    fn of(duplicates: &[Duplicate], yaml: bool) -> Self {
        if yaml {
            Self { yaml: yaml_duplicates(duplicates), ..Self::default() }
        } else {
            Self { fields: duplicate_texts(duplicates), ..Self::default() }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.yaml.is_empty() && self.fields.is_empty()
    }

    /// Brings the texts into the order in which the fields stand in the body: built-in kinds are read in one go.
    pub(crate) fn sort_as_in(&mut self, body: &[u8]) {
        if self.fields.len() < 2 {
            return;
        }
        let words = [(false, "unknown"), (true, "duplicate")];
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, (again, path)) in json::order(body).into_iter().enumerate() {
            for (_, word) in words.iter().filter(|(wanted, _)| *wanted == again) {
                let text = format!("{word} field \"{path}\"");
                places.entry(text).or_insert(place);
            }
        }
        self.fields.sort_by_key(|text| places.get(text).copied().unwrap_or(usize::MAX));
    }

    /// One text for all.
    pub(crate) fn joined(&self) -> String {
        let mut texts = self.fields.clone();
        if !self.yaml.is_empty() {
            texts.insert(0, format!("yaml: unmarshal errors:\n  {}", self.yaml.join("\n  ")));
        }
        format!("strict decoding error: {}", texts.join(", "))
    }

    /// One text for each.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        self.yaml.into_iter().chain(self.fields).collect()
    }
}

/// The words of the YAML reader for duplicate keys.
pub(crate) fn yaml_duplicates(duplicates: &[Duplicate]) -> Vec<String> {
    let text = |it: &Duplicate| {
        format!("line {}: key {} already set in map", it.line, crate::status::quote(&it.key))
    };
    duplicates.iter().map(text).collect()
}

/// Refuses a body that is too large.
pub(crate) fn check_size(call: &Call) -> Result<(), Failure> {
    if call.body.len() > BODY_LIMIT {
        return Err(Failure::too_large(BODY_LIMIT as u64));
    }
    Ok(())
}

/// Whether a kind is defined by a `CustomResourceDefinition`.
pub(crate) fn is_custom(resource: &Resource) -> bool {
    resource.versions.iter().any(|version| version.published.is_some())
}

/// Decodes the body of a create or an update.
pub(crate) fn object(call: &Call, version: &Version, registry: &Registry) -> Result<Decoded, Failure> {
    object_as(call, version, registry, &call.resource.kind, &call.resource.api_version(&version.name))
}

/// As [`object`], where another kind is expected, such as a `Scale`.
pub(crate) fn object_as(
    call: &Call,
    version: &Version,
    registry: &Registry,
    kind: &str,
    api_version: &str,
) -> Result<Decoded, Failure> {
    let parsed = read(call, kind)?;
    let mut object = match parsed.value {
        Value::Null => Value::Object(Map::new()),
        value => value,
    };
    let custom = is_custom(&call.resource) && kind == call.resource.kind;
    let found = (text(&object, "kind"), text(&object, "apiVersion"));
    if custom {
        if found.0.is_empty() {
            let body = String::from_utf8_lossy(&call.body);
            let error = format!("Object 'Kind' is missing in '{body}'");
            // Only the reader that does not look for mistakes remembers what it expected.
            return Err(match call.first("fieldValidation") {
                Some("Ignore") => cannot(kind, &version.name, kind, &error),
                _ => unrecognized(kind, &error, &call.body),
            });
        }
        if found.1.matches('/').count() > 1 {
            let error = format!("unexpected GroupVersion string: {}", found.1);
            return Err(unrecognized(kind, &error, &call.body));
        }
    } else if is_custom(&call.resource)
        && (!["", kind].contains(&&*found.0) || !["", api_version].contains(&&*found.1))
    {
        return Err(no_scale());
    } else {
        check_type(&found, kind, api_version, registry)?;
        if let Some(fields) = object.as_object_mut() {
            fields.insert("kind".into(), kind.into());
            fields.insert("apiVersion".into(), api_version.into());
        }
    }
    if kind == call.resource.kind {
        check_metadata(&object, custom)
            .and_then(|()| decodes(call, version, &object))
            .map_err(|error| cannot_object(&object, kind, &error))?;
    }
    let yaml = call.content_type == "application/yaml";
    Ok(Decoded { object, strict: Strict::of(&parsed.duplicates, yaml) })
}

/// Whether the kind's own decoder takes the object; what it says otherwise, without a frame.
pub(crate) fn decodes(call: &Call, version: &Version, object: &Value) -> Result<(), String> {
    call.resource.strategy.decode(version, object)
}

/// `… in version … cannot be handled as a …`.
pub(crate) fn cannot(found: &str, version: &str, kind: &str, error: &str) -> Failure {
    Failure::bad_request(format!("{found} in version {version:?} cannot be handled as a {kind}: {error}"))
}

/// What the real server says when it cannot even say what is wrong with the scale of a custom object.
pub(crate) fn no_scale() -> Failure {
    let message = "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"";
    Failure::bad_request(message)
}

/// As [`cannot`], for an object that says what it is. A custom object is handled as whatever it says.
pub(crate) fn cannot_object(object: &Value, kind: &str, error: &str) -> Failure {
    let (found, api_version) = (text(object, "kind"), text(object, "apiVersion"));
    let version = api_version.rsplit('/').next().unwrap_or_default();
    cannot(&found, version, if found.is_empty() { kind } else { &found }, error)
}

/// The texts of strict decoding for duplicate keys.
pub(crate) fn duplicate_texts(duplicates: &[Duplicate]) -> Vec<String> {
    duplicates.iter().map(|duplicate| format!("duplicate field \"{}\"", duplicate.path)).collect()
}

fn read(call: &Call, kind: &str) -> Result<Parsed, Failure> {
    let refuse = |error: &str| unrecognized(kind, error, &call.body);
    let parsed = match call.content_type.as_str() {
        "" | "application/json" => json::parse(&call.body)
            .map_err(|error| refuse(&format!("couldn't get version/kind; json parse error: {error}")))?,
        "application/yaml" => super::yaml::parse(&call.body).map_err(|error| refuse(&error))?,
        _ => {
            let accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
            return Err(Failure::unsupported_media_type(&accepted));
        }
    };
    if !matches!(parsed.value, Value::Object(_) | Value::Null) {
        let target = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
        let found = go_type(&parsed.value);
        return Err(refuse(&format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type {target}"
        )));
    }
    for field in ["apiVersion", "kind"] {
        let value = &parsed.value[field];
        if !value.is_null() && !value.is_string() {
            let found = go_type(value);
            return Err(refuse(&format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field .{field} of type string"
            )));
        }
    }
    let api_version = parsed.value["apiVersion"].as_str().unwrap_or_default();
    if api_version.matches('/').count() > 1 {
        return Err(refuse(&format!("unexpected GroupVersion string: {api_version}")));
    }
    Ok(parsed)
}

fn unrecognized(kind: &str, error: &str, body: &[u8]) -> Failure {
    let summary = summary(body);
    Failure::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {error} ({summary})"
    ))
}

/// The beginning of a body: as text when it looks like JSON, as hexadecimal digits otherwise.
fn summary(body: &[u8]) -> String {
    let head = body.get(..30).unwrap_or(body);
    let more = if body.len() > 30 { " ..." } else { "" };
    match body.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(head)),
        Some(_) => {
            let mut digits = String::new();
            for byte in head {
                let _ = write!(digits, "{byte:02x}");
            }
            digits + more
        }
    }
}

fn text(object: &Value, field: &str) -> String {
    object.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Refuses an object of another kind or version than a built-in endpoint takes.
fn check_type(
    found: &(String, String),
    kind: &str,
    api_version: &str,
    registry: &Registry,
) -> Result<(), Failure> {
    let (found_kind, found_version) = found;
    let kind_given = if found_kind.is_empty() { kind } else { found_kind };
    let version_given = if found_version.is_empty() { api_version } else { found_version };
    if kind_given == kind && version_given == api_version {
        return Ok(());
    }
    let short = version_given.rsplit('/').next().unwrap_or_default();
    let known = registry.iter().filter(|resource| !is_custom(resource)).any(|resource| {
        resource.kind == kind_given
            && resource.versions.iter().any(|version| resource.api_version(&version.name) == version_given)
    });
    let error = if known {
        let internal = match api_version.split_once('/') {
            Some((group, _)) => group.split('.').next().unwrap_or_default(),
            None => "core",
        };
        format!("converting ({short}.{kind_given}) to ({internal}.{kind}): unknown conversion")
    } else {
        not_registered(kind_given, version_given)
    };
    Err(cannot(kind_given, short, kind, &error))
}

/// What the real server says of a kind it has no type for.
pub(crate) fn not_registered(kind: &str, api_version: &str) -> String {
    format!(
        "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/runtime/scheme.go:111\""
    )
}

/// Refuses metadata with values of the wrong JSON types.
pub(crate) fn check_metadata(object: &Value, custom: bool) -> Result<(), String> {
    let metadata = &object["metadata"];
    let wrong = |value: &Value, field: &str, kind: &str| {
        let found = go_type(value);
        // A custom object's metadata is decoded on its own.
        let path = if custom { "" } else { "metadata." };
        Err(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{path}{field} of type {kind}"
        ))
    };
    match metadata {
        Value::Null => return Ok(()),
        Value::Object(_) => {}
        other => {
            let found = go_type(other);
            let kind = object["kind"].as_str().unwrap_or_default();
            let target = if custom { "value".to_owned() } else { format!("struct field {kind}.metadata") };
            return Err(format!("json: cannot unmarshal {found} into Go {target} of type v1.ObjectMeta"));
        }
    }
    for field in ["name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"] {
        let value = &metadata[field];
        if !value.is_null() && !value.is_string() {
            return wrong(value, field, "string");
        }
    }
    for field in ["generation", "deletionGracePeriodSeconds"] {
        let value = &metadata[field];
        if !value.is_null() && !value.is_i64() {
            return wrong(value, field, "int64");
        }
    }
    for field in ["labels", "annotations"] {
        match &metadata[field] {
            Value::Null => {}
            Value::Object(map) => {
                if let Some(value) = map.values().find(|value| !value.is_null() && !value.is_string()) {
                    return wrong(value, field, "string");
                }
            }
            other => return wrong(other, field, "map[string]string"),
        }
    }
    for (field, kind) in [
        ("finalizers", "[]string"),
        ("ownerReferences", "[]v1.OwnerReference"),
        ("managedFields", "[]v1.ManagedFieldsEntry"),
    ] {
        match &metadata[field] {
            Value::Null => {}
            Value::Array(items) => {
                let fits = |item: &&Value| match item {
                    Value::Null => custom,
                    item if field == "finalizers" => item.is_string(),
                    item => item.is_object(),
                };
                if let Some(item) = items.iter().find(|item| !fits(item)) {
                    let kind = kind.trim_start_matches("[]");
                    return wrong(item, field, kind);
                }
            }
            other => return wrong(other, field, kind),
        }
    }
    Ok(())
}
