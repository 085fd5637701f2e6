//! Words, booleans and error texts in fields: kinds without conditions, and what conditions leave out.

use serde_json::{Map, Value};

use super::Health::{self, Degraded, Healthy, Progressing, Suspended};
use super::case::{Case, ITEM, is_truthy, json};
use super::errors::{error_text, is_error_key, is_no_error};
use super::lexicon::{self, Reading, classify};
use super::signal::{Place, Signal, Worst};
use super::tokens::{Flat, tokens};
use crate::registry::path::scalar;

/// Fields that hold a state, by their flat name.
pub(crate) const KEYS: [&str; 21] = [
    "lastoperationstatus",
    "lastoperationstate",
    "phase",
    "state",
    "status",
    "health",
    "healthstatus",
    "overallstatus",
    "result",
    "outcome",
    "provisioningstate",
    "compliant",
    "syncstatus",
    "currentstate",
    "lifecycle",
    "clusterstate",
    "clusterstatus",
    "verdict",
    "conclusion",
    "robustness",
    "stage",
];
pub(crate) const KEY_ENDS: [&str; 4] = ["phase", "state", "status", "health"];
/// What was, or is to be, is not what is.
const OTHER_TIMES: [&str; 6] = ["last", "previous", "prev", "desired", "target", "old"];
const MESSAGE_KEYS: [&str; 7] =
    ["message", "reason", "errormessage", "failuremessage", "statusmessage", "statusreason", "description"];

/// Which fields are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The ones that hold a state everywhere.
    Canonical,
    /// Those, and all that end in such a word.
    All,
}

/// How a field holds a state, if it does.
fn is_state_key(key: &str) -> Option<Keys> {
    // Most keys are told apart by their last letter.
    let last = key.bytes().next_back()?.to_ascii_lowercase();
    if last.is_ascii_alphanumeric() && !matches!(last, b'e' | b's' | b'h' | b't' | b'n') {
        return None;
    }
    let flat = Flat::of(key);
    let flat = flat.as_str();
    if KEYS.contains(&flat) {
        return Some(Keys::Canonical);
    }
    let ends_so = KEY_ENDS.iter().any(|end| flat.ends_with(end));
    let is_now = || !OTHER_TIMES.iter().any(|start| flat.starts_with(start));
    (ends_so && is_now()).then_some(Keys::All)
}

/// What the state words of the whole status say.
pub(super) struct Top<'a> {
    pub(super) worst: Worst<'a>,
    pub(super) is_under_way: bool,
}

/// The words right below `status`, and those at declared paths.
pub(super) fn top<'a>(case: &Case<'a>) -> Top<'a> {
    let mut top = Top { worst: Worst::default(), is_under_way: false };
    let Some(status) = case.status else { return top };
    let mut add = |signal: Signal<'a>| {
        top.is_under_way |= signal.health == Progressing;
        if top.worst.would_take(signal.health) {
            top.worst.add(signal.message(message(status)));
        }
    };
    for (key, value) in status {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        if is_state_key(key).is_none() {
            continue;
        }
        let declared = case.kind.states_of_key(key).and_then(|states| states.meaning(text));
        if let Some(health) = meaning(case, declared, text) {
            add(Signal::key(health, "P01", key).reason(text));
            if health == Healthy
                && let Some(doubt) = doubt(status)
            {
                add(doubt);
            }
        }
    }
    for states in &case.kind.states {
        let is_read = |key: &str| {
            is_state_key(key).is_some() && status.get(key).is_some_and(|v| v.as_str() != Some(""))
        };
        if states.path.status_key().is_some_and(is_read)
            && states.path.of(case.object).is_some_and(Value::is_string)
        {
            continue;
        }
        let Some(value @ (Value::String(_) | Value::Bool(_))) = states.path.of(case.object) else { continue };
        let text = scalar(value);
        if let Some(health) = meaning(case, states.meaning(&text), &text) {
            add(Signal::at(health, "P01", states.path.as_str()).reason(text));
        }
    }
    top
}

