//! The updater, and how it is built.

use std::{
    collections::HashMap,
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_core::{
    Condition, ConditionSet, ConditionType, Polarity,
    damping::{Damping, DampingMemory},
    set::{Markable, Untouched, Untyped},
    transition::Verbosity,
};
use kube::{
    Client, Resource,
    api::{ApiResource, DynamicObject},
    core::object::HasStatus,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{
    Because, Field, FieldMap, Intervals, ReasonedError, Requeue, Retry, StatusFields,
    conditions::Rules,
    json,
    plan::Options,
    recent::RecentWrites,
    requeue::{ObjectKey, RequeueStore},
};
use crate::{
    clock::Clock,
    events::{EventSink, Recording},
    manager::Manager,
    metrics::WriteMetrics,
};

/// The precision with which the time of the last reconcile is kept.
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

/// The view that functions get which compute a phase, edit a status or choose a requeue.
#[derive(Debug)]
pub struct StatusView<'a, K> {
    /// The object that was reconciled.
    pub object: &'a K,
    /// The conditions as they will stand in the status, those of others included.
    pub conditions: &'a [Condition],
    /// The error of the reconcile.
    pub error: Option<&'a ReasonedError>,
}

type Phase<K> = Arc<dyn Fn(&StatusView<'_, K>) -> Result<Value, ReasonedError> + Send + Sync>;
type Edit<K> = Arc<dyn Fn(&mut Value, &StatusView<'_, K>) -> Result<(), ReasonedError> + Send + Sync>;
type Conditional<K> = Arc<dyn Fn(&StatusView<'_, K>) -> Option<Requeue> + Send + Sync>;

/// The enum that declares the conditions of a kind.
type SetOf<K> = <<K as HasStatus>::Status as StatusFields>::Set;

/// Writes the status of the objects that a controller reconciles. One updater serves all objects of a kind; clones share what
/// they remember. See the [module](super) for an example and for the permissions it needs.
///
/// The parameters after the kind follow from it: the enum that declares its conditions, and the type of its status.
#[must_use = "an updater that is not called writes nothing"]
pub struct StatusUpdater<K, C = SetOf<K>, S = <K as HasStatus>::Status> {
    pub(super) client: Client,
    pub(super) manager: Manager,
    pub(super) resource: ApiResource,
    pub(super) options: Options,
    pub(super) status: bool,
    pub(super) phase: Option<Phase<K>>,
    pub(super) edit: Option<Edit<K>>,
    pub(super) events: Recording,
    pub(super) conditionals: Vec<Conditional<K>>,
    pub(super) retry: Retry,
    pub(super) metrics: WriteMetrics,
    pub(super) clock: Clock,
    memory: Arc<Mutex<Memory>>,
    types: PhantomData<fn() -> (C, S)>,
}

/// The memory that an updater has of objects.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) recent: RecentWrites,
    pub(super) waits: RequeueStore,
    pub(super) damping: HashMap<ObjectKey, DampingMemory>,
}

impl Memory {
    /// Keeps what is held back of an object, as long as something is.
    pub(super) fn remember(&mut self, key: &ObjectKey, held: DampingMemory) {
        if held.is_empty() {
            self.damping.remove(key);
        } else {
            self.damping.insert(key.clone(), held);
        }
    }
}

impl<K, C, S> Clone for StatusUpdater<K, C, S> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            manager: self.manager.clone(),
            resource: self.resource.clone(),
            options: self.options.clone(),
            status: self.status,
            phase: self.phase.clone(),
            edit: self.edit.clone(),
            events: self.events.clone(),
            conditionals: self.conditionals.clone(),
            retry: self.retry,
            metrics: self.metrics.clone(),
            clock: self.clock.clone(),
            memory: Arc::clone(&self.memory),
            types: PhantomData,
        }
    }
}

impl<K, C, S> fmt::Debug for StatusUpdater<K, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusUpdater").field("resource", &self.resource).finish_non_exhaustive()
    }
}

