//! The objects that are checked, completed by what manifests leave out, and their statuses.

use std::collections::{BTreeMap, BTreeSet};

use allready_core::Time;
use allready_gateway::{
    Engine, GROUP, Kind, Object, ObjectError, ObjectKey, ObjectStatus, Statuses, Support,
    object::{ConfigMap, ParametersRef, ParentReference, Secret, Service, ServicePort, Spec},
};
use serde_json::{Value, json};

use super::{
    manifest::{Manifest, Text},
    reference::{Reference, Role, references},
};

/// The controller of classes that nobody has given.
const ASSUMED: &str = "assumed.allready.dev/gateway";

/// The options of a check.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// The namespace of objects that name none.
    pub(super) namespace: String,
    /// Kinds whose absent objects are taken to exist.
    pub(super) assume: BTreeSet<String>,
    /// Set if everything that is stored in a cluster is known.
    pub(super) from_cluster: bool,
}

/// An object that was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) value: Value,
    /// Nothing for an object of a cluster.
    pub(super) text: Option<Text>,
    pub(super) object: Object,
}

/// The objects that are checked.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) given: BTreeMap<ObjectKey, Given>,
    /// Objects of other kinds, which may be backends or parameters, by group, kind and name, with their namespaces.
    others: BTreeMap<(String, String, String), BTreeSet<String>>,
    /// Objects that were not given, and are taken to exist.
    pub(super) assumed: BTreeMap<ObjectKey, Object>,
    /// Routes that name a ListenerSet without a Gateway.
    homeless: BTreeSet<ObjectKey>,
    /// Objects of manifests that have no name.
    pub(super) nameless: Vec<(Text, Kind)>,
    pub(super) notes: Vec<String>,
}

/// The statuses of a world.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) statuses: Statuses,
    /// The listeners that each route is attached to: the number of the parent, the Gateway or ListenerSet, and the listener.
    pub(super) attached: BTreeMap<ObjectKey, Vec<(usize, ObjectKey, String)>>,
}

impl World {
    /// Takes objects; a later one replaces an earlier one of the same name.
    pub(super) fn new(manifests: Vec<Manifest>, options: &Options) -> Self {
        let mut world = Self::default();
        for manifest in manifests {
            world.take(manifest, options);
        }
        world.complete(options);
        world
    }

    fn take(&mut self, mut manifest: Manifest, options: &Options) {
        let metadata = &mut manifest.value["metadata"];
        if metadata.get("namespace").and_then(Value::as_str).is_none_or(str::is_empty) && metadata.is_object()
        {
            metadata["namespace"] = options.namespace.as_str().into();
        }
        let mut bare = manifest.value.clone();
        if let Some(fields) = bare.as_object_mut() {
            // Statuses are computed, not believed.
            fields.remove("status");
        }
        match Object::read(&bare) {
            Ok(object) => {
                if object.key.namespace.is_empty()
                    && let Some(metadata) = manifest.value["metadata"].as_object_mut()
                {
                    metadata.remove("namespace");
                }
                let given = Given { value: manifest.value, text: manifest.text, object };
                let key = given.object.key.clone();
                if let Some(before) = self.given.insert(key.clone(), given)
                    && let Some(text) = before.text
                {
                    let file = text.file();
                    self.notes.push(format!("{key} of {file} is given again later: the last one counts"));
                }
            }
            Err(ObjectError::NoName { kind }) => {
                self.nameless.extend(manifest.text.map(|text| (text, kind)));
            }
            Err(_) => {
                let text = |pointer: &str| {
                    manifest.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
                };
                let group =
                    text("/apiVersion").split_once('/').map_or_else(String::new, |(group, _)| group.into());
                let name = (group, text("/kind"), text("/metadata/name"));
                self.others.entry(name).or_default().insert(text("/metadata/namespace"));
            }
        }
    }

    /// Returns true if an object that is named was given, or is taken to exist.
    pub(super) fn has(&self, reference: &Reference) -> bool {
        match reference.key() {
            Some(key) => self.given.contains_key(&key) || self.assumed.contains_key(&key),
            None => self.others.get(&reference.other()).is_some_and(|namespaces| {
                reference.namespace.as_ref().is_none_or(|namespace| namespaces.contains(namespace))
            }),
        }
    }

    /// Every reference of a given object.
    pub(super) fn references(&self) -> Vec<(ObjectKey, Reference)> {
        let of = |given: &Given| -> Vec<_> {
            references(given).into_iter().map(|one| (given.object.key.clone(), one)).collect()
        };
        self.given.values().flat_map(of).collect()
    }

    /// Returns true if a ListenerSet was given that names a Gateway.
    pub(super) fn has_gateway(&self, set: &ObjectKey) -> bool {
        let of = self.given.get(set).map(references).unwrap_or_default();
        of.iter()
            .any(|one| one.role == Role::Parent && one.key().is_some_and(|key| key.kind == Kind::Gateway))
    }

