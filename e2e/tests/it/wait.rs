//! What a pipeline does with `allready wait`.

use allready_e2e::Server;
use k8s_openapi::api::batch::v1::Job;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

allready_e2e::kubectl_scenarios![
    what_kubectl_applied_is_waited_for_in_that_generation,
    a_failed_job_ends_the_wait_with_its_own_exit_code,
    what_keeps_a_deleted_object_is_said_until_it_is_gone,
    kinds_are_found_by_the_names_that_kubectl_takes,
];

const GROUP: &str = "wait.e2e.example";

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("waiters.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Namespaced",
            "names": {
                "kind": "Waiter", "plural": "waiters", "singular": "waiter", "shortNames": ["wtr"], "categories": ["waiting"],
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

/// A namespace, and the waiters in it.
pub(crate) async fn stage(server: &Server) -> (String, Api<DynamicObject>) {
    server.define(serde_json::from_value(definition()).unwrap()).await;
    let namespace = server.namespace("wait").await;
    let resource = ApiResource {
        group: GROUP.into(),
        version: "v1".into(),
        api_version: format!("{GROUP}/v1"),
        kind: "Waiter".into(),
        plural: "waiters".into(),
    };
    let waiters = Api::namespaced_with(server.client(), &namespace, &resource);
    (namespace, waiters)
}

pub(crate) fn waiter(name: &str, size: u32) -> Value {
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Waiter", "metadata": { "name": name }, "spec": { "size": size } })
}

pub(crate) async fn says(waiters: &Api<DynamicObject>, name: &str, generation: i64, status: &str) {
    let ready = json!({ "type": "Ready", "status": status, "reason": "Told", "message": "it is so",
        "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": generation });
    let patch = Patch::Merge(json!({ "status": { "conditions": [ready] } }));
    waiters.patch_status(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn what_kubectl_applied_is_waited_for_in_that_generation(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (manifest, applied) = (at("manifest.json"), at("applied.yaml"));
    for (size, generation) in [(1, 1), (2, 2)] {
        let both =
            json!({ "apiVersion": "v1", "kind": "List", "items": [waiter("a", size), waiter("b", size)] });
        std::fs::write(&manifest, both.to_string()).unwrap();
        let printed = server.kubectl(&["apply", "-n", &namespace, "-f", &manifest, "-o", "yaml"]).await.ok();
        std::fs::write(&applied, printed).unwrap();
        let arguments = ["wait", "-f", &applied, "--for", "Ready", "--timeout", "40s"];
        let (waited, ()) = tokio::join!(server.allready(&arguments), async {
            says(&waiters, "b", generation, "True").await;
            says(&waiters, "a", generation, "Unknown").await;
            says(&waiters, "a", generation, "True").await;
        });
        assert_eq!(waited.code, Some(0), "{waited:?}");
        let first =
            format!("waiters.{GROUP}/a in namespace {namespace}: met: Ready is True (Told: it is so)");
        assert!(waited.out.starts_with(&first), "{waited:?}");
    }
    // What was said of the second generation does not answer for a third.
    let patch = json!({ "spec": { "size": 3 } }).to_string();
    server.kubectl(&["patch", "wtr", "a", "-n", &namespace, "--type", "merge", "-p", &patch]).await.ok();
    let waited =
        server.allready(&["wait", "wtr/a", "-n", &namespace, "--for", "ready", "--timeout", "0"]).await;
    assert_eq!(waited.code, Some(2), "{waited:?}");
    assert!(waited.out.ends_with("but about generation 2, and the object is at 3\n"), "{waited:?}");
}

async fn a_failed_job_ends_the_wait_with_its_own_exit_code(server: Server) {
    let namespace = server.namespace("wait").await;
    server
        .kubectl(&["create", "job", "migrate", "-n", &namespace, "--image", "example.com/migrate:1"])
        .await
        .ok();
    let jobs: Api<Job> = Api::namespaced(server.client(), &namespace);
    let condition = |type_: &str| {
        json!({ "type": type_, "status": "True", "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit", "lastTransitionTime": "2026-03-01T10:00:00Z" })
    };
    let failed = json!({ "status": {
        "startTime": "2026-03-01T09:00:00Z", "failed": 1,
        "conditions": [condition("FailureTarget"), condition("Failed")],
    } });
    jobs.patch_status("migrate", &PatchParams::default(), &Patch::Merge(failed)).await.unwrap();
    let wait = [
        "wait",
        "job/migrate",
        "-n",
        &namespace,
        "--for",
        "Complete",
        "--grace",
        "200ms",
        "--timeout",
        "40s",
    ];
    let waited = server.allready(&wait).await;
    assert_eq!(waited.code, Some(1), "{waited:?}");
    assert!(waited.out.contains("BackoffLimitExceeded"), "{waited:?}");
    let either = server.allready(&[&wait[..], &["--for", "Failed", "--any"]].concat()).await;
    assert_eq!(either.code, Some(0), "{either:?}");
}

async fn what_keeps_a_deleted_object_is_said_until_it_is_gone(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    let mut kept = waiter("a", 1);
    kept["metadata"]["finalizers"] = json!(["wait.e2e.example/keep"]);
    waiters.create(&PostParams::default(), &serde_json::from_value(kept).unwrap()).await.unwrap();
    server.kubectl(&["delete", "wtr", "a", "-n", &namespace, "--wait=false"]).await.ok();
    let wait = ["wait", "wtr/a", "-n", &namespace, "--for", "delete", "--timeout"];
    let once = server.allready(&[&wait[..], &["0"]].concat()).await;
    assert_eq!(once.code, Some(2), "{once:?}");
    assert!(once.out.contains("kept by its finalizers: wait.e2e.example/keep"), "{once:?}");
    let ready = ["wait", "wtr/a", "-n", &namespace, "--for", "Ready", "--timeout", "40s"];
    let gone = [&wait[..], &["40s"]].concat();
    let patch = json!({ "metadata": { "finalizers": null } }).to_string();
    let arguments = ["patch", "wtr", "a", "-n", &namespace, "--type", "merge", "-p", &patch];
    let (ready, gone, freed) =
        tokio::join!(server.allready(&ready), server.allready(&gone), server.kubectl(&arguments));
    freed.ok();
    assert_eq!(gone.code, Some(0), "{gone:?}");
    // Whether it was still seen or not: who waits for it to be ready waits in vain.
    assert_eq!(ready.code, Some(3), "{ready:?}");
}

async fn kinds_are_found_by_the_names_that_kubectl_takes(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    let new = serde_json::from_value(waiter("a", 1)).unwrap();
    waiters.create(&PostParams::default(), &new).await.unwrap();
    says(&waiters, "a", 1, "True").await;
    let names =
        ["wtr", "waiter", "Waiter", "waiters", "waiters.wait.e2e", "waiter.v1.wait.e2e.example", "wtr.wait"];
    for name in names {
        let object = format!("{name}/a");
        let by_kubectl = server.kubectl(&["get", &object, "-n", &namespace]).await;
        assert_eq!(by_kubectl.code, Some(0), "{name}: {by_kubectl:?}");
        let waited = server.allready(&["wait", &object, "-n", &namespace, "--for", "Ready"]).await;
        assert_eq!(waited.code, Some(0), "{name}: {waited:?}");
    }
    let all = server.allready(&["wait", "waiting", "--all", "-n", &namespace, "--for", "Ready"]).await;
    assert_eq!(all.code, Some(0), "{all:?}");
    let missed = server.allready(&["wait", "waitres/a", "-n", &namespace]).await;
    assert_eq!(missed.code, Some(69), "{missed:?}");
    assert!(missed.err.contains(&format!("did you mean waiters.{GROUP}?")), "{missed:?}");
}
