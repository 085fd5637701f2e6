//! One status from many clusters, by the commands that an administrator uses.

use std::time::{Duration, Instant};

use allready_apiserver::catalog;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{
    allready,
    config::{Cluster, Controller, metrics},
};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GATEWAYS: &str = "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways";
const ENDPOINTS: &str = "/apis/externaldns.k8s.io/v1alpha1/namespaces/default/dnsendpoints";
const AGGREGATIONS: &str = "/apis/allready.dev/v1alpha1/statusaggregations";
const CLUSTERS: &str = "/apis/allready.dev/v1alpha1/namespaces/default/clusterstatuses";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

/// A hub that knows Gateways and DNSEndpoints.
fn hub() -> Cluster {
    let hub = Cluster::start();
    for (definition, path) in [(catalog::gateway(), GATEWAYS), (catalog::dns_endpoint(), ENDPOINTS)] {
        hub.send("POST", DEFINITIONS, &definition);
        let start = Instant::now();
        while !hub.get(path).starts_with("HTTP/1.1 200 ") {
            assert!(start.elapsed() < Duration::from_secs(10), "{path} is not served");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    hub
}

fn gateway(status: &Value) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": { "name": "web", "namespace": "default" },
        "spec": {
            "gatewayClassName": "multi",
            "listeners": [{ "name": "web", "hostname": "web.example.com", "port": 80, "protocol": "HTTP" }],
        },
        "status": status,
    })
}

fn aggregation() -> Value {
    json!({
        "apiVersion": "allready.dev/v1alpha1",
        "kind": "StatusAggregation",
        "metadata": { "name": "gateways" },
        "spec": {
            "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
            "conditions": [{ "type": "Programmed" }],
            "rows": ["Addresses", "Listeners"],
            "dns": {},
            "clusterTimeoutSeconds": 1,
        },
    })
}

/// What a cluster has, as it stands in a file.
fn instance(address: &str, programmed: &str) -> String {
    gateway(&json!({
        "addresses": [{ "type": "IPAddress", "value": address }],
        "listeners": [{ "name": "web", "attachedRoutes": 1, "conditions": [], "supportedKinds": [] }],
        "conditions": [{ "type": "Programmed", "status": programmed, "reason": "R", "message": "the load balancer is gone",
            "lastTransitionTime": "2026-11-15T12:00:00Z" }],
    }))
    .to_string()
}

#[test]
fn a_hub_aggregates_files_and_says_which_clusters_it_hears_and_what_it_publishes() {
    let hub = hub();
    let fleet = tempfile::tempdir().unwrap();
    std::fs::write(fleet.path().join("cluster-1.json"), instance("172.31.200.0", "True")).unwrap();
    std::fs::write(fleet.path().join("cluster-2.json"), instance("172.31.202.0", "True")).unwrap();
    let kubeconfigs = tempfile::tempdir().unwrap();
    hub.send("POST", GATEWAYS, &gateway(&Value::Null));
    hub.send("POST", AGGREGATIONS, &aggregation());
    let files = format!("files:{}", fleet.path().display());
    let directory = format!("dir:{}", kubeconfigs.path().display());
    let sources = ["--clusters", &files, "--clusters", &directory, "--hub-namespace", "default"];
    let (mut controller, pages) = Controller::start(&hub, &sources);

    let web = format!("{GATEWAYS}/web");
    hub.until(&web, "cluster-2/172.31.202.0");
    hub.until(&format!("{LEASES}/cluster.cluster-2"), "\"renewTime\"");
    hub.until(&format!("{ENDPOINTS}/gateway-web"), "172.31.202.0");
    hub.until(&format!("{AGGREGATIONS}/gateways"), "\"AllClustersHeard\"");
    let status = hub.run(&["hub", "status", "-o", "json"]);
    assert!(status.starts_with("exit 0\n"), "{status}");
    assert!(
        status.contains("\"reachable\": \"True\"") && status.contains("\"clusters\": \"2/2\""),
        "{status}"
    );
    assert_snapshot!(hub.run(&["dns", "web", "-n", "default", "-o", "wide"]));
    assert_snapshot!(hub.run(&["dns", "-A"]));
    assert_snapshot!(hub.run(&["dns", "other"]));
    let counted = metrics(&pages);
    let writes = counted.lines().find_map(|line| line.strip_prefix("allready_hub_writes_total ")).unwrap();
    assert!(writes.parse::<u32>().unwrap() >= 3, "{counted}");

    std::fs::write(fleet.path().join("cluster-2.json"), instance("172.31.202.0", "False")).unwrap();
    hub.until(&web, "\"message\":\"cluster-2 the load balancer is gone\"");
    // A file that is no kubeconfig is a cluster that cannot be reached.
    std::fs::write(kubeconfigs.path().join("cluster-3.kubeconfig"), "nothing").unwrap();
    hub.until(&web, "cluster-3 (unknown) ClusterUnreachable: ");
    hub.until(&format!("{AGGREGATIONS}/gateways"), "\"ClusterUnreachable\"");
    // That it cannot be used is no matter of patience, and is told without being asked for.
    hub.until(&format!("{CLUSTERS}/cluster-3"), "its kubeconfig cannot be used");
    let status = hub.run(&["hub", "status", "-n", "default"]);
    assert!(status.starts_with("exit 1\n") && status.contains("2/3"), "{status}");
    assert!(status.contains("its kubeconfig cannot be used: it is not the YAML of a kubeconfig"), "{status}");

    assert!(
        std::process::Command::new("kill").arg(controller.0.id().to_string()).status().unwrap().success()
    );
    assert_eq!(controller.0.wait().unwrap().code(), Some(0));
    // Nobody is there to say it any more: an hour later nothing is good.
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let status = hub.run(&["hub", "status", "--now", &later.to_string()]);
    assert!(status.starts_with("exit 1\n"), "{status}");
    assert!(
        status.lines().any(|line| line.starts_with("cluster-1 ") && line.contains("Unknown")),
        "{status}"
    );
    assert!(status.contains("warning: stale: "), "{status}");
}

