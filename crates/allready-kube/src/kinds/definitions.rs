//! What has to be installed in a cluster for the kinds to be served.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSON, JSONSchemaProps, JSONSchemaPropsOrArray,
};
use kube::CustomResourceExt as _;

use super::{
    ConfigurationStatus, StatusAggregation, StatusReport,
    rules::{self, Rule},
};

/// The definitions of all kinds, ready to be installed: `StatusReport`, `StatusAggregation`, and `ConfigurationStatus` both
/// in `allready.dev` and in `metallb.io`, with one schema.
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
///     [
///         "configurationstatuses.allready.dev",
///         "configurationstatuses.metallb.io",
///         "statusreports.allready.dev",
///         "statusaggregations.allready.dev",
///     ]
/// );
/// ```
///
/// They have the label `app.kubernetes.io/name: allready`, by which they are found again.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    let mut all = vec![
        configuration_status("allready.dev", "v1alpha1"),
        configuration_status("metallb.io", "v1beta1"),
        report(),
        aggregation(),
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
        hold(schema, &["status", "conditions", "*"], &[rules::READY_OR_PREFIXED]);
        tidy(schema);
    }
    definition
}

fn report() -> CustomResourceDefinition {
    let mut definition = StatusReport::crd();
    for schema in schemas(&mut definition) {
        hold(schema, &[], &[rules::NOT_PREFIXED]);
        tidy(schema);
    }
    definition
}

fn aggregation() -> CustomResourceDefinition {
    let mut definition = StatusAggregation::crd();
    for schema in schemas(&mut definition) {
        hold(schema, &["spec"], &rules::AGGREGATION);
        hold(schema, &["spec", "conditions", "*"], &[rules::NOT_THE_HUBS_OWN]);
        hold(schema, &["spec", "fields", "*"], &[rules::NOT_READ_OTHERWISE]);
        for [of, selector] in [["target", "selector"], ["clusters", "selector"], ["clusters", "instances"]] {
            let requirement = ["spec", of, selector, "matchExpressions", "*"];
            hold(schema, &requirement, &[rules::VALUES]);
            if let Some(operator) = within(schema, &requirement).and_then(|found| property(found, "operator"))
            {
                let all = ["In", "NotIn", "Exists", "DoesNotExist"];
                operator.enum_ = Some(all.map(|name| JSON(name.into())).into());
            }
        }
        tidy(schema);
    }
    definition
}

/// Adds rules to the part of a schema at this path.
fn hold(schema: &mut JSONSchemaProps, path: &[&str], rules: &[Rule]) {
    if let Some(schema) = within(schema, path) {
        let validations = schema.x_kubernetes_validations.get_or_insert_default();
        validations.extend(rules.iter().map(Rule::validation));
    }
}

/// Makes a schema what people and the API server expect: `kubectl explain` breaks lines itself, and the server knows signed
/// numbers alone.
fn tidy(schema: &mut JSONSchemaProps) {
    if let Some(description) = &mut schema.description {
        // An example in Rust is for readers of the types.
        let prose = description.split("```").next().unwrap_or_default();
        *description = prose.split_whitespace().collect::<Vec<_>>().join(" ");
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

/// The part of a schema at this path, where `*` stands for the items of a list.
fn within<'a>(schema: &'a mut JSONSchemaProps, path: &[&str]) -> Option<&'a mut JSONSchemaProps> {
    path.iter().try_fold(schema, |schema, step| match *step {
        "*" => items(schema),
        name => property(schema, name),
    })
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
    fn a_configuration_status_needs_no_spec_and_the_others_do() {
        let status = schema_of("configurationstatuses.metallb.io");
        assert_eq!(
            (&status["required"], &status["properties"]["spec"]["default"]),
            (&Value::Null, &json!({}))
        );
        assert_eq!(schema_of("statusreports.allready.dev")["required"], json!(["spec"]));
        assert_eq!(schema_of("statusaggregations.allready.dev")["required"], json!(["spec"]));
    }

    const ALL: [&str; 3] = [
        "configurationstatuses.allready.dev",
        "statusreports.allready.dev",
        "statusaggregations.allready.dev",
    ];

    #[test]
    fn every_list_of_conditions_is_a_map_by_type() {
        for name in ALL {
            let conditions = schema_of(name)["properties"]["status"]["properties"]["conditions"].clone();
            assert_eq!(conditions["x-kubernetes-list-type"], "map", "{name}");
            assert_eq!(conditions["x-kubernetes-list-map-keys"], json!(["type"]), "{name}");
        }
    }

    #[test]
    fn the_rule_that_a_report_never_moves_stands_beside_that_of_its_conditions() {
        let rules = schema_of("statusreports.allready.dev")["x-kubernetes-validations"].clone();
        assert_eq!(rules[0]["rule"], "self.spec == oldSelf.spec");
        assert_eq!(rules[1]["fieldPath"], ".status.conditions");
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
        ALL.map(schema_of).iter().for_each(look);
    }
}
