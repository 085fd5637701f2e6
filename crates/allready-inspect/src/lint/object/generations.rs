//! O07 to O09: which generation a status is about.

use serde_json::Value;

use crate::lint::{
    Place, Severity,
    finding::Findings,
    lists::List,
    object::{
        fields::said,
        subject::{Subject, is_default, span},
    },
};
use allready_core::{
    Generation, Status, Time,
    condition::excerpt,
    found::{FoundCondition, IrregularityKind as Kind},
};

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    let status_level = || Place::root().keys(&["status", "observedGeneration"]);
    for noted in subject.found.irregularities().filter(|noted| noted.path.base == "status") {
        if matches!(noted.kind, Kind::GenerationForm { .. } | Kind::GenerationUnreadable { .. }) {
            findings.add("O07", Severity::Error, status_level(), || {
                format!("observedGeneration {}", said(&noted.kind))
            });
        }
    }
    let Some(generation) = subject.found.generation.filter(|generation| !generation.is_none()) else {
        return;
    };
    if let Some(observed) = subject.found.observed {
        if observed > generation {
            findings.add("O07", Severity::Error, status_level(), || impossible(observed, generation));
        } else if observed < generation && !observed.is_none() {
            behind(subject, observed, generation, status_level, findings);
        }
    }
    for list in &subject.lists {
        of_list(subject, list, generation, findings);
    }
}

fn of_list(subject: &Subject<'_>, list: &List<'_>, generation: Generation, findings: &mut Findings) {
    let is_top_true = subject.summary().is_some_and(|(_, top)| top.status == Status::True);
    let is_fall_back = falls_back(list);
    for (index, condition) in list.entries() {
        let Some(observed) = condition.observed.filter(|observed| !observed.is_none()) else { continue };
        let place = || list.entry(index).key("observedGeneration");
        let of_status = subject.found.observed.filter(|of_status| !of_status.is_none());
        if observed > generation {
            findings.add("O07", Severity::Error, place(), || impossible(observed, generation));
        } else if let Some(of_status) = of_status.filter(|of_status| *of_status != observed) {
            if is_top_true && list.is_top && of_status == generation {
                findings.add("O07", Severity::Warning, place(), || {
                    format!(
                        "{} is about generation {observed}, and the status about {of_status}, while the top condition is True",
                        excerpt(&condition.type_)
                    )
                });
            }
        } else if observed < generation && of_status.is_none() && !is_fall_back {
            behind(subject, observed, generation, place, findings);
        }
    }
    silent(subject, list, generation, findings);
}

fn impossible(observed: Generation, generation: Generation) -> String {
    format!("generation {observed} is still to come: the object is at {generation}")
}

/// Tells whether a route keeps an older state on purpose: the Gateway API lets it.
fn falls_back(list: &List<'_>) -> bool {
    let falls_back = |condition: &FoundCondition<'_>| {
        condition.type_ == "PartiallyInvalid"
            && condition.status == Status::True
            && condition.message.starts_with("Fall Back")
    };
    list.found.conditions().iter().any(falls_back)
}

/// O08.
fn behind(
    subject: &Subject<'_>,
    observed: Generation,
    generation: Generation,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    // Deletion counts the generation up too, and what is going away is not reported on any more.
    if subject.found.deleting {
        return;
    }
    match changed(subject) {
        Some(changed) => {
            let age = subject.age(changed);
            if age > subject.context.thresholds.stale_after {
                findings.add("O08", Severity::Warning, place(), || {
                    format!("it is about generation {observed}, and the object has been at {generation} for {}", span(age))
                });
            }
        }
        None => findings.add("O08", Severity::Info, place(), || {
            format!(
                "it is about generation {observed}, and the object is at {generation}; since when is not recorded \
                 (kubectl shows it with --show-managed-fields)"
            )
        }),
    }
}

/// The time at which the object was last written but for its status, as the managed fields have it. The youngest write counts: the
/// generation is as young as that, or older.
fn changed(subject: &Subject<'_>) -> Option<Time> {
    let entries = subject.object["metadata"]["managedFields"].as_array()?;
    let is_main = |entry: &&Value| entry["subresource"].as_str().unwrap_or_default().is_empty();
    let time = |entry: &Value| entry["time"].as_str()?.parse::<Time>().ok();
    entries.iter().filter(is_main).filter_map(time).max()
}

/// O09: conditions that do not say what they are about. The Gateway API has a rule of its own for it.
fn silent(subject: &Subject<'_>, list: &List<'_>, generation: Generation, findings: &mut Findings) {
    if generation <= Generation::from(1) || subject.is_builtin() || subject.is_gateway() {
        return;
    }
    let of_status = subject.found.observed.is_some_and(|observed| !observed.is_none());
    let is_silent = |condition: &&FoundCondition<'_>| match condition.observed {
        Some(observed) => observed.is_none() && !is_default(condition),
        // That of the status stands for all of its conditions.
        None => !of_status && !is_default(condition),
    };
    let conditions = list.found.conditions();
    let silent: Vec<&str> = conditions.iter().filter(is_silent).map(|condition| &*condition.type_).collect();
    if silent.is_empty() {
        return;
    }
    findings.add("O09", Severity::Warning, list.place.clone(), || {
        let named: Vec<String> = silent.iter().take(3).map(|type_| excerpt(type_)).collect();
        let more = if silent.len() > named.len() { ", …" } else { "" };
        format!(
            "{} of {} conditions do not say which generation they are about, and the object is at {generation}: {}{more}",
            silent.len(),
            conditions.len(),
            named.join(", "),
        )
    });
}
