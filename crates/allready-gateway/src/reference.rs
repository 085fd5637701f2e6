//! References: permission first, and only then existence, so that a reference without permission does not tell whether there is something.

use allready_core::{
    Reason,
    findings::{Findings, Subject},
    reason,
};

use crate::{
    Kind, ObjectKey,
    object::{BackendRef, ObjectRef, Spec},
    store::{Link, View, service_key},
};

/// Tells whether an object of this kind in this namespace may name that object.
pub(crate) fn is_permitted(view: &View<'_>, from: Kind, namespace: &str, to: &ObjectKey) -> bool {
    if *to.namespace == *namespace {
        return true;
    }
    view.linked(&Link::GrantsIn(to.namespace.clone())).any(|grant| {
        let Spec::ReferenceGrant(grant) = &grant.spec else { return false };
        let is_from = grant
            .from
            .iter()
            .any(|one| one.group == from.group() && one.kind == from.as_str() && one.namespace == namespace);
        is_from
            && grant.to.iter().any(|one| {
                one.group == to.kind.group()
                    && one.kind == to.kind.as_str()
                    && one.name.as_deref().is_none_or(|name| name.is_empty() || name == &*to.name)
            })
    })
}

/// The reasons under which a broken reference to a certificate is told.
pub(crate) struct CertificateReasons {
    pub(crate) kind: Reason,
    pub(crate) object: Reason,
}

/// Checks a reference to a Secret with a certificate, or to a ConfigMap with those of authorities; adds what is wrong with it.
pub(crate) fn check_certificate(
    view: &View<'_>,
    (from, namespace): (Kind, &str),
    reference: &ObjectRef,
    (wanted, default_kind): (Kind, &str),
    reasons: &CertificateReasons,
    findings: &mut Findings,
) -> bool {
    let kind = reference.kind.as_deref().unwrap_or(default_kind);
    let subject_namespace = reference.namespace.as_deref().unwrap_or(namespace);
    let subject = Subject::namespaced(kind, subject_namespace, &reference.name);
    if Kind::of(&reference.group, kind) != Some(wanted) {
        let message = format!("{kind} of group {:?} is not supported here: name a {wanted}", reference.group);
        findings.error(subject, reasons.kind.clone(), message);
        return false;
    }
    let key = ObjectKey::new(wanted, subject_namespace, &reference.name);
    if !is_permitted(view, from, namespace, &key) {
        let message = format!("{key} needs a ReferenceGrant in {} for {from}s of {namespace}", key.namespace);
        findings.error(subject, reason!("RefNotPermitted"), message);
        return false;
    }
    let problem = match view.get(&key).map(|object| &object.spec) {
        None => Some(format!("{key} does not exist")),
        Some(Spec::Secret(secret)) => secret.problem.as_ref().map(|problem| format!("{key}: {problem}")),
        Some(Spec::ConfigMap(map)) => map.problem.as_ref().map(|problem| format!("{key}: {problem}")),
        Some(_) => Some(format!("{key} is of another kind")),
    };
    let is_good = problem.is_none();
    if let Some(problem) = problem {
        findings.error(subject, reasons.object.clone(), problem);
    }
    is_good
}

/// Checks a backend of a rule; adds what is wrong with it.
pub(crate) fn check_backend(
    view: &View<'_>,
    route: &ObjectKey,
    rule: usize,
    backend: &BackendRef,
    findings: &mut Findings,
) {
    let kind = backend.kind.as_deref().unwrap_or("Service");
    let subject = Subject::path(format!("spec.rules[{rule}].backendRefs"));
    let Some(key) = service_key(backend, &route.namespace) else {
        let message = format!("{kind} {} of group {:?} is no Service", backend.name, backend.group);
        return findings.error(subject, reason!("InvalidKind"), message);
    };
    if !is_permitted(view, route.kind, &route.namespace, &key) {
        let message = format!(
            "{key} needs a ReferenceGrant in {} for {}s of {}",
            key.namespace, route.kind, route.namespace
        );
        return findings.error(subject, reason!("RefNotPermitted"), message);
    }
    let Some(Spec::Service(service)) = view.get(&key).map(|object| &object.spec) else {
        return findings.error(subject, reason!("BackendNotFound"), format!("{key} does not exist"));
    };
    let Some(port) = backend.port else {
        return findings.error(subject, reason!("BackendNotFound"), format!("no port of {key} is named"));
    };
    let Some(found) = service.ports.iter().find(|found| found.port == port) else {
        return findings.error(subject, reason!("BackendNotFound"), format!("{key} has no port {port}"));
    };
    let is_of_http = matches!(route.kind, Kind::HTTPRoute | Kind::GRPCRoute);
    if let Some(protocol) = found.app_protocol.as_ref().filter(|_| is_of_http)
        && !view.support.app_protocols.contains(protocol)
    {
        let message = format!("port {port} of {key} speaks {protocol}, which is not supported");
        findings.error(subject, reason!("UnsupportedProtocol"), message);
    }
}
