//! G04 and half of M02: entries for the parents of a route, and for the ancestors of a policy.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lint::{Place, Severity, finding::Findings, object::Subject};
use allready_core::{condition::excerpt, found};

/// A reference to a parent, with what is left out filled in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ParentRef {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) section: String,
    pub(super) port: Option<i64>,
}

impl ParentRef {
    pub(super) fn of(reference: &Value, namespace: &str) -> Self {
        let text = |key: &str, or: &str| reference[key].as_str().unwrap_or(or).to_owned();
        Self {
            group: text("group", "gateway.networking.k8s.io"),
            kind: text("kind", "Gateway"),
            namespace: text("namespace", namespace),
            name: text("name", ""),
            section: text("sectionName", ""),
            port: reference["port"].as_i64(),
        }
    }

    fn described(&self) -> String {
        let section =
            if self.section.is_empty() { String::new() } else { format!(" section {}", self.section) };
        let port = self.port.map(|port| format!(" port {port}")).unwrap_or_default();
        excerpt(&format!("{} {}/{}{section}{port}", self.kind, self.namespace, self.name))
    }
}

/// An entry for a parent or an ancestor.
struct Entry<'a> {
    place: Place,
    parent: ParentRef,
    controller: &'a str,
    /// Set if all that it says is about an older generation.
    is_old: bool,
}

fn entries<'a>(subject: &'a Subject<'_>, list: &str, field: &str) -> Vec<Entry<'a>> {
    let generation = subject.found.generation;
    let entries = subject.object["status"][list].as_array().into_iter().flatten().enumerate();
    let read = |(index, entry): (usize, &'a Value)| {
        let parent = ParentRef::of(&entry[field], &subject.found.namespace);
        let conditions = found::read(&entry["conditions"]);
        let about = |condition: &found::FoundCondition<'_>| condition.observed;
        let newest = conditions.conditions().iter().filter_map(about).max();
        Entry {
            place: Place::root().key("status").key(list).entry(index, &parent.name),
            parent,
            controller: entry["controllerName"].as_str().unwrap_or_default(),
            is_old: newest < generation,
        }
    };
    entries.map(read).collect()
}

/// The parents that a route names; none where it is no route.
fn named(subject: &Subject<'_>) -> Option<BTreeSet<ParentRef>> {
    let named = subject.object["spec"]["parentRefs"].as_array();
    let is_route = subject.kind.ends_with("Route") && subject.object.get("spec").is_some();
    let read = |reference: &Value| ParentRef::of(reference, &subject.found.namespace);
    is_route.then(|| named.into_iter().flatten().map(read).collect())
}

/// G04, as far as one object shows it.
pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    let parents = entries(subject, "parents", "parentRef");
    if let Some(named) = named(subject) {
        for entry in parents.iter().filter(|entry| !named.contains(&entry.parent) && !entry.is_old) {
            findings.add("G04", Severity::Error, entry.place.clone(), || {
                format!("spec.parentRefs does not name {}", entry.parent.described())
            });
        }
    }
    let ancestors = entries(subject, "ancestors", "ancestorRef");
    for entries in [parents, ancestors] {
        let mut seen = BTreeSet::new();
        for entry in &entries {
            if !seen.insert((&entry.parent, entry.controller)) {
                findings.add("G04", Severity::Error, entry.place.clone(), || {
                    format!(
                        "{} has a second entry of {:?}",
                        entry.parent.described(),
                        excerpt(entry.controller)
                    )
                });
            }
        }
    }
}

/// M02: entries for parents that were named once, and say nothing about the route as it is.
pub(in crate::lint) fn dropped(subject: &Subject<'_>, findings: &mut Findings) {
    if !subject.is_gateway() {
        return;
    }
    let Some(named) = named(subject) else { return };
    for entry in entries(subject, "parents", "parentRef") {
        if entry.is_old && !named.contains(&entry.parent) {
            findings.add("M02", Severity::Warning, entry.place.clone(), || {
                format!("the route does not name {} any more", entry.parent.described())
            });
        }
    }
}
