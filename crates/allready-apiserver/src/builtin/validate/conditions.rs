//! Conditions of the common form. Follows `ValidateConditions` in `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use super::{Errors, selector, spot::Spot};
use crate::status::FieldError;

/// What is wrong with a list of conditions.
pub(super) fn check(conditions: &Spot<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for condition in conditions.items() {
        let kind = condition.child("type");
        if seen.contains(&kind.text()) {
            kind.duplicate(errors);
        }
        seen.push(kind.text());
        selector::label_name(&kind, errors);
        condition.child("status").one_of(&["False", "True", "Unknown"], errors);
        let generation = condition.child("observedGeneration");
        if generation.number().is_some_and(|generation| generation < 0) {
            generation.invalid("must be greater than or equal to zero", errors);
        }
        condition.child("lastTransitionTime").filled(errors);
        reason(&condition.child("reason"), errors);
        let message = condition.child("message");
        if message.text().len() > 32 * 1024 {
            errors.push(FieldError::too_long(message.place, 32 * 1024));
        }
    }
}

fn reason(reason: &Spot<'_>, errors: &mut Errors) {
    let text = reason.text();
    if text.is_empty() {
        return reason.required("", errors);
    }
    let inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ',' | ':');
    let fits = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with([',', ':']);
    if !fits {
        reason.invalid("a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')", errors);
    }
    if text.len() > 1024 {
        errors.push(FieldError::too_long(reason.place.as_str(), 1024));
    }
}
