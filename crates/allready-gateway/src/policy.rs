//! A BackendTLSPolicy, for each Gateway that reaches a Service through it.

use std::collections::BTreeSet;

use allready_core::{
    findings::{Findings, Subject},
    reason,
};

use crate::{
    Kind, Object, ObjectKey,
    engine::Outcome,
    object::{BackendTlsPolicySpec, Spec, TargetRef},
    reference::{CertificateReasons, check_certificate},
    store::{Link, View},
};

/// The most ancestors of a policy.
pub(crate) const MAX_ANCESTORS: usize = 16;

/// All that is found out about a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PolicyOutcome {
    pub(crate) ancestors: BTreeSet<ObjectKey>,
    pub(crate) accepted: Findings,
    pub(crate) resolved: Findings,
}

/// Judges a policy; `None` if it is not there.
pub(crate) fn judge(view: &View<'_>, key: &ObjectKey) -> Option<PolicyOutcome> {
    let object = view.get(key)?;
    let Spec::BackendTlsPolicy(policy) = &object.spec else { return None };
    let mut outcome =
        PolicyOutcome { ancestors: BTreeSet::new(), accepted: Findings::new(), resolved: Findings::new() };
    if let Some(malformed) = &object.malformed {
        outcome.accepted.error(Subject::Whole, reason!("Invalid"), malformed.clone());
    }
    for (index, target) in policy.target_refs.iter().enumerate() {
        check_target(view, object, index, target, &mut outcome);
    }
    check_authorities(view, key, policy, &mut outcome);
    Some(outcome)
}

fn check_target(
    view: &View<'_>,
    policy: &Object,
    index: usize,
    target: &TargetRef,
    outcome: &mut PolicyOutcome,
) {
    let subject = Subject::path(format!("spec.targetRefs[{index}]"));
    if !target.group.is_empty() || target.kind != "Service" {
        let message = format!("{} of group {:?} is no Service", target.kind, target.group);
        return outcome.accepted.error(subject, reason!("Invalid"), message);
    }
    let service = ObjectKey::new(Kind::Service, &policy.key.namespace, &target.name);
    for route in view.linked(&Link::RoutesTo(service.clone())) {
        if let Some(Outcome::Route(route)) = view.outcome(&route.key) {
            outcome.ancestors.extend(route.parents.iter().map(|parent| parent.gateway.clone()));
        }
    }
    let missing = match view.get(&service).map(|object| &object.spec) {
        Some(Spec::Service(found)) => {
            let has = |name: &String| found.ports.iter().any(|port| port.name.as_ref() == Some(name));
            let absent = target.section_name.as_ref().filter(|name| !has(name));
            absent.map(|name| format!("{service} has no port called {name}"))
        }
        _ => Some(format!("{service} does not exist")),
    };
    if let Some(message) = missing {
        outcome.accepted.error(subject.clone(), reason!("TargetNotFound"), message);
    }
    let precedence = |policy: &Object| (policy.created.is_none(), policy.created, policy.key.clone());
    let winner = view.linked(&Link::PoliciesOf(service)).find(|other| {
        let Spec::BackendTlsPolicy(spec) = &other.spec else { return false };
        spec.target_refs.iter().any(|other| other == target) && precedence(other) < precedence(policy)
    });
    if let Some(winner) = winner {
        let message = format!("{} has the same target, and goes before this one", winner.key);
        outcome.accepted.error(subject, reason!("Conflicted"), message);
    }
}

fn check_authorities(
    view: &View<'_>,
    key: &ObjectKey,
    policy: &BackendTlsPolicySpec,
    outcome: &mut PolicyOutcome,
) {
    let validation = &policy.validation;
    match validation.well_known_ca_certificates.as_deref() {
        Some("System") => return,
        Some(other) => {
            let message = format!("wellKnownCACertificates {other:?} is not supported");
            return outcome.accepted.error(Subject::path("spec.validation"), reason!("Invalid"), message);
        }
        None => {}
    }
    let reasons =
        CertificateReasons { kind: reason!("InvalidKind"), object: reason!("InvalidCACertificateRef") };
    let mut is_any_good = false;
    for reference in &validation.ca_certificate_refs {
        // Such a reference is within the namespace.
        let local = crate::object::ObjectRef { namespace: None, ..reference.clone() };
        let from = (key.kind, &*key.namespace);
        is_any_good |=
            check_certificate(view, from, &local, (Kind::ConfigMap, ""), &reasons, &mut outcome.resolved);
    }
    if !is_any_good {
        let message = "no certificate of an authority is valid";
        outcome.accepted.error(Subject::path("spec.validation"), reason!("NoValidCACertificate"), message);
    }
}
