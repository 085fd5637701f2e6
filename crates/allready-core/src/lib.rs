//! The status-condition model of allready, and every algorithm over it.
//!
//! Pure and synchronous: no clock, no cluster, no I/O. Time is always an argument.
#![deny(missing_docs)]

pub mod condition;
pub mod damping;
pub mod findings;
pub mod fleet;
pub mod found;
pub mod rollup;
pub mod roster;
pub mod set;
pub mod transition;
pub mod updater;

pub use condition::{
    Condition, ConditionType, Generation, Message, Polarity, Reason, Standing, Status, Time,
};
pub use set::ConditionSet;
