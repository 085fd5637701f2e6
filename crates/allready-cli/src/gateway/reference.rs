//! The objects that an object names.

use allready_gateway::{
    GROUP, Kind, Object, ObjectKey,
    object::{Filter, Listener, ObjectRef, ParametersRef, ParentReference, Spec},
};

/// The role of an object that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Class,
    Parent,
    Backend,
    Certificate,
    Parameters,
    Target,
}

/// An object that another one names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) role: Role,
    /// The place in the object that names it, as a JSON pointer.
    pub(super) pointer: String,
    pub(super) group: String,
    pub(super) kind: String,
    /// Nothing where the kind has none.
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    /// The port of a backend or a parent.
    pub(super) port: Option<u16>,
    /// The name of a target's port, or of a parent's listener.
    pub(super) port_name: Option<String>,
}

impl Reference {
    /// Its identity, if it is of a kind that the engine reads.
    pub(super) fn key(&self) -> Option<ObjectKey> {
        let kind = Kind::of(&self.group, &self.kind)?;
        Some(ObjectKey::new(kind, self.namespace.as_deref().unwrap_or_default(), &self.name))
    }

    /// The form in which an implementation's own objects are told to the engine.
    pub(super) fn own(&self) -> ParametersRef {
        ParametersRef {
            group: self.group.clone(),
            kind: self.kind.clone(),
            name: self.name.clone(),
            namespace: self.namespace.clone(),
        }
    }

    /// Its group, kind and name.
    pub(super) fn other(&self) -> (String, String, String) {
        (self.group.clone(), self.kind.clone(), self.name.clone())
    }

    /// The words for it: `Service/shop/api`.
    pub(super) fn words(&self) -> String {
        let kind = if self.group.is_empty() || self.group == GROUP {
            self.kind.clone()
        } else {
            format!("{}.{}", self.kind, self.group)
        };
        match &self.namespace {
            Some(namespace) => format!("{kind}/{namespace}/{}", self.name),
            None => format!("{kind}/{}", self.name),
        }
    }
}

/// Everything that an object names.
pub(super) fn references(object: &Object) -> Vec<Reference> {
    let mut found = Collector { home: &object.key.namespace, found: Vec::new() };
    match &object.spec {
        Spec::GatewayClass(class) => {
            if let Some(parameters) = &class.parameters_ref {
                found.parameters("/spec/parametersRef", parameters, parameters.namespace.clone());
            }
        }
        Spec::Gateway(gateway) => {
            found.push(
                Role::Class,
                "/spec/gatewayClassName",
                (GROUP, "GatewayClass"),
                None,
                &gateway.gateway_class_name,
            );
            let parameters = gateway.infrastructure.as_ref().and_then(|of| of.parameters_ref.as_ref());
            if let Some(parameters) = parameters {
                let home = Some(found.home.to_owned());
                found.parameters("/spec/infrastructure/parametersRef", parameters, home);
            }
            if let Some(tls) = &gateway.tls {
                let client = tls.backend.as_ref().and_then(|backend| backend.client_certificate_ref.as_ref());
                if let Some(certificate) = client {
                    found.certificate("/spec/tls/backend/clientCertificateRef", certificate, "Secret");
                }
                if let Some(frontend) = &tls.frontend {
                    let of = |validation: &Option<allready_gateway::object::TlsValidation>| {
                        validation.as_ref().map(|of| of.ca_certificate_refs.clone()).unwrap_or_default()
                    };
                    found.certificates(
                        "/spec/tls/frontend/default/validation/caCertificateRefs",
                        &of(&frontend.default.validation),
                    );
                    for (index, port) in frontend.per_port.iter().enumerate() {
                        let refs = port.tls.as_ref().map(|tls| of(&tls.validation)).unwrap_or_default();
                        let at =
                            format!("/spec/tls/frontend/perPort/{index}/tls/validation/caCertificateRefs");
                        found.certificates(&at, &refs);
                    }
                }
            }
            found.listeners(&gateway.listeners);
        }
        Spec::ListenerSet(set) => {
            found.parent("/spec/parentRef", &set.parent_ref);
            found.listeners(&set.listeners);
        }
        Spec::Route(route) => {
            for (index, parent) in route.parent_refs.iter().enumerate() {
                found.parent(&format!("/spec/parentRefs/{index}"), parent);
            }
            for (index, rule) in route.rules.iter().enumerate() {
                let at = format!("/spec/rules/{index}");
                found.mirrors(&at, &rule.filters);
                for (index, backend) in rule.backend_refs.iter().enumerate() {
                    let at = format!("{at}/backendRefs/{index}");
                    found.backend(&at, backend);
                    found.mirrors(&at, &backend.filters);
                }
            }
        }
        Spec::BackendTlsPolicy(policy) => {
            for (index, target) in policy.target_refs.iter().enumerate() {
                let at = format!("/spec/targetRefs/{index}");
                let home = Some(found.home.to_owned());
                found.push(Role::Target, &at, (&target.group, &target.kind), home, &target.name);
                if let Some(last) = found.found.last_mut() {
                    last.port_name.clone_from(&target.section_name);
                }
            }
            let refs = &policy.validation.ca_certificate_refs;
            found.certificates("/spec/validation/caCertificateRefs", refs);
        }
        _ => {}
    }
    found.found
}

