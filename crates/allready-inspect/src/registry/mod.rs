//! What condition types and fields of well-known kinds mean: declared once, and used by everything that judges.
//!
//! A [`Registry`] is a list of [entries](Entry), of which the later ones win: the built-in data, then what a resource
//! author wrote into a definition's annotation or a `#[derive(ConditionSet)]`, then a file of the administrator. What
//! nobody declared is read off the name.

mod data;
mod entry;
pub mod export;
pub mod gateway;
mod glob;
mod kind;
mod names;
pub(crate) mod path;
mod read;
#[cfg(feature = "schemars")]
mod schema;
mod semantics;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

pub use entry::{Builtin, ConditionMeaning, Count, Entry, Equal, Generations, Present, Source, StateMeaning};
pub use kind::KindSemantics;
pub(crate) use kind::States;
pub use read::{OPEN, RegistryError, read};
#[cfg(feature = "schemars")]
pub use schema::schema;
pub use semantics::{ConditionRole, Semantics};

/// What is declared of kinds and their conditions.
///
/// ```
/// use allready_inspect::registry::{self, Registry};
/// use serde_json::json;
///
/// let file = json!([{"group": "example.com", "kind": "Widget", "conditions": {"Purring": "summary"}}]);
/// let registry = Registry::builtin().clone().with(registry::read(&file).unwrap());
/// assert!(registry.condition("example.com", "Widget", "Purring").is_declared);
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    entries: Arc<Vec<Entry>>,
    /// By group and kind: made once, as a cluster has many objects and few kinds.
    kinds: RwLock<HashMap<String, HashMap<String, Arc<KindSemantics>>>>,
}

/// How many groups, and how many kinds of each, are remembered: a file may name any number.
const REMEMBERED: usize = 1024;

static BUILTIN: LazyLock<Registry> = LazyLock::new(|| Registry::empty().with(data::entries()));

impl Registry {
    /// What is known of well-known projects.
    ///
    /// ```
    /// use allready_inspect::registry::Registry;
    ///
    /// assert!(Registry::builtin().kind("cert-manager.io", "Certificate").is_declared());
    /// ```
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Nothing but names.
    ///
    /// ```
    /// use allready_inspect::registry::{ConditionRole, Registry};
    ///
    /// let ready = Registry::empty().condition("example.com", "Widget", "Ready");
    /// assert_eq!((ready.role, ready.is_declared), (ConditionRole::Summary, false), "by its name");
    /// ```
    pub fn empty() -> Self {
        Self::default()
    }

    /// The same with more entries, which win over those that are there.
    ///
    /// ```
    /// use allready_inspect::registry::{self, ConditionRole, Registry};
    /// use serde_json::json;
    ///
    /// let file = json!([{"group": "example.com", "kind": "Widget", "conditions": {"Ready": "informational"}}]);
    /// let registry = Registry::empty().with(registry::read(&file).unwrap());
    /// assert_eq!(registry.condition("example.com", "Widget", "Ready").role, ConditionRole::Informational);
    /// ```
    pub fn with(self, entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut all = Arc::unwrap_or_clone(self.entries);
        all.extend(entries);
        Self { entries: Arc::new(all), kinds: RwLock::default() }
    }

    /// The same without anything that is declared for this group.
    ///
    /// ```
    /// use allready_inspect::registry::Registry;
    ///
    /// let without = Registry::builtin().without_group("cert-manager.io");
    /// assert!(!without.kind("cert-manager.io", "Certificate").is_declared());
    /// assert!(without.kind("gateway.networking.k8s.io", "Gateway").is_declared());
    /// ```
    pub fn without_group(&self, group: &str) -> Self {
        let left = self.entries.iter().filter_map(|entry| {
            let mut entry = entry.clone();
            entry.groups.retain(|pattern| !glob::matches(pattern, group));
            (!entry.groups.is_empty()).then_some(entry)
        });
        Self { entries: Arc::new(left.collect()), kinds: RwLock::default() }
    }

    /// All entries, the stronger ones last.
    ///
    /// ```
    /// use allready_inspect::registry::{self, Registry};
    /// use serde_json::json;
    ///
    /// let file = json!([{"group": "example.com", "kind": "Widget", "conditions": {"Purring": "summary"}}]);
    /// let registry = Registry::builtin().clone().with(registry::read(&file).unwrap());
    /// assert_eq!(registry.entries().last().unwrap().kinds, ["Widget"]);
    /// ```
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is declared of a kind.
    ///
    /// ```
    /// use allready_inspect::registry::Registry;
    ///
    /// assert!(Registry::builtin().kind("cert-manager.io", "Certificate").is_declared());
    /// assert!(!Registry::builtin().kind("example.com", "Widget").is_declared());
    /// ```
    pub fn kind(&self, group: &str, kind: &str) -> Arc<KindSemantics> {
        let known = self.kinds.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(group).and_then(|kinds| kinds.get(kind)) {
            return Arc::clone(found);
        }
        drop(known);
        let entries = self.entries.iter().filter(|entry| entry.is_about(group, kind));
        let made = Arc::new(KindSemantics::merge(kind, entries));
        let mut known = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        let has_room = known.len() < REMEMBERED || known.contains_key(group);
        if has_room {
            let kinds = known.entry(group.to_owned()).or_default();
            if kinds.len() < REMEMBERED {
                kinds.insert(kind.to_owned(), Arc::clone(&made));
            }
        }
        made
    }

    /// The group and kind that a field names which does not say so itself.
    pub(crate) fn referred_by(&self, field: &str) -> Option<(&str, &str)> {
        let found = self.entries.iter().find(|entry| entry.referred_by.iter().any(|name| name == field))?;
        Some((found.groups.first()?, found.kinds.first()?))
    }

    /// What a condition type of a kind means: as declared, or by its name.
    ///
    /// ```
    /// use allready_core::Polarity;
    /// use allready_inspect::registry::Registry;
    ///
    /// let pressure = Registry::builtin().condition("", "Node", "DiskPressure");
    /// assert_eq!(pressure.polarity, Polarity::AbnormalTrue);
    /// ```
    pub fn condition(&self, group: &str, kind: &str, type_: &str) -> Semantics {
        self.kind(group, kind).condition(type_)
    }
}

impl Clone for Registry {
    fn clone(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), kinds: RwLock::default() }
    }
}
