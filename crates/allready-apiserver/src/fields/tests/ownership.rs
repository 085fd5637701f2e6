use serde_json::{Value, json};

use super::{Lab, by, gadget, object, owned_by, whole};

#[test]
fn what_is_applied_is_owned_and_what_is_created_is_owned_with_everything_above_it() {
    let lab = Lab::new();
    let parts = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"size": 1, "map": {"k": "v"}, "record": {}, "tags": []}});
    owned_by(
        &lab.applied(None, by("m"), &parts),
        &[("m Apply", &[".metadata.labels.a", ".spec.record", ".spec.size", ".spec.map.k"])],
    );
    owned_by(
        &lab.created(by("u"), &parts),
        &[(
            "u Update",
            &[
                ".spec",
                ".metadata.labels",
                ".metadata.labels.a",
                ".spec.map",
                ".spec.record",
                ".spec.size",
                ".spec.tags",
                ".spec.map.k",
            ],
        )],
    );
}

#[test]
fn applying_the_same_twice_changes_nothing() {
    let lab = Lab::new();
    let parts = json!({"spec": {"size": 1, "ports": [{"name": "a"}], "any": {"x": {"y": [1]}}}});
    let first = lab.applied(None, by("m"), &parts);
    assert_eq!(lab.applied(Some(&first), by("m").at(200), &parts), first);
}

#[test]
fn the_same_value_is_owned_together_and_a_new_owner_that_changes_nothing_has_no_time() {
    // Exchange 68 of the recorded ones.
    let lab = Lab::new();
    let live = lab.applied(None, by("m1"), &json!({"spec": {"size": 1}}));
    let live = lab.applied(Some(&live), by("m2"), &json!({"spec": {"size": 1}}));
    owned_by(&live, &[("m2 Apply", &[".spec.size"]), ("m1 Apply", &[".spec.size"])]);
    assert_eq!(live["metadata"]["managedFields"][0].get("time"), None);
}

#[test]
fn force_takes_a_field_from_its_owner() {
    let lab = Lab::new();
    let live = lab.applied(None, by("m1"), &json!({"spec": {"size": 1, "color": "red"}}));
    let live = lab.applied(Some(&live), by("m2").at(101).force(), &json!({"spec": {"size": 2}}));
    owned_by(&live, &[("m1 Apply", &[".spec.color"]), ("m2 Apply", &[".spec.size"])]);
}

#[test]
fn what_is_no_longer_applied_goes_unless_someone_else_owns_it() {
    let lab = Lab::new();
    let live = lab.applied(
        None,
        by("m1"),
        &json!({"spec": {"size": 1, "color": "red", "map": {"a": "1", "b": "2"}}}),
    );
    let live = lab.applied(Some(&live), by("m2"), &json!({"spec": {"color": "red", "map": {"b": "2"}}}));
    let live = lab.applied(Some(&live), by("m1"), &json!({"spec": {}}));
    assert_eq!(live["spec"], json!({"color": "red", "map": {"b": "2"}}));
    owned_by(&live, &[("m2 Apply", &[".spec.color", ".spec.map.b"]), ("m1 Apply", &[".spec"])]);
}

#[test]
fn what_nobody_owns_stays_when_its_item_stays() {
    let lab = Lab::new();
    let mut live = lab.applied(None, by("m1"), &json!({"spec": {"ports": [{"name": "a", "number": 1}]}}));
    live["spec"]["ports"][0]["protocol"] = "TCP".into();
    let live = lab.applied(Some(&live), by("m1"), &json!({"spec": {"ports": [{"name": "a"}]}}));
    assert_eq!(live["spec"]["ports"], json!([{"name": "a", "protocol": "TCP"}]));
}

#[test]
fn an_object_that_nothing_is_left_of_becomes_null() {
    // Exchange 85 of the recorded ones: the validation after it speaks of null.
    let lab = Lab::new();
    let live = lab.applied(None, by("m").status(), &json!({"status": {"conditions": [{"type": "A"}]}}));
    let live = lab.applied(Some(&live), by("m").status(), &json!({"status": {}}));
    assert_eq!(live["status"], Value::Null);
}

#[test]
fn metadata_that_nothing_is_left_of_becomes_null_too() {
    // Decoding into its type, which comes after, leaves it out.
    let lab = Lab::new();
    let live = lab.created(by("u"), &json!({"metadata": {"labels": {"a": "b"}}}));
    let live = lab.applied(Some(&live), by("m").force(), &json!({"metadata": {"labels": {"a": "c"}}}));
    owned_by(&live, &[("m Apply", &[".metadata.labels.a"]), ("u Update", &[".metadata.labels"])]);
    let live = lab.applied(Some(&live), by("m"), &json!({}));
    assert_eq!(live["metadata"].get("labels"), Some(&Value::Null));
}

#[test]
fn an_update_takes_what_it_changes_and_lets_go_what_it_removes() {
    let lab = Lab::new();
    let mut live =
        lab.applied(None, by("m"), &json!({"spec": {"size": 1, "color": "red", "tags": ["a", "b"]}}));
    live["metadata"]["uid"] = "u".into();
    let mut new = live.clone();
    new["spec"] = json!({"size": 2, "tags": ["b"], "flag": true});
    let live = lab.updated(Some(&live), by("u").at(101), new);
    owned_by(&live, &[("m Apply", &[".spec.tags[=\"b\"]"]), ("u Update", &[".spec.flag", ".spec.size"])]);
}

