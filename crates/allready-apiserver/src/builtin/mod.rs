//! The built-in kinds: what they look like, what is filled in, what is refused.
//!
//! One table ([`table`]) names them, one [`Strategy`](crate::resource::Strategy) serves them all. The table is
//! `resources.json`: every stable resource of the real server's discovery. What an object looks like comes from two more files:
//! `kinds.json`, the OpenAPI definitions (list types, patch strategies), and `types.json`, the Go types (which zero values are
//! written, what a wrong type is called). `cargo xtask shapes` makes all three, with the columns of tables, the prose of OpenAPI
//! and the messages of protobuf. A kind that has nothing special needs nothing else; what is special about one is a row in
//! `defaults`, an arm in `prepare` and a function in `validate`. Definitions and types are read when they are first used.
//!
//! # What is refused
//! Wrong JSON types, amounts, times and base64 are refused as the real server does, in all kinds. Beyond that, these checks
//! are made, in the real server's words and order; what is not listed is accepted:
//! - **Pods and pod templates**: containers with their names, images, ports, environment, mounts, amounts, probes, hooks and
//!   restart policies; volumes by kind, the fields of those that come without a driver; tolerations, affinity, spreading,
//!   gates; names, DNS, host aliases, users and groups; labels and annotations of templates; that an update changes only what
//!   may change. Admission's word on priorities and runtime classes.
//! - **Deployments, daemon sets, replica sets, stateful sets, jobs, cron jobs**: selectors, that they match the labels,
//!   numbers below zero, how pods are replaced, claims, schedules and time zones, what is immutable, counters in a status.
//! - **Services**: ports, protocols, types, addresses and their families, policies; what a service was given and what another
//!   one has.
//! - **Config maps and secrets**: keys, size, `immutable`, what a type of secret must hold.
//! - **Events**: all checks, old and new style. **Leases**: durations and transitions.
//! - **Roles and bindings**: rules, references, subjects. **Access reviews**: that something, and one thing, is asked.
//!   **Nodes**: taints, amounts, ranges; pod ranges and provider stay. **Namespaces**: finalizers, the phase.
//! - **Ingresses and their classes, network policies, endpoints and their slices, service ranges**: all but the paths of
//!   ingresses of two kinds and what only warns.
//! - **Volumes and claims**: modes, sizes, classes, that there is one source; what may not change. Of sources only host paths
//!   and CSI have their fields checked. **Storage classes, drivers, attachments**: names, words, what may not change.
//! - **Autoscalers**: numbers, targets, resource and pod metrics, behavior. **Budgets, quotas, limit ranges, priority and runtime
//!   classes, replication controllers, pod templates, revisions, webhooks**: all but the amounts of
//!   quotas by scope. **Flow schemas and levels, requests for certificates**: a few.
//! - **Admission policies and their bindings**: all but the types of expressions, of which literals and operators are known, and the
//!   functions they call. **Device classes, claims and their templates**: all but binding conditions and networks.
//! - **Not at all**: addresses.
//!
//! # What differs
//! - Addresses and node ports of services are found from the service's name on instead of drawn at random.
//! - Not checked: seccomp, `AppArmor`, sysctls, Windows and `SELinux` options, capabilities against privilege escalation, resize
//!   policies, resource claims, pod failure and success policies, volumes of storage vendors, DNS
//!   search paths, and the node affinity of pods that wait for a gate.
//! - Volumes, claims and their classes get the finalizers that protect them while in use, as from the real server's admission.
//!   There is no controller to take them off: whoever deletes one takes it off, or it stays.
//! - What the real server fills in only when it reads an object again (the phase of a claim, the labels of a job) is there at
//!   once: the first write that changes nothing makes no new version here.
//! - An empty list that is always written is null at once, and so nobody owns it.
//! - Where the real server prints its internal structs (the difference between two pod specs, the template of a job), only the
//!   sentence before it is the same.
//! - Several wrong types in one body are told by the name of the field, not by its place in the body.
//! - Amounts written with a leading `+` or `0`, or with nothing after the dot, are brought into canonical form.
//!
//! Follows `pkg/apis` (defaults, conversion and validation of each group) and `pkg/registry` (the strategy of each kind) of Kubernetes.

mod address;
mod autoscaling;
mod convert;
mod decode;
mod defaults;
mod events;
pub(crate) mod limit_range;
mod normal;
mod path;
mod prepare;
mod quantity;
mod selectable;
mod strategy;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod time;
mod types;
pub(crate) mod usage;
mod validate;
mod warnings;
mod written;

pub(crate) use address::Ranges;
pub(crate) use autoscaling::to_stored as newest_autoscaler;
pub(crate) use prepare::{date_conditions, without_projections};
pub(crate) use quantity::Quantity;
pub(crate) use table::{blank, resources};
pub(crate) use validate::selects;
pub(crate) use written::patched as show_patched;
