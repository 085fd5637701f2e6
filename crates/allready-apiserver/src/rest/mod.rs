//! The verbs: from a [`crate::resource::Call`] to an [`Answer`].
//!
//! Follows `k8s.io/apiserver/pkg/endpoints/handlers` and `pkg/registry/generic/registry/store.go`.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;

use crate::{
    access::{Index, Policy},
    admission,
    json::{self, Parsed},
    meta, names,
    resource::{Call, Endpoint, Registry, Resource, Stamp, User, Verb, Version},
    status::Failure,
    store::{Draft, Everything, Store, Subscription, Window},
    webhook::Services,
};

mod admit;
mod convert;
mod decode;
mod delete;
mod finish;
mod keeper;
mod options;
mod patching;
mod pods;
mod quota;
mod raw;
mod read;
mod scale;
mod selector;
mod service_accounts;
mod token;
mod write;
pub(crate) mod yaml;

#[cfg(test)]
mod tests;

pub(crate) use selector::exact_name;

/// What a call came to.
pub(crate) struct Answer {
    /// 200, 201 or 202.
    pub code: u16,
    /// What to send.
    pub body: Body,
    /// Texts of `Warning` headers, in order.
    pub warnings: Vec<String>,
}

/// What an [`Answer`] carries, in the version that was asked for.
pub(crate) enum Body {
    /// One object, as JSON.
    Object(Bytes),
    /// A `Status`, as JSON: what most deletions answer.
    Status(Bytes),
    /// A list.
    List(ListBody),
    /// A watch.
    Watch(Subscription),
}

/// A list, before it is written as a list, a table or metadata only.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListBody {
    /// Every item as JSON, with its `apiVersion` and `kind`.
    pub items: Vec<Bytes>,
    /// The version of the whole.
    pub resource_version: u64,
    /// Where the next page starts; empty at the end.
    pub continue_token: String,
    /// How many items follow this page.
    pub remaining: Option<u64>,
}

impl Answer {
    fn new(code: u16, body: Body) -> Self {
        Self { code, body, warnings: Vec::new() }
    }

    fn object(code: u16, bytes: Bytes) -> Self {
        Self::new(code, Body::Object(bytes))
    }
}

/// The server without its HTTP shell: objects, what is served, and what is done to both.
///
/// Cloning gives another handle to the same server.
#[derive(Clone)]
pub(crate) struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    base: Registry,
    registry: RwLock<Arc<Registry>>,
    controllers: AtomicBool,
    access: Index,
    admission: admission::Index,
    /// The addresses at which the services of webhooks listen.
    services: Arc<Services>,
    /// Resources whose definitions are being deleted, so that a create need not look into them.
    terminating: RwLock<HashSet<String>>,
    /// The uids of the definitions that are served, by their names; held while that changes.
    definitions: Mutex<HashMap<String, String>>,
    /// Held by a write that gives what must be unique, until it is stored.
    turn: Mutex<()>,
    /// The events that end, and when.
    events: Mutex<keeper::Expiry>,
    /// The users that are known by their tokens.
    users: RwLock<Arc<[(String, User)]>>,
    /// The certificate authority of the socket that was opened last, as PEM.
    authority: RwLock<Option<String>>,
}

impl Engine {
    /// A server of these resources, with the namespaces and roles that every cluster has; each of them gets a stamp.
    pub(crate) fn new(registry: Registry, window: Window, stamp: &dyn Fn() -> Stamp) -> Self {
        let inner = Inner {
            store: Store::new(window),
            base: registry.clone(),
            registry: RwLock::new(Arc::new(registry)),
            controllers: AtomicBool::new(true),
            access: Index::default(),
            admission: admission::Index::default(),
            services: Arc::default(),
            terminating: RwLock::default(),
            definitions: Mutex::default(),
            turn: Mutex::default(),
            events: Mutex::default(),
            users: RwLock::new(Arc::new([])),
            authority: RwLock::default(),
        };
        let engine = Self { inner: Arc::new(inner) };
        engine.begin(stamp);
        engine
    }

