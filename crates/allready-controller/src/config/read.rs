//! Facts from objects as watches deliver them. Read leniently: what is irregular is kept, what is missing is not invented.

use std::collections::BTreeMap;

use allready_core::{Condition, ConditionType, Time, found};
use allready_kube::kinds::{Naming, Source};
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::Value;

use super::{NodeFacts, PodFacts, Report};

/// The report in a StatusReport, if it is for this target.
///
/// ```
/// use allready_controller::config::of_status_report;
///
/// let object = serde_json::json!({
///     "metadata": { "name": "config-status-speaker-a", "creationTimestamp": "2026-03-01T10:00:00Z" },
///     "spec": { "target": "config-status", "component": "speaker", "instance": "a" },
///     "status": { "conditions": [{ "type": "configReconcilerValid", "status": "False" }], "observedRevision": "7" },
/// });
/// let report = of_status_report(&object, "config-status").unwrap();
/// assert_eq!((report.instance.as_deref(), report.revision.as_deref()), (Some("a"), Some("7")));
/// assert_eq!(report.conditions.len(), 1);
/// assert!(of_status_report(&object, "another").is_none());
/// ```
pub fn of_status_report(object: &Value, target: &str) -> Option<Report> {
    let spec = &object["spec"];
    (spec["target"] == target).then_some(())?;
    Some(Report {
        component: spec["component"].as_str()?.to_owned(),
        instance: spec["instance"].as_str().map(str::to_owned),
        conditions: conditions(object),
        revision: object["status"]["observedRevision"].as_str().map(str::to_owned),
    })
}

/// The report in an object of another kind. None where its component has no name.
pub fn of_source(object: &Value, source: &Source) -> Option<Report> {
    let mut conditions = conditions(object);
    if !source.conditions.is_empty() {
        conditions
            .retain(|condition| source.conditions.iter().any(|type_| condition.type_ == *type_.as_str()));
    }
    Some(Report {
        component: named(object, &source.component)?,
        instance: source.instance.as_ref().and_then(|instance| named(object, instance)),
        conditions,
        revision: None,
    })
}

/// The reports that components apply into the object itself, as `component/reconcilerValid`: by what stands before the slash.
///
/// Which part of that is the component is known from the plan alone, so it is asked for.
pub fn own_reports(
    object: &Value,
    split: impl Fn(&str) -> (String, Option<String>),
) -> BTreeMap<String, Report> {
    let mut reports: BTreeMap<String, Report> = BTreeMap::new();
    for mut condition in conditions(object) {
        let Some(prefix) = condition.type_.prefix().map(str::to_owned) else { continue };
        let Ok(type_) = ConditionType::new(condition.type_.name().to_owned()) else { continue };
        condition.type_ = type_;
        let report = reports.entry(prefix).or_insert_with_key(|prefix| {
            let (component, instance) = split(prefix);
            Report { component, instance, conditions: Vec::new(), revision: None }
        });
        report.conditions.push(condition);
    }
    reports
}

/// What matters about a node.
pub fn of_node(node: &Node) -> NodeFacts {
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    NodeFacts {
        labels: node.metadata.labels.clone().unwrap_or_default(),
        ready: conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"),
    }
}

/// What matters about a pod, if a DaemonSet owns it and it has a node.
pub fn of_pod(pod: &Pod) -> Option<PodFacts> {
    let owners = pod.metadata.owner_references.as_deref().unwrap_or_default();
    let owner = owners.iter().find(|owner| owner.kind == "DaemonSet")?;
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    Some(PodFacts {
        daemon_set: owner.name.clone(),
        node: pod.spec.as_ref()?.node_name.clone()?,
        ready: pod.metadata.deletion_timestamp.is_none()
            && conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"),
    })
}

fn named(object: &Value, naming: &Naming) -> Option<String> {
    let text = match naming {
        Naming::Label(label) => object["metadata"]["labels"][label].as_str()?,
        Naming::Name {} => object["metadata"]["name"].as_str()?,
        Naming::Value(value) => value,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

fn conditions(object: &Value) -> Vec<Condition> {
    let created = object["metadata"]["creationTimestamp"].as_str().and_then(|time| time.parse().ok());
    found::of_object(object).to_conditions(created.unwrap_or(Time::EPOCH))
}
