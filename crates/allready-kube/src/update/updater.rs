//! The updater: how it is built, and one call for each reconcile.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use allready_core::{
    Condition, ConditionType, Generation, Polarity,
    set::Untouched,
    transition::{self, Style, Transition, Verbosity},
};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, DynamicObject, PatchParams},
    core::object::HasStatus,
    runtime::controller::Action,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{
    Because, Field, FieldMap, ObjectKey, ReasonedError, ReconcileResult, Requeue, RequeueStore, Retry,
    StatusFields, UpdateError, Wrote,
    conditions::ConditionOptions,
    json,
    plan::{self, Edits, Functions, Options, Pass, Stored},
    recent::RecentWrites,
    requeue,
    write::{Writer, Written},
};
use crate::{clock::Clock, events::EventSink, manager::Manager, metrics::WriteMetrics};

/// How exactly the time of the last reconcile is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconcileTime {
    /// It moves with every reconcile. Every reconcile writes then, and wakes the controller again, unless a predicate keeps
    /// it from hearing its own writes.
    Precise,
    /// It moves when something else changes, or when it is older than this. A reconcile that changes nothing mostly writes
    /// nothing.
    Coarse(Duration),
    /// It is left alone: the choice for busy controllers, whose reconciles then write only what they have to say.
    Off,
}

impl Default for ReconcileTime {
    /// At least every ten minutes.
    fn default() -> Self {
        Self::Coarse(Duration::from_secs(600))
    }
}

/// What the functions that compute a phase or edit a status can see.
#[derive(Debug)]
pub struct Reconciled<'a, K> {
    /// The object that was reconciled.
    pub object: &'a K,
    /// What the reconcile came to.
    pub result: &'a ReconcileResult<K>,
    /// The conditions as they will stand in the status, those of others included.
    pub conditions: &'a [Condition],
}

type Function<K, V> = Box<dyn Fn(&Reconciled<'_, K>) -> Result<V, ReasonedError> + Send + Sync>;
type Edit<K> = Box<dyn Fn(&mut Value, &Reconciled<'_, K>) -> Result<(), ReasonedError> + Send + Sync>;
type Conditional<K> = Box<dyn Fn(&ReconcileResult<K>) -> Option<Requeue> + Send + Sync>;
type PolarityOf = Arc<dyn Fn(&ConditionType) -> Polarity + Send + Sync>;

struct Events {
    sink: Arc<dyn EventSink>,
    verbosity: Verbosity,
    polarity: Option<PolarityOf>,
}

/// Writes the status of the objects that a controller reconciles. One updater serves all objects of a kind; see the
/// [module](super) for an example and for the permissions it needs.
#[must_use = "an updater that is not called writes nothing"]
pub struct StatusUpdater<K> {
    resource: ApiResource,
    options: Options,
    status: bool,
    phase: Option<Function<K, Value>>,
    edit: Option<Edit<K>>,
    events: Option<Events>,
    requeue: Option<Arc<Mutex<RequeueStore>>>,
    conditionals: Vec<Conditional<K>>,
    retry: Retry,
    metrics: WriteMetrics,
    params: PatchParams,
    clock: Clock,
    recent: Mutex<RecentWrites>,
}

impl<K> fmt::Debug for StatusUpdater<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusUpdater").field("resource", &self.resource).finish_non_exhaustive()
    }
}

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

