//! What conditions mean is the same for every command, whoever says it: what is built in, a definition, or a file.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{allready, config::Cluster};

const NOW: &str = "2026-11-15T13:00:00Z";

/// The definition of widgets, with what it declares.
fn definition(annotation: &str) -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com", "annotations": { "allready.dev/conditions": annotation } },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

/// The same, as a server that serves it has it.
fn established(annotation: &str) -> Value {
    let mut definition = definition(annotation);
    definition["status"] = json!({ "conditions": [
        { "type": "NamesAccepted", "status": "True" }, { "type": "Established", "status": "True" },
    ] });
    definition
}

fn widget(name: &str, conditions: &[(&str, &str)]) -> Value {
    let conditions = conditions.iter().map(|(type_, status)| {
        json!({ "type": type_, "status": status, "reason": "Said", "message": "it sparkles",
            "lastTransitionTime": "2026-11-15T12:30:00Z" })
    });
    json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name, "namespace": "default" },
        "status": { "conditions": conditions.collect::<Vec<_>>() } })
}

fn shiny() -> Value {
    widget("a", &[("Ready", "True"), ("Shiny", "True")])
}

/// Files, and what becomes of them.
struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &[Value])]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, objects) in files {
            let text: Vec<String> = objects.iter().map(ToString::to_string).collect();
            std::fs::write(directory.path().join(name), text.join("\n---\n")).unwrap();
        }
        Self(directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, command: &str, files: &[&str], arguments: &[&str]) -> String {
        let paths: Vec<String> =
            files.iter().map(|name| self.path(name).to_str().unwrap().to_owned()).collect();
        let named = paths.iter().flat_map(|path| ["-f", path.as_str()]);
        let all: Vec<&str> =
            [command, "--now", NOW].into_iter().chain(named).chain(arguments.iter().copied()).collect();
        allready(&all, "").replace(self.0.path().to_str().unwrap(), "DIRECTORY")
    }
}

/// A cluster with widgets that are declared so, and these of them.
fn cluster(annotation: &str, widgets: &[Value]) -> Cluster {
    let cluster = Cluster::start();
    cluster.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition(annotation));
    let path = "/apis/example.com/v1/namespaces/default/widgets";
    cluster.until(path, "WidgetList");
    for widget in widgets {
        cluster.send("POST", path, widget);
    }
    cluster
}

fn health_of_check(said: &str, name: &str) -> String {
    let line = said
        .lines()
        .find(|line| line.contains(&format!("\"name\":\"{name}\"")))
        .unwrap_or_else(|| panic!("{said}"));
    let line: Value = serde_json::from_str(line).unwrap();
    line["health"].as_str().unwrap().to_owned()
}

fn health_of_explain(said: &str) -> String {
    let json = said.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    let json: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {said}"));
    json["health"].as_str().unwrap().to_owned()
}

/// Types and statuses.
type Conditions = &'static [(&'static str, &'static str)];

