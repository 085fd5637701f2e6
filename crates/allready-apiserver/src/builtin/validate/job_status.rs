//! The status of a job, which anybody may write who manages it.
//!
//! Follows `validateJobStatus` of `pkg/apis/batch/validation`, with the options of `pkg/registry/batch/job/strategy.go`: what was
//! wrong before is forgiven where it does not change. Ranges of indexes are not read.

use serde_json::Value;

use super::{Errors, spot::Spot};
use crate::{builtin::path::items, status::FieldError};

fn holds(job: &Value, kind: &str) -> bool {
    items(job, &["status", "conditions"]).iter().any(|one| one["type"] == kind && one["status"] == "True")
}

fn is_finished(job: &Value) -> bool {
    holds(job, "Complete") || holds(job, "Failed")
}

#[expect(clippy::too_many_lines, reason = "one check after the other, in the order of the real server")]
pub(super) fn check(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let none = Value::Null;
    let old = old.unwrap_or(&none);
    let (status, before, spec) =
        (Spot::root(new).child("status"), Spot::root(old).child("status"), Spot::root(new).child("spec"));
    let changed = |field: &str| status.child(field).value != before.child(field).value;
    let turned = |kind: &str| holds(new, kind) != holds(old, kind);
    let finished = is_finished(new);
    let finish = finished != is_finished(old);
    let count = |field: &str| status.child(field).number().unwrap_or(0);
    let conditions = |why: &str, errors: &mut Errors| {
        errors.push(FieldError::invalid("status.conditions", Value::Null, why).without_value());
    };

    for field in ["active", "succeeded", "failed", "ready", "terminating"] {
        status.child(field).at_least_zero(errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    let uncounted = status.child("uncountedTerminatedPods");
    for uid in ["succeeded", "failed"].iter().flat_map(|field| uncounted.child(field).items()) {
        if uid.is_empty() {
            uid.invalid("must not be empty", errors);
        } else if seen.contains(&uid.text()) {
            uid.duplicate(errors);
        }
        seen.push(uid.text());
    }
    let [complete, failed, target, met] =
        ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"].map(|kind| holds(new, kind));
    if (turned("Complete") || turned("Failed")) && complete && failed {
        conditions("cannot set Complete=True and Failed=true conditions", errors);
    }
    if (turned("Complete") || turned("FailureTarget")) && complete && target {
        conditions("cannot set Complete=True and FailureTarget=true conditions", errors);
    }
    let (start, end) = (status.child("startTime"), status.child("completionTime"));
    if turned("Complete") || changed("completionTime") {
        if end.exists() && !complete {
            end.invalid("cannot set completionTime when there is no Complete=True condition", errors);
        }
        if !end.exists() && complete {
            end.required("completionTime is required for Complete jobs", errors);
        }
    }
    // Both are in UTC, to the second.
    if (changed("startTime") || changed("completionTime"))
        && start.exists()
        && end.exists()
        && end.text() < start.text()
    {
        end.invalid("must be equal to or after `startTime`", errors);
    }
    if (turned("Failed") || changed("failedIndexes")) && failed && !target {
        conditions("cannot set Failed=True condition without the FailureTarget=true condition", errors);
    }
    if (turned("Complete") || turned("SuccessCriteriaMet")) && complete && !met {
        conditions(
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
            errors,
        );
    }
    if (finish || changed("active")) && finished && count("active") > 0 {
        status.child("active").invalid("active>0 is invalid for finished job", errors);
    }
    let idle = spec.child("suspend").flag() && spec.child("completions").number() == Some(0);
    if (finish || changed("startTime")) && !idle && finished && !start.exists() {
        start.required("startTime is required for finished job", errors);
    }
    if (finish || changed("uncountedTerminatedPods")) && finished && !seen.is_empty() {
        uncounted.invalid("must be empty for finished job", errors);
    }
    let (completed, fallen) = (status.child("completedIndexes"), status.child("failedIndexes"));
    let indexed = spec.child("completionMode").text() == "Indexed";
    if changed("completedIndexes") && !completed.is_empty() && !indexed {
        completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode", errors);
    }
    if changed("failedIndexes") && fallen.exists() && !spec.has("backoffLimitPerIndex") {
        fallen.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null", errors);
    }
    if (finish || changed("terminating")) && finished && count("terminating") > 0 {
        status.child("terminating").invalid("terminating>0 is invalid for finished job", errors);
    }
    if (changed("ready") || changed("active")) && count("ready") > count("active") {
        status.child("ready").invalid("cannot set more ready pods than active", errors);
    }
    if met && failed {
        conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions", errors);
    }
    if met && target {
        conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors);
    }
    if spec.has("successPolicy") && !met && complete {
        let why = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
        conditions(why, errors);
    }

    for kind in ["Failed", "Complete", "FailureTarget"] {
        if holds(old, kind) && !holds(new, kind) {
            conditions(&format!("cannot disable the terminal {kind}=True condition"), errors);
        }
    }
    let scaled = indexed && spec.child("completions").value == spec.child("parallelism").value;
    for (field, may) in [("failed", false), ("succeeded", scaled)] {
        if !may && count(field) < before.child(field).number().unwrap_or(0) {
            let why = format!("cannot decrease the {field} counter");
            errors.push(FieldError::invalid(format!("status.{field}"), count(field), why));
        }
    }
    if end.exists() && before.has("completionTime") && changed("completionTime") {
        end.invalid("field is immutable", errors);
    }
    let suspension = |job: &Value, status: &str| {
        let conditions = items(job, &["status", "conditions"]);
        conditions.iter().any(|one| one["type"] == "Suspended" && one["status"] == status)
    };
    let resumes = suspension(old, "True") && suspension(new, "False");
    if before.has("startTime") && changed("startTime") && !resumes && !spec.child("suspend").flag() {
        start.invalid("field is immutable for unsuspended job once set", errors);
    }
    if holds(old, "SuccessCriteriaMet") && !met {
        conditions("cannot disable the SuccessCriteriaMet=True condition", errors);
    }
    if holds(old, "Complete") && !holds(old, "SuccessCriteriaMet") && met {
        let why = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
        conditions(why, errors);
    }
}
