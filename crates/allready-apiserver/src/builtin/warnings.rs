//! What is accepted with a raised eyebrow.

use serde_json::Value;

use super::{
    path::{at, items, text_at},
    table::Row,
};
use crate::{names, status::quote};

/// The warnings that a write brings.
pub(crate) fn of(row: &Row, new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    let name = text_at(new, &["metadata", "name"]);
    let created = old.is_none();
    let hostname = match row.kind {
        "Pod" => Some("the Pod's hostname"),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob" => {
            Some("Pod names and hostnames")
        }
        _ => None,
    };
    if let Some(hostname) = hostname.filter(|_| created && row.kind != "DaemonSet") {
        let problems = names::dns_label(name);
        if !problems.is_empty() {
            warnings.push(format!(
                "metadata.name: this is used in {hostname}, which can result in surprising behavior; a DNS label is recommended: [{}]",
                problems.join(" ")
            ));
        }
    }
    let template: Option<(&[&str], &str)> = match row.kind {
        "Pod" => Some((&["spec"], "spec")),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" => {
            Some((&["spec", "template", "spec"], "spec.template.spec"))
        }
        "CronJob" => Some((
            &["spec", "jobTemplate", "spec", "template", "spec"],
            "spec.jobTemplate.spec.template.spec",
        )),
        _ => None,
    };
    let unchanged = |path: &[&str]| old.is_some_and(|old| at(old, path) == at(new, path));
    if let Some((path, place)) =
        template.filter(|(path, _)| !unchanged(path) && (created || row.kind != "Pod"))
        && let Some(spec) = at(new, path)
    {
        pod_spec(spec, place, &mut warnings);
    }
    if row.kind == "Service" {
        service(new, &mut warnings);
    }
    if row.kind == "CSIDriver"
        && created
        && !items(new, &["spec", "tokenRequests"]).is_empty()
        && at(new, &["spec", "serviceAccountTokenInSecrets"]).is_none()
    {
        warnings.push("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes".to_owned());
    }
    warnings
}

/// Follows `GetWarningsForService` of `pkg/api/service` of Kubernetes.
fn service(service: &Value, warnings: &mut Vec<String>) {
    let text = |field: &str| text_at(service, &["spec", field]);
    let mut warn = |text: &str| warnings.push(text.to_owned());
    let outer = !items(service, &["spec", "externalIPs"]).is_empty();
    let (hints, mode) = ("service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode");
    if at(service, &["metadata", "annotations", hints]).is_some() {
        warn(&format!("annotation {hints} is deprecated, please use {mode} instead"));
    }
    let headless = text("type") == "ClusterIP" && text("clusterIP") == "None";
    let named = text("type") == "ExternalName";
    if headless {
        if !text("loadBalancerIP").is_empty() {
            warn("spec.loadBalancerIP is ignored for headless services");
        }
        if outer {
            warn("spec.externalIPs is ignored for headless services");
        }
        if text("sessionAffinity") != "None" {
            warn("spec.SessionAffinity is ignored for headless services");
        }
    }
    if outer && !headless && !named {
        warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    }
    if named && outer {
        warn("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
    }
    if !named && !text("externalName").is_empty() {
        warn("spec.externalName is ignored when spec.type is not \"ExternalName\"");
    }
    if text("trafficDistribution") == "PreferClose" {
        warn("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
    }
}

fn pod_spec(spec: &Value, place: &str, warnings: &mut Vec<String>) {
    for (index, secret) in items(spec, &["imagePullSecrets"]).iter().enumerate() {
        if text_at(secret, &["name"]).is_empty() {
            warnings.push(format!("{place}.imagePullSecrets[{index}].name: invalid empty name \"\""));
        }
    }
    for list in ["initContainers", "containers"] {
        for (index, container) in items(spec, &[list]).iter().enumerate() {
            let mut seen: Vec<&str> = Vec::new();
            for (place_of, variable) in items(container, &["env"]).iter().enumerate() {
                let name = text_at(variable, &["name"]);
                if seen.contains(&name) {
                    warnings.push(format!(
                        "{place}.{list}[{index}].env[{place_of}]: hides previous definition of {}, which may be dropped when using apply",
                        quote(name)
                    ));
                }
                seen.push(name);
            }
        }
    }
}
