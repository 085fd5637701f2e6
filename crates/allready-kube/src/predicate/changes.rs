//! What of an object is worth waking for.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use allready_core::{
    Generation,
    found::{self, FoundCondition, FoundObject},
};
use kube::runtime::Predicate;
use serde::Serialize;
use serde_json::Value;

use super::managed;
use crate::{manager::Manager, wait::ListPath};

/// Wakes when conditions of an object change, when what is asked of it changes, and when it is being deleted.
///
/// | wakes | does not |
/// |---|---|
/// | a condition comes, goes, or has another type, status or reason | another message, unless [asked for](Self::messages) |
/// | a condition becomes current, or falls behind the generation | `lastHeartbeatTime`, `lastUpdateTime`, `lastTransitionTime` and fields that only its writer knows |
/// | `metadata.generation`; where the kind has none, anything but status, resource version and managed fields | labels and annotations, unless [combined](Predicate::combine) with kube's predicates for them |
/// | `metadata.deletionTimestamp`, `metadata.finalizers` | conditions in another order |
/// | | what the controller itself writes: see [`own_types`](Self::own_types) and [`own_manager`](Self::own_manager) |
///
/// A condition is current when the generation that it is about is not lower than the object's; where it does not say, that of
/// the status counts.
///
/// kube's `predicate_filter` cannot tell the last word about an object, that it is gone, from one that changes nothing, and
/// swallows it. Use finalizers, or filter with [`waking`](super::waking) instead.
///
/// ```
/// use allready_kube::predicate::ConditionChanges;
/// use kube::runtime::Predicate;
/// use serde_json::{Value, json};
///
/// let node = |ready, heartbeat| json!({ "metadata": { "name": "worker" }, "status": { "conditions": [
///     { "type": "Ready", "status": ready, "lastHeartbeatTime": heartbeat },
/// ] } });
/// let changes = ConditionChanges::new();
/// let hash = |object: &Value| changes.hash_property(object);
/// assert_eq!(hash(&node("True", "10:00")), hash(&node("True", "10:05")));
/// assert_ne!(hash(&node("True", "10:00")), hash(&node("False", "10:00")));
/// ```
///
/// On a watch; a controller takes the stream with `Controller::for_stream`, under kube's feature `unstable-runtime`:
///
/// ```no_run
/// use allready_kube::predicate::ConditionChanges;
/// use k8s_openapi::api::core::v1::Node;
/// use kube::{Api, runtime::{PredicateConfig, WatchStreamExt, reflector, watcher}};
///
/// # fn start(client: kube::Client) {
/// let (reader, writer) = reflector::store();
/// let changes = ConditionChanges::new().only_types(["Ready", "DiskPressure"]);
/// let nodes = watcher(Api::<Node>::all(client), watcher::Config::default())
///     .reflect(writer)
///     .applied_objects()
///     .predicate_filter(changes, PredicateConfig::default());
/// # let _: (reflector::Store<Node>, _) = (reader, nodes);
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConditionChanges {
    only: Option<BTreeSet<String>>,
    own: BTreeSet<String>,
    manager: Option<Manager>,
    messages: bool,
    lists: Vec<ListPath>,
}

