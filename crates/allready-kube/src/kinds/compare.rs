//! Comparing a CRD of a cluster with the one that this version of the library writes.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

/// So many fields are named in a sentence.
const MOST_NAMED: usize = 4;

/// The differences between two schemas of one kind: the one that a program was built with, and the one that a cluster has.
///
/// A cluster whose schema has fields beside those of the program fits: it belongs to a later version, and the program leaves
/// them alone. One that lacks fields does not: the API server would drop or refuse what the program writes.
///
/// ```
/// use allready_kube::kinds::SchemaDifference;
/// use serde_json::json;
///
/// let ours = json!({ "properties": { "spec": { "type": "object", "properties": { "targetRef": { "type": "object" } } } } });
/// let found = json!({ "properties": { "spec": { "type": "object", "properties": { "target": { "type": "string" } } } } });
/// let difference = SchemaDifference::between(&ours, &found);
/// assert!(!difference.fits());
/// assert_eq!(difference.to_string(), "it lacks .spec.targetRef");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct SchemaDifference {
    /// The fields, or values of enums, that the schema of the cluster lacks, such as `.spec.targetRef`.
    pub missing: Vec<String>,
    /// The fields, or values of enums, that only the schema of the cluster has.
    pub additional: Vec<String>,
}

impl SchemaDifference {
    /// Compares `spec` and `status` of two OpenAPI schemas: fields, their types and the values of enums. Descriptions, limits and
    /// rules are left out.
    pub fn between(ours: &Value, found: &Value) -> Self {
        let mut difference = Self::default();
        for part in ["spec", "status"] {
            let path = format!(".{part}");
            let (ours, found) = (&ours["properties"][part], &found["properties"][part]);
            lacking(ours, found, &path, &mut difference.missing);
            lacking(found, ours, &path, &mut difference.additional);
        }
        difference
    }

    /// Compares a CRD of a cluster with ours, in the version that ours has. A version that is not served lacks everything.
    ///
    /// ```
    /// use allready_kube::kinds::{SchemaDifference, definitions};
    ///
    /// let [ours, other, ..] = &definitions()[..] else { unreachable!() };
    /// assert!(SchemaDifference::of(ours, ours).fits());
    /// assert!(!SchemaDifference::of(ours, other).fits());
    /// ```
    pub fn of(ours: &CustomResourceDefinition, found: &CustomResourceDefinition) -> Self {
        let version = ours.spec.versions.first().map(|version| version.name.as_str()).unwrap_or_default();
        let schema = |definition: &CustomResourceDefinition| {
            let served = definition.spec.versions.iter().find(|found| found.name == version && found.served);
            serde_json::to_value(served).unwrap_or_default()["schema"]["openAPIV3Schema"].take()
        };
        Self::between(&schema(ours), &schema(found))
    }

    /// Returns true if a program with our schema can write into the cluster.
    pub fn fits(&self) -> bool {
        self.missing.is_empty()
    }
}

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.missing.is_empty(), self.additional.is_empty()) {
            (true, true) => f.write_str("it is the same"),
            // What it has beside that is of no use to whoever has to replace it.
            (false, _) => write!(f, "it lacks {}", some(&self.missing)),
            (true, false) => write!(f, "it has {} beside", some(&self.additional)),
        }
    }
}

/// The first of many names.
fn some(names: &[String]) -> String {
    let first = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The parts of one schema that another one does not have.
fn lacking(wanted: &Value, there: &Value, path: &str, lacks: &mut Vec<String>) {
    if wanted.is_null() {
        return;
    }
    if there.is_null() {
        lacks.push(path.to_owned());
        return;
    }
    if wanted["type"] != there["type"] && !wanted["type"].is_null() && !there["type"].is_null() {
        lacks.push(format!("{path} as {}", wanted["type"].as_str().unwrap_or_default()));
        return;
    }
    if let (Some(wanted), Some(there)) = (wanted["enum"].as_array(), there["enum"].as_array()) {
        let values = wanted.iter().filter(|value| !there.contains(value));
        lacks.extend(values.map(|value| format!("{path}={}", value.as_str().unwrap_or_default())));
    }
    if there["x-kubernetes-preserve-unknown-fields"] != true {
        for (name, field) in wanted["properties"].as_object().into_iter().flatten() {
            lacking(field, &there["properties"][name], &format!("{path}.{name}"), lacks);
        }
    }
    if wanted["items"].is_object() {
        lacking(&wanted["items"], &there["items"], &format!("{path}[]"), lacks);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(spec: &Value) -> Value {
        json!({ "properties": { "spec": { "type": "object", "properties": spec } } })
    }

    #[test]
    fn a_field_a_type_and_a_value_that_are_missing_are_named_each_with_its_path() {
        let ours = schema(&json!({
            "a": { "type": "array", "items": { "type": "object", "properties": { "b": { "type": "string" } } } },
            "c": { "type": "object" },
            "d": { "type": "string", "enum": ["One", "Two"] },
        }));
        let found = schema(&json!({
            "a": { "type": "array", "items": { "type": "object", "properties": {} } },
            "c": { "type": "string" },
            "d": { "type": "string", "enum": ["One", "Three"] },
        }));
        let difference = SchemaDifference::between(&ours, &found);
        assert_eq!(difference.missing, [".spec.a[].b", ".spec.c as object", ".spec.d=Two"]);
        assert_eq!(difference.additional, [".spec.c as string", ".spec.d=Three"]);
    }

    #[test]
    fn a_later_schema_fits_and_the_same_one_says_so() {
        let ours = schema(&json!({ "a": { "type": "string", "description": "One." } }));
        let later = schema(&json!({ "a": { "type": "string" }, "b": { "type": "string" } }));
        let difference = SchemaDifference::between(&ours, &later);
        assert!(difference.fits());
        assert_eq!(difference.to_string(), "it has .spec.b beside");
        assert_eq!(SchemaDifference::between(&ours, &ours).to_string(), "it is the same");
    }

    #[test]
    fn many_names_are_counted() {
        let fields: serde_json::Map<_, _> =
            (0..9).map(|n| (format!("f{n}"), json!({ "type": "string" }))).collect();
        let difference = SchemaDifference::between(&schema(&fields.into()), &schema(&json!({})));
        assert_eq!(difference.to_string(), "it lacks .spec.f0, .spec.f1, .spec.f2, .spec.f3 and 5 more");
    }
}
