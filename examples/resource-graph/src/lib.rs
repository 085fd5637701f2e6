//! A controller with a managed top condition: a graph of resources becomes a kind.
//!
//! A [`ResourceGraphDefinition`] names a kind, describes its spec in a few words, and lists the resources that every object
//! of that kind stands for. The controller checks the graph, makes the `CustomResourceDefinition`, watches it, brings it
//! back when somebody deletes it, and says how all that goes in three conditions:
//!
//! | condition | says |
//! |---|---|
//! | `Ready` | whether everything below is well; computed, never set |
//! | `ResourceGraphReady` | whether the graph makes sense |
//! | `ResourceGraphKindReady` | whether the API server has accepted the kind |
//!
//! `Unknown` is progress; `False` needs somebody. What each fact does to the conditions stands in [`conditions`] and is
//! tested without a cluster; [`controller`] only finds the facts out.

pub mod conditions;
pub mod controller;
pub mod definition;
pub mod graph;
mod kind;

pub use controller::{Unreachable, run};
pub use kind::{
    GraphResource, ResourceGraphDefinition, ResourceGraphSpec, ResourceGraphStatus, SimpleSchema,
};
