//! Objects are read the same way by every command that takes `-f`, however they are written.

use serde_json::{Value, json};

use super::{allready, config::Cluster};

const NOW: &str = "2026-11-15T13:00:00Z";

/// A namespace that every cluster has, and a widget that is not well.
fn objects() -> [Value; 2] {
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "default" },
        "status": { "phase": "Active" },
    });
    let widget = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {
            "name": "a", "namespace": "default",
            "managedFields": [{
                "manager": "widget-controller", "operation": "Update", "apiVersion": "example.com/v1",
                "time": "2026-11-15T12:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": { "f:status": {} },
            }],
        },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoQuota" }] },
    });
    [namespace, widget]
}

/// The same objects in every form.
fn forms() -> [(&'static str, String); 7] {
    let [namespace, widget] = objects();
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [namespace, widget] });
    [
        ("one per line", format!("{namespace}\n{widget}\n")),
        ("one after another", format!("{namespace:#}{widget:#}")),
        ("documents", format!("---\n{namespace:#}\n---\n{widget:#}\n")),
        ("a list", list.to_string()),
        ("an array", json!([namespace, widget]).to_string()),
        ("an array in YAML", format!("- {namespace}\n- {widget}\n")),
        ("a list in YAML", format!("apiVersion: v1\nkind: List\nitems:\n- {namespace}\n- {widget}\n")),
    ]
}

#[test]
fn what_is_given_may_be_written_in_any_form() {
    for (form, text) in forms() {
        let checked = allready(&["check", "-f", "-", "--now", NOW], &text);
        assert!(checked.contains("2 objects: 1 degraded, 1 healthy"), "{form}: {checked}");
        let explained = allready(&["explain", "widget/a", "-f", "-", "--now", NOW], &text);
        assert!(explained.starts_with("exit 1\n") && explained.contains("NoQuota"), "{form}: {explained}");
        let owners = allready(&["owners", "-f", "-"], &text);
        assert!(owners.contains("widget-controller"), "{form}: {owners}");
    }
}

#[test]
fn who_calls_an_object_what_files_do_not_know_is_told_its_kind() {
    let [namespace, widget] = objects();
    let text = format!("{namespace}\n{widget}\n");
    for (arguments, told) in [
        (&["wd/a"][..], "; did you mean Widget/a -n default?"),
        (&["widget/a", "-n", "other"], "; did you mean Widget/a -n default?"),
        (&["nss/default"], "; did you mean Namespace/default?"),
        (&["widget/b"], ""),
    ] {
        let said = allready(&[&["explain", "-f", "-"], arguments].concat(), &text);
        let told = format!("error: there is no such object in the files{told}\n");
        assert!(said.starts_with("exit 66\n") && said.ends_with(&told), "{arguments:?}: {said}");
    }
}

#[test]
fn objects_to_wait_for_may_be_given_one_per_line() {
    let cluster = Cluster::start();
    let [namespace, _] = objects();
    let other = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "kube-system" } });
    let file = cluster.kubeconfig().with_file_name("objects.json");
    std::fs::write(&file, format!("{namespace}\n{other}\n")).unwrap();
    let waited = cluster.run(&["wait", "-f", file.to_str().unwrap(), "--for", "create"]);
    assert!(waited.starts_with("exit 0\n"), "{waited}");
    assert!(
        waited.contains("namespaces/default: met") && waited.contains("namespaces/kube-system: met"),
        "{waited}"
    );
}

#[test]
fn a_field_that_is_there_twice_is_believed_by_no_command() {
    let ready = r#"{"type":"Ready","status":"False","status":"True","reason":"R","message":"","lastTransitionTime":"2026-11-15T12:00:00Z"}"#;
    let gateway = |extra: &str| {
        format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{{"name":"a"}}{extra}}}"#
        )
    };
    let twice = gateway(&format!(r#","status":{{"conditions":[{ready}]}}"#));
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("twice.json"), &twice).unwrap();
    std::fs::write(path("hub.json"), gateway("")).unwrap();
    let (hub, spoke) = (path("hub.json"), format!("one={}", path("twice.json")));
    for (arguments, stdin) in [
        (&["check", "-f", "-"][..], twice.as_str()),
        (&["rollup", "-f", "-"], twice.as_str()),
        (&["rollup", "-f", "-"], &format!("[{ready}]")),
        (&["aggregate", "-f", &hub, "--spoke", &spoke], ""),
        (&["aggregate", "-f", "-", "--spoke", "one=/dev/null"], &twice),
    ] {
        let said = allready(arguments, stdin);
        assert!(
            !said.starts_with("exit 0\n") && said.contains("a field is there twice"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn json_of_more_values_than_yaml_may_have_is_refused() {
    let zeros = vec!["0"; 300_000].join(",");
    let object = format!(r#"{{"kind":"A","apiVersion":"v1","metadata":{{"name":"a"}},"spec":[{zeros}]}}"#);
    for (arguments, text) in [
        (&["check", "-f", "-"], &object),
        (&["rollup", "-f", "-"], &object),
        (&["rollup", "-f", "-"], &format!("[{zeros}]")),
    ] {
        let said = allready(arguments, text);
        assert!(!said.starts_with("exit 0\n") && said.contains("values: give fewer at a time"), "{said}");
    }
}

#[test]
fn an_object_that_cannot_be_read_is_told_with_its_place() {
    let [namespace, widget] = objects();
    let cut = format!("{namespace}\n{}\n{widget}\n", &widget.to_string()[..60]);
    for command in ["explain", "owners"] {
        let said = allready(&[command, "-f", "-"], &cut);
        assert!(said.starts_with("exit 65\n"), "{command}: {said}");
        assert!(said.contains("error: standard input: object 2 (at byte "), "{command}: {said}");
    }
}
