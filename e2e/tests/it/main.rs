//! The scenarios, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "scenarios are tests, in functions that two tests share"
)]

mod config_status;
mod events;
mod explain;
mod hub;
mod leadership;
mod my_resource;
mod permissions;
mod resource_graph;
mod speaker;
mod two_writers;
mod wait;
mod waiting;
