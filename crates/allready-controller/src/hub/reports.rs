//! An InstanceStatus for each cluster, which holds all that the hub object may have no room for; and the way back from what stands.

use std::collections::{BTreeMap, BTreeSet};

use allready_kube::{
    kinds::{InstanceAddress, InstanceListener, InstanceStatus, InstanceStatusStatus},
    report::{Identity, Layout, labels},
};
use kube::Resource;
use serde_json::{Value, json};

use super::{
    Address, ClusterName, HubFacts, Instance, Listener, MANAGER, ObjectName, Subject, dns::Owner,
    split_address, split_listener,
};

/// The label that says which `StatusAggregation` an object was made for.
pub const AGGREGATION_LABEL: &str = "allready.dev/aggregation";

/// The report of every cluster that is expected or chosen, by name: to be applied as they are, the status to the subresource.
///
/// Where the object has no namespace, the reports have none either: they go where the caller says.
///
/// ```
/// use std::sync::Arc;
/// use allready_controller::hub::{HubFacts, ObjectName, Plan, Subject, dns::Owner, reports};
/// use serde_json::json;
///
/// let spec = json!({ "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" }, "conditions": [{ "type": "Available" }] });
/// let mut web = Subject::new(Arc::new(Plan::of(&serde_json::from_value(spec).unwrap())));
/// web.hub(Some(HubFacts::default()));
/// web.choose(&"cluster-1".parse().unwrap());
/// let object = ObjectName::new("shop", "web");
/// let owner = Owner { api_version: "apps/v1", kind: "Deployment", uid: "0001" };
///
/// let all = reports::reports(&web, "deployments", &object, &owner);
/// let report = &all["web.deployment-deployments.cluster-1"];
/// assert_eq!(report["status"]["conditions"][0]["message"], "has not been heard yet");
/// assert_eq!(reports::recalled(report).unwrap().0, object, "and back, after a restart");
/// ```
pub fn reports(
    subject: &Subject,
    aggregation: &str,
    object: &ObjectName,
    owner: &Owner<'_>,
) -> BTreeMap<String, Value> {
    let clusters: BTreeSet<_> = subject.shares().keys().chain(subject.expected()).collect();
    let reports = clusters.into_iter().map(|cluster| {
        let report = report(subject, aggregation, object, owner, cluster);
        (report_name(aggregation, object, owner, cluster), report)
    });
    reports.collect()
}

/// The report of one cluster.
pub fn report(
    subject: &Subject,
    aggregation: &str,
    object: &ObjectName,
    owner: &Owner<'_>,
    cluster: &ClusterName,
) -> Value {
    let mut metadata = json!({
        "labels": {
            AGGREGATION_LABEL: labels::value(aggregation),
        },
        "name": report_name(aggregation, object, owner, cluster),
        "ownerReferences": [{
            "apiVersion": owner.api_version,
            "kind": owner.kind,
            "name": object.name,
            "uid": owner.uid,
        }],
    });
    if !object.namespace.is_empty() {
        metadata["namespace"] = (*object.namespace).into();
    }
    json!({
        "apiVersion": InstanceStatus::api_version(&()),
        "kind": InstanceStatus::kind(&()),
        "metadata": metadata,
        "spec": {
            "aggregation": aggregation,
            "cluster": cluster.as_str(),
            "targetRef": { "apiVersion": owner.api_version, "kind": owner.kind, "name": object.name },
        },
        "status": status(subject, cluster),
    })
}

/// The name of a report. It has the aggregation in it, as two of them may make reports on one object.
pub fn report_name(
    aggregation: &str,
    object: &ObjectName,
    owner: &Owner<'_>,
    cluster: &ClusterName,
) -> String {
    let made_by = format!("{}-{aggregation}", owner.kind.to_ascii_lowercase());
    let identity = Identity::of(made_by).on(cluster.as_str());
    Layout::sharded(&*object.namespace, &*object.name).object_name(&identity)
}

/// Returns true if the name and the label of a report are made of its spec, as they are of those that are made here.
pub fn is_named_by_its_spec(report: &Value) -> bool {
    let (metadata, spec) = (&report["metadata"], &report["spec"]);
    let text = |part: &Value| part.as_str().unwrap_or_default().to_owned();
    let (aggregation, kind) = (text(&spec["aggregation"]), text(&spec["targetRef"]["kind"]));
    let object = ObjectName::new(&text(&metadata["namespace"]), &text(&spec["targetRef"]["name"]));
    let owner = Owner { api_version: "", kind: &kind, uid: "" };
    let cluster = ClusterName::new(&text(&spec["cluster"])).ok();
    let name = cluster.map(|cluster| report_name(&aggregation, &object, &owner, &cluster));
    name.is_some_and(|name| metadata["name"] == *name)
        && metadata["labels"]
            .get(AGGREGATION_LABEL)
            .is_some_and(|label| *label == *labels::value(&aggregation))
}

