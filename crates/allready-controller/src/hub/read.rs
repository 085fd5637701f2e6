//! Facts from objects as watches deliver them. Read leniently: what is irregular is kept, what is missing is not invented.

use std::sync::Arc;

use allready_core::{Condition, Generation};
use serde_json::Value;

use super::{Address, ClusterName, Instance, ObjectName, Plan};

/// Reads the instances of a plan's objects. It is shared by the watches of all clusters.
#[derive(Debug)]
pub struct Reader {}

impl Reader {
    /// A reader of what this plan needs.
    pub fn new(_plan: &Plan) -> Self {
        todo!()
    }

    /// What this object of a cluster says.
    pub fn read(&self, _object: &Value) -> (ObjectName, Instance) {
        todo!()
    }
}

/// What matters about an object of the hub.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HubFacts {
    /// Its uid, for what it owns.
    pub uid: Arc<str>,
    /// Its version, where it is a number.
    pub version: Option<u64>,
    /// Its generation.
    pub generation: Generation,
    /// Its spec, as compact JSON with sorted keys.
    pub spec: Arc<str>,
    /// Whether it is being deleted.
    pub is_leaving: bool,
    /// The clusters that its annotations place it on; none without such an annotation.
    pub placed: Option<Vec<ClusterName>>,
    /// What of that annotation cannot be understood.
    pub misplaced: Vec<String>,
    /// The listeners of its spec that have a hostname, with that.
    pub hostnames: Vec<(Arc<str>, Arc<str>)>,
    /// The conditions as they stand, everybody's.
    pub conditions: Vec<Condition>,
    /// The types of the conditions that we wrote, by the record of who wrote what.
    pub ours: Vec<Arc<str>>,
    /// The addresses as they stand.
    pub addresses: Vec<Address>,
    /// The names of the listeners as they stand, with their attached routes.
    pub listeners: Vec<(Arc<str>, Option<i64>)>,
    /// The planned numbers as they stand, in the order of the plan.
    pub fields: Vec<Option<i64>>,
    /// Whether somebody else wrote the addresses, and who.
    pub foreign_addresses: Option<Arc<str>>,
    /// The names of listeners that somebody else wrote, with who.
    pub foreign_listeners: Vec<(Arc<str>, Arc<str>)>,
}

impl HubFacts {
    /// What this object of the hub says, given who we are in the record of who wrote what.
    pub fn read(_object: &Value, _plan: &Plan, _manager: &str) -> Self {
        todo!()
    }
}
