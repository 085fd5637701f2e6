//! From an object that is not well to the first cause of it.
//!
//! [`explain`] is a plain function over what is [`Known`]. What it would like to know besides is in
//! [`Explanation::wanted`]: whoever can ask a cluster does so, adds the answers, and explains again, until nothing is
//! wanted or there have been enough requests. That something may not be read is an answer too.
//!
//! ```
//! use allready_core::Time;
//! use allready_inspect::{explain::{Bounds, explain}, graph::{Extent, Known, ObjectId, Reference}, registry::Registry};
//! use serde_json::json;
//!
//! let mut known = Known::new(Extent::Everything);
//! known.add(json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "namespace": "shop" },
//!     "spec": { "secretRef": { "name": "password" } },
//!     "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoPassword" }] } }));
//! let root = Reference::to(&ObjectId::new("example.com", "Widget", "shop", "a"));
//! let explanation = explain(&known, &root, Registry::builtin(), Time::EPOCH, &Bounds::default());
//! let cause = explanation.cause.as_ref().unwrap();
//! assert_eq!(explanation.nodes[cause.node()].label, "Secret shop/password");
//! assert_eq!(explanation.nodes[cause.node()].message, "it is not there");
//! ```

mod build;
mod cause;
mod node;
mod parts;
mod settle;
#[cfg(test)]
mod tests;

pub use cause::Cause;
pub use node::{Folded, Node, What};
pub(crate) use parts::worst as worst_part;

use crate::{
    graph::{Known, Reference, Request},
    health::Health,
    registry::Registry,
};
use allready_core::Time;

/// The bounds of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most steps from the top.
    pub depth: usize,
    /// The most objects below one; the worst are taken.
    pub children: usize,
    /// The most lines in all, more or less.
    pub nodes: usize,
    /// Set if what is well is shown too.
    pub all: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { depth: 12, children: 10, nodes: 500, all: false }
    }
}

/// An object, and what is behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The lines; the first is the object that was asked about, and each stands before those below it.
    pub nodes: Vec<Node>,
    /// The line that the others follow from; nothing where all is well.
    pub cause: Option<Cause>,
    /// The reason why the object will not become healthy by itself; nothing where it may.
    pub hopeless: Option<String>,
    /// Set if all that is wrong has failed once so far, such as the pull of an image: hopeless, if it had failed before.
    pub has_failed_once: bool,
    /// The requests that would help to know more.
    pub wanted: Vec<Request>,
}

impl Explanation {
    /// The line of the object that was asked about.
    pub fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// The health of the object that was asked about.
    pub fn health(&self) -> Health {
        self.root().and_then(|root| root.health).unwrap_or(Health::Unknown)
    }
}

/// Explains an object, as far as is known.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{explain::{Bounds, explain}, graph::{Extent, Known, ObjectId, Reference}, registry::Registry};
/// use serde_json::json;
///
/// let mut known = Known::new(Extent::Everything);
/// known.add(json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "namespace": "shop" },
///     "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoPassword" }] } }));
/// let root = Reference::to(&ObjectId::new("example.com", "Widget", "shop", "a"));
/// let explanation = explain(&known, &root, Registry::builtin(), Time::EPOCH, &Bounds::default());
/// let cause = &explanation.nodes[explanation.cause.unwrap().node()];
/// assert_eq!((cause.label.as_str(), cause.reason.as_str()), ("Ready=False", "NoPassword"));
/// ```
pub fn explain(
    known: &Known,
    root: &Reference,
    registry: &Registry,
    now: Time,
    bounds: &Bounds,
) -> Explanation {
    build::build(known, root, registry, now, bounds)
}
