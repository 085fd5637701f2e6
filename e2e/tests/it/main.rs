//! The scenarios, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "scenarios are tests, in functions that two tests share"
)]

mod attacks;
mod check;
mod config_status;
mod events;
mod explain;
mod gateway;
mod hub;
mod identity;
mod leadership;
mod lint;
mod migrate;
mod my_resource;
mod owners;
mod permissions;
mod pool;
mod program;
mod resource_graph;
mod speaker;
mod sweep;
mod two_writers;
mod wait;
mod wait_like_kubectl;
mod waiting;
