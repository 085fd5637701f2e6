//! Containers: names, images, ports, environment, mounts, amounts, probes and hooks.
//!
//! Follows `validateContainers` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use super::{
    Errors,
    downward::{self, resource_field},
    spot::Spot,
    words::{self, data_key, descending, port, port_name, variable},
};
use crate::{builtin::quantity::Quantity, names, status::FieldError};

/// What containers are checked against: the pod they are in.
pub(super) struct Pod<'a> {
    /// The volumes that are well formed.
    pub(super) volumes: Vec<&'a str>,
    /// How long the pod may take to end.
    pub(super) grace: Option<i64>,
}

const SIDECAR: &str = "may not be set for init containers without restartPolicy=Always";
/// Resources of namespaces that are counted.
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
/// Resources of namespaces and volumes that are measured.
const MEASURED: [&str; 8] = [
    "storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

/// The containers of a pod, the ones that run first included.
pub(super) fn check(spec: &Spot<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let (containers, first) = (spec.child("containers"), spec.child("initContainers"));
    if containers.is_empty() {
        containers.required("", errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    for container in containers.items() {
        common(&container, pod, errors);
        unique(&container, &mut seen, errors);
        reactions(&container, pod, errors);
        restarts(&container, errors);
    }
    host_ports(&containers, containers.items(), errors);
    for container in first.items() {
        common(&container, pod, errors);
        restarts(&container, errors);
        unique(&container, &mut seen, errors);
        host_ports(&first, std::iter::once(container.clone()), errors);
        if container.child("restartPolicy").text() == "Always" {
            reactions(&container, pod, errors);
        } else {
            for field in std::iter::once("lifecycle").chain(PROBES).filter(|field| container.has(field)) {
                container.child(field).forbidden(SIDECAR, errors);
            }
        }
    }
    ephemeral(spec, pod, seen, errors);
}

/// Containers that are added later, to look into the pod. They serve nothing, and so have few of the fields of others.
fn ephemeral<'a>(spec: &Spot<'a>, pod: &Pod<'_>, mut seen: Vec<&'a str>, errors: &mut Errors) {
    const NOT: &str = "cannot be set for an Ephemeral Container";
    let others = seen.clone();
    for container in spec.child("ephemeralContainers").items() {
        common(&container, pod, errors);
        let image = container.child("image");
        if image.text().trim() != image.text() {
            image.invalid("must not have leading or trailing whitespace", errors);
        }
        unique(&container, &mut seen, errors);
        let target = container.child("targetContainerName");
        if !target.is_empty() && !others.contains(&target.text()) {
            errors.push(FieldError::not_found(target.place.as_str(), target.text()));
        }
        let serving = ["ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"];
        let reacting = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
        for field in serving.into_iter().chain(reacting).map(|field| container.child(field)) {
            if !field.is_empty() {
                field.forbidden(NOT, errors);
            }
        }
        for mount in container.child("volumeMounts").items() {
            for field in ["subPath", "subPathExpr"].map(|field| mount.child(field)) {
                if !field.is_empty() {
                    field.forbidden(NOT, errors);
                }
            }
        }
    }
}

fn unique<'a>(container: &Spot<'a>, seen: &mut Vec<&'a str>, errors: &mut Errors) {
    let name = container.child("name");
    if !name.text().is_empty() && seen.contains(&name.text()) {
        name.duplicate(errors);
    }
    seen.push(name.text());
}

fn restarts(container: &Spot<'_>, errors: &mut Errors) {
    container.child("restartPolicy").one_of_if_any(&["Always", "Never", "OnFailure"], errors);
}

fn common(container: &Spot<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    container.child("name").named(names::dns_label, errors);
    container.child("image").filled(errors);
    container.child("terminationMessagePolicy").one_of(&["File", "FallbackToLogsOnError"], errors);
    ports(&container.child("ports"), errors);
    for variable in container.child("env").items() {
        environment(&variable, errors);
    }
    sources(&container.child("envFrom"), errors);
    mounts(&container.child("volumeMounts"), &pod.volumes, errors);
    container.child("imagePullPolicy").one_of(&["Always", "IfNotPresent", "Never"], errors);
    amounts(&container.child("resources"), errors);
    for field in ["runAsUser", "runAsGroup"] {
        container.child("securityContext").child(field).within(0, i64::from(i32::MAX), errors);
    }
}

fn ports(ports: &Spot<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for port in ports.items() {
        let name = port.child("name");
        if !name.text().is_empty() {
            let problems = port_name(name.text());
            if problems.is_empty() && seen.contains(&name.text()) {
                name.duplicate(errors);
            }
            name.problems(problems, errors);
            seen.push(name.text());
        }
        match port.child("containerPort") {
            number if number.number().unwrap_or(0) == 0 => number.required("", errors),
            number => number.within(1, 65535, errors),
        }
        if port.child("hostPort").number() != Some(0) {
            port.child("hostPort").within(1, 65535, errors);
        }
        port.child("protocol").one_of(&["SCTP", "TCP", "UDP"], errors);
    }
}

fn host_ports<'a>(list: &Spot<'_>, containers: impl Iterator<Item = Spot<'a>>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for (index, container) in containers.enumerate() {
        for (position, port) in container.child("ports").items().enumerate() {
            let Some(number) = port.child("hostPort").number().filter(|number| *number != 0) else {
                continue;
            };
            let taken = format!("{}/{}/{number}", port.child("protocol").text(), port.child("hostIP").text());
            if seen.contains(&taken) {
                let place = format!("{}[{index}].ports[{position}].hostPort", list.place);
                errors.push(FieldError::duplicate(place, taken.as_str()));
            }
            seen.push(taken);
        }
    }
}

