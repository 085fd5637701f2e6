//! The conditions of a list as they stand there, however they are written.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::case::{CONDITION, Case, text};
use super::signal::{Place, Signal, instant};
use super::{Health, Rule};
use allready_core::{
    Time,
    findings::{Severity, Told},
    found::{self, FoundSubConditions},
};

/// One condition as it stands in a list.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) type_: &'a str,
    pub(super) map: &'a Map<String, Value>,
    /// Its status; in a map of types to truths, that is all there is.
    status: Option<&'a Value>,
}

/// The rest of a condition that is no more than a truth.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// What the status of a condition says, however it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'a> {
    True,
    False,
    Unknown,
    Other(&'a str),
}

impl<'a> Listed<'a> {
    pub(super) fn said(&self) -> Said<'a> {
        match self.status {
            Some(Value::Bool(true)) => Said::True,
            Some(Value::Bool(false)) => Said::False,
            Some(Value::String(text)) => {
                let text = text.trim();
                let is = |word: &str| text.eq_ignore_ascii_case(word);
                match text {
                    _ if is("true") => Said::True,
                    _ if is("false") => Said::False,
                    _ if is("unknown") || text.is_empty() => Said::Unknown,
                    other => Said::Other(other),
                }
            }
            None | Some(Value::Null) => Said::Unknown,
            Some(_) => Said::Other(""),
        }
    }

    pub(super) fn reason(&self) -> Cow<'a, str> {
        text(value(self.map, "reason"))
    }

    pub(super) fn message(&self) -> Cow<'a, str> {
        text(value(self.map, "message"))
    }

    pub(super) fn since(&self) -> Option<&'a str> {
        value(self.map, "lastTransitionTime")?.as_str()
    }

    /// Since when, as an instant. A clock that is ahead by minutes is believed; what lies further ahead tells nothing, nor does the epoch.
    pub(super) fn since_when(&self, now: Time) -> Option<Time> {
        let since = found::began(self.since().and_then(instant), None)?;
        (since.as_second() <= now.as_second().saturating_add(AHEAD)).then_some(since)
    }

    /// The errors that are listed with it.
    pub(super) fn errors(&self) -> FoundSubConditions<'a> {
        FoundSubConditions::read(value(self.map, "errors"))
    }

    /// What it says, if it is this that decides. Of several errors under it the first says more than that there are several.
    pub(super) fn signal(&self, health: Health, rule: Rule) -> Signal<'a> {
        let (mut reason, mut message) = (self.reason(), self.message());
        if health > Health::Suspended {
            let mut told = Told::read(self.errors(), FoundSubConditions::default(), &message, 1);
            let all = told.counts.errors;
            if let Some(first) = told.problems.pop().filter(|first| first.severity == Severity::Error) {
                reason = if first.reason.is_empty() { reason } else { first.reason };
                message = if first.message.is_empty() { message } else { first.message };
                if all > 1 {
                    // In front, so that a narrow table shows that there are more.
                    message = Cow::Owned(format!("1 of {all} errors: {message}"));
                }
            }
        }
        Signal::new(health, rule, Place::Condition(self.type_))
            .reason(reason)
            .message(message)
            .since(self.since())
    }
}

/// How many seconds a clock may be ahead.
const AHEAD: i64 = 600;

/// A field of a condition. `Type` and `Status` are as good as `type` and `status` where a controller writes them so.
fn value<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).or_else(|| {
        // Of those that are written as usual, the rest is not looked at again.
        if map.contains_key("type") || map.is_empty() {
            return None;
        }
        map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    })
}

/// The conditions of a list, or of a map by type, each type once: the newest of several. Where a time does not tell, all of them are kept,
/// so that the worst of them counts, in whatever order they stand.
pub(super) fn read<'a>(case: &Case<'a>, value: Option<&'a Value>) -> Vec<Listed<'a>> {
    let mut list: Vec<Listed<'a>> = Vec::new();
    let mut has_twins = false;
    let items = value.and_then(Value::as_array).into_iter().flatten().filter_map(item);
    let keyed = value.and_then(Value::as_object).into_iter().flatten();
    for found in items.chain(keyed.filter_map(|(key, value)| by_key(key, value))) {
        if !case.spend(CONDITION) {
            break;
        }
        has_twins |= list.iter().any(|one| one.type_ == found.type_);
        list.push(found);
    }
    if has_twins { newest(&list, case.now) } else { list }
}

/// Without those that are older than another of their type, where all of that type have a time.
fn newest<'a>(list: &[Listed<'a>], now: Time) -> Vec<Listed<'a>> {
    let is_newest = |one: &&Listed<'a>| {
        let mut newest = None;
        for twin in list.iter().filter(|twin| twin.type_ == one.type_) {
            let Some(time) = twin.since_when(now) else { return true };
            newest = newest.max(Some(time));
        }
        one.since_when(now) == newest
    };
    list.iter().filter(is_newest).copied().collect()
}

fn item(entry: &Value) -> Option<Listed<'_>> {
    let map = entry.as_object()?;
    Some(Listed { type_: value(map, "type")?.as_str()?, map, status: value(map, "status") })
}

/// One of a map: `Ready: {status: "False"}`, or `Ready: false`.
fn by_key<'a>(key: &'a str, value: &'a Value) -> Option<Listed<'a>> {
    let is_truth =
        |text: &str| ["true", "false", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word));
    match value {
        Value::Object(map) => {
            let type_ = map.get("type").and_then(Value::as_str).unwrap_or(key);
            Some(Listed { type_, map, status: Some(self::value(map, "status")?) })
        }
        Value::Bool(_) => Some(Listed { type_: key, map: &NOTHING, status: Some(value) }),
        Value::String(text) if is_truth(text) => {
            Some(Listed { type_: key, map: &NOTHING, status: Some(value) })
        }
        _ => None,
    }
}

/// The condition of a type.
pub(super) fn find<'a>(list: &[Listed<'a>], type_: &str) -> Option<Listed<'a>> {
    list.iter().find(|one| one.type_ == type_).copied()
}
