//! G05 and G06, as far as one Gateway shows them: its listeners against its spec and against itself.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lint::{Place, Severity, finding::Findings, object::Subject};
use allready_core::{
    Status,
    condition::excerpt,
    found::{self, FoundCondition},
};

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    let told = subject.object["status"]["listeners"].as_array().map_or(&[][..], Vec::as_slice);
    let wanted = subject.object["spec"]["listeners"].as_array().map_or(&[][..], Vec::as_slice);
    if subject.object.get("spec").is_some() && is_current(subject) {
        names(told, wanted, findings);
        kinds(told, wanted, findings);
    }
    agreement(subject, told, findings);
}

fn place() -> Place {
    Place::root().keys(&["status", "listeners"])
}

fn name(listener: &Value) -> &str {
    listener["name"].as_str().unwrap_or_default()
}

/// Tells whether a controller has looked at the Gateway as it is: before that its listeners are those of another spec.
fn is_current(subject: &Subject<'_>) -> bool {
    let Some(top) = subject.top() else { return false };
    let newest = top.found.conditions().iter().filter_map(|condition| condition.observed).max();
    newest.is_some_and(|newest| !newest.is_none()) && newest >= subject.found.generation
}

fn names(told: &[Value], wanted: &[Value], findings: &mut Findings) {
    let names_wanted: BTreeSet<&str> = wanted.iter().map(name).collect();
    let names_told: BTreeSet<&str> = told.iter().map(name).collect();
    for (index, listener) in
        told.iter().enumerate().filter(|(_, listener)| !names_wanted.contains(name(listener)))
    {
        findings.add("G05", Severity::Warning, place().entry(index, name(listener)), || {
            format!("the spec has no listener {:?}", excerpt(name(listener)))
        });
    }
    for missing in names_wanted.difference(&names_told) {
        findings.add("G05", Severity::Warning, place(), || {
            format!("listener {:?} has no status", excerpt(missing))
        });
    }
}

/// Kinds that are supported have been asked for, where somebody asks.
fn kinds(told: &[Value], wanted: &[Value], findings: &mut Findings) {
    let key = |kind: &Value| {
        let group = kind["group"].as_str().unwrap_or("gateway.networking.k8s.io");
        (group.to_owned(), kind["kind"].as_str().unwrap_or_default().to_owned())
    };
    for (index, listener) in told.iter().enumerate() {
        let Some(of_spec) = wanted.iter().find(|wanted| name(wanted) == name(listener)) else { continue };
        let asked = of_spec["allowedRoutes"]["kinds"].as_array().filter(|kinds| !kinds.is_empty());
        let asked: BTreeSet<_> = match asked {
            Some(asked) => asked.iter().map(key).collect(),
            None => continue,
        };
        let supported = listener["supportedKinds"].as_array().into_iter().flatten().map(key);
        for (_, kind) in supported.filter(|kind| !asked.contains(kind)) {
            let place = || place().entry(index, name(listener)).key("supportedKinds");
            findings.add("G05", Severity::Warning, place(), || {
                format!("{:?} is supported and not among allowedRoutes.kinds of the spec", excerpt(&kind))
            });
        }
    }
}

/// G06.
fn agreement(subject: &Subject<'_>, told: &[Value], findings: &mut Findings) {
    let Some(top) = subject.top().filter(|_| !told.is_empty()) else { return };
    let lists: Vec<_> = told.iter().map(|listener| found::read(&listener["conditions"])).collect();
    let count = |type_: &str, status: Status| {
        let says = |condition: &FoundCondition<'_>| condition.status == status;
        lists.iter().filter(|list| list.find(type_).is_some_and(says)).count()
    };
    let entry = |type_: &str| top.entries().find(|(_, condition)| condition.type_ == type_);
    let (refused, of) = (count("Accepted", Status::False), told.len());
    if let Some((at, accepted)) = entry("Accepted") {
        let place = || top.entry(at);
        match accepted.status {
            Status::True if refused == of => findings.add("G06", Severity::Warning, place(), || {
                format!("Accepted is True while none of the {of} listeners is accepted")
            }),
            Status::True if refused > 0 && accepted.reason == "Accepted" => {
                findings.add("G06", Severity::Warning, place().key("reason"), || {
                    format!("the reason is Accepted while {refused} of {of} listeners are not: say ListenersNotValid")
                });
            }
            Status::True | Status::False
                if accepted.reason == "ListenersNotValid"
                    && count("Accepted", Status::True) == of
                    && count("ResolvedRefs", Status::False) == 0
                    && count("Programmed", Status::False) == 0 =>
            {
                findings.add("G06", Severity::Warning, place().key("reason"), || {
                    format!("the reason is ListenersNotValid while all {of} listeners are accepted")
                });
            }
            _ => {}
        }
    }
    if let Some((at, _)) = entry("Programmed").filter(|(_, programmed)| programmed.status == Status::True)
        && count("Programmed", Status::False) == of
    {
        findings.add("G06", Severity::Warning, top.entry(at), || {
            format!("Programmed is True while none of the {of} listeners is programmed")
        });
    }
}
