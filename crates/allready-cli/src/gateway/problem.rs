//! The problems that statuses tell of, each with its place in a manifest.

use std::collections::{BTreeMap, BTreeSet};

use allready_core::{
    Condition, Status,
    findings::{self, Subject},
};
use allready_gateway::{Kind, ListenerStatus, ObjectKey, ObjectStatus, object::Spec};
use allready_inspect::lint::Severity;

use super::{
    reference::{Reference, Role, references},
    world::{Answer, Given, Options, World},
};

/// The part of an object that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Whole,
    Listener(String),
    /// A parent, by its number.
    Parent(usize),
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Problem {
    pub(super) key: ObjectKey,
    pub(super) part: Part,
    pub(super) severity: Severity,
    pub(super) reason: String,
    pub(super) message: String,
    /// The place in the object, as a JSON pointer.
    pub(super) pointer: String,
    /// The kind of the object that is not there, if that is the problem.
    pub(super) missing: Option<String>,
}

/// Problems by their objects, each once.
#[derive(Debug, Default)]
pub(super) struct Problems(BTreeMap<ObjectKey, BTreeSet<Problem>>);

impl Problems {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.values().flatten()
    }

    /// The problems of an object.
    pub(super) fn of(&self, key: &ObjectKey) -> impl Iterator<Item = &Problem> + use<'_> {
        self.0.get(key).into_iter().flatten()
    }

    /// Returns true if an object has problems.
    pub(super) fn has(&self, key: &ObjectKey) -> bool {
        self.of(key).next().is_some()
    }

    pub(super) fn append(&mut self, others: Self) {
        others.0.into_values().for_each(|of| self.extend(of));
    }

    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&Problem) -> bool) {
        for of in self.0.values_mut() {
            of.retain(&mut is_kept);
        }
    }
}

impl Extend<Problem> for Problems {
    fn extend<T: IntoIterator<Item = Problem>>(&mut self, problems: T) {
        for problem in problems {
            self.0.entry(problem.key.clone()).or_default().insert(problem);
        }
    }
}

/// Every problem of a world.
pub(super) fn problems(world: &World, answer: &Answer, options: &Options) -> Problems {
    let mut found = Problems::default();
    for (key, given) in &world.given {
        let mut of = Of { world, options, given, refs: references(given), found: BTreeSet::new() };
        of.dangling();
        match answer.statuses.get(key) {
            Some(status) => of.status(status),
            None => of.malformed(),
        }
        // The certificates say why none is valid.
        let is_cause = |one: &Problem| {
            let is_about = one.pointer.contains("caCertificateRefs") || one.reason.contains("CACertificate");
            one.reason != NO_CA && (is_about || one.reason == "InvalidKind")
        };
        if of.found.iter().any(is_cause) {
            of.found.retain(|one| one.reason != NO_CA);
        }
        found.extend(of.found);
    }
    found
}

const NO_CA: &str = "NoValidCACertificate";

struct Of<'a> {
    world: &'a World,
    options: &'a Options,
    given: &'a Given,
    refs: Vec<Reference>,
    found: BTreeSet<Problem>,
}

