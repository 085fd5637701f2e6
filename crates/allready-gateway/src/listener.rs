//! One listener, by itself: protocol, TLS, certificates, kinds of routes.

use allready_core::{
    Reason,
    findings::{Findings, Subject},
    reason,
};

use crate::{
    Kind, ObjectKey, RouteGroupKind,
    object::{Listener, ListenerTls, NamespacesFrom, TlsValidation},
    reference::{CertificateReasons, check_certificate},
    store::View,
};

/// The part of a listener that decides which routes attach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attach {
    pub(crate) name: String,
    pub(crate) port: u16,
    pub(crate) hostname: Option<String>,
    pub(crate) kinds: Vec<RouteGroupKind>,
    pub(crate) namespaces: NamespacesFrom,
}

/// All that is found out about a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListenerState {
    pub(crate) attach: Attach,
    pub(crate) protocol: Protocol,
    pub(crate) accepted: Findings,
    pub(crate) resolved: Findings,
    pub(crate) conflict: Option<(Reason, String)>,
    pub(crate) overlaps: Option<String>,
}

/// The protocol of a listener, as far as it matters to others on its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Https,
    Tls {
        terminates: bool,
    },
    Tcp,
    Udp,
    /// None that the implementation supports.
    Other,
}

impl Protocol {
    pub(crate) fn terminates(self) -> bool {
        matches!(self, Self::Https | Self::Tls { terminates: true })
    }
}

impl ListenerState {
    pub(crate) fn is_accepted(&self) -> bool {
        self.accepted.errors().next().is_none()
    }

    pub(crate) fn is_good(&self) -> bool {
        self.is_accepted() && self.resolved.errors().next().is_none()
    }

    /// Tells whether the listener could be served if every reference were resolved. The conformance suite wants no supported kinds where
    /// it could not.
    pub(crate) fn is_supported(&self) -> bool {
        self.accepted.errors().all(|found| found.reason == *"NoValidCACertificate")
    }

    fn subject(&self) -> Subject {
        Subject::listener(&self.attach.name)
    }

    pub(crate) fn refuse(&mut self, reason: Reason, message: String) {
        self.accepted.error(self.subject(), reason, message);
    }
}

/// Judges a listener of this Gateway or ListenerSet; the validation of client certificates is that of its port.
pub(crate) fn judge(
    view: &View<'_>,
    owner: &ObjectKey,
    gateway: &ObjectKey,
    listener: &Listener,
    validation: Option<&TlsValidation>,
) -> ListenerState {
    let mode = listener.tls.as_ref().and_then(|tls| tls.mode.as_deref()).unwrap_or("Terminate");
    let is_supported = view.support.protocols.contains(&listener.protocol);
    let protocol = match listener.protocol.as_str() {
        _ if !is_supported => Protocol::Other,
        "HTTP" => Protocol::Http,
        "HTTPS" => Protocol::Https,
        "TLS" => Protocol::Tls { terminates: mode == "Terminate" },
        "TCP" => Protocol::Tcp,
        "UDP" => Protocol::Udp,
        _ => Protocol::Other,
    };
    let mut state = ListenerState {
        attach: Attach {
            name: listener.name.clone(),
            port: listener.port,
            hostname: listener.hostname.clone(),
            kinds: view.support.kinds_of(&listener.protocol),
            namespaces: listener.allowed_routes.namespaces.clone(),
        },
        protocol,
        accepted: Findings::new(),
        resolved: Findings::new(),
        conflict: None,
        overlaps: None,
    };
    if protocol == Protocol::Other {
        state.refuse(
            reason!("UnsupportedProtocol"),
            format!("protocol {:?} is not supported", listener.protocol),
        );
    }
    if listener.port == 0 || view.support.unavailable_ports.contains(&listener.port) {
        state.refuse(reason!("PortUnavailable"), format!("port {} is not available", listener.port));
    }
    check_kinds(listener, &mut state);
    check_tls(view, owner, listener, mode, &mut state);
    if let Some(validation) = validation.filter(|_| protocol.terminates()) {
        check_clients(view, gateway, validation, &mut state);
    }
    state
}

/// Keeps the kinds that the listener allows *and* supports; others are an error, and change nothing about those.
fn check_kinds(listener: &Listener, state: &mut ListenerState) {
    let allowed = &listener.allowed_routes.kinds;
    if allowed.is_empty() {
        return;
    }
    let supported = std::mem::take(&mut state.attach.kinds);
    for kind in allowed {
        if !supported.contains(kind) {
            let message = format!(
                "{} of group {:?} cannot attach to a listener of protocol {}",
                kind.kind, kind.group, listener.protocol
            );
            state.resolved.error(state.subject(), reason!("InvalidRouteKinds"), message);
        } else if !state.attach.kinds.contains(kind) {
            state.attach.kinds.push(kind.clone());
        }
    }
}

fn check_tls(view: &View<'_>, owner: &ObjectKey, listener: &Listener, mode: &str, state: &mut ListenerState) {
    let support = view.support;
    match (state.protocol, mode) {
        (Protocol::Https, "Terminate") => {}
        (Protocol::Tls { .. }, "Terminate") if support.tls_terminate => {}
        (Protocol::Tls { .. }, "Passthrough") => return,
        (Protocol::Https | Protocol::Tls { .. }, _) => {
            let message = format!("TLS mode {mode} is not supported for protocol {}", listener.protocol);
            return state.refuse(reason!("UnsupportedValue"), message);
        }
        _ => return,
    }
    let empty = ListenerTls::default();
    let tls = listener.tls.as_ref().unwrap_or(&empty);
    if tls.certificate_refs.is_empty() && tls.options.is_empty() {
        let message = "TLS is terminated, but tls.certificateRefs names no certificate";
        return state.resolved.error(state.subject(), reason!("InvalidCertificateRef"), message);
    }
    let reasons = CertificateReasons {
        kind: reason!("InvalidCertificateRef"),
        object: reason!("InvalidCertificateRef"),
    };
    for reference in &tls.certificate_refs {
        let from = (owner.kind, &*owner.namespace);
        check_certificate(view, from, reference, (Kind::Secret, "Secret"), &reasons, &mut state.resolved);
    }
}

/// Checks the certificates of authorities for clients; if none is left, no client could be let in.
fn check_clients(
    view: &View<'_>,
    gateway: &ObjectKey,
    validation: &TlsValidation,
    state: &mut ListenerState,
) {
    let reasons = CertificateReasons {
        kind: reason!("InvalidCACertificateKind"),
        object: reason!("InvalidCACertificateRef"),
    };
    let mut is_any_good = false;
    for reference in &validation.ca_certificate_refs {
        let from = (gateway.kind, &*gateway.namespace);
        // Every reference is checked, not only those up to the first good one.
        is_any_good |=
            check_certificate(view, from, reference, (Kind::ConfigMap, ""), &reasons, &mut state.resolved);
    }
    if !is_any_good {
        state.refuse(
            reason!("NoValidCACertificate"),
            "no certificate of an authority for clients is valid".to_owned(),
        );
    }
}
