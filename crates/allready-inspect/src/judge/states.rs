//! Words, booleans and error texts in fields: kinds without conditions, and what conditions leave out.

use super::Rule;
use crate::view::{Path, Step, item, json};
use crate::words::{Flat, List, Reading, Token, awaits_a_person, classify, state, tokens, word};
use serde_json::{Map, Value};

use super::case::{Case, ITEM, is_truthy};
use super::errors::{count, error_text, is_error_key, is_no_error, is_time};
use super::flags::{boolean, is_good_name, truth};
use super::listed::Listed;
use super::signal::{Place, Signal, Worst};
use crate::health::Health::{self, Degraded, Healthy, Missing, Progressing, Suspended};
use crate::registry::{ConditionRole, States, path::scalar};

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
    if last.is_ascii_alphanumeric() && !matches!(last, b'e' | b's' | b'h' | b't' | b'n' | b'y') {
        return None;
    }
    let flat = Flat::of(key);
    let flat = flat.as_str();
    if List::StateField.has(flat) {
        return Some(Keys::Canonical);
    }
    let ends_so = List::StateFieldEnding.ends(flat);
    let is_now = || !List::OtherTime.begins(flat);
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
    let mut rest = None;
    let mut add = |signal: Signal<'a>| {
        if signal.health == Suspended {
            rest.get_or_insert_with(|| signal.clone());
        }
        // That it is not ready does not say that anybody works on it.
        top.is_under_way |= signal.health == Progressing && !is_not_ready(&signal.reason);
        if top.worst.would_take(signal.health) {
            top.worst.add(signal.message(message(status)));
        }
    };
    let mut step = None;
    for (key, value) in status {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        if is_state_key(key).is_none() {
            continue;
        }
        let declared = case.kind.states_of_key(key).and_then(|states| states.meaning(text));
        let health = meaning(case, declared, text, || is_of_a_run(key));
        let is_unknown = health.is_none() && declared.is_none();
        if is_unknown && matches!(Flat::of(key).as_str(), "phase" | "state" | "stage") {
            step = Some((key, text));
        }
        if is_unknown && classify(reason(status), Reading::Text) == Some(Degraded) {
            // A word that nobody knows, for a reason that everybody knows.
            add(Signal::key(Degraded, Rule::ErrorText, "reason").reason(reason(status)));
        }
        let is_over = || {
            case.kind.runs_to_completion && List::RunBegins.has(Flat::of(text).as_str()) && has_ended(status)
        };
        let health = match health {
            Some(Progressing) if declared.is_none() && is_over() => Some(Healthy),
            // Pending, because of WaitingForApproval.
            Some(Progressing) if declared.is_none() && awaits_a_person(reason(status)) => Some(Suspended),
            health => health,
        };
        if let Some(health) = health {
            if health == Healthy && is_of_a_step(status, key) {
                add(Signal::key(Progressing, Rule::StepState, key).reason(text));
                continue;
            }
            add(Signal::key(health, Rule::StateWord, key).reason(text));
            if matches!(health, Healthy | Progressing)
                && let Some(doubt) = doubt(status, text)
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
        if let Some(health) = meaning(case, states.meaning(&text), &text, || false) {
            add(Signal::declared(health, Rule::StateWord, &states.path).reason(text));
        }
    }
    if let (Some(Missing), Some(rest)) = (top.worst.health(), rest) {
        // What rests has nothing running: `lifecycleState: SUSPENDED` beside `deploymentStatus: MISSING`.
        top.worst = Worst(Some(rest));
    }
    if let Some((key, text)) = step.filter(|_| case.kind.runs_to_completion && top.worst.0.is_none()) {
        // What runs to an end and is in a step that nobody knows has not ended.
        top.is_under_way = true;
        top.worst.add(Signal::key(Progressing, Rule::StateWord, key).reason(text));
    }
    top
}

/// Tells whether a status says when a run ended.
fn has_ended(status: &Map<String, Value>) -> bool {
    let is_end = |key: &str| List::EndTime.has(Flat::of(key).as_str());
    status.iter().any(|(key, value)| is_end(key) && is_truthy(value))
}

