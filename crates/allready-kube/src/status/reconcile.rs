//! The one call: work on an object, and write what came of it.

use std::{
    ops::{Deref, DerefMut},
    panic::AssertUnwindSafe,
    time::Duration,
};

use allready_core::{
    Condition, Generation, Message, Reason, Standing, Time,
    set::{At, Mark, MarkError, Markable},
    transition::Transition,
};
use futures::FutureExt as _;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, DynamicObject},
    runtime::controller::Action,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    Field, ReasonedError, Requeue, StatusUpdater, StatusView, UpdateError, Wrote, conditions, json,
    plan::{self, Edits, End, Functions, Said, Stored},
    reasoned::Panicked,
    requeue::{self, ObjectKey},
    write::{Writer, Written},
};

/// One pass over the status of one object: conditions to mark, and other fields to edit.
///
/// It has the marks of the condition set: `mark_addresses_valid(…)` for a set that was derived, and `mark_true("Synced", …)`
/// for one that is known at run time, or for no set at all.
pub struct StatusPass<'a, C: Markable, S> {
    pass: C::Pass<'a>,
    /// The rest of the status. What is changed here is written too, whether the work succeeds or not.
    pub status: S,
    /// The `reason` of the status, where it has one; that of the error if this is not set.
    pub reason: Option<Reason>,
    /// The `message` of the status, where it has one; the text of the error if this is not set.
    pub message: Option<Message>,
    at: At,
}

impl<C: Markable, S> StatusPass<'_, C, S> {
    /// The object and the instant that this pass is about: for lists of conditions in parts of the status.
    pub fn at(&self) -> At {
        self.at
    }
}

impl<'a, C: Markable, S> Deref for StatusPass<'a, C, S> {
    type Target = C::Pass<'a>;

    fn deref(&self) -> &Self::Target {
        &self.pass
    }
}

impl<C: Markable, S> DerefMut for StatusPass<'_, C, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.pass
    }
}

impl<'a, X, C: Markable<Pass<'a>: Mark<X>>, S> Mark<X> for StatusPass<'a, C, S> {
    fn mark_standing(
        &mut self,
        condition: X,
        standing: Standing,
        reason: Reason,
        message: &str,
    ) -> Result<(), MarkError> {
        self.pass.mark_standing(condition, standing, reason, message)
    }
}

/// The outcome of a reconcile, for those who want to know more than when to come back.
#[derive(Debug)]
#[must_use = "the errors of the reconcile are in here: call `into_result`"]
pub struct Reconciled {
    /// The outcome of the write.
    pub wrote: Result<Wrote, UpdateError>,
    /// The conditions that took another status, as far as the API server has accepted it.
    pub transitions: Vec<Transition>,
    /// The errors of the work, of the phase function and of the custom edit.
    pub error: Option<ReasonedError>,
    /// The time until the next reconcile, if nothing changes before.
    pub requeue_after: Option<Duration>,
    /// The number of requests that were sent.
    pub requests: u32,
    /// The object as it was stored by this write.
    pub stored: Option<DynamicObject>,
}

impl Reconciled {
    /// The result of a kube controller's reconcile function: when to come back, or everything that went wrong.
    pub fn into_result(self) -> Result<Action, ReasonedError> {
        let write = self.wrote.err().map(ReasonedError::from);
        match ReasonedError::join(self.error.into_iter().chain(write)) {
            Some(error) => Err(error.retry_after(self.requeue_after)),
            None => Ok(self.requeue_after.map_or_else(Action::await_change, Action::requeue)),
        }
    }
}

