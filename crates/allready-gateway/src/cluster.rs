//! The objects of a cluster, watched for an engine, and the statuses that it wants, written: the outer half of a small controller.

mod endpoints;

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

use allready_core::Time;
use allready_kube::list_watch::{Store, WatchEvent, list_watch, reduced};
use futures::{
    FutureExt as _, StreamExt as _,
    stream::{BoxStream, SelectAll, select_all},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind, PostParams, TypeMeta},
    runtime::watcher,
};

pub use self::endpoints::Endpoints;
use crate::{
    Engine, Kind, Object, ObjectKey,
    object::{GatewaySpec, Spec},
};

/// The time after which what has failed is tried again, and what cannot be watched is told.
const PATIENCE: Duration = Duration::from_secs(5);

/// The objects of some kinds, as a cluster has them: they [`feed`](Self::feed) an engine, and [`write`](Self::write) stores the statuses
/// that it wants. `examples/gateway` is a Gateway around it.
///
/// For one process that does both, and alone: there is no leader election, and one write after the other.
///
/// # Permissions
/// `list` and `watch` on the kinds; `update` on the status of GatewayClasses, Gateways, ListenerSets, routes and policies.
///
/// ```no_run
/// use allready_gateway::{Engine, Kind, Support, cluster::Cluster};
/// # async fn run(client: kube::Client, now: impl Fn() -> allready_core::Time) {
/// let mut engine = Engine::new(Support::new("example.com/gateway"));
/// let kinds = [Kind::Namespace, Kind::Service, Kind::GatewayClass, Kind::Gateway, Kind::HTTPRoute];
/// let mut cluster = Cluster::watch(client, kinds, "example-gateway");
/// loop {
///     if let Err(unseen) = cluster.feed(&mut engine).await {
///         eprintln!("{unseen}");
///         continue;
///     }
///     for (key, error) in cluster.write(&mut engine, now()).await {
///         eprintln!("{key}: {error}");
///     }
///     // Now `engine.listeners()` says what to serve.
/// }
/// # }
/// ```
pub struct Cluster {
    client: Client,
    manager: String,
    started: Instant,
    stores: BTreeMap<Kind, Store<ObjectKey, DynamicObject>>,
    events: SelectAll<BoxStream<'static, (Kind, WatchEvent<ObjectKey, DynamicObject>)>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.stores.iter().map(|(kind, store)| (kind, store.len()));
        f.debug_map().entries(counts).finish()
    }
}

impl Cluster {
    /// Watches these kinds in all namespaces, under `v1`; the field manager is the one of what is written.
    pub fn watch(client: Client, kinds: impl IntoIterator<Item = Kind>, field_manager: &str) -> Self {
        let stores: BTreeMap<_, _> =
            kinds.into_iter().map(|kind| (kind, Store::new(Duration::ZERO))).collect();
        let events = select_all(stores.keys().map(|&kind| {
            let all = Api::all_with(client.clone(), &resource(kind));
            let key = move |object: &DynamicObject| {
                ObjectKey::new(kind, &object.namespace().unwrap_or_default(), &object.name_any())
            };
            // In a list, objects do not say what they are.
            let typed = move |object| DynamicObject { types: Some(types(kind)), ..object };
            let events = reduced(list_watch(all, watcher::Config::default()), key, typed);
            events.map(move |event| (kind, event)).boxed()
        }));
        Self { client, manager: field_manager.to_owned(), started: Instant::now(), stores, events }
    }

    /// Waits until something happens, at most for some seconds, and gives the engine everything that has happened. The first time it
    /// waits until all is listed: before that, nobody knows what is not there.
    ///
    /// # Errors
    /// A kind cannot be watched, and why. The engine then has what was last seen; feed it again.
    pub async fn feed(&mut self, engine: &mut Engine) -> Result<(), String> {
        loop {
            let first = tokio::time::timeout(PATIENCE, self.events.next()).await.ok().flatten();
            let more = std::iter::from_fn(|| self.events.next().now_or_never().flatten());
            for (kind, event) in first.into_iter().chain(more) {
                let Some(store) = self.stores.get_mut(&kind) else { continue };
                for key in store.apply(event, self.started.elapsed()) {
                    match store.get(&key).and_then(read) {
                        Some(object) => engine.apply(object),
                        None => engine.delete(&key),
                    }
                }
            }
            let now = self.started.elapsed();
            let unseen = |(kind, store): (&Kind, &Store<_, _>)| {
                store.unseen(PATIENCE, now).map(|why| format!("cannot watch {kind}s: {why}"))
            };
            if let Some(unseen) = self.stores.iter().find_map(unseen) {
                return Err(unseen);
            }
            if self.stores.values().all(Store::is_synced) {
                return Ok(());
            }
        }
    }

    /// Writes the statuses that differ from what is stored, each over the version that was read, so that nobody's change is lost. Returns
    /// what could not be written; the next call tries it again.
    pub async fn write(&mut self, engine: &mut Engine, now: Time) -> Vec<(ObjectKey, kube::Error)> {
        let how = PostParams { field_manager: Some(self.manager.clone()), ..PostParams::default() };
        let mut failures = Vec::new();
        for (key, status) in engine.take_changed(now) {
            let Some(store) = self.stores.get_mut(&key.kind) else { continue };
            let Some(mut object) = store.get(&key).cloned() else { continue };
            let api: Api<DynamicObject> = match &*key.namespace {
                "" => Api::all_with(self.client.clone(), &resource(key.kind)),
                namespace => Api::namespaced_with(self.client.clone(), namespace, &resource(key.kind)),
            };
            let written = match serde_json::to_value(status) {
                Ok(status) => {
                    object.data["status"] = status;
                    api.replace_status(&key.name, &how, &object).await
                }
                Err(error) => Err(kube::Error::SerdeError(error)),
            };
            match written {
                Ok(written) => store.update(key.clone(), written),
                Err(error) => failures.push((key.clone(), error)),
            }
            // An object that was written has the status that the engine wants; the answer for one that was not is given again.
            if let Some(object) = store.get(&key).and_then(read) {
                engine.apply(object);
            }
        }
        failures
    }

    /// The object, as it was last seen.
    pub fn get(&self, key: &ObjectKey) -> Option<&DynamicObject> {
        self.stores.get(&key.kind)?.get(key)
    }

    /// The Gateways that a controller serves: their class names it.
    pub fn gateways(&self, controller_name: &str) -> BTreeMap<ObjectKey, GatewaySpec> {
        let own = self.iter(Kind::Gateway).filter_map(|(key, gateway)| {
            let Spec::Gateway(spec) = read(gateway)?.spec else { return None };
            let class = self.get(&ObjectKey::new(Kind::GatewayClass, "", &spec.gateway_class_name))?;
            (class.data["spec"]["controllerName"] == controller_name).then_some((key.clone(), *spec))
        });
        own.collect()
    }

    /// The objects of a kind.
    pub fn iter(&self, kind: Kind) -> impl Iterator<Item = (&ObjectKey, &DynamicObject)> {
        self.stores.get(&kind).into_iter().flat_map(Store::iter)
    }
}

fn resource(kind: Kind) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(kind.group(), "v1", kind.as_str()))
}

fn types(kind: Kind) -> TypeMeta {
    TypeMeta { api_version: resource(kind).api_version, kind: kind.to_string() }
}

/// Reads an object; the server names each, and its kind is known.
fn read(object: &DynamicObject) -> Option<Object> {
    Object::read(&serde_json::to_value(object).ok()?).ok()
}
