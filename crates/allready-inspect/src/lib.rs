#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

#[cfg(feature = "kube")]
pub mod cluster;
pub mod explain;
pub mod health;
pub mod judge;
pub mod lint;
pub mod registry;
pub mod view;
pub mod words;
pub mod writers;
