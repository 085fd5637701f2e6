//! Volumes, claims, classes of storage, and what drivers say. Follows `pkg/apis/core/validation` and
//! `pkg/apis/storage/validation`.

use serde_json::{Map, Value};

use super::{Errors, immutable, spot::Spot, volume, words};
use crate::{
    builtin::{
        path::{at, text_at},
        quantity::Quantity,
    },
    names,
    status::FieldError,
};

/// The sources of a volume, in the order in which the real server looks for them.
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// A claim.
pub(super) fn claim(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    volume::claim(&spec, errors);
    let modes = spec.child("accessModes");
    let exclusive = modes.items().any(|mode| mode.text() == "ReadWriteOncePod");
    if exclusive && modes.items().count() > 1 {
        modes.forbidden("may not use ReadWriteOncePod with other access modes", errors);
    }
    spec.child("storageClassName").named_if_any(names::dns_subdomain, errors);
    let Some(old) = old else { return };
    let bound = text_at(old, &["status", "phase"]) == "Bound";
    let fixed = |claim: &Value| {
        let mut spec = at(claim, &["spec"]).and_then(Value::as_object).cloned().unwrap_or_default();
        // The volume is named once, by who binds the claim.
        if text_at(old, &["spec", "volumeName"]).is_empty() {
            spec.remove("volumeName");
        }
        // A class may be given later to a claim that has none.
        if at(old, &["spec", "storageClassName"]).is_none() {
            spec.remove("storageClassName");
        }
        if bound {
            spec.remove("volumeAttributesClassName");
            spec.remove("resources");
        }
        spec
    };
    if fixed(new) != fixed(old) {
        let why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        return errors.push(FieldError::forbidden("spec", why));
    }
    let asked = ["spec", "resources", "requests", "storage"];
    let amounts = [new, old].map(|claim| Quantity::parse(text_at(claim, &asked)));
    if let [Ok(now), Ok(before)] = amounts
        && before.exceeds(now)
    {
        let why = "field can not be less than status.capacity";
        errors.push(FieldError::forbidden("spec.resources.requests.storage", why));
    }
}

/// A volume.
pub(super) fn persistent_volume(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let before = errors.len();
    let spec = Spot::root(new).child("spec");
    let modes = spec.child("accessModes");
    modes.filled(errors);
    for mode in modes.items() {
        let known = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
        Spot { place: modes.place.clone(), ..mode }.one_of(&known, errors);
    }
    let capacity = spec.child("capacity");
    capacity.filled(errors);
    let names_of: Vec<&String> = capacity.entries().map(|(name, _)| name).collect();
    if names_of != ["storage"] {
        let shown = if capacity.is_empty() { Value::Null } else { capacity.value.clone() };
        errors.push(FieldError::not_supported(capacity.place.as_str(), shown, &["storage"]));
    }
    for (_, amount) in capacity.entries() {
        if Quantity::parse(amount.text()).is_ok_and(|it| it.is_zero() || it.is_negative()) {
            amount.invalid("must be greater than zero", errors);
        }
    }
    let policy = spec.child("persistentVolumeReclaimPolicy");
    policy.one_of_if_any(&["Delete", "Recycle", "Retain"], errors);
    let mut found = false;
    for source in SOURCES.iter().map(|source| spec.child(source)).filter(Spot::exists) {
        if std::mem::replace(&mut found, true) {
            source.forbidden("may not specify more than 1 volume type", errors);
            continue;
        }
        if source.place == "spec.hostPath" {
            let path = source.child("path");
            path.filled(errors);
            words::no_steps_back(&path, errors);
        }
        if source.place == "spec.csi" {
            for field in ["driver", "volumeHandle"] {
                source.child(field).filled(errors);
            }
        }
    }
    if !found {
        spec.required("must specify a volume type", errors);
    }
    spec.child("storageClassName").named_if_any(names::dns_subdomain, errors);
    spec.child("volumeMode").one_of_if_any(&["Block", "Filesystem"], errors);
    let Some(old) = old else { return };
    // The real server checks a changed volume once as any, and once as a changed one.
    errors.extend_from_within(before..);
    let sources = |volume: &Value| -> Map<String, Value> {
        let fields = at(volume, &["spec"]).and_then(Value::as_object).into_iter().flatten();
        fields
            .filter(|(key, _)| SOURCES.contains(&key.as_str()))
            .map(|(key, it)| (key.clone(), it.clone()))
            .collect()
    };
    if sources(new) != sources(old) {
        let why = "spec.persistentvolumesource is immutable after creation";
        errors.push(FieldError::forbidden("spec.persistentvolumesource", why));
    }
    if at(new, &["spec", "volumeMode"]) != at(old, &["spec", "volumeMode"]) {
        errors.push(FieldError::invalid(
            "volumeMode",
            spec.child("volumeMode").value.clone(),
            "field is immutable",
        ));
    }
}

