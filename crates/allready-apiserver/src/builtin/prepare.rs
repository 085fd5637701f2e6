//! What a client may not choose: set when an object is made, kept when it is changed.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    address, defaults, normal,
    path::{at, at_mut, carry, entry, flag_at, items, number_at, remove, text, text_at},
    quantity::Quantity,
    table::Row,
};
use crate::{
    resource::{Call, Endpoint, User},
    status::{Failure, quote},
};

/// Daemon sets once counted the changes of their template in a field; it lives on as an annotation.
const TEMPLATE_GENERATION: [&str; 3] =
    ["metadata", "annotations", "deprecated.daemonset.template.generation"];

/// Metadata shown alone has nothing in it that only conversion to a version puts there.
pub(crate) fn without_projections(object: &Value, metadata: &mut Value) {
    let [_, annotations, generation] = TEMPLATE_GENERATION;
    if text_at(object, &["kind"]) == "DaemonSet" && text_at(object, &["apiVersion"]) == "apps/v1" {
        remove(metadata, &[annotations, generation]);
        if metadata.get(annotations).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            remove(metadata, &[annotations]);
        }
    }
}

/// What is settled while an object is read, before defaults are filled in.
pub(crate) fn decoded(row: &Row, object: &mut Value) {
    if row.kind == "DaemonSet" && at(object, &TEMPLATE_GENERATION).is_none() {
        put(object, &TEMPLATE_GENERATION, json!("0"));
    }
    if row.kind == "Pod" {
        // The one address rules over the list, as for old kubelets.
        let one = text_at(object, &["status", "podIP"]).to_owned();
        let first = object.pointer("/status/podIPs/0/ip").and_then(Value::as_str);
        if !one.is_empty() && first != Some(&one) {
            put(object, &["status", "podIPs"], json!([{ "ip": one }]));
        }
    }
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

/// What admission has to say about a new pod. There are no priority classes here but the two that every cluster has.
pub(crate) fn priority(pod: &mut Value) -> Result<(), Failure> {
    let class = text_at(pod, &["spec", "priorityClassName"]).to_owned();
    let computed = match class.as_str() {
        "" => 0,
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => {
            let why = format!("no PriorityClass with name {class} was found");
            return Err(Failure::forbidden("pods", text_at(pod, &["metadata", "name"]), &why));
        }
    };
    if let Some(given) = number_at(pod, &["spec", "priority"]).filter(|given| *given != computed) {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {computed} from the given PriorityClass name"
        );
        return Err(Failure::forbidden("pods", text_at(pod, &["metadata", "name"]), &why));
    }
    let policy = text_at(pod, &["spec", "preemptionPolicy"]);
    if !matches!(policy, "" | "PreemptLowerPriority") {
        let why = format!(
            "the string value of PreemptionPolicy ({policy}) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name"
        );
        return Err(Failure::forbidden("pods", text_at(pod, &["metadata", "name"]), &why));
    }
    if let Some(class) = at(pod, &["spec", "runtimeClassName"]).and_then(Value::as_str) {
        let why = format!("pod rejected: RuntimeClass {} not found", quote(class));
        return Err(Failure::forbidden("pods", text_at(pod, &["metadata", "name"]), &why));
    }
    put(pod, &["spec", "priority"], json!(computed));
    Ok(())
}

/// Volumes, claims and their classes are not to go while they are in use: the finalizers that admission adds.
pub(crate) fn protect(kind: &str, object: &mut Value) {
    let finalizer = match kind {
        "PersistentVolume" => "kubernetes.io/pv-protection",
        "PersistentVolumeClaim" => "kubernetes.io/pvc-protection",
        "VolumeAttributesClass" => "kubernetes.io/vac-protection",
        _ => return,
    };
    if let Some(finalizers) = list(object, &["metadata"], "finalizers")
        && !finalizers.contains(&json!(finalizer))
    {
        finalizers.push(json!(finalizer));
    }
}

/// Before an object is made.
pub(crate) fn create(row: &Row, name: &str, object: &mut Value, call: &Call) {
    if row.has("status") && row.kind != "Node" {
        remove(object, &["status"]);
        normal::normalise(name, object);
        defaults::fill_field(name, "status", object);
    }
    match row.kind {
        "Namespace" => namespace(object),
        "Node" => node(object),
        "Pod" => pod(object),
        "Job" => job(object),
        "DaemonSet" => put(object, &TEMPLATE_GENERATION, json!("1")),
        "ResourceSlice" => taints(object, call),
        "Lease" => {
            remove(object, &["spec", "strategy"]);
            remove(object, &["spec", "preferredHolder"]);
        }
        "ServiceAccount" => bare_references(object),
        "CertificateSigningRequest" => requested_by(&call.user, object),
        "PersistentVolume" => put(object, &["status", "lastPhaseTransitionTime"], now(call)),
        "PersistentVolumeClaim" => data_sources(object),
        // Not yet a field of every cluster.
        "StatefulSet" => remove(object, &["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"]),
        _ => {}
    }
}

