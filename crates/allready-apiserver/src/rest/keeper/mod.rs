//! What follows from a write, done before the next request: definitions are served, namespaces emptied, garbage collected.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Engine,
    delete::{Removal, Remover},
    key, meta,
    options::DeleteOptions,
};
use crate::{
    access as rights,
    resource::{Call, Resource},
    store::{Draft, Expect},
};

mod access;
mod definition;
mod events;
mod garbage;
mod namespace;
mod service;
mod tokens;

pub(super) use events::Expiry;

/// Something to look after.
#[derive(Debug, Clone)]
pub(super) enum Task {
    /// An object was written or marked.
    Written {
        /// Its resource.
        place: Arc<str>,
        /// `namespace/name`, or its name.
        key: String,
    },
    /// An object is gone.
    Gone {
        /// Its resource.
        place: Arc<str>,
        /// Its namespace.
        namespace: String,
        /// What it was.
        last: Box<Value>,
    },
    /// A namespace is to be emptied.
    Empty(String),
}

/// Stands for the place of a namespace that is to be emptied.
const EMPTIED: &str = "/empty";

impl Task {
    /// What it is about; tasks about one thing that wait are one task.
    fn spot(&self) -> (Arc<str>, String) {
        match self {
            Self::Written { place, key } => (place.clone(), key.clone()),
            Self::Empty(namespace) => (EMPTIED.into(), namespace.clone()),
            Self::Gone { place, last, .. } => (place.clone(), meta::text(last, "name").to_owned()),
        }
    }
}

impl Engine {
    /// After an object was written, in place of `old` where there was one.
    pub(super) fn after_write(
        &self,
        resource: &Resource,
        key: &str,
        object: &Value,
        old: Option<&Value>,
        call: &Call,
    ) {
        if resource.place == events::PLACE {
            self.note_event(key, call.now);
        }
        let metadata = &object["metadata"];
        let concerns_others = is_definition(resource)
            || is_cluster_role(resource)
            || is_policy(resource)
            || is_quota(resource)
            || tokens::is_token_secret(resource, object)
            || !metadata["ownerReferences"].is_null()
            || !metadata["deletionTimestamp"].is_null();
        let mut tasks = Vec::new();
        if concerns_others {
            tasks.push(Task::Written { place: resource.place.as_str().into(), key: key.to_owned() });
        }
        if let Some(old) = old.filter(|old| !old["metadata"]["ownerReferences"].is_null())
            && old["metadata"]["ownerReferences"] != metadata["ownerReferences"]
            && self.controllers_run()
        {
            tasks.extend(self.wake_owners(old));
        }
        // Only what a pod that has ended leaves in its quotas changes with a status.
        let ended = resource.place == "pods"
            && old.is_some_and(|old| old["status"]["phase"] != object["status"]["phase"]);
        if ended && self.controllers_run() {
            self.count_quotas(super::delete::split(key).0, call.now);
        }
        if !tasks.is_empty() {
            self.keep(tasks, call.now);
        }
    }

    /// After an object went because its last finalizer did.
    pub(super) fn after_removal(&self, resource: &Resource, namespace: &str, last: &Value, call: &Call) {
        let last = Box::new(last.clone());
        let task =
            Task::Gone { place: resource.place.as_str().into(), namespace: namespace.to_owned(), last };
        self.keep(vec![task], call.now);
    }

    /// What a removal leaves to do.
    pub(super) fn tasks_after(resource: &Resource, namespace: &str, removal: &Removal) -> Vec<Task> {
        let place: Arc<str> = resource.place.as_str().into();
        match removal {
            Removal::Gone(last) => {
                vec![Task::Gone { place, namespace: namespace.to_owned(), last: Box::new(last.clone()) }]
            }
            Removal::Marked(object) => {
                vec![Task::Written { place, key: key(namespace, meta::text(object, "name")) }]
            }
            Removal::Waiting(_) => Vec::new(),
        }
    }

    /// Looks at what a server finds when it begins: definitions first, and then what is being deleted.
    pub(super) fn look_at_everything(&self, now: Timestamp) {
        let registry = self.registry();
        let Some(definitions) = registry.iter().find(|resource| is_definition(resource)) else { return };
        let (objects, _) = self.store().everything();
        let written =
            |place: &Arc<str>, key: &str| Task::Written { place: place.clone(), key: key.to_owned() };
        let defining = objects.iter().filter(|(place, ..)| **place == *definitions.place);
        self.keep(defining.map(|(place, key, _)| written(place, key)).collect(), now);
        for (_, key, _) in objects.iter().filter(|(place, ..)| **place == *events::PLACE) {
            self.note_event(key, now);
        }
        let marked = objects.iter().filter(|(.., stored)| stored.is_marked());
        self.keep(marked.map(|(place, key, _)| written(place, key)).collect(), now);
    }

    /// Works off tasks and what follows from them.
    pub(super) fn keep(&self, tasks: Vec<Task>, now: Timestamp) {
        // What is gone comes first: whoever waited for several of them is looked at once.
        let mut gone = VecDeque::from(tasks);
        let mut waiting: VecDeque<Task> = VecDeque::new();
        let mut known: HashSet<(Arc<str>, String)> = HashSet::new();
        while let Some(task) = gone.pop_front().or_else(|| waiting.pop_front()) {
            let more = match task {
                Task::Gone { place, namespace, last } => self.look_at_gone(&place, &namespace, &last, now),
                later if !gone.is_empty() => {
                    if known.insert(later.spot()) {
                        waiting.push_back(later);
                    }
                    continue;
                }
                Task::Written { place, key } => {
                    let more = self.look_at_written(&place, &key, now);
                    known.remove(&(place, key));
                    more
                }
                Task::Empty(namespace) => {
                    known.remove(&(EMPTIED.into(), namespace.clone()));
                    self.empty_namespace(&namespace, now)
                }
            };
            gone.extend(more);
        }
    }