/// For kinds whose status the compiler knows.
impl<K> StatusUpdater<K>
where
    K: Resource<DynamicType: Default> + HasStatus<Status: StatusFields>,
{
    /// An updater that writes the fields which the status has. Conditions and phase are written once it is told how.
    pub fn new() -> Self {
        let resource = ApiResource::erase::<K>(&K::DynamicType::default());
        let blank = serde_json::to_value(K::Status::default()).unwrap_or_default();
        Self::with(resource, K::Status::fields(), json::without_nulls(blank))
    }

    /// Computes the phase. Where that fails the phase goes back to that of a status by default.
    pub fn phase<E: Into<ReasonedError>>(
        self,
        phase: impl Fn(&Reconciled<'_, K>) -> Result<<K::Status as StatusFields>::Phase, E>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        <K::Status as StatusFields>::Phase: Serialize,
    {
        self.phase_json(move |reconciled| {
            let phase = phase(reconciled).map_err(Into::into)?;
            serde_json::to_value(phase).map_err(Because::without_reason)
        })
    }

    /// Changes the status in ways of your own, after everything else. Where that fails the rest is written without it. It
    /// may be called again, on a fresh status, when somebody else was faster to write.
    pub fn edit<E: Into<ReasonedError>>(
        self,
        edit: impl Fn(&mut K::Status, &Reconciled<'_, K>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.edit_json(move |status, reconciled| {
            let mut typed: K::Status = typed(status)?;
            let before = plain(&typed)?;
            edit(&mut typed, reconciled).map_err(Into::into)?;
            // What the type does not know stays as it is.
            if let Some(patch) = json::difference(&before, &plain(&typed)?) {
                json::merge(status, patch);
            }
            Ok::<_, ReasonedError>(())
        })
    }
}

impl<K> Default for StatusUpdater<K>
where
    K: Resource<DynamicType: Default> + HasStatus<Status: StatusFields>,
{
    fn default() -> Self {
        Self::new()
    }
}

fn typed<S: DeserializeOwned>(status: &Value) -> Result<S, ReasonedError> {
    S::deserialize(status).map_err(Because::without_reason)
}

fn plain<S: Serialize>(status: &S) -> Result<Value, ReasonedError> {
    serde_json::to_value(status).map(json::without_nulls).map_err(Because::without_reason)
}

impl<K> StatusUpdater<K> {
    /// An updater for objects of any type, `DynamicObject`s above all, whose fields are found by their paths. A field that
    /// is not what it should be is an error that names it.
    ///
    /// ```
    /// use allready_kube::update::{Field, FieldMap, StatusUpdater};
    /// use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
    ///
    /// let widgets = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"));
    /// let fields = FieldMap::default().named(Field::Phase, "state").without(&[Field::LastReconcileTime]);
    /// let updater = StatusUpdater::<DynamicObject>::by_path(widgets, fields).phase_json(|reconciled| {
    ///     let failed = reconciled.result.error.is_some();
    ///     Ok::<_, allready_kube::update::ReasonedError>(if failed { "Failed" } else { "Ready" }.into())
    /// });
    /// ```
    pub fn by_path(resource: ApiResource, fields: FieldMap) -> Self {
        Self::with(resource, fields, Value::Object(Map::new()))
    }

    fn with(resource: ApiResource, fields: FieldMap, blank: Value) -> Self {
        let options = Options { fields, conditions: None, reconcile_time: ReconcileTime::default(), blank };
        Self {
            resource,
            options,
            status: true,
            phase: None,
            edit: None,
            events: None,
            requeue: None,
            conditionals: Vec::new(),
            retry: Retry::default(),
            metrics: WriteMetrics::default(),
            params: PatchParams::default(),
            clock: Clock::default(),
            recent: Mutex::default(),
        }
    }

    /// Computes the phase, as JSON.
    pub fn phase_json<E: Into<ReasonedError>>(
        self,
        phase: impl Fn(&Reconciled<'_, K>) -> Result<Value, E> + Send + Sync + 'static,
    ) -> Self {
        Self { phase: Some(Box::new(move |reconciled| phase(reconciled).map_err(Into::into))), ..self }
    }

    /// Changes the status in ways of your own, as JSON.
    pub fn edit_json<E: Into<ReasonedError>>(
        self,
        edit: impl Fn(&mut Value, &Reconciled<'_, K>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        Self { edit: Some(Box::new(move |status, seen| edit(status, seen).map_err(Into::into))), ..self }
    }

    /// Updates the conditions. Those that a reconcile does not mention stay, or go, or become `Unknown`; but whatever was
    /// asked for, they stay when the reconcile failed, because it never got to mention them.
    ///
    /// Other writers' conditions are not mentioned either: where there are any, keep what is untouched, or say what is
    /// [owned](Self::owned).
    pub fn conditions(mut self, untouched: Untouched) -> Self {
        let owns = self.options.conditions.take().and_then(|conditions| conditions.owns);
        self.options.conditions = Some(ConditionOptions { untouched, owns });
        self
    }

    /// Only conditions of these types are touched when they are not mentioned.
    pub fn owned(mut self, owns: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let untouched =
            self.options.conditions.take().map_or(Untouched::Keep, |conditions| conditions.untouched);
        self.options.conditions = Some(ConditionOptions { untouched, owns: Some(Arc::new(owns)) });
        self
    }

    /// Records an event about conditions that took another status, once the API server has accepted it.
    pub fn events(mut self, sink: Arc<dyn EventSink>, verbosity: Verbosity) -> Self {
        let polarity = self.events.take().and_then(|events| events.polarity);
        self.events = Some(Events { sink, verbosity, polarity });
        self
    }

    /// Which conditions are bad when they are `True`, so that events warn of the right thing. Follows
    /// [`events`](Self::events).
    pub fn polarity(mut self, polarity: impl Fn(&ConditionType) -> Polarity + Send + Sync + 'static) -> Self {
        if let Some(events) = &mut self.events {
            events.polarity = Some(Arc::new(polarity));
        }
        self
    }

    /// Lets results ask for a [smart requeue](Requeue). The store may serve several updaters.
    pub fn smart_requeue(self, store: Arc<Mutex<RequeueStore>>) -> Self {
        Self { requeue: Some(store), ..self }
    }

    /// Chooses the smart requeue by what the result says. Of several that have an opinion the last counts, and it counts
    /// more than what the result asks for itself.
    pub fn requeue_if(
        mut self,
        choose: impl Fn(&ReconcileResult<K>) -> Option<Requeue> + Send + Sync + 'static,
    ) -> Self {
        self.conditionals.push(Box::new(choose));
        self
    }

    /// How exactly the time of the last reconcile is kept.
    pub fn reconcile_time(mut self, how: ReconcileTime) -> Self {
        self.options.reconcile_time = how;
        self
    }

    /// These fields are left alone.
    pub fn without(mut self, fields: &[Field]) -> Self {
        self.options.fields = self.options.fields.without(fields);
        self
    }

    /// The whole status is left alone; errors and requeues go their way.
    pub fn without_status(self) -> Self {
        Self { status: false, ..self }
    }

    /// How often to try, and how long to wait in between.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Counts writes here.
    pub fn metrics(self, metrics: WriteMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// Writes under this field manager; the API server makes one of the user agent where nothing is said.
    pub fn manager(self, manager: &Manager) -> Self {
        let params =
            PatchParams { field_manager: Some(manager.as_str().to_owned()), ..PatchParams::default() };
        Self { params, ..self }
    }

    /// Where the time comes from.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Forgets what is remembered about an object: call it when the object is deleted.
    pub fn forget(&self, key: &ObjectKey) {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).forget(key);
        if let Some(store) = &self.requeue {
            store.lock().unwrap_or_else(PoisonError::into_inner).forget(key);
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
        let chosen = self.conditionals.iter().filter_map(|choose| choose(result)).last();
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
