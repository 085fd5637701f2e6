//! A reconciler in an engine, and the part of an API server that takes its writes.

use std::{collections::BTreeMap, time::Duration};

use allready_core::Time;
use allready_kube::list_watch::WatchEvent;
use serde_json::{Value, json};

use super::super::*;
use crate::engine::{Engine, Now, Write};

pub(super) const NAMESPACE: &str = "metallb-system";

pub(super) fn key() -> StatusKey {
    StatusKey {
        api_version: "metallb.io/v1beta1".to_owned(),
        namespace: NAMESPACE.to_owned(),
        name: "config-status".to_owned(),
    }
}

pub(super) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(super) fn at(elapsed: Duration) -> Now {
    let time = Time::from_second(1_000 + i64::try_from(elapsed.as_secs()).unwrap()).unwrap();
    Now { elapsed, time, term: None }
}

pub(super) fn statuses() -> Watch {
    Watch::Statuses { api_version: key().api_version, namespace: None }
}

pub(super) fn reports() -> Watch {
    Watch::Reports { namespace: NAMESPACE.to_owned() }
}

pub(super) fn leases() -> Watch {
    Watch::Leases { namespace: NAMESPACE.to_owned() }
}

pub(super) fn object(spec: &Value, status: &Value, version: u64) -> Value {
    json!({
        "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationStatus",
        "metadata": { "name": "config-status", "namespace": NAMESPACE, "generation": 1,
            "resourceVersion": version.to_string() },
        "spec": spec, "status": status,
    })
}

pub(super) fn report(node: &str, status: &str) -> Facts {
    let object = json!({
        "metadata": { "name": format!("config-status.speaker.{node}") },
        "spec": { "targetRef": { "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "name": "config-status" },
            "component": "speaker", "instance": node },
        "status": { "conditions": [{ "type": "configReconcilerValid", "status": status, "reason": "Said",
            "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] },
    });
    let report = of_status_report(&object, "config-status").unwrap().into();
    Facts::Report(Some(
        TargetedReport { target: Some("config-status".to_owned()), report, is_brief: false }.into(),
    ))
}

pub(super) fn node(is_ready: bool) -> Facts {
    Facts::Node(NodeFacts { labels: BTreeMap::new().into(), ready: is_ready })
}

/// The engine of the controller, and the object that it writes.
pub(super) struct Stage {
    pub(super) engine: Engine<ConfigReconciler>,
    pub(super) spec: Value,
    pub(super) status: Value,
    version: u64,
}

impl Stage {
    pub(super) fn new() -> Self {
        let reconciler = ConfigReconciler::new([statuses()], [], Options::default());
        let queue = reconciler.queue();
        Self { engine: Engine::new(reconciler, queue), spec: json!({}), status: json!({}), version: 1 }
    }

    /// Has seen the object with this spec.
    pub(super) fn with(spec: &Value) -> Self {
        let mut stage = Self::new();
        stage.see(statuses(), WatchEvent::Init, ms(0));
        stage.change(spec, ms(0));
        stage.see(statuses(), WatchEvent::InitDone, ms(0));
        stage
    }

    /// Lets the present watch of these objects show an event.
    pub(super) fn see(&mut self, watch: Watch, event: WatchEvent<String, Facts>, now: Duration) {
        let number = self.number(&watch).unwrap_or_default();
        self.engine.observe(ConfigEvent { watch, number, event }, at(now));
    }

    pub(super) fn number(&self, watch: &Watch) -> Option<u64> {
        self.engine.reconciler.wanted_watches().find(|(known, _)| *known == watch).map(|(_, number)| number)
    }

    /// The object has this spec, and what was written.
    pub(super) fn change(&mut self, spec: &Value, now: Duration) {
        self.spec = spec.clone();
        self.show(now);
    }

    /// The watch shows the object as it is.
    pub(super) fn show(&mut self, now: Duration) {
        self.version += 1;
        let object = object(&self.spec, &self.status, self.version);
        let event = WatchEvent::Apply(format!("{NAMESPACE}/config-status"), Facts::Status(object.into()));
        self.see(statuses(), event, now);
    }

    /// A list of these objects.
    pub(super) fn list(&mut self, watch: &Watch, objects: &[(&str, Facts)], now: Duration) {
        self.see(watch.clone(), WatchEvent::Init, now);
        for (name, facts) in objects {
            self.see(watch.clone(), WatchEvent::Apply((*name).to_owned(), facts.clone()), now);
        }
        self.see(watch.clone(), WatchEvent::InitDone, now);
    }

    /// The writes that are due; the status is stored.
    pub(super) fn step(&mut self, now: Duration) -> Vec<(ConfigTarget, Value)> {
        let mut writes = Vec::new();
        for (target, body) in self.engine.step(true, at(now)) {
            let body = body.unwrap();
            let answer = match &target {
                ConfigTarget::Status(_) => {
                    self.status = body["status"].clone();
                    self.version += 1;
                    Some(object(&self.spec, &self.status, self.version))
                }
                ConfigTarget::Create(_) | ConfigTarget::Leftovers { .. } => None,
            };
            self.engine.written(&target, Ok(answer), 1.0, at(now));
            writes.push((target, body));
        }
        writes
    }

    /// Lets time pass up to this; returns every `Ready` that was written, and when.
    pub(super) fn until(&mut self, mut now: Duration, end: Duration) -> Vec<(Value, Duration)> {
        let mut written = Vec::new();
        loop {
            for (target, body) in self.step(now) {
                if matches!(target, ConfigTarget::Status(_)) {
                    written.push((body["status"]["conditions"][0].clone(), now));
                }
            }
            match self.engine.next_due(true) {
                Some(due) if due <= end => now = now.max(due),
                _ => return written,
            }
        }
    }

    /// `Ready` as it stands.
    pub(super) fn ready(&self) -> (String, String) {
        let ready = &self.status["conditions"][0];
        let text = |field: &str| ready[field].as_str().unwrap_or_default().to_owned();
        (text("status"), text("message"))
    }

    /// Returns the writes that deciding everything again would want.
    pub(super) fn forgotten(&mut self, now: Duration) -> Vec<(ConfigTarget, Write)> {
        use crate::engine::Reconciler as _;
        let reconciler = &mut self.engine.reconciler;
        let keys = reconciler.keys();
        keys.iter().flat_map(|key| reconciler.reconcile(key, at(now)).writes).collect()
    }
}
