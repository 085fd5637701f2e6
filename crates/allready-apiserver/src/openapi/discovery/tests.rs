use std::sync::Arc;

use serde_json::{Value, json};

use super::{aggregated, apis, group, groups::versions, resources};
use crate::{
    resource::{Endpoint, Registry, Resource, Scale, Strategy, Version, ready},
    schema::Schema,
    status::FieldError,
};

struct Nothing;

impl Strategy for Nothing {
    fn moves_generation(&self, _: &Value, _: &Value) -> Option<bool> {
        None
    }

    fn validate(&self, _: &Version, _: Endpoint, _: &Value, _: Option<&Value>) -> Vec<FieldError> {
        Vec::new()
    }

    fn reset_fields(&self, _: &Version, _: Endpoint) -> Vec<Vec<&'static str>> {
        Vec::new()
    }
}

/// A version with nothing in it.
pub(crate) fn version(name: &str) -> Version {
    Version {
        name: name.into(),
        schema: ready(Arc::new(Schema::default())),
        status: false,
        scale: None,
        columns: Vec::new(),
        selectable: Vec::new(),
        deprecation: None,
        published: None,
    }
}

/// A namespaced resource with nothing special about it.
pub(crate) fn resource(group: &str, plural: &str, kind: &str, versions: Vec<Version>) -> Resource {
    let stored = versions.first().map(|version| version.name.clone()).unwrap_or_default();
    Resource {
        group: group.into(),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        kind: kind.into(),
        list_kind: format!("{kind}List"),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        versions,
        storage_version: if group.is_empty() { stored } else { format!("{group}/{stored}") },
        place: plural.into(),
        verbs: Vec::new(),
        strategy: Arc::new(Nothing),
    }
}

/// A custom version with a status and a scale.
pub(crate) fn custom(name: &str) -> Version {
    let scale = Scale {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: None,
    };
    let published = Some(Arc::new(json!({"type": "object"})));
    Version { status: true, scale: Some(scale), published, ..version(name) }
}

fn widgets(versions: Vec<Version>) -> Resource {
    Resource {
        short_names: vec!["wd".into()],
        categories: vec!["all".into()],
        ..resource("lab.allready.dev", "widgets", "Widget", versions)
    }
}

fn registry(resources: Vec<Resource>) -> Registry {
    let mut registry = Registry::default();
    for resource in resources {
        registry.insert(Arc::new(resource));
    }
    registry
}

#[test]
fn a_group_without_resources_is_not_there() {
    let mut registry = registry(vec![widgets(vec![custom("v1")])]);
    assert!(group(&registry, "lab.allready.dev").is_some());
    assert!(group(&registry, "").is_none());
    assert!(resources(&registry, "lab.allready.dev", "v2").is_none());
    registry.remove("lab.allready.dev", "widgets");
    assert!(group(&registry, "lab.allready.dev").is_none());
    assert!(resources(&registry, "lab.allready.dev", "v1").is_none());
    assert_eq!(apis(&registry)["groups"], json!([]));
}

#[test]
fn groups_come_by_their_rank_then_by_name() {
    let names = ["zoo.example", "coordination.k8s.io", "apps", "aaa.example", "batch"];
    let all = names.map(|name| resource(name, "things", "Thing", vec![version("v1")]));
    let answer = apis(&registry(all.into()));
    let order: Vec<_> = answer["groups"].as_array().unwrap().iter().map(|group| &group["name"]).collect();
    assert_eq!(order, ["apps", "batch", "coordination.k8s.io", "aaa.example", "zoo.example"]);
}

#[test]
fn versions_come_stable_first_and_newest_first() {
    let names = [
        "foo1",
        "v1alpha1",
        "v1",
        "v11beta2",
        "v10",
        "v2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "foo10",
        "v0",
    ];
    let registry = registry(vec![widgets(names.map(custom).into())]);
    let expected = [
        "v10",
        "v2",
        "v1",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v1alpha1",
        "foo1",
        "foo10",
        "v0",
    ];
    assert_eq!(versions(&registry, "lab.allready.dev"), expected);
}

/// Hashes seen on the real server.
#[test]
fn a_resource_says_how_it_is_stored() {
    let events = Resource {
        storage_version: "v1".into(),
        ..resource("events.k8s.io", "events", "Event", vec![version("v1")])
    };
    let review = Resource {
        verbs: vec!["create"],
        ..resource("authorization.k8s.io", "reviews", "Review", vec![version("v1")])
    };
    let registry = registry(vec![
        resource("", "pods", "Pod", vec![version("v1")]),
        resource("apps", "deployments", "Deployment", vec![version("v1")]),
        resource(
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            vec![version("v1")],
        ),
        events,
        review,
    ]);
    let hash =
        |group| resources(&registry, group, "v1").unwrap()["resources"][0]["storageVersionHash"].clone();
    assert_eq!(hash(""), "xPOwRZ+Yhw8=");
    assert_eq!(hash("apps"), "8aSe+NMegvE=");
    assert_eq!(hash("apiextensions.k8s.io"), "jfWCUB31mvA=");
    assert_eq!(hash("events.k8s.io"), "r2yiGXH7wu8=");
    assert_eq!(hash("authorization.k8s.io"), Value::Null);
}

#[test]
fn aggregated_discovery_has_subresources_inside_their_resource() {
    let pods = Resource {
        verbs: vec!["list", "get"],
        ..resource("", "pods", "Pod", vec![Version { status: true, ..version("v1") }])
    };
    let registry = registry(vec![pods, widgets(vec![custom("v1")])]);
    let core = aggregated(&registry, true);
    assert_eq!(core["items"][0]["metadata"], json!({}));
    let entry = &core["items"][0]["versions"][0]["resources"][0];
    assert_eq!(entry["responseKind"], json!({"group": "", "version": "", "kind": "Pod"}));
    assert_eq!(entry["verbs"], json!(["get", "list"]));
    let names: Vec<_> =
        entry["subresources"].as_array().unwrap().iter().map(|part| &part["subresource"]).collect();
    assert_eq!(names, ["binding", "eviction", "status"]);
    let expected = json!({"metadata": {"name": "lab.allready.dev"}, "versions": [{
        "version": "v1",
        "freshness": "Current",
        "resources": [{
            "resource": "widgets",
            "responseKind": {"group": "lab.allready.dev", "version": "v1", "kind": "Widget"},
            "scope": "Namespaced",
            "singularResource": "widget",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
            "shortNames": ["wd"],
            "categories": ["all"],
            "subresources": [
                {
                    "subresource": "status",
                    "responseKind": {"group": "lab.allready.dev", "version": "v1", "kind": "Widget"},
                    "verbs": ["get", "patch", "update"],
                },
                {
                    "subresource": "scale",
                    "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                    "verbs": ["get", "patch", "update"],
                },
            ],
        }],
    }]});
    assert_eq!(aggregated(&registry, false)["items"], json!([expected]));
}
