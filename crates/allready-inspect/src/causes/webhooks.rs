//! Webhooks that refuse the next change in a namespace, because their Service is missing or has no endpoints.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Causes, group::Groups, search::First};
use crate::{
    graph::{ObjectId, Reference, Request, assess::Assessor, text},
    health::Health,
    judge::{Hint, Rule},
};

const GROUP: &str = "admissionregistration.k8s.io";
const KINDS: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
/// The most names of operations or resources in a message.
const MAX_NAMES: usize = 3;

/// Adds a hint for each namespace that somebody asked about and a broken webhook selects. A configuration that was asked about
/// itself is a cause, and needs no hint.
pub(super) fn hints(causes: &Causes, assessor: &mut Assessor<'_>, hints: &mut Groups) {
    let namespaces = causes.asked.iter().map(|id| id.namespace.as_str());
    let namespaces: BTreeSet<&str> = namespaces.filter(|namespace| !namespace.is_empty()).collect();
    if namespaces.is_empty() {
        return;
    }
    for kind in KINDS {
        if !is_answered(assessor, list(GROUP, kind)) {
            continue;
        }
        for (id, config) in causes.known.of_kind(GROUP, kind).filter(|(id, _)| !causes.asked.contains(id)) {
            for webhook in config["webhooks"].as_array().into_iter().flatten() {
                let Some(refuses) = refuses(webhook) else { continue };
                let selected = selected(causes, assessor, &namespaces, &webhook["namespaceSelector"]);
                if selected.is_empty() {
                    continue;
                }
                let Some(why) = unavailable(assessor, &webhook["clientConfig"]["service"]) else { continue };
                let hint = Hint {
                    rule: Rule::WebhookUnavailable,
                    field: "webhooks".to_owned(),
                    reason: "WebhookUnavailable".to_owned(),
                    message: format!("{kind} {} refuses {refuses}: {why}", id.name),
                    since: None,
                };
                for namespace in selected {
                    let namespace = ObjectId::new("", "Namespace", "", namespace);
                    hints.add(causes, &namespace, Health::Healthy, &First::of_hint(id, &hint));
                }
            }
        }
    }
}

fn list(group: &str, kind: &str) -> Request {
    let [group, kind] = [group, kind].map(str::to_owned);
    Request::List { group, kind, namespace: String::new(), labels: String::new() }
}

/// Tells whether a request is answered, and asks for it otherwise.
fn is_answered(assessor: &mut Assessor<'_>, request: Request) -> bool {
    let is_answered = assessor.known.is_answered(&request);
    if !is_answered {
        assessor.wanted.insert(request);
    }
    is_answered
}

/// The requests about objects of namespaces that a webhook refuses while it does not answer, as `CREATE of secrets`.
fn refuses(webhook: &Value) -> Option<String> {
    if webhook["failurePolicy"] == "Ignore" {
        return None;
    }
    let rules = webhook["rules"].as_array()?;
    let rule = rules.iter().find(|rule| rule["scope"] != "Cluster")?;
    let names = |list: &str| {
        let names: Vec<&str> =
            rule[list].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match names.as_slice() {
            [] => None,
            names if names.contains(&"*") => Some("all".to_owned()),
            names if names.len() > MAX_NAMES => Some(format!("{}, …", names[..MAX_NAMES].join(", "))),
            names => Some(names.join(", ")),
        }
    };
    Some(match (names("operations")?.as_str(), names("resources")?.as_str()) {
        ("all", "all") => "all changes".to_owned(),
        ("all", resources) => format!("changes of {resources}"),
        (operations, "all") => format!("{operations} of all resources"),
        (operations, resources) => format!("{operations} of {resources}"),
    })
}

/// The namespaces among these that a selector is for. Those whose labels are not known yet are asked for.
fn selected<'a>(
    causes: &Causes,
    assessor: &mut Assessor<'_>,
    namespaces: &BTreeSet<&'a str>,
    selector: &Value,
) -> Vec<&'a str> {
    if selector.as_object().is_none_or(serde_json::Map::is_empty) {
        return namespaces.iter().copied().collect();
    }
    let request = match namespaces.first() {
        Some(only) if namespaces.len() == 1 => {
            Request::Get(Reference::to(&ObjectId::new("", "Namespace", "", only)))
        }
        _ => list("", "Namespace"),
    };
    if !is_answered(assessor, request) {
        return Vec::new();
    }
    let matching: BTreeSet<&str> =
        causes.known.selected("", "Namespace", "", selector).map(|id| id.name.as_str()).collect();
    namespaces.iter().copied().filter(|namespace| matching.contains(namespace)).collect()
}

/// The reason why the Service of a webhook does not answer; nothing where it does, or where that is not known.
fn unavailable(assessor: &mut Assessor<'_>, service: &Value) -> Option<String> {
    let id = ObjectId::new("", "Service", text(service, "namespace"), text(service, "name"));
    if id.name.is_empty() {
        return None;
    }
    let (reference, name) = (Reference::to(&id), format!("Service {}/{}", id.namespace, id.name));
    match assessor.known.is_missing(&reference) {
        Err(request) => {
            assessor.wanted.insert(*request);
            None
        }
        Ok(true) => Some(format!("{name} not found")),
        Ok(false) => {
            let verdict = assessor.assess(&assessor.known.find(&reference)?)?;
            (verdict.health == Health::Degraded).then(|| format!("{name}: {}", verdict.message))
        }
    }
}
