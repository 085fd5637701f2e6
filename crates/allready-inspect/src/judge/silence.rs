//! Objects that say nothing about themselves.

use super::Rule;
use crate::words::{Flat, List, Reading, classify, is_hard, state, tokens, word};
use serde_json::{Map, Value};

use super::case::{Case, is_truthy};
use super::signal::{Signal, instant};
use crate::health::Health::{Degraded, Healthy, Progressing};
use crate::registry::path::is_empty;

/// Tells whether there is no status, or nothing in it.
pub(super) fn is_silent(case: &Case<'_>) -> bool {
    case.status.is_none_or(|status| status.values().all(is_empty))
}

/// A kind whose whole work is a timetable, and whose status only says when.
pub(super) fn timetable<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    if is_silent(case) || !is_timetable(case) {
        return None;
    }
    if let Some(behind) = case.lagging() {
        return Some(behind);
    }
    let is_plain = |(key, value): (&String, &Value)| {
        is_bookkeeping(key, value) && !tells_of_a_failure(key, value) || Flat::of(key).as_str() == "active"
    };
    let says_when = |(key, value): (&String, &Value)| {
        let flat = Flat::of(key);
        !is_empty(value) && (flat.as_str().contains("time") || flat.as_str().contains("schedule"))
    };
    if !case.status.is_some_and(|status| status.iter().all(is_plain) && status.iter().any(says_when)) {
        return None;
    }
    let on_time = || Signal::at(Healthy, Rule::Schedule, "status").reason("Scheduled");
    Some(missed_run(case, Rule::Schedule).unwrap_or_else(on_time))
}

/// Tells whether a field is about a run that failed.
fn tells_of_a_failure(key: &str, value: &Value) -> bool {
    let is_failure = |text: &str| state(text, true) == Some(Degraded);
    is_truthy(value) && tokens(key).any(|token| is_hard(token.as_str()))
        || value.as_str().is_some_and(is_failure)
}

/// Tells whether a run tells when it began and not when it ended.
pub(super) fn has_only_begun(status: &Map<String, Value>) -> bool {
    let has_time = |stems: &[&str]| {
        status.iter().any(|(key, value)| {
            let flat = Flat::of(key);
            let is_time = ["time", "timestamp", "at"].iter().any(|end| flat.as_str().ends_with(end));
            is_time && !is_empty(value) && stems.iter().any(|stem| flat.as_str().starts_with(stem))
        })
    };
    has_time(&["start"]) && !has_time(&["finish", "complet", "end", "stop"])
}

/// The last run was started after the last one that succeeded, and none is running.
pub(super) fn missed_run<'a>(case: &Case<'a>, rule: Rule) -> Option<Signal<'a>> {
    let started = case.status("lastScheduleTime")?.as_str()?;
    let succeeded = case.status("lastSuccessfulTime")?.as_str()?;
    let is_late = instant(started)? > instant(succeeded)?;
    let is_running = case.status("active").is_some_and(is_truthy);
    let signal = Signal::at(Degraded, rule, "status.lastSuccessfulTime").reason("LastRunNotSuccessful");
    (is_late && !is_running).then(|| signal.since(Some(started)))
}

fn is_timetable(case: &Case<'_>) -> bool {
    let mut words = tokens(case.name);
    let Some(first) = words.next() else { return false };
    let last = words.last().unwrap_or(first);
    let is_named_so =
        matches!(first.as_str(), "cron" | "scheduled") || matches!(last.as_str(), "schedule" | "cron");
    let says_when =
        |spec: &Map<String, Value>| spec.keys().any(|key| Flat::of(key).as_str().contains("schedule"));
    is_named_so && (Flat::of(case.name).as_str().contains("schedule") || case.spec.is_some_and(says_when))
}

/// The verdict on an object without a status, or of a kind that is declared to be always the same.
pub(super) fn no_status<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let declared = case.kind.declared();
    let by_design = |health, reason| Some(Signal::at(health, Rule::NoStatusByDesign, "").reason(reason));
    if let Some(health) = declared.always {
        return by_design(health, "Declared");
    }
    if !is_silent(case) {
        return None;
    }
    if case.kind.healthy_if.iter().chain(&case.kind.no_status_if).any(|test| test.holds(case.object)) {
        return by_design(Healthy, "NoStatusByDesign");
    }
    let none_yet =
        |health| Signal::at(health, Rule::NoStatusYet, "status").reason("NoStatusYet").since(case.created());
    if let Some(health) = declared.empty_status
        && case.status.is_some_and(Map::is_empty)
    {
        return Some(none_yet(health));
    }
    if declared.no_status == Some(true) {
        by_design(Healthy, "NoStatusByDesign")
    } else {
        Some(none_yet(Progressing))
    }
}

/// The signal of a status that has a message and nothing else that is understood. A sentence is no good news: only one that speaks of a
/// failure, or of something under way, decides. A message of one word is that word.
pub(super) fn message<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let status = case.status.filter(|_| !case.evidence().is_unheard())?;
    let (key, text) = ["message", "reason", "statusMessage", "description"]
        .iter()
        .find_map(|key| Some((*key, status.get(*key)?.as_str()?)))
        .filter(|(_, text)| !text.is_empty())?;
    let of_words = || classify(text, Reading::Text).filter(|health| matches!(health, Degraded | Progressing));
    let health = word(Flat::of(text).as_str()).means().or_else(of_words)?;
    Some(
        Signal::key(health, Rule::MessageOnly, key)
            .message(text)
            .since(case.created().filter(|_| health == Progressing)),
    )
}

/// Tells whether a field is there for the controller alone, and says nothing of how it went.
pub(super) fn is_bookkeeping(key: &str, value: &Value) -> bool {
    if is_empty(value) {
        return true;
    }
    let flat = Flat::of(key);
    let flat = flat.as_str();
    List::BookkeepingEnding.ends(flat)
        || ["last", "expected", "desired"].iter().any(|start| flat.starts_with(start))
}
