//! Volumes of pods, and claims of stateful sets.
//!
//! Follows `ValidateVolumes` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use super::{
    Errors, downward,
    spot::Spot,
    words::{descending, no_steps_back},
};
use crate::{builtin::quantity::Quantity, names};

/// Every kind of volume, in the order in which the real server looks for them.
const KINDS: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// The kinds that need a field or two, and which.
const NEEDED: [(&str, &[&str]); 5] = [
    ("csi", &["driver"]),
    ("secret", &["secretName"]),
    ("configMap", &["name"]),
    ("persistentVolumeClaim", &["claimName"]),
    ("nfs", &["server", "path"]),
];

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

/// The volumes of a pod; returns the names of those that are well formed.
pub(super) fn check<'a>(volumes: &Spot<'a>, errors: &mut Errors) -> Vec<&'a str> {
    let mut good = Vec::new();
    for volume in volumes.items() {
        let before = errors.len();
        source(&volume, errors);
        let name = volume.child("name");
        name.named(names::dns_label, errors);
        if good.contains(&name.text()) {
            name.duplicate(errors);
        }
        if errors.len() == before {
            good.push(name.text());
        }
    }
    good
}

fn source(volume: &Spot<'_>, errors: &mut Errors) {
    let mut found = false;
    for kind in KINDS.into_iter().filter(|kind| volume.has(kind)) {
        let source = volume.child(kind);
        if std::mem::replace(&mut found, true) {
            source.forbidden("may not specify more than 1 volume type", errors);
            continue;
        }
        let needed = NEEDED.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, fields)| *fields);
        for field in needed {
            source.child(field).filled(errors);
        }
        match kind {
            "emptyDir" => {
                let limit = source.child("sizeLimit");
                if Quantity::parse(limit.text()).is_ok_and(Quantity::is_negative) {
                    limit.forbidden("SizeLimit field must be a valid resource quantity", errors);
                }
            }
            "hostPath" => host_path(&source, errors),
            "secret" | "configMap" => files(&source, errors),
            "downwardAPI" => downward::files(&source, errors),
            "projected" => projected(&source, errors),
            "nfs" if !source.child("path").text().starts_with('/') => {
                source.child("path").problems(["must be an absolute path".to_owned()], errors);
            }
            _ => {}
        }
    }
    if !found {
        volume.required("must specify a volume type", errors);
    }
}

fn host_path(source: &Spot<'_>, errors: &mut Errors) {
    const KINDS: [&str; 8] =
        ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let path = source.child("path");
    if path.is_empty() {
        path.required("", errors);
        return;
    }
    no_steps_back(&path, errors);
    source.child("type").one_of_if_any(&KINDS, errors);
}

fn files(source: &Spot<'_>, errors: &mut Errors) {
    mode(&source.child("defaultMode"), errors);
    for item in source.child("items").items() {
        item.child("key").filled(errors);
        let path = item.child("path");
        path.filled(errors);
        inner_path(&path, errors);
        mode(&item.child("mode"), errors);
    }
}

/// The mode of a file.
pub(super) fn mode(mode: &Spot<'_>, errors: &mut Errors) {
    if mode.number().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
        mode.invalid(MODE, errors);
    }
}

/// Where a file lies in its volume.
pub(super) fn inner_path(path: &Spot<'_>, errors: &mut Errors) {
    descending(path, errors);
    if path.text().starts_with("..") && !path.text().starts_with("../") && path.text() != ".." {
        path.invalid("must not start with '..'", errors);
    }
}

/// Several sources in one volume.
fn projected(volume: &Spot<'_>, errors: &mut Errors) {
    mode(&volume.child("defaultMode"), errors);
    for source in volume.child("sources").items() {
        for kind in ["secret", "configMap"].into_iter().filter(|kind| source.has(kind)) {
            source.child(kind).child("name").filled(errors);
            files(&source.child(kind), errors);
        }
        if source.has("downwardAPI") {
            downward::files(&source.child("downwardAPI"), errors);
        }
        let token = source.child("serviceAccountToken");
        let seconds = token.child("expirationSeconds");
        if token.exists() && seconds.number().is_some_and(|seconds| seconds < 600) {
            seconds.invalid("may not specify a duration less than 10 minutes", errors);
        }
        if token.exists() && token.child("path").is_empty() {
            volume.child("path").required("", errors);
        }
    }
}

/// What a stateful set claims for each of its pods.
pub(super) fn claim(spec: &Spot<'_>, errors: &mut Errors) {
    const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let modes = spec.child("accessModes");
    if modes.is_empty() {
        modes.required("at least 1 access mode is required", errors);
    }
    for mode in modes.items() {
        // The real server names the list, not the item.
        Spot { place: modes.place.clone(), ..mode }.one_of(&MODES, errors);
    }
    let storage = spec.at("resources.requests.storage");
    let storage = Spot { place: format!("{}.resources[storage]", spec.place), ..storage };
    match Quantity::parse(storage.text()) {
        _ if !storage.exists() => storage.required("", errors),
        Ok(amount) if amount.is_zero() || amount.is_negative() => {
            storage.invalid("must be greater than zero", errors);
        }
        _ => {}
    }
    spec.child("volumeMode").one_of_if_any(&["Block", "Filesystem"], errors);
}
