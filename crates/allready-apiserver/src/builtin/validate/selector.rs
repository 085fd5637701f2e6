//! Label selectors: whether they are well formed, and whether they select some labels.
//!
//! Follows `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use serde_json::Value;

use super::{Errors, spot::Spot, words};
use crate::{
    builtin::{
        path::{at, items, text_at},
        written,
    },
    names,
    status::Mistake,
};

/// What is wrong with a selector.
pub(super) fn check(selector: &Spot<'_>, errors: &mut Errors) {
    words::labels(&selector.child("matchLabels"), errors);
    for expression in selector.child("matchExpressions").items() {
        requirement(&expression, &[], true, errors);
    }
}

/// One expression of a selector. Those of nodes know operators of their own.
pub(super) fn requirement(expression: &Spot<'_>, comparing: &[&str], values_too: bool, errors: &mut Errors) {
    let values = expression.child("values");
    let operator = expression.child("operator");
    match operator.text() {
        "In" | "NotIn" if values.is_empty() => {
            values.required("must be specified when `operator` is 'In' or 'NotIn'", errors);
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'", errors);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other if comparing.contains(&other) => {
            if values.items().count() != 1 {
                values.required("must be specified single value when `operator` is 'Lt' or 'Gt'", errors);
            }
        }
        _ => operator.problems(["not a valid selector operator".to_owned()], errors),
    }
    label_name(&expression.child("key"), errors);
    for value in values.items().filter(|_| values_too) {
        value.problems(names::label_value(value.text()), errors);
    }
}

/// A selector that is no good, with its fields in the order of its Go type.
pub(super) fn refuse(selector: &Spot<'_>, why: &str, errors: &mut Errors) {
    let shown = written::text("meta.v1.LabelSelector", selector.value);
    selector.shown(Mistake::Invalid, &shown, why, errors);
}

/// The key of a label where one must stand.
pub(super) fn label_name(key: &Spot<'_>, errors: &mut Errors) {
    key.problems(names::qualified(key.text()), errors);
}

/// Whether a selector selects labels. One that is absent selects nothing.
pub(crate) fn selects(selector: Option<&Value>, labels: Option<&Value>) -> bool {
    let Some(selector) = selector else { return false };
    let value = |key: &str| labels.and_then(|labels| labels.get(key));
    let equal = at(selector, &["matchLabels"]).and_then(Value::as_object);
    let met = |expression: &Value| {
        let found = value(text_at(expression, &["key"]));
        let listed = found.is_some_and(|found| items(expression, &["values"]).contains(found));
        match text_at(expression, &["operator"]) {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => found.is_some(),
            "DoesNotExist" => found.is_none(),
            _ => false,
        }
    };
    equal.into_iter().flatten().all(|(key, wanted)| value(key) == Some(wanted))
        && items(selector, &["matchExpressions"]).iter().all(met)
}
