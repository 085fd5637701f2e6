//! The data plane's half of `HTTPRoute`, by the rules of the Gateway API: the rule that a request meets, its backend, and what filters change.
//!
//! The engine says which routes are in force where; what they match and change is read from their specs, which it does not keep.

mod filter;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, net::SocketAddr, sync::Arc};

use http::request::Parts;
use regex::Regex;
use serde_json::{Value, json};

pub use self::filter::Filters;
use crate::{AttachedBackend, Engine, ObjectKey, ServedListener, hostname};

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
/// let table = Table::new(&engine, |_| Some(&route["spec"]));
///
/// let at = "127.0.0.1:80".parse().expect("an address");
/// let request = |path: &str| http::Request::get(path).body(()).expect("a request").into_parts().0;
/// let rule = table.find(at, &request("/cart/items")).expect("a rule");
/// let backend = rule.backend(0).expect("a backend with a weight");
/// assert_eq!(backend.found.as_ref().expect("one that may be used").0.to_string(), "Service/shop/cart");
/// assert!(table.find(at, &request("/carting")).is_none(), "answer 404");
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
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    hostname: String,
    when: Value,
    rule: Arc<Rule>,
}

/// A rule that a request meets.
#[derive(Clone, Debug)]
struct Rule {
    filters: Value,
    backends: Vec<Backend>,
}

/// A backend of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Backend {
    /// The Service and the name of its port; `None` if it is broken: answer 500.
    pub found: Option<(ObjectKey, String)>,
    weight: u64,
    filters: Value,
}

/// The rule that a request meets.
#[derive(Clone, Copy, Debug)]
pub struct Matched<'a> {
    entry: &'a Entry,
}

impl<'a> Matched<'a> {
    /// The backend of a request, by weight: any number chooses, and random numbers share requests out. `None` if no backend has a weight:
    /// answer 500, unless a filter redirects.
    pub fn backend(self, number: u64) -> Option<&'a Backend> {
        let backends = &self.entry.rule.backends;
        let total: u64 = backends.iter().map(|backend| backend.weight).sum();
        let mut left = number.checked_rem(total)?;
        backends.iter().find(|backend| {
            let is_chosen = left < backend.weight;
            left = left.saturating_sub(backend.weight);
            is_chosen
        })
    }

    /// The filters of the rule, and those of the backend.
    pub fn filters(self, backend: Option<&'a Backend>) -> Filters<'a> {
        let own = list(&self.entry.rule.filters);
        let path = &self.entry.when["path"];
        let prefix = if path["type"] == "PathPrefix" { text(&path["value"]) } else { "" };
        Filters::new(
            own.chain(backend.into_iter().flat_map(|backend| list(&backend.filters))).collect(),
            prefix,
        )
    }
}

impl Table {
    /// The table of an engine, with the specs of its routes, as the API server has completed them.
    pub fn new<'a>(engine: &Engine, spec: impl Fn(&ObjectKey) -> Option<&'a Value>) -> Self {
        let mut listeners: Vec<Listener> =
            engine.listeners().map(|listener| listener_of(&listener, &spec)).collect();
        listeners.sort_by_key(|listener| Reverse(rank(&listener.hostname)));
        Self { listeners }
    }

    /// The rule for a request that came in at this address; `None` if there is none: answer 404.
    ///
    /// The listener is the one with the most specific hostname; routes of others on the port do not see the request.
    pub fn find(&self, at: SocketAddr, request: &Parts) -> Option<Matched<'_>> {
        let host = host(request);
        let has = |hostname: &str| hostname::specificity(Some(hostname), host).is_some();
        let mut listeners = self.listeners.iter().filter(|listener| listener.addresses.contains(&at));
        let listener = listeners.find(|listener| has(&listener.hostname))?;
        let entry = listener.entries.iter().find(|entry| has(&entry.hostname) && meets(&entry.when, request));
        entry.map(|entry| Matched { entry })
    }
}

