//! The garbage collector: dependents follow their owners, at once, before them, or not at all.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::{Task, is_marked};
use crate::{
    resource::Resource,
    rest::{Engine, delete, key, meta},
};

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
        if !marked && !owners(object).is_empty() && !self.is_owned(object) {
            return self.discard(resource, key, None, now);
        }
        Vec::new()
    }

    /// After an object is gone: what it owned goes too, unless someone else owns it as well.
    pub(super) fn collect_after(&self, last: &Value, now: Timestamp) -> Vec<Task> {
        let mut tasks = Vec::new();
        let uid = meta::text(last, "uid");
        let registry = self.registry();
        for (place, key) in self.store().dependents(uid) {
            let Some(resource) = Self::at_place(&registry, &place) else { continue };
            let Some(stored) = self.store().get(&place, &key) else { continue };
            if self.is_owned(&stored.value()) {
                tasks.extend(self.amend(&resource, &key, |object| disown(object, uid)));
            } else if !is_marked(&stored.value()) {
                tasks.extend(self.discard(&resource, &key, None, now));
            }
        }
        // An owner may have waited for this one.
        for owner in owners(last) {
            if let Some((resource, key)) = self.find_owner(owner, meta::text(last, "namespace")) {
                let stored = self.store().get(&resource.place, &key);
                if stored.is_some_and(|stored| is_marked(&stored.value())) {
                    tasks.push(Task::Written { place: resource.place.as_str().into(), key });
                }
            }
        }
        tasks
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
        tasks.extend(self.amend(resource, key, |object| release(object, "orphan")));
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
            let Some(stored) = self.store().get(&place, &dependent) else { continue };
            let value = stored.value();
            let blocks = owners(&value)
                .into_iter()
                .any(|owner| owner["uid"].as_str() == Some(uid) && owner["blockOwnerDeletion"] == true);
            if is_marked(&value) {
                blocked |= blocks;
                continue;
            }
            if self.other_owner(&value, uid) {
                tasks.extend(self.amend(&kind, &dependent, |object| disown(object, uid)));
                continue;
            }
            let has_own = !self.store().dependents(meta::text(&value, "uid")).is_empty();
            let policy = if has_own { "Foreground" } else { "Background" };
            tasks.extend(self.discard(&kind, &dependent, Some(policy), now));
            blocked |= blocks && self.store().get(&place, &dependent).is_some();
        }
        if !blocked {
            tasks.extend(self.amend(resource, key, |object| release(object, "foregroundDeletion")));
        }
        tasks
    }

    /// Whether one of an object's owners exists.
    fn is_owned(&self, object: &Value) -> bool {
        self.other_owner(object, "")
    }

    fn other_owner(&self, object: &Value, except: &str) -> bool {
        let namespace = meta::text(object, "namespace");
        let others = owners(object).into_iter().filter(|owner| owner["uid"].as_str() != Some(except));
        others.into_iter().any(|owner| {
            let Some((resource, key)) = self.find_owner(owner, namespace) else { return false };
            let stored = self.store().get(&resource.place, &key);
            stored.is_some_and(|stored| {
                let value = stored.value();
                let waits =
                    is_marked(&value) && meta::texts(&value, "finalizers").contains(&"foregroundDeletion");
                Some(meta::text(&value, "uid")) == owner["uid"].as_str() && !waits
            })
        })
    }

    fn find_owner(&self, owner: &Value, namespace: &str) -> Option<(Arc<Resource>, String)> {
        let api_version = owner["apiVersion"].as_str()?;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = owner["kind"].as_str()?;
        let registry = self.registry();
        let resource =
            registry.iter().find(|resource| resource.group == group && resource.kind == kind)?.clone();
        let namespace = if resource.namespaced { namespace } else { "" };
        let key = key(namespace, owner["name"].as_str()?);
        debug_assert!(delete::split(&key).0 == namespace);
        Some((resource, key))
    }
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

/// Takes a finalizer out of an object's list.
fn release(object: &mut Value, finalizer: &str) {
    let rest: Vec<Value> = meta::texts(object, "finalizers")
        .into_iter()
        .filter(|name| *name != finalizer)
        .map(Value::from)
        .collect();
    meta::set(object, "finalizers", Some(Value::Array(rest.clone())).filter(|_| !rest.is_empty()));
}
