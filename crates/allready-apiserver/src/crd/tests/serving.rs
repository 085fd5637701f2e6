use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    crd::{accept, scale, serve},
    resource::{Endpoint, Registry, Resource},
};

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn version(name: &str, storage: bool) -> Value {
    json!({
        "name": name, "served": true, "storage": storage,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"replicas": {"type": "integer"}, "color": {"type": "string"}}},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }}},
        "subresources": {"status": {}},
        "selectableFields": [{"jsonPath": ".spec.color"}],
    })
}

fn crd(plural: &str, kind: &str, versions: &[Value]) -> Value {
    json!({
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {
                "plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List"),
                "shortNames": ["g"],
            },
            "versions": versions,
        },
    })
}

fn served(mut crd: Value) -> Resource {
    accept(&mut crd, &Registry::default(), now());
    serve(&crd, 0, &Arc::default()).unwrap()
}

#[test]
fn a_definition_that_is_not_established_serves_nothing() {
    assert!(serve(&crd("gears", "Gear", &[version("v1", true)]), 0, &Arc::default()).is_none());
}

#[test]
fn names_that_others_have_are_not_accepted() {
    let mut registry = Registry::default();
    registry.insert(Arc::new(served(crd("gears", "Gear", &[version("v1", true)]))));
    let mut late = crd("gadgets", "Gear", &[version("v1", true)]);
    assert!(accept(&mut late, &registry, now()));
    assert_eq!(late["status"]["acceptedNames"], json!({"plural": "gadgets", "kind": ""}));
    let facts: Vec<_> = late["status"]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| {
            ["type", "status", "reason", "message"].map(|name| condition[name].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(
        facts,
        [
            ["NamesAccepted", "False", "ListKindConflict", "\"GearList\" is already in use"]
                .map(str::to_owned),
            ["Established", "False", "NotAccepted", "not all names are accepted"].map(str::to_owned),
        ]
    );
    assert!(serve(&late, 0, &Arc::default()).is_none());
    registry.remove("example.com", "gears");
    assert!(accept(&mut late, &registry, now()));
    assert_eq!(serve(&late, 0, &Arc::default()).unwrap().short_names, ["g"]);
}

#[test]
fn the_preferred_version_comes_first_and_deprecated_ones_warn() {
    let mut old = version("v1alpha1", false);
    old["deprecated"] = json!(true);
    let mut older = version("v1alpha0", false);
    (older["deprecated"], older["deprecationWarning"]) = (json!(true), json!("go away"));
    let versions = [older, version("v1beta1", false), old, version("v2", true), version("other", false)];
    let resource = served(crd("gears", "Gear", &versions));
    let shown: Vec<_> = resource
        .versions
        .iter()
        .map(|version| (version.name.as_str(), version.deprecation.as_deref()))
        .collect();
    let use_v2 = "example.com/v1alpha1 Gear is deprecated; use example.com/v2 Gear";
    assert_eq!(
        shown,
        [
            ("v2", None),
            ("v1beta1", None),
            ("v1alpha1", Some(use_v2)),
            ("v1alpha0", Some("go away")),
            ("other", None),
        ]
    );
    assert_eq!(resource.storage_version, "example.com/v2");
}

#[test]
fn the_main_endpoint_keeps_the_status_and_the_status_endpoint_keeps_all_else() {
    let resource = served(crd("gears", "Gear", &[version("v1", true)]));
    let version = resource.version("v1").unwrap();
    let old = json!({"metadata": {"name": "a", "labels": {"x": "y"}, "resourceVersion": "1"}, "spec": {"replicas": 1},
                     "status": {"phase": "A"}});
    let change = json!({"metadata": {"name": "a", "managedFields": [1], "resourceVersion": "2"},
                        "spec": {"replicas": 2}, "status": {"phase": "B"}});
    let mut main = change.clone();
    resource.strategy.prepare_update(version, Endpoint::Main, &mut main, &old);
    assert_eq!((&main["spec"]["replicas"], &main["status"]["phase"]), (&json!(2), &json!("A")));
    assert_eq!(resource.strategy.moves_generation(&main, &old), Some(true));
    let mut status = change;
    resource.strategy.prepare_update(version, Endpoint::Status, &mut status, &old);
    assert_eq!(
        status,
        json!({
            "metadata": {"name": "a", "labels": {"x": "y"}, "managedFields": [1], "resourceVersion": "2"},
            "spec": {"replicas": 1}, "status": {"phase": "B"},
        })
    );
    assert_eq!(resource.strategy.moves_generation(&status, &old), Some(false));
    assert_eq!(resource.strategy.reset_fields(version, Endpoint::Main), [["status"]]);
    assert_eq!(resource.strategy.reset_fields(version, Endpoint::Status), [["metadata"], ["spec"]]);
}

#[test]
fn without_a_status_subresource_the_status_is_a_field_like_any_other() {
    let mut plain = version("v1", true);
    plain.as_object_mut().unwrap().remove("subresources");
    let resource = served(crd("gears", "Gear", &[plain]));
    let version = resource.version("v1").unwrap();
    let old = json!({"spec": {}, "status": {"phase": "A"}});
    let mut new = json!({"spec": {}, "status": {"phase": "B"}});
    resource.strategy.prepare_update(version, Endpoint::Main, &mut new, &old);
    assert_eq!(new["status"]["phase"], "B");
    assert_eq!(resource.strategy.moves_generation(&new, &old), Some(true));
    assert!(resource.strategy.reset_fields(version, Endpoint::Main).is_empty());
}

#[test]
fn selectable_fields_have_text_even_where_the_object_has_none() {
    let resource = served(crd("gears", "Gear", &[version("v1", true)]));
    let version = resource.version("v1").unwrap();
    let ask = |object: &Value, field: &str| resource.strategy.selectable(version, object, field);
    assert_eq!(ask(&json!({"spec": {"color": "red"}}), "spec.color").as_deref(), Some("red"));
    assert_eq!(ask(&json!({}), "spec.color").as_deref(), Some(""));
    assert_eq!(ask(&json!({}), "spec.size"), None);
}

#[test]
fn finalizers_without_a_domain_bring_a_warning() {
    let resource = served(crd("gears", "Gear", &[version("v1", true)]));
    let version = resource.version("v1").unwrap();
    let new = json!({"metadata": {"finalizers": ["mine", "a.example", "b.example/c", "orphan"]}});
    let old = json!({"metadata": {"finalizers": ["mine"]}});
    assert_eq!(
        resource.strategy.warnings(version, &new, Some(&old)),
        [
            "metadata.finalizers: \"a.example\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental \
         conflicts with other finalizer writers"
        ]
    );
}

#[test]
fn a_scale_reads_and_writes_through_its_paths() {
    let paths = crate::resource::Scale {
        spec_replicas: ".spec.deep.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: Some(".status.selector".into()),
    };
    let mut object = json!({"status": {"selector": "a=b"}});
    scale::write(&paths, &mut object, 3).unwrap();
    let read = scale::read(&paths, &object).unwrap();
    assert_eq!((read.spec_replicas, read.status_replicas, read.selector.as_str()), (Some(3), 0, "a=b"));
    let wrong = json!({"spec": {"deep": {"replicas": "x"}}});
    assert_eq!(
        scale::read(&paths, &wrong).unwrap_err(),
        ".spec.deep.replicas accessor error: x is of the type string, expected int64"
    );
    assert!(scale::write(&paths, &mut json!({"spec": 1}), 3).is_err());
}

#[test]
fn metadata_of_wrong_types_is_refused_when_it_is_decoded() {
    let mut holding = version("v1", true);
    holding["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["e"] = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let resource = served(crd("gears", "Gear", &[holding]));
    let version = resource.version("v1").unwrap();
    let told = |object: Value| resource.strategy.decode(version, &object).unwrap_err();
    let into = "into Go struct field";
    for (metadata, problem) in [
        (json!("x"), "json: cannot unmarshal string into Go value of type v1.ObjectMeta".to_owned()),
        (json!({"name": 5}), format!("json: cannot unmarshal number {into} ObjectMeta.name of type string")),
        (
            json!({"labels": {"a": 1}}),
            format!("json: cannot unmarshal number {into} ObjectMeta.labels of type string"),
        ),
        (
            json!({"labels": "x"}),
            format!("json: cannot unmarshal string {into} ObjectMeta.labels of type map[string]string"),
        ),
        (
            json!({"finalizers": [1]}),
            format!("json: cannot unmarshal number {into} ObjectMeta.finalizers of type string"),
        ),
        (
            json!({"generation": "x"}),
            format!("json: cannot unmarshal string {into} ObjectMeta.generation of type int64"),
        ),
        (
            json!({"ownerReferences": [{"name": 1}]}),
            format!(
                "json: cannot unmarshal number {into} OwnerReference.ownerReferences.name of type string"
            ),
        ),
        (
            json!({"creationTimestamp": "x"}),
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"".to_owned(),
        ),
    ] {
        assert_eq!(told(json!({"kind": "Gear", "metadata": metadata})), problem);
    }
    assert_eq!(
        told(
            json!({"apiVersion": "example.com/v1", "kind": "Gear", "spec": {"e": {"apiVersion": "v1", "kind": "K", "metadata": {"name": 5}}}})
        ),
        format!(
            "spec.e.metadata: Invalid value: {{\"name\":5}}: json: cannot \
             unmarshal number {into} ObjectMeta.name of type string"
        )
    );
    assert!(resource.strategy.decode(version, &json!({"metadata": {"labels": null}})).is_ok());
}

#[test]
fn what_names_an_established_definition_stays() {
    let mut old = crd("gears", "Gear", &[version("v1", true)]);
    accept(&mut old, &Registry::default(), now());
    old["status"]["storedVersions"] = json!(["v1"]);
    let strategy = crate::crd::definition().strategy;
    let kind = &crate::crd::definition().versions[0];
    let told = |path: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(path).unwrap() = value;
        strategy.prepare_update(kind, Endpoint::Main, &mut new, &old);
        let errors = strategy.validate(kind, Endpoint::Main, &new, Some(&old));
        (errors.iter().map(ToString::to_string).collect::<Vec<_>>(), strategy.moves_generation(&new, &old))
    };
    for (path, value, told_so) in [
        ("/spec/scope", json!("Cluster"), "spec.scope: Invalid value: \"Cluster\": field is immutable"),
        ("/spec/names/kind", json!("Other"), "spec.names.kind: Invalid value: \"Other\": field is immutable"),
        (
            "/spec/names/plural",
            json!("others"),
            "spec.names.plural: Invalid value: \"others\": field is immutable",
        ),
        (
            "/spec/group",
            json!("x.example.com"),
            "spec.group: Invalid value: \"x.example.com\": field is immutable",
        ),
    ] {
        assert_eq!(told(path, value).0, [told_so]);
    }
    assert_eq!(told("/spec/names/shortNames", json!(["mm"])), (vec![], Some(true)));
    assert_eq!(told("/metadata/name", json!("gears.example.com")), (vec![], Some(false)));
    let mut renamed = old.clone();
    renamed["spec"]["versions"][0]["name"] = json!("v9");
    strategy.prepare_update(kind, Endpoint::Main, &mut renamed, &old);
    let gone = strategy.validate(kind, Endpoint::Main, &renamed, Some(&old));
    assert!(
        gone[0]
            .to_string()
            .starts_with("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions;")
    );
}
