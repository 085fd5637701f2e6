//! The garbage collector: dependents follow their owners, at once, before them, or not at all.
//!
//! Follows `pkg/controller/garbagecollector` of Kubernetes.

use std::{collections::HashSet, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;

use super::{Remover, Task, is_marked};
use crate::{
    resource::Resource,
    rest::{Engine, delete, key, meta, options::DeleteOptions},
    store::{Draft, Expect},
};

/// What is known of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It is there.
    Solid,
    /// It is there until its dependents are gone.
    Waiting,
    /// Its kind is served, and it is not there.
    Absent,
    /// Nobody can say: its kind or version is not served, or it would have to be in a namespace that nobody named.
    Unknown,
}

impl Engine {
    /// After an object was written: its owners may be gone, and if it is being deleted, its dependents may be in question.
    pub(super) fn collect_written(
        &self,
        resource: &Arc<Resource>,
        key: &str,
        object: &Value,
        marked: bool,
        now: Timestamp,
    ) -> Vec<Task> {
        let finalizers = meta::texts(object, "finalizers");
        if marked && finalizers.contains(&"orphan") {
            return self.orphan(resource, key, object);
        }
        if marked && finalizers.contains(&"foregroundDeletion") {
            return self.wait_for_dependents(resource, key, object, now);
        }
        if !marked && !owners(object).is_empty() {
            return self.settle_dependent(resource, key, now);
        }
        Vec::new()
    }

    /// After an object is gone: what it owned goes too, unless someone else owns it as well.
    pub(super) fn collect_after(&self, last: &Value, now: Timestamp) -> Vec<Task> {
        let mut tasks = Vec::new();
        let registry = self.registry();
        for (place, key) in self.store().dependents(meta::text(last, "uid")) {
            if let Some(resource) = Self::at_place(&registry, &place) {
                tasks.extend(self.settle_dependent(&resource, &key, now));
            }
        }
        tasks.extend(self.wake_owners(last));
        tasks
    }

    /// Owners that may have waited for this object, which is gone or has let go of them.
    pub(super) fn wake_owners(&self, object: &Value) -> Vec<Task> {
        let mut tasks = Vec::new();
        for owner in owners(object) {
            if let Some((resource, key)) = self.find_owner(owner, meta::text(object, "namespace")) {
                let stored = self.store().get(&resource.place, &key);
                if stored.is_some_and(|stored| stored.is_marked()) {
                    tasks.push(Task::Written { place: resource.place.as_str().into(), key });
                }
            }
        }
        tasks
    }

    /// Does to an object what the standing of its owners asks for, as long as it is the object that was judged: a change
    /// meanwhile is a reason to judge again.
    fn settle_dependent(&self, resource: &Arc<Resource>, key: &str, now: Timestamp) -> Vec<Task> {
        loop {
            let Some(live) = self.store().get(&resource.place, key) else { return Vec::new() };
            let Ok(object) = live.value() else { return Vec::new() };
            let references = owners(&object);
            if is_marked(&object) || references.is_empty() {
                return Vec::new();
            }
            let namespace = meta::text(&object, "namespace");
            let standings: Vec<_> = references.iter().map(|owner| self.standing(owner, namespace)).collect();
            if standings.contains(&Standing::Unknown) {
                return Vec::new();
            }
            if standings.contains(&Standing::Solid) {
                let solid =
                    references.iter().zip(&standings).filter(|(_, standing)| **standing == Standing::Solid);
                let kept: Vec<Value> = solid.map(|(owner, _)| (*owner).clone()).collect();
                if kept.len() == references.len() {
                    return Vec::new();
                }
                let Ok(mut new) = crate::rest::convert::current(resource, &live) else { return Vec::new() };
                meta::set(&mut new, "ownerReferences", Some(Value::Array(kept)));
                let expect = Expect::Version(live.version);
                if self.store().put(&resource.place, key, expect, &Draft::new(&new)).is_ok() {
                    return self.wake_owners(&object);
                }
                continue;
            }
            let uid = meta::text(&object, "uid");
            let finalizers = meta::texts(&object, "finalizers");
            let in_turn = standings.contains(&Standing::Waiting) && !self.store().dependents(uid).is_empty();
            let policy = if in_turn || finalizers.contains(&"foregroundDeletion") {
                "Foreground"
            } else if finalizers.contains(&"orphan") {
                "Orphan"
            } else {
                "Background"
            };
            let options = DeleteOptions {
                policy: Some(policy.to_owned()),
                grace: Some(0),
                uid: Some(uid.to_owned()),
                version: Some(live.version.to_string()),
                ..DeleteOptions::default()
            };
            let (namespace, name) = delete::split(key);
            match self.remove(resource, Remover::SERVER, namespace, name, &options, now) {
                Ok(removal) => return Self::tasks_after(resource, namespace, &removal),
                Err(failure) if failure.code == 409 => {}
                Err(_) => return Vec::new(),
            }
        }
    }