impl<K, C, S> StatusUpdater<K, C, S>
where
    K: Resource + Serialize + Clone + Send + Sync + 'static,
    C: Markable,
    S: Serialize + DeserializeOwned + Default + Send + 'static,
{
    /// Runs the work of a reconcile, and writes the status that comes of it, however the work ended.
    ///
    /// See the [module](super) for an example and for what is written.
    pub async fn reconcile<R: Into<Requeue>>(
        &self,
        object: &K,
        work: impl AsyncFnOnce(&mut StatusPass<'_, C, S>) -> Result<R, ReasonedError>,
    ) -> Result<Action, ReasonedError> {
        self.run(object, work).await.into_result()
    }

    /// The same, and returns everything that is known of the outcome.
    pub async fn run<R: Into<Requeue>>(
        &self,
        object: &K,
        work: impl AsyncFnOnce(&mut StatusPass<'_, C, S>) -> Result<R, ReasonedError>,
    ) -> Reconciled {
        let begun = match self.begin(object) {
            Ok(begun) => begun,
            Err(error) => return Reconciled { wrote: Err(error), ..Reconciled::default() },
        };
        let mut list = self.conditions_of(&begun.known);
        let pass = self.pass(&mut list, &begun);
        let mut running = Running { state: Some((begun, pass)), updater: self, object };
        let Some((_, pass)) = &mut running.state else { return Reconciled::default() };
        let (asked, end) = match AssertUnwindSafe(work(pass)).catch_unwind().await {
            Ok(Ok(asked)) => (asked.into(), End::Finished),
            Ok(Err(error)) => (Requeue::AwaitChange, End::Failed(error)),
            Err(panic) => (Requeue::AwaitChange, End::Failed(Panicked::of(&*panic).into())),
        };
        let Some((begun, said)) = running.end(end) else { return Reconciled::default() };
        // On the heap: the requests would make the future of every reconcile as large as all of them. The functions that an
        // author gave for phase and edit run in it, and may panic too.
        let finished =
            AssertUnwindSafe(Box::pin(self.finish(object, begun, said, asked))).catch_unwind().await;
        finished.unwrap_or_else(|panic| {
            let error = Some(Panicked::of(&*panic).into());
            Reconciled { error, ..Reconciled::default() }
        })
    }

    /// Reads what is known of the object.
    fn begin(&self, object: &K) -> Result<Begun, UpdateError> {
        let Some(target) = Target::of(object, &self.resource) else {
            return Err(UpdateError::Unnamed { kind: self.resource.kind.clone() });
        };
        let known = serde_json::to_value(object)
            .map(|object| Stored::read(&object))
            .map_err(|source| UpdateError::Unwritable { object: target.words.clone(), source })?;
        let meta = object.meta();
        let at = At {
            generation: Generation::from(meta.generation),
            now: self.clock.now(),
            created: meta.creation_timestamp.as_ref().map(|created| Time::new(created.0)),
            deleting: meta.deletion_timestamp.is_some(),
        };
        Ok(Begun { target, known, at })
    }

    fn conditions_of(&self, known: &Stored) -> Vec<Condition> {
        let path = self.options.fields.path(Field::Conditions);
        let mut list = conditions::legal(path.and_then(|path| json::get(&known.status, path)), Time::EPOCH);
        // Marks are heard here in any case; whether they come too late is seen by what is stored.
        for condition in &mut list {
            condition.observed_generation.take_if(|observed| known.is_ahead(observed.get()));
        }
        list
    }

    fn pass<'p>(&'p self, list: &'p mut Vec<Condition>, begun: &Begun) -> StatusPass<'p, C, S> {
        let status = match &begun.known.status {
            Value::Null => S::default(),
            status => S::deserialize(status).unwrap_or_default(),
        };
        let pass = C::typed(self.options.rules.pass(list, begun.at));
        StatusPass { pass, status, reason: None, message: None, at: begun.at }
    }

    fn edits(&self, known: &Stored, status: &S) -> Edits {
        let before = match &known.status {
            Value::Null => serde_json::to_value(S::default()),
            status => S::deserialize(status).and_then(|status| serde_json::to_value(&status)),
        };
        match (before, serde_json::to_value(status)) {
            (Ok(before), Ok(after)) => Edits::between(
                &json::without_nulls(before),
                &json::without_nulls(after),
                &self.options.fields,
            ),
            _ => Edits::default(),
        }
    }

    /// Writes what was said, and finds out when to come back.
    async fn finish(&self, object: &K, begun: Begun, said: Said, asked: Requeue) -> Reconciled {
        let mut done = Reconciled { error: said.error().cloned(), ..Reconciled::default() };
        let (mut look_again, mut status) = (None, None);
        done.wrote = if self.status {
            let written = self.write(&begun, object, &said, &mut done).await;
            (look_again, status) = (written.1, written.2);
            written.0
        } else {
            Ok(Wrote::SwitchedOff)
        };
        if matches!(done.wrote, Ok(Wrote::Gone | Wrote::Replaced)) {
            self.forget(&begun.target.key);
            return done;
        }
        let path = self.options.fields.path(Field::Conditions);
        let list = status.as_ref().zip(path).and_then(|(status, path)| json::get(status, path));
        let conditions =
            if self.conditionals.is_empty() { Vec::new() } else { conditions::legal(list, begun.at.now) };
        let view = StatusView { object, conditions: &conditions, error: done.error.as_ref() };
        let chosen = self.conditionals.iter().filter_map(|choose| choose(&view)).next_back();
        let (explicit, smart) = match (asked, chosen) {
            (Requeue::After(wait), chosen) => (Some(wait), chosen.unwrap_or_default()),
            (asked, chosen) => (None, chosen.unwrap_or(asked)),
        };
        let mut memory = self.lock();
        let mut next = |choice| memory.waits.next(&begun.target.key, choice, begun.at.now);
        let wait = match (&done.wrote, &done.error) {
            (Ok(_), Some(error)) if error.is_terminal() => next(Requeue::AwaitChange),
            (Err(_), _) | (_, Some(_)) => next(Requeue::Backoff),
            (Ok(_), None) => requeue::smaller(explicit, next(smart)),
        };
        let held = look_again.map(|instant: Time| {
            let wait = instant.since(begun.at.now);
            Duration::try_from(wait).unwrap_or_default().max(Duration::from_secs(1))
        });
        done.requeue_after = requeue::smaller(wait, held);
        done
    }

    async fn write(
        &self,
        begun: &Begun,
        object: &K,
        said: &Said,
        done: &mut Reconciled,
    ) -> (Result<Wrote, UpdateError>, Option<Time>, Option<Value>) {
        let Begun { target, known, at } = begun;
        let api = target.api(&self.client, &self.resource);
        let writer = Writer {
            api: &api,
            name: &target.key.name,
            object: &target.words,
            fields: &self.options.fields,
            retry: &self.retry,
            metrics: &self.metrics,
            manager: self.manager.as_str(),
            now: at.now,
        };
        let (current, memory) = {
            let mut memory = self.lock();
            // Without a version, or with one from before the last own write, what is stored has to be looked up.
            let is_stale = |version: &str| memory.recent.is_stale(&target.key, version);
            let current = !known.version.as_deref().is_none_or(is_stale);
            (current, memory.damping.get(&target.key).cloned().unwrap_or_default())
        };
        let error = said.error();
        let plan = |stored: &Stored| {
            let phase = self.phase.as_ref().map(|phase| {
                move |conditions: &[Condition]| phase(&StatusView { object, conditions, error })
            });
            let edit = self.edit.as_ref().map(|edit| {
                move |status: &mut Value, conditions: &[Condition]| {
                    edit(status, &StatusView { object, conditions, error })
                }
            });
            let functions = Functions {
                phase: phase.as_ref().map(|phase| phase as _),
                edit: edit.as_ref().map(|edit| edit as _),
            };
            plan::plan(stored, said, &self.options, &functions, memory.clone())
        };
        let written = writer.write(current.then(|| known.clone()), plan).await;
        let Written { outcome, transitions, errors, requests, stored, planned } = written;
        let (mut look_again, mut status) = (None, None);
        {
            let mut memory = self.lock();
            if let Some(stored) = &stored {
                let version = stored.metadata.resource_version.as_deref();
                memory.recent.wrote(target.key.clone(), version, at.now);
            }
            if let Some((planned, held)) = planned {
                (status, look_again) = (Some(planned), held.look_again);
                memory.remember(&target.key, held.damping);
            }
        }
        self.events.record_with(&self.client, &self.manager, &target.reference, &transitions);
        done.error = ReasonedError::join(done.error.take().into_iter().chain(errors));
        (done.transitions, done.requests, done.stored) = (transitions, requests, stored);
        (outcome, look_again, status)
    }
}

impl Default for Reconciled {
    fn default() -> Self {
        let wrote = Ok(Wrote::Unchanged);
        Self { wrote, transitions: Vec::new(), error: None, requeue_after: None, requests: 0, stored: None }
    }
}

/// A reconcile that has begun: the object, and what is known of it.
struct Begun {
    target: Target,
    known: Stored,
    at: At,
}

/// The work, while it is running. If it is cancelled, its marks are written in the background.
struct Running<'a, K, C, S>
where
    K: Resource + Serialize + Clone + Send + Sync + 'static,
    C: Markable,
    S: Serialize + DeserializeOwned + Default + Send + 'static,
{
    state: Option<(Begun, StatusPass<'a, C, S>)>,
    updater: &'a StatusUpdater<K, C, S>,
    object: &'a K,
}

impl<K, C, S> Running<'_, K, C, S>
where
    K: Resource + Serialize + Clone + Send + Sync + 'static,
    C: Markable,
    S: Serialize + DeserializeOwned + Default + Send + 'static,
{
    fn end(&mut self, end: End) -> Option<(Begun, Said)> {
        let (begun, StatusPass { pass, status, reason, message, at }) = self.state.take()?;
        let marks = C::untyped(pass).into_marks();
        let edits = self.updater.edits(&begun.known, &status);
        let said = Said { uid: begun.known.uid.clone(), at, reason, message, marks, end, edits };
        Some((begun, said))
    }
}

impl<K, C, S> Drop for Running<'_, K, C, S>
where
    K: Resource + Serialize + Clone + Send + Sync + 'static,
    C: Markable,
    S: Serialize + DeserializeOwned + Default + Send + 'static,
{
    fn drop(&mut self) {
        let Some((begun, said)) = self.end(End::Cancelled) else { return };
        if said.is_empty() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (updater, object) = (self.updater.clone(), self.object.clone());
            runtime.spawn(async move {
                let done = updater.finish(&object, begun, said, Requeue::AwaitChange).await;
                if let Err(error) = done.into_result() {
                    tracing::warn!(%error, "the status of a cancelled reconcile was not written");
                }
            });
        }
    }
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
