//! Findings on how an object, or a definition, tells its status.
//!
//! Forty [rules](rules()), each with an id, a severity and a reason to exist. [`definition`] looks at the schema of a
//! definition and [`fix`] mends it; [`object`] looks at one object, [`Relations`] at what many objects say of each other,
//! and [`History`] at the versions of an object as they come. [`Ignores`] leaves out what somebody has decided to live with.
//!
//! A finding that is none costs more trust than one that is missed: what is only a guess has the severity `info`, and the
//! kinds of Kubernetes itself are not held to conventions that are younger than they are.
//!
//! ```
//! use allready_core::Time;
//! use allready_inspect::lint::{self, Context, Severity};
//! use serde_json::json;
//!
//! let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web" }, "status": {
//!     "conditions": [{ "type": "Ready", "status": "True", "reason": "", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] } });
//! let now: Time = "2026-03-01T10:05:00Z".parse().unwrap();
//! let findings = lint::object(&object, &Context::at(now));
//! assert_eq!((findings[0].rule.id, findings[0].severity), ("O04", Severity::Error));
//! assert_eq!(findings[0].path(), "status.conditions[Ready].reason");
//! ```

mod finding;
mod gateway;
mod history;
mod ignores;
mod lists;
mod managers;
mod names;
mod nodes;
mod object;
mod place;
mod rule;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod thresholds;

pub use finding::{Finding, ObjectRef};
pub use gateway::{Coverage, Relations};
pub use history::History;
pub use ignores::{Config, ConfigError, IgnoreEntry, Ignores, NAME as IGNORE_ANNOTATION, Sorted, Unmet};
pub use object::object;
pub use place::Place;
pub use rule::{Rule, Scope, Severity, SeverityError, rule, rules};
pub use schema::{definition, fix, is_definition};
pub use thresholds::Thresholds;

use crate::registry::Registry;
use allready_core::Time;

/// The things that objects are looked at with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The meanings of conditions.
    pub registry: &'a Registry,
    /// The present.
    pub now: Time,
    /// From when on something is too much.
    pub thresholds: &'a Thresholds,
}

static DEFAULT: std::sync::LazyLock<Thresholds> = std::sync::LazyLock::new(Thresholds::default);

impl Context<'static> {
    /// With what is known of well-known projects, and the thresholds as they come.
    pub fn at(now: Time) -> Self {
        Self { registry: Registry::builtin(), now, thresholds: &DEFAULT }
    }
}
