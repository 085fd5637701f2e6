//! Names and documents, without a server.

use serde_json::json;

use crate::resources::{Catalog, Resource, document};

fn resource(group: &str, version: &str, kind: &str, plural: &str, short: &[&str]) -> Resource {
    Resource {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        short_names: short.iter().map(|&short| short.into()).collect(),
        verbs: vec!["get".into(), "list".into()],
        is_namespaced: true,
        ..Resource::default()
    }
}

fn cluster() -> Catalog {
    let mut catalog = Catalog {
        resources: vec![
            resource("", "v1", "Pod", "pods", &["po"]),
            resource("", "v1", "Service", "services", &["svc"]),
            resource("", "v1", "Event", "events", &["ev"]),
            resource("apps", "v1", "Deployment", "deployments", &["deploy"]),
            resource("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", &["hpa"]),
            resource("events.k8s.io", "v1", "Event", "events", &["ev"]),
            resource("serving.knative.dev", "v1", "Service", "services", &["kservice", "ksvc"]),
            resource("example.com", "v1", "Svc", "svcs", &["po"]),
            resource("metrics.k8s.io", "v1beta1", "PodMetrics", "pods", &[]),
        ],
        others: vec![resource(
            "autoscaling",
            "v1",
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
            &["hpa"],
        )],
        problems: Vec::new(),
    };
    for at in [0, 3] {
        catalog.resources[at].categories = vec!["all".into()];
    }
    catalog
}

