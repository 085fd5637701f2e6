use super::*;
use crate::graph::Relation;

fn report(name: &str, target: &str, kind: &str, instance: &str, conditions: &Value) -> Value {
    object(
        "allready.dev/v1alpha1",
        "StatusReport",
        name,
        &json!({
            "targetRef": { "apiVersion": "allready.dev/v1alpha1", "kind": kind, "name": target },
            "component": "speaker", "instance": instance,
        }),
        &json!({ "conditions": conditions }),
    )
}

fn instance(cluster: &str, conditions: &Value) -> Value {
    object(
        "allready.dev/v1alpha1",
        "InstanceStatus",
        &format!("web.{cluster}"),
        &json!({
            "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web" },
            "cluster": cluster, "aggregation": "gateways",
        }),
        &json!({ "conditions": conditions }),
    )
}

fn cluster_status(name: &str, reachable: &str) -> Value {
    let condition = condition("Reachable", reachable, "Timeout", "it does not answer");
    object(
        "allready.dev/v1alpha1",
        "ClusterStatus",
        name,
        &json!({ "source": "Secret hub/c" }),
        &json!({ "conditions": [condition] }),
    )
}

#[test]
fn a_reporter_that_fails_is_named_with_its_node() {
    let status = object(
        "allready.dev/v1alpha1",
        "ConfigurationStatus",
        "config-status",
        &json!({}),
        &json!({ "conditions": [condition("Ready", "False", "ReportersFailing", "1 of 2 reporters")] }),
    );
    let good = json!([condition("configReconcilerValid", "True", "Valid", "")]);
    let bad = json!([condition("Ready", "False", "BadPeer", "peer 10.0.0.9 is not valid")]);
    let mut node = object("v1", "Node", "node-7", &json!({}), &ready("True", "KubeletReady"));
    node["metadata"]["namespace"] = json!(null);
    let known = cluster([
        status,
        report("speaker.node-6", "config-status", "ConfigurationStatus", "node-6", &good),
        report("speaker.node-7", "config-status", "ConfigurationStatus", "node-7", &bad),
        report("speaker.node-8", "another", "ConfigurationStatus", "node-8", &bad),
        node,
    ]);
    let explanation = explained(&known, "allready.dev", "ConfigurationStatus", "config-status");
    assert!(cause(&explanation).starts_with("StatusReport shop/speaker.node-7"), "{}", cause(&explanation));
    assert_eq!(cause_node(&explanation).message, "peer 10.0.0.9 is not valid");
    assert_eq!(find(&explanation, "StatusReport shop/speaker.node-8"), None, "it reports to another");
}

#[test]
fn a_hub_object_leads_to_the_cluster_that_does_not_answer() {
    let gateway = object(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        "web",
        &json!({}),
        &json!({ "conditions": [condition("Programmed", "Unknown", "ClusterUnreachable", "cluster-3 (unknown) ClusterUnreachable: timeout")] }),
    );
    let known = cluster([
        gateway,
        instance("cluster-1", &json!([condition("Programmed", "True", "Programmed", "")])),
        instance("cluster-2", &json!([condition("Programmed", "False", "NoAddress", "no address")])),
        cluster_status("cluster-1", "True"),
        cluster_status("cluster-2", "True"),
        cluster_status("cluster-3", "False"),
        cluster_status("cluster-33", "False"),
    ]);
    let explanation = explained(&known, "gateway.networking.k8s.io", "Gateway", "web");
    let silent = find(&explanation, "ClusterStatus shop/cluster-3").unwrap();
    assert_eq!(silent.relation, Relation::FromCluster);
    assert_eq!(find(&explanation, "ClusterStatus shop/cluster-33"), None, "nobody speaks of it");
    assert!(find(&explanation, "InstanceStatus shop/web.cluster-2").is_some());
}

