use super::*;
use crate::{graph::Relation, health::Health};

fn deployment() -> Value {
    let mut deployment = object(
        "apps/v1",
        "Deployment",
        "web",
        &json!({ "replicas": 1, "selector": { "matchLabels": { "app": "web" } } }),
        &json!({ "observedGeneration": 3, "replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1, "conditions": [
            condition("Available", "False", "MinimumReplicasUnavailable", "not enough"),
            condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out"),
        ] }),
    );
    deployment["metadata"]["generation"] = json!(4);
    deployment
}

fn replica_set() -> Value {
    let set = object(
        "apps/v1",
        "ReplicaSet",
        "web-7",
        &json!({ "replicas": 1, "selector": { "matchLabels": { "app": "web" } } }),
        &json!({ "replicas": 1, "readyReplicas": 0 }),
    );
    owned(set, "apps/v1", "Deployment", "web")
}

fn pod(name: &str, spec: &Value, state: &Value) -> Value {
    let mut pod = object(
        "v1",
        "Pod",
        name,
        spec,
        &json!({ "phase": "Running", "conditions": [
            condition("Ready", "False", "ContainersNotReady", "containers with unready status: [app]"),
            condition("ContainersReady", "False", "ContainersNotReady", "containers with unready status: [app]"),
        ], "containerStatuses": [{ "name": "app", "ready": false, "restartCount": 7, "state": state,
            "lastState": { "terminated": { "reason": "OOMKilled", "exitCode": 137 } } }] }),
    );
    pod["metadata"]["labels"] = json!({ "app": "web" });
    pod["metadata"]["managedFields"] = json!([{ "manager": "kubelet", "operation": "Update", "subresource": "status",
        "fieldsType": "FieldsV1", "fieldsV1": { "f:status": { "f:containerStatuses": {} } } }]);
    owned(pod, "apps/v1", "ReplicaSet", "web-7")
}

fn crash_loop() -> Value {
    json!({ "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s" } })
}

#[test]
fn a_deployment_is_followed_to_the_container_that_crashes() {
    let known = cluster([deployment(), replica_set(), pod("web-7-a", &json!({}), &crash_loop())]);
    let explanation = explained(&known, "apps", "Deployment", "web");
    assert_eq!(
        path(&explanation),
        [
            "Deployment shop/web",
            "controls ReplicaSet shop/web-7",
            "controls Pod shop/web-7-a",
            "has container app"
        ]
    );
    let cause = cause_node(&explanation);
    assert_eq!(cause.reason, "CrashLoopBackOff");
    assert_eq!(cause.message, "it last ended with OOMKilled (exit code 137), 7 restarts");
    assert_eq!(cause.since, Some("2026-11-15T11:55:00Z".parse().unwrap()));
    assert_eq!(cause.writer.as_ref().map(|writer| writer.manager.as_str()), Some("kubelet"));
    let lag = explanation.nodes[0].lag.unwrap();
    assert_eq!((lag.observed, lag.generation), (3, 4));
}

#[test]
fn a_secret_that_a_pod_needs_and_that_is_not_there_is_the_first_cause() {
    let creating = json!({ "waiting": { "reason": "ContainerCreating" } });
    let spec = json!({
        "volumes": [{ "name": "a", "secret": { "secretName": "password" } }, { "name": "b", "configMap": { "name": "settings" } }],
        "containers": [{ "name": "app", "envFrom": [{ "secretRef": { "name": "extra", "optional": true } }] }],
    });
    let settings = object("v1", "ConfigMap", "settings", &json!(null), &json!(null));
    let known = cluster([deployment(), replica_set(), pod("web-7-a", &spec, &creating), settings]);
    let explanation = explained(&known, "apps", "Deployment", "web");
    assert_eq!(cause(&explanation), "Secret shop/password: NotFound");
    assert_eq!(cause_node(&explanation).health, Some(Health::Missing));
    assert_eq!(find(&explanation, "Secret shop/extra"), None, "it may be absent");
}

