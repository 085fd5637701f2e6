//! An engine, and the objects of an API server.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_core::Time;
use allready_gateway::{Kind, Object, ObjectKey, Support};
use allready_kube::{list_watch::WatchEvent, refusal::Refusal};
use kube::api::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::super::{
    CONTROLLER_NAME,
    reconciler::{GatewayEvent, GatewayReconciler, Seen, Target, full},
    served::Served,
};
use crate::engine::{Engine, Now, Reconciler as _};

pub(super) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(super) fn at(elapsed: Duration, term: Option<u64>) -> Now {
    let time = Time::from_second(1_000 + i64::try_from(elapsed.as_secs()).unwrap()).unwrap();
    Now { elapsed, time, term }
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    let is_core = kind == "Secret";
    let api_version = if is_core { "v1" } else { "gateway.networking.k8s.io/v1" };
    let mut metadata = json!({ "name": name, "uid": format!("uid-of-{name}") });
    if kind != "GatewayClass" {
        metadata["namespace"] = json!("shop");
    }
    json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec })
}

pub(super) fn class() -> Value {
    object("GatewayClass", "example", &json!({ "controllerName": CONTROLLER_NAME }))
}

/// A Gateway with these listeners: `https` needs a Secret, and `broken` has a protocol that nobody knows.
pub(super) fn gateway(listeners: &[&str]) -> Value {
    let listener = |(index, &name): (usize, &&str)| {
        let certificates = json!({ "certificateRefs": [{ "name": "certificate" }] });
        let (protocol, tls) = match name {
            "https" => ("HTTPS", certificates),
            "broken" => ("example.com/none", Value::Null),
            _ => ("HTTP", Value::Null),
        };
        json!({ "name": name, "port": 8000 + index, "protocol": protocol, "tls": tls })
    };
    let listeners: Vec<Value> = listeners.iter().enumerate().map(listener).collect();
    object("Gateway", "web", &json!({ "gatewayClassName": "example", "listeners": listeners }))
}

pub(super) fn route(name: &str, parents: &[&str]) -> Value {
    let parents: Vec<Value> = parents.iter().map(|name| json!({ "name": name })).collect();
    object("HTTPRoute", name, &json!({ "parentRefs": parents }))
}

/// A Secret with a certificate and its key.
pub(super) fn secret() -> Value {
    let mut secret = object("Secret", "certificate", &Value::Null);
    secret["type"] = json!("kubernetes.io/tls");
    secret["stringData"] = json!({
        "tls.crt": include_str!("../../../../allready-gateway/tests/certificates/ec.crt"),
        "tls.key": include_str!("../../../../allready-gateway/tests/certificates/ec.key"),
    });
    secret
}

pub(super) fn served() -> Served {
    let named = |kind: Kind| {
        let version = GroupVersionKind::gvk(kind.group(), "v1", kind.as_str());
        (kind, ApiResource::from_gvk(&version))
    };
    Served { kinds: Kind::ALL.into_iter().map(named).collect(), bundle_version: None }
}

/// The status of a condition in a list.
pub(super) fn condition(conditions: &Value, type_: &str) -> String {
    let found = conditions.as_array().into_iter().flatten().find(|one| one["type"] == type_);
    found.and_then(|found| found["status"].as_str()).unwrap_or_default().to_owned()
}

pub(super) struct Stage {
    pub(super) engine: Engine<GatewayReconciler>,
    objects: BTreeMap<String, Value>,
    version: u64,
    /// The way in which writes fail at present.
    pub(super) failing: Option<Refusal>,
}

fn key(object: &Value) -> ObjectKey {
    Object::read(object).unwrap().key
}

impl Stage {
    pub(super) fn new() -> Self {
        let mut support = Support::new(CONTROLLER_NAME);
        support.classes = Some(["example".to_owned()].into());
        let mut engine = Engine::new(GatewayReconciler::new(support), GatewayReconciler::queue());
        engine.observe(GatewayEvent::Served(Ok(served())), at(ms(0), None));
        Self { engine, objects: BTreeMap::new(), version: 0, failing: None }
    }

    /// Has room for so many bytes only.
    pub(super) fn within(bytes: usize) -> Self {
        let mut stage = Self::new();
        let mut support = Support::new(CONTROLLER_NAME);
        support.classes = Some(["example".to_owned()].into());
        let reconciler = GatewayReconciler::new(support).within(bytes);
        stage.engine = Engine::new(reconciler, GatewayReconciler::queue());
        stage.engine.observe(GatewayEvent::Served(Ok(served())), at(ms(0), None));
        stage
    }

    /// Has listed everything and written what these objects need.
    pub(super) fn with(objects: impl IntoIterator<Item = Value>) -> Self {
        let mut stage = Self::new();
        for object in objects {
            stage.put(object);
        }
        stage.list_all(ms(0));
        stage.until(ms(0), ms(1_000));
        stage
    }

