//! Who is still there.

use std::collections::BTreeSet;

use crate::report::Identity;

/// Who is known to be there, if that is known.
///
/// There is no way to say that nobody is there: an empty list is what a client has that has not read anything yet, or may not,
/// and sweeping by it would remove everything.
///
/// ```
/// use allready_kube::{report::Identity, sweep::Inventory};
///
/// let nodes = ["kind-worker", "kind-worker2"];
/// let inventory = Inventory::synced(nodes.map(|node| Identity::of("speaker").on(node)));
/// assert!(matches!(inventory, Inventory::Synced(_)));
/// assert_eq!(Inventory::synced([]), Inventory::Unsynced);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inventory {
    /// Not known: nothing is swept.
    Unsynced,
    /// Exactly these are there.
    Synced(Living),
}

/// Those who are there: at least one.
///
/// ```
/// use allready_kube::{report::Identity, sweep::{Inventory, Living}};
///
/// assert!(Living::new([Identity::of("speaker").on("node-a")]).is_some_and(|living| living.has("speaker-node-a")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Living(BTreeSet<String>);

impl Living {
    /// These; nothing if there are none.
    ///
    /// ```
    /// use allready_kube::{report::Identity, sweep::{Inventory, Living}};
    ///
    /// assert_eq!(Living::new([]), None);
    /// ```
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Option<Self> {
        let prefixes: BTreeSet<_> = identities.into_iter().map(|identity| identity.to_string()).collect();
        (!prefixes.is_empty()).then_some(Self(prefixes))
    }

    /// Whether somebody of this [prefix](Identity::prefix) is there.
    ///
    /// ```
    /// use allready_kube::{report::Identity, sweep::{Inventory, Living}};
    ///
    /// let living = Living::new([Identity::of("speaker").on("node-a")]).unwrap();
    /// assert!(living.has("speaker-node-a") && !living.has("speaker-node-b"));
    /// ```
    pub fn has(&self, prefix: &str) -> bool {
        self.0.contains(prefix)
    }
}

impl Inventory {
    /// These are there, and all of them have been read. None is the same as not known.
    ///
    /// ```
    /// use allready_kube::{report::Identity, sweep::{Inventory, Living}};
    ///
    /// assert_eq!(Inventory::synced([]), Inventory::Unsynced, "an empty answer sweeps nothing");
    /// ```
    pub fn synced(identities: impl IntoIterator<Item = Identity>) -> Self {
        Living::new(identities).map_or(Self::Unsynced, Self::Synced)
    }
}

/// What the names of all writers begin with that may be swept, such as `speaker-`.
///
/// Every writer under it has to be in the [`Inventory`]: with `speaker-`, also those of a component `speaker-frr`.
///
/// ```
/// use allready_kube::sweep::OwnedPrefix;
///
/// assert!(OwnedPrefix::new("speaker-").is_some());
/// assert!(OwnedPrefix::new("").is_none(), "nobody owns everything");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPrefix(String);

impl OwnedPrefix {
    /// This; nothing if it is empty.
    ///
    /// ```
    /// use allready_kube::sweep::OwnedPrefix;
    ///
    /// assert!(OwnedPrefix::new("").is_none());
    /// ```
    pub fn new(prefix: impl Into<String>) -> Option<Self> {
        Some(Self(prefix.into())).filter(|prefix| !prefix.0.is_empty())
    }

    pub(super) fn owns(&self, writer: &str) -> bool {
        writer.starts_with(&self.0)
    }
}

/// Whether somebody of this name is gone: owned by us, and known not to be there.
pub(super) fn is_gone(writer: &str, owned: &OwnedPrefix, inventory: &Inventory) -> bool {
    match inventory {
        Inventory::Unsynced => false,
        Inventory::Synced(living) => owned.owns(writer) && !living.has(writer),
    }
}
