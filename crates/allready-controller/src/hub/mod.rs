//! One status on a hub from the instances of an object in many clusters.

mod access;
mod bounded;
mod cluster;
mod connections;
mod contains;
mod decisions;
pub mod dns;
mod expression;
mod fields;
mod instance;
pub mod inventory;
pub mod leftovers;
mod limits;
mod link;
mod name;
pub mod offline;
mod plan;
mod read;
mod reconcile;
#[doc(hidden)]
pub mod reports;
mod rows;
mod shell;
mod state;
mod subject;
#[cfg(test)]
mod tests;

pub use cluster::{ClusterName, InvalidClusterName, ObjectName};
pub use leftovers::Leftover;
pub use limits::Limits;
pub use plan::{AGGREGATED, Plan, PlannedCondition};
pub use shell::HubController;
pub use state::{AGGREGATION_LABEL, Options};
pub use subject::{Answer, Doubt, Rival};

// The parts of the controller: for its own tests.
#[doc(hidden)]
pub use connections::{ClusterConnections, ClusterUpdate, ClusterUpdates, Topic, TopicId};
#[doc(hidden)]
pub use contains::{contains, first_difference, seen_generation};
#[doc(hidden)]
pub use decisions::{Decisions, PLACEMENT_LABEL, PlacementName};
#[doc(hidden)]
pub use expression::{Expression, InvalidExpression, Outcome, Shown};
#[doc(hidden)]
pub use instance::{Address, Instance, Listener, Said};
#[doc(hidden)]
pub use link::{Link, LinkState, NoAnswer};
#[doc(hidden)]
pub use name::{HOSTNAME, IP_ADDRESS, join_address, join_listener, split_address, split_listener};
#[doc(hidden)]
pub use read::{HubFacts, Reader};
#[doc(hidden)]
pub use state::{HubEvent, HubKey, HubState, ObjectEvent, StatusTarget, Target};
#[doc(hidden)]
pub use subject::{Share, Subject};

/// The field manager of what the hub controller writes, but for the statuses of aggregated objects: see [`manager`].
pub const MANAGER: &str = "allready-hub";

/// The field manager of the statuses that an aggregation writes: several may choose objects of one kind.
///
/// ```
/// assert_eq!(allready_controller::hub::manager("gateways"), "allready-hub/gateways");
/// ```
pub fn manager(aggregation: &str) -> String {
    allready_kube::manager::Manager::of(&format!("{MANAGER}/{aggregation}")).as_str().to_owned()
}
