//! Manifests as a YAML list, and statuses as words.

use std::collections::BTreeMap;

use allready_core::{Condition, Time};
use allready_gateway::{Engine, Kind, Object, ObjectStatus, RouteGroupKind, Statuses, Support};
use serde_json::{Value, json};

pub(crate) const CONTROLLER: &str = "example.com/gateway";

/// A certificate and its key.
pub(crate) const CERTIFICATE: &str = include_str!("../certificates/ec.crt");
pub(crate) const KEY: &str = include_str!("../certificates/ec.key");

/// Objects of a YAML list. What is left out is filled in: apiVersion, namespace `infra`, class `example`, generation 1; `tls: good` of a
/// Secret and `ca: good` of a ConfigMap stand for certificates.
pub(crate) fn objects(yaml: &str) -> Vec<Object> {
    let list: Vec<Value> = serde_saphyr::from_str(yaml).expect("a list of objects");
    list.into_iter().map(|value| Object::read(&fill(value)).expect("an object of a known kind")).collect()
}

fn fill(mut value: Value) -> Value {
    let name = value["kind"].as_str().expect("a kind").to_owned();
    let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == name).expect("a known kind");
    let group = kind.group();
    value["apiVersion"] = if group.is_empty() { "v1".into() } else { format!("{group}/v1").into() };
    if value["metadata"].get("namespace").is_none() {
        value["metadata"]["namespace"] = "infra".into();
    }
    if value["metadata"].get("generation").is_none() {
        value["metadata"]["generation"] = 1.into();
    }
    if kind == Kind::Gateway && value["spec"].get("gatewayClassName").is_none() {
        value["spec"]["gatewayClassName"] = "example".into();
    }
    if kind == Kind::GatewayClass && value.get("spec").is_none() {
        value["spec"] = json!({"controllerName": CONTROLLER});
    }
    if value.get("tls").is_some() {
        value["type"] = "kubernetes.io/tls".into();
        value["stringData"] = json!({"tls.crt": CERTIFICATE, "tls.key": KEY});
    }
    if value.get("ca").is_some() {
        value["data"] = json!({"ca.crt": CERTIFICATE});
    }
    value
}

pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) support: Support,
    known: BTreeMap<String, Object>,
}

impl World {
    /// A world with the class `example`, and these objects.
    pub(crate) fn new(yaml: &str) -> Self {
        Self::with(Support::new(CONTROLLER), yaml)
    }

    pub(crate) fn with(support: Support, yaml: &str) -> Self {
        let mut world = Self { engine: Engine::new(support.clone()), support, known: BTreeMap::new() };
        world.apply("- {kind: GatewayClass, metadata: {name: example}}");
        world.apply(yaml);
        world
    }

    pub(crate) fn apply(&mut self, yaml: &str) {
        for object in objects(yaml) {
            self.known.insert(object.key.to_string(), object.clone());
            self.engine.apply(object);
        }
    }

    pub(crate) fn delete(&mut self, key: &str) {
        let object = self.known.remove(key).expect("an object that is there");
        self.engine.delete(&object.key);
    }

    /// Stores what is to be written, as a controller does.
    pub(crate) fn write(&mut self, now: i64) -> Statuses {
        let changed = self.engine.take_changed(at(now));
        for (key, status) in &changed {
            let object = self.known.get_mut(&key.to_string()).expect("an object that is there");
            object.status = Some(status.clone());
            self.engine.apply(object.clone());
        }
        changed
    }

    /// Every status in words, after checking that the whole and the incremental answer agree.
    pub(crate) fn shown(&mut self) -> BTreeMap<String, String> {
        self.engine.take_changed(at(1));
        let whole = allready_gateway::status(self.known.values().cloned(), &self.support, at(1));
        assert_eq!(show(&self.engine.statuses()), show(&whole), "one change at a time comes to the same");
        show(&whole)
    }

    /// Expects these words for each status: `Type=Status:Reason`, `routes=1`, `kinds=HTTPRoute`, or `!word` for one that is not there.
    #[track_caller]
    pub(crate) fn expect(&mut self, expected: &[(&str, &str)]) {
        let shown = self.shown();
        for (key, words) in expected {
            let Some(found) = shown.get(*key) else {
                assert_eq!(*words, "", "{key} has no status, but {:?} have", shown.keys());
                continue;
            };
            assert_ne!(*words, "", "{key} has a status: {found}");
            for word in words.split_whitespace() {
                let is_there = |word: &str| {
                    found.split(' ').any(|one| one == word || one.starts_with(&format!("{word}=")))
                };
                match word.strip_prefix('!') {
                    Some(word) => assert!(!is_there(word), "{key} has {word}: {found}"),
                    None => assert!(is_there(word), "{key} does not have {word}: {found}"),
                }
            }
        }
    }
}

pub(crate) fn at(second: i64) -> Time {
    Time::from_second(second).expect("a time")
}

/// Statuses by object, `object listener` and `object parent`.
pub(crate) fn show(statuses: &Statuses) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::new();
    for (key, status) in statuses {
        match status {
            ObjectStatus::GatewayClass(status) => {
                shown.insert(key.to_string(), conditions(&status.conditions));
            }
            ObjectStatus::Gateway(status) => {
                let sets = status.attached_listener_sets.unwrap_or_default();
                let addresses: Vec<_> =
                    status.addresses.iter().map(|address| address.value.as_str()).collect();
                let words = format!("sets={sets} addresses={}", addresses.join(","));
                shown.insert(key.to_string(), format!("{} {words}", conditions(&status.conditions)));
                listeners(key, &status.listeners, &mut shown);
            }
            ObjectStatus::ListenerSet(status) => {
                shown.insert(key.to_string(), conditions(&status.conditions));
                listeners(key, &status.listeners, &mut shown);
            }
            ObjectStatus::Route(status) => {
                for parent in &status.parents {
                    let section = parent.parent_ref.section_name.as_ref().map(|name| format!("#{name}"));
                    let name = format!("{key} {}{}", parent.parent_ref.name, section.unwrap_or_default());
                    shown.insert(name, conditions(&parent.conditions));
                }
            }
            ObjectStatus::Policy(status) => {
                for ancestor in &status.ancestors {
                    shown.insert(
                        format!("{key} {}", ancestor.ancestor_ref.name),
                        conditions(&ancestor.conditions),
                    );
                }
            }
        }
    }
    shown
}

fn listeners(
    key: &allready_gateway::ObjectKey,
    listeners: &[allready_gateway::ListenerStatus],
    shown: &mut BTreeMap<String, String>,
) {
    for listener in listeners {
        let kinds: Vec<_> =
            listener.supported_kinds.iter().map(|RouteGroupKind { kind, .. }| kind.as_str()).collect();
        let words = format!("routes={} kinds={}", listener.attached_routes, kinds.join(","));
        shown.insert(
            format!("{key} {}", listener.name),
            format!("{} {words}", conditions(&listener.conditions)),
        );
    }
}

fn conditions(list: &[Condition]) -> String {
    let word = |one: &Condition| {
        let generation = one.observed_generation.unwrap_or_default();
        format!("{}={}:{} {}@{generation}", one.type_, one.status, one.reason, one.type_)
    };
    let words: Vec<String> = list.iter().map(word).collect();
    words.join(" ")
}
