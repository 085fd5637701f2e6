//! The shell: HTTP in, HTTP out.
//!
//! What a request means (`route`), what its client wants to read (`negotiate`) and what an answer looks like (`write`)
//! are decided by plain functions; `service` reads, waits and writes.

pub(crate) mod auth;
pub(crate) mod body;
mod boot;
mod deadline;
mod documents;
mod fixed;
mod headers;
mod impersonate;
pub(crate) mod info;
mod list;
pub(crate) mod negotiate;
mod path;
mod pieces;
mod protobuf;
mod reply;
pub(crate) mod route;
pub(crate) mod service;
mod shared;
pub(crate) mod watch;
mod work;
mod write;

#[cfg(test)]
mod tests;

pub use body::{ResponseBody, ServiceError};
pub use service::Service;
pub(crate) use shared::{Clock, Setup, Shared};
