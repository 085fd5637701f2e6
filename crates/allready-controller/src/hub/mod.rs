//! One status on a hub from the instances of an object in many clusters.

mod cluster;
mod contains;
pub mod dns;
mod expression;
mod fields;
mod instance;
pub mod inventory;
mod limits;
mod name;
mod plan;
mod read;
pub mod reports;
mod rows;
mod spoke;
mod subject;
#[cfg(test)]
mod tests;

pub use cluster::{ClusterName, InvalidClusterName, ObjectName};
pub use contains::{contains, first_difference, seen_generation};
pub use expression::{Expression, InvalidExpression, Outcome, Shown};
pub use instance::{Address, Instance, Listener, Said};
pub use limits::Limits;
pub use name::{HOSTNAME, IP_ADDRESS, join_address, join_listener, split_address, split_listener};
pub use plan::{AGGREGATED, Plan, PlannedCondition};
pub use read::{HubFacts, Reader};
pub use spoke::{Heard, Spokes, Topic, TopicId, Word};
pub use subject::{Answer, Doubt, Share, Subject};

/// The field manager of what the hub controller writes.
pub const MANAGER: &str = "allready-hub";
