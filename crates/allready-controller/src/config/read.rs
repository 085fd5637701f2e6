//! Facts from objects as watches deliver them. Read leniently: what is irregular is kept, what is missing is not invented.

use std::collections::BTreeMap;

use allready_core::{
    Condition, ConditionType, Generation, Reason, Status, Time, condition_type, found, reason,
};
use allready_kube::{
    kinds::{NameFrom, NameFromType, Source},
    manager::Manager,
    report::Identity,
};
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::{Value, json};

use super::{NodeFacts, PodFacts, Report};

/// The report in a StatusReport, if it is for the ConfigurationStatus of this name: a report that names another kind is part
/// of an object of that kind, whatever the name. The group is not compared: a cluster has the kind in one of its groups.
///
/// A report under a name that its spec does not derive, or whose conditions another field manager than the reporter's has
/// written, is nobody's word: it counts as unknown, neither as good nor as absent.
///
/// ```
/// use allready_controller::config::of_status_report;
///
/// let object = serde_json::json!({
///     "metadata": { "name": "config-status.speaker.a", "creationTimestamp": "2026-03-01T10:00:00Z" },
///     "spec": {
///         "targetRef": { "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "name": "config-status" },
///         "component": "speaker",
///         "instance": "a",
///     },
///     "status": { "conditions": [{ "type": "configReconcilerValid", "status": "False" }], "observedRevision": "7" },
/// });
/// let report = of_status_report(&object, "config-status").unwrap();
/// assert_eq!((report.instance.as_deref(), report.revision.as_deref()), (Some("a"), Some("7")));
/// assert_eq!(report.conditions.len(), 1);
/// assert!(of_status_report(&object, "another").is_none());
/// ```
pub fn of_status_report(object: &Value, target: &str) -> Option<Report> {
    let spec = &object["spec"];
    let target_ref = &spec["targetRef"];
    (target_ref["name"] == target && target_ref["kind"] == "ConfigurationStatus").then_some(())?;
    let (component, instance) = (spec["component"].as_str()?, spec["instance"].as_str());
    let identity = Identity::of(component).on(instance.unwrap_or_default());
    let mut conditions = conditions(object);
    if conditions.len() > 1 && is_ready_pending(object) {
        conditions.retain(|condition| condition.type_ != *"Ready");
    }
    let manager = identity.report_manager();
    for condition in &mut conditions {
        if let Some(other) = foreign_writer(object, condition.type_.as_str(), |name| name == manager.as_str())
        {
            disbelieve(condition, reason!("ForeignWriter"), foreign(other, manager.as_str()));
        }
    }
    let name = identity.report_name(target);
    if object["metadata"]["name"] != *name {
        if conditions.is_empty() {
            let (unknown, reason) = (Status::Unknown, reason!("ReportNameMismatch"));
            conditions.push(Condition::new(condition_type!("Ready"), unknown, reason, "", Time::EPOCH));
        }
        for condition in &mut conditions {
            let message =
                format!("the StatusReport of this reporter is {name}, and another one speaks for it");
            disbelieve(condition, reason!("ReportNameMismatch"), message);
        }
    }
    Some(Report {
        component: component.to_owned(),
        instance: instance.map(str::to_owned),
        conditions,
        revision: object["status"]["observedRevision"].as_str().map(str::to_owned),
    })
}

/// Makes the conditions in a ConfigurationStatus unknown that are not written by the reporter whose prefix they have, as far as the
/// record of the API server tells. It is most of the bytes of the object, and is not needed after this.
pub(super) fn disbelieve_foreign(object: &mut Value) {
    let types = object["status"]["conditions"].as_array().into_iter().flatten();
    let types = types.map(|condition| condition["type"].as_str().unwrap_or_default().to_owned());
    for (at, type_) in types.collect::<Vec<_>>().into_iter().enumerate() {
        let Some((prefix, name)) = type_.split_once('/') else { continue };
        let derived = Manager::of(&format!("{prefix}/{}", name.strip_suffix("Valid").unwrap_or(name)));
        let is_own = |manager: &str| {
            let rest = manager.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with('/')) || manager == derived.as_str()
        };
        let Some(other) = foreign_writer(object, &type_, is_own).map(str::to_owned) else { continue };
        let condition = &mut object["status"]["conditions"][at];
        condition["status"] = "Unknown".into();
        condition["reason"] = "ForeignWriter".into();
        condition["message"] = foreign(&other, derived.as_str()).into();
    }
}

