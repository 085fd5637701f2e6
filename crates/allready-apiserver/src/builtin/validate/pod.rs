//! Pods, and the templates of pods.
//!
//! Follows `ValidatePodSpec` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use serde_json::Value;

use super::{
    Errors, container, scheduling,
    spot::Spot,
    volume,
    words::{self, address},
};
use crate::{
    builtin::path::{at, at_mut, carry, items, number_at, remove},
    names,
    status::FieldError,
};

const CHANGES: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const RESTARTS: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const LARGEST: i64 = i32::MAX as i64;

/// A pod of its own.
pub(super) fn check(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let pod = Spot::root(new).child("spec");
    body(new, errors);
    let Some(old) = old else {
        if !pod.child("ephemeralContainers").is_empty() {
            pod.child("ephemeralContainers").forbidden("cannot be set on create", errors);
        }
        if !pod.child("nodeName").is_empty() && !pod.child("schedulingGates").is_empty() {
            let why = "cannot be set until all schedulingGates have been cleared";
            pod.child("nodeName").forbidden(why, errors);
        }
        return;
    };
    for list in ["containers", "initContainers"] {
        if items(new, &["spec", list]).len() != items(old, &["spec", list]).len() {
            let why = "pod updates may not add or remove containers";
            return errors.push(FieldError::forbidden(format!("spec.{list}"), why));
        }
    }
    if !deadline(&pod.child("activeDeadlineSeconds"), old, errors) {
        return;
    }
    if only_added(items(new, &["spec", "tolerations"]), items(old, &["spec", "tolerations"])) {
        scheduling::tolerations(&pod.child("tolerations"), errors);
    } else {
        let why = "existing toleration can not be modified except its tolerationSeconds";
        errors.push(FieldError::forbidden("spec.tolerations", why));
    }
    let before = items(old, &["spec", "schedulingGates"]);
    for gate in pod.child("schedulingGates").items().filter(|gate| !before.contains(gate.value)) {
        let name = gate.child("name");
        let why = format!("only deletion is allowed, but found new scheduling gate '{}'", name.text());
        name.forbidden(&why, errors);
    }
    if !only_allowed(new, old) {
        errors.push(FieldError::forbidden("spec", CHANGES));
    }
}

/// The parts of a pod that are checked whatever is done to it.
pub(super) fn body(new: &Value, errors: &mut Errors) {
    let pod = Spot::root(new).child("spec");
    spec(&pod, true, errors);
    for list in ["containers", "initContainers"] {
        for container in pod.child(list).items() {
            let image = container.child("image");
            if image.text().trim() != image.text() {
                image.invalid("must not have leading or trailing whitespace", errors);
            }
        }
    }
}

/// The time that a pod has may become shorter; says whether the rest is to be looked at.
fn deadline(deadline: &Spot<'_>, old: &Value, errors: &mut Errors) -> bool {
    let before = number_at(old, &["spec", "activeDeadlineSeconds"]);
    match (deadline.number(), before) {
        (Some(seconds), _) if !(0..=LARGEST).contains(&seconds) => {
            deadline.within(0, LARGEST, errors);
            false
        }
        (Some(seconds), Some(before)) if before < seconds => {
            deadline.invalid("must be less than or equal to previous value", errors);
            false
        }
        (None, Some(_)) => {
            deadline.invalid("must not update from a positive integer to nil value", errors);
            true
        }
        _ => true,
    }
}

/// Returns true if tolerations were only added, or given another time.
fn only_added(new: &[Value], old: &[Value]) -> bool {
    let untimed = |toleration: &Value| {
        let mut toleration = toleration.clone();
        remove(&mut toleration, &["tolerationSeconds"]);
        toleration
    };
    old.iter().all(|old| new.iter().any(|new| untimed(new) == untimed(old)))
}

/// Labels and annotations of a template, which the real server says it of.
pub(super) fn template_metadata(template: &Spot<'_>, errors: &mut Errors) {
    let labels = template.at("metadata.labels");
    words::labels(&Spot { place: format!("{}.labels", template.place), ..labels }, errors);
    let annotations = template.at("metadata.annotations");
    words::annotations(&Spot { place: format!("{}.annotations", template.place), ..annotations }, errors);
}

/// The template of pods that other kinds make.
pub(super) fn template(template: &Spot<'_>, errors: &mut Errors) {
    template_metadata(template, errors);
    spec(&template.child("spec"), false, errors);
    let late = template.at("spec.ephemeralContainers");
    if !late.is_empty() {
        late.forbidden("ephemeral containers not allowed in pod template", errors);
    }
}

