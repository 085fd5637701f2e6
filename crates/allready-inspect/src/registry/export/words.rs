//! What words mean in any kind, told so that a language without our rules is at least as careful: what is not known to be good is
//! not taken for good.

use std::collections::BTreeSet;

use super::recipe::Recipe;
use crate::judge::{
    errors, flags,
    lexicon::{
        AT_REST, BAD_NAME, BROKEN, BROKEN_STEMS, DEGRADED, DONE, HARD_STEMS, HEALTHY, MISSING, RUN_BEGINS,
        RUNS, SUSPENDED,
    },
    notes, numbers, reading, states,
};

/// Words in small letters and without signs.
type Words = Vec<&'static str>;

fn split(lists: &[&'static str]) -> Words {
    let words: BTreeSet<&str> = lists.iter().flat_map(|list| list.split_whitespace()).collect();
    words.into_iter().collect()
}

/// A reason with one of these in it is no reason of a good status.
pub(super) fn hard() -> Words {
    let mut words: Words = HARD_STEMS.into_iter().chain(BROKEN_STEMS).chain(["err"]).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A text with one of these in it may speak of something broken.
pub(super) fn hurt() -> Vec<String> {
    let mut words: Vec<String> = hard().into_iter().chain(broken()).map(str::to_owned).collect();
    words.extend(reading::BROKEN_PAIRS.map(|(first, second)| [first, second].concat()));
    words.extend(["warning".to_owned()]);
    words.sort_unstable();
    words.dedup();
    words
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
    if recipe.runs {
        let begins = begins_a_run();
        words.retain(|word| !begins.contains(word));
    } else {
        words.push("running");
    }
    words
}

/// Of what is good as a state, what is not the end of something that runs to one.
pub(super) fn begins_a_run() -> Words {
    split(&[RUN_BEGINS, "running"])
}

/// A field or a part with one of these in its name may be about something that runs to an end.
pub(super) fn runs() -> Words {
    split(&[RUNS])
}

/// What is broken as a state.
pub(super) fn bad() -> Words {
    split(&[DEGRADED, MISSING])
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

/// How names of fields begin that hold the state of another time.
pub(super) const OTHER_TIMES: [&str; 6] = states::OTHER_TIMES;
/// How words end that say that something is not in step.
pub(super) const APART: [&str; 3] = states::APART;

/// Names of fields that hold the state of a step, with the name of the field that names the step.
pub(super) fn steps() -> Vec<(String, &'static str)> {
    let of = |step| ["status", "state"].map(|end| ([step, end].concat(), step));
    states::STEPS.into_iter().flat_map(of).collect()
}

/// Names of booleans that should be true.
pub(super) fn good_flags() -> Words {
    split(&[flags::GOOD])
}
/// How names of booleans end that should be true.
pub(super) const GOOD_FLAG_ENDS: [&str; 3] = flags::GOOD_ENDS;
/// How the name of a boolean begins that should be true.
pub(super) const GOOD_FLAG_START: &str = flags::GOOD_START;
/// What begins so should not be true for that.
pub(super) const FLAG_DENIALS: [&str; 2] = flags::DENIALS;
/// Names of booleans that should not be false.
pub(super) fn steps_by_flag() -> Words {
    split(&[flags::BROKEN_STEPS, flags::STEPS])
}
/// Names of booleans that should be false, beside those that speak of a failure.
pub(super) fn bad_flags() -> Words {
    split(&[flags::BROKEN, flags::UNDER_WAY])
}
/// Names of booleans that are true of what rests.
pub(super) fn resting_flags() -> Words {
    split(&[flags::RESTING])
}

/// How names of fields end that hold an error.
pub(super) fn error_ends() -> Vec<String> {
    let texts = |of: &'static str| errors::TEXTS.map(move |text| [of, text].concat());
    let mut ends: Vec<String> = ["error", "errors", "failure"].into_iter().flat_map(texts).collect();
    ends.extend(["error", "errors"].map(str::to_owned));
    ends
}
/// Names of fields that hold an error.
pub(super) const ERROR_KEYS: [&str; 9] = errors::KEYS;
/// Names of numbers of errors.
pub(super) const ERROR_COUNTERS: [&str; 15] = errors::COUNTERS;
/// What stands there when there is none.
pub(super) const NO_ERROR: [&str; 7] = errors::NONE;
/// How names of lists begin in which nothing should be.
pub(super) fn failures() -> Words {
    states::BROKEN_LISTS.into_iter().chain(states::UNREADY_LISTS).chain(["notready"]).collect()
}
/// How messages begin that tell of a failure.
pub(super) const BEGINNINGS: [&str; 3] = ["failed", "error", "failure"];

/// What a label or an annotation says of a failure.
pub(super) const NOTED: [&str; 6] = notes::FAILURES;
/// How names of labels and annotations end that say how it is.
pub(super) const NOTES: [&str; 5] = notes::NAMES;

/// Names of parts of a status that are not about now.
pub(super) const SKIPPED: [&str; 7] =
    ["history", "previous", "lastapplied", "versions", "resources", "managed", "conditions"];
/// How names of parts end whose values are states.
pub(super) const MAPS_OF_STATES: [&str; 4] = states::MAPS_OF_STATES;

/// How names of numbers begin that have to reach another.
pub(super) const HAVE: [&str; 8] = numbers::HAVE;
/// How names of numbers of [`COUNTED`] end that have to reach another.
pub(super) const HAVE_ENDS: [&str; 3] = numbers::ENDS;
/// What is counted.
pub(super) const COUNTED: [&str; 14] = numbers::COUNTED;
/// Of which the other may be called by its size.
pub(super) const SIZED: [&str; 5] = numbers::SIZED;
/// How the other is called then.
pub(super) const SIZES: [&str; 5] = numbers::SIZES;
/// How it is called in the items of a list.
pub(super) const ITEM_SIZES: [&str; 3] = numbers::ITEM_SIZES;
/// How names of numbers begin that should be none.
pub(super) fn lacks(recipe: &Recipe) -> Words {
    let failed = if recipe.runs { &[][..] } else { &numbers::FAILED };
    numbers::LACKS.into_iter().chain(["notready"]).chain(failed.iter().copied()).collect()
}
/// What follows on such a beginning, whatever comes then.
pub(super) const COUNTED_ONE: [&str; 4] = numbers::COUNTED_ONE;
/// A fraction under a name with one of these in it has to be whole.
pub(super) const FRACTIONS: [&str; 9] = numbers::READINESS;
/// A percentage under a name with one of these in it has to be whole.
pub(super) fn percentages(recipe: &Recipe) -> Words {
    if recipe.runs { Vec::new() } else { numbers::PROGRESS.to_vec() }
}
/// Unless it begins so.
pub(super) const LIMITS: [&str; 4] = numbers::LIMITS;
/// How a generation is called that another has to reach, before the rest of its name.
pub(super) const GENERATIONS: [&str; 4] = ["", "desired", "target", "latest"];

/// Switches of a spec that ask for rest.
pub(super) const SWITCHES: [&str; 5] = ["suspend", "suspended", "paused", "pause", "hibernate"];
/// Parts of a spec that may have such a switch, also in their `rollingUpdate`.
pub(super) const STRATEGIES: [&str; 3] = ["updateStrategy", "strategy", "rollout"];
/// What an annotation says that asks for rest, or for no reconciliation.
pub(super) const ASKED: [&str; 10] =
    ["true", "on", "yes", "enabled", "", "false", "off", "no", "disabled", "paused"];
