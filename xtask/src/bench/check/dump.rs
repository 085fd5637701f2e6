//! A dump of a cluster that nobody has: a List of mixed objects, as `kubectl get --raw` would give them.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

/// Writes so many objects; returns how many bytes that is.
pub(super) fn write(path: &Path, objects: usize) -> Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(br#"{"apiVersion":"v1","items":["#)?;
    for index in 0..objects {
        if index > 0 {
            file.write_all(b",")?;
        }
        serde_json::to_writer(&mut file, &object(index))?;
    }
    file.write_all(br#"],"kind":"List","metadata":{"resourceVersion":""}}"#)?;
    file.flush()?;
    Ok(file.get_ref().metadata()?.len())
}

/// One of many: about half of a cluster are pods, and one object of twenty has a problem.
fn object(index: usize) -> Value {
    let is_well = !index.is_multiple_of(20);
    match index % 17 {
        0..=6 => pod(index, is_well),
        7 | 8 => replica_set(index),
        9 => deployment(index, is_well),
        10 => plain(
            index,
            "v1",
            "Service",
            json!({ "spec": { "clusterIP": "10.0.0.1", "type": "ClusterIP",
            "ports": [{ "name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080 }], "selector": labels(index) },
            "status": { "loadBalancer": {} } }),
        ),
        11 | 12 => plain(
            index,
            "v1",
            "ConfigMap",
            json!({ "data": { "settings.yaml": "key: value\nother: \"text\"\n".repeat(40) } }),
        ),
        13 => plain(
            index,
            "v1",
            "Secret",
            json!({ "data": { "token": "c2VjcmV0IG9mIG5vYm9keQ==".repeat(20) }, "type": "Opaque" }),
        ),
        14 => custom(index, "cert-manager.io/v1", "Certificate", is_well),
        15 => custom(index, "example.com/v1alpha1", "Widget", is_well),
        _ => route(index, is_well),
    }
}

fn labels(index: usize) -> Value {
    json!({ "app.kubernetes.io/name": format!("app-{}", index % 500), "app.kubernetes.io/part-of": "shop",
        "pod-template-hash": format!("{:08x}", index.wrapping_mul(2_654_435_761) & 0xffff_ffff) })
}

fn metadata(index: usize, kind: &str) -> Value {
    json!({
        "name": format!("{}-{index}", kind.to_lowercase()),
        "namespace": format!("team-{}", index % 97),
        "uid": format!("{index:08x}-1111-4222-8333-{:012x}", index * 31),
        "resourceVersion": (100_000 + index).to_string(),
        "generation": 3,
        "creationTimestamp": "2026-10-01T08:00:00Z",
        "labels": labels(index),
        "annotations": { "deployment.kubernetes.io/revision": "3" },
    })
}

/// Who wrote what: the fields that these objects have, as a server records them.
fn written(of: &Value, status: bool) -> Value {
    fn fields(value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                object.iter().map(|(key, value)| (format!("f:{key}"), fields(value))).collect()
            }
            Value::Array(items)
                if items.iter().all(|item| item["type"].is_string() || item["name"].is_string()) =>
            {
                items
                    .iter()
                    .map(|item| {
                        let key = if item["type"].is_string() { "type" } else { "name" };
                        (format!("k:{}", json!({ key: item[key] })), fields(item))
                    })
                    .collect()
            }
            _ => json!({}),
        }
    }
    let part = if status { "status" } else { "spec" };
    let mut entry = json!({
        "apiVersion": of["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": { format!("f:{part}"): fields(&of[part]) },
        "manager": if status { "kubelet" } else { "kube-controller-manager" },
        "operation": "Update",
        "time": "2026-11-01T08:00:00Z",
    });
    if status {
        entry["subresource"] = "status".into();
    }
    entry
}

fn finished(mut object: Value) -> Value {
    let entries: Vec<Value> = [("spec", false), ("status", true)]
        .into_iter()
        .filter(|(part, _)| object[*part].is_object())
        .map(|(_, status)| written(&object, status))
        .collect();
    object["metadata"]["managedFields"] = entries.into();
    object
}

fn plain(index: usize, api_version: &str, kind: &str, fields: Value) -> Value {
    let mut object = fields;
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    object["metadata"] = metadata(index, kind);
    finished(object)
}

fn condition(type_: &str, status: bool, reason: &str, message: &str) -> Value {
    json!({ "type": type_, "status": if status { "True" } else { "False" }, "reason": reason, "message": message,
        "observedGeneration": 3, "lastTransitionTime": "2026-11-01T08:00:00Z" })
}

fn pod(index: usize, is_well: bool) -> Value {
    let name = format!("app-{}", index % 500);
    let state = if is_well {
        json!({ "running": { "startedAt": "2026-11-01T08:00:05Z" } })
    } else {
        json!({ "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container" } })
    };
    let reason = if is_well { "" } else { "ContainersNotReady" };
    plain(
        index,
        "v1",
        "Pod",
        json!({
            "spec": {
                "containers": [{
                    "name": name, "image": format!("registry.example.com/shop/{name}:1.2.3"), "imagePullPolicy": "IfNotPresent",
                    "env": [{ "name": "LOG_LEVEL", "value": "info" }, { "name": "POD_NAME", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } }],
                    "ports": [{ "containerPort": 8080, "name": "http", "protocol": "TCP" }],
                    "readinessProbe": { "failureThreshold": 3, "httpGet": { "path": "/ready", "port": "http", "scheme": "HTTP" }, "periodSeconds": 10 },
                    "resources": { "limits": { "memory": "256Mi" }, "requests": { "cpu": "100m", "memory": "128Mi" } },
                    "volumeMounts": [{ "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access", "readOnly": true }],
                }],
                "dnsPolicy": "ClusterFirst", "nodeName": format!("worker-{}", index % 50), "restartPolicy": "Always",
                "schedulerName": "default-scheduler", "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
                "tolerations": [{ "effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300 },
                    { "effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300 }],
                "volumes": [{ "name": "kube-api-access", "projected": { "defaultMode": 420, "sources": [{ "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } }] } }],
            },
            "status": {
                "phase": "Running", "hostIP": "10.1.0.1", "podIP": "10.2.0.1", "qosClass": "Burstable", "startTime": "2026-11-01T08:00:00Z",
                "conditions": [
                    condition("Initialized", true, "", ""), condition("Ready", is_well, reason, ""),
                    condition("ContainersReady", is_well, reason, ""), condition("PodScheduled", true, "", ""),
                ],
                "containerStatuses": [{ "name": name, "image": format!("registry.example.com/shop/{name}:1.2.3"), "ready": is_well,
                    "imageID": "sha256:0000000000000000000000000000000000000000000000000000000000000000", "restartCount": 0, "started": is_well, "state": state }],
            },
        }),
    )
}

fn template(index: usize) -> Value {
    json!({ "metadata": { "labels": labels(index) }, "spec": { "containers": [{ "name": "main", "image": "registry.example.com/shop/main:1.2.3",
        "resources": { "requests": { "cpu": "100m" } }, "terminationMessagePath": "/dev/termination-log" }], "restartPolicy": "Always" } })
}

fn replica_set(index: usize) -> Value {
    plain(
        index,
        "apps/v1",
        "ReplicaSet",
        json!({
            "spec": { "replicas": 2, "selector": { "matchLabels": labels(index) }, "template": template(index) },
            "status": { "availableReplicas": 2, "fullyLabeledReplicas": 2, "observedGeneration": 3, "readyReplicas": 2, "replicas": 2 },
        }),
    )
}

fn deployment(index: usize, is_well: bool) -> Value {
    let available = if is_well { 2 } else { 0 };
    let (reason, message) = if is_well {
        ("NewReplicaSetAvailable", "it has progressed")
    } else {
        ("ProgressDeadlineExceeded", "it has timed out progressing")
    };
    plain(
        index,
        "apps/v1",
        "Deployment",
        json!({
            "spec": { "replicas": 2, "progressDeadlineSeconds": 600, "revisionHistoryLimit": 10, "selector": { "matchLabels": labels(index) },
                "strategy": { "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" }, "type": "RollingUpdate" }, "template": template(index) },
            "status": { "availableReplicas": available, "observedGeneration": 3, "readyReplicas": available, "replicas": 2, "updatedReplicas": 2,
                "conditions": [condition("Available", is_well, "MinimumReplicasAvailable", "it has minimum availability"), condition("Progressing", is_well, reason, message)] },
        }),
    )
}

fn custom(index: usize, api_version: &str, kind: &str, is_well: bool) -> Value {
    let (reason, message) = if is_well {
        ("Ready", "it is up to date")
    } else {
        ("Failed", "the issuer refuses: the quota is used up")
    };
    plain(
        index,
        api_version,
        kind,
        json!({
            "spec": { "dnsNames": ["shop.example.com", "www.shop.example.com"], "duration": "2160h0m0s", "issuerRef": { "kind": "ClusterIssuer", "name": "main" }, "secretName": "tls" },
            "status": { "observedGeneration": 3, "notAfter": "2027-01-01T00:00:00Z", "conditions": [condition("Ready", is_well, reason, message)] },
        }),
    )
}

fn route(index: usize, is_well: bool) -> Value {
    let reason = if is_well { "ResolvedRefs" } else { "BackendNotFound" };
    plain(
        index,
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        json!({
            "spec": { "hostnames": ["shop.example.com"], "parentRefs": [{ "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge" }],
                "rules": [{ "backendRefs": [{ "group": "", "kind": "Service", "name": "web", "port": 80, "weight": 1 }], "matches": [{ "path": { "type": "PathPrefix", "value": "/" } }] }] },
            "status": { "parents": [{ "controllerName": "example.com/gateway", "parentRef": { "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge" },
                "conditions": [condition("Accepted", true, "Accepted", ""), condition("ResolvedRefs", is_well, reason, "")] }] },
        }),
    )
}
