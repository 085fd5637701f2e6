//! The project's own chores, as a library: the real API server on loopback, and what compares the embedded one with it.

pub mod bench;
pub mod browser;
pub mod catalog;
pub mod client;
pub mod cluster;
pub mod conformance;
pub mod controllers;
pub mod dependencies;
pub mod docs;
pub mod e2e;
pub mod embedded;
pub mod exports;
pub mod gateway;
pub mod image;
pub mod install;
pub mod kubeconfig;
pub mod kubectl;
pub mod manifests;
pub mod printer;
pub mod real;
pub mod record;
pub mod reference;
pub mod release;
pub mod sbom;
pub mod score_health;
pub mod shapes;