/// For kinds whose status the compiler knows.
impl<K> StatusUpdater<K>
where
    K: Resource<DynamicType: Default> + HasStatus<Status: StatusFields>,
{
    /// An updater that writes the fields which the status has, under this field manager.
    ///
    /// The manager is the name under which the API server keeps what this controller owns: one that no other writer of these
    /// objects has, and that stays the same from version to version. Events are reported under it too.
    pub fn new(client: Client, manager: &str) -> Self {
        let resource = ApiResource::erase::<K>(&K::DynamicType::default());
        let blank = serde_json::to_value(K::Status::default()).unwrap_or_default();
        Self::with(client, manager, resource, K::Status::fields(), json::without_nulls(blank))
    }

    /// Computes the phase. Where that fails the phase goes back to that of a status by default.
    pub fn phase<E: Into<ReasonedError>>(
        self,
        phase: impl Fn(&StatusView<'_, K>) -> Result<<K::Status as StatusFields>::Phase, E>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        <K::Status as StatusFields>::Phase: Serialize,
    {
        self.phase_json(move |view| {
            let phase = phase(view).map_err(Into::into)?;
            serde_json::to_value(phase).map_err(Because::without_reason)
        })
    }

    /// Changes the status in ways of your own, after everything else. Where that fails the rest is written without it. It
    /// may be called again, on a fresh status, when somebody else was faster to write.
    pub fn edit<E: Into<ReasonedError>>(
        self,
        edit: impl Fn(&mut K::Status, &StatusView<'_, K>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.edit_json(move |status, view| {
            let mut typed: K::Status = typed(status)?;
            let before = plain(&typed)?;
            edit(&mut typed, view).map_err(Into::into)?;
            // What the type does not know stays as it is.
            if let Some(patch) = json::difference(&before, &plain(&typed)?) {
                json::merge(status, patch);
            }
            Ok::<_, ReasonedError>(())
        })
    }
}

fn typed<S: DeserializeOwned>(status: &Value) -> Result<S, ReasonedError> {
    S::deserialize(status).map_err(Because::without_reason)
}

fn plain<S: Serialize>(status: &S) -> Result<Value, ReasonedError> {
    serde_json::to_value(status).map(json::without_nulls).map_err(Because::without_reason)
}

/// For objects whose kind is known only at run time: conditions are marked by name, the status is JSON.
impl StatusUpdater<DynamicObject, Untyped, Value> {
    /// An updater whose fields are found by their paths. A field that is not what it should be is an error that names it.
    ///
    /// ```
    /// use allready_kube::status::{Field, FieldMap, ReasonedError, StatusUpdater};
    /// use kube::{Client, api::{ApiResource, GroupVersionKind}};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let client = Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let widgets = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"));
    /// let fields = FieldMap::default().named(Field::Phase, "state").without(&[Field::LastReconcileTime]);
    /// let updater = StatusUpdater::by_path(client, "widget-controller", widgets, fields)
    ///     .set("Ready: Synced, !Degraded".parse().unwrap())
    ///     .phase_json(|view| Ok::<_, ReasonedError>(if view.error.is_some() { "Failed" } else { "Ready" }.into()));
    /// # });
    /// ```
    pub fn by_path(client: Client, manager: &str, resource: ApiResource, fields: FieldMap) -> Self {
        Self::with(client, manager, resource, fields, Value::Object(Map::new()))
    }

    /// Computes the top condition of this set, and warns by its polarities.
    pub fn set(mut self, set: ConditionSet) -> Self {
        let set = Arc::new(set);
        self.options.rules = Rules::Set(Arc::clone(&set));
        self.polarity(move |type_| set.polarity(type_.as_str()))
    }
}

/// For lists of conditions that no set declares.
impl<K, S> StatusUpdater<K, Untyped, S> {
    /// Chooses what becomes of conditions that a reconcile does not mention: they stay, or go, or become `Unknown`. Whatever
    /// was chosen, they stay when the reconcile failed, because it never got to mention them.
    ///
    /// Other writers' conditions are not mentioned either. Unless it is said what is [owned](Self::owned), one that
    /// `managedFields` show another field manager to own something of stays as it is. That needs a list of conditions that is
    /// a map by type, and objects whose `managedFields` were not taken out, as some caches do; without them all conditions
    /// count as own.
    pub fn untouched(mut self, untouched: Untouched) -> Self {
        let owns = match self.options.rules {
            Rules::List { owns, .. } => owns,
            Rules::Set(_) => None,
        };
        self.options.rules = Rules::List { untouched, owns };
        self
    }

    /// Only conditions of these types are touched when they are not mentioned.
    pub fn owned(mut self, owns: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let untouched = match self.options.rules {
            Rules::List { untouched, .. } => untouched,
            Rules::Set(_) => Untouched::Keep,
        };
        self.options.rules = Rules::List { untouched, owns: Some(Arc::new(owns)) };
        self
    }

    /// Says which conditions are bad when they are `True`, so that events warn of the right thing.
    pub fn polarity(self, polarity: impl Fn(&ConditionType) -> Polarity + Send + Sync + 'static) -> Self {
        Self { events: self.events.polarity(polarity), ..self }
    }
}

impl<K, C: Markable, S> StatusUpdater<K, C, S> {
    fn with(client: Client, manager: &str, resource: ApiResource, fields: FieldMap, blank: Value) -> Self {
        let manager = Manager::of(manager);
        let (rules, events) = match C::declared_set() {
            Some(set) => (
                Rules::Set(Arc::new(set.clone())),
                Recording::default().polarity(|type_| set.polarity(type_.as_str())),
            ),
            None => (Rules::List { untouched: Untouched::Keep, owns: None }, Recording::default()),
        };
        let options = Options {
            fields,
            rules,
            damping: None,
            manager: manager.as_str().to_owned(),
            reconcile_time: ReconcileTime::default(),
            blank,
        };
        Self {
            client,
            manager,
            resource,
            options,
            status: true,
            phase: None,
            edit: None,
            events,
            conditionals: Vec::new(),
            retry: Retry::default(),
            metrics: WriteMetrics::default(),
            clock: Clock::default(),
            memory: Arc::default(),
            types: PhantomData,
        }
    }
}

impl<K, C, S> StatusUpdater<K, C, S> {
    /// Computes the phase, as JSON.
    pub fn phase_json<E: Into<ReasonedError>>(
        self,
        phase: impl Fn(&StatusView<'_, K>) -> Result<Value, E> + Send + Sync + 'static,
    ) -> Self {
        Self { phase: Some(Arc::new(move |view| phase(view).map_err(Into::into))), ..self }
    }

    /// Changes the status in ways of your own, as JSON.
    pub fn edit_json<E: Into<ReasonedError>>(
        self,
        edit: impl Fn(&mut Value, &StatusView<'_, K>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        Self { edit: Some(Arc::new(move |status, view| edit(status, view).map_err(Into::into))), ..self }
    }

    /// Holds changes of status back until they have lasted. While something is held back, the condition says so in its
    /// message, and the object is reconciled again when the time is over.
    pub fn damping(mut self, damping: Damping) -> Self {
        self.options.damping = Some(Arc::new(damping));
        self
    }

    /// Chooses how many events a reconcile is worth; one for each condition that took another status if nothing is said.
    pub fn verbosity(self, verbosity: Verbosity) -> Self {
        Self { events: self.events.verbosity(verbosity), ..self }
    }

    /// Tells events in the words of openmcp's controller-utils, and never as a warning.
    pub fn openmcp_events(self) -> Self {
        Self { events: self.events.openmcp(), ..self }
    }

    /// Records events here, and not with an [`ApiSink`](crate::events::ApiSink) of its own.
    pub fn events(self, sink: impl EventSink + 'static) -> Self {
        Self { events: self.events.sink(sink), ..self }
    }

    /// Records no events.
    pub fn without_events(self) -> Self {
        Self { events: self.events.off(), ..self }
    }

    /// Chooses how long an object waits that failed, or that asks for [`Requeue::Backoff`].
    pub fn intervals(self, intervals: Intervals) -> Self {
        self.lock().waits = RequeueStore::new(intervals);
        self
    }

    /// Chooses when to look again by what came of a reconcile. Of several that have an opinion the last counts, and of that
    /// and what the reconcile asked for itself the shorter.
    pub fn requeue_if(
        mut self,
        choose: impl Fn(&StatusView<'_, K>) -> Option<Requeue> + Send + Sync + 'static,
    ) -> Self {
        self.conditionals.push(Arc::new(choose));
        self
    }

    /// Chooses how exactly the time of the last reconcile is kept.
    pub fn reconcile_time(mut self, how: ReconcileTime) -> Self {
        self.options.reconcile_time = how;
        self
    }

    /// Leaves these fields alone.
    pub fn without(mut self, fields: &[Field]) -> Self {
        self.options.fields = self.options.fields.without(fields);
        self
    }

    /// Leaves the whole status alone; errors and requeues go their way.
    pub fn without_status(self) -> Self {
        Self { status: false, ..self }
    }

    /// Chooses how often to try, and how long to wait in between.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Counts writes here.
    pub fn metrics(self, metrics: WriteMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// Chooses where the time comes from.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget(&self, key: &ObjectKey) {
        let mut memory = self.lock();
        memory.recent.forget(key);
        memory.waits.forget(key);
        memory.damping.remove(key);
    }

    /// Writes the events that still wait: before the process ends.
    pub async fn shutdown(&self, patience: Duration) -> Result<(), crate::events::Unsent> {
        self.events.shutdown(patience).await
    }
}
