//! What words mean in any kind, told so that a language without our rules is at least as careful: what is not known to be good is
//! not taken for good.

use std::collections::BTreeSet;

use super::recipe::Recipe;
use crate::health::{
    lexicon::{AT_REST, BAD_NAME, BROKEN, BROKEN_STEMS, DEGRADED, DONE, HARD_STEMS, HEALTHY, SUSPENDED},
    reading, states,
};

/// Words in small letters and without signs.
type Words = Vec<&'static str>;

fn split(lists: &[&'static str]) -> Words {
    let words: BTreeSet<&str> = lists.iter().flat_map(|list| list.split_whitespace()).collect();
    words.into_iter().collect()
}

/// A reason with one of these in it is no reason of a good status.
pub(super) fn hard() -> Words {
    HARD_STEMS.to_vec()
}

/// What stands in for a failure and is none.
pub(super) const RECOVERIES: [&str; 3] = ["failover", "failback", "failsafe"];

/// A reason that is one of these is no reason of a good status either.
pub(super) fn broken() -> Words {
    split(&[BROKEN])
}

/// A type with one of these in its name, of which nothing is declared, may be one of which True is bad, or of rest.
pub(super) fn bad_names() -> Words {
    let mut words = split(&[BAD_NAME, BROKEN, AT_REST]);
    words.extend(BROKEN_STEMS);
    words.extend([
        "required",
        "outofsync",
        "outofdate",
        "diskfull",
        "ignored",
        "disabled",
        "partial",
        "down",
    ]);
    words.extend(["deleted", "terminated", "progress", "pending"]);
    words.sort_unstable();
    words.dedup();
    words
}

/// A type that ends so, or begins with [`DENIALS`], says when True that something is under way, or not so.
pub(super) const UNDER_WAY_ENDS: [&str; 8] =
    ["ing", "ingup", "ingdown", "ingout", "ingin", "ingback", "ingover", "ingoff"];

/// See [`UNDER_WAY_ENDS`].
pub(super) const DENIALS: [&str; 2] = ["no", "without"];

/// Reasons by which something that is under way is done.
pub(super) fn done() -> Words {
    let reasons =
        ["AsExpected", "Completed", "Complete", "Succeeded", "Success", "Finished", "Done", "Available"];
    let reasons = reasons.into_iter().chain(["NewReplicaSetAvailable", "ReplicaSetAvailable", "UpToDate"]);
    debug_assert!(DONE.contains("succeeded"));
    reasons.filter(|reason| reading::is_done(reason)).collect()
}

/// Rest, in a reason or in the name of an annotation.
pub(super) fn at_rest() -> Words {
    split(&[AT_REST])
}

/// What is good as a state.
pub(super) fn good(recipe: &Recipe) -> Words {
    let mut words = split(&[HEALTHY]);
    if !recipe.runs {
        words.extend(["running", "executing"]);
    }
    words
}

/// What is broken as a state.
pub(super) fn bad() -> Words {
    split(&[DEGRADED])
}

/// What rests as a state.
pub(super) fn resting() -> Words {
    split(&[SUSPENDED])
}

/// What says nothing as a state.
pub(super) fn neutral() -> Words {
    let words = ["true", "false", "none", "unset", "default", "yes", "no"];
    words.into_iter().filter(|word| reading::state(word, false).is_none()).collect()
}

/// Names of fields that hold a state.
pub(super) const STATE_KEYS: [&str; 21] = states::KEYS;
/// How names of fields end that hold a state.
pub(super) const STATE_ENDS: [&str; 8] = states::KEY_ENDS;

/// Names of booleans that should be true.
pub(super) const GOOD_FLAGS: [&str; 19] = [
    "pass",
    "passed",
    "compliant",
    "available",
    "initialized",
    "synced",
    "succeeded",
    "valid",
    "active",
    "connected",
    "success",
    "registered",
    "provisioned",
    "installed",
    "deployed",
    "reconciled",
    "reachable",
    "ready",
    "healthy",
];
/// How names of booleans end that should be true.
pub(super) const GOOD_FLAG_ENDS: [&str; 2] = ["ready", "healthy"];
/// Names of booleans that should be false, beside those that speak of a failure.
pub(super) const BAD_FLAGS: [&str; 8] =
    ["controllerpause", "paused", "suspended", "hibernated", "failed", "degraded", "unhealthy", "error"];

/// How names of fields end that hold an error.
pub(super) const ERROR_ENDS: [&str; 8] =
    ["error", "errors", "errormessage", "errorreason", "errorsmessage", "errorsreason", "failure", "errmsg"];
/// Names of fields that hold an error.
pub(super) const ERROR_KEYS: [&str; 2] = ["failurereason", "failuremessage"];
/// What stands there when there is none.
pub(super) const NO_ERROR: [&str; 7] = ["none", "null", "nil", "na", "ok", "noerror", "noerrors"];
/// How names of lists begin in which nothing should be.
pub(super) const FAILURES: [&str; 5] = ["failed", "failing", "failures", "broken", "unhealthy"];

/// Names of parts of a status that are not about now.
pub(super) const SKIPPED: [&str; 7] =
    ["history", "previous", "lastapplied", "versions", "resources", "managed", "conditions"];
/// How names of parts end whose values are states.
pub(super) const MAPS_OF_STATES: [&str; 3] = ["statuses", "states", "phases"];

/// How names of numbers begin that have to reach another.
pub(super) const HAVE: [&str; 8] =
    ["updatedready", "ready", "available", "updated", "current", "numberready", "numberavailable", "healthy"];
/// How the other is called.
pub(super) const SIZES: [&str; 5] = ["replicas", "size", "instances", "nodes", "count"];
/// How names of numbers begin that should be none.
pub(super) const LACKS: [&str; 3] = ["unavailable", "unready", "unhealthy"];
/// A fraction under a name with one of these in it has to be whole.
pub(super) const FRACTIONS: [&str; 5] = ["ready", "replica", "available", "healthy", "nodes"];

/// Switches of a spec that ask for rest.
pub(super) const SWITCHES: [&str; 5] = ["suspend", "suspended", "paused", "pause", "hibernate"];
/// Parts of a spec that may have such a switch, also in their `rollingUpdate`.
pub(super) const STRATEGIES: [&str; 3] = ["updateStrategy", "strategy", "rollout"];
/// What an annotation says that asks for rest, or for no reconciliation.
pub(super) const ASKED: [&str; 10] =
    ["true", "on", "yes", "enabled", "", "false", "off", "no", "disabled", "paused"];
