//! The state: objects in, the statuses that differ out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use allready_gateway::{Engine, Kind, Object, ObjectKey, ObjectStatus, Support};
use allready_kube::{
    backoff::Backoff,
    list_watch::{Room, Store, WatchEvent, weight},
};
use kube::api::ApiResource;
use serde_json::{Value, json};

use super::{
    findings::{Finding, Findings},
    room,
    served::Served,
};
use crate::engine::{Desired, Now, Pace, Queue, Reconciler, Write, Written};

/// An object, and the version of it that was seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    object: Object,
    version: Version,
}

/// The identity and version of an object: it is written in this version only.
#[derive(Clone, Debug)]
struct Version {
    uid: Box<str>,
    revision: Box<str>,
    /// The bytes that the object takes, roughly.
    bytes: usize,
}

impl Seen {
    pub(super) fn read(value: &Value) -> Option<Self> {
        /// The object in the engine, with its outcome and what it was read for.
        const OBJECT: usize = 2_000;
        let text = |field: &str| value["metadata"][field].as_str().unwrap_or_default().into();
        let parts = [&value["spec"], &value["status"], &value["metadata"]["labels"]];
        let bytes = OBJECT + parts.into_iter().map(weight).sum::<usize>();
        let version = Version { uid: text("uid"), revision: text("resourceVersion"), bytes };
        Some(Self { object: Object::read(value).ok()?, version })
    }
}

impl Version {
    /// Tells whether another version of the object is newer than this one.
    fn is_older_than(&self, other: &Self) -> bool {
        let number = |version: &Self| version.revision.parse::<u64>().ok();
        number(self).zip(number(other)).is_some_and(|(own, other)| own < other)
    }
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(super) enum GatewayEvent {
    /// These kinds are served, or why that cannot be found out.
    Served(Result<Served, String>),
    /// A watch showed an object; none where it cannot be read.
    Object(Kind, WatchEvent<ObjectKey, Option<Arc<Seen>>>),
}

impl GatewayEvent {
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Object(_, WatchEvent::Apply(_, Some(seen))) => seen.version.bytes,
            Self::Object(..) | Self::Served(_) => 0,
        }
    }
}

/// Something to decide about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The statuses that changes since the last time lead to.
    Changes,
    /// The status of an object.
    Status(ObjectKey),
    /// References that nobody answers for.
    Findings,
    /// One of them.
    Finding(Finding),
}

/// Something that is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// The status of an object.
    Status(ObjectKey),
    /// An Event.
    Finding(Finding),
}

impl Target {
    /// The object that it is about.
    pub(super) fn object(&self) -> &ObjectKey {
        match self {
            Self::Status(key) => key,
            Self::Finding(finding) => &finding.object,
        }
    }

    /// Classes and Gateways go first when many writes are due.
    fn rank(&self) -> u8 {
        match self {
            Self::Status(key) => key.kind as u8,
            Self::Finding(_) => u8::MAX,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(key) => write!(f, "the status of {key}"),
            Self::Finding(finding) => write!(f, "the Event {} on {}", finding.reason, finding.object),
        }
    }
}

/// The state of the controller.
pub(super) struct GatewayReconciler {
    engine: Engine,
    served: Option<Served>,
    /// The reason why it cannot be found out which kinds are served.
    failure: Option<String>,
    stores: BTreeMap<Kind, Store<ObjectKey, Version>>,
    /// The room for the objects of all kinds.
    room: Arc<Room>,
    findings: Findings,
    due: BTreeSet<Key>,
}

impl GatewayReconciler {
    pub(super) fn new(support: Support) -> Self {
        Self {
            engine: Engine::new(support),
            served: None,
            failure: None,
            stores: BTreeMap::new(),
            room: Room::of(room::LIMIT),
            findings: Findings::default(),
            due: BTreeSet::new(),
        }
    }

    /// Keeps no more bytes of objects than these.
    #[cfg(test)]
    pub(super) fn within(self, bytes: usize) -> Self {
        Self { room: Room::of(bytes), ..self }
    }

    /// Routes come by the thousand, and each changes the number in its Gateway: these wait for each other up to half a second.
    pub(super) fn queue() -> Queue<Target> {
        let pace = Pace { longest: Duration::from_millis(500), ..Pace::default() };
        Queue::new(pace, Backoff::default(), Target::rank).fair(|target| &target.object().namespace)
    }

