//! The part of the answer that a data plane needs: listeners in force, the routes attached to each, and the backends of their rules.

use std::collections::BTreeMap;

use crate::{
    Engine, Kind, Object, ObjectKey,
    engine::Outcome,
    gateway::Tree,
    hostname,
    object::{Address, Listener, ServicePort, Spec},
    route::RouteOutcome,
    store::service_key,
};

/// A listener that is programmed: traffic to it is to be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedListener<'a> {
    /// Its Gateway.
    pub gateway: &'a ObjectKey,
    /// The object that it stands in: the Gateway, or a ListenerSet.
    pub owner: &'a ObjectKey,
    /// Its name, port, protocol, hostname and certificates.
    pub spec: &'a Listener,
    /// The addresses of its Gateway.
    pub addresses: &'a [Address],
    /// The routes that are attached to it, in their order of precedence: older ones first, then by `namespace/name`.
    pub routes: Vec<AttachedRoute<'a>>,
}

/// A route that is attached to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedRoute<'a> {
    /// The route.
    pub key: &'a ObjectKey,
    /// The hostnames that both the route and the listener have; any if there is none.
    pub hostnames: Vec<&'a str>,
    /// Its rules, without those that the status calls dropped.
    pub rules: Vec<AttachedRule<'a>>,
}

/// A rule of a route that is attached to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedRule<'a> {
    /// Its place in `spec.rules`.
    pub index: usize,
    /// Its backends, as they stand in `backendRefs`; `None` for one that does not exist, may not be named, or cannot be spoken to.
    pub backends: Vec<Option<AttachedBackend<'a>>>,
}

/// A backend of a rule that exists and that the route may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedBackend<'a> {
    /// The Service.
    pub service: ObjectKey,
    /// Its port; an `EndpointSlice` has it by its name.
    pub port: &'a ServicePort,
}

