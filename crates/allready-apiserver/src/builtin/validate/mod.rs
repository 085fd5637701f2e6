//! What is wrong with an object, beyond its metadata.
//!
//! A check walks the object by [`spot::Spot`]s, each a value and its place, in the order of the real server.
//!
//! Follows `pkg/apis/*/validation` of Kubernetes; each file names its part of it.

use serde_json::Value;

use super::{
    path::{at, items, number_at, text_at},
    table::Row,
};
use crate::{names, resource::Endpoint, status::FieldError};

mod certificate;
mod claims;
mod conditions;
mod container;
mod counters;
mod cron;
mod data;
mod devices;
mod downward;
mod event;
mod flow;
mod job_policy;
mod job_status;
mod limits;
mod network;
mod pod;
mod policy;
mod rbac;
mod resize;
mod rollout;
mod scheduling;
mod selector;
mod service;
mod spot;
mod storage;
mod volume;
mod webhook;
mod words;
mod workload;

pub(crate) use selector::selects;
pub(crate) use words::{address_problems, read_address};

use self::spot::Spot;

type Errors = Vec<FieldError>;

/// Everything that is wrong.
pub(crate) fn object(row: &Row, endpoint: Endpoint, new: &Value, old: Option<&Value>) -> Errors {
    let mut errors = Vec::new();
    match (row.kind, endpoint) {
        ("CertificateSigningRequest", Endpoint::Status) => {
            certificate::update(certificate::Part::Status, new, old, &mut errors);
        }
        ("CertificateSigningRequest", Endpoint::Other("approval")) => {
            certificate::update(certificate::Part::Approval, new, old, &mut errors);
        }
        ("ValidatingAdmissionPolicy", Endpoint::Status) => policy::status(new, &mut errors),
        ("ResourceClaim", Endpoint::Status) => claims::status(new, old, &mut errors),
        ("Job", Endpoint::Status) => job_status::check(new, old, &mut errors),
        (_, Endpoint::Status) => status(row, new, &mut errors),
        ("Namespace", Endpoint::Other("finalize")) => finalizers(new, true, &mut errors),
        ("Pod", Endpoint::Other("resize")) => resize::resize(new, old.unwrap_or(new), &mut errors),
        ("Pod", Endpoint::Other("ephemeralcontainers")) => {
            resize::ephemeral(new, old.unwrap_or(new), &mut errors);
        }
        (_, Endpoint::Scale | Endpoint::Other(_)) => {}
        ("Node", _) => node(new, old, &mut errors),
        ("Namespace", _) => namespace(new, old, &mut errors),
        ("Event", _) => event::check(row, new, old, &mut errors),
        ("Lease", _) => lease(new, &mut errors),
        ("Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding", _) => {
            rbac::check(row, new, old, &mut errors);
        }
        ("Pod", _) => pod::check(new, old, &mut errors),
        ("CronJob", _) => cron::check(new, old, &mut errors),
        ("Deployment" | "DaemonSet" | "ReplicaSet" | "StatefulSet" | "Job", _) => {
            workload::check(row, new, old, &mut errors);
        }
        ("ConfigMap", _) => data::config_map(new, old, &mut errors),
        ("Secret", _) => data::secret(new, old, &mut errors),
        ("Service", _) => service::check(new, old, &mut errors),
        (kind, _) => more(kind, new, old, &mut errors),
    }
    errors
}

/// The kinds with a check or two.
fn more(kind: &str, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    match kind {
        "CSIDriver" => storage::driver(new, old, errors),
        "CSINode" => storage::node(new, errors),
        "CSIStorageCapacity" => storage::room(new, old, errors),
        "CertificateSigningRequest" => certificate::request(new, old, errors),
        "ControllerRevision" => limits::revision(new, old, errors),
        "DeviceClass" => claims::class(new, errors),
        "EndpointSlice" => network::slice(new, old, errors),
        "Endpoints" => network::endpoints(new, errors),
        "FlowSchema" => flow::schema(new, errors),
        // The old version has some of the fields.
        "HorizontalPodAutoscaler" => limits::autoscaler(new, errors),
        "IPAddress" => network::address(new, old, errors),
        "Ingress" => network::ingress(new, errors),
        "IngressClass" => network::ingress_class(new, old, errors),
        "LimitRange" => limits::range(new, errors),
        "MutatingAdmissionPolicy" => policy::mutating(new, old, errors),
        "MutatingAdmissionPolicyBinding" => policy::binding(new, false, errors),
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => webhook::check(new, errors),
        "NetworkPolicy" => network::policy(new, errors),
        "PersistentVolume" => storage::persistent_volume(new, old, errors),
        "PersistentVolumeClaim" => storage::claim(new, old, errors),
        "PodDisruptionBudget" => limits::budget(new, errors),
        "PodTemplate" => limits::template(new, errors),
        "PriorityClass" => limits::priority(new, old, errors),
        "PriorityLevelConfiguration" => limits::priority_level(new, errors),
        "ReplicationController" => limits::replication_controller(new, errors),
        "ResourceClaim" => claims::claim(new, old, errors),
        "ResourceClaimTemplate" => claims::template(new, old, errors),
        "ResourceQuota" => limits::quota(new, errors),
        "ResourceSlice" => devices::slice(new, old, errors),
        "RuntimeClass" => limits::runtime(new, old, errors),
        "ServiceCIDR" => network::service_ranges(new, old, errors),
        "StorageClass" => storage::class(new, old, errors),
        "ValidatingAdmissionPolicy" => policy::validating(new, old, errors),
        "ValidatingAdmissionPolicyBinding" => policy::binding(new, true, errors),
        "VolumeAttachment" => storage::attachment(new, old, errors),
        "VolumeAttributesClass" => storage::attributes(new, old, errors),
        _ => {}
    }
}

