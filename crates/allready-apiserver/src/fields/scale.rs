//! Ownership seen through `/scale`, where the one field is `spec.replicas`, whatever the object calls it.
//!
//! Follows `scalehandler.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    managed::{self, Entry},
    path::{Path, PathElement},
    set::FieldSet,
};
use crate::status::Failure;

/// The version of `Scale`.
const VERSION: &str = "autoscaling/v1";

/// Where each version of a kind keeps its replicas: `["spec", "size"]`; `None` for a version without a scale.
pub(crate) type ReplicasPaths<'a> = &'a [(String, Option<Vec<String>>)];

/// Where a version keeps its replicas.
fn path<'a>(replicas: ReplicasPaths<'a>, version: &str) -> Option<Path<'a>> {
    let (_, names) = replicas.iter().find(|(known, _)| known == version)?;
    names.as_ref().map(|names| Path(names.iter().map(|name| PathElement::field(name)).collect()))
}

fn in_scale() -> Path<'static> {
    Path(vec![PathElement::field("spec"), PathElement::field("replicas")])
}

fn decode(managed: Option<&Value>) -> Result<Vec<Entry<'_>>, Failure> {
    managed::decode(managed).map_err(|error| Failure::new(500, "", error))
}

/// The managed fields of a `Scale`, from those of the object: who owns the replicas.
pub(crate) fn to_scale(managed: Option<&Value>, replicas: ReplicasPaths<'_>) -> Result<Vec<Value>, Failure> {
    let mut out: Vec<Entry<'_>> = Vec::new();
    for mut entry in decode(managed)? {
        if path(replicas, &entry.api_version).is_some_and(|path| entry.set.has(&path)) {
            entry.api_version = Cow::Borrowed(VERSION);
            entry.replace(FieldSet::new([in_scale()]));
            out.push(entry);
        }
    }
    Ok(managed::encode(&mut out))
}

/// The managed fields of the object in a version, after those of its `Scale` have been written.
pub(crate) fn from_scale(
    managed: Option<&Value>,
    scale: Option<&Value>,
    api_version: &str,
    replicas: ReplicasPaths<'_>,
) -> Result<Vec<Value>, Failure> {
    let mut scale = decode(scale)?;
    let mut out: Vec<Entry<'_>> = Vec::new();
    for mut entry in decode(managed)? {
        if replicas.iter().all(|(known, _)| *known != entry.api_version) {
            continue;
        }
        if let Some(path) = path(replicas, &entry.api_version).filter(|path| entry.set.has(path)) {
            // An updater has another version in the scale, so it is not found there, and comes back below.
            match scale.iter().position(|other| other.is_same_manager(&entry)) {
                Some(place) => {
                    scale.swap_remove(place);
                }
                None => entry.replace(entry.set.difference(&FieldSet::new([path]))),
            }
        }
        if !entry.set.is_empty() {
            out.push(entry);
        }
    }
    let own = path(replicas, api_version).unwrap_or_default();
    for mut entry in scale.into_iter().filter(|entry| entry.set.has(&in_scale())) {
        let former =
            out.iter().position(|other| other.is_same_manager(&entry)).map(|place| out.swap_remove(place));
        entry.time = former.and_then(|former| former.time);
        entry.api_version = Cow::Owned(api_version.to_owned());
        entry.replace(FieldSet::new([own.clone()]));
        out.push(entry);
    }
    Ok(managed::encode(&mut out))
}
