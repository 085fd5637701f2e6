use std::{fs, path::Path};

use insta::assert_snapshot;
use serde_json::Value;

use super::allready;

/// A definition that breaks most rules there are for one.
const DEFINITION: &str = r"# A definition as many are.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              observedGeneration: {type: string}
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type: {type: string}
                    status: {type: string}
                    message: {type: string}
";

/// Objects with something of everything, and with what a terminal would obey.
const OBJECTS: &str = r#"apiVersion: example.com/v1
kind: Widget
metadata:
  name: web
  namespace: shop
  generation: 3
  creationTimestamp: "2026-03-01T09:00:00Z"
status:
  conditions:
  - type: Ready
    status: "True"
    reason: ""
    message: all is well
    lastTransitionTime: "2026-03-01T09:30:00Z"
    observedGeneration: 3
  - type: Synced
    status: True
    reason: Applied
    message: ""
    lastTransitionTime: "2026-03-01T09:30:00Z"
    observedGeneration: 4
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: "hostile\u001B[31m"
  namespace: shop
  generation: 1
  annotations:
    allready.dev/lint-ignore: "O03=an old client writes it, O01"
status:
  conditions:
  - type: Ready
    status: "\u001B[2J\u202E"
    reason: "a\u001B]0;x"
    message: "x"
    lastTransitionTime: "2026-03-01T09:30:00Z"
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
status:
  conditions:
  - {type: Ready, status: "True", lastProbeTime: null, lastTransitionTime: "2026-03-01T09:30:00Z"}
"#;

/// `allready lint --now … -f -` with further arguments.
fn lint(arguments: &[&str], stdin: &str) -> String {
    allready(&[&["lint", "--now", "2026-03-01T10:00:00Z", "-f", "-"], arguments].concat(), stdin)
}

/// The standard output of a command.
fn stdout(told: &str) -> &str {
    told.split_once("--- stdout\n").unwrap().1.split_once("--- stderr\n").unwrap().0
}

/// Runs in a file of its own, and takes the name of its directory out of what is told.
fn in_file(name: &str, text: &str, arguments: &[&str]) -> (String, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, text).unwrap();
    let fixed = ["lint", "--now", "2026-03-01T10:00:00Z", "-f", path.to_str().unwrap()];
    let told = allready(&[&fixed[..], arguments].concat(), "");
    let told = told.replace(directory.path().to_str().unwrap(), "DIR");
    (told, fs::read_to_string(&path).unwrap())
}

#[test]
fn the_help_of_lint() {
    assert_snapshot!(allready(&["lint", "--help"], ""));
}

#[test]
fn a_definition_is_told_with_lines_and_with_what_to_do() {
    assert_snapshot!(in_file("crd.yaml", DEFINITION, &[]).0);
}

#[test]
fn objects_are_told_the_worst_first_and_cannot_speak_to_the_terminal() {
    let told = in_file("objects.yaml", OBJECTS, &[]).0;
    assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}'));
    assert_snapshot!(told);
}

#[test]
fn json_is_for_programs() {
    let told = lint(&["-o", "json"], OBJECTS);
    let value: Value = serde_json::from_str(stdout(&told)).unwrap();
    assert_eq!(value["summary"]["objects"], 3);
    assert_snapshot!(told);
}

#[test]
fn a_test_report_has_a_case_for_every_finding() {
    assert_snapshot!(in_file("objects.yaml", OBJECTS, &["-o", "junit"]).0);
}

#[test]
fn annotations_of_a_workflow_have_files_and_lines() {
    assert_snapshot!(in_file("objects.yaml", OBJECTS, &["-o", "github", "--severity", "warning"]).0);
}