impl Of<'_> {
    fn problem(&self, part: Part, pointer: &str, reason: &str, message: &str) -> Problem {
        let is_missing = |one: &&Reference| {
            one.pointer == pointer
                && !one.name.is_empty()
                && reason != "RefNotPermitted"
                && !self.world.has(one)
        };
        Problem {
            key: self.given.object.key.clone(),
            part,
            severity: if reason.starts_with("Overlapping") { Severity::Warning } else { Severity::Error },
            reason: reason.to_owned(),
            message: message.to_owned(),
            pointer: pointer.to_owned(),
            missing: self.refs.iter().find(is_missing).map(|one| one.kind.clone()),
        }
    }

    fn add(&mut self, part: Part, pointer: &str, reason: &str, message: &str) {
        self.found.insert(self.problem(part, pointer, reason, message));
    }

    /// References to a class or to parents that nobody has given.
    fn dangling(&mut self) {
        for reference in self.refs.clone() {
            let key = reference.key();
            let is_set = self.given.object.key.kind == Kind::ListenerSet && reference.role == Role::Parent;
            if is_set && key.as_ref().is_none_or(|key| key.kind != Kind::Gateway) {
                let message = format!("{} is no Gateway: ListenerSets attach to Gateways", reference.words());
                self.add(Part::Whole, &reference.pointer, "Invalid", &message);
                continue;
            }
            let Some(key) = key else { continue };
            let number = || reference.pointer.rsplit('/').next().and_then(|last| last.parse().ok());
            let part = || number().map_or(Part::Whole, Part::Parent);
            if self.world.given.contains_key(&key) {
                let is_set = reference.role == Role::Parent && key.kind == Kind::ListenerSet;
                if is_set && !self.world.has_gateway(&key) {
                    let message = format!("{key} names no Gateway: nobody writes a status");
                    self.add(part(), &reference.pointer, "ParentNotAccepted", &message);
                }
                continue;
            }
            match reference.role {
                Role::Class if reference.name.is_empty() => {
                    let message = "no class is named: set spec.gatewayClassName";
                    self.add(Part::Whole, &reference.pointer, "Invalid", message);
                }
                Role::Class
                    if self.options.from_cluster && !self.options.assume.contains(&reference.kind) =>
                {
                    let message = format!("{key} does not exist");
                    self.add(Part::Whole, &reference.pointer, "NoSuchGatewayClass", &message);
                }
                Role::Parent if !self.options.assume.contains(&reference.kind) => {
                    let message = format!("{key} does not exist");
                    let problem = self.problem(part(), &reference.pointer, "ParentNotFound", &message);
                    self.found.insert(Problem { missing: Some(reference.kind), ..problem });
                }
                _ => {}
            }
        }
    }

    /// Malformed objects whose status nobody writes.
    fn malformed(&mut self) {
        let key = &self.given.object.key;
        let is_judged = key.kind.is_route()
            || matches!(key.kind, Kind::Gateway | Kind::ListenerSet | Kind::Service | Kind::ReferenceGrant);
        if let Some(malformed) = self.given.object.malformed.clone().filter(|_| is_judged) {
            self.add(Part::Whole, "/spec", "Invalid", &malformed);
        }
    }

    fn status(&mut self, status: &ObjectStatus) {
        match status {
            ObjectStatus::GatewayClass(status) => {
                bad(&status.conditions).for_each(|one| self.condition(Part::Whole, one, "/spec"));
            }
            ObjectStatus::Gateway(status) => {
                self.owner(&status.conditions);
                self.listeners(&status.listeners);
            }
            ObjectStatus::ListenerSet(status) => {
                self.owner(&status.conditions);
                self.listeners(&status.listeners);
            }
            ObjectStatus::Route(status) => {
                let Spec::Route(route) = &self.given.object.spec else { return };
                for entry in &status.parents {
                    let place = route.parent_refs.iter().position(|one| *one == entry.parent_ref);
                    let number = place.unwrap_or_default();
                    let parent = format!("/spec/parentRefs/{number}");
                    let parent_ref = self.refs.iter().find(|one| one.pointer == parent);
                    // What an assumed Gateway lets in says nothing.
                    let is_given = parent_ref
                        .filter(|_| place.is_some())
                        .and_then(Reference::key)
                        .is_some_and(|key| self.world.given.contains_key(&key));
                    for one in bad(&entry.conditions) {
                        match one.type_ == *"Accepted" {
                            true if is_given => self.condition(Part::Parent(number), one, &parent),
                            true => {}
                            false => self.condition(Part::Whole, one, &parent),
                        }
                    }
                }
            }
            ObjectStatus::Policy(status) => {
                let conditions = status.ancestors.iter().flat_map(|entry| bad(&entry.conditions));
                conditions.for_each(|one| self.condition(Part::Whole, one, "/spec/validation"));
            }
        }
    }

    /// Conditions of a Gateway or a ListenerSet; what comes from its listeners is told with them.
    fn owner(&mut self, conditions: &[Condition]) {
        const DERIVED: [&str; 5] = [
            "ListenersNotValid",
            "ParentNotAccepted",
            "ParentNotProgrammed",
            "Pending",
            "ListenersNotResolved",
        ];
        let before = self.found.len();
        for one in bad(conditions) {
            let is_same = |other: &Condition| {
                other.type_ == *"Accepted" && other.status != Status::True && other.message == one.message
            };
            let is_told = one.type_ == *"Programmed"
                && (self.found.len() > before
                    || findings::parse(one.message.as_str()).is_ok()
                    || conditions.iter().any(is_same));
            if !is_told && !DERIVED.contains(&one.reason.as_str()) {
                self.condition(Part::Whole, one, "/spec/listeners");
            }
        }
    }

    fn listeners(&mut self, listeners: &[ListenerStatus]) {
        let named = match &self.given.object.spec {
            Spec::Gateway(gateway) => &gateway.listeners,
            Spec::ListenerSet(set) => &set.listeners,
            _ => return,
        };
        for status in listeners {
            let index = named.iter().position(|one| one.name == status.name).unwrap_or_default();
            for one in bad(&status.conditions) {
                // Conflicts are told by Accepted, and Programmed follows from the others.
                if one.type_ != *"Conflicted" && one.type_ != *"Programmed" {
                    let part = Part::Listener(status.name.clone());
                    self.condition(part, one, &format!("/spec/listeners/{index}"));
                }
            }
        }
    }

    /// Adds the problems of a condition that is about this place: one, or those that are folded into it.
    fn condition(&mut self, part: Part, one: &Condition, at: &str) {
        let message = one.message.as_str();
        let whole = self.place(at, &Subject::Whole, one.reason.as_str());
        let folded = findings::parse(message.strip_prefix("Dropped Rule: ").unwrap_or(message));
        let Ok(parsed) = folded else {
            return self.add(part, &whole, one.reason.as_str(), message);
        };
        for finding in parsed.findings.errors() {
            let pointer = self.place(at, &finding.subject, finding.reason.as_str());
            self.add(part.clone(), &pointer, finding.reason.as_str(), finding.message.as_str());
        }
        if parsed.omitted.errors > 0 {
            let more = format!("{} more errors like these", parsed.omitted.errors);
            self.add(part, &whole, one.reason.as_str(), &more);
        }
    }

    /// The pointer of the field that a reason is about, within or beside a place.
    fn place(&self, at: &str, subject: &Subject, reason: &str) -> String {
        match subject {
            Subject::Path(path) => return pointer(path),
            Subject::Object { kind, namespace, name } => {
                let is_near = |pointer: &str| {
                    pointer.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'))
                        || pointer.starts_with("/spec/tls/")
                };
                let is_it = |one: &&Reference| {
                    (&one.kind, &one.namespace, &one.name) == (kind, namespace, name) && is_near(&one.pointer)
                };
                if let Some(found) = self.refs.iter().find(is_it) {
                    return found.pointer.clone();
                }
            }
            _ => {}
        }
        let field = match (at, reason) {
            ("/spec", "InvalidParameters") => "/spec/parametersRef",
            ("/spec/listeners", "InvalidParameters") => "/spec/infrastructure/parametersRef",
            ("/spec/listeners", "UnsupportedAddress" | "AddressNotAssigned" | "AddressNotUsable") => {
                "/spec/addresses"
            }
            ("/spec/listeners", "NotAllowed") => "/spec/parentRef",
            ("/spec/listeners", "InvalidClientCertificateRef" | "RefNotPermitted") => {
                "/spec/tls/backend/clientCertificateRef"
            }
            (_, "NoMatchingListenerHostname") => "/spec/hostnames",
            (_, "UnsupportedValue") if at.starts_with("/spec/parentRefs/") => "/spec",
            _ if !at.starts_with("/spec/listeners/") => at,
            (_, "UnsupportedProtocol") => &format!("{at}/protocol"),
            (_, "PortUnavailable" | "ProtocolConflict") => &format!("{at}/port"),
            (_, "HostnameConflict" | "OverlappingHostnames") => &format!("{at}/hostname"),
            (_, "InvalidRouteKinds") => &format!("{at}/allowedRoutes/kinds"),
            (_, "InvalidCertificateRef") => &format!("{at}/tls"),
            _ => at,
        };
        field.to_owned()
    }
}

/// The conditions that say that something is wrong.
fn bad(conditions: &[Condition]) -> impl Iterator<Item = &Condition> {
    conditions.iter().filter(|one| match one.type_.as_str() {
        "Conflicted" | "OverlappingTLSConfig" | "PartiallyInvalid" => one.status == Status::True,
        "InsecureFrontendValidationMode" => false,
        _ => one.status == Status::False,
    })
}

/// A path such as `spec.rules[0].backendRefs[1]` as a JSON pointer.
pub(super) fn pointer(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    format!("/{}", path.replace(['.', '['], "/").replace(']', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_pointer() {
        assert_eq!(pointer("spec.rules[0].backendRefs[1]"), "/spec/rules/0/backendRefs/1");
    }
}
