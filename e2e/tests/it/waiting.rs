//! Waiting for conditions, with the words of what was missing.

use std::time::Duration;

use allready_e2e::{Server, within};
use allready_kube::{
    kinds::StatusReport,
    wait::{WaitError, has_condition, wait_for},
};
use kube::{
    Api, CustomResourceExt as _,
    api::{Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use serde_json::{Value, json};

allready_e2e::scenarios![
    a_wait_ends_when_the_condition_comes_true_at_the_current_generation,
    a_wait_that_is_in_vain_says_what_was_missing,
];

async fn report(server: &Server) -> Api<StatusReport> {
    server.define(StatusReport::crd()).await;
    let namespace = server.namespace("waiting").await;
    let reports: Api<StatusReport> = Api::namespaced(server.client(), &namespace);
    let report = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "metadata": { "name": "speaker" },
        "spec": { "targetRef": { "name": "config-status" }, "component": "speaker" },
    });
    let report = serde_json::from_value(report).unwrap();
    reports.create(&PostParams::default(), &report).await.unwrap();
    reports
}

async fn says(reports: &Api<StatusReport>, status: &str, reason: &str, generation: i64) {
    let ready = json!({ "type": "Ready", "status": status, "reason": reason, "message": "it is so",
        "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": generation });
    let patch: Value = json!({ "status": { "conditions": [ready] } });
    reports.patch_status("speaker", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

async fn a_wait_ends_when_the_condition_comes_true_at_the_current_generation(server: Server) {
    let reports = report(&server).await;
    says(&reports, "False", "Starting", 1).await;
    let waiting = {
        let reports = reports.clone();
        tokio::spawn(async move {
            wait_for(&reports, "speaker", has_condition("Ready"), Duration::from_secs(20)).await
        })
    };
    // kube's own way of waiting takes the same expectation.
    let kubes = await_condition(reports.clone(), "speaker", has_condition("Ready").reason("Started"));
    let (waited, seen, ()) =
        tokio::join!(waiting, within(Duration::from_secs(20), "kube's wait", kubes), async {
            says(&reports, "Unknown", "Starting", 1).await;
            says(&reports, "True", "Started", 1).await;
        });
    let waited = waited.unwrap().unwrap();
    assert_eq!(waited.status.unwrap().conditions[0].reason, "Started");
    assert!(seen.unwrap().is_some());
}

async fn a_wait_that_is_in_vain_says_what_was_missing(server: Server) {
    let reports = report(&server).await;
    says(&reports, "False", "Broken", 1).await;
    let late = wait_for(&reports, "speaker", has_condition("Ready"), Duration::from_millis(300)).await;
    let said = late.unwrap_err().to_string();
    assert!(said.starts_with("statusreports"), "{said}");
    assert!(said.contains("gave up after 300ms: Ready is False (Broken: it is so"), "{said}");
    let hopeless = has_condition("Ready").unless(has_condition("Ready").is_false().reason("Broken"));
    let error = wait_for(&reports, "speaker", hopeless, Duration::from_mins(1)).await.unwrap_err();
    assert!(matches!(error, WaitError::Terminal { .. }), "{error}");
}
