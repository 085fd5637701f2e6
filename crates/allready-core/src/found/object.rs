//! A whole Kubernetes object as it was found: what its conditions must be seen with.

use std::borrow::Cow;

use serde_json::Value;

use super::irregularity::{Irregularity, Notes};
use super::{FoundList, field};
use crate::{Generation, Time};

/// An object as it was found: its conditions, and what decides whether they are about its current state.
///
/// ```
/// use allready_core::{Generation, Status, Time, found::FoundObject};
/// use serde_json::json;
///
/// let object = json!({
///     "kind": "Rollout",
///     "metadata": {"name": "web", "namespace": "shop", "generation": 3, "creationTimestamp": "1970-01-01T00:01:00Z"},
///     "status": {"observedGeneration": "2", "conditions": [{"type": "Available", "status": "True"}]},
/// });
/// let found = FoundObject::read(&object);
/// assert_eq!((&*found.kind, &*found.namespace, &*found.name), ("Rollout", "shop", "web"));
/// assert_eq!(found.generation, Some(Generation::from(3)));
/// assert_eq!(found.observed, Some(Generation::from(2)), "the text was understood");
/// assert_eq!(found.created, Some(Time::from_second(60).unwrap()));
/// assert!(!found.deleting);
/// assert_eq!(found.conditions.find("Available").unwrap().status, Status::True);
/// assert_eq!(
///     found.irregularities().next().unwrap().to_string(),
///     r#"status.observedGeneration is the text "2"; write the number 2 (read as that)"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoundObject<'a> {
    /// `kind`; empty where there is none.
    pub kind: Cow<'a, str>,
    /// `metadata.namespace`; empty where there is none.
    pub namespace: Cow<'a, str>,
    /// `metadata.name`; empty where there is none.
    pub name: Cow<'a, str>,
    /// `metadata.generation`, where it can be read.
    pub generation: Option<Generation>,
    /// `status.observedGeneration`, where it can be read.
    pub observed: Option<Generation>,
    /// `metadata.creationTimestamp`, where it can be read.
    pub created: Option<Time>,
    /// Whether it is being deleted: `metadata.deletionTimestamp` is there, whatever it says.
    pub deleting: bool,
    /// `status.conditions`.
    pub conditions: FoundList<'a>,
    irregularities: Vec<Irregularity>,
}

impl<'a> FoundObject<'a> {
    /// Reads any JSON as an object; what is not there is left empty.
    ///
    /// ```
    /// use allready_core::found::FoundObject;
    /// use serde_json::json;
    ///
    /// let object = json!({ "kind": "Widget", "metadata": { "name": "web" }, "status": { "conditions": [] } });
    /// assert_eq!(FoundObject::read(&object).name, "web");
    /// assert_eq!(FoundObject::read(&json!({})).name, "");
    /// ```
    pub fn read(object: &'a Value) -> Self {
        let mut notes = Notes::at("");
        let object = notes.object(Some(object));
        let kind = notes.keep("kind", field::text(field::get(object, "kind")));

        notes.base = "metadata";
        let metadata = notes.object(field::get(object, "metadata"));
        let get = |name| field::get(metadata, name);
        let namespace = notes.keep("namespace", field::text(get("namespace")));
        let name = notes.keep("name", field::text(get("name")));
        let generation = notes.keep("generation", field::generation(get("generation")));
        let created = notes.keep("creationTimestamp", field::time(get("creationTimestamp")));
        let deleted = get("deletionTimestamp");
        notes.keep("deletionTimestamp", field::time(deleted));

        notes.base = "status";
        let status = notes.object(field::get(object, "status"));
        let observed =
            notes.keep("observedGeneration", field::generation(field::get(status, "observedGeneration")));
        let conditions = FoundList::read(field::get(status, "conditions"), Notes::at("status.conditions"));
        Self {
            kind,
            namespace,
            name,
            generation,
            observed,
            created,
            deleting: deleted.is_some(),
            conditions,
            irregularities: notes.irregularities,
        }
    }

    /// Everything that is not as it should be: in the object, then in its conditions.
    ///
    /// ```
    /// use allready_core::found::FoundObject;
    /// use serde_json::json;
    ///
    /// let object = json!({ "kind": "Widget", "metadata": { "name": "web" }, "status": { "conditions": "none" } });
    /// let paths: Vec<String> = FoundObject::read(&object).irregularities().map(|one| one.path.to_string()).collect();
    /// assert_eq!(paths, ["status.conditions"]);
    /// ```
    pub fn irregularities(&self) -> impl Iterator<Item = &Irregularity> {
        self.irregularities.iter().chain(self.conditions.irregularities())
    }
}

/// Reads the conditions of a whole object, at `status.conditions`. For what else the object says, see [`FoundObject`].
///
/// ```
/// use allready_core::found;
/// use serde_json::json;
///
/// assert!(found::of_object(&json!({"kind": "ConfigMap"})).conditions().is_empty());
/// let broken = json!({"status": {"conditions": "none"}});
/// assert_eq!(
///     found::of_object(&broken).irregularities()[0].to_string(),
///     r#"status.conditions is the text "none"; write a list of conditions (nothing was read)"#
/// );
/// ```
pub fn of_object(object: &Value) -> FoundList<'_> {
    let mut notes = Notes::at("");
    let object = notes.object(Some(object));
    notes.base = "status";
    let status = notes.object(field::get(object, "status"));
    notes.base = "status.conditions";
    FoundList::read(field::get(status, "conditions"), notes)
}
