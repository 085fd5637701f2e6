//! An embedded Kubernetes API server: it starts in milliseconds inside a test or a demo, and `kubectl` and kube-rs cannot
//! tell it from kube-apiserver on what it covers.
//!
//! Decisions are plain functions over JSON values, with time and randomness passed in; the shell around them holds the
//! objects and speaks HTTP.
#![deny(missing_docs)]

mod access;
pub mod builtin;
pub mod call;
pub mod crd;
pub mod fault;
pub mod fields;
pub mod http;
pub mod openapi;
pub mod patch;
pub mod resource;
pub mod rest;
pub mod schema;
pub mod server;
pub mod status;
pub mod store;
pub mod table;

pub use server::ApiServer;