#[test]
fn a_node_that_is_gone_explains_its_pods() {
    let mut node = object("v1", "Node", "node-1", &json!({}), &ready("False", "KubeletStopped"));
    node["metadata"]["namespace"] = json!(null);
    let waiting = json!({ "waiting": { "reason": "ContainerCreating" } });
    let known = cluster([pod("web-7-a", &json!({ "nodeName": "node-1" }), &waiting), node]);
    let explanation = explained(&known, "", "Pod", "web-7-a");
    assert!(cause(&explanation).starts_with("Node node-1"), "{}", cause(&explanation));
}

#[test]
fn warnings_are_told_below_what_they_are_about_and_counted() {
    let event = |name: &str, reason: &str, count: i64, kind: &str| {
        json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": name, "namespace": "shop" }, "type": kind,
            "reason": reason, "message": "it did", "count": count, "lastTimestamp": "2026-11-15T11:59:00Z",
            "source": { "component": "kubelet" },
            "involvedObject": { "kind": "Pod", "namespace": "shop", "name": "web-7-a" } })
    };
    let events = [
        event("a", "BackOff", 30, "Warning"),
        event("b", "BackOff", 1, "Warning"),
        event("c", "Pulled", 9, "Normal"),
    ];
    let known = cluster([pod("web-7-a", &json!({}), &crash_loop())].into_iter().chain(events));
    let explanation = explained(&known, "", "Pod", "web-7-a");
    let warning = find(&explanation, "BackOff ×31").unwrap();
    assert_eq!((warning.relation, warning.health), (Relation::Told, None));
    assert_eq!(warning.writer.as_ref().unwrap().manager, "kubelet");
    assert_eq!(find(&explanation, "Pulled ×9"), None);
    assert_eq!(cause(&explanation), "Pod shop/web-7-a container app: CrashLoopBackOff");
}

#[test]
fn a_custom_kind_is_followed_through_owners_and_references_that_nobody_declared() {
    let status = |status| ready(status, "Because");
    let api = "cluster.x-k8s.io/v1beta2";
    let infrastructure = "infrastructure.cluster.x-k8s.io/v1beta2";
    let reference = |kind: &str, name: &str| json!({ "apiGroup": "infrastructure.cluster.x-k8s.io", "kind": kind, "name": name });
    let known = cluster([
        object(
            api,
            "Cluster",
            "prod",
            &json!({ "infrastructureRef": reference("LabCluster", "prod") }),
            &status("False"),
        ),
        object(infrastructure, "LabCluster", "prod", &json!({}), &status("True")),
        owned(
            object(api, "MachineDeployment", "md", &json!({ "clusterName": "prod" }), &status("False")),
            api,
            "Cluster",
            "prod",
        ),
        owned(
            object(api, "MachineSet", "ms", &json!({ "clusterName": "prod" }), &status("False")),
            api,
            "MachineDeployment",
            "md",
        ),
        owned(
            object(
                api,
                "Machine",
                "m-1",
                &json!({ "infrastructureRef": reference("LabMachine", "m-1") }),
                &status("False"),
            ),
            api,
            "MachineSet",
            "ms",
        ),
        owned(
            object(infrastructure, "LabMachine", "m-1", &json!({}), &status("False")),
            api,
            "Machine",
            "m-1",
        ),
    ]);
    let explanation = explained(&known, "cluster.x-k8s.io", "Cluster", "prod");
    assert_eq!(
        path(&explanation),
        [
            "Cluster shop/prod",
            "controls MachineDeployment shop/md",
            "controls MachineSet shop/ms",
            "controls Machine shop/m-1",
            "controls LabMachine shop/m-1"
        ]
    );
    assert_eq!(explanation.nodes[0].folded.len(), 1, "the infrastructure is well");
}

