//! The words of one cluster about one object.

use std::sync::Arc;

use allready_core::{Condition, Generation, Status};

/// The words of one cluster about one object: only what counts, and bounded, whatever the cluster sends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    /// The generation of the instance in its cluster.
    pub generation: Generation,
    /// The generation of the hub object that this instance was made from, where an annotation says so.
    pub hub_generation: Option<Generation>,
    /// The spec, as compact JSON with sorted keys: equal texts are equal specs. Empty where it was too large to keep, or where an
    /// annotation makes it needless.
    pub spec: Arc<str>,
    /// True if it is being deleted.
    pub is_leaving: bool,
    /// Its words about each planned condition, in the order of the plan.
    pub conditions: Vec<Said>,
    /// The numbers of the planned fields, in the order of the plan: absent ones are zero.
    pub fields: Vec<i64>,
    /// Its addresses, in its own order.
    pub addresses: Vec<Address>,
    /// Its listeners, in its own order.
    pub listeners: Vec<Listener>,
    /// Notes on what was left out of this because there was too much of it, or because it could not be understood, in words.
    pub cut: Option<Arc<str>>,
}

impl Instance {
    /// The number of bytes it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        let said = |said: &Said| match said {
            Said::Condition { condition, .. } => {
                condition.reason.as_str().len() + condition.message.as_str().len()
            }
            Said::Nothing => 0,
            Said::Failed(why) => why.len(),
        };
        let texts = self.conditions.iter().map(said).sum::<usize>()
            + self.addresses.iter().map(|address| address.type_.len() + address.value.len()).sum::<usize>()
            + self.listeners.iter().map(|listener| listener.name.len()).sum::<usize>();
        let items = self.conditions.len() + self.addresses.len() + self.listeners.len() + self.fields.len();
        size_of::<Self>() + self.spec.len() + texts + 64 * items
    }
}

/// The words of an instance about one planned condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// It has the condition.
    Condition {
        /// The condition, with its message cut.
        condition: Condition,
        /// True if it is about an older generation than the instance has: worth no more than Unknown.
        is_behind: bool,
    },
    /// It does not have it.
    Nothing,
    /// An expression of the plan could not be evaluated on it, and why.
    Failed(Arc<str>),
}

/// An address of a Gateway.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// `IPAddress`, `Hostname`, or a type of somebody's own.
    pub type_: Arc<str>,
    /// The address.
    pub value: Arc<str>,
}

/// A listener of a Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its name.
    pub name: Arc<str>,
    /// The number of routes that are attached; none where it does not say.
    pub attached_routes: Option<i64>,
    /// True if what it says is about the generation that the instance has.
    pub is_current: bool,
    /// Its own `Programmed`, where it has one.
    pub programmed: Option<Status>,
}
