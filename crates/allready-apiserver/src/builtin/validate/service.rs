//! Services.
//!
//! Follows `ValidateService` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use serde_json::{Value, json};

use super::{
    Errors,
    spot::Spot,
    words::{self, address, port, range},
};
use crate::{
    builtin::path::{at, items, text_at},
    names,
    status::{FieldError, Mistake, quote},
};

const KINDS: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const BALANCED: &str = "may only be used when `type` is 'LoadBalancer'";
/// A day.
const LONGEST: i64 = 86400;

pub(super) fn check(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let kind = spec.child("type").text();
    if let Some(old) = old {
        unchanged(new, old, errors);
    }
    let headless = text_at(new, &["spec", "clusterIP"]) == "None";
    if spec.child("ports").is_empty() && !headless && kind != "ExternalName" {
        spec.child("ports").required("", errors);
    }
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            let why = format!("may not be set to 'None' for {kind} services");
            errors.push(FieldError::invalid("spec.clusterIPs[0]", "None", why));
        }
        "ExternalName" => external_name(&spec, errors),
        _ => {}
    }
    ports(&spec.child("ports"), errors);
    words::labels(&spec.child("selector"), errors);
    affinity(&spec, errors);
    addresses(&spec, errors);
    for given in spec.child("externalIPs").items() {
        address(&given, errors);
        words::not_special(&given, errors);
    }
    if !KINDS.contains(&kind) {
        spec.child("type").one_of(&KINDS, errors);
    }
    numbers(&spec, errors);
    balancing(&spec, errors);
    policies(&spec, errors);
}

fn external_name(spec: &Spot<'_>, errors: &mut Errors) {
    for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if !spec.child(field).is_empty() {
            spec.child(field).forbidden("may not be set for ExternalName services", errors);
        }
    }
    let name = spec.child("externalName");
    let bare = name.text().strip_suffix('.').unwrap_or(name.text());
    if bare.is_empty() {
        name.required("", errors);
    }
    let named = json!(bare);
    Spot { value: &named, place: name.place }.named_if_any(names::dns_subdomain, errors);
}

fn ports(list: &Spot<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    let several = list.items().count() > 1;
    for entry in list.items() {
        let name = entry.child("name");
        if name.is_empty() && several {
            name.required("", errors);
        } else if !name.is_empty() {
            name.problems(names::dns_label(name.text()), errors);
            if seen.contains(&name.text()) {
                name.duplicate(errors);
            }
            seen.push(name.text());
        }
        entry.child("port").within(1, 65535, errors);
        entry.child("protocol").one_of(&["SCTP", "TCP", "UDP"], errors);
        port(&entry.child("targetPort"), errors);
        entry.child("appProtocol").named_if_any(names::qualified, errors);
    }
}

fn affinity(spec: &Spot<'_>, errors: &mut Errors) {
    let (kind, config) = (spec.child("sessionAffinity"), spec.child("sessionAffinityConfig"));
    kind.one_of(&["ClientIP", "None"], errors);
    let seconds = config.at("clientIP.timeoutSeconds");
    match kind.text() {
        "None" if config.exists() => {
            config.forbidden("must not be set when session affinity is None", errors);
        }
        "ClientIP" if seconds.number().is_some_and(|seconds| !(1..=LONGEST).contains(&seconds)) => {
            seconds.invalid(format!("must be greater than 0 and less than {LONGEST}"), errors);
        }
        _ => {}
    }
}

/// The fields about addresses: they are looked at before addresses are given, and again with everything else.
pub(super) fn addresses(spec: &Spot<'_>, errors: &mut Errors) {
    if spec.child("type").text() == "ExternalName" {
        return;
    }
    let (one, all) = (spec.child("clusterIP"), spec.child("clusterIPs"));
    let first = all.items().next();
    match (&first, one.text()) {
        (Some(_), "") => all.invalid("must be empty when `clusterIP` is not specified", errors),
        (Some(first), given) if first.text() != given => {
            all.invalid("first value must match `clusterIP`", errors);
        }
        _ => {}
    }
    let mut seen: Vec<&str> = Vec::new();
    for family in spec.child("ipFamilies").items() {
        family.one_of(&["IPv4", "IPv6"], errors);
        if seen.contains(&family.text()) {
            family.duplicate(errors);
        }
        seen.push(family.text());
    }
    let policy = spec.child("ipFamilyPolicy");
    policy.one_of_if_any(&["PreferDualStack", "RequireDualStack", "SingleStack"], errors);
    let before = errors.len();
    for (index, given) in all.items().enumerate() {
        if index == 0 && given.text() == "None" {
            if all.items().count() > 1 {
                all.invalid("'None' must be the first and only value", errors);
            }
        } else {
            address(&given, errors);
        }
    }
    if all.items().count() > 2 {
        all.invalid("may only hold up to 2 values", errors);
    }
    if errors.len() != before || one.text() == "None" {
        return;
    }
    for ((given, family), index) in all.items().zip(spec.child("ipFamilies").items()).zip(0..) {
        let found = if given.text().contains(':') { "IPv6" } else { "IPv4" };
        if matches!(family.text(), "IPv4" | "IPv6") && family.text() != found {
            let why = format!("expected an {} value as indicated by `ipFamilies[{index}]`", family.text());
            given.invalid(why, errors);
        }
    }
}