/// Before an object is changed through one of its endpoints.
pub(crate) fn update(row: &Row, endpoint: Endpoint, new: &mut Value, old: &Value) {
    for path in reset_fields(row, endpoint) {
        // The managed fields keep their own account of what a status write may not touch.
        match path.as_slice() {
            ["metadata", "deletionTimestamp"] => {}
            // What may not change in them is refused, and not put back.
            ["status", "conditions"] => decided(new, old),
            ["metadata"] => {
                for field in ["labels", "annotations", "ownerReferences", "finalizers"] {
                    carry(new, old, &["metadata", field]);
                }
            }
            path => carry(new, old, path),
        }
    }
    match (row.kind, endpoint) {
        ("Namespace", Endpoint::Main) => carry(new, old, &["spec", "finalizers"]),
        ("Pod", Endpoint::Main) => added_tolerations(new),
        ("Pod", Endpoint::Other(part)) => only_part(part, new, old),
        ("Pod", Endpoint::Status) if at(new, &["status", "qosClass"]).is_none() => {
            carry(new, old, &["status", "qosClass"]);
        }
        ("Service", Endpoint::Main) => drop_of_other_type(new, old),
        ("DaemonSet", _) => template_generation(new, old),
        ("ServiceAccount", _) => bare_references(new),
        ("PersistentVolumeClaim", Endpoint::Main) => data_sources(new),
        ("StatefulSet", _) => remove(new, &["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"]),
        _ => {}
    }
}

/// Leaves of a pod only the part that an endpoint is about: the amounts of its containers, or the containers that were added.
fn only_part(part: &str, new: &mut Value, old: &Value) {
    for field in ["labels", "annotations", "ownerReferences", "finalizers"] {
        carry(new, old, &["metadata", field]);
    }
    let mut spec = old["spec"].clone();
    if part == "resize" {
        let names = |pod: &Value, list: &str| -> Vec<String> {
            items(pod, &["spec", list]).iter().map(|it| text_at(it, &["name"]).to_owned()).collect()
        };
        // What may not change in this way is refused, and not put back.
        if ["containers", "initContainers"]
            .iter()
            .any(|list| names(new, list).len() != names(old, list).len())
        {
            return;
        }
        for list in ["containers", "initContainers"] {
            if names(new, list) != names(old, list) {
                spec[list] = new["spec"][list].clone();
                continue;
            }
            let resized = items(new, &["spec", list]).to_vec();
            for (container, new) in spec[list].as_array_mut().into_iter().flatten().zip(resized) {
                for field in ["resources", "resizePolicy"] {
                    carry(container, &new, &[field]);
                }
            }
        }
        carry(&mut spec, &new["spec"], &["resources"]);
    } else {
        carry(&mut spec, &new["spec"], &["ephemeralContainers"]);
    }
    put(new, &["spec"], spec);
}

/// What a write through an endpoint never owns.
pub(crate) fn reset_fields(row: &Row, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
    match (endpoint, row.kind) {
        _ if !row.has("status") => Vec::new(),
        (Endpoint::Main, "CertificateSigningRequest") => vec![vec!["spec"], vec!["status"]],
        (Endpoint::Status, "CertificateSigningRequest") => vec![vec!["spec"], vec!["status", "conditions"]],
        (Endpoint::Other("approval"), _) => vec![vec!["spec"], vec!["status", "certificate"]],
        (Endpoint::Main | Endpoint::Other(_), _) => vec![vec!["status"]],
        (Endpoint::Status, "Deployment") => vec![vec!["spec"], vec!["metadata", "labels"]],
        (Endpoint::Status, "Pod") => {
            vec![vec!["spec"], vec!["metadata", "deletionTimestamp"], vec!["metadata", "ownerReferences"]]
        }
        (Endpoint::Status, _) if keeps_metadata(row) => vec![vec!["spec"], vec!["metadata"]],
        (Endpoint::Status, _) => vec![vec!["spec"]],
        (Endpoint::Scale, _) => Vec::new(),
    }
}

/// Returns true if a write of the status leaves the metadata alone.
fn keeps_metadata(row: &Row) -> bool {
    matches!(
        (row.group, row.kind),
        ("admissionregistration.k8s.io" | "flowcontrol.apiserver.k8s.io" | "resource.k8s.io", _)
            | (_, "ServiceCIDR" | "VolumeAttachment")
    )
}

