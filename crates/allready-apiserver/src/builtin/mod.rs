//! The built-in kinds: what they look like, what is filled in, what is refused.
//!
//! One table ([`table`]) names them, one [`Strategy`](crate::resource::Strategy) serves them all. What an object looks like
//! comes from two files: `kinds.json`, the OpenAPI definitions (list types, patch strategies), and `types.json`, the Go types
//! (which zero values are written, what a wrong type is called).
//!
//! # What is refused
//! Wrong JSON types, amounts, times and base64 are refused as the real server does, in all kinds. Beyond that, these checks
//! are made, with the real server's words; what is not listed is accepted:
//! - **Pods and pod templates**: that there are containers, their names, images and ports; the restart policy; that an update
//!   changes only what may change.
//! - **Deployments, daemon sets, replica sets, stateful sets, jobs**: selectors, that they match the labels, numbers below
//!   zero, restart policy, selectors and other fields that are immutable,
//!   counters in a status. The template of a job that runs may be changed, which the real server refuses.
//! - **Services**: ports, type, external name; a cluster address that changes.
//! - **Config maps and secrets**: `immutable`; the type of a secret.
//! - **Events**: all checks, old and new style. **Leases**: durations and transitions.
//! - **Roles and bindings**: rules, references, subjects. **Access reviews**: that something is asked.
//!   **Nodes**: pod ranges and provider stay. **Namespaces**: the phase.
//!
//! # What differs
//! - Addresses and node ports of services are derived from the service's name instead of drawn at random, and two services
//!   may share one.
//! - Where the real server prints its internal structs (the difference between two pod specs, the template of a job), only the
//!   sentence before it is the same.
//! - Amounts written with a leading `+` or `0`, or with nothing after the dot, are brought into canonical form.

mod address;
mod convert;
mod decode;
mod defaults;
mod events;
mod normal;
mod path;
mod prepare;
mod quantity;
mod selectable;
mod strategy;
pub mod table;
#[cfg(test)]
mod tests;
mod time;
mod types;
mod validate;
mod warnings;
mod written;

pub(crate) use prepare::without_projections;
pub use table::{blank, definitions, resources};
