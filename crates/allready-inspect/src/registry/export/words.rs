//! What words mean in any kind, told so that a language without our rules is at least as careful: what is not known to be good is
//! not taken for good.

use std::collections::BTreeSet;

use super::recipe::Recipe;
use crate::words::{self, BROKEN_PAIRS, List};

/// Words in small letters and without signs.
type Words = Vec<&'static str>;

fn split(lists: &[List]) -> Words {
    let words: BTreeSet<&str> = lists.iter().flat_map(|list| list.words()).collect();
    words.into_iter().collect()
}

/// A reason with one of these in it is no reason of a good status.
pub(super) fn hard() -> Words {
    let mut words: Words = List::FailureStem.words().chain(List::BrokenStem.words()).chain(["err"]).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A text with one of these in it may speak of something broken.
pub(super) fn hurt() -> Vec<String> {
    let mut words: Vec<String> = hard().into_iter().chain(broken()).map(str::to_owned).collect();
    words.extend(BROKEN_PAIRS.map(|(first, second)| [first, second].concat()));
    words.extend(["warning".to_owned()]);
    words.sort_unstable();
    words.dedup();
    words
}

/// What stands in for a failure and is none.
pub(super) const RECOVERIES: [&str; 3] = ["failover", "failback", "failsafe"];

/// A reason that is one of these is no reason of a good status either.
pub(super) fn broken() -> Words {
    split(&[List::Broken])
}

/// A type with one of these in its name, of which nothing is declared, may be one of which True is bad, or of rest.
pub(super) fn bad_names() -> Words {
    let mut words = split(&[List::BadName, List::Broken, List::AtRest]);
    words.extend(List::BrokenStem.words());
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
    reasons.filter(|reason| words::is_done(reason)).collect()
}

/// Rest, in a reason or in the name of an annotation.
pub(super) fn at_rest() -> Words {
    split(&[List::AtRest])
}

/// What is good as a state.
pub(super) fn good(recipe: &Recipe) -> Words {
    let mut words = split(&[List::Healthy]);
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
    let mut words = split(&[List::RunBegins]);
    words.push("running");
    words
}

/// A field or a part with one of these in its name may be about something that runs to an end.
pub(super) fn runs() -> Words {
    split(&[List::RunKind])
}

/// What is broken as a state.
pub(super) fn bad() -> Words {
    split(&[List::Degraded, List::Missing])
}

/// What rests as a state.
pub(super) fn resting() -> Words {
    split(&[List::Suspended])
}

/// What says nothing as a state.
pub(super) fn neutral() -> Words {
    let words = ["true", "false", "none", "unset", "default", "yes", "no"];
    words.into_iter().filter(|word| words::state(word, false).is_none()).collect()
}

/// Names of fields that hold a state.
pub(super) fn state_keys() -> Words {
    List::StateField.words().collect()
}
/// How names of fields end that hold a state.
pub(super) fn state_ends() -> Words {
    List::StateFieldEnding.words().collect()
}

/// How names of fields begin that hold the state of another time.
pub(super) fn other_times() -> Words {
    List::OtherTime.words().collect()
}
/// How words end that say that something is not in step.
pub(super) fn apart() -> Words {
    List::Apart.words().collect()
}

/// Names of fields that hold the state of a step, with the name of the field that names the step.
pub(super) fn steps() -> Vec<(String, &'static str)> {
    let of = |step| ["status", "state"].map(|end| ([step, end].concat(), step));
    List::StepField.words().flat_map(of).collect()
}

/// Names of booleans that should be true.
pub(super) fn good_flags() -> Words {
    split(&[List::GoodFlag])
}
/// How names of booleans end that should be true.
pub(super) fn good_flag_ends() -> Words {
    List::GoodFlagEnding.words().collect()
}
/// How the name of a boolean begins that should be true.
pub(super) const GOOD_FLAG_START: &str = "readyto";
/// What begins so should not be true for that.
pub(super) const FLAG_DENIALS: [&str; 2] = ["un", "not"];
/// Names of booleans that should not be false.
pub(super) fn steps_by_flag() -> Words {
    split(&[List::BrokenStep, List::Step])
}
/// Names of booleans that should be false, beside those that speak of a failure.
pub(super) fn bad_flags() -> Words {
    split(&[List::BrokenFlag, List::ActivityFlag])
}
/// Names of booleans that are true of what rests.
pub(super) fn resting_flags() -> Words {
    split(&[List::RestFlag])
}

/// How names of fields end that hold an error.
pub(super) fn error_ends() -> Vec<String> {
    let texts = |of: &'static str| List::ErrorTextEnding.words().map(move |text| [of, text].concat());
    let mut ends: Vec<String> = ["error", "errors", "failure"].into_iter().flat_map(texts).collect();
    ends.extend(["error", "errors"].map(str::to_owned));
    ends
}
/// Names of fields that hold an error.
pub(super) fn error_keys() -> Words {
    List::ErrorField.words().collect()
}
/// Names of numbers of errors.
pub(super) fn error_counters() -> Words {
    List::ErrorCounter.words().collect()
}
/// What stands there when there is none.
pub(super) fn no_error() -> Words {
    List::NoError.words().collect()
}
/// How names of lists begin in which nothing should be.
pub(super) fn failures() -> Words {
    List::BrokenList.words().chain(List::UnreadyList.words()).chain(["notready"]).collect()
}
/// How messages begin that tell of a failure.
pub(super) const BEGINNINGS: [&str; 3] = ["failed", "error", "failure"];

/// What a label or an annotation says of a failure.
pub(super) fn noted() -> Words {
    List::LabelFailure.words().collect()
}
/// How names of labels and annotations end that say how it is.
pub(super) fn notes() -> Words {
    List::LabelEnding.words().collect()
}

/// Names of parts of a status that are not about now.
pub(super) const SKIPPED: [&str; 7] =
    ["history", "previous", "lastapplied", "versions", "resources", "managed", "conditions"];
/// How names of parts end whose values are states.
pub(super) fn maps_of_states() -> Words {
    List::StatesMap.words().collect()
}

/// How names of numbers begin that have to reach another.
pub(super) fn have() -> Words {
    List::Have.words().collect()
}
/// How names of numbers of [`counted`] end that have to reach another.
pub(super) fn have_ends() -> Words {
    List::HaveEnding.words().collect()
}
/// What is counted.
pub(super) fn counted() -> Words {
    List::Counted.words().collect()
}
/// Of which the other may be called by its size.
pub(super) fn sized() -> Words {
    List::Sized.words().collect()
}
/// How the other is called then.
pub(super) fn sizes() -> Words {
    List::Size.words().collect()
}
/// How it is called in the items of a list.
pub(super) fn item_sizes() -> Words {
    List::ItemSize.words().collect()
}
/// How names of numbers begin that should be none.
pub(super) fn lacks(recipe: &Recipe) -> Words {
    let failed = List::Failed.words().filter(|_| !recipe.runs);
    List::Lack.words().chain(["notready"]).chain(failed).collect()
}
/// What follows on such a beginning, whatever comes then.
pub(super) fn counted_one() -> Words {
    List::CountedOne.words().collect()
}
/// A fraction under a name with one of these in it has to be whole.
pub(super) fn fractions() -> Words {
    List::Readiness.words().collect()
}
/// A percentage under a name with one of these in it has to be whole.
pub(super) fn percentages(recipe: &Recipe) -> Words {
    if recipe.runs { Vec::new() } else { List::Percent.words().collect() }
}
/// Unless it begins so.
pub(super) fn limits() -> Words {
    List::PercentLimit.words().collect()
}
/// How a generation is called that another has to reach, before the rest of its name.
pub(super) const GENERATIONS: [&str; 4] = ["", "desired", "target", "latest"];

/// Switches of a spec that ask for rest.
pub(super) const SWITCHES: [&str; 5] = ["suspend", "suspended", "paused", "pause", "hibernate"];
/// Parts of a spec that may have such a switch, also in their `rollingUpdate`.
pub(super) const STRATEGIES: [&str; 3] = ["updateStrategy", "strategy", "rollout"];
/// What an annotation says that asks for rest, or for no reconciliation.
pub(super) const ASKED: [&str; 10] =
    ["true", "on", "yes", "enabled", "", "false", "off", "no", "disabled", "paused"];
