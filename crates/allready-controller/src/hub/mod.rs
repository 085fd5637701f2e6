//! One status on a hub from the instances of an object in many clusters.

mod access;
pub mod board;
mod bounded;
mod cluster;
mod contains;
pub mod dns;
mod expression;
mod instance;
pub mod inventory;
mod link;
mod outbox;
mod plan;
mod read;
mod run;
mod spoke;
mod subject;

pub use cluster::{ClusterName, InvalidClusterName, ObjectName};
pub use contains::{contains, first_difference, seen_generation};
pub use expression::{Expression, InvalidExpression, Outcome, Shown};
pub use instance::{Address, Instance, Listener, Said};
pub use link::{Link, LinkState};
pub use outbox::{Draft, Outbox, Place};
pub use plan::{AGGREGATED, Plan, PlannedCondition};
pub use read::{HubFacts, Reader};
pub use run::Hubbing;
pub use spoke::{Heard, Spokes, Topic, TopicId, Word};
pub use subject::{Answer, Doubt, Share, Subject};

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

mod stubs;
mod reports {
    pub(super) use super::stubs::*;
}
use stubs::recalled_rows;
