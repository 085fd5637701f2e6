use serde_json::{Value, json};

use super::{Lab, by, object, owned_by, owners};
use crate::fields::keep_times;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// A stored object that a client sends back with other managed fields.
fn sent(managed: Value) -> Value {
    let lab = Lab::new();
    let mut live = lab.applied(None, by("m"), &json!({"spec": {"size": 1}}));
    live["metadata"]["uid"] = "u".into();
    let mut new = live.clone();
    new["metadata"]["managedFields"] = managed;
    lab.updated(Some(&live), by("u"), new)
}

fn entry(manager: &str, version: &str, fields: &Value) -> Value {
    json!({"manager": manager, "operation": "Update", "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields})
}

#[test]
fn one_empty_entry_makes_the_server_forget_and_what_cannot_be_read_is_ignored() {
    owned_by(&sent(json!([{}])), &[]);
    for kept in [
        json!(null),
        json!([]),
        json!([{"manager": "x"}]),
        json!([{}, {}]),
        json!([entry("x", "lab/v1", &json!({"f:spec": 5}))]),
    ] {
        owned_by(&sent(kept), &[("m Apply", &[".spec.size"])]);
    }
}

#[test]
fn a_client_may_write_managed_fields_itself() {
    let fields = json!({"f:spec": {"z:q": {}, "f:size": {"f:a": null}}});
    owned_by(&sent(json!([entry("x", "lab/v1", &fields)])), &[("x Update", &[".spec.size.a"])]);
}

#[test]
fn an_entry_of_an_unknown_version_makes_a_custom_object_forget_all() {
    for version in ["lab/v9", "other/v1", "a/b/c"] {
        owned_by(&sent(json!([entry("x", version, &json!({"f:spec": {}}))])), &[]);
    }
}

#[test]
fn a_subresource_does_not_touch_the_managed_fields_of_a_client() {
    let lab = Lab::new();
    let mut live = lab.applied(None, by("m"), &json!({"spec": {"size": 1}}));
    live["metadata"]["uid"] = "u".into();
    let mut new = live.clone();
    new["metadata"]["managedFields"] = json!([{}]);
    new["status"] = json!({"replicas": 1});
    let live = lab.updated(Some(&live), by("u").status(), new);
    owned_by(&live, &[("m Apply", &[".spec.size"]), ("u Update", &[".status", ".status.replicas"])]);
}

#[test]
fn an_object_without_managers_gets_them_with_its_first_apply() {
    let lab = Lab::new();
    let live = object(
        "lab/v1",
        &json!({"metadata": {"uid": "u"}, "spec": {"size": 1, "map": {"a": "b"}}, "status": {"replicas": 1}}),
    );
    let mut new = live.clone();
    new["spec"]["size"] = 2.into();
    owned_by(&lab.updated(Some(&live), by("u"), new), &[]);
    let applied = lab.applied(Some(&live), by("m"), &json!({"spec": {"size": 1}}));
    owned_by(
        &applied,
        &[
            ("m Apply", &[".spec.size"]),
            ("before-first-apply Update", &[".spec", ".spec.map", ".spec.size", ".spec.map.a"]),
        ],
    );
    let applied = lab.applied(Some(&live), by("m").status(), &json!({"status": {"replicas": 1}}));
    owned_by(
        &applied,
        &[
            ("m Apply", &[".status.replicas"]),
            ("before-first-apply Update", &[".status", ".status.replicas"]),
        ],
    );
}

#[test]
fn the_oldest_of_more_than_ten_updaters_become_one() {
    let lab = Lab::new();
    let names = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11"];
    let mut live = lab.created(by("first"), &json!({"spec": {}}));
    for (second, name) in (101..).zip(names) {
        let mut new = live.clone();
        new["spec"]["map"][name] = "x".into();
        live = lab.updated(Some(&live), by(name).at(second), new);
    }
    let owners = owners(&live);
    assert_eq!(owners.len(), 10);
    let ancient: Vec<String> =
        [".spec", ".spec.map", ".spec.map.w0", ".spec.map.w1", ".spec.map.w2"].map(str::to_owned).into();
    assert_eq!(owners[0], ("ancient-changes Update".to_owned(), ancient));
    assert_eq!(live["metadata"]["managedFields"][0]["time"], "1970-01-01T00:01:43Z");
}

#[test]
fn appliers_come_first_then_the_older_then_the_name() {
    let lab = Lab::new();
    let mut live = lab.created(by("z"), &json!({"spec": {"size": 1}}));
    live = lab.applied(Some(&live), by("b").at(300), &json!({"spec": {"color": "red"}}));
    live = lab.applied(Some(&live), by("c").at(200), &json!({"spec": {"flag": true}}));
    live = lab.applied(Some(&live), by("a").at(300), &json!({"spec": {"when": "x"}}));
    let names: Vec<String> = owners(&live).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["c Apply", "a Apply", "b Apply", "z Update"]);
}

#[test]
fn kubectl_takes_over_what_it_applied_on_its_own_side_and_keeps_its_note_up_to_date() {
    let lab = Lab::new();
    let noted = object("lab/v1", &json!({"spec": {"size": 1, "color": "blue"}})).to_string();
    let parts =
        json!({"metadata": {"annotations": {ANNOTATION: noted}}, "spec": {"size": 1, "color": "blue"}});
    let live = lab.created(by("kubectl-client-side-apply"), &parts);
    let next = json!({"spec": {"size": 2, "color": "r<d"}});
    assert_eq!(lab.apply(Some(&live), by("other"), &next).unwrap_err().code, 409);
    let applied = lab.applied(Some(&live), by("kubectl"), &next);
    assert_eq!(
        applied["metadata"]["annotations"][ANNOTATION],
        "{\"apiVersion\":\"lab/v1\",\"kind\":\"Gadget\",\"metadata\":{\"name\":\"g\",\"namespace\":\"lab\"},\
         \"spec\":{\"color\":\"r\\u003cd\",\"size\":2}}\n"
    );
    // Someone changed one of them since: that one is a conflict again.
    let mut new = live.clone();
    new["spec"]["size"] = 5.into();
    let live = lab.updated(Some(&live), by("u"), new);
    let refused = lab.apply(Some(&live), by("kubectl"), &next).unwrap_err();
    assert_eq!(refused.message, "Apply failed with 1 conflict: conflict with \"u\" using lab/v1: .spec.size");
}

#[test]
fn only_times_are_put_back_where_only_times_differ() {
    let lab = Lab::new();
    let live = lab.applied(None, by("m"), &json!({"spec": {"size": 1}}));
    let mut later = live.clone();
    later["metadata"]["managedFields"][0]["time"] = "2026-01-01T00:00:00Z".into();
    let mut same = later.clone();
    keep_times(&live, &mut same);
    assert_eq!(same, live);
    later["spec"]["size"] = 2.into();
    let mut different = later.clone();
    keep_times(&live, &mut different);
    assert_eq!(different, later);
}
