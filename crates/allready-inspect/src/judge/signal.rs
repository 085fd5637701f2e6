//! Signals: one condition or field, before it is known which of them decides.

use std::borrow::Cow;

use super::{Health, Lag, Rule, Verdict};
use crate::registry;
use crate::view::{Path, Step, View};
use crate::writers;
use allready_core::found;
pub(super) use allready_core::found::time as instant;

/// The place where something was said. It becomes a path only for the one that decides.
#[derive(Clone, Debug)]
pub(super) enum Place<'a> {
    /// Fields within fields, with dots between them.
    Fields(&'a str),
    /// A path.
    Path(Path<'a>),
    /// A key right below the status, or below what is being read.
    Key(&'a str),
    /// A condition in the list `conditions` of the status, or of what is being read.
    Condition(&'a str),
    /// A condition in a list elsewhere.
    Listed { list: Path<'a>, type_: &'a str },
}

/// The statement of one condition or field.
#[derive(Clone, Debug)]
pub(super) struct Signal<'a> {
    pub(super) health: Health,
    pub(super) rule: Rule,
    pub(super) place: Place<'a>,
    pub(super) reason: Cow<'a, str>,
    pub(super) message: Cow<'a, str>,
    pub(super) since: Option<&'a str>,
    /// Set if it is taken to be broken for want of a better clue: what names a cause is believed instead.
    pub(super) is_weak: bool,
}

impl<'a> Signal<'a> {
    pub(super) fn new(health: Health, rule: Rule, place: Place<'a>) -> Self {
        let empty = || Cow::Borrowed("");
        Self { health, rule, place, reason: empty(), message: empty(), since: None, is_weak: false }
    }

    /// At a path that is known beforehand.
    pub(super) fn at(health: Health, rule: Rule, path: &'a str) -> Self {
        Self::new(health, rule, Place::Fields(path))
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

    /// At a path that a declaration names.
    pub(super) fn declared(health: Health, rule: Rule, path: &'a registry::path::Path) -> Self {
        Self::new(health, rule, Place::Path(path.steps()))
    }

    /// The same, said below a path instead of below `status`.
    pub(super) fn below(mut self, path: &Path<'a>) -> Self {
        if let Place::Key(key) = self.place {
            self.place = Place::Path(path.join(Step::Field(key)));
        }
        self
    }

    /// The verdict if this is what decides.
    pub(super) fn into_verdict(self, view: &View<'a>, lag: Option<Lag>) -> Verdict {
        let condition = |list: Path<'a>, type_: &'a str| {
            let writer = writers::of_condition(view.object, &list, type_);
            // The place in the list is not looked for: it is shown by its type.
            (list.join(Step::Item { index: 0, name: Some(type_) }), writer)
        };
        let field = |path: Path<'a>| {
            let writer = writers::of_field(view.object, &path);
            (path, writer)
        };
        let (path, writer) = match self.place {
            Place::Fields("") => field(Path::default()),
            Place::Fields(fields) => field(Path::of(fields.split('.'))),
            Place::Path(path) => field(path),
            Place::Key(key) => field(view.status_path().join(Step::Field(key))),
            Place::Condition(type_) => condition(view.status_path().join(Step::Field("conditions")), type_),
            Place::Listed { list, type_ } => condition(list, type_),
        };
        Verdict {
            health: self.health,
            rule: self.rule,
            field: path.to_string(),
            reason: self.reason.into_owned(),
            message: self.message.into_owned(),
            since: found::began(self.since.and_then(instant), view.created().and_then(instant)),
            writer,
            lag,
        }
    }
}

/// The worst of what was said so far; of equals the first, but one that names a cause before one that does not.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst<'a>(pub(super) Option<Signal<'a>>);

impl<'a> Worst<'a> {
    /// Tells whether this would change anything.
    pub(super) fn would_take(&self, health: Health) -> bool {
        self.0.as_ref().is_none_or(|worst| health.rank_of_told() > worst.health.rank_of_told())
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

    /// Tells whether nothing, or nothing but good, was said.
    pub(super) fn is_fine(&self) -> bool {
        matches!(self.health(), None | Some(Health::Healthy))
    }

    /// Tells whether nothing was said that ends the question.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.health(), None | Some(Health::Healthy | Health::Progressing | Health::Unknown))
    }
}

impl<'a> Extend<Signal<'a>> for Worst<'a> {
    fn extend<I: IntoIterator<Item = Signal<'a>>>(&mut self, signals: I) {
        signals.into_iter().for_each(|signal| self.add(signal));
    }
}
