//! The amounts that an object takes of a namespace's quotas, and the quotas that are about it.
//!
//! Follows `pkg/quota/v1/evaluator/core` of Kubernetes (`pods.go`, `services.go`, `persistent_volume_claims.go`) and
//! `k8s.io/apiserver/pkg/quota/v1/generic`. Of pods, the resources of containers and of the pod as a whole are counted; what a
//! resize has not yet brought about is not.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    path::{items, number_at, text_at},
    quantity::Quantity,
};

/// Amounts by the name of the resource.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// Reads a map of amounts.
pub(crate) fn amounts(map: &Value) -> Amounts {
    let entries = map.as_object().into_iter().flatten();
    let read = |(name, text): (&String, &Value)| {
        Some((name.clone(), Quantity::parse(text.as_str().unwrap_or_default()).ok()?))
    };
    entries.filter_map(read).collect()
}

fn add(to: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = to.get(name).map_or(*amount, |known| known.plus(*amount));
        to.insert(name.clone(), sum);
    }
}

/// The requests or the limits of a pod: what its containers take together, or one of its init containers alone.
pub(crate) fn of_pod(pod: &Value, part: &str) -> Amounts {
    let of = |container: &Value| amounts(&container["resources"][part]);
    let mut sum = Amounts::new();
    for container in items(pod, &["spec", "containers"]) {
        add(&mut sum, &of(container));
    }
    let (mut beside, mut most) = (Amounts::new(), Amounts::new());
    for container in items(pod, &["spec", "initContainers"]) {
        let mut own = of(container);
        if container["restartPolicy"] == "Always" {
            add(&mut sum, &own);
            add(&mut beside, &own);
            own.clone_from(&beside);
        } else {
            add(&mut own, &beside);
        }
        raise(&mut most, own);
    }
    raise(&mut sum, most);
    for (name, amount) in amounts(&pod["spec"]["resources"][part]) {
        if matches!(name.as_str(), "cpu" | "memory") {
            sum.insert(name, amount);
        }
    }
    sum
}

/// The greater of two amounts each.
fn raise(to: &mut Amounts, others: Amounts) {
    for (name, amount) in others {
        if to.get(&name).is_none_or(|known| amount.exceeds(*known)) {
            to.insert(name, amount);
        }
    }
}

/// The names under which quotas count the resources of containers.
fn of_resources(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut out = Amounts::from([("pods".to_owned(), Quantity::count(1))]);
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(amount) = requests.get(name) {
            out.insert(name.to_owned(), *amount);
            out.insert(format!("requests.{name}"), *amount);
        }
        if let Some(amount) = limits.get(name) {
            out.insert(format!("limits.{name}"), *amount);
        }
    }
    for (name, amount) in requests {
        let huge = name.starts_with("hugepages-");
        if huge {
            out.insert(name.clone(), *amount);
        }
        if huge || is_extended(name) {
            out.insert(format!("requests.{name}"), *amount);
        }
    }
    out
}

fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/")
}

/// The name that counts the objects of a resource: `count/deployments.apps`.
fn counted(group: &str, plural: &str) -> String {
    if group.is_empty() { format!("count/{plural}") } else { format!("count/{plural}.{group}") }
}

/// Everything that an object takes.
pub(crate) fn of(group: &str, plural: &str, object: &Value) -> Amounts {
    let mut out = Amounts::from([(counted(group, plural), Quantity::count(1))]);
    let mut take = |name: String, amount: Quantity| {
        out.insert(name, amount);
    };
    match (group, plural) {
        // What has ended takes nothing but its place.
        ("", "pods") if matches!(text_at(object, &["status", "phase"]), "Failed" | "Succeeded") => {}
        ("", "pods") => {
            let mut requests = of_pod(object, "requests");
            let mut limits = of_pod(object, "limits");
            let overhead = amounts(&object["spec"]["overhead"]);
            add(&mut requests, &overhead);
            for (name, limit) in &mut limits {
                *limit = overhead.get(name).map_or(*limit, |more| limit.plus(*more));
            }
            for (name, amount) in of_resources(&requests, &limits) {
                take(name, amount);
            }
        }
        ("", "services") => {
            let ports = items(object, &["spec", "ports"]);
            let kind = text_at(object, &["spec", "type"]);
            let nodes = match kind {
                "LoadBalancer" if object["spec"]["allocateLoadBalancerNodePorts"] == false => ports
                    .iter()
                    .filter(|port| number_at(port, &["nodePort"]).is_some_and(|it| it != 0))
                    .count(),
                "NodePort" | "LoadBalancer" => ports.len(),
                _ => 0,
            };
            take("services".into(), Quantity::count(1));
            take("services.nodeports".into(), Quantity::count(nodes));
            take("services.loadbalancers".into(), Quantity::count(usize::from(kind == "LoadBalancer")));
        }
        ("", "persistentvolumeclaims") => {
            let annotation =
                text_at(object, &["metadata", "annotations", "volume.beta.kubernetes.io/storage-class"]);
            let class = [annotation, text_at(object, &["spec", "storageClassName"])];
            let class = class.into_iter().find(|class| !class.is_empty());
            let storage = amounts(&object["spec"]["resources"]["requests"]).get("storage").copied();
            let taken = [("persistentvolumeclaims", Some(Quantity::count(1))), ("requests.storage", storage)];
            for (name, amount) in taken.into_iter().filter_map(|(name, amount)| Some((name, amount?))) {
                if let Some(class) = class {
                    take(format!("{class}{CLASS}{name}"), amount);
                }
                take(name.into(), amount);
            }
        }
        ("", "configmaps" | "resourcequotas" | "replicationcontrollers" | "secrets") => {
            take(plural.into(), Quantity::count(1));
        }
        _ => {}
    }
    out
}

