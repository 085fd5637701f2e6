//! What a hub object says, from objects of clusters as they are. Names begin with the case that they prove.
#![expect(clippy::needless_pass_by_value, reason = "an object is written where it is said")]

mod children;
mod conditions;
mod doubts;
mod generations;
mod ownership;
mod placement;
mod properties;

mod room;
mod rows;

use std::sync::Arc;

use allready_core::{Condition, Time};
use serde_json::{Value, json};

use super::*;

fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn cluster(name: &str) -> ClusterName {
    name.parse().unwrap()
}

/// One hub object, and the reader of its instances.
struct Hub {
    reader: Reader,
    subject: Subject,
}

/// A Gateway whose `Programmed`, addresses and listeners are aggregated.
fn gateway() -> Value {
    json!({
        "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
        "conditions": [{ "type": "Programmed" }],
        "rows": ["Addresses", "Listeners"],
    })
}

/// The same with something else in it.
fn gateway_with(name: &str, value: Value) -> Value {
    let mut spec = gateway();
    spec[name] = value;
    spec
}

/// An instance that says this of `Programmed`.
fn programmed(status: &str, message: &str) -> Value {
    json!({ "status": { "conditions": [said("Programmed", status, message)] } })
}

fn said(type_: &str, status: &str, message: &str) -> Value {
    let time = "2026-03-01T10:00:00Z";
    json!({ "type": type_, "status": status, "reason": "Because", "message": message, "lastTransitionTime": time })
}

impl Hub {
    fn new(spec: Value) -> Self {
        let plan = Arc::new(Plan::of(&serde_json::from_value(spec).unwrap()));
        let mut hub = Self { reader: Reader::new(&plan), subject: Subject::new(plan) };
        hub.stands(json!({}));
        hub
    }

    /// With these clusters chosen, and what their instances say.
    fn with(spec: Value, clusters: &[(&str, Value)]) -> Self {
        let mut hub = Self::new(spec);
        for (name, object) in clusters {
            hub.subject.choose(&cluster(name));
            hub.says(name, object.clone());
        }
        hub
    }

    fn says(&mut self, name: &str, object: Value) -> bool {
        let instance = self.reader.read(&object).1;
        self.subject.heard(&cluster(name), Some(instance))
    }

    fn stands(&mut self, object: Value) {
        let facts = HubFacts::read(&object, self.subject.plan(), MANAGER);
        self.subject.hub(Some(facts));
    }

    fn answer(&self) -> Answer {
        self.subject.answer(at(1_000))
    }

    fn condition(&self, type_: &str) -> Condition {
        let conditions = self.answer().status["conditions"].take();
        let conditions: Vec<Condition> = serde_json::from_value(conditions).unwrap();
        allready_core::condition::find(&conditions, type_).unwrap().clone()
    }

    /// Status, reason and message of a condition.
    fn words(&self, type_: &str) -> (String, String, String) {
        let condition = self.condition(type_);
        (condition.status.to_string(), condition.reason.to_string(), condition.message.to_string())
    }

    fn is(&self, type_: &str, status: &str, reason: &str, message: &str) {
        assert_eq!(self.words(type_), (status.to_owned(), reason.to_owned(), message.to_owned()));
    }

    /// The answer is written, and seen.
    fn write(&mut self, now: Time) {
        let facts = written(self.subject.facts().unwrap(), &self.subject.answer(now), self.subject.plan());
        self.subject.hub(Some(facts));
    }
}

/// What stands after an apply: what was ours is replaced.
fn written(before: &HubFacts, answer: &Answer, plan: &Plan) -> HubFacts {
    let status = &answer.status;
    let read = HubFacts::read(&json!({ "status": status }), plan, MANAGER);
    let is_wanted = |type_: &str| read.conditions.iter().any(|condition| condition.type_ == *type_);
    let is_ours = |type_: &str| before.ours.iter().any(|ours| **ours == *type_);
    let mut conditions = before.conditions.clone();
    conditions.retain(|condition| !is_wanted(condition.type_.as_str()) && !is_ours(condition.type_.as_str()));
    conditions.extend(read.conditions.iter().cloned());
    let is_foreign = |name: &str| before.foreign_listeners.iter().any(|(foreign, _)| **foreign == *name);
    let foreign = before.listeners.iter().filter(|(name, _)| is_foreign(name)).cloned();
    let keeps = before.foreign_addresses.is_some();
    HubFacts {
        ours: read.conditions.iter().map(|condition| condition.type_.as_str().into()).collect(),
        conditions,
        addresses: if keeps { before.addresses.clone() } else { read.addresses },
        listeners: foreign.chain(read.listeners).collect(),
        fields: read.fields,
        ..before.clone()
    }
}
