//! Everything that is declared of one kind, made ready for many lookups.

use std::collections::BTreeMap;

use super::{
    Builtin, ConditionRole, Entry, Semantics, StateMeaning, glob, names,
    path::{Path, Test, Values},
};
use crate::health::Health;

/// What is declared of one kind: all entries about it, the later ones over the earlier ones.
///
/// ```
/// use allready_inspect::registry::Registry;
///
/// let certificate = Registry::builtin().kind("cert-manager.io", "Certificate");
/// assert!(certificate.is_declared());
/// assert!(certificate.condition("Issuing").is_declared);
/// assert!(certificate.declared().conditions.contains_key("Ready"));
/// ```
#[derive(Clone, Debug)]
pub struct KindSemantics {
    declared: Entry,
    is_declared: bool,
    exact: BTreeMap<String, Semantics>,
    globs: Vec<(String, Semantics)>,
    pub(crate) states: Vec<States>,
    pub(crate) healthy_if: Vec<Test>,
    pub(crate) no_status_if: Vec<Test>,
    pub(crate) suspended_if: Vec<Test>,
    pub(crate) counts: Vec<(Path, Values, Health)>,
    pub(crate) equal: Vec<(Values, Values, Health)>,
    pub(crate) present: Vec<(Path, Health)>,
    pub(crate) generations: Vec<(Path, Path)>,
    pub(crate) runs_to_completion: bool,
}

/// What the words at one path mean.
#[derive(Clone, Debug)]
pub(crate) struct States {
    pub(crate) path: Path,
    pub(crate) words: BTreeMap<String, StateMeaning>,
}

impl States {
    /// What a word means here, if that is declared.
    pub(crate) fn meaning(&self, word: &str) -> Option<StateMeaning> {
        self.words.get(word).or_else(|| self.words.get("*")).copied()
    }
}

impl KindSemantics {
    pub(super) fn merge<'a>(kind: &str, entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut declared = Entry::default();
        let mut is_declared = false;
        for entry in entries {
            is_declared = true;
            add(&mut declared, entry);
        }
        let (globs, exact): (Vec<_>, Vec<_>) = declared
            .conditions
            .iter()
            .map(|(type_, meaning)| (type_.clone(), Semantics::from(*meaning)))
            .partition(|(type_, _)| type_.contains('*'));
        let tests = |texts: &[String]| texts.iter().map(|text| Test::parse(text)).collect();
        let states = declared.states.iter();
        let counts = declared.counts.iter().flatten();
        let equal = declared.equal.iter().flatten();
        let present = declared.present.iter().flatten();
        let generations = declared.generations.iter().flatten();
        Self {
            exact: exact.into_iter().collect(),
            globs,
            states: states
                .map(|(path, words)| States { path: Path::parse(path), words: words.clone() })
                .collect(),
            healthy_if: tests(declared.healthy_if.as_deref().unwrap_or_default()),
            no_status_if: tests(declared.no_status_if.as_deref().unwrap_or_default()),
            suspended_if: tests(&declared.suspended_if),
            counts: counts
                .map(|count| (Path::parse(&count.have), Values::parse(&count.want), count.short))
                .collect(),
            equal: equal
                .map(|equal| (Values::parse(&equal.path), Values::parse(&equal.other), equal.different))
                .collect(),
            present: present.map(|present| (Path::parse(&present.path), present.absent)).collect(),
            generations: generations
                .map(|pair| (Path::parse(&pair.observed), Path::parse(&pair.wanted)))
                .collect(),
            runs_to_completion: declared
                .runs_to_completion
                .unwrap_or_else(|| names::runs_to_completion(kind)),
            declared,
            is_declared,
        }
    }

    /// All that is declared, merged.
    ///
    /// ```
    /// use allready_inspect::registry::Registry;
    ///
    /// let certificate = Registry::builtin().kind("cert-manager.io", "Certificate");
    /// assert!(certificate.declared().conditions.contains_key("Ready"));
    /// ```
    pub fn declared(&self) -> &Entry {
        &self.declared
    }

    /// Whether anything is declared at all.
    ///
    /// ```
    /// use allready_inspect::registry::Registry;
    ///
    /// assert!(!Registry::empty().kind("cert-manager.io", "Certificate").is_declared());
    /// ```
    pub fn is_declared(&self) -> bool {
        self.is_declared
    }

    /// What a condition type means: as declared, or by its name.
    ///
    /// ```
    /// use allready_inspect::registry::{ConditionRole, Registry};
    ///
    /// let ready = Registry::empty().kind("example.com", "Widget").condition("Ready");
    /// assert_eq!(ready.role, ConditionRole::Summary, "by its name");
    /// ```
    pub fn condition(&self, type_: &str) -> Semantics {
        if let Some(semantics) = self.exact.get(type_) {
            return *semantics;
        }
        let by_pattern = self.globs.iter().find(|(pattern, _)| glob::matches(pattern, type_));
        by_pattern.map_or_else(|| names::condition(type_), |(_, semantics)| *semantics)
    }

    /// What the bad status of a condition means with this reason, if that is declared.
    ///
    /// ```
    /// use allready_inspect::{health::Health, registry::{self, Registry}};
    /// use serde_json::json;
    ///
    /// let file = json!([{ "group": "example.com", "kind": "Widget", "reasons": { "Ready": { "Warming": "Progressing" } } }]);
    /// let widget = Registry::empty().with(registry::read(&file).unwrap()).kind("example.com", "Widget");
    /// assert_eq!(widget.reason("Ready", "Warming"), Some(Health::Progressing));
    /// assert_eq!(widget.reason("Ready", "Burning"), None);
    /// ```
    pub fn reason(&self, type_: &str, reason: &str) -> Option<Health> {
        let of_type = |type_: &str| self.declared.reasons.get(type_)?.get(reason).copied();
        if self.declared.reasons.is_empty() { None } else { of_type(type_).or_else(|| of_type("*")) }
    }

    pub(crate) fn states_of_key(&self, key: &str) -> Option<&States> {
        self.states.iter().find(|states| states.path.status_key() == Some(key))
    }

    /// Tells whether a summary or words for the whole are declared, so that a part that is well does not speak for it; unless parts are
    /// declared to do so.
    pub(crate) fn has_own_words(&self) -> bool {
        if self.declared.skip_items.as_deref() == Some("") {
            return false;
        }
        let mut conditions = self.exact.values().chain(self.globs.iter().map(|(_, semantics)| semantics));
        !self.states.is_empty() || conditions.any(|semantics| semantics.role == ConditionRole::Summary)
    }

    pub(crate) fn builtin(&self) -> Option<Builtin> {
        self.declared.builtin
    }
}

