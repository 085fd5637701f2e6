//! The facade as a controller author uses it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[cfg(feature = "kube")]
mod agreement;
mod graph;
#[cfg(feature = "k8s-openapi")]
mod openapi;
mod pages;
mod pass;
