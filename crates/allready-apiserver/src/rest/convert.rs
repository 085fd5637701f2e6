//! Between the stored version and those that are served.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use crate::{
    fields::Schemas,
    resource::{Registry, Resource, Version},
    schema::Schema,
    store::Stored,
};

/// Whether objects are stored in this version.
fn is_stored_form(resource: &Resource, version: &Version) -> bool {
    resource.api_version(&version.name) == resource.storage_version
}

/// Whether an object that was written at this resourceVersion is stored just as this version shows it.
pub(crate) fn shows_as_stored(resource: &Resource, version: &Version, written: u64) -> bool {
    is_stored_form(resource, version) && resource.strategy.shown_as_stored(written)
}

/// A stored object in a served version.
pub(crate) fn served(resource: &Resource, version: &Version, stored: &Stored) -> Value {
    let object = stored.value();
    if shows_as_stored(resource, version, stored.version) {
        return object;
    }
    served_value(resource, version, object)
}

/// What was stored, in a served version.
pub(crate) fn served_value(resource: &Resource, version: &Version, mut object: Value) -> Value {
    resource.strategy.refresh(&mut object);
    let wanted = resource.api_version(&version.name);
    if object["apiVersion"] != *wanted {
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".into(), wanted.into());
        }
        resource.strategy.serve_as(version, &mut object);
    }
    object
}

/// JSON of a stored object in a served version; the stored bytes themselves where they are just that.
pub(crate) fn served_bytes(resource: &Resource, version: &Version, stored: &Stored) -> Bytes {
    served_bytes_of(resource, version, &stored.bytes, stored.version)
}

/// As [`served_bytes`], for bytes that were written at a resourceVersion.
pub(crate) fn served_bytes_of(resource: &Resource, version: &Version, bytes: &Bytes, written: u64) -> Bytes {
    if shows_as_stored(resource, version, written) {
        return bytes.clone();
    }
    let object: Value = serde_json::from_slice(bytes).unwrap_or_default();
    served_value(resource, version, object).to_string().into()
}

/// An object of a served version as it is stored.
pub(crate) fn stored_form(resource: &Resource, version: &Version, object: &Value) -> Value {
    let mut object = object.clone();
    if is_stored_form(resource, version) {
        return object;
    }
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), resource.storage_version.clone().into());
    }
    resource.strategy.store_from(version, &mut object);
    object
}

/// The schemas of every version in which the objects of a place are shown.
pub(crate) struct PlaceSchemas<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) version: &'a Version,
    pub(crate) registry: &'a Registry,
}

impl Schemas for PlaceSchemas<'_> {
    fn schema(&self, api_version: &str) -> Option<Arc<Schema>> {
        let of = |resource: &Resource| {
            let found =
                resource.versions.iter().find(|version| resource.api_version(&version.name) == api_version);
            found.map(|version| version.schema.clone())
        };
        let unserved = || {
            let (group, version) = api_version.split_once('/')?;
            if group == self.resource.group { self.resource.strategy.unserved(version) } else { None }
        };
        of(self.resource).or_else(unserved).or_else(|| {
            let others = self.registry.iter().filter(|other| other.place == self.resource.place);
            others.into_iter().find_map(|other| of(other))
        })
    }

    fn custom(&self) -> bool {
        super::decode::is_custom(self.resource)
    }

    fn convert<'v>(&self, object: &'v Value, api_version: &str) -> Cow<'v, Value> {
        let found = object["apiVersion"].as_str().unwrap_or_default();
        if found == api_version {
            return Cow::Borrowed(object);
        }
        if self.custom() {
            // Custom objects are pruned only on their way into and out of the storage: what the other version does not
            // know is still there when ownership is worked out, and is an error then.
            let mut object = object.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.insert("apiVersion".into(), api_version.into());
            }
            return Cow::Owned(object);
        }
        let (Some(from), Some(to)) = (self.find(found), self.find(api_version)) else {
            return Cow::Borrowed(object);
        };
        let object = stored_form(&from.0, from.0.version(&from.1).unwrap_or(self.version), object);
        Cow::Owned(match to.0.version(&to.1) {
            Some(version) => served_value(&to.0, version, object),
            None => object,
        })
    }
}

impl PlaceSchemas<'_> {
    /// The resource at this place and the name of its version that an `apiVersion` means.
    fn find(&self, api_version: &str) -> Option<(Arc<Resource>, String)> {
        let at_place = self.registry.iter().filter(|other| other.place == self.resource.place);
        at_place.into_iter().find_map(|resource| {
            let versions = resource.versions.iter();
            let found =
                versions.into_iter().find(|version| resource.api_version(&version.name) == api_version)?;
            Some((resource.clone(), found.name.clone()))
        })
    }
}
