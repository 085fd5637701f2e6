//! The conditions of a list as they stand there, however they are written.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::Health;
use super::case::{CONDITION, Case, text};
use super::signal::{Place, Signal, instant};

/// One condition as it stands in a list.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) type_: &'a str,
    pub(super) map: &'a Map<String, Value>,
}

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
        match self.map.get("status") {
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
        text(self.map.get("reason"))
    }

    pub(super) fn message(&self) -> Cow<'a, str> {
        text(self.map.get("message"))
    }

    pub(super) fn since(&self) -> Option<&'a str> {
        self.map.get("lastTransitionTime")?.as_str()
    }

    /// What it says, if it is this that decides.
    pub(super) fn signal(&self, health: Health, rule: &'static str) -> Signal<'a> {
        Signal::new(health, rule, Place::Condition(self.type_))
            .reason(self.reason())
            .message(self.message())
            .since(self.since())
    }
}

/// The conditions of a list, each type once: the newest of several. Where no time tells and they disagree, all of them
/// are kept, so that the worst of them counts.
pub(super) fn read<'a>(case: &Case<'a>, value: Option<&'a Value>) -> Vec<Listed<'a>> {
    let mut list: Vec<Listed<'a>> = Vec::new();
    for entry in value.and_then(Value::as_array).into_iter().flatten() {
        let Some(map) = entry.as_object() else { continue };
        let Some(type_) = map.get("type").and_then(Value::as_str) else { continue };
        if !case.spend(CONDITION) {
            break;
        }
        let found = Listed { type_, map };
        match list.iter().position(|one| one.type_ == type_) {
            None => list.push(found),
            Some(at) => match newer(list[at], found) {
                Some(Ordering::Greater) => {}
                None if list[at].said() != found.said() => list.push(found),
                _ => {
                    list.remove(at);
                    list.push(found);
                }
            },
        }
    }
    list
}

/// Which of two conditions took its status later, if that can be told.
fn newer(one: Listed<'_>, other: Listed<'_>) -> Option<Ordering> {
    let time = |listed: Listed<'_>| listed.since().and_then(instant);
    Some(time(one)?.cmp(&time(other)?)).filter(|order| order.is_ne())
}

/// The condition of a type.
pub(super) fn find<'a>(list: &[Listed<'a>], type_: &str) -> Option<Listed<'a>> {
    list.iter().find(|one| one.type_ == type_).copied()
}
