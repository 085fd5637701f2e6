//! The updater, and how it is built.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use allready_core::{Condition, ConditionType, Polarity, set::Untouched, transition::Verbosity};
use kube::{
    Resource,
    api::{ApiResource, PatchParams},
    core::object::HasStatus,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{
    Because, Field, FieldMap, ObjectKey, ReasonedError, ReconcileResult, Requeue, RequeueStore, Retry,
    StatusFields, conditions::ConditionOptions, json, plan::Options, recent::RecentWrites,
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
        Self::Coarse(Duration::from_mins(10))
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

type Phase<K> = Box<dyn Fn(&Reconciled<'_, K>) -> Result<Value, ReasonedError> + Send + Sync>;
type Edit<K> = Box<dyn Fn(&mut Value, &Reconciled<'_, K>) -> Result<(), ReasonedError> + Send + Sync>;
type Conditional<K> = Box<dyn Fn(&ReconcileResult<K>) -> Option<Requeue> + Send + Sync>;
type PolarityOf = Arc<dyn Fn(&ConditionType) -> Polarity + Send + Sync>;

pub(super) struct Events {
    pub(super) sink: Arc<dyn EventSink>,
    pub(super) verbosity: Verbosity,
    pub(super) polarity: Option<PolarityOf>,
}

/// Writes the status of the objects that a controller reconciles. One updater serves all objects of a kind; see the
/// [module](super) for an example and for the permissions it needs.
#[must_use = "an updater that is not called writes nothing"]
pub struct StatusUpdater<K> {
    pub(super) resource: ApiResource,
    pub(super) options: Options,
    pub(super) status: bool,
    pub(super) phase: Option<Phase<K>>,
    pub(super) edit: Option<Edit<K>>,
    pub(super) events: Option<Events>,
    pub(super) requeue: Option<Arc<Mutex<RequeueStore>>>,
    pub(super) conditionals: Vec<Conditional<K>>,
    pub(super) retry: Retry,
    pub(super) metrics: WriteMetrics,
    pub(super) params: PatchParams,
    pub(super) clock: Clock,
    pub(super) recent: Mutex<RecentWrites>,
}

impl<K> fmt::Debug for StatusUpdater<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusUpdater").field("resource", &self.resource).finish_non_exhaustive()
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
        let reconcile_time = ReconcileTime::default();
        let options = Options { fields, conditions: None, manager: None, reconcile_time, blank };
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
    /// Other writers' conditions are not mentioned either. Unless it is said what is [owned](Self::owned), one that
    /// `managedFields` show another field manager to own something of stays as it is. That tells writers apart which have
    /// names: [name](Self::manager) the own one. It needs a list of conditions that is a map by type, and objects whose
    /// `managedFields` were not taken out, as some caches do; without them all conditions count as own.
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

    /// Writes under this field manager; the API server makes one of the user agent where nothing is said, and where the
    /// client sends none, as that of kube by itself, `unknown`. Conditions that were written under another name are
    /// another's when they are [untouched](Self::conditions).
    pub fn manager(mut self, manager: &Manager) -> Self {
        self.options.manager = Some(manager.as_str().to_owned());
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
