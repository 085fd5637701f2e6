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

/// Finds what is wrong with how one object tells its status.
///
/// Nothing in it can make this fail, and of one rule at most twenty findings are told.
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