/// What is wrong with the fields about a service's addresses, before any is given.
pub(crate) fn service_addresses(service: &Value) -> Errors {
    let mut errors = Vec::new();
    service::addresses(&Spot::root(service).child("spec"), &mut errors);
    errors
}

fn status(row: &Row, new: &Value, errors: &mut Errors) {
    counters::check(row, new, errors);
    if row.kind == "Service"
        && text_at(new, &["spec", "type"]) != "LoadBalancer"
        && !items(new, &["status", "loadBalancer", "ingress"]).is_empty()
    {
        let why = "may only be used when `spec.type` is 'LoadBalancer'";
        errors.push(FieldError::forbidden("status.loadBalancer.ingress", why));
    }
    let phase = text_at(new, &["status", "phase"]);
    if row.kind == "Namespace" {
        let goes = at(new, &["metadata", "deletionTimestamp"]).is_some();
        if !goes && phase != "Active" {
            let why = "may only be 'Active' if `deletionTimestamp` is empty";
            errors.push(FieldError::invalid("status.Phase", phase, why));
        } else if goes && phase != "Terminating" {
            let why = "may only be 'Terminating' if `deletionTimestamp` is not empty";
            errors.push(FieldError::invalid("status.Phase", phase, why));
        }
    }
}

fn lease(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let seconds = spec.child("leaseDurationSeconds");
    if seconds.number().is_some_and(|seconds| seconds <= 0) {
        seconds.invalid("must be greater than 0", errors);
    }
    spec.child("leaseTransitions").at_least_zero(errors);
}

fn namespace(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if old.is_none() {
        finalizers(new, false, errors);
    }
}

/// The finalizers of a namespace, told by their places or by their list.
fn finalizers(new: &Value, places: bool, errors: &mut Errors) {
    for (index, finalizer) in items(new, &["spec", "finalizers"]).iter().enumerate() {
        let Some(finalizer) = finalizer.as_str() else { continue };
        let place = if places { format!("spec.finalizers[{index}]") } else { "spec.finalizers".to_owned() };
        let refuse = |why: String, errors: &mut Errors| {
            errors.push(FieldError::invalid(place.as_str(), finalizer, why));
        };
        let problems = names::qualified(finalizer);
        let known = matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion");
        for problem in problems {
            refuse(problem, errors);
        }
        if !finalizer.contains('/') && !known {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            refuse(why.to_owned(), errors);
        }
    }
}

fn node(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let amounts = |errors: &mut Errors| {
        for field in ["capacity", "allocatable"] {
            for (name, amount) in root.child("status").child(field).entries() {
                let place = format!("status.{field}.{name}");
                container::quantity(&Spot { place, ..amount }, name, errors);
            }
        }
    };
    // The real server says so of the metadata.
    let taints = Spot { place: "metadata.taints".into(), ..root.at("spec.taints") };
    scheduling::taints(&taints, errors);
    amounts(errors);
    let ranges = root.at("spec.podCIDRs");
    for range in ranges.items() {
        words::range(&range, errors);
    }
    let newer = ranges.items().filter(|range| range.text().contains(':')).count();
    if newer > 1 || ranges.items().count() - newer > 1 {
        ranges.invalid("may specify no more than one CIDR for each IP family", errors);
    }
    let Some(old) = old else { return };
    // The real server checks a changed node once as any, and once as a changed one.
    amounts(errors);
    for (field, shown) in [("podCIDR", "podCIDRs"), ("providerID", "providerID")] {
        let before = text_at(old, &["spec", field]);
        if !before.is_empty() && text_at(new, &["spec", field]) != before {
            let why = format!("node updates may not change {field} except from \"\" to valid");
            errors.push(FieldError::forbidden(format!("spec.{shown}"), why));
        }
    }
    scheduling::taints(&taints, errors);
}

fn at_least_zero(object: &Value, path: &[&str], errors: &mut Errors) {
    if let Some(number) = number_at(object, path).filter(|number| *number < 0) {
        errors.push(FieldError::invalid(path.join("."), number, "must be greater than or equal to 0"));
    }
}

/// `Unsupported value` for text that is not one of some words.
fn one_of(field: String, word: &str, allowed: &[&str], errors: &mut Errors) {
    if !allowed.contains(&word) {
        errors.push(FieldError::not_supported(field, word, allowed));
    }
}

fn immutable(new: &Value, old: &Value, path: &[&str], errors: &mut Errors) {
    if at(new, path) != at(old, path) {
        let spot = Spot::root(new).at(&path.join("."));
        if path.last() == Some(&"selector") {
            selector::refuse(&spot, "field is immutable", errors);
        } else {
            spot.invalid("field is immutable", errors);
        }
    }
}