const CLASS: &str = ".storageclass.storage.k8s.io/";

/// Tells whether a name that a quota limits is one that objects of a resource take.
fn counts(group: &str, plural: &str, name: &str) -> bool {
    let own = match (group, plural) {
        ("", "pods") => {
            let computed = ["cpu", "memory", "ephemeral-storage"];
            let plain = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits."));
            let of_request = name.strip_prefix("requests.");
            name == "pods"
                || computed.contains(&plain.unwrap_or(name))
                || name.starts_with("hugepages-")
                || of_request.is_some_and(|name| name.starts_with("hugepages-") || is_extended(name))
        }
        ("", "services") => matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
        ("", "persistentvolumeclaims") => {
            let name = name.split_once(CLASS).map_or(name, |(_, name)| name);
            matches!(name, "persistentvolumeclaims" | "requests.storage")
        }
        ("", "configmaps" | "resourcequotas" | "replicationcontrollers" | "secrets") => name == plural,
        _ => false,
    };
    own || name == counted(group, plural)
}

/// The names that a quota limits and objects of a resource take.
pub(crate) fn limited<'q>(
    hard: impl Iterator<Item = &'q String>,
    group: &str,
    plural: &str,
) -> BTreeSet<&'q str> {
    hard.map(String::as_str).filter(|name| counts(group, plural, name)).collect()
}

/// Tells whether an object is in all scopes of a quota, which only pods can be in.
pub(crate) fn in_scopes(quota: &Value, group: &str, plural: &str, object: &Value) -> bool {
    let is_pod = group.is_empty() && plural == "pods";
    let terminates = terminates(object);
    let best_effort = is_pod && ["requests", "limits"].iter().all(|part| of_pod(object, part).is_empty());
    let is_in = |scope: &str| match scope {
        "Terminating" => terminates,
        "NotTerminating" => !terminates,
        "BestEffort" => best_effort,
        "NotBestEffort" => !best_effort,
        "PriorityClass" => !text_at(object, &["spec", "priorityClassName"]).is_empty(),
        _ => false,
    };
    let selected = |selector: &Value| {
        let values = items(selector, &["values"]);
        let class = &object["spec"]["priorityClassName"];
        match (text_at(selector, &["scopeName"]), text_at(selector, &["operator"])) {
            ("PriorityClass", "In") => values.contains(class),
            ("PriorityClass", "NotIn") => !values.contains(class),
            ("PriorityClass", "DoesNotExist") => class.is_null(),
            (scope, _) => is_in(scope),
        }
    };
    let scopes = items(quota, &["spec", "scopes"]);
    let selectors = items(quota, &["spec", "scopeSelector", "matchExpressions"]);
    (scopes.is_empty() && selectors.is_empty())
        || is_pod && scopes.iter().filter_map(Value::as_str).all(is_in) && selectors.iter().all(selected)
}

/// Tells whether a pod may not run for ever.
pub(crate) fn terminates(pod: &Value) -> bool {
    number_at(pod, &["spec", "activeDeadlineSeconds"]).is_some_and(|seconds| seconds >= 0)
}

/// The sentence about containers without the amounts that a quota is about.
pub(crate) fn unspecified(pod: &Value, limited: &BTreeSet<&str>) -> Option<String> {
    const DEMANDED: [&str; 6] =
        ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
    if !pod["spec"]["resources"].is_null() {
        return None;
    }
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for list in ["containers", "initContainers"] {
        for container in items(pod, &["spec", list]) {
            let [requests, limits] =
                ["requests", "limits"].map(|part| amounts(&container["resources"][part]));
            let there = of_resources(&requests, &limits);
            for name in DEMANDED.iter().filter(|name| limited.contains(*name) && !there.contains_key(**name))
            {
                missing.entry(name).or_default().insert(text_at(container, &["name"]));
            }
        }
    }
    let told = missing.iter().map(|(resource, containers)| {
        let containers: Vec<&str> = containers.iter().copied().collect();
        format!("{resource} for: {}", containers.join(","))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("must specify {}", told.join("; ")))
}