impl Engine {
    /// Every listener that is programmed, by Gateway, with the routes attached to it: as of the last
    /// [`take_changed`](Self::take_changed), so that it agrees with the statuses.
    ///
    /// ```
    /// use allready_core::Time;
    /// use allready_gateway::{Engine, Object, Support};
    /// use serde_json::{Value, json};
    ///
    /// let object = |api: &str, kind: &str, name: &str, spec: Value| {
    ///     let metadata = json!({"name": name, "namespace": "shop"});
    ///     Object::read(&json!({"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}))
    /// };
    /// let api = "gateway.networking.k8s.io/v1";
    /// let mut engine = Engine::new(Support::new("example.com/gateway"));
    /// engine.apply(object(api, "GatewayClass", "example", json!({"controllerName": "example.com/gateway"}))?);
    /// let listener = json!({"name": "http", "port": 80, "protocol": "HTTP", "hostname": "*.example.com"});
    /// engine.apply(object(api, "Gateway", "web", json!({"gatewayClassName": "example", "listeners": [listener]}))?);
    /// engine.apply(object(api, "HTTPRoute", "cart", json!({
    ///     "parentRefs": [{"name": "web"}],
    ///     "hostnames": ["cart.example.com", "example.org"],
    ///     "rules": [{"backendRefs": [{"name": "cart", "port": 8080}, {"name": "missing", "port": 8080}]}],
    /// }))?);
    /// engine.apply(object("v1", "Service", "cart", json!({"ports": [{"port": 8080}]}))?);
    /// engine.take_changed(Time::EPOCH);
    ///
    /// let listener = engine.listeners().next().expect("a listener that is programmed");
    /// assert_eq!((listener.spec.port, &*listener.addresses[0].value), (80, "127.0.0.1"));
    /// let route = &listener.routes[0];
    /// assert_eq!(route.hostnames, ["cart.example.com"]);
    /// assert_eq!(route.rules[0].backends[0].as_ref().unwrap().service.to_string(), "Service/shop/cart");
    /// assert_eq!(route.rules[0].backends[1], None, "answer 500 to its share of requests");
    /// # Ok::<(), allready_gateway::ObjectError>(())
    /// ```
    pub fn listeners(&self) -> impl Iterator<Item = ServedListener<'_>> {
        let gateways: BTreeMap<&ObjectKey, &Outcome> =
            self.outcomes.iter().filter(|(key, _)| key.kind == Kind::Gateway).collect();
        gateways.into_keys().flat_map(|gateway| self.listeners_of(gateway))
    }

    /// The listeners of one Gateway that are programmed, as [`listeners`](Self::listeners) has them.
    pub fn listeners_of<'a>(&'a self, gateway: &ObjectKey) -> impl Iterator<Item = ServedListener<'a>> {
        let found = self.outcomes.get_key_value(gateway).and_then(|(gateway, outcome)| match outcome {
            Outcome::Tree(tree) if tree.refused.is_none() => Some((gateway, tree)),
            _ => None,
        });
        found.into_iter().flat_map(|(gateway, tree)| self.served(gateway, tree))
    }

    fn served<'a>(
        &'a self,
        gateway: &'a ObjectKey,
        tree: &'a Tree,
    ) -> impl Iterator<Item = ServedListener<'a>> {
        let in_force = tree.groups.iter().filter(|group| tree.addresses.is_ok() && group.refused.is_none());
        let states = in_force.flat_map(|group| group.listeners.iter().map(move |state| (group, state)));
        states.filter(|(_, state)| state.is_good()).filter_map(move |(group, state)| {
            let listeners = match &self.store.get(&group.owner)?.spec {
                Spec::Gateway(spec) => &spec.listeners,
                Spec::ListenerSet(spec) => &spec.listeners,
                _ => return None,
            };
            let spec = listeners.iter().find(|one| one.name == state.attach.name)?;
            let keys = self.attached.get(&(group.owner.clone(), state.attach.name.clone()));
            let mut routes: Vec<&Object> =
                keys.into_iter().flatten().filter_map(|key| self.store.get(key)).collect();
            routes.sort_by_cached_key(|route| {
                let name = format!("{}/{}", route.key.namespace, route.key.name);
                (route.created.is_none(), route.created, name)
            });
            let routes = routes.into_iter().filter_map(|route| self.attached_route(route, spec)).collect();
            let addresses = tree.addresses.as_deref().unwrap_or_default();
            Some(ServedListener { gateway, owner: &group.owner, spec, addresses, routes })
        })
    }

    fn attached_route<'a>(&'a self, route: &'a Object, listener: &'a Listener) -> Option<AttachedRoute<'a>> {
        let Spec::Route(spec) = &route.spec else { return None };
        let Some(Outcome::Route(outcome)) = self.outcomes.get(&route.key) else { return None };
        let own = listener.hostname.as_deref().filter(|hostname| !hostname.is_empty());
        let hostnames = match own {
            Some(own) if spec.hostnames.is_empty() => vec![own],
            own => {
                spec.hostnames.iter().filter_map(|hostname| hostname::intersection(own, hostname)).collect()
            }
        };
        let is_in_force = |index: &usize| !outcome.dropped_rules.contains(index);
        let rules = (0..spec.rules.len())
            .filter(is_in_force)
            .map(|index| AttachedRule { index, backends: self.backends(route, outcome, index) });
        Some(AttachedRoute { key: &route.key, hostnames, rules: rules.collect() })
    }

    fn backends<'a>(
        &'a self,
        route: &Object,
        outcome: &RouteOutcome,
        rule: usize,
    ) -> Vec<Option<AttachedBackend<'a>>> {
        let Spec::Route(spec) = &route.spec else { return Vec::new() };
        let references = spec.rules.get(rule).map(|rule| &rule.backend_refs);
        let one = |(place, backend)| {
            if outcome.broken.contains(&(rule, place)) {
                return None;
            }
            let service = service_key(backend, &route.key.namespace)?;
            let Spec::Service(found) = &self.store.get(&service)?.spec else { return None };
            let port = found.ports.iter().find(|port| Some(port.port) == backend.port)?;
            Some(AttachedBackend { service, port })
        };
        references.into_iter().flatten().enumerate().map(one).collect()
    }
}
