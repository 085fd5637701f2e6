//! From an established definition to the resource that it is.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    accept::has_condition,
    conversion::Converter,
    custom::CustomStrategy,
    raw::{self, flag, list, object, text, texts},
};
use crate::{
    resource::{Column, Resource, Scale, Version, ready},
    schema::{Schema, Validator, parse, with_object_meta},
    webhook::Services,
};

/// What of a definition decides what is served and how.
pub(crate) fn made_from(crd: &Value) -> Value {
    json!({ "spec": crd["spec"], "acceptedNames": crd["status"]["acceptedNames"] })
}

/// The resource that an established definition is, from a resourceVersion on; `None` for one that is not established, or
/// serves nothing. `services` are where those of webhooks listen.
pub(crate) fn serve(crd: &Value, since: u64, services: &Arc<Services>) -> Option<Resource> {
    if !has_condition(crd, "Established") {
        return None;
    }
    let spec = crd.get("spec")?.as_object()?;
    let names = crd.pointer("/status/acceptedNames").and_then(Value::as_object)?;
    let (group, plural) = (text(spec, "group"), text(names, "plural"));
    let all: Vec<_> = list(spec, "versions").iter().filter_map(Value::as_object).collect();
    let mut served: Vec<_> = all.iter().copied().filter(|version| flag(version, "served")).collect();
    served.sort_by(|one, other| priority(text(other, "name")).cmp(&priority(text(one, "name"))));
    let storage = all.iter().find(|version| flag(version, "storage"))?;
    let mut versions = Vec::new();
    let mut validators = BTreeMap::new();
    for version in served {
        let (built, validator) = version_of(version, spec, names, &all)?;
        validators.insert(built.name.clone(), validator);
        versions.push(built);
    }
    if versions.is_empty() {
        return None;
    }
    let status = versions.iter().any(|version| version.status);
    let schemas: BTreeMap<_, _> = all
        .iter()
        .filter_map(|version| Some((text(version, "name").to_owned(), Arc::new(schema_of(version)?.0))))
        .collect();
    Some(Resource {
        group: group.into(),
        plural: plural.into(),
        singular: text(names, "singular").into(),
        kind: text(names, "kind").into(),
        list_kind: text(names, "listKind").into(),
        short_names: texts(names, "shortNames"),
        categories: texts(names, "categories"),
        namespaced: text(spec, "scope") == "Namespaced",
        versions,
        storage_version: format!("{group}/{}", text(storage, "name")),
        place: format!("{group}/{plural}"),
        verbs: Vec::new(),
        strategy: Arc::new(CustomStrategy {
            validators,
            converter: Converter::of(spec, services),
            definition: made_from(crd),
            since,
            schemas,
            status,
            group: group.into(),
            kind: text(names, "kind").into(),
        }),
    })
}

fn version_of(
    version: &Map<String, Value>,
    spec: &Map<String, Value>,
    names: &Map<String, Value>,
    all: &[&Map<String, Value>],
) -> Option<(Version, Validator)> {
    let published = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    let (whole, schema) = schema_of(version)?;
    let none = Map::new();
    let subresources = object(version, "subresources").unwrap_or(&none);
    let name = text(version, "name");
    let deprecation = flag(version, "deprecated").then(|| match version.get("deprecationWarning") {
        Some(Value::String(warning)) => warning.clone(),
        _ => deprecation(name, text(spec, "group"), text(names, "kind"), all),
    });
    let selectable = list(version, "selectableFields").iter().filter_map(Value::as_object);
    let built = Version {
        name: name.into(),
        schema: ready(Arc::new(whole)),
        status: raw::given(subresources, "status").is_some(),
        scale: object(subresources, "scale").map(|scale| Scale {
            spec_replicas: text(scale, "specReplicasPath").into(),
            status_replicas: text(scale, "statusReplicasPath").into(),
            label_selector: Some(text(scale, "labelSelectorPath").to_owned()).filter(|path| !path.is_empty()),
        }),
        columns: list(version, "additionalPrinterColumns")
            .iter()
            .filter_map(Value::as_object)
            .map(column)
            .collect(),
        selectable: selectable.map(|field| text(field, "jsonPath").to_owned()).collect(),
        deprecation,
        published: published.map(|published| Arc::new(published.clone())),
    };
    Some((built, Validator::new(Arc::new(schema))))
}

/// The schema of a version with the whole of `metadata`, and as its author wrote it.
fn schema_of(version: &Map<String, Value>) -> Option<(Schema, Schema)> {
    let schema = match version.get("schema").and_then(|schema| schema.get("openAPIV3Schema")) {
        Some(published) => parse(published).ok()?,
        None => Schema { preserve_unknown: true, ..Schema::default() },
    };
    Some((with_object_meta(&schema), schema))
}

fn column(source: &Map<String, Value>) -> Column {
    Column {
        name: text(source, "name").into(),
        kind: text(source, "type").into(),
        format: text(source, "format").into(),
        description: text(source, "description").into(),
        priority: source.get("priority").and_then(Value::as_i64).unwrap_or_default(),
        json_path: text(source, "jsonPath").into(),
    }
}

/// The warning of a version that its author calls deprecated without saying more.
fn deprecation(name: &str, group: &str, kind: &str, all: &[&Map<String, Value>]) -> String {
    let better = all
        .iter()
        .filter(|version| flag(version, "served") && !flag(version, "deprecated"))
        .map(|version| text(version, "name"))
        .filter(|other| priority(other) > priority(name))
        .max_by(|one, other| priority(one).cmp(&priority(other)));
    let instead = better.map(|better| format!("; use {group}/{better} {kind}")).unwrap_or_default();
    format!("{group}/{name} {kind} is deprecated{instead}")
}

/// Greater is preferred: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then everything else by its letters.
type Priority<'a> = (u8, u64, u64, std::cmp::Reverse<&'a str>);

fn priority(name: &str) -> Priority<'_> {
    let other = (0, 0, 0, std::cmp::Reverse(name));
    let Some(rest) = name.strip_prefix('v') else { return other };
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (major, rest) = rest.split_at(digits);
    let Ok(major) = major.parse() else { return other };
    let (stage, minor) = match rest {
        "" => (3, "0"),
        rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
            (Some(minor), _) => (2, minor),
            (_, Some(minor)) => (1, minor),
            _ => return other,
        },
    };
    minor.parse().map_or(other, |minor| (stage, major, minor, std::cmp::Reverse("")))
}
