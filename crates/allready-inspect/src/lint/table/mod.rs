//! The table of rules, as data.

mod definitions;
mod gateway;
mod managers;
mod meanings;
mod objects;
mod watch;

pub(super) use definitions::DEFINITIONS;
pub(super) use gateway::GATEWAY;
pub(super) use managers::MANAGERS;
pub(super) use meanings::MEANINGS;
pub(super) use objects::OBJECTS;
pub(super) use watch::WATCH;
