//! When the pods of a job make it fail, and when they are enough. Follows `pkg/apis/batch/validation`.

use serde_json::{Value, json};

use super::{Errors, spot::Spot};
use crate::{names, status::FieldError};

/// The policies of a job, in the order of the real server.
pub(super) fn check(spec: &Spot<'_>, errors: &mut Errors) {
    let (failure, success) = (spec.child("podFailurePolicy"), spec.child("successPolicy"));
    if failure.exists() {
        self::failure(spec, &failure.child("rules"), errors);
    }
    if !success.exists() {
        return;
    }
    if spec.child("completionMode").text() == "Indexed" {
        return self::success(spec, &success.child("rules"), errors);
    }
    let rules = success.child("rules");
    let shown = rules.items().map(|rule| {
        json!({
            "SucceededIndexes": rule.child("succeededIndexes").value,
            "SucceededCount": rule.child("succeededCount").value,
        })
    });
    // As Go shows the struct, with its fields in their order.
    let shown: Vec<String> = shown
        .map(|rule| {
            let [indexes, count] =
                ["SucceededIndexes", "SucceededCount"].map(|field| rule[field].to_string());
            format!("{{\"SucceededIndexes\":{indexes},\"SucceededCount\":{count}}}")
        })
        .collect();
    let shown = if rules.exists() { format!("[{}]", shown.join(",")) } else { "null".to_owned() };
    let shown = format!("{{\"Rules\":{shown}}}");
    let mistake = crate::status::Mistake::Invalid;
    success.shown(mistake, &shown, "requires indexed completion mode", errors);
}

fn failure(spec: &Spot<'_>, rules: &Spot<'_>, errors: &mut Errors) {
    let count = rules.items().count() as u64;
    if count > 20 {
        errors.push(FieldError::too_many(rules.place.as_str(), count, 20));
    }
    let template = spec.at("template.spec");
    let containers: Vec<&str> = ["containers", "initContainers"]
        .iter()
        .flat_map(|list| template.child(list).items())
        .map(|container| container.child("name").text())
        .collect();
    for rule in rules.items() {
        let action = rule.child("action");
        match action.text() {
            "" => action.required(r#"valid values: ["Count" "FailIndex" "FailJob" "Ignore"]"#, errors),
            "FailIndex" if !spec.has("backoffLimitPerIndex") => {
                action.invalid("requires the backoffLimitPerIndex to be set", errors);
            }
            _ => action.one_of(&["Count", "FailIndex", "FailJob", "Ignore"], errors),
        }
        let (codes, conditions) = (rule.child("onExitCodes"), rule.child("onPodConditions"));
        if codes.exists() {
            exit_codes(&codes, &containers, errors);
        }
        let count = conditions.items().count() as u64;
        if count > 20 {
            errors.push(FieldError::too_many(conditions.place.as_str(), count, 20));
        }
        for condition in conditions.items() {
            let kind = condition.child("type");
            kind.problems(names::qualified(kind.text()), errors);
            let status = condition.child("status");
            if status.is_empty() {
                status.required(r#"valid values: ["False" "True" "Unknown"]"#, errors);
            } else {
                status.one_of(&["False", "True", "Unknown"], errors);
            }
        }
        let why = match (codes.exists(), !conditions.is_empty()) {
            (true, true) => "specifying both OnExitCodes and OnPodConditions is not supported",
            (false, false) => "specifying one of OnExitCodes and OnPodConditions is required",
            _ => continue,
        };
        errors.push(FieldError::invalid(rule.place.as_str(), Value::Null, why).without_value());
    }
}

fn exit_codes(codes: &Spot<'_>, containers: &[&str], errors: &mut Errors) {
    let operator = codes.child("operator");
    if operator.is_empty() {
        operator.required(r#"valid values: ["In" "NotIn"]"#, errors);
    } else {
        operator.one_of(&["In", "NotIn"], errors);
    }
    let container = codes.child("containerName");
    if container.exists() && !containers.contains(&container.text()) {
        let why = "must be one of the container or initContainer names in the pod template";
        container.invalid(why, errors);
    }
    let values = codes.child("values");
    let count = values.items().count() as u64;
    if count == 0 {
        values.invalid("at least one value is required", errors);
    } else if count > 255 {
        errors.push(FieldError::too_many(values.place.as_str(), count, 255));
    }
    let mut seen = Vec::new();
    for value in values.items() {
        let code = value.number().unwrap_or(0);
        if operator.text() == "In" && code == 0 {
            value.invalid("must not be 0 for the In operator", errors);
        }
        if seen.contains(&code) {
            value.duplicate(errors);
        }
        seen.push(code);
    }
    if !seen.is_sorted() {
        values.invalid("must be ordered", errors);
    }
}

/// Ranges of indexes are not read.
fn success(spec: &Spot<'_>, rules: &Spot<'_>, errors: &mut Errors) {
    let found = rules.items().count() as u64;
    if found == 0 {
        rules.required("at least one rules must be specified when the successPolicy is specified", errors);
    } else if found > 20 {
        errors.push(FieldError::too_many(rules.place.as_str(), found, 20));
    }
    let all = spec.child("completions").number().unwrap_or(i64::MAX);
    for rule in rules.items() {
        let count = rule.child("succeededCount");
        if !count.exists() && !rule.has("succeededIndexes") {
            rule.required("at least one of succeededCount or succeededIndexes must be specified", errors);
        }
        count.at_least_zero(errors);
        if count.number().is_some_and(|count| count > all) {
            let why = format!("must be less than or equal to {all} (the number of specified completions)");
            count.invalid(why, errors);
        }
    }
}
