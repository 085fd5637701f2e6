//! Every rule, broken and kept: the names of the tests begin with the id.

mod definitions;
mod fixes;
mod gateway;
mod history;
mod hostile;
mod managers;
mod meanings;
mod objects;
mod seeds;

use serde_json::{Value, json};

use super::*;

/// The present of all tests.
fn now() -> Time {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// A condition that nothing is wrong with, with other fields in it.
fn condition(fields: &Value) -> Value {
    let mut condition = json!({
        "type": "Ready", "status": "True", "reason": "AsWished", "message": "all is well",
        "lastTransitionTime": "2026-03-01T11:55:00Z", "observedGeneration": 2,
    });
    merge(&mut condition, fields);
    condition
}

/// Sets fields; null removes one.
fn merge(into: &mut Value, fields: &Value) {
    for (key, value) in fields.as_object().unwrap() {
        if value.is_null() {
            into.as_object_mut().unwrap().remove(key);
        } else {
            into[key] = value.clone();
        }
    }
}

/// A custom object with these conditions.
fn widget(conditions: &[Value]) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": { "namespace": "shop", "name": "web", "generation": 2, "creationTimestamp": "2026-03-01T11:00:00Z" },
        "spec": {},
        "status": { "conditions": conditions },
    })
}

/// `id severity path` of the findings of one rule.
fn of_rule(findings: &[Finding], id: &str) -> Vec<String> {
    let of_rule = findings.iter().filter(|finding| finding.rule.id == id);
    of_rule.map(|finding| format!("{} {}", finding.severity, finding.place)).collect()
}

/// The findings of one rule in one object, and its messages.
fn found(object: &Value, id: &str) -> Vec<String> {
    of_rule(&super::object(object, &Context::at(now())), id)
}

/// The ids of everything that is found.
fn ids(object: &Value) -> Vec<&'static str> {
    super::object(object, &Context::at(now())).iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn there_are_41_rules_and_each_says_what_it_is_for() {
    let all: Vec<&Rule> = rules().collect();
    let families = |letter: char| all.iter().filter(|rule| rule.id.starts_with(letter)).count();
    assert_eq!(['C', 'O', 'W', 'M', 'G'].map(families), [8, 18, 6, 2, 7]);
    let mut ids: Vec<&str> = all.iter().map(|rule| rule.id).collect();
    ids.dedup();
    assert_eq!(ids.len(), 41, "no id is there twice");
    for rule in all {
        let texts = [rule.title, rule.rationale, rule.fix, rule.bad, rule.good];
        assert!(texts.iter().all(|text| !text.is_empty() && !text.contains("  -  ")), "{}", rule.id);
        assert!(rule.rationale.ends_with('.') && rule.fix.ends_with(['.', '?']), "{}", rule.id);
        assert!(!rule.title.ends_with('.'), "{}", rule.id);
    }
}

#[test]
fn an_object_that_follows_all_rules_has_no_findings() {
    let object = widget(&[condition(&json!({})), condition(&json!({ "type": "Synced" }))]);
    assert_eq!(ids(&object), [] as [&str; 0]);
}

#[test]
fn the_kinds_of_kubernetes_are_not_held_to_younger_conventions() {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": "shop", "name": "web-1", "generation": 3, "creationTimestamp": "2026-03-01T11:00:00Z" },
        "status": { "conditions": [
            { "type": "PodReadyToStartContainers", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-03-01T11:00:02Z" },
            { "type": "ContainersReady", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-03-01T11:00:02Z" },
            { "type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-03-01T11:00:02Z" } ] } });
    assert_eq!(ids(&pod), [] as [&str; 0]);
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "namespace": "shop", "name": "web", "generation": 3, "creationTimestamp": "2026-03-01T11:00:00Z" },
        "status": { "observedGeneration": 3, "conditions": [
            { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.",
              "lastUpdateTime": "2026-03-01T11:00:02Z", "lastTransitionTime": "2026-03-01T11:00:02Z" },
            { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "it has progressed.",
              "lastUpdateTime": "2026-03-01T11:00:02Z", "lastTransitionTime": "2026-03-01T11:00:02Z" } ] } });
    assert_eq!(ids(&deployment), [] as [&str; 0]);
}
