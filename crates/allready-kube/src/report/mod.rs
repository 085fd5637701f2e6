//! Reporters: how a component tells how it is doing, as one of many writers.
mod book;
mod builder;
mod guard;
mod identity;
mod layout;
mod metrics;
mod outcome;
mod reporter;
mod task;
mod trouble;
mod wire;

pub use builder::Builder;
pub use guard::Guard;
pub use identity::Identity;
pub use layout::{Layout, labels};
pub use metrics::ReportMetrics;
pub use outcome::{BoxedError, Failure, Outcome, SyncState, ToOutcome};
pub use reporter::Reporter;
pub use task::{Ended, ReporterTask, Running};
pub use trouble::Trouble;
