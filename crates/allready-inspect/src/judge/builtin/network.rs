//! Services and Ingresses.

use crate::judge::Rule;
use serde_json::Value;

use super::super::case::{Case, get, is_truthy};
use super::super::listed::Said;
use super::super::signal::Signal;
use super::conditions;
use crate::health::Health::{Degraded, Healthy, Progressing};

const ADDRESSES: &str = "status.loadBalancer.ingress";

fn address<'a>(case: &Case<'a>, rule: Rule) -> Signal<'a> {
    let list = get(case.status, &["loadBalancer", "ingress"]).and_then(Value::as_array);
    let entries = || list.into_iter().flatten();
    let ports = entries().filter_map(|entry| entry.get("ports")?.as_array()).flatten();
    if let Some(error) = ports.filter_map(|port| port.get("error")?.as_str()).find(|text| !text.is_empty()) {
        return Signal::at(Degraded, rule, ADDRESSES).reason(error);
    }
    let is_address =
        |entry: &Value| ["ip", "hostname"].iter().any(|key| entry.get(key).is_some_and(is_truthy));
    let has_one = entries().any(is_address);
    let signal = |health| Signal::at(health, rule, ADDRESSES);
    if has_one { signal(Healthy) } else { signal(Progressing).message("no address yet") }
}

pub(super) fn service<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::Service;
    let list = conditions(case);
    let is_error = |type_: &str| type_.ends_with("Error") || type_.ends_with("Failed");
    if let Some(error) = list.iter().find(|one| is_error(one.type_) && one.said() == Said::True) {
        return error.signal(Degraded, RULE);
    }
    match case.spec("type").and_then(Value::as_str) {
        Some("LoadBalancer") => address(case, RULE),
        other => Signal::at(Healthy, RULE, "spec.type").reason(other.unwrap_or("ClusterIP")),
    }
}

pub(super) fn ingress<'a>(case: &Case<'a>) -> Signal<'a> {
    address(case, Rule::Ingress)
}
