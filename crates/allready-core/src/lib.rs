//! The status-condition model of allready, and every algorithm over it.
//!
//! Pure and synchronous: no clock, no cluster, no I/O. Time is always an argument.
#![deny(missing_docs)]

pub mod condition;
pub mod damping;
pub mod explain;
pub mod findings;
pub mod fleet;
pub mod found;
pub mod health;
pub mod lint;
pub mod registry;
pub mod rollup;
pub mod roster;
pub mod set;
pub mod transition;
pub mod updater;
pub mod writers;

pub use condition::{
    Condition, ConditionType, Generation, Message, Polarity, Reason, Standing, Status, Time,
};
pub use set::ConditionSet;
