//! The controllers of allready.
//!
//! Each is a pure index that is fed what a watch sees, an answer that is computed from it, and a thin shell that watches
//! and writes. An index never holds a client; a writer never decides.
//!
//! | controller | makes |
//! |---|---|
//! | [`config`] | one `ConfigurationStatus` from the reports of many |
//! | [`hub`] | one status on a hub from the instances of an object in many clusters |
//! | [`gateway`] | the statuses of Gateway API, for classes without a data plane |
//!
//! With the feature `program`, `program` runs them in a cluster: it is the binary `allready-controller` and the command
//! `allready controller`; `web` is the live view of a cluster in a browser. [`health`] and [`metrics`] are what its probes and its metrics say.
//!
//! ```
//! use allready_controller::hub::ClusterName;
//!
//! assert_eq!(ClusterName::new("eu-1").unwrap().to_string(), "eu-1");
//! assert!(ClusterName::new("").is_err());
//! ```
#![deny(missing_docs)]

pub mod config;
pub mod engine;
pub mod gateway;
pub mod health;
pub mod hub;
#[doc(hidden)]
pub mod json;
pub mod metrics;
// What users need has a page of its own. The rest is reachable for the tests in its documentation, and promises nothing.
#[doc(hidden)]
pub mod polarity;
#[cfg(feature = "program")]
pub mod program;
#[cfg(feature = "program")]
pub mod web;
mod words;