fn is_creation(text: &str) -> bool {
    Flat::of(text).as_str() == "created"
}

fn is_not_ready(text: &str) -> bool {
    matches!(Flat::of(text).as_str(), "notready" | "unready")
}

fn reason(status: &Map<String, Value>) -> &str {
    status.get("reason").and_then(Value::as_str).unwrap_or_default()
}

/// A word whose reason is a failure, or whose message begins with one, is no good one; what is not ready for such a reason is broken; and what was
/// created may be waiting.
fn doubt<'a>(status: &'a Map<String, Value>, word: &str) -> Option<Signal<'a>> {
    let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_good = state(word, false) == Some(Healthy);
    if (is_good || is_not_ready(word)) && classify(reason(status), Reading::Hard) == Some(Degraded) {
        return Some(Signal::key(Degraded, Rule::ErrorText, "reason").reason(reason(status)));
    }
    let first = tokens(text("message")).next();
    let begins_with_one = first.is_some_and(|first| matches!(first.as_str(), "failed" | "error" | "failure"));
    if begins_with_one {
        return Some(Signal::key(Degraded, Rule::ErrorText, "message"));
    }
    let waits = is_creation(word) && classify(text("message"), Reading::Text) == Some(Progressing);
    waits.then(|| Signal::key(Progressing, Rule::StateWord, "message"))
}

/// What a word means: as declared, else by itself, in a field of which `runs` tells whether it is about something that runs to an end.
fn meaning(
    case: &Case<'_>,
    declared: Option<crate::registry::StateMeaning>,
    text: &str,
    runs: impl Fn() -> bool,
) -> Option<Health> {
    if let Some(declared) = declared {
        return declared.health();
    }
    state(text, case.kind.runs_to_completion || runs()).or_else(|| is_apart(text).then_some(Degraded))
}

/// Whether a field is about something that runs to an end: `jobStatus`, `operationState`, `buildstatus`.
fn is_of_a_run(key: &str) -> bool {
    let is_plain = |token: &Token| !matches!(token.as_str(), "state" | "status" | "phase" | "result");
    let flat = Flat::of(key);
    let of_what = List::StateFieldEnding.words().find_map(|end| flat.as_str().strip_suffix(end));
    tokens(key).filter(is_plain).last().is_some_and(|token| List::RunKind.has(token.as_str()))
        || of_what.is_some_and(|what| List::RunKind.has(what))
}

/// `ConfigOutOfSync`: a condition of such a name is bad where it is True, and so is the word.
pub(super) fn is_apart(text: &str) -> bool {
    let flat = Flat::of(text);
    List::Apart.ends(flat.as_str())
}

/// `HealthStatusDown`: of a part, not there, or not there yet.
pub(super) fn is_down(text: &str) -> bool {
    tokens(text).last().is_some_and(|last| matches!(last.as_str(), "down" | "offline" | "unavailable"))
}

/// Whether a good word is about one step of many: `stageStatus: success` while the stage is not the last one.
fn is_of_a_step(map: &Map<String, Value>, key: &str) -> bool {
    let of = key.strip_suffix("Status").or_else(|| key.strip_suffix("State"));
    let Some(step) = of.filter(|of| List::StepField.has(Flat::of(of).as_str())) else {
        return false;
    };
    map.get(step).and_then(Value::as_str).is_some_and(|step| state(step, true) != Some(Healthy))
}

fn message(map: &Map<String, Value>) -> &str {
    let is_message = |key: &str| List::MessageField.has(Flat::of(key).as_str());
    let mut texts = map.iter().filter_map(|(key, value)| value.as_str().filter(|_| is_message(key)));
    texts.next().unwrap_or_default()
}