/// The field manager that has written the status of a condition in place of its reporter. None where the reporter has written it, or
/// nobody is shown to have.
fn foreign_writer<'a>(object: &'a Value, type_: &str, is_own: impl Fn(&str) -> bool) -> Option<&'a str> {
    let key = format!("k:{}", json!({ "type": type_ }));
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let has_written =
        |entry: &&Value| entry["fieldsV1"]["f:status"]["f:conditions"][&key].get("f:status").is_some();
    let mut writers = entries.filter(has_written).filter_map(|entry| entry["manager"].as_str()).peekable();
    let first = *writers.peek()?;
    (!writers.any(is_own)).then_some(first)
}

fn foreign(other: &str, own: &str) -> String {
    format!("written by the field manager {other}, and not by {own}")
}

fn disbelieve(condition: &mut Condition, reason: Reason, message: String) {
    condition.status = Status::Unknown;
    condition.reason = reason;
    condition.message = message.into();
}

/// Returns true if `Ready` is still what the default of the schema put there: a reporter that writes none has not said it.
fn is_ready_pending(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    ready.is_some_and(|ready| {
        let time = ready["lastTransitionTime"].as_str().and_then(|time| time.parse().ok());
        (&ready["status"], &ready["reason"], time)
            == (&json!("Unknown"), &json!("Pending"), Some(Time::EPOCH))
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
        conditions.retain(|condition| {
            source.conditions.iter().any(|counts| condition.type_ == *counts.type_.as_str())
        });
    }
    for condition in &mut conditions {
        let observed = condition.observed_generation.filter(|observed| !observed.is_none()).or(status);
        if let Some(observed) = observed.filter(|observed| *observed < generation) {
            let message = format!("is about generation {observed}; the object is at generation {generation}");
            disbelieve(condition, reason!("LatestGenerationNotObserved"), message);
        }
    }
    let component = named(object, &source.component).or_else(|| named(object, &NameFrom::name()))?;
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

/// The facts about a node that matter.
pub fn of_node(node: &Node) -> NodeFacts {
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    NodeFacts {
        labels: node.metadata.labels.clone().unwrap_or_default().into(),
        ready: conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"),
    }
}

/// The facts about a pod that matter, if a DaemonSet owns it and it has a node.
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

fn named(object: &Value, name: &NameFrom) -> Option<String> {
    let text = match name.type_ {
        NameFromType::Label => object["metadata"]["labels"][name.label.as_deref()?].as_str()?,
        NameFromType::Name => object["metadata"]["name"].as_str()?,
        NameFromType::Value => name.value.as_deref()?,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

fn conditions(object: &Value) -> Vec<Condition> {
    let created = object["metadata"]["creationTimestamp"].as_str().and_then(|time| time.parse().ok());
    found::of_object(object).to_conditions(created.unwrap_or(Time::EPOCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kind: &str, conditions: &Value) -> Option<Report> {
        let object = json!({
            "metadata": { "name": "web.gateway.cluster-1" },
            "spec": {
                "targetRef": { "apiVersion": "example.com/v1", "kind": kind, "name": "web" },
                "component": "gateway", "instance": "cluster-1",
            },
            "status": { "conditions": conditions },
        });
        of_status_report(&object, "web")
    }

    fn types(report: &Report) -> Vec<&str> {
        report.conditions.iter().map(|condition| condition.type_.as_str()).collect()
    }

    #[test]
    fn a_report_on_an_object_of_another_kind_does_not_count() {
        let conditions = json!([{ "type": "Programmed", "status": "False" }]);
        assert_eq!(report("Gateway", &conditions), None);
        assert_eq!(types(&report("ConfigurationStatus", &conditions).unwrap()), ["Programmed"]);
    }

    #[test]
    fn a_ready_that_the_schema_put_there_is_left_out_beside_what_the_reporter_says() {
        let pending = json!({ "type": "Ready", "status": "Unknown", "reason": "Pending", "message": "",
            "lastTransitionTime": "1970-01-01T00:00:00Z" });
        let said = json!({ "type": "poolValid", "status": "True" });
        let alone = report("ConfigurationStatus", &json!([pending])).unwrap();
        assert_eq!(types(&alone), ["Ready"], "nothing has been said yet");
        assert_eq!(types(&report("ConfigurationStatus", &json!([pending, said])).unwrap()), ["poolValid"]);
        let mut unknown = pending.clone();
        unknown["lastTransitionTime"] = "2026-03-01T10:00:00Z".into();
        let both = report("ConfigurationStatus", &json!([unknown, said])).unwrap();
        assert_eq!(types(&both), ["Ready", "poolValid"], "this one was written");
    }

    /// A StatusReport of the speaker on `a` under a name, with a condition that this manager has written.
    fn written(name: &str, manager: &str, status: &str) -> Report {
        let fields = json!({ "f:status": { "f:conditions": { "k:{\"type\":\"configReconcilerValid\"}": { "f:status": {} } } } });
        let object = json!({
            "metadata": { "name": name, "managedFields": [
                { "manager": manager, "operation": "Apply", "subresource": "status", "fieldsV1": fields },
            ] },
            "spec": { "targetRef": { "kind": "ConfigurationStatus", "name": "web" }, "component": "speaker", "instance": "a" },
            "status": { "conditions": [{ "type": "configReconcilerValid", "status": status }] },
        });
        of_status_report(&object, "web").unwrap()
    }

    #[test]
    fn a_report_under_another_name_or_by_another_writer_is_never_good_and_never_absent() {
        for status in ["True", "False", "Unknown"] {
            let own = written("web.speaker.a", "speaker-a", status);
            assert_eq!(own.conditions[0].status.to_string(), status);
            for (name, manager, reason) in [
                ("web.speaker.b", "speaker-a", "ReportNameMismatch"),
                ("web.speaker.a-0123456789abcdef", "speaker-a", "ReportNameMismatch"),
                ("web.speaker.a", "speaker-b", "ForeignWriter"),
                ("web.speaker.a", "kubectl-patch", "ForeignWriter"),
            ] {
                let report = written(name, manager, status);
                let said: Vec<_> =
                    report.conditions.iter().map(|one| (one.status, one.reason.as_str())).collect();
                assert_eq!(said, [(Status::Unknown, reason)], "{name} by {manager}");
            }
        }
    }

    #[test]
    fn a_report_under_another_name_that_says_nothing_is_unknown_too() {
        let object = json!({ "metadata": { "name": "squatted" }, "spec": {
            "targetRef": { "kind": "ConfigurationStatus", "name": "web" }, "component": "speaker" } });
        let report = of_status_report(&object, "web").unwrap();
        assert_eq!(report.conditions[0].reason.as_str(), "ReportNameMismatch");
    }

    #[test]
    fn a_condition_in_the_object_itself_counts_only_by_the_writer_of_its_prefix() {
        let key = |type_: &str| format!("k:{}", json!({ "type": type_ }));
        let (mine, theirs) = ("speaker-a/configReconcilerValid", "speaker-b/configReconcilerValid");
        let fields =
            |type_: &str| json!({ "f:status": { "f:conditions": { key(type_): { "f:status": {} } } } });
        let entry = |manager: &str, type_: &str| json!({ "manager": manager, "fieldsV1": fields(type_) });
        let mut object = json!({
            "metadata": { "managedFields": [
                entry("speaker-a/configReconciler", mine), entry("speaker-a/configReconciler", theirs),
            ] },
            "status": { "conditions": [
                { "type": "Ready", "status": "True" }, { "type": mine, "status": "True" }, { "type": theirs, "status": "True" },
            ] },
        });
        disbelieve_foreign(&mut object);
        let said: Vec<_> = (0..3).map(|at| object["status"]["conditions"][at]["status"].clone()).collect();
        assert_eq!(said, ["True", "True", "Unknown"]);
        assert_eq!(object["status"]["conditions"][2]["reason"], "ForeignWriter");
    }
}
