#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

pub mod catalog;
#[cfg(feature = "kube")]
pub mod cluster;
mod conflict;
mod dangling;
mod engine;
mod gateway;
pub mod hostname;
#[cfg(feature = "http")]
pub mod http;
mod listener;
pub mod object;
mod policy;
mod reference;
mod route;
mod selector;
mod served;
mod status;
mod store;
mod support;
mod write;

pub use dangling::Dangling;
pub use engine::{Engine, Statuses, status};
pub use object::{Kind, Object, ObjectError, ObjectKey};
pub use served::{AttachedBackend, AttachedRoute, AttachedRule, ServedListener};
pub use status::{
    Feature, GatewayClassStatus, GatewayStatus, ListenerConditions, ListenerConditionsPass,
    ListenerSetStatus, ListenerStatus, ObjectStatus, PolicyAncestorStatus, PolicyStatus, RouteGroupKind,
    RouteParentStatus, RouteStatus,
};
pub use support::Support;

/// The API group of Gateway API.
pub const GROUP: &str = "gateway.networking.k8s.io";
