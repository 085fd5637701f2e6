//! Who owns what after a write.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use super::{
    Schemas, Writer,
    conflict::Conflict,
    managed::Entry,
    path::{Path, PathElement},
    set::FieldSet,
    typed::{
        Type,
        compare::{Changes, compare},
        named::reconcile,
        validate::{Duplicates, validate},
    },
};
use crate::{resource::Endpoint, schema::Schema};

/// Metadata that is never anyone's.
static NOBODYS: LazyLock<FieldSet<'static>> = LazyLock::new(|| {
    let metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let top = ["apiVersion", "kind", "metadata"].map(|name| Path(vec![PathElement::field(name)]));
    let below = metadata.map(|name| Path(vec![PathElement::field("metadata"), PathElement::field(name)]));
    FieldSet::new(top.into_iter().chain(below))
});

/// What a write goes by: its writer, the fields it cannot change, and the schemas of all versions that managers use.
pub(crate) struct Rules<'a> {
    pub(crate) writer: &'a Writer<'a>,
    pub(crate) schemas: &'a dyn Schemas,
    pub(crate) reset: FieldSet<'a>,
    own: Arc<Schema>,
    others: Vec<(String, Option<Arc<Schema>>)>,
}

impl<'a> Rules<'a> {
    /// `None` when the writer's own version has no schema.
    pub(crate) fn new(
        writer: &'a Writer<'a>,
        schemas: &'a dyn Schemas,
        reset: &[Vec<&'static str>],
        entries: &[Entry<'_>],
    ) -> Option<Self> {
        let own = schemas.schema(writer.api_version)?;
        let mut others: Vec<(String, Option<Arc<Schema>>)> = Vec::new();
        for version in entries.iter().map(|entry| entry.api_version.as_ref()) {
            if version != writer.api_version && others.iter().all(|(known, _)| known != version) {
                others.push((version.to_owned(), schemas.schema(version)));
            }
        }
        let path =
            |names: &Vec<&'static str>| Path(names.iter().map(|name| PathElement::field(name)).collect());
        let reset = FieldSet::new(reset.iter().map(path));
        Some(Self { writer, schemas, reset, own, others })
    }

    /// Whether nobody writes in another version than the writer's.
    pub(crate) fn is_one_version(&self) -> bool {
        self.others.is_empty()
    }

    /// The type of an object in the writer's version.
    pub(crate) fn own_type(&self) -> Type<'_> {
        Type::of(&self.own)
    }

    /// The type of an object in a version; `None` for a version that is no more.
    pub(crate) fn type_of(&self, version: &str) -> Result<Option<Type<'_>>, String> {
        if version == self.writer.api_version {
            return Ok(Some(self.own_type()));
        }
        if version.split('/').count() > 2 {
            return Err(format!("unexpected GroupVersion string: {version}"));
        }
        match self.others.iter().find(|(known, _)| known == version) {
            Some((_, Some(schema))) => Ok(Some(Type::of(schema))),
            _ if self.schemas.custom() => {
                Err(format!("request to convert CR to an invalid group/version: {version}"))
            }
            _ => Ok(None),
        }
    }