fn listener_of<'a>(
    listener: &ServedListener<'_>,
    spec: &impl Fn(&ObjectKey) -> Option<&'a Value>,
) -> Listener {
    let mut entries = Vec::new();
    for route in &listener.routes {
        let Some(spec) = spec(route.key) else { continue };
        for rule in &route.rules {
            let spec = &spec["rules"][rule.index];
            let backends = list(&spec["backendRefs"]).zip(&rule.backends);
            let backends = backends.map(|(reference, found)| backend_of(reference, found.as_ref())).collect();
            let rule = Arc::new(Rule { filters: spec["filters"].clone(), backends });
            let hostnames = if route.hostnames.is_empty() { &[""][..] } else { &route.hostnames };
            // A rule without matches is for every request: the default of the schema.
            let any = [json!({"path": {"type": "PathPrefix", "value": "/"}})];
            let matches = spec["matches"].as_array().filter(|matches| !matches.is_empty());
            for hostname in hostnames {
                let entry = |when: &Value| Entry {
                    hostname: (*hostname).to_owned(),
                    when: when.clone(),
                    rule: rule.clone(),
                };
                entries.extend(matches.map_or(&any[..], Vec::as_slice).iter().map(entry));
            }
        }
    }
    // What is equal stays as it is: older routes first, and rules as they stand in their route.
    entries.sort_by_key(|entry| Reverse((rank(&entry.hostname), precedence(&entry.when))));
    let address = |value: &str| Some(SocketAddr::new(value.parse().ok()?, listener.spec.port));
    Listener {
        addresses: listener.addresses.iter().filter_map(|one| address(&one.value)).collect(),
        hostname: listener.spec.hostname.clone().unwrap_or_default(),
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

/// An exact path goes first, then the longest one, then a method, then the most headers, then the most query parameters.
fn precedence(when: &Value) -> (bool, usize, bool, usize, usize) {
    let count = |field: &str| list(&when[field]).count();
    let path = &when["path"];
    let is_exact = path["type"] == "Exact";
    (is_exact, text(&path["value"]).len(), when["method"].is_string(), count("headers"), count("queryParams"))
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

fn meets(when: &Value, request: &Parts) -> bool {
    let header = |one: &Value| {
        let found = request.headers.get(text(&one["name"])).and_then(|value| value.to_str().ok());
        found.is_some_and(|found| holds(one, found))
    };
    let query = request.uri.query().unwrap_or_default().as_bytes();
    let parameter = |one: &Value| {
        let mut pairs = form_urlencoded::parse(query);
        pairs.find(|(name, _)| *name == text(&one["name"])).is_some_and(|(_, found)| holds(one, &found))
    };
    let path = &when["path"];
    (path.is_null() || holds(path, request.uri.path()))
        && when["method"].as_str().is_none_or(|method| request.method == method)
        && list(&when["headers"]).all(header)
        && list(&when["queryParams"]).all(parameter)
}

fn holds(condition: &Value, found: &str) -> bool {
    let wanted = text(&condition["value"]);
    match text(&condition["type"]) {
        "PathPrefix" => rest(found, wanted).is_some(),
        // A rule with a bad one is dropped, and told, where `Support` has `check_regex`.
        "RegularExpression" => regex(wanted).is_ok_and(|regex| regex.is_match(found)),
        _ => found == wanted,
    }
}

/// Checks a regular expression of a match as [`Table`] reads it, for [`Support::check_regex`](crate::Support::check_regex).
///
/// ```
/// use allready_gateway::{Support, http::check_regex};
///
/// let support = Support { check_regex, ..Support::new("example.com/gateway") };
/// assert!((support.check_regex)("/v[0-9]+/.*").is_ok());
/// assert!((support.check_regex)("/v[0-9").is_err());
/// ```
pub fn check_regex(wanted: &str) -> Result<(), String> {
    regex(wanted).map(drop).map_err(|error| {
        // The last line says what; those before it point at where, in a fixed width.
        let text = error.to_string();
        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// A regular expression for the whole of a value.
fn regex(wanted: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{wanted})$"))
}

/// The rest of a path after a prefix of whole elements.
fn rest<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
