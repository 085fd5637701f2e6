//! Services and Ingresses.

use serde_json::Value;

use super::super::Health::{Healthy, Progressing};
use super::super::case::{Case, get, is_truthy};
use super::super::signal::Signal;

fn address<'a>(case: &Case<'a>, rule: &'static str) -> Signal<'a> {
    let has_one = get(case.status, &["loadBalancer", "ingress"]).is_some_and(is_truthy);
    let signal = |health| Signal::at(health, rule, "status.loadBalancer.ingress");
    if has_one { signal(Healthy) } else { signal(Progressing).message("no address yet") }
}

pub(super) fn service<'a>(case: &Case<'a>) -> Signal<'a> {
    match case.spec("type").and_then(Value::as_str) {
        Some("LoadBalancer") => address(case, "K09"),
        other => Signal::at(Healthy, "K09", "spec.type").reason(other.unwrap_or("ClusterIP")),
    }
}

pub(super) fn ingress<'a>(case: &Case<'a>) -> Signal<'a> {
    address(case, "K10")
}