/// A ClusterStatus and the Lease beside it, as the hub writes them.
fn report(hub: &Cluster, cluster: &str, status: &Value, heard: &str) {
    let ours = json!({ "app.kubernetes.io/managed-by": "allready-hub" });
    hub.send(
        "POST",
        CLUSTERS,
        &json!({
            "apiVersion": "allready.dev/v1alpha1", "kind": "ClusterStatus",
            "metadata": { "name": cluster, "labels": ours }, "spec": { "source": "Secret hub/c" },
        }),
    );
    hub.send("PATCH", &format!("{CLUSTERS}/{cluster}/status"), &json!({ "status": status }));
    hub.send(
        "POST",
        LEASES,
        &json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "name": format!("cluster.{cluster}"), "labels": ours },
            "spec": { "holderIdentity": cluster, "renewTime": heard },
        }),
    );
}

fn reachable(status: &str, message: &str) -> Value {
    json!({
        "server": "https://10.0.0.1", "objects": 3, "latencyMilliseconds": 12,
        "conditions": [{ "type": "Reachable", "status": status, "reason": "ClusterAnswers", "message": message,
            "lastTransitionTime": "2026-11-15T12:00:00Z" }],
    })
}

#[test]
fn the_status_of_a_hub_is_what_it_has_written_down_as_long_as_that_is_fresh() {
    let hub = hub();
    let at = |time: &str, form: &[&str]| hub.run(&[&["hub", "status", "--now", time][..], form].concat());
    assert_snapshot!("a_hub_without_clusters", at("2026-11-15T13:00:00Z", &[]));
    report(&hub, "cluster-1", &reachable("True", ""), "2026-11-15T12:59:48.000000Z");
    hub.send("POST", AGGREGATIONS, &aggregation());
    let ready = json!([{ "type": "Ready", "status": "True", "reason": "AllClustersHeard", "message": "1 object from 1 cluster",
        "lastTransitionTime": "2026-11-15T12:00:00Z", "observedGeneration": 1 }]);
    let status = json!({ "status": { "observedGeneration": 1, "conditions": ready, "objects": 1,
        "clusters": { "chosen": 1, "heard": 1, "display": "1/1" } } });
    hub.send("PATCH", &format!("{AGGREGATIONS}/gateways/status"), &status);
    assert_snapshot!("a_hub_that_hears_everybody", at("2026-11-15T13:00:00Z", &[]));
    assert_snapshot!("a_hub_of_which_nothing_is_heard", at("2026-11-15T13:05:00Z", &["-o", "wide"]));
    report(
        &hub,
        "cluster-2",
        &reachable("False", "\u{1b}[31mconnection refused"),
        "2026-11-15T12:00:00.000000Z",
    );
    assert_snapshot!("a_hub_that_does_not_hear_one", at("2026-11-15T13:00:00Z", &["-o", "wide"]));
    assert_snapshot!("a_hub_for_programs", at("2026-11-15T13:00:00Z", &["-o", "json"]));
}

#[test]
fn what_is_not_installed_is_said_and_not_waited_for() {
    let bare = Cluster::start();
    let dns = bare.run(&["dns", "-A"]);
    assert!(dns.starts_with("exit 69\n") && dns.contains("does not serve DNSEndpoints"), "{dns}");
    for kind in ["statusaggregations", "clusterstatuses"] {
        bare.send("DELETE", &format!("{DEFINITIONS}/{kind}.allready.dev"), &json!({}));
    }
    let status = bare.run(&["hub", "status"]);
    assert!(status.starts_with("exit 69\n") && status.contains("is the hub installed here?"), "{status}");
}

#[test]
fn a_hub_without_its_definition_says_so_once_and_goes_on() {
    let bare = Cluster::start();
    bare.send("DELETE", &format!("{DEFINITIONS}/statusaggregations.allready.dev"), &json!({}));
    let fleet = tempfile::tempdir().unwrap();
    let files = format!("files:{}", fleet.path().display());
    let ensure = ["--clusters", &files, "--ensure", "default/config-status"];
    let (mut controller, _) = Controller::start(&bare, &ensure);
    // The other half of it works.
    let answer = "/apis/allready.dev/v1alpha1/namespaces/default/configurationstatuses/config-status";
    bare.until(answer, "\"reason\":\"NothingDeclared\"");
    // Long enough for a watch to be tried again.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        assert!(controller.0.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(
        std::process::Command::new("kill").arg(controller.0.id().to_string()).status().unwrap().success()
    );
    assert_eq!(controller.0.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    std::io::Read::read_to_string(&mut controller.0.stderr.take().unwrap(), &mut log).unwrap();
    assert_eq!(log.matches("StatusAggregations cannot be seen at present").count(), 1, "{log}");
    assert!(log.lines().count() < 20, "{log}");
}

#[test]
fn what_is_no_source_of_clusters_is_refused_before_anything_is_sent() {
    let refused = |arguments: &[&str]| allready(&[&["controller"], arguments].concat(), "");
    assert_snapshot!(refused(&["--clusters", "fleet"]));
    assert_snapshot!(refused(&["--hub-namespace", "a"]));
    assert_snapshot!(refused(&["--clusters", "profiles", "--cluster-providers", "/nonexistent/providers"]));
}
