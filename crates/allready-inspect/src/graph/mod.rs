//! Objects, and how they stand to each other: owners, selectors, references, endpoints, reports, events.
//!
//! [`Known`] holds what has been seen. What would help to know more is a [`Request`]: whoever can ask a cluster does so and
//! adds the [`Answer`]. That something may not be read is an answer too.

pub(crate) mod assess;
pub(crate) mod events;
mod hopeless;
mod id;
mod known;
mod references;
pub(crate) mod relate;
mod relation;
mod selectors;

pub use assess::{is_from_hub, leads_on};
pub use events::is_killing_probe;
pub use hopeless::HOPELESS;
pub(crate) use id::text;
pub use id::{Firmness, ObjectId, Reference};
pub(crate) use known::Kept;
pub use known::{Answer, Extent, Gap, Known, Request};
#[cfg(test)]
pub(crate) use references::GATEWAY;
pub use relation::Relation;
