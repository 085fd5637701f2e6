//! The scenarios, in one binary.

mod events;
mod leadership;
mod resource_graph;
mod waiting;