/// Booleans, error texts and lists of failures right below a map.
pub(super) fn facts<'a>(map: &'a Map<String, Value>, is_nested: bool, visit: &mut dyn FnMut(Signal<'a>)) {
    for (key, value) in map {
        match value {
            Value::Bool(_) | Value::String(_) if truth(value).is_some() => {
                let value = truth(value) == Some(true);
                // A part that is well speaks for itself alone, and one of several may stand by.
                let is_heard = !is_nested || !value && key != "active" || !is_good_name(key);
                let health = boolean(key, value).filter(|_| is_heard);
                if let Some(health) = health {
                    visit(Signal::key(health, Rule::Boolean, key).reason(if value {
                        "True"
                    } else {
                        "False"
                    }));
                }
            }
            Value::Number(_) => {
                if let Some(errors) = count(key, value) {
                    visit(Signal::key(Degraded, Rule::ErrorCounter, key).message(errors.to_string()));
                }
            }
            value if is_error_key(key) && is_truthy(value) && !is_no_error(value) && !is_time(value) => {
                let message = error_text(value);
                if !is_nested || classify(&message, Reading::Text) == Some(Degraded) {
                    visit(Signal::key(Degraded, Rule::ErrorText, key).message(message));
                }
            }
            Value::Array(_) | Value::Object(_) if is_truthy(value) => {
                if let Some(health) = troubled(key).filter(|_| !is_nested || value.is_array()) {
                    visit(Signal::key(health, Rule::FailureList, key).message(json(value)));
                }
            }
            _ => {}
        }
    }
}

/// A boolean that is not good, with what stands beside it: a reason or message that speaks of a failure tells why.
pub(super) fn explained<'a>(status: &'a Map<String, Value>, signal: Signal<'a>) -> Signal<'a> {
    if signal.health != Progressing || signal.rule != Rule::Boolean {
        return signal;
    }
    let (reason, message) = (reason(status), message(status));
    let is_failure = |text: &str| classify(text, Reading::Text) == Some(Degraded);
    if !is_failure(reason) && !is_failure(message) {
        return signal;
    }
    Signal { health: Degraded, ..signal }.reason(reason).message(message)
}

/// What a list of things says by its name alone: `failedNodes`, `unreadyMembers`.
fn troubled(key: &str) -> Option<Health> {
    let mut words = tokens(key);
    let first = words.next()?;
    match first.as_str() {
        broken if List::BrokenList.has(broken) => Some(Degraded),
        unready if List::UnreadyList.has(unready) => Some(Progressing),
        "not" if words.next().is_some_and(|second| second.as_str() == "ready") => Some(Progressing),
        _ => None,
    }
}

/// Tells whether parts have something to say: not where they are declared to be of something else, and not of what runs to completion
/// while a declared summary or word speaks for the whole. A step that failed was retried or tolerated, or the word would say so.
pub(super) fn has_part_news(case: &Case<'_>, list: &[Listed<'_>]) -> bool {
    let is_summary = |condition: &Listed<'_>| {
        let meaning = case.kind.condition(condition.type_);
        meaning.is_declared && meaning.role == ConditionRole::Summary
    };
    let is_spoken = |states: &States| {
        let word = states.path.of(case.object).map(scalar).unwrap_or_default();
        !word.is_empty() && states.meaning(&word).is_some_and(|meaning| meaning.health().is_some())
    };
    let is_run = case.kind.runs_to_completion
        && (list.iter().any(is_summary) || case.kind.states.iter().any(is_spoken));
    !is_run && case.kind.declared().skip_items.as_deref().unwrap_or_default().is_empty()
}

/// How deep sub-objects are read.
const MAX_DEPTH: usize = 3;

/// State words and facts of sub-objects and list items (members, domains, environments). Histories are left out, and so
/// are items at rest: one of many that was stopped does not suspend the whole.
pub(super) fn items<'a>(case: &Case<'a>) -> Worst<'a> {
    let mut worst = Worst::default();
    if let Some(status) = case.status {
        walk(case, status, &mut case.view.status_path(), 0, &mut worst);
    }
    worst
}

/// Whether what stands below a key is of other times, of other objects, or read elsewhere.
pub(super) fn is_skipped(key: &str) -> bool {
    let bytes = key.as_bytes();
    (0..bytes.len()).any(|at| {
        let part: &[u8] = match bytes[at].to_ascii_lowercase() {
            b'c' => b"conditions",
            b'h' => b"history",
            b'l' => b"lastapplied",
            b'm' => b"managed",
            b'p' => b"previous",
            b'r' => b"resources",
            b'v' => b"versions",
            _ => return false,
        };
        bytes[at..].get(..part.len()).is_some_and(|found| found.eq_ignore_ascii_case(part))
    })
}

