//! What is known of kinds, shown, checked and told to others.

use std::fs;

use insta::assert_snapshot;
use tempfile::TempDir;

use super::allready;

const OURS: &str = "\
entries:
- groups: [example.com]
  kinds: [Widget]
  conditions:
    Ready: summary
    Synced: {role: dependent, bad: Progressing, grace: 60}
    Burning: abnormal
    Cached: informational
  states:
    status.mood: {Cheerful: Healthy, Sulking: Degraded}
";

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: {allready.dev/conditions: 'Ready: Drawn, !Burning'}
spec: {group: example.com, names: {kind: Widget}}
";

/// Runs with a file, whose path is not the same every time.
fn with_file(text: &str, arguments: &[&str]) -> String {
    let directory: TempDir = tempfile::tempdir().unwrap();
    let file = directory.path().join("ours.yaml");
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let arguments: Vec<&str> =
        arguments.iter().map(|&word| if word == "FILE" { path } else { word }).collect();
    allready(&[&["registry"], &arguments[..]].concat(), "").replace(path, "FILE")
}

#[test]
fn the_help_says_what_it_knows_and_from_where() {
    assert_snapshot!(allready(&["registry", "--help"], ""));
    assert_snapshot!(allready(&["registry", "export", "--help"], ""));
}

#[test]
fn a_kind_is_shown_with_who_says_so() {
    assert_snapshot!("built_in", allready(&["registry", "show", "certificates.cert-manager.io"], ""));
    let show = ["show", "Widget.example.com"];
    assert_snapshot!("from_a_file", with_file(OURS, &[&show[..], &["--registry", "FILE"]].concat()));
    assert_snapshot!(
        "from_an_annotation",
        with_file(DEFINITION, &[&show[..], &["--definition", "FILE"]].concat())
    );
    assert_snapshot!("by_name", with_file(OURS, &["show", "Gadget.example.org", "Ready", "DiskPressure"]));
}

#[test]
fn what_is_shown_as_yaml_can_be_used_as_a_file() {
    let shown = with_file(OURS, &["show", "Widget.example.com", "--registry", "FILE", "-o", "yaml"]);
    let yaml = shown.strip_prefix("exit 0\n--- stdout\n").unwrap().strip_suffix("--- stderr\n").unwrap();
    let checked = with_file(yaml, &["check", "FILE"]);
    assert_eq!(
        checked,
        "exit 0\n--- stdout\nFILE is usable. Entries: 1; kinds by name: 1; condition types: 4; fields: 1.\n--- stderr\n"
    );
}

#[test]
fn a_file_that_is_wrong_is_refused_with_the_place() {
    assert_snapshot!(
        "unknown_field",
        with_file("- {group: example.com, kind: Widget, colour: red}", &["check", "FILE"])
    );
    assert_snapshot!("no_list", with_file("a: 1", &["check", "FILE"]));
    assert_snapshot!(
        "unknown_role",
        with_file("- {group: a, conditions: {Ready: boss}}", &["list", "--registry", "FILE"])
    );
}

#[test]
fn the_kinds_are_listed() {
    let listed = allready(&["registry", "list"], "");
    let certificate =
        listed.lines().find(|line| line.starts_with("cert-manager.io ") && line.contains(" Certificate "));
    assert!(certificate.is_some_and(|line| line.contains(" Ready ")), "{certificate:?}");
    assert!(listed.lines().count() > 100, "{listed}");
}

#[test]
fn others_are_told_in_their_languages() {
    for format in ["argocd-lua", "flux-cel", "kapp"] {
        let told = with_file(
            "- {group: example.com, kind: Widget, conditions: {Ready: summary, Burning: abnormal}}",
            &["export", "--format", format, "--registry", "FILE", "Widget.v1.example.com"],
        );
        // What is declared comes first; the rest is the same for every kind.
        let begun = told.lines().take(16).map(|line| line.chars().take(200).collect::<String>() + "\n");
        assert_snapshot!(format!("told_as_{format}"), begun.collect::<String>());
    }
    assert_snapshot!(
        "nothing_to_tell",
        allready(&["registry", "export", "--format", "kapp", "Deployment.apps"], "")
    );
    let all = allready(&["registry", "export", "--format", "argocd-lua", "--all", "-o", "json"], "");
    assert!(
        all.starts_with("exit 0\n")
            && all.contains("resource.customizations.health.cert-manager.io_Certificate")
    );
}