struct Collector<'a> {
    home: &'a str,
    found: Vec<Reference>,
}

impl Collector<'_> {
    fn push(
        &mut self,
        role: Role,
        pointer: &str,
        (group, kind): (&str, &str),
        namespace: Option<String>,
        name: &str,
    ) {
        self.found.push(Reference {
            role,
            pointer: pointer.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            namespace,
            name: name.to_owned(),
            port: None,
            port_name: None,
        });
    }

    fn parameters(&mut self, pointer: &str, of: &ParametersRef, namespace: Option<String>) {
        self.push(Role::Parameters, pointer, (&of.group, &of.kind), namespace, &of.name);
    }

    fn certificate(&mut self, pointer: &str, of: &ObjectRef, kind: &str) {
        let namespace = of.namespace.clone().unwrap_or_else(|| self.home.to_owned());
        let kind = of.kind.as_deref().unwrap_or(kind);
        self.push(Role::Certificate, pointer, (&of.group, kind), Some(namespace), &of.name);
    }

    fn certificates(&mut self, pointer: &str, refs: &[ObjectRef]) {
        for (index, of) in refs.iter().enumerate() {
            self.certificate(&format!("{pointer}/{index}"), of, "ConfigMap");
        }
    }

    fn listeners(&mut self, listeners: &[Listener]) {
        for (index, listener) in listeners.iter().enumerate() {
            let refs = listener.tls.as_ref().map(|tls| tls.certificate_refs.as_slice()).unwrap_or_default();
            for (number, of) in refs.iter().enumerate() {
                let at = format!("/spec/listeners/{index}/tls/certificateRefs/{number}");
                self.certificate(&at, of, "Secret");
            }
        }
    }

    fn parent(&mut self, pointer: &str, parent: &ParentReference) {
        let namespace = parent.namespace.clone().unwrap_or_else(|| self.home.to_owned());
        let group = parent.group.as_deref().unwrap_or(GROUP);
        let kind = parent.kind.as_deref().unwrap_or("Gateway");
        self.push(Role::Parent, pointer, (group, kind), Some(namespace), &parent.name);
        if let Some(last) = self.found.last_mut() {
            (last.port, last.port_name) = (parent.port, parent.section_name.clone());
        }
    }

    fn backend(&mut self, pointer: &str, backend: &allready_gateway::object::BackendRef) {
        let namespace = backend.namespace.clone().unwrap_or_else(|| self.home.to_owned());
        let kind = backend.kind.as_deref().unwrap_or("Service");
        self.push(Role::Backend, pointer, (&backend.group, kind), Some(namespace), &backend.name);
        if let Some(last) = self.found.last_mut() {
            last.port = backend.port;
        }
    }

    fn mirrors(&mut self, pointer: &str, filters: &[Filter]) {
        for (index, filter) in filters.iter().enumerate() {
            if let Some(mirror) = &filter.request_mirror {
                let at = format!("{pointer}/filters/{index}/requestMirror/backendRef");
                self.backend(&at, &mirror.backend_ref);
            }
        }
    }
}
