//! O10 to O12: what the conditions say together.

use crate::{
    lint::{
        Severity,
        finding::Findings,
        lists::List,
        names,
        object::subject::{Subject, is_counted, is_default},
    },
    registry::ConditionRole,
};
use allready_core::{Standing, Status, condition::excerpt, found::FoundCondition};

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    let Some(list) = subject.top() else { return };
    no_top(subject, list, findings);
    drift(subject, list, findings);
    contradiction(subject, list, findings);
}

/// O10.
fn no_top(subject: &Subject<'_>, list: &List<'_>, findings: &mut Findings) {
    let conditions = list.found.conditions();
    // One that is alone speaks for the whole.
    let is_small = conditions.len() < 2 && subject.set.is_none();
    if conditions.is_empty()
        || is_small
        || subject.is_builtin()
        || subject.is_gateway()
        || subject.summary().is_some()
    {
        return;
    }
    let place = || list.place.clone();
    if let Some(set) = &subject.set {
        let top = set.top();
        findings.add("O10", Severity::Warning, place(), || {
            format!("{top} is declared as the top condition and is not there")
        });
    } else {
        findings.add("O10", Severity::Warning, place(), || {
            format!(
                "none of the {} conditions speaks for the whole object: there is no Ready",
                conditions.len()
            )
        });
    }
}

/// O11.
fn drift(subject: &Subject<'_>, list: &List<'_>, findings: &mut Findings) {
    let Some((at, top)) = subject.summary() else { return };
    // What a schema wrote is no summary of anything yet.
    if is_default(top) || subject.found.deleting {
        return;
    }
    let is_top_known = subject.set.is_some() || subject.semantics(&top.type_).is_declared;
    // A word such as Installed may speak for the whole, or for one aspect among others.
    if !is_top_known && !matches!(names::base(&top.type_), "Ready" | "Succeeded" | "Available") {
        return;
    }
    let dependents: Vec<(&FoundCondition<'_>, bool, Standing)> = list
        .entries()
        .filter(|(index, condition)| *index != at && condition.type_ != top.type_)
        .filter_map(|(_, condition)| {
            let semantics = subject.semantics(&condition.type_);
            // Of two that are declared to speak for the whole, neither is made from the other.
            let is_equal = semantics.role == ConditionRole::Summary && semantics.is_declared;
            let standing = semantics.polarity.standing(condition.status);
            let is_known = semantics.is_declared && is_top_known;
            (is_counted(semantics.role) && !is_equal).then_some((condition, is_known, standing))
        })
        .collect();
    let place = || list.entry(at).key("status");
    match top.status {
        Status::True => {
            for (condition, is_known, standing) in dependents {
                let severity = if is_known { Severity::Warning } else { Severity::Info };
                // That something is not known is only held against a summary that is known to be made from it.
                if standing == Standing::Bad || (standing == Standing::Unknown && is_known) {
                    findings.add("O11", severity, place(), || {
                        format!(
                            "{} is True while {} is {} ({})",
                            excerpt(&top.type_),
                            excerpt(&condition.type_),
                            condition.status,
                            excerpt(&condition.reason)
                        )
                    });
                }
            }
        }
        Status::False => {
            let all_good = dependents.iter().all(|(_, _, standing)| *standing == Standing::Good);
            // A single aspect seldom is all that a summary is made from.
            let is_known = subject.set.is_some() && !dependents.is_empty();
            if all_good && (is_known || dependents.len() > 1) {
                let severity = if is_known { Severity::Warning } else { Severity::Info };
                findings.add("O11", severity, place(), || {
                    format!(
                        "{} is False ({}) while none of the {} conditions beside it says why",
                        excerpt(&top.type_),
                        excerpt(&top.reason),
                        dependents.len()
                    )
                });
            }
        }
        Status::Unknown => {}
    }
}

/// O12.
fn contradiction(subject: &Subject<'_>, list: &List<'_>, findings: &mut Findings) {
    let find = |type_: &str| {
        list.entries().find(|(_, condition)| condition.type_ == type_ && condition.status == Status::True)
    };
    let (reconciling, stalled, ready) = (find("Reconciling"), find("Stalled"), find("Ready"));
    if let (Some(_), Some((at, _))) = (reconciling, stalled) {
        findings.add("O12", Severity::Warning, list.entry(at), || {
            "Reconciling and Stalled are both True: which of them counts depends on the order of the list"
                .to_owned()
        });
        return;
    }
    let Some((_, ready)) = ready else { return };
    if let Some((at, _)) = stalled {
        findings.add("O12", Severity::Warning, list.entry(at), || {
            "Stalled is True while Ready is True: nothing can be done any more, and all is done".to_owned()
        });
    }
    // While a new generation is worked on, a Ready about the last one may stand.
    let observed = ready.observed.or(subject.found.observed);
    if let Some((at, reconciling)) = reconciling
        && observed.is_some()
        && observed == subject.found.generation
        && reconciling.observed.or(subject.found.observed) == observed
    {
        findings.add("O12", Severity::Info, list.entry(at), || {
            "Reconciling is True while Ready is True about the same generation".to_owned()
        });
    }
}
