//! The status-condition model of allready, and every algorithm over it.
//!
//! Pure and synchronous: no clock, no cluster, no I/O. Time is always an argument.
//!
//! ```
//! use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
//!
//! let set: ConditionSet = "Ready: Synced, !Degraded".parse().unwrap();
//! let mut conditions = vec![]; // status.conditions of the object
//! let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
//! pass.mark_true("Synced", reason!("Applied"), "")?;
//! pass.mark_true("Degraded", reason!("DiskFull"), "disk sda is full")?;
//! pass.finish();
//! let ready = condition::find(&conditions, "Ready").unwrap();
//! assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "DiskFull"));
//! # Ok::<(), allready_core::set::MarkError>(())
//! ```
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

pub use condition::{
    Condition, ConditionType, Generation, Message, Polarity, Reason, Standing, Status, Time,
};
pub use set::{ConditionSet, Conditions};
