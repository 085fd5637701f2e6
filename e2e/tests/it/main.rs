//! The scenarios, in one binary.

mod leadership;
mod resource_graph;