    /// The kinds to watch.
    pub(super) fn served(&self) -> &BTreeMap<Kind, ApiResource> {
        static NONE: BTreeMap<Kind, ApiResource> = BTreeMap::new();
        self.served.as_ref().map_or(&NONE, |served| &served.kinds)
    }

    /// The number of references to what does not exist.
    pub(super) fn dangling(&self) -> usize {
        self.findings.dangling()
    }

    /// Tells whether everything that decides a status has been listed.
    fn is_synced(&self) -> bool {
        self.served.is_some() && self.stores.values().all(Store::is_synced)
    }

    fn take_served(&mut self, served: Served, now: Now) {
        let mut gone = std::mem::take(&mut self.stores);
        for &kind in served.kinds.keys() {
            let store = gone.remove(&kind).unwrap_or_else(|| {
                Store::new(now.elapsed).within(&self.room, |_, version: &Version| version.bytes)
            });
            self.stores.insert(kind, store);
        }
        for key in gone.values().flat_map(Store::keys) {
            self.engine.delete(key);
        }
        self.engine.set_bundle_version(served.bundle_version.clone());
        (self.served, self.failure) = (Some(served), None);
    }

    fn take_object(&mut self, kind: Kind, event: WatchEvent<ObjectKey, Option<Arc<Seen>>>, now: Now) {
        let Some(store) = self.stores.get_mut(&kind) else { return };
        let event = match event {
            WatchEvent::Apply(key, Some(seen)) => {
                // The answer to a write may have shown a newer one. A restored store counts versions from an earlier one on, so a list
                // is always taken.
                let is_outdated = store.get(&key).is_some_and(|known| seen.version.is_older_than(known))
                    && !store.is_listing();
                if !is_outdated {
                    store.apply(WatchEvent::Apply(key.clone(), seen.version.clone()), now.elapsed);
                    if store.get(&key).is_some() {
                        self.engine.apply(seen.object.clone());
                    } else {
                        self.engine.delete(&key);
                    }
                    self.due.insert(Key::Status(key));
                }
                return;
            }
            WatchEvent::Apply(_, None) => return,
            WatchEvent::Delete(key) => WatchEvent::Delete(key),
            WatchEvent::Init => WatchEvent::Init,
            WatchEvent::InitDone => WatchEvent::InitDone,
            WatchEvent::Failed(why) => WatchEvent::Failed(why),
        };
        let is_listed = matches!(event, WatchEvent::InitDone);
        for gone in store.apply(event, now.elapsed) {
            self.engine.delete(&gone);
            self.due.insert(Key::Status(gone));
        }
        if is_listed {
            self.due.extend(self.engine.all_unwritten().cloned().map(Key::Status));
        }
    }

    /// Tells whether there is no room for some of the objects: what they would say is not known.
    fn is_over(&self) -> bool {
        self.stores.values().any(Store::is_over)
    }

    /// The write that brings the status of an object to where it should be. While some objects are left out for want of room, nothing
    /// becomes better than it stands.
    fn status(&self, key: &ObjectKey) -> Option<Write> {
        let status = self.engine.unwritten(key)?;
        if self.is_over() && room::is_better(status, self.engine.stored(key)) {
            return None;
        }
        let version = self.stores.get(&key.kind)?.get(key)?;
        Some(Write::calm(Some(json!({
            "uid": version.uid,
            "version": version.revision,
            "status": full(status),
        }))))
    }

    /// The object that an Event is about.
    fn regarding(&self, object: &ObjectKey) -> Option<Value> {
        let version = self.stores.get(&object.kind)?.get(object)?;
        let resource = self.served().get(&object.kind)?;
        let mut regarding = json!({
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "name": *object.name,
            "uid": version.uid,
            "resourceVersion": version.revision,
        });
        if !object.namespace.is_empty() {
            regarding["namespace"] = json!(*object.namespace);
        }
        Some(regarding)
    }
}