/// Returns why a report is not believed, if it is not: nobody but the hub makes reports, and writes to their status. Anybody may call
/// himself as he likes in the record of who wrote what, so what keeps forgers out are roles; this finds those who do not try hard.
pub fn forged(report: &Value) -> Option<&'static str> {
    if !is_named_by_its_spec(report) {
        return Some("its name does not fit its spec");
    }
    let records = entries(&report["metadata"]["managedFields"]);
    let mut writers = records.filter(|record| record["fieldsV1"].get("f:status").is_some()).peekable();
    let is_written = report["status"].as_object().is_some_and(|status| !status.is_empty());
    let is_ours = |record: &Value| record["manager"] == MANAGER && record["subresource"] == "status";
    let is_forged = (is_written && writers.peek().is_none()) || !writers.all(is_ours);
    is_forged.then_some("somebody else than the hub has written to its status")
}

fn status(subject: &Subject, cluster: &ClusterName) -> InstanceStatusStatus {
    let share = subject.shares().get(cluster);
    let last = share.and_then(|share| share.last.as_ref());
    let addresses = last.map(|last| last.addresses.as_slice()).unwrap_or_default();
    let listeners = last.map(|last| last.listeners.as_slice()).unwrap_or_default();
    InstanceStatusStatus {
        conditions: subject.judged(cluster),
        addresses: addresses
            .iter()
            .map(|address| InstanceAddress {
                type_: address.type_.to_string(),
                value: address.value.to_string(),
            })
            .collect(),
        listeners: listeners
            .iter()
            .map(|listener| InstanceListener {
                name: listener.name.to_string(),
                attached_routes: listener.attached_routes,
            })
            .collect(),
    }
}

/// Reads what a report of ours remembers: of which object, and of which cluster. None for other reports.
pub fn recalled(report: &Value) -> Option<(ObjectName, ClusterName, Instance)> {
    let (metadata, spec, status) = (&report["metadata"], &report["spec"], &report["status"]);
    metadata["labels"].get(AGGREGATION_LABEL)?;
    let object = ObjectName::new(
        metadata["namespace"].as_str().unwrap_or_default(),
        spec["targetRef"]["name"].as_str()?,
    );
    let cluster = ClusterName::new(spec["cluster"].as_str()?).ok()?;
    let addresses = entries(&status["addresses"]).filter_map(|address| {
        let type_ = address["type"].as_str()?.into();
        Some(Address { type_, value: address["value"].as_str()?.into() })
    });
    let listeners = entries(&status["listeners"]).filter_map(|listener| {
        Some(remembered(listener["name"].as_str()?, listener["attachedRoutes"].as_i64()))
    });
    let instance =
        Instance { addresses: addresses.collect(), listeners: listeners.collect(), ..Instance::default() };
    Some((object, cluster, instance))
}

/// Reads what the rows of a hub object remember of each cluster. Rows that somebody else wrote are not taken.
///
/// ```
/// use allready_controller::hub::{HubFacts, reports::recalled_rows};
///
/// let facts = HubFacts { listeners: vec![("cluster-1.api".into(), Some(2))], ..Default::default() };
/// let listener = &recalled_rows(&facts)["cluster-1"].listeners[0];
/// assert_eq!((&*listener.name, listener.attached_routes), ("api", Some(2)));
/// ```
pub fn recalled_rows(facts: &HubFacts) -> BTreeMap<ClusterName, Instance> {
    let mut clusters: BTreeMap<ClusterName, Instance> = BTreeMap::new();
    for (cluster, address) in facts.addresses.iter().filter_map(split_address) {
        clusters.entry(cluster).or_default().addresses.push(address);
    }
    for (name, routes) in &facts.listeners {
        let is_foreign = facts.foreign_listeners.iter().any(|(foreign, _)| foreign == name);
        if let Some((cluster, listener)) = split_listener(name).filter(|_| !is_foreign) {
            clusters.entry(cluster).or_default().listeners.push(remembered(&listener, *routes));
        }
    }
    clusters
}

/// A listener from before: nobody can say that this is how it is now.
fn remembered(name: &str, attached_routes: Option<i64>) -> Listener {
    Listener { name: name.into(), attached_routes, is_current: false, programmed: None }
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
