//! One `ConfigurationStatus` with a true `Ready` from the reports of many.
//!
//! ```
//! use allready_controller::config::{Fleet, Origin, Report};
//! use allready_core::{Condition, Status, Time, condition_type, reason};
//! use allready_kube::kinds::{Component, ConfigurationStatusSpec, Instances};
//!
//! let speaker = Component {
//!     name: "speaker".to_owned(),
//!     reconcilers: vec!["configReconciler".to_owned()],
//!     instances: Some(Instances::names(["node-a", "node-b"])),
//!     ..Default::default()
//! };
//! let mut fleet = Fleet::new(&ConfigurationStatusSpec { components: vec![speaker], ..Default::default() });
//!
//! let valid = |status, reason, message| {
//!     Condition::new(condition_type!("configReconcilerValid"), status, reason, message, Time::EPOCH)
//! };
//! let report = |node: &str, condition| Report {
//!     component: "speaker".to_owned(),
//!     instance: Some(node.to_owned()),
//!     conditions: vec![condition],
//!     revision: None,
//! };
//! fleet.report(Origin::status_report("a"), report("node-a", valid(Status::True, reason!("SyncStateSuccess"), "")));
//! let ready = fleet.answer(None, Time::EPOCH).ready;
//! assert_eq!((ready.status, ready.reason.as_str()), (Status::Unknown, "ComponentsUnknown"));
//!
//! let overlap = valid(Status::False, reason!("ConfigError"), "pool \"a\" overlaps");
//! fleet.report(Origin::status_report("b"), report("node-b", overlap));
//! let ready = fleet.answer(None, Time::EPOCH).ready;
//! assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "ComponentFailing"));
//! assert_eq!(
//!     ready.message,
//!     "1 of 2 failing: ConfigError in configReconcilerValid on speaker/node-b: pool \"a\" overlaps"
//! );
//! ```

mod answer;
mod budget;
mod controller;
mod fleet;
mod judge;
mod key;
mod leftovers;
mod plan;
mod read;
mod reconciler;
mod status;
#[cfg(test)]
mod tests;
mod watch;

pub use answer::Answer;
pub use budget::Limit;
pub use controller::{ConfigController, MANAGER};
pub use fleet::{Fleet, Origin, Report};
pub use key::StatusKey;
pub use plan::{Plan, PlannedComponent, PlannedInstances, metallb};
pub use reconciler::Options;

// The parts of the controller: for its own tests.
#[doc(hidden)]
pub use fleet::{DaemonSetFacts, NodeFacts, PodFacts};
#[doc(hidden)]
pub use leftovers::Leftovers;
#[doc(hidden)]
pub use read::{of_node, of_pod, of_source, of_status_report, own_reports};
#[doc(hidden)]
pub use reconciler::{ConfigEvent, ConfigReconciler, ConfigTarget, ReadyTransition};
#[doc(hidden)]
pub use watch::{Facts, TargetedReport, Watch};
