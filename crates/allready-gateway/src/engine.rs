//! The engine: objects in, one at a time, and the statuses that change by them out.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use allready_core::Time;

use crate::{
    Kind, Object, ObjectKey, ObjectStatus, Support,
    gateway::{self, Tree},
    object::{Address, ParentReference},
    policy,
    route::{self, RouteOutcome},
    store::{Dependency, Link, Store, View},
    write::{self, Attached},
};

/// Statuses, by object.
pub type Statuses = BTreeMap<ObjectKey, ObjectStatus>;

/// The part of a judgement that others read.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// Of a Gateway.
    Tree(Arc<Tree>),
    /// Of a route.
    Route(Arc<RouteOutcome>),
}

/// Computes the status of every object that is the implementation's own.
///
/// ```
/// use allready_core::{Status, Time};
/// use allready_gateway::{Object, ObjectStatus, Support, status};
/// use serde_json::json;
///
/// let class = json!({
///     "apiVersion": "gateway.networking.k8s.io/v1",
///     "kind": "GatewayClass",
///     "metadata": {"name": "example", "generation": 1},
///     "spec": {"controllerName": "example.com/gateway"},
/// });
/// let objects = [Object::read(&class)?];
/// let statuses = status(objects, &Support::new("example.com/gateway"), Time::EPOCH);
/// let Some(ObjectStatus::GatewayClass(class)) = statuses.values().next() else { panic!("the class has a status") };
/// assert_eq!(class.conditions.find("Accepted").unwrap().status, Status::True);
/// # Ok::<(), allready_gateway::ObjectError>(())
/// ```
pub fn status(objects: impl IntoIterator<Item = Object>, support: &Support, now: Time) -> Statuses {
    let mut engine = Engine::new(support.clone());
    for object in objects {
        engine.apply(object);
    }
    engine.take_changed(now);
    engine.statuses()
}

/// Computes statuses one change at a time: only what has read the object that changed is computed anew.
///
/// Feed it from watches, write what [`take_changed`](Self::take_changed) returns, and feed it the objects that these writes return.
#[derive(Clone, Debug)]
pub struct Engine {
    support: Support,
    pub(crate) store: Store,
    pub(crate) outcomes: HashMap<ObjectKey, Outcome>,
    /// Everything that each unit has read, and the readers of each thing.
    reads: HashMap<ObjectKey, BTreeSet<Dependency>>,
    readers: HashMap<Dependency, BTreeSet<ObjectKey>>,
    /// Units to judge anew: kinds that others read are first.
    dirty: BTreeSet<ObjectKey>,
    pub(crate) attached: Attached,
    /// Gateways whose status is to be written anew.
    stale: BTreeSet<ObjectKey>,
    /// The statuses, with the unit that each comes from.
    computed: BTreeMap<ObjectKey, (ObjectKey, ObjectStatus)>,
    /// The statuses that each Gateway gave: its own, and those of its ListenerSets.
    given: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
    changed: BTreeSet<ObjectKey>,
}

impl Engine {
    /// An engine that has seen nothing.
    pub fn new(support: Support) -> Self {
        Self {
            support,
            store: Store::default(),
            outcomes: HashMap::new(),
            reads: HashMap::new(),
            readers: HashMap::new(),
            dirty: BTreeSet::new(),
            attached: Attached::new(),
            stale: BTreeSet::new(),
            computed: BTreeMap::new(),
            given: HashMap::new(),
            changed: BTreeSet::new(),
        }
    }

    /// Takes an object as it is now.
    pub fn apply(&mut self, object: Object) {
        let key = object.key.clone();
        // Nobody but its own unit reads the status of an object.
        let is_same_but_status = self.store.get(&key).is_some_and(|known| {
            (&known.spec, &known.malformed, known.created)
                == (&object.spec, &object.malformed, object.created)
        });
        let links = self.store.insert(object);
        if is_unit(key.kind) {
            self.dirty.insert(key.clone());
        }
        if is_same_but_status && key.kind != Kind::ListenerSet {
            return;
        }
        self.touch(key, links);
    }

    /// Takes note that an object is gone.
    pub fn delete(&mut self, key: &ObjectKey) {
        let links = self.store.remove(key);
        self.store.assigned.remove(key);
        if is_unit(key.kind) {
            self.dirty.insert(key.clone());
        }
        self.touch(key.clone(), links);
    }

    /// Gives a Gateway that asks for no address in particular these ones, instead of [`Support::default_address`]. None are an answer,
    /// too: the Gateway waits for its address, and says so. Forgotten when the Gateway is deleted.
    ///
    /// ```
    /// use allready_gateway::{Engine, Kind, ObjectKey, Support, object::Address};
    ///
    /// let mut engine = Engine::new(Support::new("example.com/gateway"));
    /// let address = Address { type_: "Hostname".to_owned(), value: "lb-7.example.com".to_owned() };
    /// engine.assign(&ObjectKey::new(Kind::Gateway, "shop", "web"), vec![address]);
    /// ```
    pub fn assign(&mut self, gateway: &ObjectKey, addresses: Vec<Address>) {
        if self.store.assigned.get(gateway) != Some(&addresses) {
            self.store.assigned.insert(gateway.clone(), addresses);
            self.dirty.insert(gateway.clone());
        }
    }

