//! What is to be removed, decided without touching anything.

use std::{collections::BTreeSet, fmt};

use kube::core::DynamicObject;
use serde_json::Value;

use super::{
    fields::Claim,
    inventory::{Inventory, OwnedPrefix, is_gone},
};
use crate::{
    kinds::StatusReport,
    report::{Identity, Layout},
};

/// What a writer that is gone has left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Who is gone, such as `speaker-kind-worker`.
    pub writer: String,
    /// Where it is.
    pub remains: Remains,
    /// The types of the conditions that will be gone.
    pub conditions: Vec<String>,
    /// The types of the conditions that stay, because somebody else owns them too.
    pub kept: Vec<String>,
    /// How much smaller the store gets, in bytes of JSON.
    pub bytes: usize,
}

/// Where a writer's remains are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remains {
    /// In an object that many share: what this field manager owns, and that it is written down as an owner.
    Manager {
        /// Its name.
        manager: String,
        /// As the object was when it was looked at: from one that has been written since, nothing is removed.
        resource_version: Option<String>,
    },
    /// A report of its own.
    Report {
        /// Its name.
        name: String,
        /// Which one of this name.
        uid: Option<String>,
        /// As it was when it was looked at: a report that has been written since is not deleted.
        resource_version: Option<String>,
    },
}

/// One line for a person.
impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.remains {
            Remains::Manager { manager, .. } => format!("field manager {manager}"),
            Remains::Report { name, .. } => format!("StatusReport {name}"),
        };
        let (writer, conditions, bytes) = (&self.writer, self.conditions.len(), self.bytes);
        write!(f, "{writer} is gone: {what}, {conditions} conditions, {bytes} bytes")
    }
}

/// What is to be removed from an object that many reporters share.
///
/// Reads `metadata.managedFields`, so the object has to be read with it. Nothing outside of the owned prefix is named, nothing
/// of those who are there, and nothing at all as long as it is not known who is.
///
/// ```
/// use allready_kube::{report::Identity, sweep::{Inventory, OwnedPrefix, plan}};
/// use kube::core::DynamicObject;
/// use serde_json::json;
///
/// let owns = |type_: &str| json!({ "f:status": { "f:conditions": { format!("k:{{\"type\":\"{type_}\"}}"): {} } } });
/// let entry = |manager: &str, type_: &str| json!({
///     "manager": manager, "operation": "Apply", "subresource": "status", "fieldsType": "FieldsV1", "fieldsV1": owns(type_),
/// });
/// let object: DynamicObject = serde_json::from_value(json!({
///     "metadata": { "managedFields": [
///         entry("speaker-a/configReconciler", "speaker-a/configReconcilerValid"),
///         entry("speaker-b/configReconciler", "speaker-b/configReconcilerValid"),
///         entry("controller/poolReconciler", "controller/poolReconcilerValid"),
///     ] },
/// })).unwrap();
///
/// let owned = OwnedPrefix::new("speaker-").unwrap();
/// let inventory = Inventory::synced([Identity::of("speaker").on("a")]);
/// let removals = plan(&object, &owned, &inventory);
/// assert_eq!(removals.len(), 1);
/// assert_eq!(removals[0].conditions, ["speaker-b/configReconcilerValid"]);
/// assert!(plan(&object, &owned, &Inventory::Unsynced).is_empty());
/// ```
pub fn plan(object: &DynamicObject, owned: &OwnedPrefix, inventory: &Inventory) -> Vec<Removal> {
    let claims: Vec<_> = object.metadata.managed_fields.iter().flatten().map(Claim::read).collect();
    let (gone, staying): (Vec<_>, Vec<_>) = claims
        .iter()
        .partition(|claim| claim.writer().is_some_and(|writer| is_gone(writer, owned, inventory)));
    let held: BTreeSet<&String> = staying.iter().flat_map(|claim| &claim.types).collect();
    let mut freed = BTreeSet::new();
    let removals = gone.into_iter().filter_map(|claim| {
        let (kept, conditions): (Vec<_>, Vec<_>) =
            claim.types.iter().cloned().partition(|type_| held.contains(type_));
        // What two of the gone share is freed once.
        let newly = conditions.iter().filter(|type_| freed.insert((*type_).clone()));
        let bytes = size(claim.entry) + newly.map(|type_| condition_size(object, type_)).sum::<usize>();
        let manager = claim.entry.manager.clone()?;
        let writer = claim.writer()?.to_owned();
        let resource_version = object.metadata.resource_version.clone();
        let remains = Remains::Manager { manager, resource_version };
        Some(Removal { writer, remains, conditions, kept, bytes })
    });
    removals.collect()
}

/// Which reports are to be deleted, among those about one target.
///
/// ```
/// use allready_kube::{kinds::{StatusReport, StatusReportSpec, TargetRef}, report::Identity};
/// use allready_kube::sweep::{Inventory, OwnedPrefix, plan_reports};
///
/// let spec = |node: &str| StatusReportSpec {
///     target_ref: TargetRef::configuration_status("config-status"),
///     component: "speaker".to_owned(),
///     instance: Some(node.to_owned()),
/// };
/// let reports = ["a", "b"].map(|node| StatusReport::new(&format!("config-status.speaker.{node}"), spec(node)));
/// let owned = OwnedPrefix::new("speaker-").unwrap();
/// let inventory = Inventory::synced([Identity::of("speaker").on("a")]);
/// let removals = plan_reports(&reports, "config-status", &owned, &inventory);
/// assert_eq!(removals.iter().map(|removal| removal.writer.as_str()).collect::<Vec<_>>(), ["speaker-b"]);
/// ```
pub fn plan_reports(
    reports: &[StatusReport],
    target: &str,
    owned: &OwnedPrefix,
    inventory: &Inventory,
) -> Vec<Removal> {
    let about = reports.iter().filter(|report| {
        report.spec.target_ref.name == target && report.spec.target_ref.kind == "ConfigurationStatus"
    });
    about.filter_map(|report| removal_of(report, owned, inventory)).collect()
}

fn removal_of(report: &StatusReport, owned: &OwnedPrefix, inventory: &Inventory) -> Option<Removal> {
    let spec = &report.spec;
    let identity = Identity::of(&spec.component).on(spec.instance.as_deref().unwrap_or_default());
    let writer = identity.to_string();
    let name = report.metadata.name.clone()?;
    // One that is not named as its reporter would name it is not a reporter's.
    let layout =
        Layout::sharded(report.metadata.namespace.as_deref().unwrap_or_default(), &spec.target_ref.name);
    if !is_gone(&writer, owned, inventory) || name != layout.object_name(&identity) {
        return None;
    }
    let uid = report.metadata.uid.clone();
    let resource_version = report.metadata.resource_version.clone();
    let conditions = report.status.iter().flat_map(|status| &status.conditions);
    let conditions = conditions.map(|condition| condition.type_.as_str().to_owned()).collect();
    let remains = Remains::Report { name, uid, resource_version };
    Some(Removal { writer, remains, conditions, kept: Vec::new(), bytes: size(report) })
}

fn condition_size(object: &DynamicObject, type_: &str) -> usize {
    let conditions = object.data["status"]["conditions"].as_array();
    let found = conditions.into_iter().flatten().find(|condition| condition["type"] == type_);
    found.map_or(0, |condition: &Value| size(condition))
}

fn size(value: &impl serde::Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}