    /// Stores an object that no watch has shown; it keeps its status.
    pub(super) fn put(&mut self, mut object: Value) {
        self.version += 1;
        let name = key(&object).to_string();
        let before = self.objects.get(&name);
        let generation = before.map_or(0, |before| before["metadata"]["generation"].as_u64().unwrap());
        object["metadata"]["generation"] = json!(generation + 1);
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        if let Some(status) = before.and_then(|before| before.get("status")) {
            object["status"] = status.clone();
        }
        self.objects.insert(name, object);
    }

    pub(super) fn see(&mut self, kind: Kind, event: WatchEvent<ObjectKey, Option<Arc<Seen>>>, now: Duration) {
        self.engine.observe(GatewayEvent::Object(kind, event), at(now, None));
    }

    fn show(&mut self, object: &Value, now: Duration) {
        let key = key(object);
        self.see(key.kind, WatchEvent::Apply(key, Seen::read(object).map(Arc::new)), now);
    }

    /// Stores an object, and a watch shows it.
    pub(super) fn apply(&mut self, object: Value, now: Duration) {
        let name = key(&object).to_string();
        self.put(object);
        self.show(&self.get(&name), now);
    }

    pub(super) fn delete(&mut self, name: &str, now: Duration) {
        if let Some(object) = self.objects.remove(name) {
            let key = key(&object);
            self.see(key.kind, WatchEvent::Delete(key), now);
        }
    }

    pub(super) fn get(&self, name: &str) -> Value {
        self.objects[name].clone()
    }

    pub(super) fn list(&mut self, kind: Kind, now: Duration) {
        self.see(kind, WatchEvent::Init, now);
        let objects: Vec<Value> = self.objects.values().cloned().collect();
        for object in objects.iter().filter(|object| key(object).kind == kind) {
            self.show(object, now);
        }
        self.see(kind, WatchEvent::InitDone, now);
    }

    pub(super) fn list_all(&mut self, now: Duration) {
        for kind in Kind::ALL {
            self.list(kind, now);
        }
    }

    pub(super) fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        self.engine.reconciler.watches()
    }

    /// Decides, and writes nothing: it is too early.
    pub(super) fn step_without_time(&mut self, now: Duration) {
        assert!(self.engine.step(true, at(now, None)).is_empty());
    }

    /// The writes that leave now.
    pub(super) fn take(&mut self, now: Duration) -> Vec<(Target, Value)> {
        let writes = self.engine.step(true, at(now, None)).into_iter();
        writes.map(|(target, body)| (target, body.unwrap())).collect()
    }

    /// Lets a write arrive: it is taken in the version that it was made for.
    pub(super) fn arrive(&mut self, (target, body): (Target, Value), now: Duration) -> Result<(), Refusal> {
        let written = match (&target, self.objects.get_mut(&target.object().to_string())) {
            (Target::Finding(_), _) => Ok(None),
            (_, None) => Err(Refusal::NotFound),
            _ if self.failing.is_some() => Err(self.failing.unwrap()),
            (_, Some(object)) if object["metadata"]["resourceVersion"] != body["version"] => {
                Err(Refusal::Conflict)
            }
            (_, Some(object)) => {
                self.version += 1;
                let mut status = body["status"].clone();
                status.as_object_mut().unwrap().retain(|_, field| !field.is_null());
                object["status"] = status;
                object["metadata"]["resourceVersion"] = json!(self.version.to_string());
                Ok(Some(object.clone()))
            }
        };
        let result = written.as_ref().map(drop).map_err(|refusal| *refusal);
        let answer = written.map_err(|refusal| (refusal, "refused".to_owned()));
        self.engine.written(&target, answer, 1.0, at(now, None));
        result
    }

    /// Lets time pass up to this; returns what was written.
    pub(super) fn until(&mut self, mut now: Duration, end: Duration) -> Vec<String> {
        let mut written = Vec::new();
        loop {
            for write in self.take(now) {
                let name = match &write.0 {
                    Target::Status(key) => key.to_string(),
                    target @ Target::Finding(_) => target.to_string(),
                };
                if self.arrive(write, now).is_ok() {
                    written.push(name);
                }
            }
            match self.engine.next_due(true) {
                Some(due) if due <= end => now = now.max(due),
                _ => return written,
            }
        }
    }
}

/// The objects whose status is not the one that a look at everything gives.
pub(super) fn status_of(stage: &Stage) -> Vec<String> {
    let mut support = Support::new(CONTROLLER_NAME);
    support.classes = Some(["example".to_owned()].into());
    let objects = stage.objects.values().map(|object| Object::read(object).unwrap());
    let statuses = allready_gateway::status(objects, &support, at(ms(9_000_000), None).time);
    let differs = |(key, status): (ObjectKey, _)| {
        let stored = Object::read(&stage.get(&key.to_string())).unwrap().status;
        (stored.as_ref().map(full) != Some(full(&status))).then(|| key.to_string())
    };
    statuses.into_iter().filter_map(differs).collect()
}
