//! O16 and O17: what has been so for too long.

use crate::lint::{
    Severity,
    finding::Findings,
    object::subject::{Subject, is_default, span},
};
use allready_core::{Status, Time, condition::excerpt, found::FoundCondition};

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    if subject.found.deleting {
        return;
    }
    let thresholds = subject.context.thresholds;
    for list in &subject.lists {
        for (index, condition) in list.entries().filter(|(_, condition)| condition.status == Status::Unknown)
        {
            let place = || list.entry(index).key("status");
            if is_default(condition) {
                let Some(age) = subject.found.created.map(|created| subject.age(created)) else { continue };
                if age > thresholds.unknown_after {
                    findings.add("O16", Severity::Warning, place(), || {
                        format!(
                            "{} still has the default of the schema after {}: no controller has taken the object",
                            excerpt(&condition.type_),
                            span(age)
                        )
                    });
                }
            } else if let Some(since) = condition.since.filter(|since| *since > Time::EPOCH)
                && is_observed(subject, condition)
                && subject.age(since) > thresholds.unknown_after
            {
                findings.add("O16", Severity::Warning, place(), || {
                    let reason = excerpt(&condition.reason);
                    format!(
                        "{} has been Unknown for {} ({reason})",
                        excerpt(&condition.type_),
                        span(subject.age(since))
                    )
                });
            }
        }
    }
    stuck(subject, findings);
}

/// Tells whether a condition is about the object as it is, as far as anybody says.
fn is_observed(subject: &Subject<'_>, condition: &FoundCondition<'_>) -> bool {
    let observed = condition.observed.or(subject.found.observed).filter(|observed| !observed.is_none());
    match (observed, subject.found.generation) {
        (Some(observed), Some(generation)) => observed >= generation,
        _ => true,
    }
}

/// O17, of the top condition alone: the others are told with it.
fn stuck(subject: &Subject<'_>, findings: &mut Findings) {
    let (Some((at, top)), Some(list)) = (subject.summary(), subject.top()) else { return };
    let Some(since) = top.since.filter(|since| top.status == Status::False && *since > Time::EPOCH) else {
        return;
    };
    let age = subject.age(since);
    if age > subject.context.thresholds.false_after && is_observed(subject, top) {
        findings.add("O17", Severity::Info, list.entry(at).key("status"), || {
            format!("{} has been False for {} ({})", excerpt(&top.type_), span(age), excerpt(&top.reason))
        });
    }
}
