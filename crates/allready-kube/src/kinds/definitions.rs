//! What has to be installed in a cluster for the kinds to be served.

use allready_core::condition_type;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use kube::CustomResourceExt as _;

use super::{
    ClusterStatus, ConfigurationStatus, InstanceStatus, StatusAggregation, StatusReport,
    rules::{self, Rule},
};
use crate::crd::pending;

/// The CRDs of the kinds of `allready.dev`, ready to be installed.
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
///         "statusreports.allready.dev",
///         "statusaggregations.allready.dev",
///         "instancestatuses.allready.dev",
///         "clusterstatuses.allready.dev",
///     ]
/// );
/// ```
///
/// They have the label `app.kubernetes.io/name: allready`, by which they are found again.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    let configuration_status = configuration_status("allready.dev", "v1alpha1");
    [configuration_status, report(), aggregation(), instance_status(), cluster_status()].map(labelled).into()
}

/// The CRD of `ConfigurationStatus` in `metallb.io/v1beta1`, with the schema of the one in `allready.dev`: for a cluster with
/// MetalLB, whose own group it then is in.
///
/// A cluster needs one of the two. With both, `kubectl get configurationstatus` means the one in `allready.dev`, and the
/// other has to be written as `configurationstatus.metallb.io`.
pub fn metallb_definition() -> CustomResourceDefinition {
    labelled(configuration_status("metallb.io", "v1beta1"))
}

fn labelled(mut definition: CustomResourceDefinition) -> CustomResourceDefinition {
    let labels = definition.metadata.labels.get_or_insert_default();
    labels.insert("app.kubernetes.io/name".to_owned(), "allready".to_owned());
    definition
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
        begin_pending(schema);
        hold(schema, &["spec"], &[rules::REVISION]);
        let instances = ["spec", "components", "*", "instances"];
        hold(schema, &instances, &rules::INSTANCES);
        check_selector(schema, &[&instances[..], &["nodes", "selector"]].concat());
        let source = ["spec", "sources", "*"];
        check_selector(schema, &[&source[..], &["selector"]].concat());
        for name in ["component", "instance"] {
            hold(schema, &[&source[..], &[name]].concat(), &rules::NAME_FROM);
        }
        hold(schema, &["status", "conditions", "*"], &[rules::READY_OR_PREFIXED]);
        hold(schema, &["status", "controller"], &[rules::NO_EARLIER_TERM]);
        tidy(schema);
    }
    definition
}

fn report() -> CustomResourceDefinition {
    let mut definition = StatusReport::crd();
    for schema in schemas(&mut definition) {
        begin_pending(schema);
        hold(schema, &[], &rules::REPORT);
        tidy(schema);
    }
    definition
}

/// A new object has Ready at once, Unknown with the reason Pending.
fn begin_pending(schema: &mut JSONSchemaProps) {
    if let Some(status) = property(schema, "status") {
        let ready = pending(condition_type!("Ready"));
        status.default = Some(JSON(serde_json::json!({ "conditions": [ready] })));
    }
}

/// Refuses the selectors that the API server refuses (`ValidateLabelSelector` of apimachinery).
fn check_selector(schema: &mut JSONSchemaProps, path: &[&str]) {
    let Some(selector) = within(schema, path) else { return };
    if let Some(labels) = property(selector, "matchLabels") {
        check_labels(labels, 8);
    }
    let Some(expressions) = property(selector, "matchExpressions") else { return };
    expressions.max_items = Some(16);
    let Some(requirement) = items(expressions) else { return };
    hold(requirement, &[], &[rules::VALUES, rules::KEY]);
    if let Some(key) = property(requirement, "key") {
        limit(key, rules::LABEL_KEY, 317);
    }
    if let Some(operator) = property(requirement, "operator") {
        operator.enum_ = Some(OPERATORS.map(|name| JSON(name.into())).into());
    }
    if let Some(values) = property(requirement, "values") {
        values.max_items = Some(64);
        if let Some(value) = items(values) {
            limit(value, rules::LABEL_VALUE, 63);
        }
    }
}