fn now(call: &Call) -> Value {
    super::time::format(call.now, false).into()
}

/// A request for a certificate is from who makes it.
fn requested_by(user: &User, object: &mut Value) {
    for field in ["uid", "extra"] {
        remove(object, &["spec", field]);
    }
    put(object, &["spec", "username"], user.name.as_str().into());
    put(object, &["spec", "groups"], user.groups.clone().into());
}

/// The old and the new field for the source of a volume's content say the same where one of them is absent.
fn data_sources(claim: &mut Value) {
    let [old, new] = [["spec", "dataSource"], ["spec", "dataSourceRef"]];
    let referred = at(claim, &new).cloned();
    match (at(claim, &old).cloned(), referred) {
        (Some(source), None) => put(claim, &new, source),
        (None, Some(source)) if at(&source, &["namespace"]).is_none() => {
            put(claim, &old, source);
        }
        _ => {}
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

pub(crate) fn quality_of_service(pod: &Value) -> &'static str {
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

/// Decisions about a request for a certificate are as they were, unless one comes or goes, which is refused.
fn decided(new: &mut Value, old: &Value) {
    for kind in ["Approved", "Denied"] {
        let is_decision = |one: &&Value| text_at(one, &["type"]) == kind;
        let before: Vec<Value> =
            items(old, &["status", "conditions"]).iter().filter(is_decision).cloned().collect();
        let list = new.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
        let now: Vec<&mut Value> =
            list.into_iter().flatten().filter(|one| text_at(one, &["type"]) == kind).collect();
        if now.len() == before.len() {
            now.into_iter().zip(before).for_each(|(now, before)| *now = before);
        }
    }
}

/// The conditions of a request for a certificate say when they were written, and since when they hold.
pub(crate) fn date_conditions(new: &mut Value, old: &Value, now: &str) {
    let list = new.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in list.into_iter().flatten().filter(|condition| condition.is_object()) {
        if condition["lastUpdateTime"].is_null() {
            condition["lastUpdateTime"] = now.into();
        }
        if condition["lastTransitionTime"].is_null() {
            let same = |one: &&Value| ["type", "status"].iter().all(|field| one[field] == condition[field]);
            let before = items(old, &["status", "conditions"]).iter().find(same);
            let since = before.map(|one| one["lastTransitionTime"].clone()).filter(|time| !time.is_null());
            condition["lastTransitionTime"] = since.unwrap_or_else(|| now.into());
        }
    }
}

/// The taints of devices say since when they hold.
fn taints(slice: &mut Value, call: &Call) {
    let devices = slice.pointer_mut("/spec/devices").and_then(Value::as_array_mut).into_iter().flatten();
    let taints = devices.filter_map(|device| device.get_mut("taints")?.as_array_mut()).flatten();
    for taint in taints.filter(|taint| taint["timeAdded"].is_null()) {
        taint["timeAdded"] = now(call);
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

/// What a service of its type cannot have goes, unless the update asks for it.
fn drop_of_other_type(new: &mut Value, old: &Value) {
    let external = |service: &Value| text_at(service, &["spec", "type"]) == "ExternalName";
    let numbered =
        |service: &Value| matches!(text_at(service, &["spec", "type"]), "NodePort" | "LoadBalancer");
    let same = |new: &Value, field: &str| at(new, &["spec", field]) == at(old, &["spec", field]);
    if external(new) && !external(old) {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            if same(new, field) {
                remove(new, &["spec", field]);
            }
        }
    }
    let former: Vec<_> = items(old, &["spec", "ports"]).iter().map(|port| port.get("nodePort")).collect();
    if numbered(old) && !numbered(new) {
        let ports = at_mut(new, &["spec", "ports"]).and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
            if port.get("nodePort").is_some_and(|number| former.contains(&Some(number))) {
                port.remove("nodePort");
            }
        }
    }
    let outside = |service: &Value| {
        numbered(service) || (!external(service) && !items(service, &["spec", "externalIPs"]).is_empty())
    };
    let balanced = |service: &Value| text_at(service, &["spec", "type"]) == "LoadBalancer";
    for (field, needed) in [
        ("externalTrafficPolicy", outside(new)),
        ("healthCheckNodePort", address::wants_health_port(new)),
        ("allocateLoadBalancerNodePorts", balanced(new)),
        ("loadBalancerClass", balanced(new)),
    ] {
        if !needed && same(new, field) {
            remove(new, &["spec", field]);
        }
    }
}
