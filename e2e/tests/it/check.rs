//! What an administrator finds out with `allready check`.

use allready_e2e::Server;
use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

allready_e2e::kubectl_scenarios![
    what_is_broken_in_a_namespace_is_found_and_said,
    a_dump_by_kubectl_says_the_same_as_the_cluster,
];

/// A deployment that is well, one that is not, and one that rests on purpose.
async fn stage(server: &Server) -> String {
    let namespace = server.namespace("check").await;
    let deployments: Api<Deployment> = Api::namespaced(server.client(), &namespace);
    for (name, ready, paused) in [("good", 2, false), ("bad", 0, false), ("resting", 2, true)] {
        let deployment = json!({
            "metadata": { "name": name, "labels": { "app": name } },
            "spec": {
                "replicas": 2,
                "paused": paused,
                "selector": { "matchLabels": { "app": name } },
                "template": {
                    "metadata": { "labels": { "app": name } },
                    "spec": { "containers": [{ "name": "main", "image": "example.com/main:1" }] },
                },
            },
        });
        let deployment: Deployment = serde_json::from_value(deployment).unwrap();
        deployments.create(&PostParams::default(), &deployment).await.unwrap();
        let is_well = if ready == 2 { "True" } else { "False" };
        let condition = |type_: &str, reason: &str| {
            json!({ "type": type_, "status": is_well, "reason": reason, "message": "as it is",
                "lastTransitionTime": "2026-11-15T12:30:00Z", "lastUpdateTime": "2026-11-15T12:30:00Z" })
        };
        let rollout = if ready == 2 { "NewReplicaSetAvailable" } else { "ProgressDeadlineExceeded" };
        let status = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "status": {
                "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": ready,
                "availableReplicas": ready, "unavailableReplicas": 2 - ready,
                "conditions": [condition("Available", "MinimumReplicas"), condition("Progressing", rollout)],
            },
        });
        let parameters = PatchParams::apply("deployment-controller");
        deployments.patch_status(name, &parameters, &Patch::Apply(&status)).await.unwrap();
    }
    namespace
}

/// The verdicts by name.
fn verdicts(lines: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut verdicts: Vec<_> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| (text(&line["object"]["name"]), text(&line["health"])))
        .collect();
    verdicts.sort();
    verdicts
}

async fn what_is_broken_in_a_namespace_is_found_and_said(server: Server) {
    let namespace = stage(&server).await;
    let said = server.allready(&["check", "deploy", "-n", &namespace]).await;
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("Deployment/bad") && !said.out.contains("Deployment/good"), "{said:?}");
    assert!(said.out.contains("3 objects: 1 degraded, 1 suspended, 1 healthy"), "{said:?}");
    // Who wrote it is told, and everything in the namespace is found too.
    assert!(said.out.contains("deployment-controller"), "{said:?}");
    let all = server.allready(&["check", "-n", &namespace, "-o", "name"]).await;
    assert!(all.out.contains("deployment.apps/bad"), "{all:?}");
    let good = server.allready(&["check", "deploy/good", "-n", &namespace]).await;
    assert_eq!((good.code, good.out.as_str()), (Some(0), "1 object: 1 healthy\n"));
    let missing = server.allready(&["check", "deploy/good", "deploy/gone", "-n", &namespace]).await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.out.contains("1 missing") && missing.out.contains("Deployment/gone"), "{missing:?}");
    let unknown = server.allready(&["check", "nosuchthings", "-n", &namespace]).await;
    assert!(unknown.code.is_some_and(|code| code >= 64), "{unknown:?}");
}

async fn a_dump_by_kubectl_says_the_same_as_the_cluster(server: Server) {
    let namespace = stage(&server).await;
    let from_cluster = server.allready(&["check", "deploy", "-n", &namespace, "-o", "jsonl"]).await;
    let expected = [("bad", "Degraded"), ("good", "Healthy"), ("resting", "Suspended")]
        .map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(verdicts(&from_cluster.out), expected);
    let directory = tempfile::tempdir().unwrap();
    for form in ["json", "yaml"] {
        let dump = server
            .kubectl(&["get", "deploy", "-n", &namespace, "--show-managed-fields", "-o", form])
            .await
            .ok();
        let file = directory.path().join(format!("dump.{form}"));
        std::fs::write(&file, dump).unwrap();
        let from_file = server.allready(&["check", "-f", file.to_str().unwrap(), "-o", "jsonl"]).await;
        assert_eq!(from_file.code, Some(1), "{from_file:?}");
        assert_eq!(verdicts(&from_file.out), expected, "{form}");
        let writer = |lines: &str| {
            let bad = lines.lines().find(|line| line.contains("\"name\":\"bad\"")).unwrap();
            serde_json::from_str::<Value>(bad).unwrap()["writer"]["manager"].clone()
        };
        assert_eq!(writer(&from_file.out), writer(&from_cluster.out), "{form}");
    }
}
