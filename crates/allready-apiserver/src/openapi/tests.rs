use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};

use super::{
    DEFINITIONS,
    discovery::tests::{custom, resource, version},
    document, hash, index, prose,
};
use crate::resource::{Registry, Resource, Version};

fn registry(resources: Vec<Resource>) -> Registry {
    let mut registry = Registry::default();
    for resource in resources {
        registry.insert(Arc::new(resource));
    }
    registry
}

fn builtin() -> Registry {
    let cluster = |resource: Resource| Resource { namespaced: false, ..resource };
    let of = |group: &str, plural: &str, kind: &str| {
        resource(group, plural, kind, vec![Version { status: true, ..version("v1") }])
    };
    registry(vec![
        of("", "pods", "Pod"),
        of("", "events", "Event"),
        cluster(of("", "namespaces", "Namespace")),
        cluster(of("", "nodes", "Node")),
        of("", "services", "Service"),
        of("apps", "deployments", "Deployment"),
        of("apps", "statefulsets", "StatefulSet"),
        of("batch", "cronjobs", "CronJob"),
        of("coordination.k8s.io", "leases", "Lease"),
        cluster(of("rbac.authorization.k8s.io", "clusterroles", "ClusterRole")),
        cluster(of("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition")),
    ])
}

fn printed(published: Value) -> Registry {
    let selectable = vec![".spec.color".to_owned()];
    let version = Version { published: Some(Arc::new(published)), selectable, ..custom("v1") };
    registry(vec![resource("output.example", "prints", "Print", vec![version])])
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(ToOwned::to_owned));
            fields.values().for_each(|field| references(field, found));
        }
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let all = [builtin(), printed(json!({"type": "object"}))];
    for (registry, group) in [
        (&all[0], ""),
        (&all[0], "apps"),
        (&all[0], "batch"),
        (&all[0], "coordination.k8s.io"),
        (&all[0], "rbac.authorization.k8s.io"),
        (&all[0], "apiextensions.k8s.io"),
        (&all[1], "output.example"),
    ] {
        let document = document(registry, group, "v1").unwrap();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 5, "{group}: {found:?}");
        for reference in found {
            let name = reference.strip_prefix(DEFINITIONS).unwrap();
            assert!(document["components"]["schemas"].get(name).is_some(), "{group}: {name}");
        }
    }
}

#[test]
fn every_field_of_a_built_in_kind_has_words() {
    let registry = builtin();
    // The real server, too, says nothing about most of what is in a custom resource definition.
    for group in ["", "apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io"] {
        let document = document(&registry, group, "v1").unwrap();
        for (name, definition) in document["components"]["schemas"].as_object().unwrap() {
            let properties = definition["properties"].as_object().into_iter().flatten();
            for (field, property) in properties {
                assert!(property["description"].is_string(), "{name} {field}");
            }
        }
    }
}

#[test]
fn a_field_that_refers_to_a_definition_does_so_beside_its_own_words() {
    let document = document(&builtin(), "apps", "v1").unwrap();
    let definition = "io.k8s.api.apps.v1.DeploymentSpec";
    let schemas = &document["components"]["schemas"];
    let strategy = &schemas[definition]["properties"]["strategy"];
    assert_eq!(
        strategy["allOf"],
        json!([{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}])
    );
    assert_eq!(strategy["x-kubernetes-patch-strategy"], "retainKeys");
    assert_eq!(strategy["description"], prose::field(definition, "strategy").unwrap());
    let items = &schemas["io.k8s.api.core.v1.Affinity"]["properties"]["podAffinity"];
    assert_eq!(items["allOf"][0]["$ref"], "#/components/schemas/io.k8s.api.core.v1.PodAffinity");
    assert_eq!(
        schemas["io.k8s.api.core.v1.PodTemplateSpec"]["description"],
        prose::definition("io.k8s.api.core.v1.PodTemplateSpec").unwrap()
    );
}

#[test]
fn allowed_values_stand_at_the_end_of_the_words() {
    let document = document(&builtin(), "", "v1").unwrap();
    let mode = &document["components"]["schemas"]["io.k8s.api.core.v1.AzureDiskVolumeSource"]["properties"]["cachingMode"];
    let words = mode["description"].as_str().unwrap();
    assert!(
        words.ends_with("\n\nPossible enum values:\n - `\"None\"`\n - `\"ReadOnly\"`\n - `\"ReadWrite\"`"),
        "{words}"
    );
}

