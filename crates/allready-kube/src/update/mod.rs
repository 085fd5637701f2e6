//! The status updater: from the result of a reconcile to the status of its object.

mod conditions;
mod error;
mod expect;
pub mod fields;
mod json;
mod plan;
mod reasonable;
mod recent;
mod requeue;
mod result;
mod updater;
mod write;

pub use error::UpdateError;
pub use expect::ExpectedCondition;
pub use fields::{Field, FieldMap, FieldProblem, NoPhase, StatusFields};
pub use reasonable::{Because, Reasonable, ReasonedError};
pub use requeue::{Intervals, ObjectKey, Requeue, RequeueStore};
pub use result::ReconcileResult;
pub use updater::{ReconcileTime, Reconciled, StatusUpdater, Updated};
pub use write::{Retry, Wrote};