    fn complete(&mut self, options: &Options) {
        // By the Gateway that is not there, the kinds of those that name it.
        let mut absent: BTreeMap<ObjectKey, Vec<(Kind, Reference)>> = BTreeMap::new();
        for (by, reference) in self.references() {
            if let Some(set) = reference.key().filter(|key| key.kind == Kind::ListenerSet)
                && reference.role == Role::Parent
                && by.kind.is_route()
                && !self.has_gateway(&set)
            {
                // Its backends can be checked all the same.
                absent.entry(nowhere()).or_default();
                self.homeless.insert(by.clone());
            }
            if self.has(&reference) && reference.role != Role::Backend && reference.role != Role::Target {
                continue;
            }
            let is_assumed = options.assume.contains(&reference.kind);
            let Some(key) = reference.key() else {
                let is_missing = !self.has(&reference);
                let is_own = reference.role == Role::Parameters;
                if is_missing && is_own && !is_assumed {
                    // Implementations install such objects with themselves, and nobody else knows their kinds.
                    self.notes.push(format!("{} is not looked for: it is taken to exist", reference.words()));
                }
                if is_missing && (is_assumed || is_own) {
                    let namespace = reference.namespace.clone().unwrap_or_default();
                    self.others.entry(reference.other()).or_default().insert(namespace);
                }
                continue;
            };
            match (reference.role, key.kind) {
                (Role::Class, _) if reference.name.is_empty() => {}
                (Role::Class, _) => {
                    self.assume_class(&key.name);
                    if !options.from_cluster {
                        self.notes.push(format!("{key} is not among the manifests: it is taken to exist"));
                    }
                }
                (Role::Parent, Kind::Gateway) => absent.entry(key).or_default().push((by.kind, reference)),
                (_, Kind::Service) if is_assumed && !self.given.contains_key(&key) => {
                    let entry = self.assumed.entry(key.clone());
                    let object = entry.or_insert_with(|| bare(&key, Spec::Service(Service::default())));
                    if let Spec::Service(service) = &mut object.spec {
                        let port = ServicePort {
                            name: reference.port_name,
                            port: reference.port.unwrap_or(0),
                            app_protocol: None,
                        };
                        if !service.ports.contains(&port) {
                            service.ports.push(port);
                        }
                    }
                }
                (_, Kind::Secret | Kind::ConfigMap) if is_assumed => {
                    let spec = if key.kind == Kind::Secret {
                        Spec::Secret(Secret { problem: None })
                    } else {
                        Spec::ConfigMap(ConfigMap { problem: None })
                    };
                    self.assumed.insert(key.clone(), bare(&key, spec));
                }
                _ => {}
            }
        }
        for (gateway, by) in absent {
            self.assume_gateway(&gateway, &by);
        }
    }

    /// The objects of manifests, these ones, what names them, and the parents of all these.
    pub(super) fn touched(&self, bad: &BTreeSet<&ObjectKey>) -> BTreeSet<ObjectKey> {
        let is_start = |given: &Given| given.text.is_some() || bad.contains(&given.object.key);
        let is_named = |one: &Reference| {
            one.role != Role::Parent && one.key().and_then(|key| self.given.get(&key)).is_some_and(is_start)
        };
        let parents = |given: &Given| -> Vec<ObjectKey> {
            let references = references(given);
            references.iter().filter(|one| one.role == Role::Parent).filter_map(Reference::key).collect()
        };
        let mut touched = BTreeSet::new();
        for (key, given) in &self.given {
            if is_start(given) || references(given).iter().any(is_named) {
                touched.insert(key.clone());
                touched.extend(parents(given));
            }
        }
        let above: Vec<ObjectKey> =
            touched.iter().filter_map(|key| self.given.get(key)).flat_map(parents).collect();
        touched.extend(above);
        touched
    }

