//! Following an object to the first cause of how it is.

use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{allready, command, config::Cluster, played};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/explain").join(name)
}

/// Explains at noon, in a locale with UTF-8.
fn explain(arguments: &[&str], stdin: &str) -> String {
    let mut explain = command();
    explain.args(["explain", "--now", "2026-11-15T12:00:00Z"]).args(arguments).env("LC_ALL", "C.UTF-8");
    played(&mut explain, stdin)
}

fn of_file(name: &str, arguments: &[&str]) -> String {
    let file = file(name);
    explain(&[arguments, &["-f", file.to_str().unwrap()]].concat(), "")
}

#[test]
fn the_help_says_what_is_followed_and_how_it_ends() {
    assert_snapshot!(allready(&["explain", "--help"], ""));
}

#[test]
fn a_deployment_is_explained_by_its_container() {
    assert_snapshot!("web_tree", of_file("web.yaml", &["deploy/web"]));
    assert_snapshot!(
        "web_tree_narrow_and_ascii",
        of_file("web.yaml", &["deploy", "web", "--ascii", "--width", "80"])
    );
    assert_snapshot!("web_tree_all", of_file("web.yaml", &["deployments.apps/web", "--all", "--complete"]));
}

#[test]
fn a_graph_is_drawn_for_graphviz_and_for_mermaid() {
    assert_snapshot!("web_dot", of_file("web.yaml", &["deploy/web", "-o", "dot"]));
    assert_snapshot!("web_mermaid", of_file("web.yaml", &["deploy/web", "-o", "mermaid"]));
}

#[test]
fn a_program_gets_lines_relations_and_the_cause() {
    let said = of_file("web.yaml", &["deploy/web", "-o", "json"]);
    assert_snapshot!("web_json", said);
    let json: Value =
        serde_json::from_str(said.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap())
            .unwrap();
    let cause = &json["firstCause"];
    let id = usize::try_from(cause["id"].as_u64().unwrap()).unwrap();
    assert_eq!(json["nodes"][id]["reason"], "CrashLoopBackOff");
    assert_eq!(cause["path"].as_array().unwrap().last().unwrap(), &cause["id"]);
}

#[test]
fn a_gateway_is_explained_by_a_grant_that_nobody_gave_and_a_route_by_its_service() {
    assert_snapshot!(
        "gateway_tree",
        of_file("gateway.yaml", &["gateway/public", "-n", "shop", "--complete"])
    );
    assert_snapshot!("route_tree", of_file("gateway.yaml", &["httproute/web", "--complete"]));
    assert_snapshot!("gateway_in_part", of_file("gateway.yaml", &["gateway/public"]));
}

#[test]
fn the_errors_of_a_condition_are_told_one_by_one_and_the_first_is_the_cause() {
    assert_snapshot!("errors_listed", of_file("errors.yaml", &["httpproxy/web", "--complete"]));
    assert_snapshot!("errors_in_a_message", of_file("errors.yaml", &["gateway/public", "--complete"]));
    let many: Vec<Value> = (0..10_000)
        .map(|number| json!({ "reason": "Bad", "message": format!("{number}\u{1b}[31m") }))
        .collect();
    let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "namespace": "shop" },
        "status": { "conditions": [{ "type": "Ready", "status": "True", "errors": many, "warnings": 3 }] } });
    let said = explain(&["-f", "-"], &object.to_string());
    assert!(!said.contains('\u{1b}'), "{said}");
    assert_snapshot!("errors_without_end", said);
}

#[test]
fn what_others_wrote_cannot_speak_to_the_terminal_or_leave_its_box() {
    let evil = "\u{1b}]0;x\u{7}\"]:::x\n<script>\u{202e}|`\\";
    let object = json!({
        "apiVersion": "example.com/v1", "kind": format!("Wid{evil}"),
        "metadata": { "name": format!("a{evil}"), "namespace": "shop" },
        "spec": { "secretRef": { "name": evil } },
        "status": { "conditions": [{ "type": format!("Ready{evil}"), "status": "False", "reason": evil, "message": evil }] },
    })
    .to_string();
    for output in ["tree", "json", "dot", "mermaid"] {
        let arguments: &[&str] = if output == "tree" { &["-f", "-"] } else { &["-f", "-", "-o", output] };
        let said = explain(&[arguments, &["--complete"]].concat(), &object);
        assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said}");
        assert_snapshot!(format!("hostile_{output}"), said);
    }
}

#[test]
fn what_is_not_meant_is_said() {
    assert_snapshot!("nothing_said", allready(&["explain"], ""));
    assert_snapshot!("not_in_the_files", of_file("web.yaml", &["deploy/other"]));
    assert_snapshot!("too_many", of_file("web.yaml", &["pods"]));
    assert_snapshot!("two_objects", of_file("web.yaml", &["deploy/web", "po/web-7d-a"]));
}

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

#[test]
fn an_object_of_a_cluster_is_explained() {
    let cluster = Cluster::start();
    let template = json!({ "metadata": { "labels": { "app": "web" } },
        "spec": { "serviceAccountName": "robot", "containers": [{ "name": "app", "image": "web:1" }] } });
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "web" } }, "template": template } });
    cluster.send("POST", DEPLOYMENTS, &deployment);
    let status = json!({ "status": { "observedGeneration": 1, "replicas": 0, "unavailableReplicas": 1, "conditions": [
        { "type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "not enough" },
        { "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out" },
        { "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "serviceaccount \"robot\" not found" },
    ] } });
    cluster.send("PATCH", &format!("{DEPLOYMENTS}/web/status"), &status);
    let said = cluster.run(&["explain", "deploy/web", "--ascii"]);
    assert!(said.starts_with("exit 1\n"), "{said}");
    assert!(
        said.contains("first cause: ServiceAccount default/robot: NotFound: it is not there\n"),
        "{said}"
    );
    assert_snapshot!("not_there", cluster.run(&["explain", "deploy/other", "--ascii"]));
    assert_snapshot!("no_such_kind", cluster.run(&["explain", "gizmo/other"]));
}
