//! Facts from objects as watches deliver them. Read leniently: what is irregular is kept, what is missing is not invented.

use std::collections::BTreeMap;

use allready_core::{Condition, ConditionType, Generation, Status, Time, found, reason};
use allready_kube::kinds::{Naming, Source};
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::Value;

use super::{NodeFacts, PodFacts, Report};

/// The report in a StatusReport, if it is for the ConfigurationStatus of this name: a report that names another kind is part
/// of an object of that kind, whatever the name.
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
    let kind = spec["targetKind"]["kind"].as_str();
    (spec["target"] == target && kind.is_none_or(|kind| kind == "ConfigurationStatus")).then_some(())?;
    Some(Report {
        component: spec["component"].as_str()?.to_owned(),
        instance: spec["instance"].as_str().map(str::to_owned),
        conditions: conditions(object),
        revision: object["status"]["observedRevision"].as_str().map(str::to_owned),
    })
}

/// The report in an object of another kind. Where its component has no name, it is a component of its own name: what is red
/// counts, whoever says it. A condition about an older generation than the object has is not known.
pub fn of_source(object: &Value, source: &Source) -> Option<Report> {
    let generation = Generation::from(object["metadata"]["generation"].as_i64());
    let status =
        object["status"]["observedGeneration"].as_i64().map(|observed| Generation::from(Some(observed)));
    let mut conditions = conditions(object);
    if !source.conditions.is_empty() {
        conditions
            .retain(|condition| source.conditions.iter().any(|type_| condition.type_ == *type_.as_str()));
    }
    for condition in &mut conditions {
        let observed = condition.observed_generation.filter(|observed| !observed.is_none()).or(status);
        if let Some(observed) = observed.filter(|observed| *observed < generation) {
            condition.status = Status::Unknown;
            condition.reason = reason!("LatestGenerationNotObserved");
            condition.message =
                format!("is about generation {observed}; the object is at generation {generation}").into();
        }
    }
    let component = named(object, &source.component).or_else(|| named(object, &Naming::Name {}))?;
    let instance = source.instance.as_ref().and_then(|instance| named(object, instance));
    Some(Report { component, instance, conditions, revision: None })
}

/// The reports that components apply into the object itself, as `component/reconcilerValid`: by what stands before the slash.
///
/// Which part of that is the component is not in the name, so it is asked for, with the types that stand behind the slash.
pub fn own_reports(
    object: &Value,
    split: impl Fn(&str, &[&str]) -> (String, Option<String>),
) -> BTreeMap<String, Report> {
    let mut said: BTreeMap<String, Vec<Condition>> = BTreeMap::new();
    for mut condition in conditions(object) {
        let Some(prefix) = condition.type_.prefix().map(str::to_owned) else { continue };
        let Ok(type_) = ConditionType::new(condition.type_.name().to_owned()) else { continue };
        condition.type_ = type_;
        said.entry(prefix).or_default().push(condition);
    }
    let report = |(prefix, conditions): (String, Vec<Condition>)| {
        let types: Vec<&str> = conditions.iter().map(|condition| condition.type_.as_str()).collect();
        let (component, instance) = split(&prefix, &types);
        (prefix, Report { component, instance, conditions, revision: None })
    };
    said.into_iter().map(report).collect()
}

/// What matters about a node.
pub fn of_node(node: &Node) -> NodeFacts {
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    NodeFacts {
        labels: node.metadata.labels.clone().unwrap_or_default().into(),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(target_kind: Value) -> Option<Report> {
        let mut object = json!({
            "metadata": { "name": "web.gateway.cluster-1" },
            "spec": { "target": "web", "component": "gateway", "instance": "cluster-1" },
            "status": { "conditions": [{ "type": "Programmed", "status": "False" }] },
        });
        if !target_kind.is_null() {
            object["spec"]["targetKind"] = target_kind;
        }
        of_status_report(&object, "web")
    }

    #[test]
    fn a_report_on_an_object_of_another_kind_does_not_count() {
        assert_eq!(report(json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" })), None);
    }

    #[test]
    fn a_report_that_names_the_kind_of_its_target_counts_as_one_that_does_not() {
        let named =
            report(json!({ "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationStatus" })).unwrap();
        assert_eq!((named.component.as_str(), named.conditions.len()), ("gateway", 1));
        assert_eq!(report(Value::Null).unwrap().conditions.len(), 1);
    }
}
