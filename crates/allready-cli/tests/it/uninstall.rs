//! One release goes, after somebody has agreed, and nothing else does.

use insta::assert_snapshot;
use serde_json::json;

use super::config::Cluster;

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
pub(crate) const CONTROLLER: &str = "/apis/apps/v1/namespaces/default/deployments/allready-controller";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const REPORTS: &str = "/apis/allready.dev/v1alpha1/statusreports";

/// Installs the controller of a release, and a role.
pub(crate) fn install(cluster: &Cluster, release: &str, managed_by: &str) {
    let labels = json!({ "app.kubernetes.io/name": "allready", "app.kubernetes.io/instance": release,
        "app.kubernetes.io/managed-by": managed_by });
    let name = format!("{release}-controller");
    let selector = json!({ "app.kubernetes.io/instance": release });
    let template = json!({ "metadata": { "labels": selector },
        "spec": { "containers": [{ "name": "controller", "image": "allready" }] } });
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": name, "labels": labels },
        "spec": { "selector": { "matchLabels": selector }, "template": template } });
    cluster.send("POST", DEPLOYMENTS, &deployment);
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": name, "labels": labels }, "rules": [] });
    cluster.send("POST", ROLES, &role);
}

/// Runs it, without what differs each time.
fn uninstall(cluster: &Cluster, arguments: &[&str]) -> String {
    cluster.run(&[&["uninstall"], arguments].concat()).replace(cluster.address(), "ADDRESS")
}

fn is_there(cluster: &Cluster, path: &str) -> bool {
    cluster.get(path).starts_with("HTTP/1.1 200 ")
}

#[test]
fn without_a_terminal_and_without_yes_it_lists_and_refuses() {
    let cluster = Cluster::start();
    install(&cluster, "allready", "kubectl");
    assert_snapshot!(uninstall(&cluster, &[]));
    assert!(is_there(&cluster, CONTROLLER));
    assert_snapshot!(uninstall(&cluster, &["--dry-run"]));
    assert!(is_there(&cluster, CONTROLLER));
}

#[test]
fn the_crds_and_their_objects_go_only_if_that_is_wanted() {
    let cluster = Cluster::start();
    install(&cluster, "allready", "kubectl");
    let said = cluster.run(&["report", "--component", "a", "--reconciler", "b", "--outcome", "Success"]);
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert_snapshot!(uninstall(&cluster, &["--yes"]));
    assert!(!is_there(&cluster, CONTROLLER) && is_there(&cluster, REPORTS));
    assert_snapshot!(uninstall(&cluster, &["--yes", "--crds"]));
    assert!(!is_there(&cluster, REPORTS) && is_there(&cluster, "/api/v1/namespaces/default"));
    assert_snapshot!(uninstall(&cluster, &["--yes", "--crds"]));
}

#[test]
fn of_several_releases_the_chosen_one_goes_and_what_the_other_needs_stays() {
    let cluster = Cluster::start();
    install(&cluster, "allready", "kubectl");
    install(&cluster, "other", "kubectl");
    assert_snapshot!(uninstall(&cluster, &["--yes"]));
    assert_snapshot!(uninstall(&cluster, &["--yes", "--crds", "--release", "other"]));
    assert!(is_there(&cluster, CONTROLLER) && is_there(&cluster, REPORTS));
    assert!(!is_there(&cluster, &format!("{DEPLOYMENTS}/other-controller")));
    assert!(!is_there(&cluster, &format!("{ROLES}/other-controller")));
}

#[test]
fn a_release_of_helm_is_left_to_helm() {
    let cluster = Cluster::start();
    install(&cluster, "allready", "Helm");
    assert_snapshot!(uninstall(&cluster, &["--yes", "--crds"]));
    assert!(is_there(&cluster, CONTROLLER) && is_there(&cluster, REPORTS));
}

#[test]
fn what_a_hub_has_written_into_statuses_goes_with_it_and_what_others_wrote_stays() {
    let cluster = Cluster::start();
    let nodes = "/api/v1/nodes";
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "one" } });
    cluster.send("POST", nodes, &node);
    for (manager, type_) in [("allready-hub/nodes", "Ready"), ("kubelet", "DiskPressure")] {
        let condition = json!({ "type": type_, "status": "True", "reason": "Said", "message": "" });
        let path = format!("{nodes}/one/status?fieldManager={manager}");
        let body = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "one" },
            "status": { "conditions": [condition] } });
        cluster.send("PATCH", &path, &body);
    }
    let said = uninstall(&cluster, &["--dry-run"]);
    assert!(said.contains("would remove what allready-hub/nodes wrote into node/one\n"), "{said}");
    assert!(cluster.get(&format!("{nodes}/one")).contains(r#""Ready""#));
    let said = uninstall(&cluster, &["--yes"]);
    assert!(said.contains("removed what allready-hub/nodes wrote into node/one\n"), "{said}");
    let node = cluster.get(&format!("{nodes}/one"));
    assert!(!node.contains(r#""Ready""#) && !node.contains("allready-hub"), "{node}");
    assert!(node.contains(r#""DiskPressure""#), "{node}");
}
