//! The objects, the links between them, and the view through which rules read both.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use crate::{
    GROUP, Kind, Object, ObjectKey, Support,
    engine::Outcome,
    object::{Address, BackendRef, Filter, ParentReference, RouteSpec, Spec},
};

/// A set of objects by what they name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Link {
    /// The ListenerSets of a Gateway.
    ListenerSetsOf(ObjectKey),
    /// The routes that have a Service as a backend.
    RoutesTo(ObjectKey),
    /// The policies that have a Service as a target.
    PoliciesOf(ObjectKey),
    /// The ReferenceGrants in a namespace.
    GrantsIn(Arc<str>),
}

/// Something that a rule has read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Dependency {
    /// An object, whether it was there or not.
    Object(ObjectKey),
    /// A set of objects.
    Link(Link),
    /// The outcome of another unit.
    Outcome(ObjectKey),
}

/// Every object, by key and by link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    objects: HashMap<ObjectKey, Object>,
    links: HashMap<Link, BTreeSet<ObjectKey>>,
    /// The addresses that Gateways were given.
    pub(crate) assigned: HashMap<ObjectKey, Vec<Address>>,
}

impl Store {
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    /// Puts an object in; returns the links that it has now, or had before.
    pub(crate) fn insert(&mut self, object: Object) -> BTreeSet<Link> {
        let mut touched = self.remove(&object.key);
        for link in links(&object) {
            self.links.entry(link.clone()).or_default().insert(object.key.clone());
            touched.insert(link);
        }
        self.objects.insert(object.key.clone(), object);
        touched
    }

    /// Takes an object out; returns the links that it had.
    pub(crate) fn remove(&mut self, key: &ObjectKey) -> BTreeSet<Link> {
        let Some(object) = self.objects.remove(key) else { return BTreeSet::new() };
        let links = links(&object);
        for link in &links {
            if let Some(keys) = self.links.get_mut(link) {
                keys.remove(key);
                if keys.is_empty() {
                    self.links.remove(link);
                }
            }
        }
        links
    }
}

fn links(object: &Object) -> BTreeSet<Link> {
    let namespace = &object.key.namespace;
    match &object.spec {
        Spec::ListenerSet(set) => {
            parent_key(&set.parent_ref, namespace).map(Link::ListenerSetsOf).into_iter().collect()
        }
        Spec::Route(route) => backends(route)
            .filter_map(|(_, backend)| service_key(backend, namespace))
            .map(Link::RoutesTo)
            .collect(),
        Spec::BackendTlsPolicy(policy) => {
            let services = policy
                .target_refs
                .iter()
                .filter(|target| target.group.is_empty() && target.kind == "Service");
            services
                .map(|target| Link::PoliciesOf(ObjectKey::new(Kind::Service, namespace, &target.name)))
                .collect()
        }
        Spec::ReferenceGrant(_) => BTreeSet::from([Link::GrantsIn(namespace.clone())]),
        _ => BTreeSet::new(),
    }
}

/// The Gateway or ListenerSet that is named as a parent from this namespace; `None` for any other kind.
pub(crate) fn parent_key(parent: &ParentReference, namespace: &str) -> Option<ObjectKey> {
    let group = parent.group.as_deref().unwrap_or(GROUP);
    let kind = Kind::of(group, parent.kind.as_deref().unwrap_or("Gateway"))?;
    matches!(kind, Kind::Gateway | Kind::ListenerSet)
        .then(|| ObjectKey::new(kind, parent.namespace.as_deref().unwrap_or(namespace), &parent.name))
}

/// The Service that is named as a backend from this namespace; `None` for any other kind.
pub(crate) fn service_key(backend: &BackendRef, namespace: &str) -> Option<ObjectKey> {
    let is_service = backend.group.is_empty() && backend.kind.as_deref().unwrap_or("Service") == "Service";
    is_service.then(|| {
        ObjectKey::new(Kind::Service, backend.namespace.as_deref().unwrap_or(namespace), &backend.name)
    })
}

/// Every backend of a route, with its place in the spec: those of mirrors, too.
pub(crate) fn backends(route: &RouteSpec) -> impl Iterator<Item = (BackendPlace, &BackendRef)> {
    route.rules.iter().enumerate().flat_map(|(rule, of)| {
        mirrors(rule, None, &of.filters).chain(of.backend_refs.iter().enumerate().flat_map(
            move |(index, backend)| {
                let place = BackendPlace { rule, backend: Some(index), filter: None };
                std::iter::once((place, backend)).chain(mirrors(rule, Some(index), &backend.filters))
            },
        ))
    })
}

fn mirrors(
    rule: usize,
    backend: Option<usize>,
    filters: &[Filter],
) -> impl Iterator<Item = (BackendPlace, &BackendRef)> {
    filters.iter().enumerate().filter_map(move |(index, filter)| {
        let mirror = filter.request_mirror.as_ref()?;
        Some((BackendPlace { rule, backend, filter: Some(index) }, &mirror.backend_ref))
    })
}

/// The place of a backend in the spec of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackendPlace {
    rule: usize,
    backend: Option<usize>,
    /// The filter that mirrors requests to it.
    filter: Option<usize>,
}

impl BackendPlace {
    /// The number of the rule and of the backend in it; none for one that only gets copies.
    pub(crate) fn own(self) -> Option<(usize, usize)> {
        self.backend.filter(|_| self.filter.is_none()).map(|backend| (self.rule, backend))
    }
}

impl fmt::Display for BackendPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "spec.rules[{}]", self.rule)?;
        if let Some(backend) = self.backend {
            write!(f, ".backendRefs[{backend}]")?;
        }
        self.filter.map_or(Ok(()), |filter| write!(f, ".filters[{filter}].requestMirror.backendRef"))
    }
}

/// The store as a rule reads it. Every read is noted, so that the rule is applied again when it would read something else.
pub(crate) struct View<'a> {
    pub(crate) support: &'a Support,
    store: &'a Store,
    outcomes: &'a HashMap<ObjectKey, Outcome>,
    read: RefCell<BTreeSet<Dependency>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        support: &'a Support,
        store: &'a Store,
        outcomes: &'a HashMap<ObjectKey, Outcome>,
    ) -> Self {
        Self { support, store, outcomes, read: RefCell::default() }
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&'a Object> {
        self.note(Dependency::Object(key.clone()));
        self.store.get(key)
    }

    /// The addresses that a Gateway was given, if it was. It is judged anew when it is given others, so there is nothing to note.
    pub(crate) fn assigned(&self, gateway: &ObjectKey) -> Option<&'a [Address]> {
        self.store.assigned.get(gateway).map(Vec::as_slice)
    }

    pub(crate) fn linked(&self, link: &Link) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.note(Dependency::Link(link.clone()));
        let store = self.store;
        store.links.get(link).into_iter().flatten().filter_map(|key| store.objects.get(key))
    }

    pub(crate) fn outcome(&self, key: &ObjectKey) -> Option<&'a Outcome> {
        self.note(Dependency::Outcome(key.clone()));
        self.outcomes.get(key)
    }

    /// Everything that was read.
    pub(crate) fn into_read(self) -> BTreeSet<Dependency> {
        self.read.into_inner()
    }

    fn note(&self, dependency: Dependency) {
        // Nothing else borrows it: a note calls nobody.
        self.read.borrow_mut().insert(dependency);
    }
}
