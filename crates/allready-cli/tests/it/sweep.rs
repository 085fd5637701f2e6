//! What reporters left behind that are gone, shown and removed on a server.

use insta::assert_snapshot;
use serde_json::json;

use super::{allready, config::Cluster};

const STATUSES: &str = "/apis/allready.dev/v1alpha1/namespaces/default/configurationstatuses";
const REPORTS: &str = "/apis/allready.dev/v1alpha1/namespaces/default/statusreports";

/// A cluster with the node `a`, and with reports from `a` and from `b`, which is gone.
fn cluster() -> Cluster {
    let cluster = Cluster::start();
    let status = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "metadata": { "name": "config-status" },
        "spec": { "components": [{ "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } }, { "name": "controller" }] },
    });
    cluster.send("POST", STATUSES, &status);
    for node in ["a", "b"] {
        for layout in ["sharded", "singleton"] {
            let speaker = ["report", "--layout", layout, "--component", "speaker", "--node", node];
            let what = ["--reconciler", "configReconciler", "--outcome", "ConfigError", "--message", "no"];
            let said = cluster.run(&[&speaker[..], &what].concat());
            assert!(said.starts_with("exit 0\n"), "{said}");
        }
    }
    cluster
}

fn node(cluster: &Cluster, name: &str) {
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } });
    cluster.send("POST", "/api/v1/nodes", &node);
}

#[test]
fn the_help_says_who_is_gone() {
    assert_snapshot!(allready(&["sweep", "--help"], ""));
}

#[test]
fn what_a_node_left_behind_is_shown_and_removed_and_nothing_else() {
    let cluster = cluster();
    let unknown = cluster.run(&["sweep", "--older-than", "0"]);
    assert!(unknown.starts_with("exit 69\n") && unknown.contains("nothing is removed"), "{unknown}");
    node(&cluster, "a");

    let recent = cluster.run(&["sweep", "--yes"]);
    assert!(
        recent.starts_with("exit 0\n") && recent.matches("was written just now").count() == 2,
        "{recent}"
    );
    let shown = cluster.run(&["sweep", "--dry-run", "--older-than", "0"]);
    assert!(shown.starts_with("exit 0\n") && !shown.contains("speaker-a"), "{shown}");
    assert!(shown.contains("field manager speaker-b/configReconciler"), "{shown}");
    assert!(shown.contains("statusreport config-status.speaker.b"), "{shown}");
    let unasked = cluster.run(&["sweep", "--older-than", "0"]);
    assert!(
        unasked.starts_with("exit 64\n")
            && unasked.contains("refusing to delete without confirmation; pass --yes"),
        "{unasked}"
    );
    assert!(cluster.get(REPORTS).contains("config-status.speaker.b"), "neither has removed anything");

    let swept = cluster.run(&["sweep", "--yes", "--older-than", "0"]);
    assert!(swept.starts_with("exit 0\n") && swept.matches("\nremoved ").count() == 2, "{swept}");
    let (statuses, reports) = (cluster.get(STATUSES), cluster.get(REPORTS));
    assert!(!statuses.contains("speaker-b") && !reports.contains("speaker.b"), "{statuses} {reports}");
    assert!(
        statuses.contains("speaker-a/configReconcilerValid") && reports.contains("speaker.a"),
        "{statuses} {reports}"
    );
    assert_eq!(
        cluster.run(&["sweep", "--yes", "--older-than", "0"]),
        "exit 0\n--- stdout\nNothing is left behind; objects checked: 1.\n--- stderr\n"
    );
}

#[test]
fn programs_are_told_what_would_go_and_why_something_stays() {
    let cluster = cluster();
    node(&cluster, "a");
    let said = cluster.run(&["sweep", "--dry-run", "-A", "-o", "json"]);
    let json = said.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let found = json["leftBehind"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{said}");
    assert!(found.iter().all(|one| one["writer"] == "speaker-b" && one["stays"] == "was written just now"));
    assert_eq!(found[0]["conditions"], json!(["speaker-b/configReconcilerValid"]));
}
