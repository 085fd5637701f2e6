//! The data plane's half of `HTTPRoute`, by the rules of the Gateway API: the rule that a request meets, its backend, and what filters change.
//!
//! The engine says which routes are in force where; what they match and change is read from their specs, which it does not keep.

mod filter;
mod matches;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls")]
mod tls;

use std::{cmp::Reverse, net::SocketAddr, sync::Arc};

use http::{
    HeaderMap, Response, StatusCode, Uri,
    request::Parts,
    uri::{PathAndQuery, Scheme},
};
use serde_json::{Value, json};

use self::filter::Filters;
use self::matches::Match;
pub use self::matches::check_regex;
#[cfg(feature = "tls")]
pub use self::tls::server_config;
use crate::{AttachedBackend, Engine, Kind, ObjectKey, ServedListener, Support, hostname};

/// The kinds whose objects decide what [`Table`] serves: watch them all.
pub const KINDS: [Kind; 7] = [
    Kind::Namespace,
    Kind::Service,
    Kind::Secret,
    Kind::ReferenceGrant,
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::HTTPRoute,
];

/// The abilities of a data plane that opens the ports of Gateways at addresses that it [assigns](Engine::assign), and answers as [`Table`]
/// says: `HTTPRoutes`, some filters, and the features that tests of the official conformance suite show. The protocols are those that it
/// speaks to clients: `HTTP`, and `HTTPS` if it terminates TLS, as with the feature `tls` of this crate.
///
/// ```
/// use allready_gateway::{Support, http};
///
/// let support = http::support("example.com/gateway", ["HTTP", "HTTPS"]);
/// assert!(support.features.contains("HTTPRouteMethodMatching"));
/// ```
pub fn support<'a>(
    controller_name: impl Into<String>,
    protocols: impl IntoIterator<Item = &'a str>,
) -> Support {
    let filters = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite"];
    Support {
        protocols: protocols.into_iter().map(String::from).collect(),
        route_kinds: vec![Kind::HTTPRoute],
        filters: filters.map(String::from).into(),
        app_protocols: vec!["http".to_owned()],
        check_regex,
        listener_sets: false,
        usable_addresses: Some(Vec::new()),
        default_address: None,
        features: include_str!("features.txt").lines().map(String::from).collect(),
        ..Support::new(controller_name)
    }
}

/// Everything that is served, in order of precedence: listeners by hostname, and the matches of each by hostname, path, method, headers
/// and query parameters, then by the age of the route.
///
/// ```
/// # use allready_core::Time;
/// use allready_gateway::{Engine, Object, Support, http::Table};
/// use serde_json::{Value, json};
///
/// # let object = |api: &str, kind: &str, name: &str, spec: Value| {
/// #     json!({"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": spec})
/// # };
/// # let api = "gateway.networking.k8s.io/v1";
/// # let mut engine = Engine::new(Support::new("example.com/gateway"));
/// # engine.apply(Object::read(&object(api, "GatewayClass", "example", json!({"controllerName": "example.com/gateway"})))?);
/// # let listener = json!({"name": "http", "port": 80, "protocol": "HTTP"});
/// # engine.apply(Object::read(&object(api, "Gateway", "web", json!({"gatewayClassName": "example", "listeners": [listener]})))?);
/// # engine.apply(Object::read(&object("v1", "Service", "cart", json!({"ports": [{"port": 8080}]})))?);
/// let route = object(api, "HTTPRoute", "cart", json!({
///     "parentRefs": [{"name": "web"}],
///     "rules": [{
///         "matches": [{"path": {"type": "PathPrefix", "value": "/cart"}}],
///         "backendRefs": [{"name": "cart", "port": 8080}],
///     }],
/// }));
/// engine.apply(Object::read(&route)?);
/// engine.take_changed(Time::EPOCH);
/// let table = Table::new(&engine, |_| Some(&route));
///
/// let at = "127.0.0.1:80".parse().expect("an address");
/// let request = |path: &str| http::Request::get(path).body(()).expect("a request").into_parts().0;
/// let forward = table.route(at, &mut request("/cart/items"), 0).expect("a backend");
/// assert_eq!(forward.service.to_string(), "Service/shop/cart");
/// assert_eq!(table.route(at, &mut request("/carting"), 0).expect_err("an answer").status(), 404);
/// # Ok::<(), allready_gateway::ObjectError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Table {
    listeners: Vec<Listener>,
}