    fn look_at_written(&self, place: &str, key: &str, now: Timestamp) -> Vec<Task> {
        let registry = self.registry();
        let Some(resource) = Self::at_place(&registry, place) else { return Vec::new() };
        let Some(stored) = self.store().get(place, key) else { return Vec::new() };
        let Ok(object) = stored.value() else { return Vec::new() };
        if is_definition(&resource) {
            return self.keep_definition(&resource, key, now);
        }
        if !self.controllers_run() {
            return Vec::new();
        }
        if is_cluster_role(&resource) {
            self.aggregate_roles(&resource);
        }
        if is_quota(&resource) {
            self.count_quotas(super::delete::split(key).0, now);
        }
        if is_policy(&resource) {
            // What the controller manager writes of a policy in which it finds no wrong types.
            self.amend(&resource, key, |policy| {
                let generation = policy["metadata"]["generation"].clone();
                policy["status"] = json!({ "observedGeneration": generation, "typeChecking": {} });
            });
        }
        let marked = !object["metadata"]["deletionTimestamp"].is_null();
        if !marked && tokens::is_token_secret(&resource, &object) {
            return self.keep_token_secret(&resource, key, now);
        }
        if marked && resource.group.is_empty() && resource.plural == "namespaces" {
            return vec![Task::Empty(key.to_owned())];
        }
        self.collect_written(&resource, key, &object, marked, now)
    }

    fn look_at_gone(&self, place: &str, namespace: &str, last: &Value, now: Timestamp) -> Vec<Task> {
        let mut tasks = Vec::new();
        let registry = self.registry();
        let Some(resource) = Self::at_place(&registry, place) else { return tasks };
        if is_definition(&resource) {
            self.stop_serving(last);
        } else if super::decode::is_custom(&resource) {
            let name = resource.qualified();
            let definitions = registry.iter().find(|resource| is_definition(resource));
            if let Some(definitions) = definitions
                && self.store().get(&definitions.place, &name).is_some_and(|stored| stored.is_marked())
            {
                tasks.push(Task::Written { place: definitions.place.as_str().into(), key: name });
            }
        }
        if !self.controllers_run() {
            return tasks;
        }
        if is_cluster_role(&resource) {
            self.aggregate_roles(&resource);
        }
        if tokens::is_account(&resource) {
            tasks.extend(self.discard_tokens_of(namespace, last, now));
        }
        if !namespace.is_empty() {
            self.count_quotas(namespace, now);
        }
        tasks.extend(self.collect_after(last, now));
        if !namespace.is_empty()
            && self.store().get("namespaces", namespace).is_some_and(|stored| stored.is_marked())
        {
            tasks.push(Task::Empty(namespace.to_owned()));
        }
        tasks
    }

    /// Changes a stored object outside of any request. Returns whether it is still there and what then follows.
    fn amend(&self, resource: &Resource, key: &str, change: impl Fn(&mut Value)) -> Vec<Task> {
        loop {
            let Some(live) = self.store().get(&resource.place, key) else { return Vec::new() };
            let Ok(old) = super::convert::current(resource, &live) else { return Vec::new() };
            let mut new = old.clone();
            change(&mut new);
            if super::finish::same_content(&new, &old) {
                return Vec::new();
            }
            let namespace = super::delete::split(key).0.to_owned();
            let place: Arc<str> = resource.place.as_str().into();
            let released = is_marked(&new)
                && meta::texts(&new, "finalizers").is_empty()
                && new["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() == 0
                && new["spec"]["finalizers"].as_array().is_none_or(|_| !is_namespace(resource));
            if released {
                if self.store().remove(&resource.place, key, live.version).is_ok() {
                    return vec![Task::Gone { place, namespace, last: Box::new(new) }];
                }
            } else {
                let expect = Expect::Version(live.version);
                if self.store().put(&resource.place, key, expect, &Draft::new(&new)).is_ok() {
                    return Vec::new();
                }
            }
        }
    }

    /// Removes an object in a version, and says what follows; `None` when it has changed.
    fn discard_at(
        &self,
        resource: &Arc<Resource>,
        key: &str,
        version: u64,
        now: Timestamp,
    ) -> Option<Vec<Task>> {
        let options = DeleteOptions {
            policy: Some("Background".to_owned()),
            grace: Some(0),
            version: Some(version.to_string()),
            ..DeleteOptions::default()
        };
        let (namespace, name) = super::delete::split(key);
        match self.remove(resource, Remover::SERVER, namespace, name, &options, now) {
            Ok(removal) => Some(Self::tasks_after(resource, namespace, &removal)),
            Err(failure) if failure.code == 409 => None,
            Err(_) => Some(Vec::new()),
        }
    }
}

fn is_definition(resource: &Resource) -> bool {
    resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions"
}

fn is_cluster_role(resource: &Resource) -> bool {
    resource.plural == "clusterroles" && resource.group == rights::GROUP
}

fn is_policy(resource: &Resource) -> bool {
    resource.plural == "validatingadmissionpolicies" && resource.group == "admissionregistration.k8s.io"
}

fn is_quota(resource: &Resource) -> bool {
    resource.place == "resourcequotas"
}

fn is_namespace(resource: &Resource) -> bool {
    resource.group.is_empty() && resource.plural == "namespaces"
}

fn is_marked(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Sets a condition in a list of conditions.
fn set_condition(object: &mut Value, condition: Value) {
    let conditions = &mut object["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    match conditions.iter_mut().find(|known| known["type"] == condition["type"]) {
        Some(known) if known["status"] == condition["status"] && known["reason"] == condition["reason"] => {
            known["message"] = condition["message"].clone();
        }
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}