    /// What is served now.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        self.inner.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The objects.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Whether the work of the controller manager is done here too: garbage collection and the emptying of namespaces that
    /// are deleted. It is unless told otherwise; a bare kube-apiserver does neither.
    pub(crate) fn run_controllers(&self, run: bool) {
        self.inner.controllers.store(run, Ordering::Relaxed);
    }

    /// Who may do what, as the roles and bindings of now say.
    pub(crate) fn access(&self) -> Arc<Policy> {
        self.inner.access.policy(self.store())
    }

    /// Tells whether writes call webhooks, and so may take long.
    pub(crate) fn calls_webhooks(&self) -> bool {
        self.inner.admission.chain(self.store()).is_some_and(|chain| chain.calls())
    }

    /// The addresses at which the services of webhooks listen.
    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.inner.services
    }

    fn controllers_run(&self) -> bool {
        self.inner.controllers.load(Ordering::Relaxed)
    }

    /// Forgets the past: watches and lists from older versions are answered with 410 from now on.
    pub(crate) fn compact(&self) {
        self.store().compact();
    }

    /// What a restart of the process does: every watch ends, and without its data everything starts anew, with new stamps.
    pub(crate) fn restart(&self, keep_data: bool, stamp: &dyn Fn() -> Stamp) {
        let mut served = self.served_definitions();
        self.store().restart(keep_data);
        if !keep_data {
            self.serve_base(&mut served);
            self.forget_events();
        }
        self.inner.access.clear();
        self.inner.admission.clear();
        drop(served);
        self.begin(stamp);
    }

    /// Goes on from everything that another server had: what its definitions define is served, and what was being deleted
    /// goes on being deleted.
    pub(crate) fn resume(&self, everything: Everything<(u64, Draft)>, stamp: &dyn Fn() -> Stamp) {
        let mut served = self.served_definitions();
        self.store().replace(everything);
        self.serve_base(&mut served);
        self.inner.access.clear();
        self.inner.admission.clear();
        drop(served);
        self.forget_events();
        self.begin(stamp);
        self.look_at_everything(stamp().0);
    }

    fn serve_base(&self, served: &mut HashMap<String, String>) {
        self.serve_these(self.inner.base.clone());
        self.inner.terminating.write().unwrap_or_else(PoisonError::into_inner).clear();
        served.clear();
    }

    fn serve_these(&self, registry: Registry) {
        *self.inner.registry.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(registry);
    }

    fn change_served(&self, change: impl FnOnce(&mut Registry)) {
        let mut guard = self.inner.registry.write().unwrap_or_else(PoisonError::into_inner);
        let mut registry = Registry::clone(&guard);
        change(&mut registry);
        *guard = Arc::new(registry);
    }

    fn set_terminating(&self, resource: &str, terminating: bool) {
        let mut known = self.inner.terminating.write().unwrap_or_else(PoisonError::into_inner);
        if terminating {
            known.insert(resource.to_owned());
        } else {
            known.remove(resource);
        }
    }

    fn served_definitions(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.inner.definitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_terminating(&self, resource: &str) -> bool {
        self.inner.terminating.read().unwrap_or_else(PoisonError::into_inner).contains(resource)
    }

    fn begin(&self, stamp: &dyn Fn() -> Stamp) {
        for resource in self.registry().iter() {
            self.store().open(&resource.place);
        }
        self.make_default_namespaces(stamp);
        self.make_default_roles(stamp);
        self.make_own_service(stamp);
    }

    /// Does what a call asks for, and the housekeeping that follows from it.
    #[expect(clippy::needless_pass_by_value, reason = "a call is used up by its answer")]
    pub(crate) fn handle(&self, call: Call) -> Result<Answer, Failure> {
        self.end_events(call.now);
        let resource = call.resource.clone();
        let version = resource.version(&call.version).ok_or_else(Failure::no_such_resource)?;
        let body = OnceCell::new();
        let scope = Scope { engine: self, call: &call, resource: &resource, version, body: &body };
        if !scope.allows() {
            return Err(Failure::method_not_allowed());
        }
        let mut warnings = Vec::new();
        let answer = match (call.verb, call.endpoint) {
            (Verb::Get, Endpoint::Scale) => scope.get_scale(),
            (Verb::Get, _) => scope.get(),
            (Verb::List, _) => scope.list(),
            (Verb::Watch, _) => scope.watch(),
            (Verb::Create, Endpoint::Other("eviction")) => scope.evict(&mut warnings),
            (Verb::Create, Endpoint::Other("binding")) => scope.bind(&mut warnings),
            (Verb::Create, Endpoint::Other("token")) => scope.request_token(&mut warnings),
            (Verb::Create, _) => scope.create(&mut warnings),
            (Verb::Update, Endpoint::Scale) => scope.update_scale(&mut warnings),
            (Verb::Update, _) => scope.update(&mut warnings),
            (Verb::Patch, Endpoint::Scale) => scope.patch_scale(&mut warnings),
            (Verb::Patch, _) => scope.patch(&mut warnings),
            (Verb::Delete, _) => scope.delete(&mut warnings),
            (Verb::DeleteCollection, _) => scope.delete_collection(&mut warnings),
        };
        match answer {
            Ok(answer) => Ok(Answer { warnings, ..answer }),
            Err(failure) => Err(Failure { warnings, ..failure }),
        }
    }
}

