//! One status on a hub from the instances of an object in many clusters.

mod access;
mod bounded;
mod cluster;
pub mod dns;
mod instance;
pub mod inventory;
mod plan;
mod read;
mod spoke;
mod subject;

pub use cluster::{ClusterName, InvalidClusterName, ObjectName};
pub use instance::{Address, Instance, Listener, Said};
pub use plan::{Plan, PlannedCondition};
pub use read::{HubFacts, Reader};
pub use spoke::{Heard, Spokes, Topic, TopicId, Word};
pub use subject::{Answer, Doubt, Share, Subject};

/// The field manager of what the hub controller writes.
pub const MANAGER: &str = "allready-hub";
