//! A Gateway implementation, as small as one can be: a proxy in this process that serves `HTTPRoutes`.
//!
//! This file is the control plane: watches feed the engine, and the engine says what to write and what to serve.

mod proxy;

use std::{
    collections::BTreeMap,
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    net::Ipv4Addr,
    sync::Arc,
    time::Duration,
};

use allready_gateway::{
    Engine, Kind, Object, ObjectKey, Support, http::Table, object::Address, object::Spec,
};
use allready_kube::{clock::Clock, list_watch::Store, list_watch::list_watch, list_watch::reduced};
use anyhow::Result;
use futures::{FutureExt as _, StreamExt as _, future::ready, stream::select_all};
use hyper_util::{client::legacy::Client as Hyper, rt::TokioExecutor};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, PostParams, TypeMeta},
    runtime::{WatchStreamExt as _, reflector, watcher},
};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use proxy::Proxy;

const KINDS: [Kind; 6] = [
    Kind::Namespace,
    Kind::Service,
    Kind::ReferenceGrant,
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::HTTPRoute,
];
/// Dropping a set ends its tasks.
type Ports = BTreeMap<ObjectKey, BTreeMap<u16, JoinSet<()>>>;
type Stores = BTreeMap<Kind, Store<ObjectKey, DynamicObject>>;

/// Serves the Gateways of a class, and writes the status of everything that is the controller's own.
pub async fn run(client: Client, class: &str, controller_name: &str) -> Result<()> {
    let mut engine = Engine::new(support(controller_name));
    let (table, current) = watch::channel(Arc::default());
    let (slices, writer) = reflector::store();
    let watched = watcher(Api::<EndpointSlice>::all(client.clone()), watcher::Config::default());
    tokio::spawn(reflector::reflector(writer, watched.default_backoff()).for_each(|_| ready(())));
    let proxy = Proxy { table: current, slices, client: Hyper::builder(TokioExecutor::new()).build_http() };
    let mut ports = Ports::new();
    let mut stores: Stores = KINDS.map(|kind| (kind, Store::new(Duration::ZERO))).into();
    let by_kind = KINDS.map(|kind| {
        let objects = list_watch(Api::all_with(client.clone(), &resource(kind)), watcher::Config::default());
        reduced(objects, move |object| key(kind, object), |object| object)
            .map(move |event| (kind, event))
            .boxed()
    });
    let mut events = select_all(by_kind);
    loop {
        // Whatever is there is taken at once. Nothing for some seconds is a time to try again what has failed.
        let first = tokio::time::timeout(Duration::from_secs(5), events.next()).await.ok().flatten();
        let more = std::iter::from_fn(|| events.next().now_or_never().flatten());
        for (kind, event) in first.into_iter().chain(more) {
            let store = stores.entry(kind).or_insert_with(|| Store::new(Duration::ZERO));
            for key in store.apply(event, Duration::ZERO) {
                match store.get(&key) {
                    Some(object) => engine.apply(read(kind, object)?),
                    None => engine.delete(&key),
                }
                ports.retain(|gateway, _| *gateway != key || store.get(&key).is_some());
            }
        }
        // What is not there is not known before everything was listed.
        if !stores.values().all(Store::is_synced) {
            continue;
        }
        for (_, gateway) in stores.get(&Kind::Gateway).into_iter().flat_map(Store::iter) {
            if gateway.data["spec"]["gatewayClassName"] == class {
                open(&mut engine, &mut ports, &proxy, &read(Kind::Gateway, gateway)?).await;
            }
        }
        write(&client, &mut engine, &mut stores).await?;
        let spec = |route: &ObjectKey| Some(&stores.get(&route.kind)?.get(route)?.data["spec"]);
        table.send_replace(Arc::new(Table::new(&engine, spec)));
    }
}

/// The abilities of this proxy, and no others.
fn support(controller_name: &str) -> Support {
    let filters = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite"];
    let features = include_str!("features.txt").lines();
    Support {
        protocols: vec!["HTTP".to_owned()],
        route_kinds: vec![Kind::HTTPRoute],
        filters: filters.map(String::from).into(),
        app_protocols: vec!["http".to_owned()],
        listener_sets: false,
        usable_addresses: Some(Vec::new()),
        default_address: None,
        features: features.map(String::from).collect(),
        ..Support::new(controller_name)
    }
}

/// Gives a Gateway an address of its own, from its name, once all of its ports are open there: until then it says that it has none.
async fn open(engine: &mut Engine, ports: &mut Ports, proxy: &Proxy, gateway: &Object) {
    let Spec::Gateway(spec) = &gateway.spec else { return };
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&gateway.key);
    let [a, b, c, ..] = hash.to_be_bytes().map(|byte| byte.clamp(1, 254));
    let ip = Ipv4Addr::new(127, a, b, c);
    let open = ports.entry(gateway.key.clone()).or_default();
    open.retain(|port, _| spec.listeners.iter().any(|listener| listener.port == *port));
    let mut addresses = vec![Address { type_: "IPAddress".to_owned(), value: ip.to_string() }];
    for listener in spec.listeners.iter().filter(|listener| listener.protocol == "HTTP") {
        if open.contains_key(&listener.port) {
            continue;
        }
        match TcpListener::bind((ip, listener.port)).await {
            Ok(bound) => {
                let at = (ip, listener.port).into();
                open.entry(listener.port).or_default().spawn(proxy.clone().serve(at, bound));
            }
            Err(error) => {
                tracing::warn!("{}: port {} of {ip}: {error}", gateway.key, listener.port);
                addresses.clear();
            }
        }
    }
    engine.assign(&gateway.key, addresses);
}

/// Writes the statuses that have changed over the objects as they were read, so that nobody else's change is lost.
async fn write(client: &Client, engine: &mut Engine, stores: &mut Stores) -> Result<()> {
    let how = PostParams { field_manager: Some("example-gateway".to_owned()), ..PostParams::default() };
    for (key, status) in engine.take_changed(Clock::system().now()) {
        let Some(store) = stores.get_mut(&key.kind) else { continue };
        let Some(mut object) = store.get(&key).cloned() else { continue };
        object.data["status"] = serde_json::to_value(status)?;
        let (all, resource) = (client.clone(), resource(key.kind));
        let api: Api<DynamicObject> = match &*key.namespace {
            "" => Api::all_with(all, &resource),
            namespace => Api::namespaced_with(all, namespace, &resource),
        };
        match api.replace_status(&key.name, &how, &object).await {
            Ok(written) => store.update(key.clone(), written),
            // After a conflict the watch brings the object as it is now.
            Err(error) => tracing::warn!("{key}: {error}"),
        }
        // What was written has the status that the engine wants; what was not is answered again.
        if let Some(object) = store.get(&key) {
            engine.apply(read(key.kind, object)?);
        }
    }
    Ok(())
}

fn resource(kind: Kind) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(kind.group(), "v1", kind.as_str()))
}

fn key(kind: Kind, object: &DynamicObject) -> ObjectKey {
    let metadata = &object.metadata;
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    ObjectKey::new(kind, &text(&metadata.namespace), &text(&metadata.name))
}

/// Reads an object; those in lists do not say their kind.
fn read(kind: Kind, object: &DynamicObject) -> Result<Object> {
    let types = TypeMeta { api_version: resource(kind).api_version, kind: kind.to_string() };
    Ok(Object::read(&serde_json::to_value(DynamicObject { types: Some(types), ..object.clone() })?)?)
}