/// A class of storage.
pub(super) fn class(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let provisioner = root.child("provisioner");
    if provisioner.is_empty() {
        provisioner.required("", errors);
    } else {
        let lower = provisioner.text().to_lowercase();
        for problem in names::qualified(&lower) {
            errors.push(FieldError::invalid("provisioner", lower.as_str(), problem));
        }
    }
    for (key, _) in root.child("parameters").entries() {
        if key.is_empty() {
            errors.push(FieldError::invalid("parameters", key.as_str(), "field can not be empty."));
        }
    }
    root.child("reclaimPolicy").one_of_if_any(&["Delete", "Retain"], errors);
    root.child("volumeBindingMode").one_of(&["Immediate", "WaitForFirstConsumer"], errors);
    for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
        if let Some(old) = old {
            immutable(new, old, &[field], errors);
        }
    }
}

/// A driver.
pub(super) fn driver(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    spec.child("fsGroupPolicy").one_of(&["File", "None", "ReadWriteOnceWithFSType"], errors);
    let modes = spec.child("volumeLifecycleModes");
    for mode in modes.items() {
        Spot { place: modes.place.clone(), ..mode }.one_of(&["Persistent", "Ephemeral"], errors);
    }
    let Some(old) = old else { return };
    // The real server has its own idea of how the field is written.
    for (field, shown) in
        [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
    {
        if at(new, &["spec", field]) != at(old, &["spec", field]) {
            let value = spec.child(field).value.clone();
            errors.push(FieldError::invalid(format!("spec.{shown}"), value, "field is immutable"));
        }
    }
}

/// The drivers of a node.
pub(super) fn node(new: &Value, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for driver in Spot::root(new).at("spec.drivers").items() {
        let name = driver.child("name");
        name.named(names::dns_subdomain, errors);
        driver.child("nodeID").filled(errors);
        if seen.contains(&name.text()) {
            name.duplicate(errors);
        }
        seen.push(name.text());
    }
}

/// The capacity of a volume.
pub(super) fn room(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let class = root.child("storageClassName");
    class.problems(names::dns_subdomain(class.text()), errors);
    let amount = root.child("capacity");
    if Quantity::parse(amount.text()).is_ok_and(Quantity::is_negative) {
        amount.invalid("must be greater than or equal to 0", errors);
    }
    if let Some(old) = old {
        for field in ["nodeTopology", "storageClassName"] {
            immutable(new, old, &[field], errors);
        }
    }
}

/// A volume on a node.
pub(super) fn attachment(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    spec.child("attacher").named(names::dns_subdomain, errors);
    let source = spec.child("source");
    if source.has("inlineVolumeSpec") == source.has("persistentVolumeName") {
        let (why, both) = (
            "must specify exactly one of inlineVolumeSpec and persistentVolumeName",
            source.has("inlineVolumeSpec"),
        );
        if both { source.forbidden(why, errors) } else { source.required(why, errors) }
    }
    let node = spec.child("nodeName");
    node.problems(names::dns_subdomain(node.text()), errors);
    if old.is_some_and(|old| at(new, &["spec"]) != at(old, &["spec"])) {
        let shown = format!(
            r#"{{"Attacher":{},"Source":{{"PersistentVolumeName":{},"InlineVolumeSpec":{}}},"NodeName":{}}}"#,
            spec.child("attacher").value,
            source.child("persistentVolumeName").value,
            source.child("inlineVolumeSpec").value,
            node.value,
        );
        spec.shown(crate::status::Mistake::Invalid, &shown, "field is immutable", errors);
    }
}

/// The fields of a volume that can be changed later.
pub(super) fn attributes(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    root.child("driverName").filled(errors);
    if root.child("parameters").is_empty() {
        root.child("parameters").required("must contain at least one key/value pair", errors);
    }
    for field in ["driverName", "parameters"] {
        if old.is_some_and(|old| at(new, &[field]) != at(old, &[field])) {
            root.child(field).forbidden(&format!("updates to {field} are forbidden."), errors);
        }
    }
}
