//! The scenarios, in one binary.

mod events;
mod leadership;
mod my_resource;
mod resource_graph;
mod speaker;
mod two_writers;
mod waiting;
