//! What a client may not choose: set when an object is made, kept when it is changed.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::{
    defaults, normal,
    path::{at, at_mut, carry, entry, flag_at, items, remove, text, text_at},
    quantity::Quantity,
    table::Row,
};
use crate::resource::Endpoint;

/// Daemon sets once counted the changes of their template in a field; it lives on as an annotation.
const TEMPLATE_GENERATION: [&str; 3] =
    ["metadata", "annotations", "deprecated.daemonset.template.generation"];

/// What is settled while an object is read, before defaults are filled in.
pub(crate) fn decoded(row: &Row, object: &mut Value) {
    if row.kind == "Secret" {
        let Some(map) = object.as_object_mut() else { return };
        if let Some(Value::Object(plain)) = map.remove("stringData") {
            let data = entry(map, &["data"]);
            for (key, value) in plain {
                data.insert(key, STANDARD.encode(text(Some(&value))).into());
            }
        }
    }
}

/// Before an object is made.
pub(crate) fn create(row: &Row, object: &mut Value) {
    if row.status && row.kind != "Node" {
        remove(object, &["status"]);
        normal::normalise(row.name, object);
    }
    if row.generation {
        put(object, &["metadata", "generation"], json!(1));
    }
    match row.kind {
        "Namespace" => namespace(object),
        "Node" => node(object),
        "Pod" => pod(object),
        "Service" => addresses(object),
        "Job" => job(object),
        "DaemonSet" => put(object, &TEMPLATE_GENERATION, json!("1")),
        "Lease" => {
            remove(object, &["spec", "strategy"]);
            remove(object, &["spec", "preferredHolder"]);
        }
        "ServiceAccount" => bare_references(object),
        _ => {}
    }
}

/// Before an object is changed through one of its endpoints.
pub(crate) fn update(row: &Row, endpoint: Endpoint, new: &mut Value, old: &Value) {
    for path in reset_fields(row, endpoint) {
        // The managed fields keep their own account of what a status write may not touch.
        if path != ["metadata", "deletionTimestamp"] {
            carry(new, old, &path);
        }
    }
    match (row.kind, endpoint) {
        ("Namespace", Endpoint::Main) => carry(new, old, &["spec", "finalizers"]),
        ("Pod", Endpoint::Main) => added_tolerations(new),
        ("Pod", Endpoint::Status) if at(new, &["status", "qosClass"]).is_none() => {
            carry(new, old, &["status", "qosClass"]);
        }
        ("Service", Endpoint::Main) => {
            keep_addresses(new, old);
            addresses(new);
        }
        ("DaemonSet", _) => template_generation(new, old),
        ("ServiceAccount", _) => bare_references(new),
        _ => {}
    }
}

/// What a write through an endpoint never owns.
pub(crate) fn reset_fields(row: &Row, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
    match (endpoint, row.kind) {
        _ if !row.status => Vec::new(),
        (Endpoint::Main | Endpoint::Other(_), _) => vec![vec!["status"]],
        (Endpoint::Status, "Deployment") => vec![vec!["spec"], vec!["metadata", "labels"]],
        (Endpoint::Status, "Pod") => {
            vec![vec!["spec"], vec!["metadata", "deletionTimestamp"], vec!["metadata", "ownerReferences"]]
        }
        (Endpoint::Status, _) => vec![vec!["spec"]],
        (Endpoint::Scale, _) => Vec::new(),
    }
}

fn put(object: &mut Value, path: &[&str], value: Value) {
    if let (Some(map), Some((last, parents))) = (object.as_object_mut(), path.split_last()) {
        entry(map, parents).insert((*last).to_owned(), value);
    }
}

fn list<'a>(object: &'a mut Value, parents: &[&str], key: &str) -> Option<&'a mut Vec<Value>> {
    let list = entry(object.as_object_mut()?, parents).entry(key).or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    list.as_array_mut()
}

fn namespace(object: &mut Value) {
    put(object, &["status"], json!({"phase": "Active"}));
    if let Some(finalizers) = list(object, &["spec"], "finalizers")
        && !finalizers.contains(&json!("kubernetes"))
    {
        finalizers.push(json!("kubernetes"));
    }
}