fn numbers(spec: &Spot<'_>, errors: &mut Errors) {
    let numbered = |entry: &Spot<'_>| entry.child("nodePort").number().filter(|number| *number != 0);
    let list = spec.child("ports");
    if spec.child("type").text() == "ClusterIP" {
        for entry in list.items().filter(|entry| numbered(entry).is_some()) {
            entry.child("nodePort").forbidden("may not be used when `type` is 'ClusterIP'", errors);
        }
    }
    let mut seen = Vec::new();
    for entry in list.items() {
        let Some(number) = numbered(&entry) else { continue };
        let taken = (entry.child("protocol").text(), number);
        if seen.contains(&taken) {
            entry.child("nodePort").duplicate(errors);
        }
        seen.push(taken);
    }
    let mut seen = Vec::new();
    for entry in list.items() {
        let (protocol, number) = (entry.child("protocol").text(), entry.child("port").number().unwrap_or(0));
        if seen.contains(&(protocol, number)) {
            let protocol = quote(protocol);
            let shown = format!(
                r#"{{"Name":"","Protocol":{protocol},"AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}"#
            );
            entry.shown(Mistake::Duplicate, &shown, "", errors);
        }
        seen.push((protocol, number));
    }
}

fn balancing(spec: &Spot<'_>, errors: &mut Errors) {
    let balanced = spec.child("type").text() == "LoadBalancer";
    let ranges = spec.child("loadBalancerSourceRanges");
    // The real server names the field so.
    let ranges = Spot { place: "spec.LoadBalancerSourceRanges".into(), ..ranges };
    if !ranges.is_empty() && !balanced {
        ranges.forbidden(BALANCED, errors);
    }
    for given in ranges.items() {
        range(&given, errors);
    }
    let allocate = spec.child("allocateLoadBalancerNodePorts");
    if allocate.exists() && !balanced {
        allocate.forbidden(BALANCED, errors);
    }
    let class = spec.child("loadBalancerClass");
    if balanced {
        class.named_if_any(names::qualified, errors);
    } else if class.exists() {
        class.forbidden(BALANCED, errors);
    }
}

fn policies(spec: &Spot<'_>, errors: &mut Errors) {
    const TRAFFIC: [&str; 2] = ["Cluster", "Local"];
    let kind = spec.child("type").text();
    let outside = matches!(kind, "LoadBalancer" | "NodePort")
        || (kind == "ClusterIP" && !spec.child("externalIPs").is_empty());
    let external = spec.child("externalTrafficPolicy");
    if outside {
        external.one_of(&TRAFFIC, errors);
    } else if !external.is_empty() {
        external.invalid("may only be set for externally-accessible services", errors);
    }
    let health = spec.child("healthCheckNodePort");
    if kind == "LoadBalancer" && external.text() == "Local" {
        health.within(1, 65535, errors);
    } else if health.exists() {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        health.invalid(why, errors);
    }
    spec.child("internalTrafficPolicy").one_of_if_any(&TRAFFIC, errors);
    let spread = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    spec.child("trafficDistribution").one_of_if_any(&spread, errors);
}

/// What a service was given stays its own.
fn unchanged(new: &Value, old: &Value, errors: &mut Errors) {
    let addressed = |service: &Value| text_at(service, &["spec", "type"]) != "ExternalName";
    if !(addressed(old) && addressed(new)) {
        return;
    }
    let all = ["spec", "clusterIPs"];
    if text_at(new, &["spec", "clusterIP"]) != text_at(old, &["spec", "clusterIP"]) {
        let given = at(new, &all).cloned().unwrap_or_else(|| json!(items(new, &all)));
        errors.push(FieldError::invalid("spec.clusterIPs[0]", given, "may not change once set"));
    }
    let family = |service: &Value| items(service, &["spec", "ipFamilies"]).first().cloned();
    let headless = text_at(new, &["spec", "clusterIP"]) == "None";
    if !headless && family(new) != family(old) {
        let given = at(new, &["spec", "ipFamilies"]).cloned().unwrap_or_default();
        errors.push(FieldError::invalid("spec.ipFamilies[0]", given, "may not change once set"));
    }
}