#[derive(Clone, Debug)]
struct Listener {
    addresses: Vec<SocketAddr>,
    hostname: String,
    scheme: &'static str,
    #[cfg(feature = "tls")]
    certificate: Option<Arc<rustls::sign::CertifiedKey>>,
    entries: Vec<Entry>,
}

/// One of the matches of a rule, for one hostname.
#[derive(Clone, Debug)]
struct Entry {
    hostname: String,
    when: Match,
    rule: Arc<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    filters: Value,
    backends: Vec<Backend>,
}

#[derive(Clone, Debug, PartialEq)]
struct Backend {
    /// The Service and the name of its port; `None` if it is broken.
    found: Option<(ObjectKey, String)>,
    weight: u64,
    filters: Value,
}

/// The backend that a request is sent to.
#[derive(Clone, Debug)]
pub struct Forward<'a> {
    /// The Service.
    pub service: &'a ObjectKey,
    /// The name of its port, as an `EndpointSlice` has it; empty for one without a name.
    pub port: &'a str,
    filters: Filters<'a>,
}

impl Forward<'_> {
    /// Gives the request that was changed the URI of an endpoint of the Service. Its `Host` stays what the client or a filter has said.
    #[expect(clippy::expect_used, reason = "an address with a port is an authority, and a path follows it")]
    pub fn send_to(&self, endpoint: SocketAddr, request: &mut Parts) {
        let path = request.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(endpoint.to_string()).path_and_query(path);
        request.uri = uri.build().expect("a URI of legal parts");
    }

    /// Changes the headers of the backend's response on its way to the client.
    pub fn change_response(&self, headers: &mut HeaderMap) {
        self.filters.change_response(headers);
    }
}

impl Table {
    /// The table of an engine. `object` gives the routes that are in force, as the API server has completed them, and the Secrets of
    /// certificates; their metadata may be missing.
    pub fn new<'a>(engine: &Engine, object: impl Fn(&ObjectKey) -> Option<&'a Value>) -> Self {
        let mut listeners: Vec<Listener> =
            engine.listeners().map(|listener| listener_of(&listener, &object)).collect();
        listeners.sort_by_key(|listener| Reverse(rank(&listener.hostname)));
        Self { listeners }
    }

    /// Chooses the backend of a request that came in at this address, and changes the request as filters say; its URI becomes a path
    /// alone. Backends are chosen by weight: any `number` chooses, and random numbers share requests out.
    ///
    /// The listener is the one with the most specific hostname; routes of others on the port do not see the request.
    ///
    /// # Errors
    /// The answer where there is no backend: that of a filter that redirects, 404 where no rule matches, and 500 where the backend of a rule is
    /// broken, or none has a weight.
    pub fn route(
        &self,
        at: SocketAddr,
        request: &mut Parts,
        number: u64,
    ) -> Result<Forward<'_>, Response<()>> {
        let (listener, entry) = self.find(at, request).ok_or_else(|| answer(StatusCode::NOT_FOUND))?;
        let backend = entry.rule.backend(number);
        let filters = [&entry.rule.filters].into_iter().chain(backend.map(|backend| &backend.filters));
        let filters = Filters::new(filters.flat_map(list).collect(), entry.when.prefix());
        if let Some(redirect) = filters.redirect(listener.scheme, at.port(), request) {
            return Err(redirect);
        }
        let found = backend.and_then(|backend| backend.found.as_ref());
        let (service, port) = found.ok_or_else(|| answer(StatusCode::INTERNAL_SERVER_ERROR))?;
        filters.change_request(request);
        Ok(Forward { service, port, filters })
    }

    fn find(&self, at: SocketAddr, request: &Parts) -> Option<(&Listener, &Entry)> {
        let host = host(request);
        let listener = self.listener(at, host)?;
        let mut entries = listener.entries.iter();
        let entry = entries.find(|entry| has(&entry.hostname, host) && entry.when.meets(request));
        entry.map(|entry| (listener, entry))
    }

    fn listener(&self, at: SocketAddr, host: &str) -> Option<&Listener> {
        let mut listeners = self.listeners.iter().filter(|listener| listener.addresses.contains(&at));
        listeners.find(|listener| has(&listener.hostname, host))
    }
}

