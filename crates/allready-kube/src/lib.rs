//! Status in the cluster, for controllers written with [kube]: what the engine in `allready-core` decides, this crate
//! reads from and writes to an API server.
//!
//! | to do this | use |
//! |---|---|
//! | write the status of the object that a controller reconciles | [`status`] |
//! | report how a component is doing, as one of many writers | [`report`] |
//! | tell people what changed | [`events`] |
//! | wait until conditions hold | [`wait`] |
//! | wake on changed conditions, and not on heartbeats or own writes | [`predicate`] |
//! | follow objects, and know when they cannot be seen | [`list_watch`](mod@list_watch) |
//! | remove what writers left behind that are gone | [`sweep`] |
//! | let one of several replicas write | [`lease`] |
//! | see conditions, transitions and writes in Prometheus | [`metrics`] |
//! | complete the CRD of a kind with what its conditions declare | [`crd`](mod@crd) |
//! | use the kinds of `allready.dev` | [`kinds`] |
//!
//! The permissions that something needs stand beside it.
#![deny(missing_docs)]

pub mod backoff;
pub mod clock;
pub mod crd;
pub mod events;
pub mod kinds;
pub mod lease;
pub mod list_watch;
pub mod manager;
pub mod metrics;
pub mod predicate;
pub mod refusal;
pub mod report;
pub mod resources;
pub mod status;
pub mod sweep;
pub mod wait;
