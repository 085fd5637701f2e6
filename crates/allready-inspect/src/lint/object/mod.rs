//! O and M, and what of G one object shows: the conditions of one object as it stands.

mod ages;
mod fields;
mod generations;
mod meanings;
mod polarity;
mod size;
mod subject;

use serde_json::Value;

use super::{Context, Finding, finding::Findings, gateway, managers};
pub(super) use subject::{Subject, is_counted, is_default, span};

/// What is wrong with how one object tells its status.
///
/// Nothing in it can make this fail, and of one rule at most twenty findings are told.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::lint::{self, Context};
/// use serde_json::json;
///
/// let now: Time = "2026-03-01T10:05:00Z".parse().unwrap();
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web", "generation": 2 },
///     "status": { "conditions": [
///         { "type": "Ready", "status": "True", "reason": "AsWished", "message": "", "observedGeneration": 3,
///           "lastTransitionTime": "2026-03-01T10:00:00Z" },
///     ] } });
/// let findings = lint::object(&object, &Context::at(now));
/// assert_eq!(findings[0].rule.id, "O07", "generation 3 is still to come");
/// assert!(lint::object(&json!("anything else"), &Context::at(now)).is_empty());
/// ```
pub fn object(object: &Value, context: &Context<'_>) -> Vec<Finding> {
    let subject = Subject::of(object, context);
    let mut findings = Findings::of(object);
    fields::look(&subject, &mut findings);
    generations::look(&subject, &mut findings);
    meanings::look(&subject, &mut findings);
    polarity::look(&subject, &mut findings);
    ages::look(&subject, &mut findings);
    size::look(&subject, &mut findings);
    managers::look(&subject, &mut findings);
    gateway::look(&subject, &mut findings);
    findings.finish()
}