/// One call and what it is about.
#[derive(Clone, Copy)]
struct Scope<'a> {
    engine: &'a Engine,
    call: &'a Call,
    resource: &'a Arc<Resource>,
    version: &'a Version,
    /// The body of a patch, read once for as often as it is tried.
    body: &'a OnceCell<Result<Parsed, String>>,
}

impl Scope<'_> {
    /// The body of a patch as JSON, or why it is none.
    fn json_body(&self) -> Result<&Parsed, String> {
        self.body.get_or_init(|| json::parse(&self.call.body)).as_ref().map_err(Clone::clone)
    }

    /// The body of an apply as YAML, or why it is none.
    fn yaml_body(&self) -> Result<&Parsed, String> {
        self.body.get_or_init(|| yaml::parse(&self.call.body)).as_ref().map_err(Clone::clone)
    }

    fn store(&self) -> &Store {
        self.engine.store()
    }

    fn name(&self) -> &str {
        self.call.name.as_deref().unwrap_or_default()
    }

    fn namespace(&self) -> &str {
        if self.resource.namespaced { self.call.namespace.as_deref().unwrap_or_default() } else { "" }
    }

    fn api_version(&self) -> String {
        self.resource.api_version(&self.version.name)
    }

    fn is_custom(&self) -> bool {
        decode::is_custom(self.resource)
    }

    fn is(&self, group: &str, plural: &str) -> bool {
        self.resource.group == group && self.resource.plural == plural
    }

    /// Where the object of the call is stored.
    fn spot(&self) -> Result<String, Failure> {
        let problems = names::path_segment(self.name());
        if problems.is_empty() {
            return Ok(key(self.namespace(), self.name()));
        }
        let (name, why) = (crate::status::quote(self.name()), problems.join(";"));
        Err(Failure::bad_request(format!("Name parameter invalid: {name}: {why}")))
    }

    fn not_found(&self) -> Failure {
        Failure::not_found(&self.resource.qualified(), self.name())
    }

    /// Waits until no other write gives what must be unique; nothing to wait for where nothing must be.
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        let turn = &self.engine.inner.turn;
        self.resource.strategy.in_turn().then(|| turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn allows(&self) -> bool {
        let verb = match self.call.verb {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
        };
        let endpoint = match self.call.endpoint {
            Endpoint::Status => self.version.status,
            Endpoint::Scale => self.version.scale.is_some(),
            Endpoint::Main | Endpoint::Other(_) => true,
        };
        endpoint && (self.resource.verbs.is_empty() || self.resource.verbs.contains(&verb))
    }
}

/// `namespace/name`, or the name: how the store orders objects.
fn key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}