    /// Computes what has changed, and returns the statuses that are to be written: those that differ from what is stored.
    ///
    /// A status is returned once; if it could not be written, apply the object again.
    pub fn take_changed(&mut self, now: Time) -> Statuses {
        let touched = self.take_touched(now).into_iter();
        touched.filter_map(|key| self.unwritten(&key).cloned().map(|status| (key, status))).collect()
    }

    /// Computes what has changed, and returns the objects for which something else is to be written than before, or nothing any more: see
    /// [`unwritten`](Self::unwritten).
    pub fn take_touched(&mut self, now: Time) -> BTreeSet<ObjectKey> {
        while let Some(key) = self.dirty.pop_first() {
            self.judge(&key, now);
        }
        for key in std::mem::take(&mut self.stale) {
            self.write_gateway(&key, now);
        }
        std::mem::take(&mut self.changed)
    }

    /// Every status, as of the last [`take_changed`](Self::take_changed).
    pub fn statuses(&self) -> Statuses {
        self.computed.iter().map(|(key, (_, status))| (key.clone(), status.clone())).collect()
    }

    /// The status that this object should have, if it differs from the one that is stored; as of the last
    /// [`take_changed`](Self::take_changed).
    pub fn unwritten(&self, key: &ObjectKey) -> Option<&ObjectStatus> {
        let (_, status) = self.computed.get(key)?;
        (self.store.get(key)?.status.as_ref() != Some(status)).then_some(status)
    }

    /// The status that is stored of this object.
    pub fn stored(&self, key: &ObjectKey) -> Option<&ObjectStatus> {
        self.store.get(key)?.status.as_ref()
    }

    /// The objects whose status differs from the one that is stored. Looks at every status.
    pub fn all_unwritten(&self) -> impl Iterator<Item = &ObjectKey> {
        self.computed.keys().filter(|key| self.unwritten(key).is_some())
    }

    /// Takes the version of the CRDs in the cluster, which the classes tell: [`Support::bundle_version`].
    pub fn set_bundle_version(&mut self, version: Option<String>) {
        if self.support.bundle_version != version {
            self.support.bundle_version = version;
            let classes = self.store.iter().map(|object| &object.key);
            self.dirty.extend(classes.filter(|key| key.kind == Kind::GatewayClass).cloned());
        }
    }

    /// The listeners that a route is attached to, as of the last [`take_changed`](Self::take_changed): the parent as it stands in the
    /// spec, the Gateway or ListenerSet that has the listener, and the name of the listener.
    pub fn attachments(
        &self,
        route: &ObjectKey,
    ) -> impl Iterator<Item = (&ParentReference, &ObjectKey, &str)> {
        let outcome = match self.outcomes.get(route) {
            Some(Outcome::Route(outcome)) => Some(outcome),
            _ => None,
        };
        outcome.into_iter().flat_map(|outcome| &outcome.parents).flat_map(|parent| {
            let listeners = parent.attached.iter().flatten();
            listeners.map(|(owner, name)| (&parent.parent, owner, name.as_str()))
        })
    }

    fn touch(&mut self, key: ObjectKey, links: BTreeSet<Link>) {
        let touched = links.into_iter().map(Dependency::Link).chain([Dependency::Object(key)]);
        for dependency in touched {
            if let Some(readers) = self.readers.get(&dependency) {
                self.dirty.extend(readers.iter().cloned());
            }
        }
    }

    fn judge(&mut self, key: &ObjectKey, now: Time) {
        let view = View::new(&self.support, &self.store, &self.outcomes);
        match key.kind {
            Kind::GatewayClass => {
                let own = view.get(key).filter(|object| self.support.answers(object));
                let status = own.map(|object| {
                    write::class(object, gateway::class_problem(&view, object), &self.support, now)
                });
                self.note_reads(key, view.into_read());
                self.set_status(key, key, status);
            }
            Kind::Gateway => {
                let tree = gateway::judge(&view, key);
                self.note_reads(key, view.into_read());
                self.set_tree(key, tree);
            }
            Kind::BackendTLSPolicy => {
                let outcome = policy::judge(&view, key);
                let status = view
                    .get(key)
                    .zip(outcome)
                    .and_then(|(object, outcome)| write::policy(object, &outcome, &self.support, now));
                self.note_reads(key, view.into_read());
                self.set_status(key, key, status);
            }
            _ => {
                let outcome = route::judge(&view, key);
                let status = view
                    .get(key)
                    .zip(outcome.as_ref())
                    .and_then(|(object, outcome)| write::route(object, outcome, &self.support, now));
                self.note_reads(key, view.into_read());
                self.set_route(key, outcome);
                self.set_status(key, key, status);
            }
        }
    }

