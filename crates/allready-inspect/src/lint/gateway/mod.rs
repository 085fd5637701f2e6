//! G: the Gateway API.

mod listeners;
mod parents;
mod relations;
mod table;

pub(super) use parents::dropped as dropped_parents;
pub use relations::{Coverage, Relations};

use crate::{
    lint::{
        Severity,
        finding::Findings,
        lists::List,
        object::{Subject, is_default},
    },
    registry::gateway,
};
use allready_core::{Status, condition::excerpt, found::FoundCondition};
use table::About;

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    for list in &subject.lists {
        for (index, condition) in list.entries() {
            early(subject, list, index, condition, findings);
        }
    }
    if !subject.is_gateway() {
        return;
    }
    for list in &subject.lists {
        let Some(about) = about(subject.kind, list) else { continue };
        presence(list, about, findings);
        for (index, condition) in list.entries() {
            if gateway::early(subject.group, &condition.type_).is_none() || is_withdrawn(&condition.type_) {
                words(list, index, condition, about, findings);
            }
        }
    }
    parents::look(subject, findings);
    if subject.kind == "Gateway" {
        listeners::look(subject, findings);
    }
}

/// The thing that a list of an object is about.
fn about(kind: &str, list: &List<'_>) -> Option<About> {
    let path = &list.place.path;
    match kind {
        "GatewayClass" if list.is_top => Some(About::Class),
        "Gateway" if list.is_top => Some(About::Gateway),
        "Gateway" if path.starts_with("status.listeners[") => Some(About::Listener),
        "ListenerSet" if list.is_top => Some(About::ListenerSet),
        "ListenerSet" if path.starts_with("status.listeners[") => Some(About::SetListener),
        _ if path.starts_with("status.parents[") => Some(About::RouteParent),
        _ if path.starts_with("status.ancestors[") => Some(About::Ancestor),
        _ => None,
    }
}

/// G01.
fn presence(list: &List<'_>, about: About, findings: &mut Findings) {
    let conditions = list.found.conditions();
    // As long as nobody has taken the object there is nothing to hold against anybody.
    if conditions.is_empty() || conditions.iter().all(is_default) {
        return;
    }
    let is_refused = list.found.find("Accepted").is_some_and(|accepted| accepted.status != Status::True);
    for type_ in about.required().iter().filter(|type_| list.found.find(type_).is_none()) {
        // Whether the references of something refused were looked at is another question.
        let severity =
            if *type_ == "ResolvedRefs" && is_refused { Severity::Warning } else { Severity::Error };
        findings.add("G01", severity, list.place.clone(), || format!("{type_} is missing"));
    }
    for (index, condition) in list.entries().filter(|(_, condition)| about.has_type(&condition.type_)) {
        let is_silent = condition.observed.is_none_or(allready_core::Generation::is_none);
        if is_silent && !is_default(condition) {
            findings.add("G01", Severity::Error, list.entry(index), || {
                format!("{} has no observedGeneration", excerpt(&condition.type_))
            });
        }
    }
}

/// Types that were in a version after the first ones, and are a matter of G02 there.
fn is_withdrawn(type_: &str) -> bool {
    matches!(type_, "Ready" | "Scheduled" | "Detached" | "Admitted")
}

/// G07.
fn early(
    subject: &Subject<'_>,
    list: &List<'_>,
    index: usize,
    condition: &FoundCondition<'_>,
    findings: &mut Findings,
) {
    let type_ = &*condition.type_;
    let Some(old) = gateway::early(subject.group, type_).filter(|_| !is_withdrawn(type_)) else { return };
    findings.add("G07", Severity::Warning, list.entry(index).key("type"), || match old.successors() {
        none if none.is_empty() => format!("{type_} is no longer in the Gateway API: {}", old.says),
        today => format!("{type_} is a name of an early version: use {today}"),
    });
}

/// G02 and G03.
fn words(
    list: &List<'_>,
    index: usize,
    condition: &FoundCondition<'_>,
    about: About,
    findings: &mut Findings,
) {
    let type_ = &*condition.type_;
    let place = || list.entry(index).key("type");
    match type_ {
        "Ready" if about != About::Ancestor => {
            findings
                .add("G02", Severity::Error, place(), || "Ready is reserved by the Gateway API".to_owned());
        }
        "Scheduled" | "Detached" | "Admitted" => {
            findings.add("G02", Severity::Warning, place(), || format!("{type_} was replaced by Accepted"));
        }
        _ if about.has_type(type_) => {
            let reason = &*condition.reason;
            // Words that the specification has not are no breach; empty ones are one of another rule.
            let is_own = !reason.is_empty() && about.lacks_reason(type_, condition.status, reason);
            if is_own {
                findings.add("G03", Severity::Info, list.entry(index).key("reason"), || {
                    format!(
                        "the Gateway API has no reason {:?} for {type_} {}",
                        excerpt(reason),
                        condition.status
                    )
                });
            }
        }
        _ if !type_.contains('/') && !type_.is_empty() => {
            findings.add("G03", Severity::Warning, place(), || {
                format!("the Gateway API has no type {:?} here: give it a domain", excerpt(type_))
            });
        }
        _ => {}
    }
}