fn walk<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &mut Path<'a>,
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
        path.push(Step::Field(key));
        for (index, item) in items.iter().enumerate() {
            let Some(item) = item.as_object() else { continue };
            if item.contains_key("type") && item.contains_key("lastTransitionTime") {
                continue;
            }
            if !case.spend(ITEM) {
                break;
            }
            if value.is_array() {
                path.push(self::item(&items[index], index));
            }
            read_item(case, item, path, worst);
            if is_map_of_states(key, item) {
                read_states(item, path, worst);
            }
            if depth < MAX_DEPTH {
                walk(case, item, path, depth + 1, worst);
            }
            if value.is_array() {
                path.pop();
            }
        }
        path.pop();
    }
}

fn read_item<'a>(case: &Case<'a>, item: &'a Map<String, Value>, path: &Path<'a>, worst: &mut Worst<'a>) {
    let mut add = |signal: Signal<'a>| {
        if signal.health != Suspended && worst.would_take(signal.health) {
            let rule = Rule::PartState;
            worst.add(Signal { rule, ..signal.below(path) });
        }
    };
    let runs = || matches!(path.steps().last(), Some(Step::Field(name)) if is_of_a_run(name));
    for (key, value) in item {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        let Some(keys) = is_state_key(key) else { continue };
        let declared = declared_below(case, path, key, text);
        let Some(health) = meaning(case, declared, text, || is_of_a_run(key) || runs()) else { continue };
        if keys == Keys::Canonical || health == Degraded || is_named_as(path, key) {
            add(Signal::new(health, Rule::PartState, Place::Key(key)).reason(text).message(message(item)));
        }
    }
    facts(item, true, &mut add);
}

/// `provisioningStatus.provisioningPhase`: what the part is about is what the field is about.
fn is_named_as(path: &Path<'_>, key: &str) -> bool {
    let Some(Step::Field(part)) = path.steps().last() else { return false };
    let (part, field) = (Flat::of(part), Flat::of(key));
    let about =
        |text: &str| List::StateFieldEnding.words().find_map(|end| text.strip_suffix(end).map(str::len));
    match (about(part.as_str()), about(field.as_str())) {
        (Some(one), Some(other)) => one > 0 && part.as_str()[..one] == field.as_str()[..other],
        _ => false,
    }
}

/// `componentStatuses`, `serviceHealth`: its keys are names, and its values words. Under another name, all of the values must be words
/// that are known.
fn is_map_of_states(key: &str, item: &Map<String, Value>) -> bool {
    let flat = Flat::of(key);
    List::StatesMap.ends(flat.as_str())
        || item.len() > 1
            && item.values().all(|value| value.as_str().is_some_and(|text| one_word(text).is_some()))
}

fn one_word(text: &str) -> Option<Health> {
    word(Flat::of(text).as_str()).means()
}

fn read_states<'a>(item: &'a Map<String, Value>, path: &Path<'a>, worst: &mut Worst<'a>) {
    let states = || item.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
    for (key, text) in states() {
        if matches!(state(text, false), Some(Degraded | Missing)) && worst.would_take(Degraded) {
            worst.add(Signal::key(Degraded, Rule::PartState, key).reason(text).below(path));
        }
    }
    if let Some((key, text)) = states().next()
        && states().count() == item.len()
        && states().all(|(_, text)| state(text, false) == Some(Healthy))
        && worst.would_take(Healthy)
    {
        worst.add(Signal::key(Healthy, Rule::PartState, key).reason(text).below(path));
    }
}

/// What is declared for a word of a sub-object.
fn declared_below(
    case: &Case<'_>,
    path: &Path<'_>,
    key: &str,
    text: &str,
) -> Option<crate::registry::StateMeaning> {
    let states = case.kind.states.iter().find(|states| states.path.is(path, key));
    states?.meaning(text)
}
