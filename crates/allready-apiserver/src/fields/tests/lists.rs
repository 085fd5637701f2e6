use serde_json::{Value, json};

use super::{Lab, by, object, owned_by};

/// The spec after `config` is applied over `live` by a manager that owns nothing yet.
fn merged(live: &Value, config: &Value) -> Value {
    let lab = Lab::new();
    let live = lab.created(by("u"), &json!({"spec": live}));
    lab.applied(Some(&live), by("m").force(), &json!({"spec": config}))["spec"].clone()
}

#[test]
fn a_merged_set_has_shared_items_in_applied_order_and_keeps_the_others_between_them() {
    for (live, applied, expected) in [
        (json!(["a", "b"]), json!(["b", "c"]), json!(["a", "b", "c"])),
        (json!(["a", "b", "c"]), json!(["c", "a"]), json!(["b", "c", "a"])),
        (json!(["a", "b", "c", "d"]), json!(["d", "b"]), json!(["a", "c", "d", "b"])),
        (json!(["a", "b"]), json!([]), json!(["a", "b"])),
        (json!([]), json!(["b", "a"]), json!(["b", "a"])),
        (json!(["a"]), json!(["x", "a", "y"]), json!(["x", "a", "y"])),
        (json!(["p", "a", "q"]), json!(["x", "a", "y"]), json!(["p", "x", "a", "q", "y"])),
    ] {
        let spec = merged(&json!({"tags": live}), &json!({"tags": applied}));
        assert_eq!(spec["tags"], expected, "{live} and {applied}");
    }
}

#[test]
fn items_with_keys_are_merged_field_by_field() {
    let live =
        json!({"ports": [{"name": "a", "protocol": "TCP", "number": 1}, {"name": "b", "protocol": "TCP"}]});
    let config = json!({"ports": [{"name": "a", "options": {"x": "y"}}]});
    let ports = json!([{"name": "a", "protocol": "TCP", "number": 1, "options": {"x": "y"}}, {"name": "b", "protocol": "TCP"}]);
    assert_eq!(merged(&live, &config)["ports"], ports);
}

#[test]
fn a_key_that_is_left_out_has_its_default() {
    let applied = Lab::new().applied(None, by("m"), &json!({"spec": {"ports": [{"name": "a"}]}}));
    let keys = applied["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:ports"].clone();
    assert_eq!(keys, json!({"k:{\"name\":\"a\",\"protocol\":\"TCP\"}": {".": {}, "f:name": {}}}));
}

#[test]
fn a_list_without_a_type_and_an_atomic_map_are_replaced_whole() {
    let live = json!({"plain": [{"a": "1"}], "whole": ["a"], "wholeMap": {"a": "1"}});
    let config = json!({"plain": [{"a": "2"}], "whole": ["b"], "wholeMap": {"b": "2"}});
    assert_eq!(merged(&live, &config), config);
}

#[test]
fn null_gives_way_to_what_can_be_owned_in_parts() {
    for (live, applied, expected) in [
        (json!({"record": {"a": "1"}}), json!({"record": null}), json!({"record": {"a": "1"}})),
        (json!({"tags": ["a"]}), json!({"tags": null}), json!({"tags": ["a"]})),
        (json!({"any": {"k": {"x": 1}}}), json!({"any": {"k": null}}), json!({"any": {"k": {"x": 1}}})),
        (json!({"any": {"k": [1]}}), json!({"any": {"k": null}}), json!({"any": {"k": null}})),
        (json!({"wholeMap": {"a": "1"}}), json!({"wholeMap": null}), json!({"wholeMap": null})),
        (json!({"maybe": {}}), json!({"maybe": null}), json!({"maybe": null})),
        (json!({"size": 1}), json!({"size": null}), json!({"size": null})),
    ] {
        assert_eq!(merged(&live, &applied), expected, "{live} and {applied}");
    }
}

#[test]
fn a_value_of_unknown_type_may_change_its_form() {
    let lab = Lab::new();
    let live = lab.created(by("u"), &json!({"spec": {"any": {"k": {"x": 1}}}}));
    let live = lab.applied(Some(&live), by("m").force(), &json!({"spec": {"any": {"k": "text"}}}));
    assert_eq!(live["spec"]["any"], json!({"k": "text"}));
    owned_by(&live, &[("m Apply", &[".spec.any.k"]), ("u Update", &[".spec", ".spec.any"])]);
}

#[test]
fn what_is_in_a_stored_list_twice_is_owned_as_one_and_replaced_by_what_is_applied() {
    let lab = Lab::new();
    let live = lab.created(
        by("u"),
        &json!({"spec": {"ports": [
            {"name": "a", "protocol": "TCP", "number": 1}, {"name": "a", "protocol": "TCP", "number": 2},
        ]}}),
    );
    let item = ".spec.ports[name=\"a\",protocol=\"TCP\"]";
    owned_by(&live, &[("u Update", &[".spec", ".spec.ports", item])]);
    let live =
        lab.applied(Some(&live), by("m").force(), &json!({"spec": {"ports": [{"name": "a", "number": 3}]}}));
    assert_eq!(live["spec"]["ports"], json!([{"name": "a", "number": 3}]));
    let again = lab.updated(Some(&live), by("u"), object("lab/v1", &json!({"spec": live["spec"]})));
    assert_eq!(again["metadata"]["managedFields"], live["metadata"]["managedFields"]);
}

/// Empty lists count for nothing when it is looked for what is left of an applied map.
#[test]
fn an_applied_map_goes_when_all_that_others_put_into_it_is_an_empty_list() {
    let lab = Lab::new();
    for (added, expected) in [
        (json!({"size": 1, "tags": []}), Value::Null),
        (json!({"size": 1, "tags": ["a"]}), json!({"size": 1, "tags": ["a"]})),
        (json!({"size": 1, "color": "red", "tags": []}), json!({"size": 1, "color": "red", "tags": []})),
    ] {
        let mine = json!({"spec": {}});
        let mut live = lab.applied(None, by("m"), &mine);
        // As a default is: it is nobody's.
        live["spec"]["size"] = 1.into();
        let mut new = live.clone();
        new["spec"] = added.clone();
        let live = lab.updated(Some(&live), by("u"), new);
        let again = lab.applied(Some(&live), by("m"), &mine);
        assert_eq!(again["spec"], expected, "{added}");
    }
}
