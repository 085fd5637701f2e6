//! From the first alpha of the kinds to the second, with the CRDs and objects as the first alpha left them.

use std::{fs, path::Path};

use allready_e2e::{Output, Server, eventually};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::program::Replica;

allready_e2e::kubectl_scenarios![a_cluster_of_the_first_alpha_is_migrated_and_a_controller_waits_for_it];

const CRDS: [&str; 3] =
    ["configurationstatuses.allready.dev", "statusreports.allready.dev", "statusaggregations.allready.dev"];

async fn a_cluster_of_the_first_alpha_is_migrated_and_a_controller_waits_for_it(server: Server) {
    let _kinds = server.own_kinds().await;
    let namespace = server.namespace("migrated").await;
    // Others have left objects of the second alpha behind, of which the first would make nonsense.
    for name in CRDS {
        server.kubectl(&["delete", name, "--all", "--all-namespaces", "--ignore-not-found"]).await;
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../docs/examples/first-alpha/crds")
            .join(format!("{name}.yaml"));
        let old: CustomResourceDefinition =
            serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        server.replace(old).await;
    }
    let aggregation = server.unique("gateways");
    let objects = tempfile::tempdir().unwrap();
    let (stored, saved) = (objects.path().join("stored.json"), objects.path().join("saved.yaml"));
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [
        { "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
          "metadata": { "name": "config-status", "namespace": namespace },
          "spec": { "silentAfterSeconds": 90,
            "components": [{ "name": "speaker", "instances": { "daemonSet": "speaker" } }] } },
        { "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
          "metadata": { "name": "config-status.speaker.a", "namespace": namespace },
          "spec": { "target": "config-status", "component": "speaker", "instance": "a" } },
        { "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation", "metadata": { "name": aggregation },
          "spec": { "target": { "apiVersion": "apps/v1", "kind": "Deployment" }, "mode": "strict",
            "conditions": [{ "type": "Available" }], "fields": [{ "path": "status.replicas", "combine": "Sum" }] } },
    ] });
    fs::write(&stored, list.to_string()).unwrap();
    // The server may take a moment until it uses the schema that it has accepted.
    eventually(
        "the objects of the first alpha to be taken",
        |applied: &Output| applied.code == Some(0),
        || async { server.kubectl(&["apply", "--server-side", "-f", stored.to_str().unwrap()]).await },
    )
    .await;
    let get = async |arguments: &[&str]| -> Value {
        let text = server.kubectl(&[&["get", "-o", "json"], arguments].concat()).await.ok();
        serde_json::from_str(&text).unwrap()
    };
    let before = get(&["configurationstatus", "config-status", "-n", &namespace]).await;
    assert_eq!(before["spec"]["silentAfterSeconds"], 90);

    let version = server.allready(&["version"]).await;
    assert_eq!(version.code, Some(1), "{version:?}");
    assert!(
        version.out.contains("the CRD statusreports.allready.dev is older than this program"),
        "{version:?}"
    );

    let controller = Replica::start(&server, &namespace, "early").await;
    let ready = eventually(
        "a controller to say that the CRDs are older",
        |page: &String| page.contains("CRD statusreports.allready.dev: is of an older version"),
        || controller.page("/readyz"),
    )
    .await;
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    let lease = server.kubectl(&["get", "lease", "lock", "-n", &namespace]).await;
    assert!(lease.err.contains("not found"), "it competes for the lease: {lease:?}");

    let plan = server.allready(&["migrate"]).await.ok();
    assert!(
        plan.contains(&format!("would convert configurationstatus/config-status in {namespace}\n")),
        "{plan}"
    );
    let done = server.allready(&["migrate", "--yes", "--export", saved.to_str().unwrap()]).await.ok();
    assert!(done.contains(&format!("converted statusaggregation/{aggregation}\n")), "{done}");

    let after = get(&["configurationstatus", "config-status", "-n", &namespace]).await;
    let instances = json!({ "type": "DaemonSet", "daemonSet": { "name": "speaker" } });
    assert_eq!(after["spec"]["components"][0]["instances"], instances);
    assert_eq!(after["spec"]["heartbeat"], json!({ "timeoutSeconds": 90 }));
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"], "it is the same object");
    let spec = get(&["statusaggregation", &aggregation]).await["spec"].clone();
    assert_eq!(spec["unknown"], "TreatAsBad");
    assert_eq!(spec["fields"], json!([{ "path": ".status.replicas", "combine": "Sum" }]));
    let reports = get(&["statusreports", "-n", &namespace]).await;
    assert_eq!(reports["items"], json!([]));
    assert!(fs::read_to_string(&saved).unwrap().contains("silentAfterSeconds: 90"));

    // The controller goes on by itself, and answers for what was converted.
    eventually(
        "the controller to answer",
        |object: &Value| object["status"]["controller"]["lease"].is_string(),
        || async { get(&["configurationstatus", "config-status", "-n", &namespace]).await },
    )
    .await;
    assert!(!server.allready(&["version"]).await.out.contains("is older than"));
    server.kubectl(&["delete", "statusaggregation", &aggregation]).await.ok();
}
