//! Versions of everything, and whether they fit.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{allready, config::Cluster};

/// The label and the image that a controller is installed with.
fn install(cluster: &Cluster, label: &str, image: &str) {
    let labels = json!({ "app.kubernetes.io/name": "allready", "app.kubernetes.io/version": label });
    let template = json!({ "metadata": { "labels": labels },
        "spec": { "containers": [{ "name": "controller", "image": image }] } });
    let selector = json!({ "matchLabels": { "app.kubernetes.io/name": "allready" } });
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "allready-controller", "labels": labels },
        "spec": { "selector": selector, "template": template } });
    cluster.send("POST", "/apis/apps/v1/namespaces/default/deployments", &deployment);
}

/// Puts a definition of the first alpha in the place of ours.
pub(crate) fn make_old(cluster: &Cluster, name: &str) {
    let path = format!("{}/../../docs/examples/first-alpha/crds/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let old: Value = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    cluster.ask("DELETE", &format!("{definitions}/{name}"), "");
    cluster.send("POST", definitions, &old);
}

#[test]
fn the_client_needs_no_cluster_to_say_its_version() {
    let version = env!("CARGO_PKG_VERSION");
    let said = allready(&["version", "--client", "-o", "json", "--kubeconfig", "/nowhere"], "");
    let head = "\"apiVersion\": \"cli.allready.dev/v1alpha1\",\n  \"kind\": \"VersionReport\"";
    let expected =
        format!("exit 0\n--- stdout\n{{\n  {head},\n  \"client\": \"{version}\"\n}}\n--- stderr\n");
    assert_eq!(said, expected);
}

#[test]
fn what_fits_is_said_to_fit_and_what_does_not_ends_with_one_and_what_to_do() {
    let cluster = Cluster::start();
    install(&cluster, "0.1.0", "allready:0.1.0");
    assert_snapshot!(cluster.run(&["version"]));
    make_old(&cluster, "statusreports.allready.dev");
    assert_snapshot!(cluster.run(&["version"]));
    let said = cluster.run(&["version", "-o", "json"]);
    let json =
        said.strip_prefix("exit 1\n--- stdout\n").and_then(|rest| rest.split("--- stderr").next()).unwrap();
    let versions: Value = serde_json::from_str(json).unwrap();
    assert_eq!(versions["controllers"][0]["version"], "0.1.0");
    assert_eq!(versions["crds"][1]["missing"], json!([".spec.targetRef"]));
    assert_eq!(versions["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn a_controller_of_another_version_does_not_fit() {
    let cluster = Cluster::start();
    install(&cluster, "0.2.0", "registry.example/allready:0.2.0");
    let said = cluster.run(&["version"]);
    assert!(said.starts_with("exit 1\n"), "{said}");
    assert!(said.contains("is 0.2.0, and this program is 0.1.0: upgrade the older one"), "{said}");
}
