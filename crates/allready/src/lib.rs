#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

pub use allready_core::{
    Condition, ConditionSet, ConditionType, Conditions, Generation, Message, Polarity, Reason, Standing,
    Status, Time, condition, condition_type, damping, findings, reason, rollup, set,
};
pub use allready_derive::{ConditionSet, StatusFields};
#[cfg(feature = "kube")]
pub use allready_kube::{
    crd, crd::crd, events, kinds, lease, metrics, predicate, report, status, status::StatusUpdater, wait,
};

/// Everything that a reconcile function with a condition set needs.
///
/// ```
/// use allready::prelude::*;
/// ```
pub mod prelude {
    pub use crate::{ConditionSet, Conditions, Status, reason};
    #[cfg(feature = "kube")]
    pub use crate::{
        StatusFields, StatusUpdater,
        status::{Because as _, OrMark as _, ReasonedError},
    };
}

/// The examples of the pages for controller authors, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide.md")]
#[doc = include_str!("../../../docs/migrating.md")]
#[doc = include_str!("../../../docs/quick-start.md")]
#[doc = include_str!("../../../docs/testing.md")]
struct Pages;
