//! The endpoints of Services, watched for a data plane.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::{Duration, Instant},
};

use allready_kube::list_watch::{Store, WatchEvent, list_watch, reduced};
use futures::StreamExt as _;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::{Api, Client, ResourceExt as _, runtime::watcher};

use super::PATIENCE;
use crate::{Kind, ObjectKey};

/// The endpoints that are ready, by Service, as the `EndpointSlices` of a cluster have them. Clones share them.
///
/// # Permissions
/// `list` and `watch` on `endpointslices` of `discovery.k8s.io`.
///
/// ```no_run
/// use allready_gateway::{Kind, ObjectKey, cluster::Endpoints};
/// # fn run(client: kube::Client) {
/// let endpoints = Endpoints::watch(client);
/// let cart = ObjectKey::new(Kind::Service, "shop", "cart");
/// // Any of these; answer 503 if there is none.
/// let ready = endpoints.ready(&cart, "http");
/// # }
/// ```
#[derive(Clone)]
pub struct Endpoints {
    seen: Arc<RwLock<Seen>>,
}

struct Seen {
    started: Instant,
    slices: Store<(String, String), Slice>,
    /// The names of the slices of each Service; they are in its namespace.
    names: BTreeMap<ObjectKey, Vec<String>>,
}

/// An `EndpointSlice`: its Service, and the endpoints that are ready by the name of their port.
#[derive(Debug)]
struct Slice {
    service: ObjectKey,
    ports: BTreeMap<String, Vec<SocketAddr>>,
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.seen().slices.iter()).finish()
    }
}

impl Endpoints {
    /// Watches the `EndpointSlices` of all namespaces, in a task that ends with the last clone.
    pub fn watch(client: Client) -> Self {
        let key = |slice: &EndpointSlice| (slice.namespace().unwrap_or_default(), slice.name_any());
        let events = reduced(list_watch(Api::all(client), watcher::Config::default()), key, |slice| {
            Slice::read(&slice)
        });
        let mut events = events.boxed();
        let endpoints = Self::new();
        let seen = Arc::downgrade(&endpoints.seen);
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                let Some(seen) = seen.upgrade() else { return };
                seen.write().unwrap_or_else(PoisonError::into_inner).apply(event);
            }
        });
        endpoints
    }

    fn new() -> Self {
        let seen =
            Seen { started: Instant::now(), slices: Store::new(Duration::ZERO), names: BTreeMap::new() };
        Self { seen: Arc::new(RwLock::new(seen)) }
    }

    /// The endpoints of a Service's port that are ready, as last seen. The port has the name that it has in the Service, empty for one
    /// without a name.
    pub fn ready(&self, service: &ObjectKey, port: &str) -> Vec<SocketAddr> {
        let seen = self.seen();
        let names = seen.names.get(service).into_iter().flatten();
        let slices = names.filter_map(|name| seen.slices.get(&(service.namespace.to_string(), name.clone())));
        slices.filter_map(|slice| slice.ports.get(port)).flatten().copied().collect()
    }

    /// The reason why `EndpointSlices` cannot be watched, and so what [`ready`](Self::ready) returns is old.
    pub fn unseen(&self) -> Option<String> {
        let seen = self.seen();
        let why = seen.slices.unseen(PATIENCE, seen.started.elapsed())?;
        Some(format!("cannot watch EndpointSlices: {why}"))
    }

    fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn apply(&mut self, event: WatchEvent<(String, String), Slice>) {
        for (key, old) in self.slices.replace(event, self.started.elapsed()) {
            if let Some(old) = old
                && let Some(names) = self.names.get_mut(&old.service)
            {
                names.retain(|name| *name != key.1);
                if names.is_empty() {
                    self.names.remove(&old.service);
                }
            }
            if let Some(slice) = self.slices.get(&key) {
                self.names.entry(slice.service.clone()).or_default().push(key.1);
            }
        }
    }
}

impl Slice {
    fn read(slice: &EndpointSlice) -> Self {
        let namespace = slice.namespace().unwrap_or_default();
        let name = slice.labels().get("kubernetes.io/service-name").map_or("", String::as_str);
        let service = ObjectKey::new(Kind::Service, &namespace, name);
        // Unknown is to be taken as ready.
        let is_ready = |ready: Option<bool>| ready.unwrap_or(true);
        let endpoints = slice.endpoints.iter().flatten();
        let endpoints =
            endpoints.filter(|one| is_ready(one.conditions.as_ref().and_then(|conditions| conditions.ready)));
        let addresses: Vec<IpAddr> =
            endpoints.flat_map(|one| &one.addresses).filter_map(|address| address.parse().ok()).collect();
        let ports = slice.ports.iter().flatten().filter_map(|port| {
            let number = u16::try_from(port.port?).ok()?;
            let here = addresses.iter().map(|address| SocketAddr::new(*address, number)).collect();
            Some((port.name.clone().unwrap_or_default(), here))
        });
        Self { service, ports: ports.collect() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn slice(service: &str, endpoints: &Value) -> Slice {
        let slice = json!({
            "metadata": {"name": "any", "namespace": "shop", "labels": {"kubernetes.io/service-name": service}},
            "addressType": "IPv4", "endpoints": endpoints,
            "ports": [{"name": "http", "port": 8080}, {"name": "admin", "port": 9090}],
        });
        Slice::read(&serde_json::from_value(slice).unwrap())
    }

    fn ready(endpoints: &Endpoints, service: &str, port: &str) -> Vec<String> {
        let ready = endpoints.ready(&ObjectKey::new(Kind::Service, "shop", service), port);
        ready.iter().map(SocketAddr::to_string).collect()
    }

    #[test]
    fn the_endpoints_of_a_port_are_those_of_all_slices_that_are_ready_or_do_not_say() {
        let endpoints = Endpoints::new();
        let apply = |name: &str, slice: Slice| {
            let key = ("shop".to_owned(), name.to_owned());
            endpoints.seen.write().unwrap().apply(WatchEvent::Apply(key, slice));
        };
        let one =
            json!([{"addresses": ["10.0.0.1"]}, {"addresses": ["10.0.0.2"], "conditions": {"ready": false}}]);
        apply("a", slice("cart", &one));
        apply("b", slice("cart", &json!([{"addresses": ["10.0.0.3"], "conditions": {"ready": true}}])));
        apply("c", slice("other", &json!([{"addresses": ["10.0.0.4"]}])));
        assert_eq!(ready(&endpoints, "cart", "http"), ["10.0.0.1:8080", "10.0.0.3:8080"]);
        assert_eq!(ready(&endpoints, "cart", "admin"), ["10.0.0.1:9090", "10.0.0.3:9090"]);
        assert!(ready(&endpoints, "cart", "").is_empty());
        assert!(ready(&endpoints, "missing", "http").is_empty());
        // Of another Service now, and gone.
        apply("b", slice("other", &json!([{"addresses": ["10.0.0.3"]}])));
        let gone = WatchEvent::Delete(("shop".to_owned(), "a".to_owned()));
        endpoints.seen.write().unwrap().apply(gone);
        assert!(ready(&endpoints, "cart", "http").is_empty());
        assert_eq!(ready(&endpoints, "other", "http"), ["10.0.0.4:8080", "10.0.0.3:8080"]);
    }
}