/// Declarations, conditions, and what a widget with them comes to.
const TABLE: [(&str, Conditions, &str); 8] = [
    ("Ready: Synced", &[("Ready", "True")], "Healthy"),
    ("Ready: !Shiny", &[("Ready", "True"), ("Shiny", "True")], "Degraded"),
    ("Ready: !Shiny", &[("Ready", "True"), ("Shiny", "False")], "Healthy"),
    ("Purring: (Degraded)", &[("Purring", "True"), ("Degraded", "True")], "Healthy"),
    ("Purring: Fed", &[("Fed", "True")], "Progressing"),
    (
        r#"{"conditions": {"Ready": {"role": "summary", "bad": "Progressing"}}}"#,
        &[("Ready", "False")],
        "Progressing",
    ),
    ("Ready: [", &[("Ready", "True")], "Unknown"),
    (r#"{"conditions": {"Ready": "best"}}"#, &[("Ready", "False")], "Degraded"),
];

#[test]
fn check_and_explain_agree_on_every_declaration_from_files() {
    for (annotation, conditions, expected) in TABLE {
        let files = Files::new(&[("all.json", &[widget("a", conditions), definition(annotation)])]);
        let checked = files.run("check", &["all.json"], &["-o", "jsonl"]);
        assert_eq!(health_of_check(&checked, "a"), expected, "{annotation}: {checked}");
        let explained = files.run("explain", &["all.json"], &["widget/a", "-o", "json"]);
        assert_eq!(health_of_explain(&explained), expected, "{annotation}: {explained}");
    }
}

#[test]
fn check_explain_and_wait_agree_on_every_declaration_in_a_cluster() {
    let cluster = cluster("Ready: Synced", &[]);
    for (number, (annotation, conditions, expected)) in TABLE.into_iter().enumerate() {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
        cluster.send(
            "PATCH",
            path,
            &json!({ "metadata": { "annotations": { "allready.dev/conditions": annotation } } }),
        );
        let name = format!("w{number}");
        cluster.send("POST", "/apis/example.com/v1/namespaces/default/widgets", &widget(&name, conditions));
        let object = format!("widget/{name}");
        let checked = cluster.run(&["check", &object, "-o", "jsonl"]);
        assert_eq!(health_of_check(&checked, &name), expected, "{annotation}: {checked}");
        let explained = cluster.run(&["explain", &object, "-o", "json"]);
        assert_eq!(health_of_explain(&explained), expected, "{annotation}: {explained}");
        let waited = cluster.run(&["wait", &object, "--timeout", "0", "--grace", "0"]);
        let code = match expected {
            "Healthy" => "exit 0\n",
            "Degraded" => "exit 1\n",
            _ => "exit 2\n",
        };
        assert!(waited.starts_with(code) && waited.contains(expected), "{annotation}: {waited}");
        let is_broken = annotation.ends_with('[') || annotation.contains("best");
        for said in [checked, explained, waited] {
            let told = "warning: annotation allready.dev/conditions of widgets.example.com: ";
            assert_eq!(said.contains(told), is_broken, "{annotation}: {said}");
        }
    }
}

#[test]
fn lint_knows_what_a_definition_declares() {
    let undeclared = "whether Shiny is good while True is neither declared nor shown by its name";
    let files = Files::new(&[("a.json", &[shiny()]), ("crd.json", &[definition("Ready: !Shiny")])]);
    let alone = files.run("lint", &["a.json"], &["--fail-on", "info"]);
    assert!(alone.contains(undeclared), "{alone}");
    let together = files.run("lint", &["a.json", "crd.json"], &[]);
    assert!(
        !together.contains(undeclared) && together.contains("Ready is True while Shiny is True"),
        "{together}"
    );
    let streamed = |objects: &[Value]| {
        let text: Vec<String> = objects.iter().map(ToString::to_string).collect();
        allready(&["lint", "--now", NOW, "-f", "-"], &text.join("\n"))
    };
    let first = streamed(&[definition("Ready: !Shiny"), shiny()]);
    assert!(!first.contains(undeclared), "{first}");
    let late = streamed(&[shiny(), definition("Ready: !Shiny")]);
    assert!(late.starts_with("exit 2\n") && late.contains(undeclared), "{late}");
    assert!(late.contains("the CRD of Widget.example.com comes after objects of that kind"), "{late}");
    let cluster = cluster("Ready: !Shiny", &[shiny()]);
    let said = cluster.run(&["lint", "widgets"]);
    assert!(!said.contains(undeclared), "{said}");
}

#[test]
fn a_file_of_the_administrator_goes_before_a_definition_in_every_command() {
    let declared = json!({ "entries": [{ "group": "example.com", "kind": "Widget", "conditions": { "Shiny": "informational" } }] });
    let files =
        Files::new(&[("all.json", &[shiny(), definition("Ready: !Shiny")]), ("ours.json", &[declared])]);
    let ours = files.path("ours.json");
    let ours = ["--registry", ours.to_str().unwrap()];
    let checked = files.run("check", &["all.json"], &[&["-o", "jsonl"], &ours[..]].concat());
    assert_eq!(health_of_check(&checked, "a"), "Healthy", "{checked}");
    let explained = files.run("explain", &["all.json"], &[&["widget/a", "-o", "json"], &ours[..]].concat());
    assert_eq!(health_of_explain(&explained), "Healthy", "{explained}");
    let cluster = cluster("Ready: !Shiny", &[shiny()]);
    for command in
        [&["check", "widget/a"][..], &["explain", "widget/a"], &["wait", "widget/a", "--timeout", "0"]]
    {
        let said = cluster.run(&[command, &ours].concat());
        assert!(said.starts_with("exit 0\n"), "{command:?}: {said}");
        let said = cluster.run(command);
        assert!(!said.starts_with("exit 0\n"), "{command:?}: {said}");
    }
}

#[test]
fn a_definition_in_a_stream_counts_from_where_it_stands_and_is_missed_aloud() {
    let check = |text: &str| allready(&["check", "--now", NOW, "-f", "-", "-o", "jsonl"], text);
    // What is read at once is judged at once.
    let near = check(&format!("{}\n{}", shiny(), definition("Ready: !Shiny")));
    assert_eq!(health_of_check(&near, "a"), "Degraded", "{near}");
    let mut filler = widget("filler", &[("Ready", "True")]);
    filler["kind"] = json!("Filler");
    filler["spec"] = json!({ "text": "x".repeat(600_000) });
    let far = check(&format!(
        "{}\n{filler}\n{}\n{}",
        shiny(),
        definition("Ready: !Shiny"),
        widget("b", &[("Shiny", "True")])
    ));
    assert_eq!(health_of_check(&far, "a"), "Healthy", "{}", far.len());
    assert_eq!(health_of_check(&far, "b"), "Degraded", "{}", far.len());
    let told = "warning: the CRD of Widget.example.com comes after objects of that kind, which were checked without \
                its declarations: put it before them, or pass a file in place of standard input\n";
    assert!(far.ends_with(told), "{far}");
    let late = check(&format!("{}\n{filler}\n{}", shiny(), established("Ready: !Shiny")));
    assert_eq!(health_of_check(&late, "a"), "Healthy");
    assert!(late.starts_with("exit 2\n"), "what was judged without its definition is not all good: {late}");
    let first = check(&format!("{}\n{filler}\n{}", definition("Ready: !Shiny"), shiny()));
    assert_eq!(health_of_check(&first, "a"), "Degraded");
    assert!(first.ends_with("--- stderr\n"), "{first}");
    // A pipe by another name can be read only once, too.
    let pipe = allready(
        &["check", "--now", NOW, "-f", "/dev/stdin", "-o", "jsonl"],
        &format!("{}\n{}", definition("Ready: !Shiny"), shiny()),
    );
    assert_eq!(health_of_check(&pipe, "a"), "Degraded", "{pipe}");
    // A file is looked through first, whatever its size.
    let files = Files::new(&[("all.json", &[shiny(), filler.clone(), definition("Ready: !Shiny")])]);
    let said = files.run("check", &["all.json"], &["-o", "jsonl"]);
    assert_eq!(health_of_check(&said, "a"), "Degraded", "{said}");
    assert!(said.ends_with("--- stderr\n"), "{said}");
}

#[test]
fn a_declaration_that_cannot_be_read_is_told_with_its_file_and_makes_nothing_greener() {
    let files = Files::new(&[("all.json", &[shiny(), definition("Ready: [")])]);
    let said = files.run("check", &["all.json"], &[]);
    assert!(said.starts_with("exit 2\n") && said.contains("DeclarationUnreadable"), "{said}");
    let told = "warning: DIRECTORY/all.json: annotation allready.dev/conditions of widgets.example.com: ";
    assert!(said.contains(told), "{said}");
    let linted = files.run("lint", &["all.json"], &[]);
    assert!(
        linted.starts_with("exit 2\n") && linted.contains("annotation allready.dev/conditions of"),
        "{linted}"
    );
    let explained = files.run("explain", &["all.json"], &["widget/a"]);
    assert!(
        explained.starts_with("exit 2\n") && explained.contains("annotation allready.dev/conditions of"),
        "{explained}"
    );
    let streamed =
        allready(&["check", "--now", NOW, "-f", "-"], &format!("{}\n{}", definition("Ready: ["), shiny()));
    assert!(streamed.starts_with("exit 2\n"), "{streamed}");
    assert!(
        streamed.contains("warning: standard input: annotation allready.dev/conditions of widgets"),
        "{streamed}"
    );
}

#[test]
fn what_a_definition_excuses_is_healthy_and_told() {
    let broken = |name: &str| widget(name, &[("Ready", "True"), ("Degraded", "True")]);
    let files = Files::new(&[("all.json", &[broken("a"), broken("b"), established("Ready: (Degraded)")])]);
    let said = files.run("check", &["all.json"], &[]);
    let told = "warning: Widget.example.com: 2 objects are healthy by the declaration in the CRD, and they would be degraded \
                without: `allready registry show Widget.example.com` says what is known otherwise\n";
    assert!(said.starts_with("exit 0\n--- stdout\n") && said.ends_with(told), "{said}");
    let fake = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "pods.", "annotations": { "allready.dev/conditions": "{\"always\": \"Healthy\"}" } },
        "spec": { "group": "*", "names": { "kind": "*" } } });
    let files = Files::new(&[("all.json", &[widget("a", &[("Ready", "False")]), fake])]);
    let said = files.run("check", &["all.json"], &["-o", "jsonl"]);
    assert_eq!(health_of_check(&said, "a"), "Degraded", "{said}");
    assert!(said.contains("not for a definition to say: give --registry"), "{said}");
}

#[test]
fn who_may_not_read_definitions_is_told_what_is_missing() {
    let cluster = cluster("Ready: !Shiny", &[shiny()]);
    let role = json!({ "metadata": { "name": "reader" },
        "rules": [{ "apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get", "list", "watch"] }] });
    cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
    let binding = json!({ "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "eve" }] });
    cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
    cluster.become_user("eve");
    let told = "warning: declarations in CRDs are not known: cannot list \
                customresourcedefinitions.apiextensions.k8s.io: eve needs a cluster role with the verb list on \
                customresourcedefinitions.apiextensions.k8s.io (the server says: ";
    for command in [
        &["check", "widgets"][..],
        &["explain", "widget/a"],
        &["wait", "widget/a", "--timeout", "0"],
        &["lint", "widgets"],
    ] {
        let said = cluster.run(command);
        assert!(said.contains(told), "{command:?}: {said}");
    }
}
