//! O13 to O15: which status of a condition is good, and whether the reason and the presence fit.

use crate::words::names_failure;
use crate::{
    lint::{
        Place, Severity,
        finding::Findings,
        names,
        object::subject::{Subject, is_counted},
    },
    registry::ConditionRole,
};
use allready_core::{Polarity, Status, condition::excerpt, found::FoundCondition};

/// Types that are told while True alone, by the Gateway API.
const ONLY_WHILE_TRUE: &[&str] =
    &["OverlappingTLSConfig", "PartiallyInvalid", "InsecureFrontendValidationMode"];
/// The same, by kstatus.
const BETTER_WHILE_TRUE: &[&str] = &["Reconciling", "Stalled"];
/// Reasons that only sound wrong: part of the listeners is not valid, and the Gateway is accepted all the same.
const ALLOWED: &[&str] = &["ListenersNotValid", "PartiallyInvalid", "PartiallyFailed"];

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    for list in &subject.lists {
        for (index, condition) in list.entries() {
            let place = || list.entry(index);
            name(subject, condition, || place().key("type"), findings);
            reason(subject, condition, || place().key("reason"), findings);
            presence(subject, condition, || place().key("status"), findings);
        }
    }
}

/// O13.
fn name(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let type_ = &*condition.type_;
    if subject.is_builtin() || subject.is_gateway() || allready_core::ConditionType::check(type_).is_err() {
        return;
    }
    let semantics = subject.semantics(type_);
    let shown = names::polarity(type_);
    if semantics.is_declared {
        if shown.is_some_and(|shown| shown != semantics.polarity) && is_counted(semantics.role) {
            findings.add("O13", Severity::Warning, place(), || {
                let good = semantics.polarity.status(allready_core::Standing::Good);
                format!("{type_} is declared to be good while {good}, and its name says the opposite")
            });
        }
        return;
    }
    if names::is_negated(type_) {
        findings.add("O13", Severity::Info, place(), || {
            format!("{type_} is a negation: where it is False, a reader has to think twice")
        });
    } else if semantics.role == ConditionRole::Informational {
        findings.add("O13", Severity::Info, place(), || {
            format!("whether {type_} is good while True is neither declared nor shown by its name")
        });
    }
}

/// O14.
fn reason(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let (type_, reason) = (&*condition.type_, &*condition.reason);
    let role = subject.semantics(type_).role;
    let counts = is_counted(role);
    let Some(polarity) = subject.polarity(type_).filter(|_| counts && !ALLOWED.contains(&reason)) else {
        return;
    };
    if names::is_about_absence(type_) {
        return;
    }
    let good = polarity.status(allready_core::Standing::Good);
    let is_odd = if condition.status == good {
        names_failure(type_, reason)
    } else if condition.status == good.inverted() && condition.status != Status::Unknown {
        polarity == Polarity::NormalTrue && names::is_success_like(reason)
    } else {
        false
    };
    if is_odd {
        findings.add("O14", Severity::Info, place(), || {
            format!("{} is {} with reason {:?}", excerpt(type_), condition.status, excerpt(reason))
        });
    }
}

/// O15.
fn presence(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let type_ = &*condition.type_;
    if condition.status == Status::True {
        return;
    }
    if subject.is_gateway() && ONLY_WHILE_TRUE.contains(&type_) {
        findings.add("O15", Severity::Error, place(), || {
            format!("{type_} is {}: the Gateway API has it only while it is True", condition.status)
        });
    } else if BETTER_WHILE_TRUE.contains(&type_) && condition.status == Status::False {
        findings.add("O15", Severity::Warning, place(), || {
            format!("{type_} is False: leave it out while it does not hold")
        });
    }
}
