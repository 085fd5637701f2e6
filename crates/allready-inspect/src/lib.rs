#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

pub mod causes;
#[cfg(feature = "kube")]
pub mod cluster;
#[cfg(feature = "kube")]
pub mod declared;
pub mod explain;
pub mod graph;
pub mod health;
pub mod judge;
pub mod lint;
#[cfg(feature = "kube")]
pub mod live;
pub mod registry;
pub mod view;
pub mod words;
pub mod writers;
