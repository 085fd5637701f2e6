//! The decision what may be removed: only what was left by a writer that cannot be there any more. Pure.

use std::{collections::BTreeSet, time::Duration};

use allready_controller::config::{Plan, PlannedInstances};
use allready_core::Time;
use allready_kube::{
    kinds::StatusReport,
    report::Identity,
    sweep::{Inventory, OwnedPrefix, Remains, Removal, plan, plan_reports},
};
use kube::core::DynamicObject;

/// The writers that report into an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cast {
    /// The components with an instance on each node: of these it is known which instances are gone.
    pub(super) on_nodes: BTreeSet<String>,
    /// Others that are declared by name.
    pub(super) others: Vec<Identity>,
    /// The components whose instances are whoever reports: no instance of them is ever gone.
    pub(super) unsure: BTreeSet<String>,
}

impl Cast {
    /// The writers that a spec declares.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut cast = Self::default();
        for component in &plan.components {
            match &component.instances {
                instances if instances.are_nodes() => {
                    cast.on_nodes.insert(component.name.clone());
                }
                PlannedInstances::Names(names) => {
                    cast.others.extend(names.iter().map(|name| Identity::of(&component.name).on(name)));
                }
                _ => {
                    cast.unsure.insert(component.name.clone());
                }
            }
            cast.others.push(Identity::of(&component.name));
        }
        cast
    }

    /// The reason why a writer may be another one than it seems: names of components may begin alike.
    fn unsure_of(&self, writer: &str) -> Option<String> {
        let is_of = |component: &&String| {
            writer
                .strip_prefix(component.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let component = self.unsure.iter().find(is_of)?;
        Some(format!("may be of component {component}"))
    }

    /// Every writer that may be there: every component on every node, wanted there or not.
    fn living(&self, nodes: &BTreeSet<String>) -> Inventory {
        if nodes.is_empty() {
            return Inventory::Unsynced;
        }
        let on = |component: &String| {
            let component = component.clone();
            nodes.iter().map(move |node| Identity::of(&component).on(node))
        };
        Inventory::synced(self.on_nodes.iter().flat_map(on).chain(self.others.iter().cloned()))
    }
}

/// The state of a cluster.
pub(super) struct Sight<'a> {
    /// The object that is reported into.
    pub(super) object: &'a DynamicObject,
    /// The reports about it.
    pub(super) reports: &'a [StatusReport],
    /// The nodes that there are.
    pub(super) nodes: &'a BTreeSet<String>,
    /// The time at which the Lease of a report was renewed, by the name of the report.
    pub(super) heartbeats: &'a dyn Fn(&str) -> Option<Time>,
}

/// A leftover of a writer that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The leftover, as it would be removed.
    pub(super) removal: Removal,
    /// The time of the last write.
    pub(super) last_write: Option<Time>,
    /// The reason why it stays nevertheless.
    pub(super) stays: Option<String>,
}

/// Finds what writers left that are gone.
pub(super) fn findings(cast: &Cast, sight: &Sight<'_>, patience: Duration, now: Time) -> Vec<Finding> {
    let inventory = cast.living(sight.nodes);
    let mut findings: Vec<Finding> = Vec::new();
    for component in &cast.on_nodes {
        let Some(owned) = OwnedPrefix::new(format!("{component}-")) else { continue };
        let target = sight.object.metadata.name.as_deref().unwrap_or_default();
        let mine =
            |report: &&StatusReport| report.spec.component == *component && report.spec.instance.is_some();
        let reports: Vec<StatusReport> = sight.reports.iter().filter(mine).cloned().collect();
        let removals = plan(sight.object, &owned, &inventory)
            .into_iter()
            .chain(plan_reports(&reports, target, &owned, &inventory));
        for removal in removals {
            if findings.iter().any(|finding| finding.removal == removal) {
                continue;
            }
            let last_write = last_write(&removal, sight);
            let stays =
                cast.unsure_of(&removal.writer).or_else(|| stays(&removal, last_write, sight, patience, now));
            findings.push(Finding { removal, last_write, stays });
        }
    }
    findings
}

/// The reason why something is not removed although its writer is not among the living.
fn stays(
    removal: &Removal,
    last_write: Option<Time>,
    sight: &Sight<'_>,
    patience: Duration,
    now: Time,
) -> Option<String> {
    let is_recent = |then: Time| {
        now.since(then) < jiff::SignedDuration::try_from(patience).unwrap_or(jiff::SignedDuration::MAX)
    };
    let on = |node: &&String| removal.writer.ends_with(&format!("-{node}"));
    if let Some(node) = sight.nodes.iter().find(on) {
        return Some(format!("may be another component on node {node}"));
    }
    if let Remains::Report { name, .. } = &removal.remains
        && (sight.heartbeats)(name).is_some_and(is_recent)
    {
        return Some("its heartbeat is recent".to_owned());
    }
    match last_write {
        Some(then) if is_recent(then) => Some("was written just now".to_owned()),
        Some(_) => None,
        None => Some("it is not known when it was written".to_owned()),
    }
}

