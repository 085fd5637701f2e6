//! The scenarios, in one binary.

mod leadership;
mod permissions;
mod resource_graph;