/// A good word whose reason is a failure, or whose message begins with one, is none.
fn doubt(status: &Map<String, Value>) -> Option<Signal<'_>> {
    let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_failure = classify(text("reason"), Reading::Hard) == Some(Degraded);
    if is_failure {
        return Some(Signal::key(Degraded, "B02", "reason").reason(text("reason")));
    }
    let first = tokens(text("message")).next();
    let begins_with_one = first.is_some_and(|first| matches!(first.as_str(), "failed" | "error" | "failure"));
    begins_with_one.then(|| Signal::key(Degraded, "B02", "message"))
}

/// What a word means: as declared, else by itself.
fn meaning(case: &Case<'_>, declared: Option<crate::registry::StateMeaning>, text: &str) -> Option<Health> {
    match declared {
        Some(declared) => declared.health(),
        None => lexicon::state(text, case.kind.runs_to_completion),
    }
}

fn message(map: &Map<String, Value>) -> &str {
    let is_message = |key: &str| MESSAGE_KEYS.contains(&Flat::of(key).as_str());
    let mut texts = map.iter().filter_map(|(key, value)| value.as_str().filter(|_| is_message(key)));
    texts.next().unwrap_or_default()
}

/// Booleans, error texts and lists of failures right below a map.
pub(super) fn facts<'a>(map: &'a Map<String, Value>, is_nested: bool, visit: &mut dyn FnMut(Signal<'a>)) {
    for (key, value) in map {
        match value {
            Value::Bool(_) | Value::String(_) if truth(value).is_some() => {
                let value = truth(value) == Some(true);
                let health = boolean(key, value).filter(|_| !is_nested || !value || !is_good_name(key));
                if let Some(health) = health {
                    visit(Signal::key(health, "B01", key).reason(if value { "True" } else { "False" }));
                }
            }
            value if is_error_key(key) && is_truthy(value) && !is_no_error(value) => {
                let message = error_text(value);
                if !is_nested || classify(&message, Reading::Text) == Some(Degraded) {
                    visit(Signal::key(Degraded, "B02", key).message(message));
                }
            }
            Value::Array(_) | Value::Object(_) if !is_nested && is_truthy(value) => {
                let first = tokens(key).next();
                let is_failures = first.is_some_and(|first| {
                    matches!(first.as_str(), "failed" | "failing" | "failures" | "broken" | "unhealthy")
                });
                if is_failures {
                    visit(Signal::key(Degraded, "B03", key).message(json(value)));
                }
            }
            _ => {}
        }
    }
}

/// A boolean, also one that is written as text.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn is_good_name(key: &str) -> bool {
    let flat = Flat::of(key);
    let flat = flat.as_str();
    matches!(
        flat,
        "pass"
            | "passed"
            | "compliant"
            | "ready"
            | "healthy"
            | "available"
            | "initialized"
            | "synced"
            | "succeeded"
            | "valid"
            | "active"
            | "connected"
            | "success"
            | "registered"
            | "provisioned"
            | "installed"
            | "deployed"
            | "reconciled"
            | "reachable"
            | "isready"
            | "allready"
    ) || flat.ends_with("ready")
        || flat.ends_with("healthy")
        || flat.starts_with("readyto")
}

fn boolean(key: &str, value: bool) -> Option<Health> {
    if is_good_name(key) {
        let is_judged = matches!(
            Flat::of(key).as_str(),
            "pass" | "passed" | "healthy" | "compliant" | "success" | "valid" | "succeeded"
        );
        return Some(match value {
            true => Healthy,
            false if is_judged => Degraded,
            false => Progressing,
        });
    }
    if !value {
        return None;
    }
    match Flat::of(key).as_str() {
        "controllerpause" | "paused" | "suspended" | "hibernated" => return Some(Suspended),
        "failed" | "degraded" | "unhealthy" | "error" => return Some(Degraded),
        _ => {}
    }
    let begins_with_no = tokens(key).next().is_some_and(|first| first.as_str() == "no");
    (begins_with_no || tokens(key).any(|token| lexicon::is_hard(token.as_str()))).then_some(Degraded)
}