    fn orphan(&self, resource: &Arc<Resource>, key: &str, object: &Value) -> Vec<Task> {
        let uid = meta::text(object, "uid");
        let registry = self.registry();
        let mut tasks = Vec::new();
        for (place, dependent) in self.store().dependents(uid) {
            if let Some(kind) = Self::at_place(&registry, &place) {
                tasks.extend(self.amend(&kind, &dependent, |object| disown(object, uid)));
            }
        }
        tasks.extend(self.amend(resource, key, |object| release(object, uid, "orphan")));
        tasks
    }

    fn wait_for_dependents(
        &self,
        resource: &Arc<Resource>,
        key: &str,
        object: &Value,
        now: Timestamp,
    ) -> Vec<Task> {
        let uid = meta::text(object, "uid");
        let registry = self.registry();
        let mut tasks = Vec::new();
        let mut blocked = false;
        for (place, dependent) in self.store().dependents(uid) {
            let Some(kind) = Self::at_place(&registry, &place) else { continue };
            tasks.extend(self.settle_dependent(&kind, &dependent, now));
            blocked = blocked || self.blocks(&place, &dependent, uid);
        }
        if !blocked {
            tasks.extend(self.amend(resource, key, |object| release(object, uid, "foregroundDeletion")));
        }
        tasks
    }

    /// Whether an owner has to wait for a dependent. It has not when the dependent, or one that the dependent waits for,
    /// waits for the owner: in a circle someone has to go first.
    fn blocks(&self, place: &str, key: &str, owner: &str) -> bool {
        let Some(stored) = self.store().get(place, key) else { return false };
        // What cannot be read says nothing of whether its owner may go, and so the owner stays.
        let Ok(dependent) = stored.value() else { return true };
        if !names_as_blocked(&dependent, owner) {
            return false;
        }
        let mut seen = HashSet::new();
        let mut open = vec![dependent];
        while let Some(object) = open.pop() {
            let uid = meta::text(&object, "uid");
            if uid == owner {
                return false;
            }
            if !waits(&object) || !seen.insert(uid.to_owned()) {
                continue;
            }
            for (place, key) in self.store().dependents(uid) {
                let next = self.store().get(&place, &key).and_then(|stored| stored.value().ok());
                open.extend(next.filter(|next| names_as_blocked(next, uid)));
            }
        }
        true
    }

    /// How it stands with an owner of an object in a namespace, or in none.
    fn standing(&self, owner: &Value, namespace: &str) -> Standing {
        let version = owner["apiVersion"]
            .as_str()
            .map(|text| text.rsplit_once('/').map_or(text, |(_, version)| version));
        let (Some(version), Some(uid)) = (version, owner["uid"].as_str()) else { return Standing::Unknown };
        let Some((resource, key)) = self.find_owner(owner, namespace) else { return Standing::Unknown };
        if resource.version(version).is_none() || (resource.namespaced && namespace.is_empty()) {
            return Standing::Unknown;
        }
        let found = self.store().get(&resource.place, &key).map(|stored| stored.value()).transpose();
        let Ok(found) = found else { return Standing::Unknown };
        match found.filter(|found| meta::text(found, "uid") == uid) {
            None => Standing::Absent,
            Some(found) if waits(&found) => Standing::Waiting,
            Some(_) => Standing::Solid,
        }
    }

    fn find_owner(&self, owner: &Value, namespace: &str) -> Option<(Arc<Resource>, String)> {
        let api_version = owner["apiVersion"].as_str()?;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = owner["kind"].as_str()?;
        let registry = self.registry();
        // What is only asked and never stored owns nothing.
        let resource = registry
            .iter()
            .find(|resource| {
                resource.group == group && resource.kind == kind && resource.verbs != ["create"]
            })?
            .clone();
        let namespace = if resource.namespaced { namespace } else { "" };
        let key = key(namespace, owner["name"].as_str()?);
        Some((resource, key))
    }
}

/// Whether an object stays until its dependents are gone.
fn waits(object: &Value) -> bool {
    is_marked(object) && meta::texts(object, "finalizers").contains(&"foregroundDeletion")
}

/// Whether an object says that this owner may not go before it.
fn names_as_blocked(object: &Value, owner: &str) -> bool {
    owners(object)
        .into_iter()
        .any(|reference| reference["uid"].as_str() == Some(owner) && reference["blockOwnerDeletion"] == true)
}

fn owners(object: &Value) -> Vec<&Value> {
    object["metadata"]["ownerReferences"].as_array().into_iter().flatten().collect()
}

/// Takes an owner out of an object's references.
fn disown(object: &mut Value, uid: &str) {
    let rest: Vec<Value> =
        owners(object).into_iter().filter(|owner| owner["uid"].as_str() != Some(uid)).cloned().collect();
    meta::set(object, "ownerReferences", Some(Value::Array(rest.clone())).filter(|_| !rest.is_empty()));
}

/// Takes a finalizer out of the list of the object with this uid.
fn release(object: &mut Value, uid: &str, finalizer: &str) {
    if meta::text(object, "uid") != uid {
        return;
    }
    let rest: Vec<Value> = meta::texts(object, "finalizers")
        .into_iter()
        .filter(|name| *name != finalizer)
        .map(Value::from)
        .collect();
    meta::set(object, "finalizers", Some(Value::Array(rest.clone())).filter(|_| !rest.is_empty()));
}