impl Rule {
    fn backend(&self, number: u64) -> Option<&Backend> {
        let total: u64 = self.backends.iter().map(|backend| backend.weight).sum();
        let mut left = number.checked_rem(total)?;
        self.backends.iter().find(|backend| {
            let is_chosen = left < backend.weight;
            left = left.saturating_sub(backend.weight);
            is_chosen
        })
    }
}

/// Tells whether a hostname is that of a request. One that names no host is for those alone that serve any.
fn has(hostname: &str, host: &str) -> bool {
    hostname.is_empty() || (!host.is_empty() && hostname::specificity(Some(hostname), host).is_some())
}

/// An answer with this status and nothing else.
pub fn answer(status: StatusCode) -> Response<()> {
    let mut answer = Response::new(());
    *answer.status_mut() = status;
    answer
}

fn listener_of<'a>(
    listener: &ServedListener<'_>,
    object: &impl Fn(&ObjectKey) -> Option<&'a Value>,
) -> Listener {
    let mut entries = Vec::new();
    for route in &listener.routes {
        let Some(spec) = object(route.key).map(|route| &route["spec"]) else { continue };
        for rule in &route.rules {
            let spec = &spec["rules"][rule.index];
            let backends = list(&spec["backendRefs"]).zip(&rule.backends);
            let backends = backends.map(|(reference, found)| backend_of(reference, found.as_ref())).collect();
            let rule = Arc::new(Rule { filters: spec["filters"].clone(), backends });
            let hostnames = if route.hostnames.is_empty() { &[""][..] } else { &route.hostnames };
            // A rule without matches is for every request: the default of the schema.
            let any = [json!({"path": {"type": "PathPrefix", "value": "/"}})];
            let matches = spec["matches"].as_array().filter(|matches| !matches.is_empty());
            let matches = matches.map_or(&any[..], Vec::as_slice).iter().filter_map(Match::read);
            for when in matches {
                let entry = |hostname: &&str| Entry {
                    hostname: (*hostname).to_owned(),
                    when: when.clone(),
                    rule: rule.clone(),
                };
                entries.extend(hostnames.iter().map(entry));
            }
        }
    }
    // What is equal stays as it is: older routes first, and rules as they stand in their route.
    entries.sort_by_key(|entry| Reverse((rank(&entry.hostname), entry.when.precedence())));
    let address = |value: &str| Some(SocketAddr::new(value.parse().ok()?, listener.spec.port));
    Listener {
        addresses: listener.addresses.iter().filter_map(|one| address(&one.value)).collect(),
        hostname: listener.spec.hostname.clone().unwrap_or_default(),
        scheme: if listener.spec.protocol == "HTTPS" { "https" } else { "http" },
        #[cfg(feature = "tls")]
        certificate: tls::certificate_of(listener, object),
        entries,
    }
}

fn backend_of(reference: &Value, found: Option<&AttachedBackend<'_>>) -> Backend {
    Backend {
        found: found.map(|found| (found.service.clone(), found.port.name.clone().unwrap_or_default())),
        weight: reference["weight"].as_u64().unwrap_or(1),
        filters: reference["filters"].clone(),
    }
}

/// Exact hostnames go before wildcards, longer ones before shorter ones.
fn rank(hostname: &str) -> (bool, usize) {
    (!hostname.is_empty() && !hostname.starts_with('*'), hostname.len())
}

/// The host of a request, without a port.
fn host(request: &Parts) -> &str {
    let header = request.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    let host = request.uri.authority().map(http::uri::Authority::as_str).or(header).unwrap_or_default();
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