#[test]
fn names_mean_what_they_mean_to_kubectl() {
    let catalog = cluster();
    for (name, meant) in [
        ("pods", "pods/v1"),
        ("pod", "pods/v1"),
        ("po", "pods/v1"),
        ("Pod", "pods/v1"),
        ("PODS", "pods/v1"),
        ("pods.v1.", "pods/v1"),
        ("pods.metrics.k8s.io", "pods.metrics.k8s.io/v1beta1"),
        ("pods.metrics", "pods.metrics.k8s.io/v1beta1"),
        ("deploy", "deployments.apps/v1"),
        ("deployments.apps", "deployments.apps/v1"),
        ("deployment.v1.apps", "deployments.apps/v1"),
        ("Deployment.apps", "deployments.apps/v1"),
        ("deploy.ap", "deployments.apps/v1"),
        ("hpa", "horizontalpodautoscalers.autoscaling/v2"),
        ("hpa.autoscal", "horizontalpodautoscalers.autoscaling/v2"),
        ("hpa.v1.autoscaling", "horizontalpodautoscalers.autoscaling/v1"),
        ("services", "services/v1"),
        ("services.serving", "services.serving.knative.dev/v1"),
        ("ksvc", "services.serving.knative.dev/v1"),
        // A full name goes before the short name of a resource that comes first.
        ("svc", "svcs.example.com/v1"),
        ("events", "events/v1"),
        ("ev", "events/v1"),
        ("ev.events.k8s.io", "events.events.k8s.io/v1"),
    ] {
        let found = catalog.find(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(format!("{}/{}", found.full_name(), found.version), meant, "{name}");
    }
}

#[test]
fn a_name_that_means_nothing_comes_back_with_what_is_near() {
    let mut catalog = cluster();
    let told = |catalog: &Catalog, name: &str| catalog.find(name).unwrap_err().to_string();
    assert_eq!(
        told(&catalog, "podz"),
        r#"the server has no resource "podz"; did you mean pods or pods.metrics.k8s.io?"#
    );
    assert_eq!(
        told(&catalog, "deploymet.apps"),
        r#"the server has no resource "deploymet.apps"; did you mean deployments.apps?"#
    );
    assert_eq!(
        told(&catalog, "ksvcs"),
        r#"the server has no resource "ksvcs"; did you mean services.serving.knative.dev or svcs.example.com?"#
    );
    assert_eq!(
        told(&catalog, "hpa.v3.autoscaling"),
        r#"the server has no resource "hpa.v3.autoscaling"; did you mean horizontalpodautoscalers.autoscaling?"#
    );
    assert_eq!(
        told(&catalog, "gateways"),
        r#"the server has no resource "gateways"; `kubectl api-resources` lists what it has"#
    );
    assert_eq!(
        told(&catalog, ""),
        r#"the server has no resource ""; `kubectl api-resources` lists what it has"#
    );
    catalog.problems.push("gateway.networking.k8s.io/v1: down".into());
    assert!(
        told(&catalog, "gateways")
            .ends_with("(it may be in a group that could not be read: gateway.networking.k8s.io/v1: down)")
    );
}

#[test]
fn a_category_means_all_that_is_in_it() {
    let catalog = cluster();
    let names = |name: &str| {
        catalog.find_all(name).map(|found| found.into_iter().map(Resource::full_name).collect::<Vec<_>>())
    };
    assert_eq!(names("all").unwrap(), ["pods", "deployments.apps"]);
    assert_eq!(names("svc").unwrap(), ["svcs.example.com"]);
    assert_eq!(names("al").unwrap_err().name, "al");
}

#[test]
fn a_kind_is_found_in_its_own_group() {
    let catalog = cluster();
    let found = |api_version: &str, kind: &str| catalog.of_kind(api_version, kind).map(Resource::full_name);
    assert_eq!(found("v1", "Service").as_deref(), Some("services"));
    assert_eq!(found("serving.knative.dev/v1", "Service").as_deref(), Some("services.serving.knative.dev"));
    assert_eq!(
        found("serving.knative.dev/v1beta1", "Service").as_deref(),
        Some("services.serving.knative.dev")
    );
    assert_eq!(found("apps/v1", "Pod"), None);
}

#[test]
fn everything_has_each_object_once() {
    let mut catalog = cluster();
    catalog.resources.push(resource("", "v1", "ComponentStatus", "componentstatuses", &["cs"]));
    catalog
        .resources
        .push(Resource { verbs: vec!["create".into()], ..resource("", "v1", "Binding", "bindings", &[]) });
    let names: Vec<_> = catalog.listable().map(Resource::full_name).collect();
    assert_eq!(
        names,
        [
            "pods",
            "services",
            "events",
            "deployments.apps",
            "horizontalpodautoscalers.autoscaling",
            "services.serving.knative.dev",
            "svcs.example.com"
        ]
    );
    // Where the first name is not served, the second is all there is.
    catalog.resources.retain(|resource| resource.full_name() != "events");
    assert!(catalog.listable().any(|resource| resource.full_name() == "events.events.k8s.io"));
}

#[test]
fn an_aggregated_document_gives_the_preferred_version_and_tells_what_is_stale() {
    let widget = |kind: &str| {
        json!({
            "resource": "widgets", "responseKind": { "group": "", "version": "", "kind": kind }, "scope": "Namespaced",
            "singularResource": "", "verbs": ["get", "list"], "shortNames": ["wd"], "categories": ["all"],
            "subresources": [{ "subresource": "status", "responseKind": { "kind": kind } }],
        })
    };
    let gadget = json!({ "resource": "gadgets", "responseKind": { "kind": "Gadget" }, "scope": "Cluster" });
    let nameless = json!({ "resource": "questions", "verbs": ["create"] });
    let document = json!({
        "kind": "APIGroupDiscoveryList",
        "items": [
            { "metadata": { "name": "example.com" }, "versions": [
                { "version": "v1", "resources": [widget("Widget"), nameless] },
                { "version": "v1alpha1", "resources": [widget("Widget"), gadget] },
            ] },
            { "metadata": { "name": "metrics.k8s.io" }, "versions": [
                { "version": "v1beta1", "freshness": "Stale", "resources": [widget("Old")] },
            ] },
            { "metadata": null, "versions": "none" },
        ],
    });
    assert!(document::is_aggregated(&document));
    let catalog = document::catalog(document::aggregated(&document));
    let told: Vec<_> =
        catalog.resources.iter().map(|found| format!("{} {}", found.full_name(), found.version)).collect();
    assert_eq!(told, ["widgets.example.com v1", "gadgets.example.com v1alpha1"]);
    assert_eq!(catalog.others.len(), 1);
    let widget = &catalog.resources[0];
    assert_eq!((widget.singular.as_str(), widget.is_namespaced, widget.can("list")), ("widget", true, true));
    assert!(!catalog.resources[1].is_namespaced);
    assert_eq!(catalog.problems, ["metrics.k8s.io/v1beta1: the server that serves it does not answer"]);
}

#[test]
fn an_old_group_list_puts_the_preferred_version_first() {
    let document = json!({ "groups": [{
        "name": "example.com",
        "versions": [{ "version": "v2beta1" }, { "version": "v1" }, { "version": "v0" }],
        "preferredVersion": { "version": "v1" },
    }] });
    let expected = vec!["v1".to_owned(), "v2beta1".to_owned(), "v0".to_owned()];
    assert_eq!(document::group_versions(&document), [("example.com".to_owned(), expected)]);
}
