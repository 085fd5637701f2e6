//! Random histories: whatever happened, the incremental answer is the whole one, and what it says is legal.

use std::collections::{BTreeMap, BTreeSet};

use allready_core::{Condition, Generation, Status};
use allready_gateway::{
    Engine, Kind, ListenerStatus, Object, ObjectKey, ObjectStatus, Statuses, Support,
    catalog::{On, Presence, find, is_known},
};
use proptest::{prelude::*, sample::select};

use crate::world::{CONTROLLER, at, objects, show};

#[derive(Clone, Debug)]
enum Event {
    Apply(Box<Object>),
    Delete(ObjectKey),
    /// Everything that is to be written is written, and seen.
    Write,
}

fn object() -> impl Strategy<Value = Object> {
    let name = || select(vec!["a", "b"]);
    let namespace = || select(vec!["infra", "apps"]);
    let hostname = || select(vec!["", ", hostname: a.example.com", ", hostname: '*.example.com'"]);
    let protocol = || select(vec!["HTTP", "HTTPS", "TLS", "TCP", "UDP", "SCTP"]);
    let from = || select(vec!["Same", "All", "None", "Selector, selector: {matchLabels: {open: 'yes'}}"]);
    let listener = (select(vec![80, 81]), protocol(), hostname(), name(), namespace(), from()).prop_map(
        |(port, protocol, hostname, secret, namespace, from)| {
            format!("port: {port}, protocol: {protocol}{hostname}, tls: {{certificateRefs: [{{name: {secret}, namespace: {namespace}}}]}},
                allowedRoutes: {{namespaces: {{from: {from}}}}}")
        },
    );
    let listeners = prop::collection::vec(listener, 0..3).prop_map(|listeners| {
        let named = |(index, one): (usize, &String)| format!("{{name: l{index}, {one}}}");
        format!("[{}]", listeners.iter().enumerate().map(named).collect::<Vec<_>>().join(", "))
    });
    let kind = select(vec!["HTTPRoute", "TLSRoute", "TCPRoute", "UDPRoute"]);
    let parent = select(vec!["Gateway", "ListenerSet"]);
    let section = select(vec!["", ", sectionName: l0", ", port: 81"]);
    let filter = select(vec!["", "filters: [{type: Nonsense}], "]);
    let yaml = prop_oneof![
        (name(), namespace(), listeners.clone(), from(), select(vec!["a", "b", "c"])).prop_map(|(name, namespace, listeners, from, class)| {
            format!("- {{kind: Gateway, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{gatewayClassName: {class}, allowedListeners: {{namespaces: {{from: {from}}}}}, listeners: {listeners}}}}}")
        }),
        (name(), namespace(), listeners, name(), namespace(), 1..4).prop_map(|(name, namespace, listeners, parent, of, second)| {
            format!("- {{kind: ListenerSet, metadata: {{name: {name}, namespace: {namespace}, creationTimestamp: '2020-01-01T00:00:0{second}Z'}},
                spec: {{parentRef: {{name: {parent}, namespace: {of}}}, listeners: {listeners}}}}}")
        }),
        (kind, (name(), namespace()), parent, (name(), namespace()), section, filter, (name(), namespace())).prop_map(
            |(kind, (name, namespace), parent, (of, of_namespace), section, filter, (backend, backend_namespace))| {
                format!("- {{kind: {kind}, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{parentRefs: [{{kind: {parent}, name: {of}, namespace: {of_namespace}{section}}}, {{name: a}}],
                    rules: [{{{filter}backendRefs: [{{name: {backend}, namespace: {backend_namespace}, port: 80}}]}}, {{}}]}}}}")
            }
        ),
        (name(), namespace(), select(vec!["tls: good", "type: Opaque"])).prop_map(|(name, namespace, what)| {
            format!("- {{kind: Secret, metadata: {{name: {name}, namespace: {namespace}}}, {what}}}")
        }),
        (name(), namespace(), select(vec![80, 81])).prop_map(|(name, namespace, port)| {
            format!("- {{kind: Service, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{ports: [{{port: {port}}}]}}}}")
        }),
        (namespace(), select(vec!["{}", "{open: 'yes'}"])).prop_map(|(name, labels)| {
            format!("- {{kind: Namespace, metadata: {{name: {name}, labels: {labels}}}}}")
        }),
        (namespace(), namespace(), select(vec!["Gateway", "ListenerSet", "HTTPRoute"]), select(vec!["Secret", "Service"])).prop_map(|(namespace, from, kind, to)| {
            format!("- {{kind: ReferenceGrant, metadata: {{name: g, namespace: {namespace}}}, spec: {{
                from: [{{group: gateway.networking.k8s.io, kind: {kind}, namespace: {from}}}], to: [{{group: '', kind: {to}}}]}}}}")
        }),
        (name(), namespace(), name(), 1..4).prop_map(|(name, namespace, target, second)| {
            format!("- {{kind: BackendTLSPolicy, metadata: {{name: {name}, namespace: {namespace}, creationTimestamp: '2020-01-01T00:00:0{second}Z'}},
                spec: {{targetRefs: [{{group: '', kind: Service, name: {target}}}], validation: {{wellKnownCACertificates: System}}}}}}")
        }),
        (name(), select(vec![CONTROLLER, "example.org/other"]), select(vec!["", ", parametersRef: {group: x.io, kind: P, name: p}"])).prop_map(|(name, controller, parameters)| {
            format!("- {{kind: GatewayClass, metadata: {{name: {name}}}, spec: {{controllerName: {controller}{parameters}}}}}")
        }),
    ];
    yaml.prop_map(|yaml| objects(&yaml).remove(0))
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => object().prop_map(|object| Event::Apply(Box::new(object))),
        3 => object().prop_map(|object| Event::Delete(object.key)),
        1 => Just(Event::Write),
    ]
}

