//! The manifests of the chart without Helm, and what they are compared with: those that Go's templates made of it.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::Value;

use super::allready;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What is printed for these arguments.
fn printed(arguments: &[&str]) -> Vec<Value> {
    let said = allready(&[&["install"], arguments].concat(), "");
    let text = said.strip_prefix("exit 0\n--- stdout\n").unwrap_or_else(|| panic!("{said}"));
    objects(text.split("--- stderr\n").next().unwrap())
}

fn objects(text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

fn id(object: &Value) -> (String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    (text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

/// Everything but the Namespace, in an order that does not matter.
fn comparable(mut objects: Vec<Value>) -> Vec<Value> {
    objects.retain(|object| object["kind"] != "Namespace");
    objects.sort_by_key(id);
    objects
}

#[test]
fn the_manifests_of_the_repository_are_what_is_printed_for_their_values() {
    for (file, values, release, namespace) in [
        ("manifests/allready/install.yaml", "manifests/allready/values.yaml", "allready", "allready-system"),
        ("manifests/hub/install.yaml", "manifests/hub/values.yaml", "allready", "allready-system"),
        ("manifests/metallb/install.yaml", "manifests/metallb/values.yaml", "allready", "allready-system"),
        (
            "e2e/manifests/sharded.yaml",
            "e2e/manifests/sharded.values.yaml",
            "allready-e2e-sharded",
            "allready-e2e-system",
        ),
        (
            "e2e/manifests/singleton.yaml",
            "e2e/manifests/singleton.values.yaml",
            "allready-e2e-singleton",
            "allready-e2e-system",
        ),
    ] {
        let values = root().join(values);
        let made = printed(&["--values", values.to_str().unwrap(), "--release", release, "-n", namespace]);
        assert_eq!(id(&made[0]), ("Namespace".to_owned(), String::new(), namespace.to_owned()), "{file}");
        let expected = comparable(objects(&std::fs::read_to_string(root().join(file)).unwrap()));
        let made = comparable(made);
        assert_eq!(
            made.iter().map(id).collect::<Vec<_>>(),
            expected.iter().map(id).collect::<Vec<_>>(),
            "{file}"
        );
        for (made, expected) in made.iter().zip(&expected) {
            assert_eq!(made, expected, "{file}");
        }
    }
}

#[test]
fn the_crds_that_are_printed_are_those_of_this_version() {
    let made = printed(&["--set", "hub.enabled=true"]);
    for definition in allready_kube::kinds::definitions() {
        let name = definition.metadata.name.unwrap();
        let found = made.iter().find(|object| object["metadata"]["name"] == name.as_str());
        assert_eq!(found.unwrap()["spec"], serde_json::to_value(definition.spec).unwrap(), "{name}");
    }
}

#[test]
fn the_namespace_and_the_crds_come_first_and_the_namespace_only_if_it_is_wanted() {
    let kinds =
        |arguments: &[&str]| -> Vec<String> { printed(arguments).iter().map(|it| id(it).0).collect() };
    let all = kinds(&[]);
    assert_eq!(all[0], "Namespace");
    let first = |kind: &str| all.iter().position(|found| found == kind).unwrap();
    assert!(first("CustomResourceDefinition") < first("ServiceAccount"));
    assert!(first("ClusterRole") < first("ClusterRoleBinding") && first("RoleBinding") < first("Deployment"));
    let without = kinds(&["--no-namespace"]);
    assert_eq!(all[1..], without[..]);
}

#[test]
fn values_of_files_and_of_set_change_what_is_printed_in_this_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("values.yaml");
    std::fs::write(&file, "replicas: 3\nimage: { repository: registry.example/a, tag: '7' }\n").unwrap();
    let made = printed(&["-f", file.to_str().unwrap(), "--set", "replicas=4,image.tag=v8", "-n", "there"]);
    let deployment = made.iter().find(|object| object["kind"] == "Deployment").unwrap();
    assert_eq!(deployment["metadata"]["namespace"], "there");
    assert_eq!(deployment["spec"]["replicas"], 4);
    let image = &deployment["spec"]["template"]["spec"]["containers"][0]["image"];
    assert_eq!(image, "registry.example/a:v8");
}

#[test]
fn what_cannot_be_installed_is_refused_with_the_reason() {
    let refused = |arguments: &[&str]| allready(&[&["install"], arguments].concat(), "");
    // The chart itself refuses this, and its sentence is its own.
    let said = refused(&["--set", "leaderElection=false"]);
    assert!(
        said.starts_with("exit 65\n") && said.contains("templates/") && said.contains("leaderElection"),
        "{said}"
    );
    assert_snapshot!(refused(&["--set", "replicas"]));
    assert_snapshot!(refused(&["--release", "Not_a_name"]));
    assert_snapshot!(refused(&["-f", "/nowhere/values.yaml"]));
}

#[test]
fn a_file_of_comments_changes_nothing_and_one_of_a_list_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("values.yaml");
    std::fs::write(&file, "# Nothing but what the chart has.\n").unwrap();
    assert_eq!(printed(&["-f", file.to_str().unwrap()]), printed(&[]));
    std::fs::write(&file, "- replicas: 1\n").unwrap();
    let said = allready(&["install", "-f", file.to_str().unwrap()], "");
    assert!(
        said.starts_with("exit 65\n") && said.contains("values are a map, such as `replicas: 1`"),
        "{said}"
    );
}
