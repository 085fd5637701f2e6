//! One call of the updater: a reconcile has ended.

use std::{sync::PoisonError, time::Duration};

use allready_core::{
    Condition, Generation,
    transition::{self, Style, Transition},
};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, DynamicObject},
    runtime::controller::Action,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    ObjectKey, ReasonedError, ReconcileResult, Reconciled, StatusUpdater, UpdateError, Wrote,
    plan::{self, Edits, Functions, Pass, Stored},
    requeue,
    write::{Writer, Written},
};

/// What a call of the updater came to.
#[derive(Debug)]
#[must_use = "the errors of the reconcile are in here: call `into_result`"]
pub struct Updated {
    /// What became of the write.
    pub wrote: Result<Wrote, UpdateError>,
    /// Which conditions took another status, as far as the API server has accepted it.
    pub transitions: Vec<Transition>,
    /// What the reconcile, the phase function and the custom update failed with.
    pub error: Option<ReasonedError>,
    /// When to reconcile again.
    pub requeue_after: Option<Duration>,
    /// How many requests were sent.
    pub requests: u32,
    /// The object as it was stored by this write.
    pub stored: Option<DynamicObject>,
}

impl Updated {
    /// What the reconcile function of a kube controller returns: when to come back, or everything that went wrong.
    pub fn into_result(self) -> Result<Action, ReasonedError> {
        let write = self.wrote.err().map(ReasonedError::from);
        match ReasonedError::join(self.error.into_iter().chain(write)) {
            Some(error) => Err(error),
            None => Ok(self.requeue_after.map_or_else(Action::await_change, Action::requeue)),
        }
    }
}

impl<K: Resource + Serialize> StatusUpdater<K> {
    /// Writes what a reconcile came to.
    pub async fn update(&self, client: &Client, result: ReconcileResult<K>) -> Updated {
        let mut updated = Updated {
            wrote: Ok(Wrote::NoObject),
            transitions: Vec::new(),
            error: result.error.clone(),
            requeue_after: result.requeue_after,
            requests: 0,
            stored: None,
        };
        let Some(object) = result.object.clone() else { return updated };
        let Some(target) = Target::of(&*object, &self.resource) else {
            updated.wrote = Err(UpdateError::Unnamed { kind: self.resource.kind.clone() });
            return updated;
        };
        updated.wrote = if self.status {
            match self.prepare(&object, &result, &target) {
                Ok(prepared) => self.write(client, &target, &object, &result, prepared, &mut updated).await,
                Err(error) => Err(error),
            }
        } else {
            Ok(Wrote::SwitchedOff)
        };
        if matches!(updated.wrote, Ok(Wrote::Gone | Wrote::Replaced)) {
            self.forget(&target.key);
        } else {
            updated.requeue_after = self.requeue(&result, &target.key);
        }
        updated
    }

    /// What is known of the object, and what the reconcile has to say.
    fn prepare(
        &self,
        object: &K,
        result: &ReconcileResult<K>,
        target: &Target,
    ) -> Result<Prepared, UpdateError> {
        let as_json = |object: &K| {
            serde_json::to_value(object)
                .map(|object| Stored::read(&object))
                .map_err(|source| UpdateError::Unwritable { object: target.words.clone(), source })
        };
        let new = as_json(object)?;
        let (known, edits) = match &result.old_object {
            Some(old) => {
                let old = as_json(old)?;
                let edits = Edits::between(&old.status, &new.status, &self.options.fields);
                (Stored { status: old.status, ..new.clone() }, edits)
            }
            None => (new, Edits::default()),
        };
        if self.options.conditions.is_none() && !result.conditions.is_empty() {
            tracing::warn!(
                object = target.words,
                "conditions are not written: the updater is not told to update them"
            );
        }
        let pass = Pass {
            uid: known.uid.clone(),
            generation: Generation::from(object.meta().generation),
            reason: result.reason_or_errors(),
            message: result.message_or_errors(),
            conditions: result.conditions.clone(),
            remove: result.remove.clone(),
            finished: result.error.is_none(),
            edits,
        };
        // Without a version, or with one from before the last own write, what is stored has to be looked up.
        let current = known.version.as_deref().is_some_and(|version| {
            !self.recent.lock().unwrap_or_else(PoisonError::into_inner).is_stale(&target.key, version)
        });
        Ok(Prepared { known: current.then_some(known), pass })
    }