impl ConditionChanges {
    /// Wakes on every condition at `status.conditions`.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// assert_ne!(ConditionChanges::new().hash(&object("True", "")), ConditionChanges::new().hash(&object("False", "")));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes on conditions of these types alone. Called again, on these too.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let changes = ConditionChanges::new().only_types(["DiskPressure"]);
    /// assert_eq!(changes.hash(&object("True", "")), changes.hash(&object("False", "")));
    /// ```
    #[must_use]
    pub fn only_types<T: Into<String>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        self.only.get_or_insert_default().extend(types.into_iter().map(Into::into));
        self
    }

    /// Does not wake on conditions of these types: the controller writes them itself. So does it with the
    /// `observedGeneration` of the status, which does not wake either.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let changes = ConditionChanges::new().own_types(["Ready"]);
    /// assert_eq!(changes.hash(&object("True", "")), changes.hash(&object("False", "")));
    /// ```
    #[must_use]
    pub fn own_types<T: Into<String>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        self.own.extend(types.into_iter().map(Into::into));
        self
    }

    /// Does not wake on what this field manager alone owns, by the object's managed fields: conditions of the status, and its
    /// `observedGeneration`. Where the managed fields were thrown away to save memory, this does nothing.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let changes = ConditionChanges::new().own_manager(Manager::of("pool-controller"));
    /// assert_ne!(changes.hash(&object("True", "")), changes.hash(&object("False", "")), "nobody says whose it is");
    /// ```
    #[must_use]
    pub fn own_manager(self, manager: Manager) -> Self {
        Self { manager: Some(manager), ..self }
    }

    /// Wakes on other messages too: for those who quote them.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let (plain, quoting) = (ConditionChanges::new(), ConditionChanges::new().messages());
    /// assert_eq!(plain.hash(&object("True", "one")), plain.hash(&object("True", "two")));
    /// assert_ne!(quoting.hash(&object("True", "one")), quoting.hash(&object("True", "two")));
    /// ```
    #[must_use]
    pub fn messages(self) -> Self {
        Self { messages: true, ..self }
    }

    /// Wakes on the conditions in these lists too, such as `status.listeners[].conditions`.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let changes = ConditionChanges::new().lists_at("status.listeners[].conditions".parse().unwrap());
    /// let gateway = |status| json!({ "status": { "listeners": [
    ///     { "name": "http", "conditions": [{ "type": "Programmed", "status": status }] },
    /// ] } });
    /// assert_ne!(changes.hash(&gateway("True")), changes.hash(&gateway("False")));
    /// ```
    #[must_use]
    pub fn lists_at(mut self, path: ListPath) -> Self {
        self.lists.push(path);
        self
    }

    /// A number that is another one when there is something to wake for.
    ///
    /// ```
    /// # use allready_kube::{manager::Manager, predicate::ConditionChanges};
    /// # use serde_json::json;
    /// let object = |status: &str, message: &str| json!({ "status": { "conditions": [
    ///     { "type": "Ready", "status": status, "message": message },
    /// ] } });
    /// let changes = ConditionChanges::new();
    /// assert_eq!(changes.hash(&object("True", "")), changes.hash(&object("True", "")));
    /// ```
    pub fn hash(&self, object: &Value) -> u64 {
        let found = FoundObject::read(object);
        let owned =
            self.manager.as_ref().map(|manager| managed::owned_alone(object, manager)).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        wanted(object, &found).hash(&mut hasher);
        found.deleting.hash(&mut hasher);
        object.pointer("/metadata/finalizers").map(Value::to_string).hash(&mut hasher);

        let known = |generation: Option<Generation>| generation.filter(|generation| !generation.is_none());
        let behind = |observed: Option<Generation>| {
            known(found.generation).zip(observed).map(|(generation, observed)| observed < generation)
        };
        let of_status =
            if self.own.is_empty() && !owned.observed_generation { known(found.observed) } else { None };
        behind(of_status).hash(&mut hasher);
        let told = |condition: &FoundCondition<'_>| {
            let observed = known(condition.observed).or(of_status);
            let message = self.messages.then_some(&condition.message);
            hash_of(&(&condition.type_, condition.status, &condition.reason, behind(observed), message))
        };
        let is_foreign = |condition: &&FoundCondition<'_>| {
            !self.own.contains(&*condition.type_)
                && self.only.as_ref().is_none_or(|only| only.contains(&*condition.type_))
        };
        // In whatever order the list is: sorted.
        let main = found.conditions.conditions().iter().filter(is_foreign);
        let main = main.filter(|condition| !owned.types.contains(&*condition.type_));
        sorted(main.map(told)).hash(&mut hasher);
        for path in &self.lists {
            let places = path.places(object).into_iter().map(|place| {
                let list = found::read(place.list.unwrap_or(&Value::Null));
                let conditions = sorted(list.conditions().iter().filter(is_foreign).map(told));
                hash_of(&(place.entry, conditions))
            });
            sorted(places).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// What is asked of the object: its generation, or all that is not told about it.
fn wanted(object: &Value, found: &FoundObject<'_>) -> u64 {
    if let Some(generation) = found.generation.filter(|generation| !generation.is_none()) {
        return hash_of(&generation);
    }
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !matches!(field.as_str(), "resourceVersion" | "managedFields"));
    }
    hash_of(&object.to_string())
}

fn sorted(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut hashes: Vec<_> = hashes.collect();
    hashes.sort_unstable();
    hashes
}

fn hash_of<T: Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// An object that cannot be written as JSON always wakes.
impl<K: Serialize> Predicate<K> for ConditionChanges {
    fn hash_property(&self, object: &K) -> Option<u64> {
        serde_json::to_value(object).ok().map(|value| self.hash(&value))
    }
}
