//! What is filled in when nobody said it, wherever a struct appears: in a pod as in the template of a deployment.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{
    path::{at, at_mut, entry, text},
    types::{self, Kind},
};

/// The metric of an autoscaler that names none.
const CPU_METRIC: &str = r#"[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]"#;

/// `(struct, field, value)`: the field has the value when it is absent.
const SIMPLE: &[(&str, &str, &str)] = &[
    ("admissionregistration.v1.MatchResources", "matchPolicy", r#""Equivalent""#),
    ("admissionregistration.v1.MatchResources", "namespaceSelector", "{}"),
    ("admissionregistration.v1.MatchResources", "objectSelector", "{}"),
    ("admissionregistration.v1.MutatingAdmissionPolicySpec", "failurePolicy", r#""Fail""#),
    ("admissionregistration.v1.MutatingWebhook", "failurePolicy", r#""Fail""#),
    ("admissionregistration.v1.MutatingWebhook", "matchPolicy", r#""Equivalent""#),
    ("admissionregistration.v1.MutatingWebhook", "namespaceSelector", "{}"),
    ("admissionregistration.v1.MutatingWebhook", "objectSelector", "{}"),
    ("admissionregistration.v1.MutatingWebhook", "reinvocationPolicy", r#""Never""#),
    ("admissionregistration.v1.MutatingWebhook", "timeoutSeconds", "10"),
    ("admissionregistration.v1.NamedRuleWithOperations", "scope", r#""*""#),
    ("admissionregistration.v1.RuleWithOperations", "scope", r#""*""#),
    ("admissionregistration.v1.ServiceReference", "port", "443"),
    ("admissionregistration.v1.ValidatingAdmissionPolicySpec", "failurePolicy", r#""Fail""#),
    ("admissionregistration.v1.ValidatingWebhook", "failurePolicy", r#""Fail""#),
    ("admissionregistration.v1.ValidatingWebhook", "matchPolicy", r#""Equivalent""#),
    ("admissionregistration.v1.ValidatingWebhook", "namespaceSelector", "{}"),
    ("admissionregistration.v1.ValidatingWebhook", "objectSelector", "{}"),
    ("admissionregistration.v1.ValidatingWebhook", "timeoutSeconds", "10"),
    ("apps.v1.DaemonSetSpec", "revisionHistoryLimit", "10"),
    ("apps.v1.DaemonSetUpdateStrategy", "type", r#""RollingUpdate""#),
    ("apps.v1.DeploymentSpec", "progressDeadlineSeconds", "600"),
    ("apps.v1.DeploymentSpec", "replicas", "1"),
    ("apps.v1.DeploymentSpec", "revisionHistoryLimit", "10"),
    ("apps.v1.DeploymentStrategy", "type", r#""RollingUpdate""#),
    ("apps.v1.ReplicaSetSpec", "replicas", "1"),
    ("apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", r#""Retain""#),
    ("apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", r#""Retain""#),
    ("apps.v1.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", "{}"),
    ("apps.v1.StatefulSetSpec", "podManagementPolicy", r#""OrderedReady""#),
    ("apps.v1.StatefulSetSpec", "replicas", "1"),
    ("apps.v1.StatefulSetSpec", "revisionHistoryLimit", "10"),
    ("autoscaling.v1.HorizontalPodAutoscalerSpec", "minReplicas", "1"),
    ("autoscaling.v2.HPAScalingRules", "selectPolicy", r#""Max""#),
    ("autoscaling.v2.HorizontalPodAutoscalerBehavior", "scaleDown", "{}"),
    ("autoscaling.v2.HorizontalPodAutoscalerBehavior", "scaleUp", "{}"),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", "metrics", CPU_METRIC),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", "minReplicas", "1"),
    ("batch.v1.CronJobSpec", "concurrencyPolicy", r#""Allow""#),
    ("batch.v1.CronJobSpec", "failedJobsHistoryLimit", "1"),
    ("batch.v1.CronJobSpec", "successfulJobsHistoryLimit", "3"),
    ("batch.v1.CronJobSpec", "suspend", "false"),
    ("batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", r#""True""#),
    ("core.v1.AzureDiskVolumeSource", "cachingMode", r#""ReadWrite""#),
    ("core.v1.AzureDiskVolumeSource", "fsType", r#""ext4""#),
    ("core.v1.AzureDiskVolumeSource", "kind", r#""Shared""#),
    ("core.v1.AzureDiskVolumeSource", "readOnly", "false"),
    ("core.v1.ConfigMapVolumeSource", "defaultMode", "420"),
    ("core.v1.Container", "terminationMessagePath", r#""/dev/termination-log""#),
    ("core.v1.Container", "terminationMessagePolicy", r#""File""#),
    ("core.v1.ContainerPort", "protocol", r#""TCP""#),
    ("core.v1.DownwardAPIVolumeSource", "defaultMode", "420"),
    ("core.v1.EndpointPort", "protocol", r#""TCP""#),
    ("core.v1.EphemeralContainer", "terminationMessagePath", r#""/dev/termination-log""#),
    ("core.v1.EphemeralContainer", "terminationMessagePolicy", r#""File""#),
    ("core.v1.GRPCAction", "service", r#""""#),
    ("core.v1.HTTPGetAction", "path", r#""/""#),
    ("core.v1.HTTPGetAction", "scheme", r#""HTTP""#),
    ("core.v1.HostPathVolumeSource", "type", r#""""#),
    ("core.v1.ISCSIPersistentVolumeSource", "iscsiInterface", r#""default""#),
    ("core.v1.ISCSIVolumeSource", "iscsiInterface", r#""default""#),
    ("core.v1.NamespaceStatus", "phase", r#""Active""#),
    ("core.v1.ObjectFieldSelector", "apiVersion", r#""v1""#),
    ("core.v1.PersistentVolumeClaimSpec", "volumeMode", r#""Filesystem""#),
    ("core.v1.PersistentVolumeClaimStatus", "phase", r#""Pending""#),
    ("core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", r#""Retain""#),
    ("core.v1.PersistentVolumeSpec", "volumeMode", r#""Filesystem""#),
    ("core.v1.PersistentVolumeStatus", "phase", r#""Pending""#),
    ("core.v1.PodSpec", "dnsPolicy", r#""ClusterFirst""#),
    ("core.v1.PodSpec", "restartPolicy", r#""Always""#),
    ("core.v1.PodSpec", "schedulerName", r#""default-scheduler""#),
    ("core.v1.PodSpec", "securityContext", "{}"),
    ("core.v1.PodSpec", "terminationGracePeriodSeconds", "30"),
    ("core.v1.Probe", "failureThreshold", "3"),
    ("core.v1.Probe", "periodSeconds", "10"),
    ("core.v1.Probe", "successThreshold", "1"),
    ("core.v1.Probe", "timeoutSeconds", "1"),
    ("core.v1.ProjectedVolumeSource", "defaultMode", "420"),
    ("core.v1.RBDPersistentVolumeSource", "keyring", r#""/etc/ceph/keyring""#),
    ("core.v1.RBDPersistentVolumeSource", "pool", r#""rbd""#),
    ("core.v1.RBDPersistentVolumeSource", "user", r#""admin""#),
    ("core.v1.RBDVolumeSource", "keyring", r#""/etc/ceph/keyring""#),
    ("core.v1.RBDVolumeSource", "pool", r#""rbd""#),
    ("core.v1.RBDVolumeSource", "user", r#""admin""#),
    ("core.v1.ReplicationControllerSpec", "replicas", "1"),
    ("core.v1.ScaleIOPersistentVolumeSource", "fsType", r#""xfs""#),
    ("core.v1.ScaleIOPersistentVolumeSource", "storageMode", r#""ThinProvisioned""#),
    ("core.v1.ScaleIOVolumeSource", "fsType", r#""xfs""#),
    ("core.v1.ScaleIOVolumeSource", "storageMode", r#""ThinProvisioned""#),
    ("core.v1.Secret", "type", r#""Opaque""#),
    ("core.v1.SecretVolumeSource", "defaultMode", "420"),
    ("core.v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"),
    ("core.v1.ServicePort", "protocol", r#""TCP""#),
    ("core.v1.ServiceSpec", "sessionAffinity", r#""None""#),
    ("core.v1.ServiceSpec", "type", r#""ClusterIP""#),
    ("discovery.v1.EndpointPort", "name", r#""""#),
    ("discovery.v1.EndpointPort", "protocol", r#""TCP""#),
    ("flowcontrol.v1.ExemptPriorityLevelConfiguration", "lendablePercent", "0"),
    ("flowcontrol.v1.ExemptPriorityLevelConfiguration", "nominalConcurrencyShares", "0"),
    ("flowcontrol.v1.FlowSchemaSpec", "matchingPrecedence", "1000"),
    ("flowcontrol.v1.LimitedPriorityLevelConfiguration", "lendablePercent", "0"),
    ("flowcontrol.v1.LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", "30"),
    ("flowcontrol.v1.QueuingConfiguration", "handSize", "8"),
    ("flowcontrol.v1.QueuingConfiguration", "queueLengthLimit", "50"),
    ("flowcontrol.v1.QueuingConfiguration", "queues", "64"),
    ("networking.v1.IngressClassParametersReference", "scope", r#""Cluster""#),
    ("networking.v1.NetworkPolicyPort", "protocol", r#""TCP""#),
    ("resource.v1.DeviceSubRequest", "allocationMode", r#""ExactCount""#),
    ("resource.v1.DeviceToleration", "operator", r#""Equal""#),
    ("resource.v1.ExactDeviceRequest", "allocationMode", r#""ExactCount""#),
    ("scheduling.v1.PriorityClass", "preemptionPolicy", r#""PreemptLowerPriority""#),
    ("storage.v1.CSIDriverSpec", "attachRequired", "true"),
    ("storage.v1.CSIDriverSpec", "fsGroupPolicy", r#""ReadWriteOnceWithFSType""#),
    ("storage.v1.CSIDriverSpec", "podInfoOnMount", "false"),
    ("storage.v1.CSIDriverSpec", "requiresRepublish", "false"),
    ("storage.v1.CSIDriverSpec", "seLinuxMount", "false"),
    ("storage.v1.CSIDriverSpec", "storageCapacity", "false"),
    ("storage.v1.CSIDriverSpec", "volumeLifecycleModes", r#"["Persistent"]"#),
    ("storage.v1.StorageClass", "reclaimPolicy", r#""Delete""#),
    ("storage.v1.StorageClass", "volumeBindingMode", r#""Immediate""#),
];

static VALUES: LazyLock<Vec<(&str, &str, Value)>> = LazyLock::new(|| {
    let value = |written: &str| serde_json::from_str(written).unwrap_or_default();
    let mut values: Vec<_> =
        SIMPLE.iter().map(|(name, field, written)| (*name, *field, value(written))).collect();
    values.sort_by_key(|(name, ..)| *name);
    values
});

/// Fills in a struct and everything inside it.
pub(crate) fn fill(name: &str, object: &mut Map<String, Value>) {
    let start = VALUES.partition_point(|(other, ..)| *other < name);
    for (_, field, value) in VALUES.iter().skip(start).take_while(|(other, ..)| *other == name) {
        // A field that is always written is empty rather than absent.
        let set = types::fields(name).get(*field).is_some_and(|field| field.pointer);
        let empty = |found: &Value| found.is_null() || !set && (found == "" || found == 0);
        if object.get(*field).is_none_or(empty) {
            object.insert((*field).to_owned(), value.clone());
        }
    }
    special(name, object);
    for (key, value) in object.iter_mut() {
        if let Some(field) = types::fields(name).get(key) {
            inside(&field.kind, value);
        }
    }
}

/// Fills in a field of a struct, and everything inside it.
pub(crate) fn fill_field(name: &str, field: &str, object: &mut Value) {
    if let (Some(known), Some(found)) = (types::fields(name).get(field), object.get_mut(field)) {
        inside(&known.kind, found);
    }
}

fn inside(kind: &Kind, value: &mut Value) {
    match (kind, value) {
        (Kind::Struct(name), Value::Object(object)) => fill(name, object),
        (Kind::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| inside(item, value)),
        _ => {}
    }
}

/// Defaults that depend on other fields.
fn special(name: &str, object: &mut Map<String, Value>) {
    match name {
        "apps.v1.DeploymentStrategy" => {
            rolling(object, &[("maxUnavailable", json!("25%")), ("maxSurge", json!("25%"))]);
        }
        "apps.v1.DaemonSetUpdateStrategy" => {
            rolling(object, &[("maxUnavailable", json!(1)), ("maxSurge", json!(0))]);
        }
        "apps.v1.StatefulSetUpdateStrategy" => stateful_strategy(object),
        "autoscaling.v2.HorizontalPodAutoscalerBehavior" => behavior(object),
        "batch.v1.Job" => job(object),
        "core.v1.Container" | "core.v1.EphemeralContainer" => {
            let policy = pull_policy(object.get("image"));
            object.entry("imagePullPolicy").or_insert(policy);
        }
        "core.v1.Volume" => volume(object),
        "core.v1.Pod" => pod(object),
        "core.v1.PodSpec" => {
            // The old name of the field is always served beside the new one.
            let account = object.get("serviceAccountName").or_else(|| object.get("serviceAccount")).cloned();
            if let Some(account) = account {
                object.insert("serviceAccountName".into(), account.clone());
                object.insert("serviceAccount".into(), account);
            }
        }
        "core.v1.NodeSpec" => {
            if let Some(range) = object.get("podCIDR").cloned() {
                if object.get("podCIDRs").and_then(|ranges| ranges.get(0)) != Some(&range) {
                    object.insert("podCIDRs".into(), json!([range]));
                }
            } else if let Some(range) = object.get("podCIDRs").and_then(|ranges| ranges.get(0)).cloned() {
                object.insert("podCIDR".into(), range);
            }
        }
        "core.v1.NodeStatus" => {
            if let Some(capacity) = object.get("capacity").cloned() {
                object.entry("allocatable").or_insert(capacity);
            }
        }
        "core.v1.Namespace" => {
            if let Some(own) = object.get("metadata").and_then(|meta| meta.get("name")).cloned() {
                entry(object, &["metadata", "labels"]).insert("kubernetes.io/metadata.name".into(), own);
            }
        }
        "core.v1.Service" => service(object),
        "core.v1.LimitRangeItem" => limits(object),
        "core.v1.ReplicationController" => replication_controller(object),
        "networking.v1.NetworkPolicySpec" => {
            let egress = object.get("egress").is_some();
            let types = if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
            object.entry("policyTypes").or_insert(types);
        }
        "resource.v1.ExactDeviceRequest" | "resource.v1.DeviceSubRequest"
            if text(object.get("allocationMode")) == "ExactCount" =>
        {
            object.entry("count").or_insert(json!(1));
        }
        "apps.v1.StatefulSetSpec" => {
            for claim in
                object.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut).into_iter().flatten()
            {
                if let Some(claim) = claim.as_object_mut() {
                    claim.insert("apiVersion".into(), json!("v1"));
                    claim.insert("kind".into(), json!("PersistentVolumeClaim"));
                }
            }
        }
        "rbac.v1.RoleBinding" | "rbac.v1.ClusterRoleBinding" => {
            let reference = entry(object, &["roleRef"]);
            if text(reference.get("apiGroup")).is_empty() {
                reference.insert("apiGroup".into(), json!("rbac.authorization.k8s.io"));
            }
        }
        "rbac.v1.Subject" => {
            let named = matches!(text(object.get("kind")), "User" | "Group");
            if named && text(object.get("apiGroup")).is_empty() {
                object.insert("apiGroup".into(), json!("rbac.authorization.k8s.io"));
            }
        }
        _ => {}
    }
}

fn rolling(strategy: &mut Map<String, Value>, values: &[(&str, Value)]) {
    if text(strategy.get("type")) == "RollingUpdate" {
        let rolling = entry(strategy, &["rollingUpdate"]);
        for (field, value) in values {
            rolling.entry(*field).or_insert_with(|| value.clone());
        }
    }
}

fn stateful_strategy(strategy: &mut Map<String, Value>) {
    if !strategy.contains_key("type") {
        strategy.insert("type".into(), json!("RollingUpdate"));
        entry(strategy, &["rollingUpdate"]);
    }
    if text(strategy.get("type")) == "RollingUpdate"
        && let Some(rolling) = strategy.get_mut("rollingUpdate").and_then(Value::as_object_mut)
    {
        rolling.entry("partition").or_insert(json!(0));
    }
}

fn job(object: &mut Map<String, Value>) {
    let spec = entry(object, &["spec"]);
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        spec.insert("completions".into(), json!(1));
    }
    let limit = if spec.contains_key("backoffLimitPerIndex") { i32::MAX } else { 6 };
    let replacement = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    for (field, value) in [
        ("parallelism", json!(1)),
        ("backoffLimit", json!(limit)),
        ("completionMode", json!("NonIndexed")),
        ("suspend", json!(false)),
        ("podReplacementPolicy", json!(replacement)),
        ("manualSelector", json!(false)),
    ] {
        spec.entry(field).or_insert(value);
    }
    job_labels(object);
}

/// A job without labels has those of its template.
pub(crate) fn job_labels(object: &mut Map<String, Value>) {
    let labels = object.get("spec").and_then(|spec| at(spec, &["template", "metadata", "labels"])).cloned();
    if let Some(labels) = labels {
        entry(object, &["metadata"]).entry("labels").or_insert(labels);
    }
}

/// An autoscaler scales up by four pods or as many as there are, and down by as many as there are, in fifteen seconds.
fn behavior(object: &mut Map<String, Value>) {
    let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
    let up = entry(object, &["scaleUp"]);
    up.entry("stabilizationWindowSeconds").or_insert(json!(0));
    up.entry("policies").or_insert(json!([pods, percent.clone()]));
    entry(object, &["scaleDown"]).entry("policies").or_insert(json!([percent]));
}

/// A limit for containers is also their default, and what is a default is also asked for.
fn limits(item: &mut Map<String, Value>) {
    if text(item.get("type")) != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        for (name, amount) in item.get(from).and_then(Value::as_object).cloned().into_iter().flatten() {
            entry(item, &[to]).entry(name).or_insert(amount);
        }
    }
}

/// Its labels and its selector are those of its template where it has none.
fn replication_controller(object: &mut Map<String, Value>) {
    let labels = object.get("spec").and_then(|spec| at(spec, &["template", "metadata", "labels"])).cloned();
    if let Some(labels) = labels {
        entry(object, &["spec"]).entry("selector").or_insert(labels.clone());
        entry(object, &["metadata"]).entry("labels").or_insert(labels);
    }
}

fn volume(object: &mut Map<String, Value>) {
    if object.keys().all(|key| key == "name") {
        object.insert("emptyDir".into(), json!({}));
    }
    if let Some(image) = object.get_mut("image").and_then(Value::as_object_mut) {
        let policy = pull_policy(image.get("reference"));
        image.entry("pullPolicy").or_insert(policy);
    }
}

/// `Always` for the tag `latest`, written or meant.
fn pull_policy(image: Option<&Value>) -> Value {
    let image = text(image);
    let last = image.rsplit('/').next().unwrap_or_default();
    let latest = match image.split_once('@') {
        Some(_) => false,
        None => last.split_once(':').is_none_or(|(_, tag)| tag == "latest"),
    };
    if latest && !image.is_empty() { json!("Always") } else { json!("IfNotPresent") }
}

fn pod(object: &mut Map<String, Value>) {
    let spec = entry(object, &["spec"]);
    spec.entry("enableServiceLinks").or_insert(json!(true));
    let host = spec.get("hostNetwork").and_then(Value::as_bool).unwrap_or(false);
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            requests_from_limits(container);
            let ports = container.get_mut("ports").and_then(Value::as_array_mut);
            for port in ports.into_iter().flatten().filter(|_| host).filter_map(Value::as_object_mut) {
                if let Some(inner) = port.get("containerPort").cloned() {
                    port.entry("hostPort").or_insert(inner);
                }
            }
        }
    }
}

fn requests_from_limits(container: &mut Value) {
    let Some(limits) = at(container, &["resources", "limits"]).and_then(Value::as_object).cloned() else {
        return;
    };
    if let Some(resources) = at_mut(container, &["resources"]).and_then(Value::as_object_mut) {
        let requests = entry(resources, &["requests"]);
        for (name, amount) in limits {
            requests.entry(name).or_insert(amount);
        }
    }
}

fn service(object: &mut Map<String, Value>) {
    let spec = entry(object, &["spec"]);
    let kind = spec.get("type").map_or("ClusterIP", |kind| text(Some(kind))).to_owned();
    let reachable = matches!(kind.as_str(), "NodePort" | "LoadBalancer")
        || (kind == "ClusterIP" && spec.get("externalIPs").is_some());
    if reachable {
        spec.entry("externalTrafficPolicy").or_insert(json!("Cluster"));
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        spec.entry("internalTrafficPolicy").or_insert(json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        spec.entry("allocateLoadBalancerNodePorts").or_insert(json!(true));
    }
    match spec.get("sessionAffinity").map_or("None", |affinity| text(Some(affinity))) {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let config = entry(spec, &["sessionAffinityConfig", "clientIP"]);
            config.entry("timeoutSeconds").or_insert(json!(10800));
        }
        _ => {}
    }
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(port) = port.as_object_mut()
            && port.get("targetPort").is_none_or(|target| *target == json!(0) || *target == json!(""))
        {
            let own = port.get("port").cloned().unwrap_or(json!(0));
            port.insert("targetPort".into(), own);
        }
    }
    if kind == "LoadBalancer" {
        let ingress =
            object.get_mut("status").and_then(|status| at_mut(status, &["loadBalancer", "ingress"]));
        for ingress in ingress.and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(ingress) = ingress.as_object_mut().filter(|ingress| ingress.contains_key("ip")) {
                ingress.entry("ipMode").or_insert(json!("VIP"));
            }
        }
    }
}