fn node(object: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let same = |other: &Value| {
        text_at(other, &["key"]) == taint["key"] && text_at(other, &["effect"]) == "NoSchedule"
    };
    if let Some(taints) = list(object, &["spec"], "taints")
        && !taints.iter().any(same)
    {
        taints.push(taint);
    }
    remove(object, &["spec", "configSource"]);
    remove(object, &["status", "config"]);
}

fn pod(object: &mut Value) {
    let quality = quality_of_service(object);
    put(object, &["status"], json!({"phase": "Pending", "qosClass": quality}));
    if let Some(map) = object.as_object_mut() {
        let spec = entry(map, &["spec"]);
        spec.entry("priority").or_insert(json!(0));
        spec.entry("preemptionPolicy").or_insert(json!("PreemptLowerPriority"));
    }
    added_tolerations(object);
    if !items(object, &["spec", "schedulingGates"]).is_empty() {
        let condition = json!({
            "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null, "lastTransitionTime": null,
        });
        put(object, &["status", "conditions"], json!([condition]));
    }
}

/// A pod survives a node that is not ready, or not reachable, for five minutes, unless it says otherwise.
fn added_tolerations(object: &mut Value) {
    let covers = |toleration: &Value, key: &str| {
        let own = text_at(toleration, &["key"]);
        (own == key || own.is_empty()) && matches!(text_at(toleration, &["effect"]), "NoExecute" | "")
    };
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        if let Some(tolerations) = list(object, &["spec"], "tolerations")
            && !tolerations.iter().any(|toleration| covers(toleration, key))
        {
            tolerations.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
            }));
        }
    }
    if items(object, &["spec", "tolerations"]).is_empty() {
        remove(object, &["spec", "tolerations"]);
    }
}

fn quality_of_service(pod: &Value) -> &'static str {
    let amount = |container: &Value, kind: &str, name: &str| {
        let written = text_at(container, &["resources", kind, name]);
        Quantity::parse(written).ok().filter(|amount| !written.is_empty() && !amount.is_zero())
    };
    let containers =
        || items(pod, &["spec", "containers"]).iter().chain(items(pod, &["spec", "initContainers"]));
    let names = ["cpu", "memory"];
    let none = containers().all(|container| {
        names.iter().all(|name| {
            amount(container, "requests", name).is_none() && amount(container, "limits", name).is_none()
        })
    });
    let full = containers().all(|container| {
        names.iter().all(|name| {
            match (amount(container, "limits", name), amount(container, "requests", name)) {
                (Some(limit), Some(request)) => !limit.exceeds(request) && !request.exceeds(limit),
                _ => false,
            }
        })
    });
    match (none, full) {
        (true, _) => "BestEffort",
        (_, true) => "Guaranteed",
        _ => "Burstable",
    }
}

fn job(object: &mut Value) {
    let name = text_at(object, &["metadata", "name"]).to_owned();
    let uid = text_at(object, &["metadata", "uid"]).to_owned();
    if !flag_at(object, &["spec", "manualSelector"])
        && let Some(map) = object.as_object_mut()
    {
        let labels = entry(map, &["spec", "template", "metadata", "labels"]);
        for (key, value) in [
            ("job-name", &name),
            ("batch.kubernetes.io/job-name", &name),
            ("controller-uid", &uid),
            ("batch.kubernetes.io/controller-uid", &uid),
        ] {
            labels.entry(key).or_insert_with(|| json!(value));
        }
        let wanted = entry(map, &["spec", "selector", "matchLabels"]);
        wanted.entry("batch.kubernetes.io/controller-uid").or_insert_with(|| json!(uid));
    }
    if let Some(map) = object.as_object_mut() {
        defaults::job_labels(map);
    }
}

fn template_generation(new: &mut Value, old: &Value) {
    let template = ["spec", "template"];
    let before = text_at(old, &TEMPLATE_GENERATION).parse().unwrap_or(0_i64);
    let after = before.saturating_add(i64::from(at(new, &template) != at(old, &template)));
    put(new, &TEMPLATE_GENERATION, json!(after.to_string()));
}

