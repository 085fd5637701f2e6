//! Who may not do something is told the same way by every command: what, where, and which verb on which resource is missing.

use serde_json::json;

use super::config::Cluster;

#[test]
fn every_command_says_in_one_sentence_what_is_missing_and_ends_with_77() {
    let cluster = Cluster::start();
    cluster.send("POST", "/api/v1/namespaces", &json!({ "metadata": { "name": "shop" } }));
    cluster.become_user("eve");
    let here = " in namespace shop";
    for (command, doing, verbs, resource, place) in [
        (
            &["check", "sts", "-n", "shop"][..],
            "list statefulsets.apps in namespace shop",
            "verb list",
            "statefulsets.apps",
            here,
        ),
        (&["check", "sts", "-A"], "list statefulsets.apps", "verb list", "statefulsets.apps", ""),
        (
            &["check", "sts/a", "-n", "shop"],
            "get statefulsets.apps/a in namespace shop",
            "verb get",
            "statefulsets.apps",
            here,
        ),
        (
            &["lint", "sts", "-n", "shop"],
            "list statefulsets.apps in namespace shop",
            "verb list",
            "statefulsets.apps",
            here,
        ),
        (
            &["lint", "sts", "-n", "shop", "--watch", "2s"],
            "list and watch statefulsets.apps in namespace shop",
            "verbs list and watch",
            "statefulsets.apps",
            here,
        ),
        (
            &["explain", "sts/a", "-n", "shop"],
            "get statefulsets.apps/a in namespace shop",
            "verb get",
            "statefulsets.apps",
            here,
        ),
        (
            &["wait", "sts/a", "-n", "shop"],
            "list and watch statefulsets.apps in namespace shop",
            "verbs list and watch",
            "statefulsets.apps",
            here,
        ),
        (
            &["wait", "sts", "--all", "-n", "shop"],
            "list statefulsets.apps in namespace shop",
            "verb list",
            "statefulsets.apps",
            here,
        ),
        (
            &["owners", "sts/a", "-n", "shop"],
            "get statefulsets.apps/a in namespace shop",
            "verb get",
            "statefulsets.apps",
            here,
        ),
        (&["sweep", "--dry-run", "-A"], "list nodes", "verb list", "nodes", ""),
        (&["hub", "status"], "list clusterstatuses", "verb list", "clusterstatuses.allready.dev", ""),
    ] {
        let said = cluster.run(command);
        let role = if place.is_empty() { "cluster role" } else { "role" };
        let told = format!(
            "cannot {doing}: eve needs a {role} with the {verbs} on {resource}{place} (the server says: "
        );
        assert!(said.starts_with("exit 77\n") && said.contains(&told), "{command:?}: {told}\n{said}");
    }
}