#[test]
fn sarif_has_every_rule_and_places_every_result() {
    let (told, _) = in_file("objects.yaml", OBJECTS, &["-o", "sarif"]);
    let sarif: Value = serde_json::from_str(stdout(&told)).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 41);
    for rule in rules {
        assert!(
            ["error", "warning", "note"].contains(&rule["defaultConfiguration"]["level"].as_str().unwrap())
        );
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty());
        assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 3);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0];
        assert!(
            location["physicalLocation"]["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
                .ends_with("objects.yaml")
        );
        let line = location["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
        assert!((1..=40).contains(&line), "{line}");
        assert!(!location["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap().is_empty());
    }
    let reason = results.iter().find(|result| result["ruleId"] == "O04").unwrap();
    let line = reason["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
    assert_eq!(OBJECTS.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().trim(), "reason: \"\"");
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert!(notifications[0]["message"]["text"].as_str().unwrap().contains("leaves out O01"));
}

#[test]
fn a_fixed_definition_is_clean_and_the_file_keeps_its_head() {
    let fixed = lint_fix(&[]);
    assert_snapshot!(fixed);
    let again = lint(&[], stdout(&fixed));
    assert!(again.contains("exit 0") && again.contains("no findings"), "{again}");

    let (told, after) = in_file("crd.yaml", DEFINITION, &["--fix", "--write"]);
    assert_eq!(stdout(&told), "DIR/crd.yaml: mended 11 findings\n");
    assert!(after.starts_with("# A definition as many are.\napiVersion: apiextensions.k8s.io/v1\n"));
    assert!(lint(&[], &after).contains("no findings"));
}

fn lint_fix(arguments: &[&str]) -> String {
    allready(&[&["lint", "--fix", "-f", "-"], arguments].concat(), DEFINITION)
}

#[test]
fn comments_are_not_lost_without_a_word() {
    let text = DEFINITION.replace("  scope:", "  # why it is in namespaces\n  scope:");
    let (told, after) = in_file("crd.yaml", &text, &["--fix", "--write"]);
    assert_eq!(after, text, "nothing is written");
    assert_snapshot!(told);
    let (told, after) = in_file("crd.yaml", &text, &["--fix", "--write", "--drop-comments"]);
    assert!(told.starts_with("exit 0") && !after.contains("why it is"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_fix_neither_follows_nor_replaces_a_link_and_leaves_what_is_beside_the_file() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let fix = |name: &str| allready(&["lint", "--fix", "--write", "-f", path(name).to_str().unwrap()], "");
    fs::write(path("crd.yaml"), DEFINITION).unwrap();
    symlink(path("crd.yaml"), path("link.yaml")).unwrap();
    let told = fix("link.yaml");
    assert!(told.starts_with("exit 74") && told.contains("it is a symbolic link"), "{told}");
    assert!(fs::symlink_metadata(path("link.yaml")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(path("crd.yaml")).unwrap(), DEFINITION);

    fs::write(path("crd.allready-lint.tmp"), "theirs").unwrap();
    fs::set_permissions(path("crd.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    let told = fix("crd.yaml");
    assert!(told.contains("mended 11 findings"), "{told}");
    assert_eq!(fs::read_to_string(path("crd.allready-lint.tmp")).unwrap(), "theirs");
    assert_eq!(fs::metadata(path("crd.yaml")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_fixed_definition_is_accepted_by_the_embedded_server() {
    let fixed = lint_fix(&[]);
    let definition: Value = serde_saphyr::from_str(stdout(&fixed)).unwrap();
    let server = allready_apiserver::ApiServer::builder().crds([definition]).build();
    assert!(server.is_ok(), "{:?}", server.err());
}

#[test]
fn our_own_definitions_lint_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crds = root.join("manifests/crds");
    let told = allready(&["lint", "--fail-on", "info", "-f", crds.to_str().unwrap()], "");
    assert_eq!(told, "exit 0\n--- stdout\n5 objects checked: no findings.\n--- stderr\n");
}

#[test]
fn the_definitions_that_tests_use_are_as_good_as_their_originals() {
    use allready_apiserver::catalog;
    let found = |definition: &Value| -> Vec<String> {
        allready_inspect::lint::definition(definition).iter().map(ToString::to_string).collect()
    };
    assert_eq!(found(&catalog::dns_endpoint()), [] as [&str; 0]);
    // The original shows no reason either.
    let gateway = found(&catalog::gateway());
    assert_eq!(gateway.len(), 1, "{gateway:?}");
    assert!(gateway[0].starts_with("info C05"));
}

#[test]
fn a_configuration_leaves_out_and_says_what_it_left_out_for_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lint.yaml");
    let config = "ignore:\n- {rules: [O04], kind: Widget, name: w*, reason: is rewritten}\n- {rules: [C01], group: example.org}\nseverities: {O07: info}\n";
    fs::write(&path, config).unwrap();
    assert_snapshot!(lint(&["--config", path.to_str().unwrap()], OBJECTS));
    for (text, expected) in [
        ("ignore: [{rules: [O99]}]", "there is no rule"),
        ("ignore: [{reason: everything}]", "it would leave out everything"),
        ("ignores: []", "unknown field"),
        ("thresholds: {window: soon}", "is not a duration"),
    ] {
        fs::write(&path, text).unwrap();
        let told = lint(&["--config", path.to_str().unwrap()], OBJECTS);
        assert!(told.starts_with("exit 65") && told.contains(expected), "{told}");
    }
}

#[test]
fn exit_codes_say_what_came_of_it() {
    let code = |arguments: &[&str], stdin: &str| lint(arguments, stdin).lines().next().unwrap().to_owned();
    let clean = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}";
    assert_eq!(code(&[], clean), "exit 0");
    assert_eq!(code(&[], OBJECTS), "exit 1");
    let mild = OBJECTS.replace("status: True\n", "status: \"True\"\n");
    let mild = mild
        .split("---")
        .next()
        .unwrap()
        .replace("reason: \"\"", "reason: lower")
        .replace("Generation: 4", "Generation: 3");
    assert_eq!(code(&[], &mild), "exit 0", "a warning is no error");
    assert_eq!(code(&["--fail-on", "warning"], &mild), "exit 1");
    assert_eq!(code(&[], &format!("{clean}\n{{\"kind\": nothing}}\n")), "exit 2");
    assert_eq!(code(&[], ""), "exit 65");
    assert_eq!(code(&["--fail-on", "grave"], clean), "exit 64");
    for arguments in [
        &["lint", "--fix", "pods"][..],
        &["lint", "--write", "-f", "x"],
        &["lint", "--explain", "O99"],
        &["lint", "--fix"],
    ] {
        assert!(allready(arguments, "").starts_with("exit 64"), "{arguments:?}");
    }
}

#[test]
fn rules_are_listed_and_explained() {
    assert_snapshot!("all_rules", allready(&["lint", "--rules"], ""));
    assert_snapshot!("one_rule", allready(&["lint", "--explain", "g05"], ""));
    let all: Value = serde_json::from_str(stdout(&allready(&["lint", "--rules", "-o", "json"], ""))).unwrap();
    assert_eq!(all["rules"].as_array().unwrap().len(), 41);
}

#[test]
fn ten_thousand_conditions_are_told_in_few_lines() {
    let broken = r#"{"type": "\u001b[31m", "status": 1, "reason": ""}"#;
    let many = vec![broken; 10_000].join(",");
    let object = format!(
        r#"{{"apiVersion": "a/v1", "kind": "A", "metadata": {{"name": "a"}}, "status": {{"conditions": [{many}]}}}}"#
    );
    let told = lint(&[], &object);
    assert!(told.lines().count() < 400, "{} lines", told.lines().count());
    assert!(told.contains("and 9980 more like this in the object"));
    assert!(!told.contains('\u{1b}'));
}

#[test]
fn routes_are_counted_over_files() {
    let condition = |type_: &str| {
        format!(
            r#"{{"type": "{type_}", "status": "True", "reason": "{type_}", "message": "", "lastTransitionTime": "2026-03-01T09:30:00Z", "observedGeneration": 1}}"#
        )
    };
    let (accepted, programmed, resolved) =
        (condition("Accepted"), condition("Programmed"), condition("ResolvedRefs"));
    let gateway = format!(
        r#"{{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {{"namespace": "shop", "name": "web", "generation": 1}},
        "spec": {{"listeners": [{{"name": "http", "protocol": "HTTP", "port": 80}}]}},
        "status": {{"conditions": [{accepted}, {programmed}], "listeners": [{{"name": "http", "attachedRoutes": 0, "supportedKinds": [{{"kind": "HTTPRoute"}}],
        "conditions": [{accepted}, {programmed}, {resolved}]}}]}}}}"#
    );
    let route = format!(
        r#"{{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {{"namespace": "shop", "name": "cart", "generation": 1}},
        "spec": {{"parentRefs": [{{"name": "web"}}]}},
        "status": {{"parents": [{{"parentRef": {{"name": "web"}}, "controllerName": "example.com/gateways", "conditions": [{accepted}, {resolved}]}}]}}}}"#
    );
    assert_snapshot!(lint(&[], &format!("{gateway}\n{route}\n")));
}

#[test]
fn what_cannot_be_read_at_all_is_unusable_input_and_the_rest_of_a_good_file_is_looked_at() {
    let said = lint(&[], "\"no object\"");
    assert!(said.starts_with("exit 65\n"), "{said}");
    assert!(said.ends_with("error: nothing in the files can be read\n"), "{said}");
    let pod = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}"#;
    let said = lint(&[], &format!("{pod}\n---\n\"no object\"\n"));
    assert!(said.starts_with("exit 2\n"), "{said}");
}