/// A status as it is patched: fields that it does not have are null, so that they go.
pub(super) fn full(status: &ObjectStatus) -> Value {
    let mut value = serde_json::to_value(status).unwrap_or_default();
    let optional: &[&str] = match status {
        ObjectStatus::GatewayClass(_) => &["supportedFeatures"],
        ObjectStatus::Gateway(_) => &["addresses", "attachedListenerSets"],
        ObjectStatus::ListenerSet(_) | ObjectStatus::Route(_) | ObjectStatus::Policy(_) => &[],
    };
    if let Some(fields) = value.as_object_mut() {
        for &field in optional {
            fields.entry(field).or_insert(Value::Null);
        }
    }
    value
}

impl Reconciler for GatewayReconciler {
    type Key = Key;
    type Target = Target;
    type Event = GatewayEvent;

    fn namespace(key: &Key) -> &str {
        match key {
            Key::Status(key) => &key.namespace,
            Key::Finding(finding) => &finding.object.namespace,
            Key::Changes | Key::Findings => "",
        }
    }

    fn observe(&mut self, event: GatewayEvent, now: Now, due: &mut BTreeSet<Key>) {
        match event {
            GatewayEvent::Served(Ok(served)) => self.take_served(served, now),
            GatewayEvent::Served(Err(why)) => self.failure = Some(why),
            GatewayEvent::Object(kind, event) => self.take_object(kind, event, now),
        }
        self.findings.changed();
        due.append(&mut self.due);
        due.extend([Key::Changes, Key::Findings]);
    }

    fn reconcile(&mut self, key: &Key, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        if !self.is_synced() {
            return desired;
        }
        // Whatever is decided is decided on the newest.
        self.due.extend(self.engine.take_touched(now.time).into_iter().map(Key::Status));
        match key {
            Key::Changes => {}
            Key::Status(object) => {
                if let Some(write) = self.status(object) {
                    desired.write(Target::Status(object.clone()), write);
                }
            }
            Key::Findings => {
                let (due, look_again) = self.findings.look(&self.engine, now.elapsed);
                self.due.extend(due.into_iter().map(Key::Finding));
                desired.look_at(look_again);
            }
            Key::Finding(finding) => {
                let untold =
                    self.findings.is_due(finding, now.elapsed).then(|| self.regarding(&finding.object));
                if let Some(regarding) = untold.flatten() {
                    desired.write(Target::Finding(finding.clone()), Write::calm(Some(regarding)));
                }
            }
        }
        desired
    }

    fn written(
        &mut self,
        target: &Target,
        written: Written,
        _failures: u32,
        _now: Now,
        due: &mut BTreeSet<Key>,
    ) {
        match (target, written) {
            (Target::Status(key), Ok(Some(object))) => {
                let Some(store) = self.stores.get_mut(&key.kind) else { return };
                // One that only an answer has shown, no watch would ever take away.
                let Some((seen, known)) = Seen::read(&object).zip(store.get(key)) else { return };
                if !seen.version.is_older_than(known) {
                    store.update(key.clone(), seen.version);
                    self.engine.apply(seen.object);
                    self.findings.changed();
                    due.extend([Key::Changes, Key::Findings]);
                }
            }
            (Target::Finding(finding), Ok(_)) => self.findings.told(finding),
            // Gone, or refused: the watch shows what is there, and the queue waits before the next attempt.
            (Target::Status(_), _) | (Target::Finding(_), Err(_)) => {}
        }
    }

    fn take_due(&mut self) -> BTreeSet<Key> {
        std::mem::take(&mut self.due)
    }

    fn keys(&self) -> Vec<Key> {
        let statuses = self.engine.all_unwritten().cloned().map(Key::Status);
        [Key::Changes, Key::Findings].into_iter().chain(statuses).collect()
    }

    fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        let unseen = |store: &Store<_, _>| store.unseen(Duration::ZERO, Duration::MAX).map(str::to_owned);
        let seen = |(kind, store): (&Kind, &Store<_, _>)| (format!("{kind}s of Gateway API"), unseen(store));
        let of_group = match &self.served {
            _ if self.failure.is_some() => self.failure.clone(),
            None => Some("has not been asked for yet".to_owned()),
            Some(_) => None,
        };
        let all = self.stores.iter().map(seen).chain([("the kinds of Gateway API".to_owned(), of_group)]);
        all.map(|(name, why)| (name, why.map_or(Ok(()), Err))).collect()
    }
}
