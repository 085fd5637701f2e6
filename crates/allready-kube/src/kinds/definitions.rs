//! What has to be installed in a cluster for the kinds to be served.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, ValidationRule,
};
use kube::CustomResourceExt as _;

use super::{ConfigurationStatus, StatusReport};

/// The definitions of all kinds, ready to be installed: `StatusReport`, and `ConfigurationStatus` both in `allready.dev` and
/// in `metallb.io`, with one schema.
///
/// A cluster needs one of the two ConfigurationStatuses. With both, `kubectl get configurationstatus` means the one in
/// `allready.dev`, and the other has to be written as `configurationstatus.metallb.io`.
///
/// ```
/// use allready_kube::kinds::definitions;
/// use kube::ResourceExt;
///
/// let names: Vec<_> = definitions().iter().map(|definition| definition.name_any()).collect();
/// assert_eq!(
///     names,
///     ["configurationstatuses.allready.dev", "configurationstatuses.metallb.io", "statusreports.allready.dev"]
/// );
/// ```
///
/// They have the label `app.kubernetes.io/name: allready`, by which they are found again.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    let mut all = vec![
        configuration_status("allready.dev", "v1alpha1"),
        configuration_status("metallb.io", "v1beta1"),
        report(),
    ];
    for definition in &mut all {
        let labels = definition.metadata.labels.get_or_insert_default();
        labels.insert("app.kubernetes.io/name".to_owned(), "allready".to_owned());
    }
    all
}

fn configuration_status(group: &str, version: &str) -> CustomResourceDefinition {
    let mut definition = ConfigurationStatus::crd();
    definition.metadata.name = Some(format!("{}.{group}", definition.spec.names.plural));
    group.clone_into(&mut definition.spec.group);
    for served in &mut definition.spec.versions {
        version.clone_into(&mut served.name);
    }
    for schema in schemas(&mut definition) {
        // Whoever only asks for an answer need not say what is expected, and whoever reads finds a spec nevertheless.
        schema.required = None;
        if let Some(spec) = property(schema, "spec") {
            spec.default = Some(JSON(serde_json::json!({})));
        }
        hold_conditions_to(&READY_OR_PREFIXED, schema);
        tidy(schema);
    }
    definition
}

fn report() -> CustomResourceDefinition {
    let mut definition = StatusReport::crd();
    for schema in schemas(&mut definition) {
        hold_conditions_to(&NOT_PREFIXED, schema);
        tidy(schema);
    }
    definition
}

fn hold_conditions_to(rule: &Rule, schema: &mut JSONSchemaProps) {
    let conditions = property(schema, "status").and_then(|status| property(status, "conditions"));
    if let Some(condition) = conditions.and_then(items) {
        condition.x_kubernetes_validations = Some(vec![rule.rule()]);
    }
}

struct Rule {
    holds: &'static str,
    message: &'static str,
}

/// A condition that belongs to nobody would never count, however red it is.
const READY_OR_PREFIXED: Rule = Rule {
    holds: "self.type == 'Ready' || self.type.contains('/')",
    message: "a condition is Ready, or says in front of a slash whose it is, as in speaker-node-a/configReconcilerValid",
};

/// Who reports is said once, in the spec; and the answer is not given here.
const NOT_PREFIXED: Rule = Rule {
    holds: "self.type != 'Ready' && !self.type.contains('/')",
    message: "a condition of a report is named after a reconciler alone, as in configReconcilerValid, and is not Ready",
};

impl Rule {
    fn rule(&self) -> ValidationRule {
        ValidationRule {
            rule: self.holds.to_owned(),
            message: Some(self.message.to_owned()),
            ..ValidationRule::default()
        }
    }
}

/// Makes a schema what people and the API server expect: `kubectl explain` breaks lines itself, and the server knows signed
/// numbers alone.
fn tidy(schema: &mut JSONSchemaProps) {
    if let Some(description) = &mut schema.description {
        *description = description.replace('\n', " ");
    }
    if schema.format.as_deref() == Some("uint32") {
        schema.format = Some("int64".to_owned());
    }
    schema.properties.iter_mut().flat_map(|properties| properties.values_mut()).for_each(tidy);
    if let Some(items) = items(schema) {
        tidy(items);
    }
}

fn schemas(definition: &mut CustomResourceDefinition) -> impl Iterator<Item = &mut JSONSchemaProps> {
    let versions = definition.spec.versions.iter_mut();
    versions.filter_map(|version| version.schema.as_mut()?.open_api_v3_schema.as_mut())
}

fn property<'a>(schema: &'a mut JSONSchemaProps, name: &str) -> Option<&'a mut JSONSchemaProps> {
    schema.properties.as_mut()?.get_mut(name)
}

fn items(schema: &mut JSONSchemaProps) -> Option<&mut JSONSchemaProps> {
    match schema.items.as_mut()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn schema_of(name: &str) -> Value {
        let all = definitions();
        let definition =
            all.iter().find(|definition| definition.metadata.name.as_deref() == Some(name)).unwrap();
        let definition = serde_json::to_value(definition).unwrap();
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
    }

    #[test]
    fn both_groups_have_one_schema() {
        assert_eq!(
            schema_of("configurationstatuses.allready.dev"),
            schema_of("configurationstatuses.metallb.io")
        );
    }

    #[test]
    fn a_configuration_status_needs_no_spec_and_a_report_does() {
        let status = schema_of("configurationstatuses.metallb.io");
        assert_eq!(
            (&status["required"], &status["properties"]["spec"]["default"]),
            (&Value::Null, &json!({}))
        );
        assert_eq!(schema_of("statusreports.allready.dev")["required"], json!(["spec"]));
    }

    #[test]
    fn every_list_of_conditions_is_a_map_by_type_that_a_rule_protects() {
        for name in ["configurationstatuses.allready.dev", "statusreports.allready.dev"] {
            let conditions = schema_of(name)["properties"]["status"]["properties"]["conditions"].clone();
            assert_eq!(conditions["x-kubernetes-list-type"], "map", "{name}");
            assert_eq!(
                conditions["items"]["x-kubernetes-validations"].as_array().map(Vec::len),
                Some(1),
                "{name}"
            );
        }
    }

    #[test]
    fn no_number_has_a_format_that_the_server_warns_of_and_no_description_a_line_break() {
        fn look(schema: &Value) {
            if let Some(format) = schema["format"].as_str() {
                assert!(["int64", "int32", "date-time"].contains(&format), "{schema:#}");
            }
            assert!(!schema["description"].as_str().unwrap_or_default().contains('\n'), "{schema:#}");
            let properties = schema["properties"].as_object().into_iter().flat_map(|fields| fields.values());
            properties.chain(schema.get("items")).for_each(look);
        }
        ["configurationstatuses.allready.dev", "statusreports.allready.dev"]
            .map(schema_of)
            .iter()
            .for_each(look);
    }
}