    fn set_tree(&mut self, key: &ObjectKey, tree: Option<Tree>) {
        self.stale.insert(key.clone());
        let tree = tree.map(Arc::new);
        let before = match &tree {
            Some(tree) => self.outcomes.insert(key.clone(), Outcome::Tree(tree.clone())),
            None => self.outcomes.remove(key),
        };
        let is_same = match (&before, &tree) {
            (None, None) => true,
            (Some(Outcome::Tree(before)), Some(tree)) => before.attaches_like(tree),
            _ => false,
        };
        if !is_same {
            self.touch_outcome(key);
        }
    }

    fn set_route(&mut self, key: &ObjectKey, outcome: Option<RouteOutcome>) {
        let outcome = outcome.map(Arc::new);
        let before = match &outcome {
            Some(outcome) => self.outcomes.insert(key.clone(), Outcome::Route(outcome.clone())),
            None => self.outcomes.remove(key),
        };
        let before = match before {
            Some(Outcome::Route(before)) => Some(before),
            _ => None,
        };
        if before.as_ref().map(|before| &before.parents) == outcome.as_ref().map(|outcome| &outcome.parents) {
            return;
        }
        let empty = BTreeSet::new;
        let old = before.as_ref().map_or_else(empty, |before| before.attachments());
        let new = outcome.as_ref().map_or_else(empty, |outcome| outcome.attachments());
        for (gateway, listener) in old.difference(&new) {
            self.stale.insert((*gateway).clone());
            if let Some(routes) = self.attached.get_mut(*listener) {
                routes.remove(key);
                if routes.is_empty() {
                    self.attached.remove(*listener);
                }
            }
        }
        for (gateway, listener) in new.difference(&old) {
            self.stale.insert((*gateway).clone());
            self.attached.entry((*listener).clone()).or_default().insert(key.clone());
        }
        self.touch_outcome(key);
    }

    fn touch_outcome(&mut self, key: &ObjectKey) {
        if let Some(readers) = self.readers.get(&Dependency::Outcome(key.clone())) {
            self.dirty.extend(readers.iter().cloned());
        }
    }

    fn note_reads(&mut self, key: &ObjectKey, read: BTreeSet<Dependency>) {
        let before = self.reads.remove(key).unwrap_or_default();
        for dependency in before.difference(&read) {
            if let Some(readers) = self.readers.get_mut(dependency) {
                readers.remove(key);
                if readers.is_empty() {
                    self.readers.remove(dependency);
                }
            }
        }
        for dependency in read.difference(&before) {
            self.readers.entry(dependency.clone()).or_default().insert(key.clone());
        }
        // One that is gone reads nothing: it is judged again when it is there again.
        if self.store.get(key).is_some() {
            self.reads.insert(key.clone(), read);
        } else {
            for dependency in &read {
                if let Some(readers) = self.readers.get_mut(dependency) {
                    readers.remove(key);
                    if readers.is_empty() {
                        self.readers.remove(dependency);
                    }
                }
            }
        }
    }

    fn write_gateway(&mut self, key: &ObjectKey, now: Time) {
        let mut statuses = Vec::new();
        if let Some(Outcome::Tree(tree)) = self.outcomes.get(key) {
            for group in &tree.groups {
                let Some(object) = self.store.get(&group.owner) else { continue };
                let status = if group.owner == *key {
                    write::gateway(object, tree, &self.attached, now)
                } else {
                    write::listener_set(object, tree, group, &self.attached, now)
                };
                statuses.push((group.owner.clone(), status));
            }
        }
        let given: BTreeSet<ObjectKey> = statuses.iter().map(|(of, _)| of.clone()).collect();
        let before = self.given.remove(key).unwrap_or_default();
        for gone in before.difference(&given) {
            // Another Gateway may have given it one by now.
            if self.computed.get(gone).is_some_and(|(by, _)| by == key) {
                self.computed.remove(gone);
                self.changed.insert(gone.clone());
            }
        }
        for (of, status) in statuses {
            self.set_status(&of, key, Some(status));
        }
        if !given.is_empty() {
            self.given.insert(key.clone(), given);
        }
    }

    fn set_status(&mut self, key: &ObjectKey, by: &ObjectKey, status: Option<ObjectStatus>) {
        let object = self.store.get(key).filter(|object| !write::is_late(object, &self.support));
        let (Some(object), Some(status)) = (object, status) else {
            if self.computed.remove(key).is_some() {
                self.changed.insert(key.clone());
            }
            return;
        };
        let is_known = self.computed.get(key).is_some_and(|(_, known)| *known == status);
        if !is_known || object.status.as_ref() != Some(&status) {
            self.changed.insert(key.clone());
        }
        self.computed.insert(key.clone(), (by.clone(), status));
    }
}

/// Tells whether objects of this kind are judged by themselves; ListenerSets are with their Gateway.
fn is_unit(kind: Kind) -> bool {
    matches!(kind, Kind::GatewayClass | Kind::Gateway | Kind::BackendTLSPolicy) || kind.is_route()
}
