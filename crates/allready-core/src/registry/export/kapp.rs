//! Wait rules for kapp.
//!
//! kapp looks at the conditions at the top of a status, and takes the first success for the whole: so there is one success
//! in a rule at most, and a kind that needs more to be called healthy is not told.

use serde_json::{Value, json};

use super::recipe::Recipe;
use crate::health::Health;

/// The rule for a kind, or why there is none.
pub(super) fn rule(recipe: &Recipe) -> Result<Value, &'static str> {
    if recipe.always.is_some() {
        return Err("kapp does not wait for kinds without conditions");
    }
    let (patterns, exact): (Vec<_>, Vec<_>) = recipe.conditions.iter().partition(|one| one.is_pattern());
    let speaking: Vec<_> = exact.iter().filter(|one| one.speaks).collect();
    let [success] = speaking.as_slice() else {
        return Err("kapp takes one condition for all, and this kind needs several, or none");
    };
    if !patterns.is_empty() || !recipe.wordings.is_empty() || !recipe.reaching.is_empty() {
        return Err("kapp knows conditions by their type alone, and this kind is judged by more");
    }
    let fails = exact.iter().filter(|one| one.bad == Health::Degraded && one.reasons.is_empty());
    let mut matchers: Vec<Value> =
        fails.map(|one| json!({ "type": one.type_, "status": one.bad_status(), "failure": true })).collect();
    // What is neither a failure nor a success keeps it waiting: those that have to be good as well.
    let has_more = exact.iter().any(|one| !one.speaks && one.bad != Health::Degraded);
    if has_more || !recipe.activities.is_empty() {
        return Err("kapp takes one condition for all, and this kind is under way while others say so");
    }
    matchers.push(json!({ "type": success.type_, "status": success.good(), "success": true }));
    Ok(json!({
        "supportsObservedGeneration": true,
        "conditionMatchers": matchers,
        "resourceMatchers": [{ "apiGroupKindMatcher": { "apiGroup": recipe.group, "kind": recipe.kind } }],
    }))
}