    async fn write(
        &self,
        client: &Client,
        target: &Target,
        object: &K,
        result: &ReconcileResult<K>,
        Prepared { known, pass }: Prepared,
        updated: &mut Updated,
    ) -> Result<Wrote, UpdateError> {
        let now = self.clock.now();
        let api = target.api(client, &self.resource);
        let writer = Writer {
            api: &api,
            name: &target.key.name,
            object: &target.words,
            fields: &self.options.fields,
            retry: &self.retry,
            metrics: &self.metrics,
            params: &self.params,
            now,
        };
        let plan = |stored: &Stored| {
            let phase = self.phase.as_ref().map(|phase| {
                move |conditions: &[Condition]| phase(&Reconciled { object, result, conditions })
            });
            let edit = self.edit.as_ref().map(|edit| {
                move |status: &mut Value, conditions: &[Condition]| {
                    edit(status, &Reconciled { object, result, conditions })
                }
            });
            let functions = Functions {
                phase: phase.as_ref().map(|phase| phase as _),
                edit: edit.as_ref().map(|edit| edit as _),
            };
            plan::plan(stored, &pass, &self.options, &functions, now)
        };
        let Written { outcome, transitions, errors, requests, stored } = writer.write(known, plan).await;
        if let Some(stored) = &stored {
            let version = stored.metadata.resource_version.as_deref();
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            recent.wrote(target.key.clone(), version, now);
        }
        self.tell(&target.reference, &transitions);
        updated.error = ReasonedError::join(updated.error.take().into_iter().chain(errors));
        (updated.transitions, updated.requests, updated.stored) = (transitions, requests, stored);
        outcome
    }

    fn tell(&self, regarding: &ObjectReference, transitions: &[Transition]) {
        let Some(events) = &self.events else { return };
        let style = match &events.polarity {
            Some(polarity) => Style::ByPolarity(&**polarity),
            None => Style::default(),
        };
        for note in transition::notes(transitions, events.verbosity, &style) {
            events.sink.record(regarding, note);
        }
    }

    fn requeue(&self, result: &ReconcileResult<K>, key: &ObjectKey) -> Option<Duration> {
        let Some(store) = &self.requeue else { return result.requeue_after };
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        if result.error.is_some() {
            store.failed(key);
            return None;
        }
        let chosen = self.conditionals.iter().filter_map(|choose| choose(result)).next_back();
        let smart =
            chosen.or(result.smart_requeue).and_then(|choice| store.next(key, choice, self.clock.now()));
        requeue::smaller(result.requeue_after, smart)
    }
}

/// What the shell needs to begin: what is known of the object, and what the reconcile has to say.
struct Prepared {
    known: Option<Stored>,
    pass: Pass,
}

/// Which object, for requests, events, stores and people.
struct Target {
    key: ObjectKey,
    reference: ObjectReference,
    words: String,
    namespace: Option<String>,
}

impl Target {
    fn of(object: &impl Resource, resource: &ApiResource) -> Option<Self> {
        let meta = object.meta();
        let name = meta.name.clone()?;
        let namespace = meta.namespace.clone();
        let words = match &namespace {
            Some(namespace) => format!("{} {namespace}/{name}", resource.kind),
            None => format!("{} {name}", resource.kind),
        };
        let reference = ObjectReference {
            api_version: Some(resource.api_version.clone()),
            kind: Some(resource.kind.clone()),
            name: Some(name.clone()),
            namespace: namespace.clone(),
            uid: meta.uid.clone(),
            resource_version: meta.resource_version.clone(),
            ..ObjectReference::default()
        };
        let key =
            ObjectKey { kind: resource.kind.clone(), namespace: namespace.clone().unwrap_or_default(), name };
        Some(Self { key, reference, words, namespace })
    }

    fn api(&self, client: &Client, resource: &ApiResource) -> Api<DynamicObject> {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
            None => Api::all_with(client.clone(), resource),
        }
    }
}
