//! The facts about one cluster.

use std::sync::Arc;

use allready_core::Time;

use super::super::{Instance, Listener};

/// Why the last word of a cluster is not taken at its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It has not been heard since the controller began, and it has not been long.
    Pending,
    /// It does not answer.
    Unreachable {
        /// When it was last heard, where that is known.
        since: Option<Time>,
        /// Why it does not answer.
        why: Arc<str>,
    },
    /// It answers, but these objects cannot be read.
    Unreadable {
        /// Since when they cannot.
        since: Option<Time>,
        /// Why not.
        why: Arc<str>,
    },
    /// It is not in the inventory any more. Its Secret may be on its way back, so it is waited for.
    Gone {
        /// Since when it is not.
        since: Time,
        /// The end of the wait.
        until: Time,
    },
}

/// The doubt about one cluster, and its last words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// Its last word: none where it has never been heard, or where it said that there is no such object.
    pub last: Option<Instance>,
    /// True if it has said anything of the object since the controller began, be it that it is not there.
    pub is_known: bool,
    /// Why that is not taken at its word.
    pub doubt: Option<Doubt>,
}

impl Share {
    /// Returns true if it has not been heard yet, and has not been given up.
    pub(super) fn is_pending(&self) -> bool {
        !self.is_known && matches!(self.doubt, None | Some(Doubt::Pending))
    }

    /// Returns true if its cluster has left the inventory.
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.doubt, Some(Doubt::Gone { .. }))
    }

    /// Returns true if its cluster does not answer.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self.doubt, Some(Doubt::Unreachable { .. }))
    }
}

/// Merges two memories of one instance: of each kind of rows the longer list, as the other one may have had no room for
/// all of them. Which memory comes first does not matter.
pub(super) fn remembered(one: Instance, other: Instance) -> Instance {
    let is_first = (one.addresses.len(), &one.addresses) >= (other.addresses.len(), &other.addresses);
    let addresses = if is_first { one.addresses } else { other.addresses };
    let is_first = rank(&one.listeners) >= rank(&other.listeners);
    let listeners = if is_first { one.listeners } else { other.listeners };
    Instance { addresses, listeners, ..Instance::default() }
}

fn rank(listeners: &[Listener]) -> (usize, Vec<(&str, Option<i64>)>) {
    let rows = listeners.iter().map(|listener| (&*listener.name, listener.attached_routes));
    (listeners.len(), rows.collect())
}