/// What the real server published of a definition that has a bit of everything.
#[test]
fn a_custom_kind_is_published_as_the_real_server_does() {
    let registry = printed(json!({
        "type": "object",
        "description": "Print is printed.",
        "properties": {"spec": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {
                "deep": {"type": "object", "nullable": true, "properties": {
                    "e": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "One of two."},
                }},
                "ios": {"x-kubernetes-int-or-string": true, "nullable": false},
                "l": {
                    "type": "array",
                    "maxItems": 9,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                    "items": {
                        "type": "object",
                        "required": ["k"],
                        "properties": {"k": {"type": "string"}},
                        "x-kubernetes-validations": [{"rule": "self.k != \"\"", "message": "no"}],
                    },
                },
                "emb": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                },
                "any": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }},
    }));
    let document = document(&registry, "output.example", "v1").unwrap();
    let definition = &document["components"]["schemas"]["example.output.v1.Print"];
    assert_eq!(definition["description"], "Print is printed.");
    let kind = json!([{"group": "output.example", "kind": "Print", "version": "v1"}]);
    assert_eq!(definition["x-kubernetes-group-version-kind"], kind);
    let metadata = json!({
        "description": prose::field("io.k8s.api.core.v1.Pod", "metadata"),
        "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}],
    });
    assert_eq!(definition["properties"]["metadata"], metadata);
    assert_eq!(definition["x-kubernetes-selectable-fields"], json!([{"fieldPath": "spec.color"}]));
    let spec = &definition["properties"]["spec"]["properties"];
    let choice = json!({"description": "One of two.", "type": "string", "default": "a", "enum": ["a", "b"]});
    assert_eq!(spec["deep"], json!({"type": "object", "nullable": true, "properties": {"e": choice}}));
    let either =
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true});
    assert_eq!(spec["ios"], either);
    assert_eq!(spec["l"]["items"]["x-kubernetes-validations"][0]["message"], "no");
    assert_eq!(spec["l"]["x-kubernetes-list-map-keys"], json!(["k"]));
    assert_eq!(spec["emb"]["required"], json!(["kind", "apiVersion"]));
    assert_eq!(spec["emb"]["properties"]["metadata"], metadata);
    assert_eq!(spec["any"], json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}));
    assert_eq!(spec["m"], json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let list = &document["components"]["schemas"]["example.output.v1.PrintList"];
    assert_eq!(list["description"], "PrintList is a list of Print");
    assert_eq!(list["x-kubernetes-selectable-fields"], definition["x-kubernetes-selectable-fields"]);
    assert_eq!(
        list["properties"]["items"]["items"],
        json!({"$ref": "#/components/schemas/example.output.v1.Print"})
    );
}

/// `kubectl` looks for a patch of the kind, and for the parameter there.
#[test]
fn a_patch_says_which_kind_it_patches_and_what_it_understands() {
    let (builtin, custom) = (builtin(), printed(json!({"type": "object"})));
    for (registry, group, path, kind) in [
        (&builtin, "", "/api/v1/namespaces/{namespace}/pods/{name}", "Pod"),
        (&builtin, "", "/api/v1/namespaces/{name}", "Namespace"),
        (&builtin, "apps", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status", "Deployment"),
        (&custom, "output.example", "/apis/output.example/v1/namespaces/{namespace}/prints/{name}", "Print"),
        (
            &custom,
            "output.example",
            "/apis/output.example/v1/namespaces/{namespace}/prints/{name}/scale",
            "Print",
        ),
    ] {
        let document = document(registry, group, "v1").unwrap();
        let patch = &document["paths"][path]["patch"];
        let expected = json!({"group": group, "version": "v1", "kind": kind});
        assert_eq!(patch["x-kubernetes-group-version-kind"], expected, "{path}");
        let names: Vec<_> = patch["parameters"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"], "{path}");
    }
}

#[test]
fn the_hash_changes_with_the_schema_and_with_nothing_else() {
    let (one, same) = (printed(json!({"type": "object"})), printed(json!({"type": "object"})));
    let other = printed(json!({"type": "object", "description": "Other."}));
    let of = |registry: &Registry| hash(registry, "output.example", "v1").unwrap();
    assert_eq!(of(&one), of(&same));
    assert_ne!(of(&one), of(&other));
    assert_eq!(hash(&one, "output.example", "v2"), None);
    assert_eq!(document(&one, "output.example", "v2"), None);
}

#[test]
fn the_index_leads_to_every_document() {
    let mut registry = builtin();
    registry.insert(printed(json!({"type": "object"})).iter().next().unwrap().clone());
    let index = index(&registry);
    let names: Vec<_> = index["paths"].as_object().unwrap().keys().cloned().collect();
    assert!(
        names.contains(&"api/v1".to_owned()) && names.contains(&"apis/output.example/v1".to_owned()),
        "{names:?}"
    );
    let address = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    assert_eq!(address, format!("/openapi/v3/apis/apps/v1?hash={}", hash(&registry, "apps", "v1").unwrap()));
}
