//! C: what the schema of a definition says about conditions.

mod columns;
mod fix;
mod item;
mod lists;

use serde_json::Value;

use super::{Finding, Place, Severity, finding::Findings};
use crate::lint::names;
use allready_core::{ConditionSet, Polarity, Standing, Status, condition::excerpt};
pub use fix::fix;
use lists::ConditionsSchema;

/// Tells whether an object defines a kind.
pub fn is_definition(object: &Value) -> bool {
    let group = object["apiVersion"].as_str().unwrap_or_default();
    object["kind"] == "CustomResourceDefinition" && group.starts_with("apiextensions.k8s.io/")
}

/// Finds what is wrong with what a definition says about conditions: of each version, and of lists anywhere in the status.
///
/// ```
/// use allready_inspect::lint;
/// use serde_json::json;
///
/// let crd = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": { "name": "widgets.example.com" },
///     "spec": { "versions": [{ "name": "v1", "schema": { "openAPIV3Schema": { "properties": { "status": {
///         "properties": { "phase": { "type": "string" } } } } } } }] } });
/// let ids: Vec<_> = lint::definition(&crd).iter().map(|finding| finding.rule.id).collect();
/// assert_eq!(ids, ["C04", "C06"]);
/// ```
pub fn definition(definition: &Value) -> Vec<Finding> {
    let mut findings = Findings::of(definition);
    if !is_definition(definition) {
        return findings.finish();
    }
    let set = declared(definition);
    let versions = definition["spec"]["versions"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, version) in versions.iter().enumerate() {
        let place = Place::root()
            .keys(&["spec", "versions"])
            .entry(index, version["name"].as_str().unwrap_or_default());
        Version { value: version, place, set: set.as_ref() }.look(&mut findings);
    }
    findings.finish()
}

/// The conditions that the definition declares by annotation.
fn declared(definition: &Value) -> Option<ConditionSet> {
    definition["metadata"]["annotations"]["allready.dev/conditions"].as_str()?.parse().ok()
}

/// One version of a definition.
struct Version<'a> {
    value: &'a Value,
    place: Place,
    set: Option<&'a ConditionSet>,
}

const STATUS: &[&str] = &["schema", "openAPIV3Schema", "properties", "status"];

impl Version<'_> {
    fn look(&self, findings: &mut Findings) {
        // What is no longer served is no longer written either.
        if self.value["served"] == false {
            return;
        }
        let Some(status) = STATUS.iter().try_fold(self.value, |value, key| value.get(key)) else { return };
        if self.value["subresources"].get("status").is_none() {
            findings.add("C04", Severity::Warning, self.place.key("subresources"), || {
                "the version has a status, and no status subresource".to_owned()
            });
        }
        let place = self.place.keys(STATUS);
        let observed = status["properties"].get("observedGeneration");
        if let Some(type_) = observed.map(|observed| &observed["type"]).filter(|type_| **type_ != "integer") {
            let place = || place.keys(&["properties", "observedGeneration"]);
            findings.add("C03", Severity::Error, place(), || {
                format!("status.observedGeneration is of type {}: make it an integer", described(type_))
            });
        }
        let lists = lists::of(status, &place);
        for list in &lists {
            self.list(list, findings);
        }
        match lists.iter().find(|list| list.is_top) {
            Some(_) => columns::look(self.value, &self.place, findings),
            None => no_conditions(status, &place, findings),
        }
    }

    fn list(&self, list: &ConditionsSchema<'_>, findings: &mut Findings) {
        let schema = list.schema;
        let keys = &schema["x-kubernetes-list-map-keys"];
        let is_map = schema["x-kubernetes-list-type"] == "map";
        if !is_map || keys.as_array().is_none_or(|keys| keys.as_slice() != ["type"]) {
            findings.add("C01", Severity::Warning, list.place.clone(), || {
                match (is_map, &schema["x-kubernetes-list-type"]) {
                    (true, _) => "the keys of the list are not `type` alone".to_owned(),
                    (_, Value::Null) => {
                        "nothing is said about the type of the list, so it is atomic".to_owned()
                    }
                    (_, other) => format!("the type of the list is {}", described(other)),
                }
            });
        }
        item::look(list, findings);
        self.defaults(list, findings);
        self.bounds(list, findings);
    }

    /// C07.
    fn defaults(&self, list: &ConditionsSchema<'_>, findings: &mut Findings) {
        for (index, entry) in list.defaults().iter().enumerate() {
            let Some((severity, message)) = default_problem(entry, self.set) else { continue };
            let type_ = entry["type"].as_str().unwrap_or_default();
            findings.add("C07", severity, list.place.key("default").entry(index, type_), || message);
        }
    }

    /// C08.
    fn bounds(&self, list: &ConditionsSchema<'_>, findings: &mut Findings) {
        let declared = self.set.filter(|_| list.is_top).map_or(0, |set| set.declared().len() + 1);
        let known = list.known_types().len().max(declared);
        match list.schema["maxItems"].as_u64() {
            Some(most) if most < known as u64 => {
                findings.add("C08", Severity::Error, list.place.key("maxItems"), || {
                    format!("maxItems is {most}, and {known} types are known")
                });
            }
            None if list.is_unbounded => findings.add("C08", Severity::Info, list.place.clone(), || {
                "neither this list nor the one around it is bounded".to_owned()
            }),
            _ => {}
        }
    }
}

/// C06.
fn no_conditions(status: &Value, place: &Place, findings: &mut Findings) {
    let word = ["phase", "state"].into_iter().find(|word| {
        let field = &status["properties"][word];
        field["type"] == "string" && (*word == "phase" || field.get("enum").is_some())
    });
    if let Some(word) = word {
        findings.add("C06", Severity::Warning, place.keys(&["properties", word]), || {
            format!("the status has a {word} and no conditions")
        });
    }
}

/// The problem of a condition that is there before anybody has looked.
fn default_problem(entry: &Value, set: Option<&ConditionSet>) -> Option<(Severity, String)> {
    let type_ = entry["type"].as_str().unwrap_or_default();
    let status = entry["status"].as_str().unwrap_or_default();
    let declared = set.and_then(|set| set.get(type_)).map(|declared| declared.polarity);
    let polarity = declared.or(names::polarity(type_)).unwrap_or(Polarity::NormalTrue);
    // That nothing is wrong yet may be said.
    if polarity == Polarity::AbnormalTrue && status == polarity.status(Standing::Good).as_str() {
        return None;
    }
    let type_ = excerpt(type_);
    if status != Status::Unknown.as_str() {
        let message =
            format!("the default of {type_} is {:?}, which no controller has observed", excerpt(status));
        return Some((Severity::Warning, message));
    }
    (!names::is_pending(entry["reason"].as_str().unwrap_or_default())).then(|| {
        (
            Severity::Info,
            format!("the default of {type_} does not say that somebody is awaited, as Pending does"),
        )
    })
}

/// A value in a schema, for a message.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => excerpt(text),
        other => excerpt(&other.to_string()),
    }
}