fn environment(entry: &Spot<'_>, errors: &mut Errors) {
    const FIELDS: [&str; 5] =
        ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    entry.child("name").named(variable, errors);
    let from = entry.child("valueFrom");
    if !from.exists() {
        return;
    }
    if from.has("fieldRef") {
        downward::field(&from.child("fieldRef"), &downward::ENVIRONMENT, errors);
    }
    if from.has("resourceFieldRef") {
        resource_field(&from.at("resourceFieldRef.resource"), errors);
    }
    for reference in ["configMapKeyRef", "secretKeyRef"].into_iter().filter(|field| from.has(field)) {
        let reference = from.child(reference);
        reference.child("name").problems(names::dns_subdomain(reference.child("name").text()), errors);
        reference.child("key").named(data_key, errors);
    }
    let why = match FIELDS.iter().filter(|field| from.has(field)).count() {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        _ if !entry.child("value").text().is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(FieldError::invalid(from.place, "", why));
}

fn sources(list: &Spot<'_>, errors: &mut Errors) {
    for source in list.items() {
        source.child("prefix").named_if_any(variable, errors);
        let named: Vec<_> =
            ["configMapRef", "secretRef"].into_iter().filter(|field| source.has(field)).collect();
        for field in &named {
            source.child(field).child("name").named(names::dns_subdomain, errors);
        }
        let why = match named.len() {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.push(FieldError::invalid(list.place.as_str(), "", why));
    }
}

fn mounts(list: &Spot<'_>, volumes: &[&str], errors: &mut Errors) {
    let mut paths: Vec<&str> = Vec::new();
    for mount in list.items() {
        let (name, path) = (mount.child("name"), mount.child("mountPath"));
        name.filled(errors);
        if !volumes.contains(&name.text()) {
            errors.push(FieldError::not_found(name.place.as_str(), name.text()));
        }
        path.filled(errors);
        if paths.contains(&path.text()) {
            path.problems(["must be unique".to_owned()], errors);
        }
        paths.push(path.text());
        for field in ["subPath", "subPathExpr"] {
            let inner = mount.child(field);
            if field == "subPathExpr" && !inner.text().is_empty() && !mount.child("subPath").is_empty() {
                inner.invalid("subPathExpr and subPath are mutually exclusive", errors);
            }
            // The real server names the list, not the item.
            descending(&Spot { place: format!("{}.{field}", list.place), ..inner }, errors);
        }
    }
}

/// The requests and limits of a container.
fn amounts(resources: &Spot<'_>, errors: &mut Errors) {
    let (limits, requests) = (resources.child("limits"), resources.child("requests"));
    for (name, amount) in limits.entries() {
        resource_name(&amount, name, errors);
        quantity(&amount, name, errors);
    }
    for (name, amount) in requests.entries() {
        resource_name(&amount, name, errors);
        quantity(&amount, name, errors);
        let limit = limits.child(name);
        let (Ok(asked), limited) = (Quantity::parse(amount.text()), Quantity::parse(limit.text())) else {
            continue;
        };
        let refuse = |relation: &str, errors: &mut Errors| {
            let why = format!("must be {relation} {name} limit of {}", limit.text());
            errors.push(FieldError::invalid(requests.place.as_str(), amount.text(), why));
        };
        let shared = is_native(name) && !name.starts_with("hugepages-");
        match limited {
            Ok(limited) if !shared && (asked.exceeds(limited) || limited.exceeds(asked)) => {
                refuse("equal to", errors);
            }
            Ok(limited) if asked.exceeds(limited) => refuse("less than or equal to", errors),
            Err(_) if !shared => {
                limits.required("Limit must be set for non overcommitable resources", errors);
            }
            _ => {}
        }
    }
    let any =
        |wanted: fn(&str) -> bool| limits.entries().chain(requests.entries()).any(|(name, _)| wanted(name));
    if any(|name| name.starts_with("hugepages-")) && !any(|name| matches!(name, "cpu" | "memory")) {
        resources.forbidden("HugePages require cpu or memory", errors);
    }
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn resource_name(amount: &Spot<'_>, name: &str, errors: &mut Errors) {
    let refuse = |why: &str, errors: &mut Errors| {
        errors.push(FieldError::invalid(amount.place.as_str(), name, why));
    };
    let problems = names::qualified(name);
    let standard = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    let elsewhere = COUNTED.contains(&name) || MEASURED.contains(&name);
    for problem in &problems {
        refuse(problem, errors);
    }
    if !name.contains('/') {
        if problems.is_empty() && !standard && !elsewhere {
            refuse("must be a standard resource type or fully qualified", errors);
        }
        if !standard {
            refuse("must be a standard resource for containers", errors);
        }
    } else if !is_native(name) && !is_extended(name) {
        refuse("doesn't follow extended resource name standard", errors);
    }
}

fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && names::qualified(&format!("requests.{name}")).is_empty()
}

/// An amount of a resource.
pub(super) fn quantity(amount: &Spot<'_>, name: &str, errors: &mut Errors) {
    let Ok(parsed) = Quantity::parse(amount.text()) else { return };
    if parsed.is_negative() {
        amount.invalid("must be greater than or equal to 0", errors);
    }
    let counted = COUNTED.contains(&name);
    if (counted || is_extended(name)) && !parsed.is_whole() {
        amount.invalid("must be an integer", errors);
    }
}

/// Hooks and probes.
fn reactions(container: &Spot<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let lifecycle = container.child("lifecycle");
    for hook in ["postStart", "preStop"].into_iter().filter(|hook| lifecycle.has(hook)) {
        handler(&lifecycle.child(hook), pod, errors);
    }
    for field in PROBES.into_iter().filter(|field| container.has(field)) {
        let probe = container.child(field);
        handler(&probe, pod, errors);
        for number in
            ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        {
            probe.child(number).at_least_zero(errors);
        }
        let grace = probe.child("terminationGracePeriodSeconds");
        if grace.number().is_some_and(|seconds| seconds <= 0) {
            grace.invalid("must be greater than 0", errors);
        }
        let threshold = probe.child("successThreshold");
        if field == "readinessProbe" {
            if grace.exists() {
                grace.invalid("must not be set for readinessProbes", errors);
            }
        } else if threshold.number() != Some(1) {
            threshold.invalid("must be 1", errors);
        }
    }
}

fn handler(handler: &Spot<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let mut found = false;
    for kind in ["exec", "httpGet", "tcpSocket", "grpc", "sleep"].into_iter().filter(|kind| handler.has(kind))
    {
        let action = handler.child(kind);
        if std::mem::replace(&mut found, true) {
            action.forbidden("may not specify more than 1 handler type", errors);
            continue;
        }
        match kind {
            "exec" => action.child("command").filled(errors),
            "httpGet" => {
                action.child("path").filled(errors);
                port(&action.child("port"), errors);
                action.child("scheme").one_of(&["HTTP", "HTTPS"], errors);
                for header in action.child("httpHeaders").items() {
                    let name = header.child("name");
                    let list = Spot { place: format!("{}.httpHeaders", action.place), ..name };
                    list.problems(words::header(list.text()), errors);
                }
            }
            "sleep" => {
                let seconds = action.child("seconds").number().unwrap_or(0);
                if let Some(grace) = pod.grace.filter(|grace| !(0..=*grace).contains(&seconds)) {
                    let why =
                        format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                    errors.push(FieldError::invalid(action.place, seconds, why));
                }
            }
            _ => port(&action.child("port"), errors),
        }
    }
    if !found {
        handler.required("must specify a handler type", errors);
    }
}