    fn assume_class(&mut self, name: &str) {
        self.assume(&json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "GatewayClass",
            "metadata": {"name": name}, "spec": {"controllerName": ASSUMED},
        }));
    }

    fn assume(&mut self, value: &Value) {
        if let Ok(object) = Object::read(value) {
            self.assumed.insert(object.key.clone(), object);
        }
    }

    /// A Gateway that is named and not there gets listeners for all that name it, so that the rest of them can be checked.
    fn assume_gateway(&mut self, key: &ObjectKey, named_by: &[(Kind, Reference)]) {
        let mut listeners: BTreeMap<String, Value> = BTreeMap::new();
        for (by, reference) in named_by.iter().filter(|(by, _)| by.is_route()) {
            let (protocol, tls) = match by {
                Kind::TLSRoute => ("TLS", json!({"mode": "Passthrough"})),
                Kind::TCPRoute => ("TCP", Value::Null),
                Kind::UDPRoute => ("UDP", Value::Null),
                _ => ("HTTP", Value::Null),
            };
            let name = reference.port_name.clone().unwrap_or_else(|| protocol.to_lowercase());
            let port = reference.port.map_or(listeners.len() + 1, usize::from);
            if listeners.len() < 64 {
                listeners.entry(name.clone()).or_insert_with(|| {
                    json!({"name": name, "port": port, "protocol": protocol, "tls": tls,
                        "allowedRoutes": {"namespaces": {"from": "All"}}})
                });
            }
        }
        let class = "assumed";
        self.assume_class(class);
        self.assume(&json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "Gateway",
            "metadata": {"name": &*key.name, "namespace": &*key.namespace},
            "spec": {"gatewayClassName": class, "allowedListeners": {"namespaces": {"from": "All"}},
                "listeners": listeners.into_values().collect::<Vec<_>>()},
        }));
    }

    /// Computes every status, for each controller in turn.
    pub(super) fn answer(&self, now: Time) -> Answer {
        let mut answer = Answer::default();
        let objects = || self.given.values().map(|given| &given.object).chain(self.assumed.values());
        let controllers: BTreeSet<&str> = objects()
            .filter_map(|object| match &object.spec {
                Spec::GatewayClass(class) => Some(class.controller_name.as_str()),
                _ => None,
            })
            .collect();
        for controller in controllers {
            let mut engine = Engine::new(self.support(controller));
            objects().cloned().for_each(|object| engine.apply(self.housed(object)));
            engine.take_changed(now);
            for (key, status) in engine.statuses() {
                merge(&mut answer.statuses, key, status);
            }
            for (key, given) in &self.given {
                let Spec::Route(route) = &given.object.spec else { continue };
                for (parent, owner, listener) in engine.attachments(key) {
                    let number = route.parent_refs.iter().position(|one| one == parent).unwrap_or_default();
                    let all = answer.attached.entry(key.clone()).or_default();
                    all.push((number, owner.clone(), listener.to_owned()));
                }
            }
        }
        answer
    }

    /// A route that names a ListenerSet without a Gateway gets a parent that is not there, so that somebody answers for its backends.
    fn housed(&self, mut object: Object) -> Object {
        if let Spec::Route(route) = &mut object.spec
            && self.homeless.contains(&object.key)
        {
            let ObjectKey { namespace, name, .. } = nowhere();
            let (namespace, name) = (Some(namespace.to_string()), name.to_string());
            route.parent_refs.push(ParentReference { namespace, name, ..ParentReference::default() });
        }
        object
    }

    /// An implementation that knows everything, and what the manifests show that it knows besides.
    fn support(&self, controller: &str) -> Support {
        let mut support = Support::new(controller);
        support.filters.extend(["ExtensionRef", "ExternalAuth"].map(str::to_owned));
        support.address_types.push("NamedAddress".to_owned());
        let mut protocols = BTreeSet::new();
        for given in self.given.values() {
            if let Spec::Service(service) = &given.object.spec {
                // A protocol with a domain is the implementation's own.
                let own = service.ports.iter().filter_map(|port| port.app_protocol.clone());
                protocols.extend(own.filter(|protocol| protocol.contains('/')));
            }
        }
        support.app_protocols.extend(protocols);
        let mut kinds = BTreeSet::new();
        for (_, reference) in self.references() {
            match reference.role {
                Role::Parameters if self.has(&reference) => support.parameters.push(reference.own()),
                Role::Backend => {
                    kinds.insert((reference.group, reference.kind));
                }
                _ => {}
            }
        }
        // Of the other objects, those that may be a backend.
        for ((group, kind, name), namespaces) in &self.others {
            if kinds.contains(&(group.clone(), kind.clone())) {
                support.backends.extend(namespaces.iter().map(|namespace| ParametersRef {
                    group: group.clone(),
                    kind: kind.clone(),
                    name: name.clone(),
                    namespace: Some(namespace.clone()),
                }));
            }
        }
        support
    }
}

/// The Gateway of routes that have none. No namespace has a dot in its name, so that nobody else names it.
fn nowhere() -> ObjectKey {
    ObjectKey::new(Kind::Gateway, "assumed.allready.dev", "nowhere")
}

fn bare(key: &ObjectKey, spec: Spec) -> Object {
    Object {
        key: key.clone(),
        generation: allready_core::Generation::default(),
        created: None,
        spec,
        status: None,
        malformed: None,
    }
}

/// Adds a status; of routes and policies each controller says its part.
fn merge(statuses: &mut Statuses, key: ObjectKey, status: ObjectStatus) {
    match (statuses.get_mut(&key), status) {
        (Some(ObjectStatus::Route(known)), ObjectStatus::Route(more)) => known.parents.extend(more.parents),
        (Some(ObjectStatus::Policy(known)), ObjectStatus::Policy(more)) => {
            known.ancestors.extend(more.ancestors);
        }
        (_, status) => {
            statuses.insert(key, status);
        }
    }
}