fn last_write(removal: &Removal, sight: &Sight<'_>) -> Option<Time> {
    let time = |entry: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry| {
        entry.time.as_ref().map(|time| Time::new(time.0))
    };
    match &removal.remains {
        Remains::Manager { manager, .. } => {
            let entries = sight.object.metadata.managed_fields.iter().flatten();
            entries.filter(|entry| entry.manager.as_ref() == Some(manager)).filter_map(time).max()
        }
        Remains::Report { name, .. } => {
            let mut reports = sight.reports.iter();
            let report = reports.find(|report| report.metadata.name.as_ref() == Some(name))?;
            report.metadata.managed_fields.iter().flatten().filter_map(time).max()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: &str = "2026-03-01T10:00:00Z";
    const LONG_AGO: &str = "2026-03-01T09:00:00Z";

    fn object(writers: &[(&str, &str)]) -> DynamicObject {
        let entries: Vec<Value> = writers
            .iter()
            .map(|(writer, time)| {
                let time = Some(*time).filter(|time| !time.is_empty());
                let key = format!("k:{}", json!({ "type": format!("{writer}/configReconcilerValid") }));
                json!({
                    "manager": format!("{writer}/configReconciler"), "operation": "Apply", "subresource": "status",
                    "time": time, "fieldsV1": { "f:status": { "f:conditions": { key: {} } } },
                })
            })
            .collect();
        serde_json::from_value(json!({ "metadata": { "name": "config-status", "managedFields": entries } }))
            .unwrap()
    }

    fn report(component: &str, node: &str, time: &str) -> StatusReport {
        serde_json::from_value(json!({
            "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
            "metadata": {
                "name": format!("config-status.{component}.{node}"),
                "managedFields": [{ "manager": "m", "operation": "Apply", "time": time, "fieldsV1": {} }],
            },
            "spec": { "targetRef": { "name": "config-status" }, "component": component, "instance": node },
        }))
        .unwrap()
    }

    fn told(
        cast: &Cast,
        object: &DynamicObject,
        reports: &[StatusReport],
        nodes: &[&str],
    ) -> Vec<(String, String)> {
        let nodes = nodes.iter().map(|&node| node.to_owned()).collect();
        let heartbeats = |name: &str| name.contains("speaker.beats").then(|| NOW.parse().unwrap());
        let sight = Sight { object, reports, nodes: &nodes, heartbeats: &heartbeats };
        findings(cast, &sight, Duration::from_mins(10), NOW.parse().unwrap())
            .into_iter()
            .map(|finding| (finding.removal.writer, finding.stays.unwrap_or_default()))
            .collect()
    }

    fn cast() -> Cast {
        Cast {
            on_nodes: ["speaker".to_owned()].into(),
            others: vec![Identity::of("speaker-frr")],
            unsure: ["speaker-x".to_owned()].into(),
        }
    }

    #[test]
    fn only_who_is_on_no_node_any_more_is_gone() {
        let object = object(&[("speaker-a", LONG_AGO), ("speaker-b", LONG_AGO), ("other-c", LONG_AGO)]);
        let reports =
            [report("speaker", "a", LONG_AGO), report("speaker", "b", LONG_AGO), report("x", "c", LONG_AGO)];
        let gone = |writer: &str| (writer.to_owned(), String::new());
        assert_eq!(told(&cast(), &object, &reports, &["a"]), [gone("speaker-b"), gone("speaker-b")]);
        assert_eq!(told(&cast(), &object, &reports, &["a", "b"]), []);
    }

    #[test]
    fn while_no_node_is_known_nobody_is_gone() {
        let object = object(&[("speaker-a", LONG_AGO)]);
        assert_eq!(told(&cast(), &object, &[report("speaker", "a", LONG_AGO)], &[]), []);
    }

    #[test]
    fn another_component_whose_name_begins_alike_stays() {
        let object =
            object(&[("speaker-frr", LONG_AGO), ("speaker-bgp-a", LONG_AGO), ("speaker-x-1", LONG_AGO)]);
        let reports = [report("speaker-bgp", "z", LONG_AGO)];
        let told = told(&cast(), &object, &reports, &["a"]);
        let stays = |writer: &str, why: &str| (writer.to_owned(), why.to_owned());
        assert_eq!(
            told,
            [
                stays("speaker-bgp-a", "may be another component on node a"),
                stays("speaker-x-1", "may be of component speaker-x"),
            ]
        );
    }

    #[test]
    fn who_has_written_just_now_or_whose_heart_beats_stays() {
        let object = object(&[("speaker-b", "2026-03-01T09:59:00Z"), ("speaker-c", "")]);
        let reports = [report("speaker", "beats", LONG_AGO)];
        let reasons: Vec<String> =
            told(&cast(), &object, &reports, &["a"]).into_iter().map(|(_, why)| why).collect();
        assert_eq!(
            reasons,
            ["was written just now", "it is not known when it was written", "its heartbeat is recent"]
        );
    }

    #[test]
    fn a_spec_says_who_is_bound_to_nodes() {
        let spec = serde_json::from_value(json!({ "components": [
            { "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } },
            { "name": "edge", "instances": { "type": "Names", "names": ["x"] } },
            { "name": "controller" },
        ] }));
        let cast = Cast::of(&Plan::of(&spec.unwrap()));
        assert_eq!(cast.on_nodes.iter().collect::<Vec<_>>(), ["speaker"]);
        let others: Vec<String> = cast.others.iter().map(ToString::to_string).collect();
        assert_eq!(others, ["speaker", "edge-x", "edge", "controller"]);
        assert_eq!(cast.unsure.iter().collect::<Vec<_>>(), ["controller"]);
    }
}