#[test]
fn a_cluster_that_does_not_answer_comes_before_a_class_that_the_hub_has_not() {
    let gateway = |class: Value| {
        let message = "cluster-2 (unknown) ClusterUnreachable: timeout";
        let conditions =
            ["Programmed", "Accepted"].map(|type_| condition(type_, "Unknown", "InstancesUnknown", message));
        let status = json!({ "conditions": conditions });
        object("gateway.networking.k8s.io/v1", "Gateway", "web", &class, &status)
    };
    let programmed = json!([condition("Programmed", "True", "Programmed", "")]);
    let unknown = json!([condition("Programmed", "Unknown", "ClusterUnreachable", "timeout")]);
    let reports = [
        instance("cluster-1", &programmed),
        cluster_status("cluster-1", "True"),
        cluster_status("cluster-2", "False"),
    ];
    let named = |reports: Vec<Value>| {
        let objects = reports.into_iter().chain([gateway(json!({ "gatewayClassName": "example" }))]);
        let explanation = explained(&cluster(objects), "gateway.networking.k8s.io", "Gateway", "web");
        assert!(find(&explanation, "GatewayClass example").is_some(), "it is still told");
        cause(&explanation)
    };
    let without_instance = reports.to_vec();
    let with_instance = [&reports[..], &[instance("cluster-2", &unknown)]].concat();
    for reports in [without_instance, with_instance] {
        assert_eq!(named(reports), "ClusterStatus shop/cluster-2: Timeout");
    }
    assert_eq!(named(Vec::new()), "GatewayClass example: NotFound");
}

/// A Lease that was last renewed at this time of the day.
fn lease(renewed: &str) -> Value {
    let spec = json!({ "leaseDurationSeconds": 15, "renewTime": format!("2026-11-15T{renewed}.000000Z") });
    object("coordination.k8s.io/v1", "Lease", "allready-controller", &spec, &json!({}))
}

/// A StatusAggregation that is Ready, and a Gateway that it has made Programmed.
fn aggregated() -> [Value; 2] {
    let mut status = ready("True", "AllClustersHeard");
    status["controller"] = json!({ "lease": "shop/allready-controller", "term": 3 });
    let mut aggregation =
        object("allready.dev/v1alpha1", "StatusAggregation", "gateways", &json!({}), &status);
    aggregation["metadata"]["namespace"] = json!(null);
    let conditions = [
        condition("Programmed", "True", "AllInstancesReady", ""),
        condition("allready.dev/Aggregated", "True", "Complete", ""),
    ];
    let mut gateway = object(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        "web",
        &json!({}),
        &json!({ "conditions": conditions }),
    );
    gateway["metadata"]["managedFields"] =
        json!([{ "manager": "allready-hub/gateways", "operation": "Apply", "subresource": "status" }]);
    [aggregation, gateway]
}

/// The health and the message of the StatusAggregation and of the Gateway, beside these objects.
fn doubted(more: impl IntoIterator<Item = Value>) -> Vec<(String, String)> {
    let known = cluster(aggregated().into_iter().chain(more));
    let roots = [
        ObjectId::new("allready.dev", "StatusAggregation", "", "gateways"),
        ObjectId::new("gateway.networking.k8s.io", "Gateway", "shop", "web"),
    ];
    let explained = roots.map(|root| {
        let explanation =
            explain(&known, &Reference::to(&root), Registry::builtin(), noon(), &Bounds::default());
        let node = &explanation.nodes[0];
        (node.health.unwrap().to_string(), node.reason.clone())
    });
    explained.into()
}

#[test]
fn a_true_of_a_hub_whose_lease_is_not_renewed_is_doubted() {
    let unknown = vec![("Unknown".to_owned(), "ControllerNotRunning".to_owned()); 2];
    assert_eq!(doubted([lease("11:00:00")]), unknown, "it is not renewed any more");
    assert_eq!(doubted([]), unknown, "it is not there");
    let alive = doubted([lease("11:59:50")]);
    assert!(alive.iter().all(|(health, _)| health == "Healthy"), "{alive:?}");
}

#[test]
fn a_cluster_is_not_to_blame_for_a_word_that_is_its_name() {
    let status = json!({ "phase": "Pending", "conditions": [condition("Ready", "False", "ContainersNotReady", "")],
        "containerStatuses": [{ "name": "app", "image": "registry/prod:1", "ready": false, "restartCount": 0,
            "state": { "waiting": { "reason": "ImagePullBackOff", "message": "not found" } } }] });
    let pod = object("v1", "Pod", "web", &json!({}), &status);
    let known = cluster([pod, cluster_status("prod", "False")]);
    let explanation = explained(&known, "", "Pod", "web");
    assert_eq!(cause(&explanation), "Pod shop/web container app: ImagePullBackOff");
}