fn bare_references(object: &mut Value) {
    for secret in at_mut(object, &["secrets"]).and_then(Value::as_array_mut).into_iter().flatten() {
        let name = secret.get("name").cloned();
        *secret = Value::Object(name.map(|name| ("name".to_owned(), name)).into_iter().collect());
    }
}

/// What a service was given stays its own when an update leaves it out.
fn keep_addresses(new: &mut Value, old: &Value) {
    let kind = |service: &Value| text_at(service, &["spec", "type"]).to_owned();
    let (before, after) = (kind(old), kind(new));
    if after == "ExternalName" {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            if at(new, &["spec", field]) == at(old, &["spec", field]) {
                remove(new, &["spec", field]);
            }
        }
        return;
    }
    for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if at(new, &["spec", field]).is_none() {
            carry(new, old, &["spec", field]);
        }
    }
    let numbered = |kind: &str| matches!(kind, "NodePort" | "LoadBalancer");
    let same = |a: &Value, b: &Value, field: &str| a.get(field) == b.get(field);
    let former = items(old, &["spec", "ports"]).to_vec();
    for port in at_mut(new, &["spec", "ports"]).and_then(Value::as_array_mut).into_iter().flatten() {
        let match_of = |other: &&Value| same(other, port, "port") && same(other, port, "protocol");
        let number = former.iter().find(match_of).and_then(|other| other.get("nodePort")).cloned();
        let Some(map) = port.as_object_mut() else { continue };
        match (numbered(&before), numbered(&after), number) {
            (true, true, Some(number)) => {
                map.entry("nodePort").or_insert(number);
            }
            (true, false, Some(number)) if map.get("nodePort") == Some(&number) => {
                map.remove("nodePort");
            }
            _ => {}
        }
    }
    let reachable = numbered(&after) || !items(new, &["spec", "externalIPs"]).is_empty();
    let policy = ["spec", "externalTrafficPolicy"];
    if !reachable && at(new, &policy) == at(old, &policy) {
        remove(new, &policy);
    }
    let allocate = ["spec", "allocateLoadBalancerNodePorts"];
    if after != "LoadBalancer" && at(new, &allocate) == at(old, &allocate) {
        remove(new, &allocate);
    }
}

/// Gives a service the addresses and ports that its type asks for, the same ones for the same name.
fn addresses(object: &mut Value) {
    let kind = text_at(object, &["spec", "type"]).to_owned();
    if !matches!(kind.as_str(), "ClusterIP" | "NodePort" | "LoadBalancer") {
        return;
    }
    let name =
        format!("{}/{}", text_at(object, &["metadata", "namespace"]), text_at(object, &["metadata", "name"]));
    let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let Some(map) = object.as_object_mut() else { return };
    let spec = entry(map, &["spec"]);
    let first = spec.get("clusterIPs").and_then(|list| list.get(0)).cloned();
    let address = match (text(spec.get("clusterIP")), first) {
        ("", Some(first)) => first,
        // The first address of the range is the API server's own.
        ("", None) => json!(format!("10.0.0.{}", 2 + seed % 253)),
        (given, _) => json!(given),
    };
    spec.insert("clusterIP".into(), address.clone());
    spec.entry("clusterIPs").or_insert_with(|| json!([address]));
    spec.entry("ipFamilies").or_insert_with(|| json!(["IPv4"]));
    spec.entry("ipFamilyPolicy").or_insert_with(|| json!("SingleStack"));
    if kind != "ClusterIP" {
        number_ports(spec, seed);
    }
}

fn number_ports(spec: &mut Map<String, Value>, seed: u64) {
    let allocate = spec.get("allocateLoadBalancerNodePorts").and_then(Value::as_bool).unwrap_or(true);
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut).filter(|_| allocate);
    for (port, step) in ports.into_iter().flatten().zip(0_u64..) {
        if let Some(port) = port.as_object_mut() {
            port.entry("nodePort").or_insert_with(|| json!(30000 + seed.wrapping_add(step) % 2768));
        }
    }
}
