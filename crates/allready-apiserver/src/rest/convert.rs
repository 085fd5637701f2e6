//! Between the stored version and those that are served.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use super::{decode::is_custom, finish, meta};
use crate::{
    fields::Schemas,
    resource::{Registry, Resource, Version},
    schema::Schema,
    status::Failure,
    store::{Draft, Stored},
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
pub(crate) fn served(resource: &Resource, version: &Version, stored: &Stored) -> Result<Value, Failure> {
    if shows_as_stored(resource, version, stored.version) {
        return stored.value();
    }
    served_value(resource, version, current(resource, stored)?)
}

/// A stored object in its stored version, as it is read today.
pub(crate) fn current(resource: &Resource, stored: &Stored) -> Result<Value, Failure> {
    if resource.strategy.shown_as_stored(stored.version) {
        return stored.value();
    }
    let mut object = match stored.written() {
        Some(written) => {
            let mut written = written.clone();
            // It was written before it had its version.
            meta::set(&mut written, "resourceVersion", Some(stored.version.to_string().into()));
            written
        }
        None => stored.value()?,
    };
    resource.strategy.refresh(&mut object);
    Ok(object)
}

/// What is read today, in a served version.
pub(crate) fn served_value(
    resource: &Resource,
    version: &Version,
    mut object: Value,
) -> Result<Value, Failure> {
    let wanted = resource.api_version(&version.name);
    if object["apiVersion"] != *wanted {
        object = resource.strategy.to_version(object, &wanted)?;
        resource.strategy.serve_as(version, &mut object);
    }
    Ok(object)
}

/// JSON of a stored object in a served version; the stored bytes themselves where they are just that.
pub(crate) fn served_bytes(
    resource: &Resource,
    version: &Version,
    stored: &Stored,
) -> Result<Bytes, Failure> {
    if shows_as_stored(resource, version, stored.version) {
        return Ok(stored.bytes.clone());
    }
    Ok(served(resource, version, stored)?.to_string().into())
}

/// As [`served_bytes`], for bytes that were written at a resourceVersion.
pub(crate) fn served_bytes_of(
    resource: &Resource,
    version: &Version,
    bytes: &Bytes,
    written: u64,
) -> Result<Bytes, Failure> {
    if shows_as_stored(resource, version, written) {
        return Ok(bytes.clone());
    }
    let mut object: Value = crate::store::read(bytes)?;
    if !resource.strategy.shown_as_stored(written) {
        resource.strategy.refresh(&mut object);
    }
    Ok(served_value(resource, version, object)?.to_string().into())
}

/// An object on its way into the store: what is written, and what will be read from that.
pub(crate) struct Written<'v> {
    form: Cow<'v, Value>,
    /// `None` where it is just what is written.
    read: Option<Value>,
}

impl<'v> Written<'v> {
    /// Writes an object of a served version, or of the stored one.
    pub(crate) fn new(
        resource: &Resource,
        version: Option<&Version>,
        object: &'v Value,
    ) -> Result<Self, Failure> {
        let form = match version {
            None => Cow::Borrowed(object),
            Some(version) => stored_form(resource, version, object)?,
        };
        if !is_custom(resource) || resource.strategy.is_fresh(&form) {
            return Ok(Self { form, read: None });
        }
        let mut read = form.as_ref().clone();
        resource.strategy.refresh(&mut read);
        let read = (read != *form).then_some(read);
        Ok(Self { form, read })
    }

    /// The object as it will be read, in the stored version.
    pub(crate) fn read(&self) -> &Value {
        self.read.as_ref().unwrap_or(&self.form)
    }

    /// The object as it will be read, in a served version; `None` where that is just what was given.
    pub(crate) fn served(&self, resource: &Resource, version: &Version) -> Result<Option<Value>, Failure> {
        if let (None, Cow::Borrowed(given)) = (&self.read, &self.form)
            && given["apiVersion"] == *resource.api_version(&version.name)
        {
            return Ok(None);
        }
        served_value(resource, version, self.read().clone()).map(Some)
    }

    /// Whether writing it would change nothing of what is stored. `shown` is what is stored, where that is known already.
    pub(crate) fn is_same_as(&self, stored: &Stored, shown: Option<&Value>) -> Result<bool, Failure> {
        Ok(match stored.written().or(shown) {
            Some(known) => finish::same_content(&self.form, known),
            None => finish::same_content(&self.form, &stored.value()?),
        })
    }

    /// The object for the store.
    pub(crate) fn draft(self, resource: &Resource) -> Draft {
        let fields = selectable(resource, self.read());
        match self.read {
            Some(read) => Draft::new(&read).written_as(self.form.into_owned()),
            None => Draft::new(&self.form),
        }
        .with_fields(fields)
    }
}

/// The values of the selectable fields of a stored object, in the version in which it is stored.
fn selectable(resource: &Resource, object: &Value) -> Vec<(Box<str>, Box<str>)> {
    let stored = resource.versions.iter().find(|version| is_stored_form(resource, version));
    let fields =
        stored.into_iter().flat_map(|version| version.selectable.iter().map(move |path| (version, path)));
    fields
        .filter_map(|(version, path)| {
            let field = path.trim_start_matches('.');
            let value = resource.strategy.selectable(version, object, field)?;
            Some((field.into(), value.into()))
        })
        .collect()
}

/// An object of a served version as it is stored; the object itself where it is just that.
fn stored_form<'v>(
    resource: &Resource,
    version: &Version,
    object: &'v Value,
) -> Result<Cow<'v, Value>, Failure> {
    if is_stored_form(resource, version) {
        return Ok(Cow::Borrowed(object));
    }
    let mut object = resource.strategy.to_version(object.clone(), &resource.storage_version)?;
    resource.strategy.store_from(version, &mut object);
    Ok(Cow::Owned(object))
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
        is_custom(self.resource)
    }

    fn convert<'v>(&self, object: &'v Value, api_version: &str) -> Result<Cow<'v, Value>, String> {
        let found = object["apiVersion"].as_str().unwrap_or_default();
        if found == api_version {
            return Ok(Cow::Borrowed(object));
        }
        if self.custom() {
            // Custom objects are pruned only on their way into and out of the storage: what the other version does not
            // know is still there when ownership is worked out, and is an error then.
            let converted = self.resource.strategy.to_version(object.clone(), api_version);
            return converted.map(Cow::Owned).map_err(|failure| failure.message);
        }
        let (Some(from), Some(to)) = (self.find(found), self.find(api_version)) else {
            return Ok(Cow::Borrowed(object));
        };
        let from_version = from.0.version(&from.1).unwrap_or(self.version);
        let stored = stored_form(&from.0, from_version, object).map(Cow::into_owned);
        let converted = stored.and_then(|object| match to.0.version(&to.1) {
            Some(version) => served_value(&to.0, version, object),
            None => Ok(object),
        });
        converted.map(Cow::Owned).map_err(|failure| failure.message)
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