/// Refuses labels that the API server refuses, and more than this many.
fn check_labels(labels: &mut JSONSchemaProps, most: i64) {
    labels.max_properties = Some(most);
    hold(labels, &[], &rules::KEYS);
    if let Some(JSONSchemaPropsOrBool::Schema(value)) = &mut labels.additional_properties {
        limit(value, rules::LABEL_VALUE, 63);
    }
}

const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

fn limit(text: &mut JSONSchemaProps, pattern: &str, length: i64) {
    text.pattern = Some(pattern.to_owned());
    text.max_length = Some(length);
}

fn aggregation() -> CustomResourceDefinition {
    let mut definition = StatusAggregation::crd();
    for schema in schemas(&mut definition) {
        begin_pending(schema);
        hold(schema, &["spec"], &rules::AGGREGATION);
        hold(schema, &["spec", "conditions", "*"], &[rules::NOT_THE_HUBS_OWN]);
        hold(schema, &["spec", "fields", "*"], &[rules::NOT_READ_OTHERWISE]);
        for selector in [&["selector"][..], &["clusters", "selector"], &["clusters", "instances"]] {
            check_selector(schema, &[&["spec"], selector].concat());
        }
        if let Some(labels) = within(schema, &["spec", "dns", "labels"]) {
            check_labels(labels, 16);
        }
        tidy(schema);
    }
    definition
}

fn instance_status() -> CustomResourceDefinition {
    let mut definition = InstanceStatus::crd();
    for schema in schemas(&mut definition) {
        hold(schema, &[], &[rules::NAMED_LIKE_AN_INSTANCE]);
        hold(schema, &["spec"], &[rules::INSTANCE_NEVER_CHANGES]);
        tidy(schema);
    }
    definition
}

fn cluster_status() -> CustomResourceDefinition {
    let mut definition = ClusterStatus::crd();
    for schema in schemas(&mut definition) {
        hold(schema, &[], &[rules::NAMED_LIKE_A_CLUSTER]);
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
        let all: Vec<_> = definitions().into_iter().chain([metallb_definition()]).collect();
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

    const ALL: [&str; 5] = [
        "configurationstatuses.allready.dev",
        "statusreports.allready.dev",
        "statusaggregations.allready.dev",
        "instancestatuses.allready.dev",
        "clusterstatuses.allready.dev",
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
    fn every_list_and_every_text_that_is_not_an_enum_is_bounded() {
        fn look(schema: &Value, path: &str) {
            match schema["type"].as_str() {
                Some("array") => assert!(schema["maxItems"].is_number(), "{path} has no maxItems"),
                Some("string") if schema["enum"].is_null() && schema["format"].is_null() => {
                    assert!(schema["maxLength"].is_number(), "{path} has no maxLength");
                }
                Some("object") if schema["additionalProperties"].is_object() => {
                    assert!(schema["maxProperties"].is_number(), "{path} has no maxProperties");
                }
                _ => {}
            }
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                look(field, &format!("{path}.{name}"));
            }
            for of in ["items", "additionalProperties"] {
                schema.get(of).into_iter().for_each(|schema| look(schema, &format!("{path}[]")));
            }
        }
        for name in ALL {
            for part in ["spec", "status"] {
                look(&schema_of(name)["properties"][part], part);
            }
        }
    }

    #[test]
    fn every_field_is_described_by_a_sentence() {
        fn look(schema: &Value, path: &str) {
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                let path = format!("{path}.{name}");
                let text = field["description"].as_str().unwrap_or_default();
                assert!(text.ends_with('.'), "{path}: {text:?}");
                look(field, &path);
                look(&field["items"], &path);
            }
        }
        for name in ALL {
            for part in ["spec", "status"] {
                look(&schema_of(name)["properties"][part], part);
            }
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
        ALL.map(schema_of).iter().for_each(look);
    }
}
