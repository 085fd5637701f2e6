//! A controller with managed top conditions: a graph of resources becomes a kind, and every object of that kind its resources.
//!
//! A [`ResourceGraphDefinition`] names a kind, describes its spec in a few words, and lists templates of the resources that
//! every object of that kind stands for. The controller checks the graph, makes the `CustomResourceDefinition`, watches it, and
//! brings it back when somebody deletes it.
//!
//! | condition of a graph | role | says |
//! |---|---|---|
//! | `Ready` | top | everything below is well; computed, never set |
//! | `ResourceGraphReady` | dependent | the graph is valid, and has an order |
//! | `ResourceGraphKindReady` | dependent | the API server has accepted the kind |
//!
//! It then reconciles the objects of the kind, the *instances*, in large steps. Each has a condition:
//!
//! | condition of an instance | role | step | `False` | `Unknown` |
//! |---|---|---|---|---|
//! | `Ready` | top | computed from all that count | one of them is bad | one of them is unknown |
//! | `InstanceSynced` | dependent | render and apply everything that can be applied now | a template cannot be rendered, or a resource is refused | the API server is away |
//! | `GraphResolved` | dependent | render the templates: `${schema.spec.x}`, `${other.status.y}` | the instance does not set a field that a template needs | another resource does not have the field yet |
//! | `ResourcesApplied` | dependent | apply the resources in the order of the graph | a resource is refused, or belongs to somebody else | a resource waits for a reference, for its kind or for the API server |
//! | `ResourcesReady` | dependent | judge what the resources say of themselves | a resource is broken; with its own cause | a resource is on its way, or does not exist yet |
//! | what `spec.schema.conditions` declares | `!Degraded`, `Announced`: dependent; `(Cached)`: informational | none: somebody else writes it | | nobody has written it yet |
//!
//! The generated CRD carries the whole declaration in its annotation `allready.dev/conditions`, columns for `kubectl get`, and
//! default conditions, so that an instance is `Ready=Unknown` from the moment it is created.
//!
//! `Unknown` is progress; `False` needs somebody. Each decision is a plain function with plain tests: [`graph`] orders,
//! [`render`] renders, [`finding`], [`conditions`] and [`instance`] say what a fact does to conditions. [`controller`] and `instances` only find
//! the facts and carry out.
//!
//! # Limits
//! - A resource lives in the namespace of its instance, which owns it; cluster-scoped kinds are refused.
//! - Resources that leave the graph are deleted by the list in the instance's `status.resources`. One whose instance could not be
//!   written after it was applied, and that leaves the graph before the next reconcile, stays until its instance goes.
//! - A graph that is deleted leaves its kind, its instances and their resources as they are.

pub mod conditions;
pub mod controller;
pub mod definition;
pub mod finding;
pub mod graph;
pub mod instance;
mod instances;
mod kind;
pub mod render;

pub use controller::run;
pub use kind::{
    GraphResource, ResourceGraphDefinition, ResourceGraphSpec, ResourceGraphStatus, SimpleSchema,
};
