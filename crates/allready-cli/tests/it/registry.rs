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

const CRDS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1beta1, served: true, storage: false}
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    schema:
      openAPIV3Schema:
        properties:
          status:
            properties:
              phase: {type: string, enum: [Ready, Failed, Zen]}
              conditions: {type: array, description: 'Known types are `Ready` and `DiskPressure`; `True` is a status.'}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec: {group: example.com, names: {kind: Gadget, plural: gadgets}, versions: [{name: v1}]}
"#;

/// The standard output of a run that succeeded.
fn printed(answer: &str) -> &str {
    let after = answer.strip_prefix("exit 0\n--- stdout\n").unwrap_or_else(|| panic!("{answer}"));
    after.split("--- stderr\n").next().unwrap()
}

#[test]
fn a_skeleton_proposes_what_the_definition_gives_away_and_is_refused_until_it_is_filled_in() {
    let answer = with_file(CRDS, &["new", "Widget", "--from", "FILE"]);
    assert!(answer.contains("Widget has the versions v1beta1, v1; v1 is read"), "{answer}");
    let skeleton: serde_json::Value = serde_json::from_str(printed(&answer)).unwrap();
    let entry = &skeleton["entries"][0];
    assert_eq!(entry["conditions"], serde_json::json!({"DiskPressure": "abnormal", "Ready": "summary"}));
    assert_eq!(entry["requires"], serde_json::json!(["Ready"]));
    assert_eq!(entry["states"]["status.phase"]["Failed"], "Degraded");
    assert!(entry["states"]["status.phase"]["Zen"].as_str().unwrap().starts_with("FILL IN"));
    let refused = with_file(printed(&answer), &["check", "FILE"]);
    assert!(refused.starts_with("exit 65\n") && refused.contains("is still to be filled in"), "{refused}");
    let filled = printed(&answer)
        .replace("FILL IN: Healthy, Progressing, Degraded, Suspended, Missing, Unknown or ignore", "Healthy");
    let filled = filled.replace("FILL IN: ", "");
    assert!(with_file(&filled, &["check", "FILE"]).starts_with("exit 0\n"));
    let nothing = with_file(CRDS, &["new", "gadgets.example.com", "--from", "FILE"]);
    let refused = with_file(&printed(&nothing).replace(": \"FILL IN: the", ": \"the"), &["check", "FILE"]);
    assert!(refused.starts_with("exit 65\n"), "nothing is known of its conditions: {refused}");
}

#[test]
fn a_skeleton_has_examples_that_say_nothing_until_somebody_does() {
    let answer = with_file(CRDS, &["new", "Widget.v1.example.com", "--from", "FILE", "--tests"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(printed(&answer)).unwrap();
    assert_eq!(rows.len(), 7, "two statuses of two types, three words");
    assert!(
        rows.iter().all(|row| row[0].as_str().unwrap().starts_with("FILL IN") && row[1] == "example.com/v1")
    );
}

#[test]
fn a_skeleton_of_what_is_not_there_is_refused_with_what_is() {
    for (file, kind, expected) in [
        (
            CRDS,
            "Sprocket",
            "no kind is called Sprocket in it; it defines Widget.example.com, Gadget.example.com",
        ),
        (CRDS, "Widget.v2.example.com", "Widget.example.com has no version v2; it has v1beta1, v1"),
        ("{apiVersion: v1, kind: Pod}", "Pod", "there is no CustomResourceDefinition in it, but Pod"),
    ] {
        let answer = with_file(file, &["new", kind, "--from", "FILE"]);
        assert!(answer.starts_with("exit 65\n") && answer.contains(expected), "{answer}");
    }
    let twice = format!("{CRDS}---{}", CRDS.replace("example.com", "example.org"));
    let answer = with_file(&twice, &["new", "Widget", "--from", "FILE"]);
    assert!(
        answer.contains("several kinds are called Widget: Widget.example.com, Widget.example.org"),
        "{answer}"
    );
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/registry.json");
    let published: serde_json::Value = serde_json::from_str(&fs::read_to_string(page).unwrap()).unwrap();
    let schema = allready(&["registry", "schema"], "");
    let printed: serde_json::Value = serde_json::from_str(printed(&schema)).unwrap();
    assert_eq!(published, printed, "allready registry schema > docs/schemas/registry.json");
}