#[test]
fn an_update_that_changes_nothing_moves_no_time() {
    let lab = Lab::new();
    let live = lab.created(by("u"), &json!({"spec": {"size": 1}}));
    assert_eq!(lab.updated(Some(&live), by("v").at(200), live.clone()), live);
}

#[test]
fn the_status_endpoint_owns_status_alone_and_the_object_itself_all_else() {
    let lab = Lab::new();
    let parts = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"size": 77}, "status": {"replicas": 1}});
    let mut live = lab.applied(None, by("m"), &parts);
    owned_by(&live, &[("m Apply", &[".metadata.labels.a", ".spec.size"])]);
    live["status"] = json!({});
    let live = lab.applied(Some(&live), by("s").at(101).status(), &parts);
    owned_by(
        &live,
        &[("m Apply", &[".metadata.labels.a", ".spec.size"]), ("s Apply", &[".status.replicas"])],
    );
    assert_eq!(live["metadata"]["managedFields"][1]["subresource"], "status");
}

#[test]
fn one_applier_is_one_manager_in_all_versions_and_one_updater_is_one_a_version() {
    let lab = Lab::new();
    let live = lab.applied(None, by("m"), &json!({"spec": {"size": 1, "map": {"a": "1"}}}));
    let live = lab.applied(Some(&live), by("m").version("lab/v2"), &json!({"spec": {"size": 1}}));
    assert_eq!(live["metadata"]["managedFields"][0]["apiVersion"], "lab/v2");
    assert_eq!(live["spec"], json!({"size": 1}));
    let mut live = lab.created(by("u"), &json!({"spec": {"size": 1}}));
    live["apiVersion"] = "lab/v2".into();
    let mut new = live.clone();
    new["spec"]["color"] = "red".into();
    let live = lab.updated(Some(&live), by("u").version("lab/v2"), new);
    owned_by(&live, &[("u Update", &[".spec", ".spec.size"]), ("u Update", &[".spec.color"])]);
}

#[test]
fn what_has_become_atomic_is_owned_whole() {
    let mut lab = Lab::new();
    let live = lab.applied(None, by("m"), &json!({"spec": {"tags": ["a"], "map": {"k": "v"}}}));
    let mut openapi = gadget();
    openapi["properties"]["spec"]["properties"]["tags"]["x-kubernetes-list-type"] = "atomic".into();
    openapi["properties"]["spec"]["properties"]["map"]["x-kubernetes-map-type"] = "atomic".into();
    lab.versions = vec![("lab/v1", whole(&openapi))];
    let live = lab.applied(Some(&live), by("n"), &json!({"spec": {"size": 1}}));
    owned_by(&live, &[("m Apply", &[".spec.map", ".spec.tags"]), ("n Apply", &[".spec.size"])]);
}

#[test]
fn unknown_fields_are_owned_below_what_keeps_them_and_not_in_metadata() {
    let mut openapi = gadget();
    openapi["x-kubernetes-preserve-unknown-fields"] = true.into();
    let lab = Lab { versions: vec![("lab/v1", whole(&openapi))] };
    let live = lab.applied(None, by("m"), &json!({"spec": {"record": {"c": {"d": 1}}}, "more": {"x": 1}}));
    owned_by(&live, &[("m Apply", &[".more", ".more.x", ".spec.record.c", ".spec.record.c.d"])]);
    let refused = lab.apply(None, by("m"), &json!({"metadata": {"more": 1}})).unwrap_err();
    assert!(refused.message.ends_with(".metadata.more: field not declared in schema"), "{}", refused.message);
}

#[test]
fn the_metadata_of_an_embedded_object_is_owned_like_metadata() {
    let inner = json!({"apiVersion": "v1", "kind": "K", "metadata": {"labels": {"a": "b"}, "finalizers": ["x/y"]}, "spec": {"z": [1]}});
    let live = Lab::new().applied(None, by("m"), &json!({"spec": {"inner": inner}}));
    let fields = live["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:inner"].clone();
    assert_eq!(
        fields,
        json!({"f:apiVersion": {}, "f:kind": {}, "f:metadata": {"f:finalizers": {"v:\"x/y\"": {}}, "f:labels": {"f:a": {}}}, "f:spec": {".": {}, "f:z": {}}})
    );
}

#[test]
fn a_kind_of_two_schemas_is_judged_by_each() {
    let mut narrow = gadget();
    narrow["properties"]["spec"]["properties"].as_object_mut().unwrap().remove("color");
    let lab = Lab { versions: vec![("lab/v1", whole(&gadget())), ("lab/v2", whole(&narrow))] };
    let live = lab.applied(None, by("m").version("lab/v2"), &json!({"spec": {"size": 1}}));
    let refused = lab.apply(Some(&live), by("n"), &json!({"spec": {"color": "red"}})).unwrap_err();
    assert_eq!(refused.message, "failed to convert new object: .spec.color: field not declared in schema");
    let mut stored = live.clone();
    stored["metadata"]["uid"] = "u".into();
    let new = object(
        "lab/v1",
        &json!({"metadata": {"uid": "u", "managedFields": live["metadata"]["managedFields"]}, "spec": {"color": "red"}}),
    );
    owned_by(&lab.updated(Some(&stored), by("u"), new), &[]);
}
