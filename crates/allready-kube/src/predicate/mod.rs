//! Watch predicates: waking a controller on changed conditions, and not on heartbeats or its own writes.
//!
//! [`ConditionChanges`] works where kube takes a predicate (`predicate_filter`); [`waking`] is for where deletions matter
//! too, which kube's filter swallows.

mod changes;
mod managed;
#[cfg(test)]
mod tests;
mod waking;

pub use changes::ConditionChanges;
pub use waking::waking;
