use serde_json::{Value, json};

use super::{Lab, by};

/// The message of a refused apply, after the words that every one begins with.
fn refused(spec: &Value) -> String {
    let failure = Lab::new().apply(None, by("m"), &json!({"spec": spec})).unwrap_err();
    assert_eq!((failure.code, failure.reason, failure.details), (500, "", None));
    let start = "failed to create typed patch object (lab/g; lab/v1, Kind=Gadget): ";
    failure.message.strip_prefix(start).unwrap_or_else(|| panic!("{}", failure.message)).to_owned()
}

#[test]
fn a_value_of_the_wrong_type_is_refused_in_the_words_of_the_real_server() {
    for (spec, text) in [
        (json!({"color": 5}), ".spec.color: expected string, got &value.valueUnstructured{Value:5}"),
        (
            json!({"color": {"a": [1, "b", true, null, 1.5]}}),
            ".spec.color: expected string, got &value.valueUnstructured{Value:map[string]interface {}{\"a\":[]interface {}{1, \"b\", true, interface {}(nil), 1.5}}}",
        ),
        (json!({"flag": "x"}), ".spec.flag: expected boolean, got &{x}"),
        (json!({"flag": 1.5}), ".spec.flag: expected boolean, got &{1.5}"),
        (json!({"size": "x"}), ".spec.size: expected numeric (int or float), got string"),
        (json!({"tags": "x"}), ".spec.tags: expected list, got &{x}"),
        (json!({"record": [1]}), ".spec.record: expected map, got &{[1]}"),
        (json!({"when": {"a": 1}}), ".spec.when: expected any scalar, got &{map[a:1]}"),
        (json!({"map": {"a": 1}}), ".spec.map.a: expected string, got &value.valueUnstructured{Value:1}"),
        (json!({"plain": [{"z": 1}]}), ".spec.plain[0].z: field not declared in schema"),
        (json!({"unknown": 1}), ".spec.unknown: field not declared in schema"),
        (json!({"tags": ["a", "a"]}), ".spec.tags: duplicate entries for key [=\"a\"]"),
        (json!({"numbers": [1, 1.0]}), ".spec.numbers: duplicate entries for key [=1]"),
        (
            json!({"tags": [{"a": 1}]}),
            ".spec.tags: element 0: associative list without keys has an element that's a map type",
        ),
        (
            json!({"tags": [null]}),
            ".spec.tags: element 0: associative list without keys has an element that's an explicit null",
        ),
        (
            json!({"tags": [["a"]]}),
            ".spec.tags: element 0: not supported: associative list with lists as elements",
        ),
        (
            json!({"ports": ["x"]}),
            ".spec.ports: element 0: associative list with keys may not have non-map elements",
        ),
        (
            json!({"ports": [null]}),
            ".spec.ports: element 0: associative list with keys may not have a null element",
        ),
        (
            json!({"ports": [{"protocol": 5}]}),
            ".spec.ports[protocol=5].protocol: expected string, got &value.valueUnstructured{Value:5}",
        ),
        (
            json!({"ports": [{"name": "a", "x": 1}, {"name": "a", "y": 2}]}),
            "errors:\n  .spec.ports[name=\"a\",protocol=\"TCP\"].x: field not declared in schema\n  .spec.ports: duplicate entries for key [name=\"a\",protocol=\"TCP\"]\n  .spec.ports[name=\"a\",protocol=\"TCP\"].y: field not declared in schema",
        ),
    ] {
        assert_eq!(refused(&spec), text);
    }
}

#[test]
fn what_validation_judges_is_not_refused_here() {
    for spec in [
        json!({"portion": {"a": 1}}),
        json!({"portion": [1]}),
        json!({"when": 5}),
        json!({"size": null}),
        json!({"size": 1.5}),
    ] {
        assert!(Lab::new().apply(None, by("m"), &json!({"spec": spec})).is_ok(), "{spec}");
    }
}

#[test]
fn a_configuration_may_not_bring_managed_fields() {
    let failure = Lab::new().apply(None, by("m"), &json!({"metadata": {"managedFields": []}})).unwrap_err();
    assert_eq!((failure.code, failure.message.as_str()), (400, "metadata.managedFields must be nil"));
    assert!(Lab::new().apply(None, by("m"), &json!({"metadata": {"managedFields": null}})).is_ok());
}

#[test]
fn conflicts_name_every_manager_and_field() {
    let lab = Lab::new();
    let live = lab.created(by("u"), &json!({"spec": {"size": 1}}));
    let live = lab.applied(
        Some(&live),
        by("m"),
        &json!({"spec": {"color": "red", "ports": [{"name": "a", "number": 1}]}}),
    );
    let live = lab.applied(Some(&live), by("s").status(), &json!({"status": {"replicas": 1}}));
    let parts = json!({"spec": {"size": 2, "color": "blue", "ports": [{"name": "a", "number": 2}]}});
    let failure = lab.apply(Some(&live), by("n"), &parts).unwrap_err();
    assert_eq!((failure.code, failure.reason), (409, "Conflict"));
    assert_eq!(
        failure.message,
        "Apply failed with 3 conflicts: conflicts with \"m\":\n- .spec.color\n- .spec.ports[name=\"a\",protocol=\"TCP\"].number\n\
         conflicts with \"u\" using lab/v1:\n- .spec.size"
    );
    let causes = failure.details.unwrap().causes;
    assert_eq!(causes.len(), 3);
    assert_eq!(
        (causes[2].reason.as_str(), causes[2].message.as_str(), causes[2].field.as_str()),
        ("FieldManagerConflict", "conflict with \"u\" using lab/v1", ".spec.size")
    );
    let failure = lab.apply(Some(&live), by("n").status(), &json!({"status": {"replicas": 2}})).unwrap_err();
    assert_eq!(
        failure.message,
        "Apply failed with 1 conflict: conflict with \"s\" with subresource \"status\": .status.replicas"
    );
}

#[test]
fn a_configuration_of_any_depth_is_judged_without_harm() {
    let mut deep = json!(1);
    for _ in 0..400 {
        deep = Value::Object([("k".to_owned(), deep)].into_iter().collect());
    }
    let failure = Lab::new().apply(None, by("m"), &json!({"spec": {"any": deep}})).unwrap_err();
    assert!(failure.message.ends_with(": exceeded max depth"), "{}", failure.message);
}