#[test]
fn an_owner_of_the_same_name_that_is_gone_owns_nothing() {
    let mut orphan = pod("web-7-a", &json!({}), &crash_loop());
    orphan["metadata"]["ownerReferences"][0]["uid"] = json!("another");
    let known = cluster([replica_set(), orphan]);
    let explanation = explained(&known, "apps", "ReplicaSet", "web-7");
    assert_eq!(find(&explanation, "Pod shop/web-7-a"), None);
}

#[test]
fn what_is_healthy_has_no_cause() {
    let known = cluster([object("example.com/v1", "Widget", "a", &json!({}), &ready("True", "Good"))]);
    let explanation = explained(&known, "example.com", "Widget", "a");
    assert_eq!((explanation.health(), explanation.cause), (Health::Healthy, None));
}

#[test]
fn what_is_not_there_is_missing() {
    let explanation = explained(&cluster([]), "example.com", "Widget", "a");
    assert_eq!(explanation.health(), Health::Missing);
    assert_eq!(cause(&explanation), "Widget shop/a: NotFound");
}

#[test]
fn what_was_applied_is_followed_by_the_inventory() {
    let api = "kustomize.toolkit.fluxcd.io/v1";
    let mut status = ready("False", "HealthCheckFailed");
    status["inventory"] =
        json!({ "entries": [{ "id": "shop_web_apps_Deployment", "v": "v1" }, { "id": "nonsense" }] });
    let source = json!({ "sourceRef": { "kind": "GitRepository", "name": "web" } });
    let known = cluster([
        object(api, "Kustomization", "web", &source, &status),
        object(
            "source.toolkit.fluxcd.io/v1",
            "GitRepository",
            "web",
            &json!({}),
            &ready("True", "Succeeded"),
        ),
        deployment(),
        replica_set(),
        pod("web-7-a", &json!({}), &crash_loop()),
    ]);
    let explanation = explained(&known, "kustomize.toolkit.fluxcd.io", "Kustomization", "web");
    assert_eq!(path(&explanation)[1], "applies Deployment shop/web");
    assert_eq!(cause(&explanation), "Pod shop/web-7-a container app: CrashLoopBackOff");
}

#[test]
fn the_secret_that_a_certificate_is_to_become_is_not_missed() {
    let spec = json!({ "secretName": "web-tls", "issuerRef": { "name": "lab" } });
    let known = cluster([
        object("cert-manager.io/v1", "Certificate", "web", &spec, &ready("False", "DoesNotExist")),
        object("cert-manager.io/v1", "Issuer", "lab", &json!({}), &ready("False", "ErrRegisterACMEAccount")),
    ]);
    let explanation = explained(&known, "cert-manager.io", "Certificate", "web");
    assert_eq!(cause(&explanation), "Issuer shop/lab: ErrRegisterACMEAccount");
}

#[test]
fn a_lost_node_is_explained_by_ready_and_not_by_what_nobody_knows_since() {
    let unknown = |type_: &str| {
        condition(type_, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    };
    let types = ["MemoryPressure", "DiskPressure", "PIDPressure", "StorageReady", "Ready"];
    let conditions: Vec<_> = types.into_iter().map(unknown).collect();
    let mut node = object("v1", "Node", "node-1", &json!({}), &json!({ "conditions": conditions }));
    node["metadata"]["namespace"] = json!("");
    let status = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "False" }] });
    let pod = object("v1", "Pod", "web", &json!({ "nodeName": "node-1" }), &status);
    let known = cluster([node, pod]);
    for (kind, namespace, name) in [("Node", "", "node-1"), ("Pod", "shop", "web")] {
        for all in [false, true] {
            let root = Reference::to(&ObjectId::new("", kind, namespace, name));
            let bounds = Bounds { all, ..Bounds::default() };
            let explanation = explain(&known, &root, Registry::builtin(), noon(), &bounds);
            let cause = cause_node(&explanation);
            assert_eq!(cause.object.kind, "Node", "{kind} {all}");
            assert_eq!(cause.field, "status.conditions[Ready]", "{kind} {all}");
        }
    }
}
