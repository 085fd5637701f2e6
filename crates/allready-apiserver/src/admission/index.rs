//! The policies and webhooks in the store, compiled, and brought up to date when somebody asks.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::{
    Chain, mutating,
    policy::{Binding, Policies, Policy},
    validating,
    webhook::Webhook,
};
use crate::store::Store;

const PLACES: [&str; 6] = [
    "mutatingadmissionpolicies.admissionregistration.k8s.io",
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
];

/// The newest known chain, and from when it is.
#[derive(Default)]
pub(crate) struct Index {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of changes that the places had seen together.
    seen: u64,
    /// `None` when nothing is configured.
    chain: Option<Arc<Chain>>,
    mutating: Shelf<Policy<mutating::Rules>>,
    mutating_bindings: Shelf<Binding>,
    mutating_webhooks: Shelf<Vec<Webhook>>,
    validating: Shelf<Policy<validating::Rules>>,
    validating_bindings: Shelf<Binding>,
    validating_webhooks: Shelf<Vec<Webhook>>,
}

/// The objects of one place, each in the version that was read.
struct Shelf<T> {
    versions: BTreeMap<Box<str>, u64>,
    items: BTreeMap<Box<str>, Arc<T>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { versions: BTreeMap::new(), items: BTreeMap::new() }
    }
}

impl Index {
    /// The chain of now; `None` when it would do nothing.
    pub(crate) fn chain(&self, store: &Store) -> Option<Arc<Chain>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted before anything is read: a change in between is found the next time.
        let now = store.changes_of(&PLACES);
        if state.seen != now {
            state.refresh(store);
            state.seen = now;
        }
        state.chain.clone()
    }

    /// Forgets everything, because the store begins to count anew.
    pub(crate) fn clear(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }
}

impl State {
    fn refresh(&mut self, store: &Store) {
        let [changing, changing_bindings, changing_hooks, policies, bindings, hooks] = PLACES;
        self.mutating.refill(store, changing, |policy| Policy::read(policy, mutating::Rules::read));
        self.mutating_bindings.refill(store, changing_bindings, Binding::read);
        self.mutating_webhooks.refill(store, changing_hooks, Webhook::all);
        self.validating.refill(store, policies, |policy| Policy::read(policy, validating::Rules::read));
        self.validating_bindings.refill(store, bindings, Binding::read);
        self.validating_webhooks.refill(store, hooks, Webhook::all);
        let chain = Chain {
            mutating: Policies::bind(&self.mutating.items, &self.mutating_bindings.items),
            mutating_webhooks: self.mutating_webhooks.items.values().cloned().collect(),
            validating: Policies::bind(&self.validating.items, &self.validating_bindings.items),
            validating_webhooks: self.validating_webhooks.items.values().cloned().collect(),
        };
        self.chain = (!chain.is_empty()).then(|| Arc::new(chain));
    }
}

impl<T> Shelf<T> {
    fn refill(&mut self, store: &Store, place: &str, read: impl Fn(&Value) -> T) {
        let items = store.list(place, "", None).items;
        let now: BTreeMap<_, _> = items.iter().map(|(key, stored)| (key.clone(), stored.version)).collect();
        self.items.retain(|key, _| now.contains_key(key));
        for (key, stored) in items {
            if self.versions.get(&key) == Some(&stored.version) {
                continue;
            }
            match stored.value() {
                Ok(object) => drop(self.items.insert(key, Arc::new(read(&object)))),
                Err(_) => drop(self.items.remove(&key)),
            }
        }
        self.versions = now;
    }
}
