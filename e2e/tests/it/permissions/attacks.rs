//! Attacks on the identity of a report that the admission policies refuse.

use allready_e2e::{Server, eventually};
use kube::{
    Client,
    api::{DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

use super::{
    guarded::{Attempt, refused, words},
    installed::{Installed, account, apply},
    objects,
};
use crate::config_status::configuration_state;

allready_e2e::scenarios![
    the_heartbeat_of_another_node_cannot_be_renewed,
    whoever_is_not_listed_speaks_for_no_listed_component_and_the_listed_only_to_their_targets,
    a_service_account_of_kube_system_forges_no_report,
    the_configuration_state_of_another_node_cannot_be_written
];

/// Applies an object.
async fn put(
    client: &Client,
    namespace: &str,
    manager: &str,
    object: &Value,
) -> Result<DynamicObject, String> {
    let text = |field: &Value| field.as_str().unwrap().to_owned();
    let (version, kind, name) =
        (text(&object["apiVersion"]), text(&object["kind"]), text(&object["metadata"]["name"]));
    let parameters = PatchParams::apply(manager).force();
    objects(client, &version, &kind, namespace)
        .patch(&name, &parameters, &Patch::Apply(object))
        .await
        .map_err(words)
}

/// Waits until a policy holds: it does so some time after it was made.
async fn until_refused(because: &str, mut attempt: impl AsyncFnMut() -> Result<DynamicObject, String>) {
    for _ in 0..200 {
        if attempt().await.is_err_and(|message| message.contains(because)) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    refused(attempt().await, because);
}

fn lease(name: &str, owner: Option<&str>) -> Value {
    let mut lease = json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": name },
        "spec": { "holderIdentity": "somebody", "renewTime": "2026-03-01T10:00:00.000000Z" } });
    if let Some(owner) = owner {
        lease["metadata"]["ownerReferences"] = json!([{ "apiVersion": "allready.dev/v1alpha1",
            "kind": "StatusReport", "name": owner, "uid": "5a1e0f5e-0000-4000-8000-000000000000" }]);
    }
    lease
}

async fn the_heartbeat_of_another_node_cannot_be_renewed(server: Server) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let a = installed.speaker(&server, "guarded-a").await;
    let b = installed.speaker(&server, "guarded-b").await;
    let (own, others) = ("guarded.speaker.guarded-a", "guarded.speaker.guarded-b");
    let because = "renews the Leases of speaker on guarded-a, not guarded.speaker.guarded-b";
    until_refused(because, async || {
        put(&a, namespace, "speaker-guarded-a", &lease(others, Some(others))).await
    })
    .await;
    put(&a, namespace, "speaker-guarded-a", &lease(own, Some(own))).await.unwrap();
    put(&b, namespace, "speaker-guarded-b", &lease(others, Some(others))).await.unwrap();
    refused(put(&a, namespace, "speaker-guarded-b", &lease(others, Some(others))).await, because);
    // Nor by taking the owner away, or naming another one.
    let stripped =
        json!({ "metadata": { "ownerReferences": null }, "spec": { "holderIdentity": "speaker-guarded-a" } });
    let leases = objects(&a, "coordination.k8s.io/v1", "Lease", namespace);
    let stripped = leases.patch(others, &PatchParams::default(), &Patch::Merge(&stripped)).await;
    refused(stripped.map_err(words), "is owned by it");
    refused(put(&a, namespace, "x", &lease("free", Some(own))).await, "is owned by it");
    // Other Leases of the namespace are none of the policy's.
    put(&a, namespace, "speaker", &lease("speaker-leader", None)).await.unwrap();
    put(&server.client(), namespace, "people", &lease(others, Some(others))).await.unwrap();
}

async fn whoever_is_not_listed_speaks_for_no_listed_component_and_the_listed_only_to_their_targets(
    server: Server,
) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let metadata = json!({ "name": "stranger-reports", "namespace": namespace });
    let subject = json!({ "kind": "ServiceAccount", "name": "stranger", "namespace": namespace });
    let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "allready-e2e-sharded-reporter" });
    let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": role, "subjects": [subject] });
    apply(&server.client(), &binding).await;
    let stranger = installed.account(&server, "stranger", Some("guarded-a")).await;
    let own = Attempt {
        target: "guarded",
        name: "guarded.stranger.guarded-a",
        component: "stranger",
        instance: "guarded-a",
        manager: "stranger-guarded-a",
        condition: "poolValid",
    };
    let is_allowed = |seen: &bool| *seen;
    eventually("the binding", is_allowed, || async { own.by(&stranger, namespace).await.is_ok() }).await;
    for (name, instance, manager) in [
        ("guarded.speaker.node-forged", "node-forged", "speaker-node-forged"),
        ("guarded.speaker", "", "speaker"),
    ] {
        let forged = Attempt { component: "speaker", name, instance, manager, ..own };
        let because = "is not among the reporters that speak for speaker";
        until_refused(because, async || forged.by(&stranger, namespace).await).await;
    }

    let controller = installed.account(&server, "controller", Some("guarded-a")).await;
    let report = Attempt {
        component: "controller",
        name: "guarded.controller",
        instance: "",
        manager: "controller",
        ..own
    };
    report.by(&controller, namespace).await.unwrap();
    let elsewhere = Attempt { target: "another", name: "another.controller", ..report };
    refused(elsewhere.by(&controller, namespace).await, "reports to guarded, not to another");
}

