//! Between the stored version and those that are served.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use super::decode::is_custom;
use crate::{
    fields::Schemas,
    resource::{Registry, Resource, Version},
    schema::{self, Schema},
    store::{Draft, Stored},
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
    set_version(object, resource.api_version(&version.name));
    resource.strategy.serve_as(version, object);
    if is_custom(resource) {
        coerce(resource, object);
    }
}

fn set_version(object: &mut Value, api_version: String) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".into(), api_version.into());
    }
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

/// What is written for an object of a served version, before it is read again.
fn written_form<'v>(resource: &Resource, version: &Version, object: &'v Value) -> Cow<'v, Value> {
    if is_stored_form(resource, version) {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    set_version(&mut object, resource.storage_version.clone());
    resource.strategy.store_from(version, &mut object);
    if is_custom(resource) {
        coerce(resource, &mut object);
    }
    Cow::Owned(object)
}

/// An object on its way into the store: what is written, and what will be read from that.
pub(crate) struct Written<'v> {
    form: Cow<'v, Value>,
    /// `None` where it is just what is written.
    read: Option<Value>,
}

impl<'v> Written<'v> {
    /// Writes an object of a served version.
    pub(crate) fn new(resource: &Resource, version: &Version, object: &'v Value) -> Self {
        let form = written_form(resource, version, object);
        if !is_custom(resource) {
            return Self { form, read: None };
        }
        let mut read = form.as_ref().clone();
        coerce(resource, &mut read);
        fill_in(resource, &mut read);
        let read = (read != *form).then_some(read);
        Self { form, read }
    }

    /// The object as it will be read, in the stored version.
    pub(crate) fn read(&self) -> &Value {
        self.read.as_ref().unwrap_or(&self.form)
    }

    /// The object as it will be read, in a served version.
    pub(crate) fn served(&self, resource: &Resource, version: &Version) -> Value {
        let mut object = self.read().clone();
        serve(resource, version, &mut object);
        object
    }

    /// Whether writing it would change nothing of what is stored.
    pub(crate) fn is_same_as(&self, stored: &Stored) -> bool {
        match stored.written() {
            Some(written) => super::finish::same_content(&self.form, written),
            None => super::finish::same_content(&self.form, &stored.value()),
        }
    }

    /// The object for the store.
    pub(crate) fn draft(self) -> Draft {
        match self.read {
            Some(read) => Draft::new(&read).written_as(self.form.into_owned()),
            None => Draft::new(&self.form),
        }
    }
}

/// Does to a custom object what decoding into a type does to others: metadata goes through its type, and what the schema of
/// its own version does not know is dropped, as is `null` where it cannot stand. An object of another kind keeps all but
/// its unknown metadata. Returns what was unknown.
pub(crate) fn coerce(resource: &Resource, object: &mut Value) -> Vec<String> {
    let unknown = match own_schema(resource, object) {
        None => schema::prune_metadata(object),
        Some(own) => {
            let nothing = Schema::default();
            let own = own.unwrap_or(&nothing);
            let unknown = schema::prune(own, object);
            schema::drop_nulls(own, object);
            unknown
        }
    };
    if let Some(metadata) = object.get_mut("metadata") {
        schema::meta::tidy(metadata);
    }
    unknown
}

/// Fills in the defaults of a custom object's own version.
pub(crate) fn fill_in(resource: &Resource, object: &mut Value) {
    if let Some(Some(own)) = own_schema(resource, object) {
        schema::default_keeping_nulls(own, object);
    }
}

/// The schema of the version that an object says it has, where it has one; `None` for an object of another kind.
fn own_schema<'r>(resource: &'r Resource, object: &Value) -> Option<Option<&'r Schema>> {
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    (group == resource.group && text("kind") == resource.kind)
        .then(|| resource.version(version).map(|version| version.schema.as_ref()))
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
        is_custom(self.resource)
    }

    fn convert<'v>(&self, object: &'v Value, api_version: &str) -> Cow<'v, Value> {
        let found = object["apiVersion"].as_str().unwrap_or_default();
        if found == api_version {
            return Cow::Borrowed(object);
        }
        let (Some(from), Some(to)) = (self.find(found), self.find(api_version)) else {
            return Cow::Borrowed(object);
        };
        let mut object = object.clone();
        if !is_custom(&from.0) {
            from.0.strategy.store_from(from.0.version(&from.1).unwrap_or(self.version), &mut object);
        }
        set_version(&mut object, api_version.to_owned());
        if let Some(version) = to.0.version(&to.1).filter(|_| !is_custom(&to.0)) {
            to.0.strategy.serve_as(version, &mut object);
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