/// How deep sub-objects are read.
const MAX_DEPTH: usize = 3;

/// State words and facts of sub-objects and list items (members, domains, environments). Histories are left out, and so
/// are items at rest: one of many that was stopped does not suspend the whole.
pub(super) fn items<'a>(case: &Case<'a>) -> Worst<'a> {
    let mut worst = Worst::default();
    if let Some(status) = case.status {
        let mut path = "status".to_owned();
        walk(case, status, &mut path, 0, &mut worst);
    }
    worst
}

fn is_skipped(key: &str) -> bool {
    let flat = Flat::of(key);
    ["history", "previous", "lastapplied", "versions", "resources", "managed", "conditions"]
        .iter()
        .any(|part| flat.as_str().contains(part))
}

fn walk<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &mut String,
    depth: usize,
    worst: &mut Worst<'a>,
) {
    for (key, value) in map {
        let items = match value {
            Value::Object(_) => std::slice::from_ref(value),
            Value::Array(items) => items.as_slice(),
            _ => continue,
        };
        if is_skipped(key) {
            continue;
        }
        let above = path.len();
        for (index, item) in items.iter().enumerate() {
            let Some(item) = item.as_object() else { continue };
            if item.contains_key("type") && item.contains_key("lastTransitionTime") {
                continue;
            }
            if !case.spend(ITEM) {
                break;
            }
            path.truncate(above);
            path.push('.');
            path.push_str(key);
            if value.is_array() {
                path.push('[');
                path.push_str(&index.to_string());
                path.push(']');
            }
            read_item(case, item, path, worst);
            if is_map_of_states(key) {
                read_states(item, path, worst);
            }
            if depth < MAX_DEPTH {
                walk(case, item, path, depth + 1, worst);
            }
        }
        path.truncate(above);
    }
}

fn read_item<'a>(case: &Case<'a>, item: &'a Map<String, Value>, path: &str, worst: &mut Worst<'a>) {
    let mut add = |signal: Signal<'a>| {
        if signal.health != Suspended && worst.would_take(signal.health) {
            let rule = "P02";
            worst.add(Signal { rule, ..signal.below(path) });
        }
    };
    for (key, value) in item {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        let Some(keys) = is_state_key(key) else { continue };
        let declared = declared_below(case, path, key, text);
        let Some(health) = meaning(case, declared, text) else { continue };
        if keys == Keys::Canonical || health == Degraded {
            add(Signal::new(health, "P02", Place::Key(key)).reason(text).message(message(item)));
        }
    }
    facts(item, true, &mut add);
}

/// `componentStatuses`: its keys are names, and its values words.
fn is_map_of_states(key: &str) -> bool {
    let flat = Flat::of(key);
    ["statuses", "states", "phases"].iter().any(|end| flat.as_str().ends_with(end))
}

fn read_states<'a>(item: &'a Map<String, Value>, path: &str, worst: &mut Worst<'a>) {
    for (key, value) in item {
        let Some(text) = value.as_str() else { continue };
        if lexicon::word(Flat::of(text).as_str()).means() == Some(Degraded) && worst.would_take(Degraded) {
            worst.add(Signal::key(Degraded, "P02", key).reason(text).below(path));
        }
    }
}

/// What is declared for a word of a sub-object.
fn declared_below(
    case: &Case<'_>,
    path: &str,
    key: &str,
    text: &str,
) -> Option<crate::registry::StateMeaning> {
    let states = case.kind.states.iter().find(|states| {
        let declared = states.path.as_str();
        declared.strip_prefix(path).and_then(|rest| rest.strip_prefix('.')) == Some(key)
    });
    states?.meaning(text)
}