fn spec(spec: &Spot<'_>, own: bool, errors: &mut Errors) {
    let volumes = volume::check(&spec.child("volumes"), errors);
    let grace = spec.child("terminationGracePeriodSeconds").number();
    container::check(spec, &container::Pod { volumes, grace }, errors);
    if spec.child("hostNetwork").flag() {
        host_network(spec, own, errors);
    }
    spec.child("restartPolicy").one_of(&RESTARTS, errors);
    spec.child("dnsPolicy").one_of(&DNS, errors);
    words::labels(&spec.child("nodeSelector"), errors);
    security(&spec.child("securityContext"), errors);
    if spec.child("shareProcessNamespace").flag() && spec.child("hostPID").flag() {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        let place = format!("{}.securityContext.shareProcessNamespace", spec.place);
        errors.push(FieldError::invalid(place, true, why));
    }
    scheduling::affinity(&spec.child("affinity"), errors);
    dns(&spec.child("dnsConfig"), spec.child("dnsPolicy").text(), errors);
    for gate in spec.child("readinessGates").items() {
        let kind = gate.child("conditionType");
        kind.problems(names::qualified(kind.text()), errors);
    }
    gates(&spec.child("schedulingGates"), errors);
    scheduling::spreading(&spec.child("topologySpreadConstraints"), errors);
    spec.child("serviceAccountName").named_if_any(names::dns_subdomain, errors);
    spec.child("nodeName").named_if_any(names::dns_subdomain, errors);
    spec.child("activeDeadlineSeconds").within(1, LARGEST, errors);
    spec.child("hostname").named_if_any(names::dns_label, errors);
    spec.child("subdomain").named_if_any(names::dns_label, errors);
    scheduling::tolerations(&spec.child("tolerations"), errors);
    for alias in spec.child("hostAliases").items() {
        address(&alias.child("ip"), errors);
        for name in alias.child("hostnames").items() {
            name.problems(names::dns_subdomain(name.text()), errors);
        }
    }
    spec.child("priorityClassName").named_if_any(names::dns_subdomain, errors);
    spec.child("runtimeClassName").named_if_any(names::dns_subdomain, errors);
    let preemption = spec.child("preemptionPolicy");
    preemption.one_of_if_any(&["PreemptLowerPriority", "Never"], errors);
    for (name, amount) in spec.child("overhead").entries() {
        let place = format!("{}.overhead.limits[{name}]", spec.place);
        container::quantity(&Spot { place, ..amount }, name, errors);
    }
    // The real server names the struct, not its name.
    let system = Spot { place: format!("{}.os", spec.place), ..spec.at("os.name") };
    if spec.has("os") {
        system.one_of(&["linux", "windows"], errors);
    }
}

fn host_network(spec: &Spot<'_>, own: bool, errors: &mut Errors) {
    for container in spec.child("containers").items() {
        for port in container.child("ports").items() {
            let host = port.child("hostPort");
            let (asked, inner) = (host.number().unwrap_or(0), port.child("containerPort").number());
            if (own || asked != 0) && asked != inner.unwrap_or(0) {
                let why = "must match `containerPort` when `hostNetwork` is true";
                errors.push(FieldError::invalid(host.place, asked, why));
            }
        }
    }
}

fn security(context: &Spot<'_>, errors: &mut Errors) {
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        context.child(field).within(0, LARGEST, errors);
    }
    for group in context.child("supplementalGroups").items() {
        group.within(0, LARGEST, errors);
    }
}

fn dns(config: &Spot<'_>, policy: &str, errors: &mut Errors) {
    let servers = config.child("nameservers");
    if policy == "None" && !config.exists() {
        return config.required("must provide `dnsConfig` when `dnsPolicy` is None", errors);
    }
    if policy == "None" && servers.is_empty() {
        let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return servers.required(why, errors);
    }
    if servers.items().count() > 3 {
        servers.invalid("must not have more than 3 nameservers", errors);
    }
    for server in servers.items() {
        address(&server, errors);
    }
    for option in config.child("options").items() {
        if option.child("name").is_empty() {
            option.required("must not be empty", errors);
        }
    }
}

fn gates(list: &Spot<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for gate in list.items() {
        let name = Spot { place: gate.place.clone(), ..gate.child("name") };
        name.problems(names::qualified(name.text()), errors);
        if seen.contains(&name.text()) {
            name.duplicate(errors);
        }
        seen.push(name.text());
    }
}

/// Whether an update of a pod touches only what may change in one.
fn only_allowed(new: &Value, old: &Value) -> bool {
    let mut expected = old.clone();
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        carry(&mut expected, new, &["spec", field]);
    }
    // A pod that is not to be scheduled yet may still be told where.
    if !items(old, &["spec", "schedulingGates"]).is_empty() {
        let selects = |pod: &Value| {
            at(pod, &["spec", "nodeSelector"]).and_then(Value::as_object).cloned().unwrap_or_default()
        };
        let (before, after) = (selects(old), selects(new));
        if before.iter().all(|(key, value)| after.get(key) == Some(value)) {
            carry(&mut expected, new, &["spec", "nodeSelector"]);
        }
        if at(old, &["spec", "affinity"]).is_none() {
            carry(&mut expected, new, &["spec", "affinity"]);
        }
    }
    for list in ["containers", "initContainers"] {
        let images = items(new, &["spec", list]).iter().map(|container| container.get("image").cloned());
        let containers = at_mut(&mut expected, &["spec", list]).and_then(Value::as_array_mut);
        for (container, image) in containers.into_iter().flatten().zip(images) {
            if let (Some(container), Some(image)) = (container.as_object_mut(), image) {
                container.insert("image".into(), image);
            }
        }
    }
    let shortened = ["spec", "terminationGracePeriodSeconds"];
    if number_at(old, &shortened).is_some_and(|seconds| seconds < 0) && number_at(new, &shortened) == Some(1)
    {
        carry(&mut expected, new, &shortened);
    }
    at(&expected, &["spec"]) == at(new, &["spec"])
}
