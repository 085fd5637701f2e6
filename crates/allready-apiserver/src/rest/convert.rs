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

/// Whether objects are stored just as this version shows them.
pub(crate) fn is_stored_form(resource: &Resource, version: &Version) -> bool {
    resource.api_version(&version.name) == resource.storage_version
}

/// A stored object in a served version.
pub(crate) fn served(resource: &Resource, version: &Version, stored: &Stored) -> Value {
    let mut object = stored.value();
    serve(resource, version, &mut object);
    object
}

fn serve(resource: &Resource, version: &Version, object: &mut Value) {
    if is_stored_form(resource, version) {
        return;
    }
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), resource.api_version(&version.name).into());
    }
    resource.strategy.serve_as(version, object);
}

/// JSON of a stored object in a served version; the stored bytes themselves where they are just that.
pub(crate) fn served_bytes(resource: &Resource, version: &Version, bytes: &Bytes) -> Bytes {
    if is_stored_form(resource, version) {
        return bytes.clone();
    }
    let mut object: Value = serde_json::from_slice(bytes).unwrap_or_default();
    serve(resource, version, &mut object);
    object.to_string().into()
}

/// An object of a served version as it is stored; the object itself where it is just that.
pub(crate) fn stored_form<'v>(resource: &Resource, version: &Version, object: &'v Value) -> Cow<'v, Value> {
    if is_stored_form(resource, version) {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), resource.storage_version.clone().into());
    }
    resource.strategy.store_from(version, &mut object);
    Cow::Owned(object)
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
        of(self.resource).or_else(|| {
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
        let (Some(from), Some(to)) = (self.find(found), self.find(api_version)) else {
            return Cow::Borrowed(object);
        };
        let from_version = from.0.version(&from.1).unwrap_or(self.version);
        let mut object = stored_form(&from.0, from_version, object).into_owned();
        if let Some(version) = to.0.version(&to.1) {
            serve(&to.0, version, &mut object);
        }
        Cow::Owned(object)
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