fn check_list(on: On, generation: Generation, conditions: &[Condition]) {
    for one in conditions {
        assert_eq!(one.observed_generation.unwrap_or_default(), generation, "{on:?} {one:?}");
        let info = find(on, one.type_.as_str()).expect("a type of the catalog");
        assert!(is_known(on, info.type_, one.status, one.reason.as_str()), "{on:?} {one:?}");
        assert!(info.presence != Presence::OnlyWhenTrue || one.status == Status::True, "{on:?} {one:?}");
    }
    for always in ["Accepted", "Programmed", "ResolvedRefs"] {
        let is_needed = find(on, always).is_some_and(|info| info.presence == Presence::Always);
        assert!(!is_needed || conditions.iter().any(|one| one.type_ == *always), "{on:?} {always}");
    }
    assert!(conditions.len() <= 8);
}

fn is_true(conditions: &[Condition], type_: &str) -> bool {
    conditions.iter().any(|one| one.type_ == *type_ && one.status == Status::True)
}

fn check_listeners(generation: Generation, listeners: &[ListenerStatus]) {
    for listener in listeners {
        check_list(On::Listener, generation, &listener.conditions);
        if is_true(&listener.conditions, "Programmed") {
            assert!(is_true(&listener.conditions, "Accepted"), "{listener:?}");
            assert!(is_true(&listener.conditions, "ResolvedRefs"), "{listener:?}");
            assert!(!is_true(&listener.conditions, "Conflicted"), "{listener:?}");
        }
    }
}

fn check(statuses: &Statuses, generation: impl Fn(&ObjectKey) -> Generation) {
    for (key, status) in statuses {
        let generation = generation(key);
        match status {
            ObjectStatus::GatewayClass(status) => {
                check_list(On::GatewayClass, generation, &status.conditions);
            }
            ObjectStatus::Gateway(status) => {
                check_list(On::Gateway, generation, &status.conditions);
                check_listeners(generation, &status.listeners);
                if is_true(&status.conditions, "Programmed") {
                    let own = status.listeners.iter().any(|one| is_true(&one.conditions, "Programmed"));
                    assert!(own || status.attached_listener_sets > Some(0), "{status:?}");
                    assert!(is_true(&status.conditions, "Accepted"), "{status:?}");
                }
            }
            ObjectStatus::ListenerSet(status) => {
                check_list(On::ListenerSet, generation, &status.conditions);
                check_listeners(generation, &status.listeners);
            }
            ObjectStatus::Route(status) => {
                status
                    .parents
                    .iter()
                    .for_each(|parent| check_list(On::RouteParent, generation, &parent.conditions));
            }
            ObjectStatus::Policy(status) => {
                status
                    .ancestors
                    .iter()
                    .for_each(|one| check_list(On::PolicyAncestor, generation, &one.conditions));
            }
        }
    }
}

/// Counts anew: a listener has no more routes than its object has accepted, and every accepted route is at some listener.
fn check_counts(statuses: &Statuses) {
    let mut accepted: BTreeMap<ObjectKey, BTreeSet<&ObjectKey>> = BTreeMap::new();
    for (key, status) in statuses {
        let ObjectStatus::Route(status) = status else { continue };
        for parent in status.parents.iter().filter(|parent| is_true(&parent.conditions, "Accepted")) {
            let of = &parent.parent_ref;
            let kind =
                if of.kind.as_deref() == Some("ListenerSet") { Kind::ListenerSet } else { Kind::Gateway };
            let namespace = of.namespace.as_deref().unwrap_or(&key.namespace);
            accepted.entry(ObjectKey::new(kind, namespace, &of.name)).or_default().insert(key);
        }
    }
    for (key, status) in statuses {
        let listeners = match status {
            ObjectStatus::Gateway(status) => &status.listeners,
            ObjectStatus::ListenerSet(status) => &status.listeners,
            _ => continue,
        };
        let counts = || listeners.iter().map(|listener| listener.attached_routes as usize);
        let routes = accepted.get(key).map_or(0, BTreeSet::len);
        assert!(
            counts().max().unwrap_or(0) <= routes && routes <= counts().sum(),
            "{key}: {routes} routes, {listeners:?}"
        );
    }
}

