//! Who wrote which condition, and how much room is left.

use insta::assert_snapshot;

use super::allready;

/// An object of a kube-apiserver 1.36, with managers that agree and managers that do not.
const GATE: &str = include_str!("../../../allready-inspect/src/writers/tests/gate.json");
const NOW: &str = "2026-11-15T16:40:00Z";

fn owners(arguments: &[&str], stdin: &str) -> String {
    allready(&[&["owners", "-f", "-", "--now", NOW], arguments].concat(), stdin)
}

#[test]
fn the_help_says_what_the_words_mean() {
    assert_snapshot!(allready(&["owners", "--help"], ""));
}

#[test]
fn writers_managers_and_limits_are_three_tables() {
    assert_snapshot!(owners(&[], GATE));
}

#[test]
fn wide_says_more() {
    assert_snapshot!(owners(&["-o", "wide"], GATE));
}

#[test]
fn programs_get_everything() {
    assert_snapshot!(owners(&["-o", "json"], GATE));
    assert_snapshot!(owners(&["-o", "yaml"], GATE));
}

#[test]
fn a_file_without_managed_fields_is_told_apart_from_an_object_that_nobody_wrote() {
    let object = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a\u001b[2Jb"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}}"#;
    assert_snapshot!(owners(&[], object));
}

#[test]
fn what_is_nearly_full_is_said_aloud() {
    let conditions: Vec<String> =
        (0..7).map(|number| format!(r#"{{"type": "T{number}", "status": "True"}}"#)).collect();
    let gateway = format!(
        r#"{{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": {{"name": "web", "namespace": "edge", "annotations": {{"note": "{}"}}}},
            "status": {{"conditions": [{}]}}}}"#,
        "x".repeat(140_000),
        conditions.join(","),
    );
    assert_snapshot!(owners(&[], &gateway));
}

#[test]
fn a_condition_from_a_schema_default_is_as_old_as_its_object() {
    let gateway = r#"{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"name": "web", "namespace": "edge", "creationTimestamp": "2026-03-01T10:00:00Z"},
        "status": {"conditions": [{"type": "Accepted", "status": "Unknown", "lastTransitionTime": "1970-01-01T00:00:00Z"}]}}"#;
    let said = owners(&["-o", "json"], gateway);
    assert!(said.contains(r#""since": "2026-03-01T10:00:00Z""#), "{said}");
}

#[test]
fn a_type_alone_is_no_object() {
    assert_snapshot!(allready(&["owners", "deploy"], ""));
    assert_snapshot!(allready(&["owners"], ""));
    assert_snapshot!(owners(&[], "[]"));
}

#[test]
fn thousands_of_conditions_are_cut_for_people_and_not_for_programs() {
    let conditions: Vec<String> =
        (0..2000).map(|number| format!(r#"{{"type": "T{number}", "status": "True"}}"#)).collect();
    let object = format!(r#"{{"kind": "Many", "status": {{"conditions": [{}]}}}}"#, conditions.join(","));
    let said = owners(&[], &object);
    assert!(said.contains("and 1940 more conditions: -o json has them all\n"), "{said}");
    assert!(said.lines().count() < 80, "{said}");
    assert_eq!(owners(&["-o", "json"], &object).matches("\"Unowned\"").count(), 2000);
}

#[test]
fn a_directory_is_all_the_objects_in_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let object = |name: &str| format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}"}}}}"#);
    std::fs::write(directory.path().join("a.json"), object("one")).unwrap();
    std::fs::write(directory.path().join("b.yaml"), object("two")).unwrap();
    std::fs::write(directory.path().join("notes.txt"), "not an object").unwrap();
    let path = directory.path().to_str().unwrap();
    let said = allready(&["owners", "-f", path], "");
    assert!(said.starts_with("exit 0\n--- stdout\nPod one: "), "{said}");
    assert!(said.contains("\nPod two: "), "{said}");
    let said = allready(&["explain", "pod/two", "-f", path], "");
    assert!(said.contains("Pod two"), "{said}");
}

#[test]
fn a_file_without_objects_is_named() {
    for (given, told) in [
        ("[]", "there is no object in it"),
        ("", "there is no object in it"),
        ("[1, 2]", "object 1 (at byte 0): this is no object but a number or a word"),
    ] {
        let said = allready(&["owners", "-f", "-"], given);
        assert_eq!(said, format!("exit 65\n--- stdout\n--- stderr\nerror: standard input: {told}\n"));
    }
}
