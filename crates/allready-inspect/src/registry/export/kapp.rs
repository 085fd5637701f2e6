//! Wait rules for kapp: a function for ytt, as its matchers of conditions see neither the spec nor anything else of a status.

use serde_json::{Value, json};

use super::recipe::Recipe;
use super::star;

/// The rule for a kind.
pub(super) fn rule(recipe: &Recipe) -> Value {
    json!({
        "ytt": { "funcContractV1": { "resource.star": star::function(recipe) } },
        "resourceMatchers": [{ "apiGroupKindMatcher": { "apiGroup": recipe.group, "kind": recipe.kind } }],
    })
}