/// A listener is served if it is programmed, by the routes that its status counts.
fn check_served(engine: &Engine, statuses: &Statuses) {
    let served: BTreeMap<_, _> = engine
        .listeners()
        .map(|listener| ((listener.owner.clone(), listener.spec.name.clone()), listener.routes.len()))
        .collect();
    for (key, status) in statuses {
        let listeners = match status {
            ObjectStatus::Gateway(status) => &status.listeners,
            ObjectStatus::ListenerSet(status) if is_true(&status.conditions, "Accepted") => &status.listeners,
            _ => continue,
        };
        for listener in listeners {
            let found = served.get(&(key.clone(), listener.name.clone())).copied();
            let is_programmed = is_true(&listener.conditions, "Programmed");
            assert_eq!(
                found,
                is_programmed.then_some(listener.attached_routes as usize),
                "{key} {listener:?}"
            );
        }
    }
}

proptest! {
    #[test]
    fn after_any_history_the_incremental_answer_is_the_whole_one_and_nothing_is_green_that_is_red(
        history in prop::collection::vec(event(), 1..60),
    ) {
        let support = Support::new(CONTROLLER);
        let mut engine = Engine::new(support.clone());
        let mut known: BTreeMap<ObjectKey, Object> = BTreeMap::new();
        for event in history {
            match event {
                Event::Apply(mut object) => {
                    // A client that changes a spec leaves the status as it is.
                    let before = known.get(&object.key);
                    object.status = before.and_then(|before| before.status.clone());
                    let generation = before.map_or(0, |before| before.generation.get());
                    object.generation = Generation::new(generation + 1).expect("a number");
                    known.insert(object.key.clone(), (*object).clone());
                    engine.apply(*object);
                }
                Event::Delete(key) => {
                    known.remove(&key);
                    engine.delete(&key);
                }
                Event::Write => {
                    for (key, status) in engine.take_changed(at(1)) {
                        let object = known.get_mut(&key).expect("an object that is there");
                        object.status = Some(status);
                        engine.apply(object.clone());
                    }
                }
            }
        }
        engine.take_changed(at(1));
        let whole = allready_gateway::status(known.values().cloned(), &support, at(1));
        prop_assert_eq!(show(&engine.statuses()), show(&whole));
        prop_assert_eq!(engine.statuses(), whole.clone());
        prop_assert!(whole.keys().all(|key| key.kind >= Kind::GatewayClass));
        check(&whole, |key| known[key].generation);
        check_counts(&whole);
        let mut anew = Engine::new(support);
        for object in known.into_values() {
            anew.apply(object);
        }
        anew.take_changed(at(1));
        prop_assert_eq!(engine.listeners().collect::<Vec<_>>(), anew.listeners().collect::<Vec<_>>());
        check_served(&engine, &whole);
    }

    #[test]
    fn no_value_makes_it_panic(
        kind in select(Kind::ALL.to_vec()),
        spec in json(),
        status in json(),
    ) {
        let value = serde_json::json!({
            "apiVersion": if kind.group().is_empty() { "v1".to_owned() } else { format!("{}/v1", kind.group()) },
            "kind": kind.as_str(),
            "metadata": {"name": "a", "namespace": spec, "labels": status, "generation": status},
            "spec": spec, "data": spec, "type": "kubernetes.io/tls", "status": status,
        });
        let mut all = objects("- {kind: GatewayClass, metadata: {name: a}}
- {kind: Gateway, metadata: {name: a}, spec: {gatewayClassName: a, listeners: [{name: a, port: 80, protocol: HTTP}]}}
- {kind: HTTPRoute, metadata: {name: a}, spec: {parentRefs: [{name: a}]}}");
        all.push(Object::read(&value).expect("an object with a name"));
        let generations: BTreeMap<_, _> = all.iter().map(|object| (object.key.clone(), object.generation)).collect();
        let statuses = allready_gateway::status(all, &Support::new(CONTROLLER), at(1));
        prop_assert!(statuses.keys().all(|key| generations.contains_key(key)));
    }
}

/// Values with the names of fields that matter.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        select(vec!["", "a", "HTTP", "Gateway", "Terminate", "System", "*.", "*"]).prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        let name = select(vec![
            "listeners",
            "name",
            "port",
            "protocol",
            "hostname",
            "tls",
            "parentRefs",
            "parentRef",
            "rules",
            "backendRefs",
            "filters",
            "gatewayClassName",
            "controllerName",
            "allowedRoutes",
            "kinds",
            "namespaces",
            "from",
            "to",
            "group",
            "kind",
            "targetRefs",
            "validation",
            "conditions",
            "parents",
            "ancestors",
            "type",
            "status",
            "reason",
            "hostnames",
            "certificateRefs",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map(name, inner, 0..6).prop_map(|map| map
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v))
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}