async fn a_service_account_of_kube_system_forges_no_report(server: Server) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let system = "kube-system";
    let metadata = json!({ "name": "system-reports", "namespace": namespace });
    let subjects = ["metrics-server", "generic-garbage-collector"]
        .map(|name| json!({ "kind": "ServiceAccount", "name": name, "namespace": system }));
    for subject in &subjects {
        let metadata = json!({ "name": subject["name"], "namespace": system });
        let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata });
        apply(&server.client(), &account).await;
    }
    let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "allready-e2e-sharded-reporter" });
    let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": role, "subjects": subjects });
    apply(&server.client(), &binding).await;
    let anybody = account(&server, system, "metrics-server", None).await;
    let own = Attempt {
        target: "guarded",
        name: "guarded.metrics",
        component: "metrics",
        instance: "",
        manager: "metrics",
        condition: "poolValid",
    };
    let is_allowed = |seen: &bool| *seen;
    eventually("the binding", is_allowed, || async { own.by(&anybody, namespace).await.is_ok() }).await;
    for (name, instance, manager) in [
        ("guarded.speaker.node-forged", "node-forged", "speaker-node-forged"),
        ("guarded.speaker", "", "speaker"),
    ] {
        let forged = Attempt { component: "speaker", name, instance, manager, ..own };
        let because = "is not among the reporters that speak for speaker";
        until_refused(because, async || forged.by(&anybody, namespace).await).await;
    }
    // The collector of what has lost its owner writes to reports of others.
    let collector = account(&server, system, "generic-garbage-collector", None).await;
    let orphaned = json!({ "metadata": { "ownerReferences": null, "labels": { "collected": "yes" } } });
    let reports = objects(&collector, "allready.dev/v1alpha1", "StatusReport", namespace);
    reports.patch("guarded.metrics", &PatchParams::default(), &Patch::Merge(&orphaned)).await.unwrap();
}

async fn the_configuration_state_of_another_node_cannot_be_written(server: Server) {
    server.define(serde_json::from_value(configuration_state()).unwrap()).await;
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let metadata = json!({ "name": "speaker-states", "namespace": namespace });
    let allowed = json!({ "apiGroups": ["metallb.io"], "resources": ["configurationstates", "configurationstates/status"],
        "verbs": ["create", "get", "patch"] });
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": [allowed] });
    let subject = json!({ "kind": "ServiceAccount", "name": "speaker", "namespace": namespace });
    let to = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "speaker-states" });
    let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": to, "subjects": [subject] });
    for object in [role, binding] {
        apply(&server.client(), &object).await;
    }
    let state = |name: &str, component: &str, node: &str| {
        json!({ "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationState", "metadata": { "name": name,
            "labels": { "metallb.io/component-type": component, "metallb.io/node-name": node } } })
    };
    let a = installed.speaker(&server, "guarded-a").await;
    let b = installed.speaker(&server, "guarded-b").await;
    let others = state("speaker-guarded-b", "speaker", "guarded-b");
    let because = "is that of node guarded-a, and this ConfigurationState is about guarded-b";
    until_refused(because, async || put(&a, namespace, "speaker", &others).await).await;
    put(&b, namespace, "speaker", &others).await.unwrap();
    put(&a, namespace, "speaker", &state("speaker-guarded-a", "speaker", "guarded-a")).await.unwrap();
    let relabelled = state("speaker-guarded-b", "speaker", "guarded-a");
    refused(put(&a, namespace, "speaker", &relabelled).await, "cannot change");
    let controllers = state("controller", "controller", "guarded-a");
    refused(put(&a, namespace, "speaker", &controllers).await, "does not report for controller");
    let api = objects(&a, "metallb.io/v1beta1", "ConfigurationState", namespace);
    let status = json!({ "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationState", "status": { "result": "Valid" } });
    let parameters = PatchParams::apply("speaker").force();
    api.patch_status("speaker-guarded-a", &parameters, &Patch::Apply(&status)).await.unwrap();
    let written = api.patch_status("speaker-guarded-b", &parameters, &Patch::Apply(&status)).await;
    refused(written.map_err(words), because);
}