/// Key by key, the later one wins; of types, reasons, paths and wishes to rest, both count.
fn add(all: &mut Entry, more: &Entry) {
    fn over<T: Clone>(into: &mut Option<T>, from: Option<&T>) {
        if let Some(from) = from {
            *into = Some(from.clone());
        }
    }
    all.conditions.extend(more.conditions.iter().map(|(type_, meaning)| (type_.clone(), *meaning)));
    for (type_, reasons) in &more.reasons {
        let known = all.reasons.entry(type_.clone()).or_default();
        known.extend(reasons.iter().map(|(reason, health)| (reason.clone(), *health)));
    }
    all.states.extend(more.states.iter().map(|(path, words)| (path.clone(), words.clone())));
    all.suspended_if.extend(more.suspended_if.iter().cloned());
    over(&mut all.requires, more.requires.as_ref());
    over(&mut all.runs_to_completion, more.runs_to_completion.as_ref());
    over(&mut all.ends_by_condition, more.ends_by_condition.as_ref());
    over(&mut all.ignore_conditions, more.ignore_conditions.as_ref());
    over(&mut all.ignore_nested, more.ignore_nested.as_ref());
    over(&mut all.skip_items, more.skip_items.as_ref());
    over(&mut all.no_status, more.no_status.as_ref());
    over(&mut all.no_status_if, more.no_status_if.as_ref());
    over(&mut all.healthy_if, more.healthy_if.as_ref());
    over(&mut all.always, more.always.as_ref());
    over(&mut all.empty_status, more.empty_status.as_ref());
    over(&mut all.counts, more.counts.as_ref());
    over(&mut all.equal, more.equal.as_ref());
    over(&mut all.present, more.present.as_ref());
    over(&mut all.generations, more.generations.as_ref());
    over(&mut all.builtin, more.builtin.as_ref());
    over(&mut all.source, more.source.as_ref());
    // Who names the kind, and is stronger, has said what it means.
    all.is_unreadable = more.is_unreadable || (all.is_unreadable && more.kinds.is_empty());
}
