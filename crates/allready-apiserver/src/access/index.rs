//! The policy of a store, brought up to date when it is asked for: what was read once is read again only after it changed.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::policy::{Binding, Policy, Role, Shelf};
use crate::store::Store;

const PLACES: [&str; 4] = [
    "roles.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "clusterrolebindings.rbac.authorization.k8s.io",
];

/// The newest known policy, and from when it is.
#[derive(Default)]
pub(crate) struct Index {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many changes each place had seen.
    seen: [Option<u64>; 4],
    /// The version of every object that was read, by place.
    versions: [BTreeMap<Box<str>, u64>; 4],
    policy: Arc<Policy>,
}

impl Index {
    /// The policy of now.
    pub(crate) fn policy(&self, store: &Store) -> Arc<Policy> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted before anything is read: a change in between is found the next time.
        let now = PLACES.map(|place| Some(store.changes(place)));
        if state.seen != now {
            state.refresh(store);
            state.seen = now;
        }
        Arc::clone(&state.policy)
    }

    /// Forgets everything, because the store begins to count anew.
    pub(crate) fn clear(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }
}

impl State {
    fn refresh(&mut self, store: &Store) {
        let [roles, cluster_roles, bindings, cluster_bindings] = &mut self.versions;
        let [role, cluster_role, binding, cluster_binding] = PLACES;
        let policy = Arc::make_mut(&mut self.policy);
        refill(store, role, roles, &mut policy.roles, Role::read);
        refill(store, cluster_role, cluster_roles, &mut policy.cluster_roles, Role::read);
        refill(store, binding, bindings, &mut policy.bindings, Binding::read);
        refill(store, cluster_binding, cluster_bindings, &mut policy.cluster_bindings, Binding::read);
    }
}

fn refill<T>(
    store: &Store,
    place: &str,
    versions: &mut BTreeMap<Box<str>, u64>,
    shelf: &mut Shelf<T>,
    read: impl Fn(&Value) -> T,
) {
    let items = store.list(place, "", None).items;
    let now: BTreeMap<_, _> = items.iter().map(|(key, stored)| (key.clone(), stored.version)).collect();
    shelf.retain(|key, _| now.contains_key(key));
    for (key, stored) in items {
        if versions.get(&key) != Some(&stored.version) {
            // What cannot be read grants nothing, and is looked at again when it changes.
            match stored.value() {
                Ok(object) => drop(shelf.insert(key, Arc::new(read(&object)))),
                Err(_) => drop(shelf.remove(&key)),
            }
        }
    }
    *versions = now;
}
