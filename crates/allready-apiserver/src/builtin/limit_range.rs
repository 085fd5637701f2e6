//! Limit ranges: what they fill in, and what they refuse. Follows `plugin/pkg/admission/limitranger` of Kubernetes.

use serde_json::{Map, Value, json};

use super::{
    path::{items, text_at},
    quantity::Quantity,
    usage::{Amounts, amounts, of_pod},
};

/// Fills in what containers of a pod leave out, and notes it in an annotation.
pub(crate) fn fill_in(range: &Value, pod: &mut Value) {
    let mut defaults: [Map<String, Value>; 2] = [Map::new(), Map::new()];
    for limit in items(range, &["spec", "limits"]).iter().filter(|limit| limit["type"] == "Container") {
        for (into, field) in defaults.iter_mut().zip(["defaultRequest", "default"]) {
            into.extend(limit[field].as_object().cloned().unwrap_or_default());
        }
    }
    let mut told: Vec<String> = Vec::new();
    for (list, word) in [("containers", "container"), ("initContainers", "init container")] {
        for container in pod["spec"][list].as_array_mut().into_iter().flatten() {
            let name = text_at(container, &["name"]).to_owned();
            for (defaults, (part, what)) in
                defaults.iter().zip([("requests", "request"), ("limits", "limit")])
            {
                let there = container["resources"][part].as_object();
                let missing: Map<String, Value> = defaults
                    .iter()
                    .filter(|(name, _)| there.is_none_or(|there| !there.contains_key(*name)))
                    .map(|(name, amount)| (name.clone(), amount.clone()))
                    .collect();
                if missing.is_empty() {
                    continue;
                }
                let names: Vec<&str> = missing.keys().map(String::as_str).collect();
                told.push(format!("{} {what} for {word} {name}", names.join(", ")));
                let mut all = there.cloned().unwrap_or_default();
                all.extend(missing);
                container["resources"][part] = all.into();
            }
        }
    }
    if !told.is_empty() {
        if pod["metadata"]["annotations"].is_null() {
            pod["metadata"]["annotations"] = json!({});
        }
        pod["metadata"]["annotations"]["kubernetes.io/limit-ranger"] =
            format!("LimitRanger plugin set: {}", told.join("; ")).into();
    }
}

/// The sentence about what a pod or a claim has too little or too much of.
pub(crate) fn refusal(range: &Value, plural: &str, object: &Value) -> Option<String> {
    let mut errors: Vec<String> = Vec::new();
    for limit in items(range, &["spec", "limits"]) {
        let kind = text_at(limit, &["type"]);
        let mut check = |requests: &Amounts, limits: Option<&Amounts>| {
            self::check(limit, kind, requests, limits, &mut errors);
        };
        match (plural, kind) {
            ("pods", "Container") => {
                for list in ["containers", "initContainers"] {
                    for container in items(object, &["spec", list]) {
                        let [requests, limits] =
                            ["requests", "limits"].map(|part| amounts(&container["resources"][part]));
                        check(&requests, Some(&limits));
                    }
                }
            }
            ("pods", "Pod") => check(&of_pod(object, "requests"), Some(&of_pod(object, "limits"))),
            ("persistentvolumeclaims", "PersistentVolumeClaim") => {
                check(&amounts(&object["spec"]["resources"]["requests"]), None);
            }
            _ => {}
        }
    }
    let mut told: Vec<String> = Vec::new();
    for error in errors {
        if !told.contains(&error) {
            told.push(error);
        }
    }
    match told.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("[{}]", many.join(", "))),
    }
}

/// Checks amounts against one limit; claims have no limits of their own.
fn check(limit: &Value, kind: &str, requests: &Amounts, limits: Option<&Amounts>, errors: &mut Vec<String>) {
    let limit_of = |name: &str| limits.and_then(|limits| limits.get(name)).copied();
    for (name, least) in amounts(&limit["min"]) {
        let told = format!("minimum {name} usage per {kind} is {least}");
        match (requests.get(&name), limit_of(&name)) {
            (None, _) => errors.push(format!("{told}.  No request is specified")),
            (Some(request), _) if least.exceeds(*request) => {
                errors.push(format!("{told}, but request is {request}"));
            }
            (_, Some(limit)) if least.exceeds(limit) => errors.push(format!("{told}, but limit is {limit}")),
            _ => {}
        }
    }
    for (name, most) in amounts(&limit["max"]) {
        let told = format!("maximum {name} usage per {kind} is {most}");
        let request = requests.get(&name).filter(|request| request.exceeds(most));
        match (limit_of(&name), request) {
            (None, _) if limits.is_some() => errors.push(format!("{told}.  No limit is specified")),
            (Some(limit), _) if limit.exceeds(most) => errors.push(format!("{told}, but limit is {limit}")),
            (None, None) if !requests.contains_key(&name) => {
                errors.push(format!("{told}.  No request is specified"));
            }
            (_, Some(request)) => errors.push(format!("{told}, but request is {request}")),
            _ => {}
        }
    }
    let Some(limits) = limits else { return };
    for (name, most) in amounts(&limit["maxLimitRequestRatio"]) {
        let told = format!("{name} max limit to request ratio per {kind} is {most}");
        let there = |amounts: &Amounts| amounts.get(&name).copied().filter(|amount| !amount.is_zero());
        match (there(requests), there(limits)) {
            (None, _) => errors.push(format!("{told}, but no request is specified or request is 0")),
            (_, None) => errors.push(format!("{told}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit.ratio(request);
                if ratio > most.ratio(Quantity::count(1)) {
                    errors.push(format!("{told}, but provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}
