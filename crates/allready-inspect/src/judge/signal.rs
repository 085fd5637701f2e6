//! What one condition or field says, before it is known which of them decides.

use std::borrow::Cow;

use serde_json::Value;

use super::{Health, Lag, Rule, Verdict};
use crate::writers;
use allready_core::found;
pub(super) use allready_core::found::time as instant;

/// Where something was said. It becomes text only for the one that decides.
#[derive(Clone, Debug)]
pub(super) enum Place<'a> {
    /// A path.
    Field(Cow<'a, str>),
    /// A key right below what is being read.
    Key(&'a str),
    /// A condition in the list `conditions` of what is being read.
    Condition(&'a str),
    /// A condition in a list elsewhere.
    Listed { list: String, type_: &'a str },
}

/// Goes on with a path: into what stands at a key, or into one of a list there.
pub(super) fn push_part(path: &mut String, key: &str, index: Option<usize>) {
    path.push('.');
    path.push_str(key);
    if let Some(index) = index {
        path.push('[');
        path.push_str(&index.to_string());
        path.push(']');
    }
}

/// What one condition or field says.
#[derive(Clone, Debug)]
pub(super) struct Signal<'a> {
    pub(super) health: Health,
    pub(super) rule: Rule,
    pub(super) place: Place<'a>,
    pub(super) reason: Cow<'a, str>,
    pub(super) message: Cow<'a, str>,
    pub(super) since: Option<&'a str>,
    /// Whether it is taken to be broken for want of a better clue: what names a cause is believed instead.
    pub(super) is_weak: bool,
}

impl<'a> Signal<'a> {
    pub(super) fn new(health: Health, rule: Rule, place: Place<'a>) -> Self {
        let empty = || Cow::Borrowed("");
        Self { health, rule, place, reason: empty(), message: empty(), since: None, is_weak: false }
    }

    /// At a path that is known beforehand.
    pub(super) fn at(health: Health, rule: Rule, path: &'a str) -> Self {
        Self::new(health, rule, Place::Field(Cow::Borrowed(path)))
    }

    /// At a key of the status.
    pub(super) fn key(health: Health, rule: Rule, key: &'a str) -> Self {
        Self::new(health, rule, Place::Key(key))
    }

    pub(super) fn reason(mut self, reason: impl Into<Cow<'a, str>>) -> Self {
        self.reason = reason.into();
        self
    }

    pub(super) fn message(mut self, message: impl Into<Cow<'a, str>>) -> Self {
        self.message = message.into();
        self
    }

    pub(super) fn since(mut self, since: Option<&'a str>) -> Self {
        self.since = since;
        self
    }

    /// The same, said below a path instead of below `status`.
    pub(super) fn below(mut self, path: &str) -> Self {
        self.place = match self.place {
            Place::Key(key) => Place::Field(Cow::Owned(format!("{path}.{key}"))),
            placed => placed,
        };
        self
    }

    /// The verdict if this is what decides.
    pub(super) fn into_verdict(self, object: &Value, lag: Option<Lag>) -> Verdict {
        let (field, writer) = match self.place {
            Place::Field(path) => {
                let writer = writers::of_field(object, &path);
                (path.into_owned(), writer)
            }
            Place::Key(key) => {
                let path = format!("status.{key}");
                let writer = writers::of_field(object, &path);
                (path, writer)
            }
            Place::Condition(type_) => {
                let writer = writers::of_condition(object, "status.conditions", type_);
                (format!("status.conditions[{type_}]"), writer)
            }
            Place::Listed { list, type_ } => {
                let writer = writers::of_condition(object, &list, type_);
                (format!("{list}[{type_}]"), writer)
            }
        };
        let created = object.pointer("/metadata/creationTimestamp").and_then(Value::as_str);
        Verdict {
            health: self.health,
            rule: self.rule,
            field,
            reason: self.reason.into_owned(),
            message: self.message.into_owned(),
            since: found::began(self.since.and_then(instant), created.and_then(instant)),
            writer,
            lag,
        }
    }
}

/// How bad it is when several things are said: the worst is believed, and what is known beats what is not.
pub(super) const fn weight(health: Health) -> u8 {
    match health {
        Health::Healthy => 0,
        Health::Unknown => 1,
        Health::Progressing => 2,
        Health::Suspended => 3,
        Health::Missing => 4,
        Health::Degraded => 5,
    }
}

/// The worst of what was said so far; of equals the first, but one that names a cause before one that does not.
#[derive(Debug, Default)]
pub(super) struct Worst<'a>(pub(super) Option<Signal<'a>>);

impl<'a> Worst<'a> {
    /// Whether this would change anything.
    pub(super) fn would_take(&self, health: Health) -> bool {
        self.0.as_ref().is_none_or(|worst| weight(health) > weight(worst.health))
    }

    pub(super) fn add(&mut self, signal: Signal<'a>) {
        let names_it = |worst: &Signal<'a>| worst.is_weak && !signal.is_weak && worst.health == signal.health;
        if self.would_take(signal.health) || self.0.as_ref().is_some_and(names_it) {
            self.0 = Some(signal);
        }
    }

    pub(super) fn health(&self) -> Option<Health> {
        self.0.as_ref().map(|worst| worst.health)
    }

    /// Whether nothing, or nothing but good, was said.
    pub(super) fn is_fine(&self) -> bool {
        matches!(self.health(), None | Some(Health::Healthy))
    }

    /// Whether nothing was said that ends the question.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.health(), None | Some(Health::Healthy | Health::Progressing | Health::Unknown))
    }
}

impl<'a> Extend<Signal<'a>> for Worst<'a> {
    fn extend<I: IntoIterator<Item = Signal<'a>>>(&mut self, signals: I) {
        signals.into_iter().for_each(|signal| self.add(signal));
    }
}
