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

/// Tells whether an object of this kind in this namespace may name that object, whatever its kind.
fn is_permitted(view: &View<'_>, (from, namespace): (Kind, &str), to: &Named<'_>) -> bool {
    if to.namespace == namespace {
        return true;
    }
    view.linked(&Link::GrantsIn(to.namespace.into())).any(|grant| {
        let Spec::ReferenceGrant(grant) = &grant.spec else { return false };
        let is_from = grant
            .from
            .iter()
            .any(|one| one.group == from.group() && one.kind == from.as_str() && one.namespace == namespace);
        is_from
            && grant.to.iter().any(|one| {
                one.group == to.group
                    && one.kind == to.kind
                    && one.name.as_deref().is_none_or(|name| name.is_empty() || name == to.name)
            })
    })
}

/// An object that is named, of any kind.
struct Named<'a> {
    group: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
}

impl<'a> From<&'a ObjectKey> for Named<'a> {
    fn from(key: &'a ObjectKey) -> Self {
        Self { group: key.kind.group(), kind: key.kind.as_str(), namespace: &key.namespace, name: &key.name }
    }
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
    if !is_permitted(view, (from, namespace), &Named::from(&key)) {
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

/// The problem with a backend of a route.
pub(crate) fn backend_problem(
    view: &View<'_>,
    route: &ObjectKey,
    backend: &BackendRef,
) -> Option<(Reason, String)> {
    let kind = backend.kind.as_deref().unwrap_or("Service");
    let namespace = backend.namespace.as_deref().unwrap_or(&route.namespace);
    let service = service_key(backend, &route.namespace);
    let mut known = view.support.backends.iter().filter(|own| own.group == backend.group && own.kind == kind);
    if service.is_none() && known.clone().next().is_none() {
        let message = format!("{kind} {} of group {:?} is no Service", backend.name, backend.group);
        return Some((reason!("InvalidKind"), message));
    }
    let named = Named { group: &backend.group, kind, namespace, name: &backend.name };
    if !is_permitted(view, (route.kind, &route.namespace), &named) {
        let message = format!(
            "{kind}/{namespace}/{} needs a ReferenceGrant in {namespace} for {}s of {}",
            backend.name, route.kind, route.namespace
        );
        return Some((reason!("RefNotPermitted"), message));
    }
    let not_found = |message: String| Some((reason!("BackendNotFound"), message));
    let Some(key) = service else {
        let is_known =
            known.any(|own| own.name == backend.name && own.namespace.as_deref() == Some(namespace));
        return if is_known {
            None
        } else {
            not_found(format!("{kind}/{namespace}/{} does not exist", backend.name))
        };
    };
    let Some(Spec::Service(service)) = view.get(&key).map(|object| &object.spec) else {
        return not_found(format!("{key} does not exist"));
    };
    let Some(port) = backend.port else {
        return not_found(format!("no port of {key} is named"));
    };
    let Some(found) = service.ports.iter().find(|found| found.port == port) else {
        return not_found(format!("{key} has no port {port}"));
    };
    let is_of_http = matches!(route.kind, Kind::HTTPRoute | Kind::GRPCRoute);
    let protocol = found.app_protocol.as_ref().filter(|_| is_of_http)?;
    (!view.support.app_protocols.iter().any(|known| known.eq_ignore_ascii_case(protocol))).then(|| {
        let message = format!("port {port} of {key} speaks {protocol}, which is not supported");
        (reason!("UnsupportedProtocol"), message)
    })
}