    /// An object in another version than its own.
    pub(crate) fn convert<'v>(
        &self,
        object: &'v Value,
        version: &str,
        kind: Type<'_>,
    ) -> Result<Cow<'v, Value>, String> {
        let own = object.get("apiVersion").and_then(Value::as_str);
        if own.unwrap_or(self.writer.api_version) == version {
            return Ok(Cow::Borrowed(object));
        }
        let converted = self.schemas.convert(object, version)?;
        validate(&converted, kind, Duplicates::Refused)?;
        Ok(converted)
    }

    /// The fields that a write leaves alone, seen from a version. A write to the object itself minds them in its own
    /// version only.
    fn reset_in(&self, version: &str) -> Option<&FieldSet<'a>> {
        let minded = version == self.writer.api_version || self.writer.endpoint == Endpoint::Status;
        (minded && !self.reset.is_empty()).then_some(&self.reset)
    }

    /// A new entry for the writer.
    pub(crate) fn entry(&self, manager: &'a str, applied: bool, set: FieldSet<'a>) -> Entry<'a> {
        let subresource = match self.writer.endpoint {
            Endpoint::Main => "",
            Endpoint::Status => "status",
            Endpoint::Scale => "scale",
            Endpoint::Other(name) => name,
        };
        Entry {
            manager: Cow::Borrowed(if manager.is_empty() { "unknown" } else { manager }),
            applied,
            api_version: Cow::Borrowed(self.writer.api_version),
            subresource: Cow::Borrowed(subresource),
            time: None,
            set,
            written: None,
            fields: None,
        }
    }

    /// What changed, as far as this write can change it.
    pub(crate) fn changes<'v>(
        &self,
        old: &'v Value,
        new: &'v Value,
        kind: Type<'v>,
        version: &str,
    ) -> Changes<'v> {
        self.mind_reset(compare(old, new, kind), version)
    }

    /// The changes without what this write leaves alone.
    pub(crate) fn mind_reset<'v>(&self, changes: Changes<'v>, version: &str) -> Changes<'v> {
        match self.reset_in(version) {
            Some(reset) if !changes.is_empty() => changes.without(reset),
            _ => changes,
        }
    }

    /// The set without what this write leaves alone.
    pub(crate) fn without_reset<'s>(&self, set: FieldSet<'s>) -> FieldSet<'s> {
        if self.reset.is_empty() { set } else { set.recursive_difference(&self.reset) }
    }

    /// Brings the entries up to the schemas of their versions and drops those whose version is no more.
    pub(crate) fn reconcile(&self, entries: &mut Vec<Entry<'_>>, live: &Value) -> Result<(), String> {
        let mut checked: Vec<String> = Vec::new();
        let mut gone: Vec<String> = Vec::new();
        for entry in entries.iter_mut() {
            let version = entry.api_version.as_ref();
            let Some(kind) = self.type_of(version)? else {
                gone.push(version.to_owned());
                continue;
            };
            if version != self.writer.api_version && !checked.iter().any(|known| known == version) {
                self.convert(live, version, kind)?;
                checked.push(version.to_owned());
            }
            if reconcile(&mut entry.set, kind) {
                entry.set_changed();
            }
        }
        if !gone.is_empty() {
            entries.retain(|entry| !gone.iter().any(|version| *version == entry.api_version));
        }
        Ok(())
    }

    /// Takes from every manager what changed under it. The conflicts are what was taken because of a change of value.
    pub(crate) fn take<'e>(
        &self,
        entries: &mut [Entry<'e>],
        old: &Value,
        new: &Value,
        changes: &Changes<'_>,
    ) -> Result<Vec<Conflict<'e>>, String> {
        let mut conflicts = Vec::new();
        take_in(entries, self.writer.api_version, changes, &mut conflicts);
        for (version, _) in &self.others {
            if entries.iter().all(|entry| entry.api_version != *version) {
                continue;
            }
            let Some(kind) = self.type_of(version)? else { continue };
            let failed = |which, error| format!("failed to convert {which} object: {error}");
            let old = self.convert(old, version, kind).map_err(|error| failed("old", error))?;
            let new = self.convert(new, version, kind).map_err(|error| failed("new", error))?;
            take_in(entries, version, &self.changes(&old, &new, kind, version), &mut conflicts);
        }
        Ok(conflicts)
    }
}

fn take_in<'e>(
    entries: &mut [Entry<'e>],
    version: &str,
    changes: &Changes<'_>,
    conflicts: &mut Vec<Conflict<'e>>,
) {
    if changes.is_empty() {
        return;
    }
    for entry in entries.iter_mut().filter(|entry| entry.api_version == version) {
        let contested = entry.set.meets(&changes.modified) || entry.set.meets(&changes.added);
        if contested {
            let modified = entry.set.intersection(&changes.modified);
            let fields = modified.union(&entry.set.intersection(&changes.added));
            conflicts.push(Conflict::new(entry, fields));
        }
        if contested || entry.set.meets(&changes.removed) {
            entry.set_changed();
            entry.set.subtract(&changes.modified);
            entry.set.subtract(&changes.added);
            entry.set.subtract(&changes.removed);
        }
    }
}

/// Takes the metadata that is nobody's out of a set.
pub(crate) fn strip(set: &mut FieldSet<'_>) {
    set.subtract(&NOBODYS);
}
