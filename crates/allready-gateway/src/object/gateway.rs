//! GatewayClass, Gateway and ListenerSet.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ObjectRef, ParentReference};
use crate::selector::Selector;

/// The most listeners that a Gateway or a ListenerSet has, and a Gateway with all of its ListenerSets.
pub(crate) const MAX_LISTENERS: usize = 64;

/// The spec of a GatewayClass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GatewayClassSpec {
    /// The controller that owns the class.
    pub controller_name: String,
    /// The parameters of the class.
    pub parameters_ref: Option<ParametersRef>,
}

/// A reference to the parameters of a class or of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of an object reference")]
pub struct ParametersRef {
    pub group: String,
    pub kind: String,
    pub name: String,
    pub namespace: Option<String>,
}

/// The spec of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GatewaySpec {
    /// The name of its GatewayClass.
    pub gateway_class_name: String,
    /// The listeners of its own.
    pub listeners: Vec<Listener>,
    /// The addresses that are asked for.
    pub addresses: Vec<Address>,
    /// Its infrastructure, which names its parameters.
    pub infrastructure: Option<Infrastructure>,
    /// The ListenerSets that may attach.
    pub allowed_listeners: Option<AllowedListeners>,
    /// TLS for clients and for backends.
    pub tls: Option<GatewayTls>,
}

/// `spec.infrastructure` of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Infrastructure {
    /// The parameters of the Gateway.
    pub parameters_ref: Option<ParametersRef>,
}

/// An address of a Gateway, in its spec or in its status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Address {
    /// Its type, such as `IPAddress` or `Hostname`.
    #[serde(rename = "type", default = "ip_address")]
    pub type_: String,
    /// Its value; empty where any address of the type will do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

fn ip_address() -> String {
    "IPAddress".to_owned()
}

/// The ListenerSets that may attach to a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AllowedListeners {
    /// The namespaces that they may be in; none if it is left out.
    pub namespaces: Option<NamespacesFrom>,
}

/// Namespaces by a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NamespacesFrom {
    /// `All`, `Same`, `Selector` or `None`.
    pub from: Option<String>,
    /// Their labels, for `Selector`.
    pub selector: Option<Selector>,
}

/// `spec.tls` of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GatewayTls {
    /// TLS towards backends.
    pub backend: Option<BackendTls>,
    /// TLS towards clients.
    pub frontend: Option<FrontendTls>,
}

/// TLS of a Gateway towards backends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct BackendTls {
    /// The certificate by which the Gateway proves to backends who it is.
    pub client_certificate_ref: Option<ObjectRef>,
}

/// TLS of a Gateway towards clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FrontendTls {
    /// For ports without an entry of their own.
    pub default: PortTls,
    /// By port.
    pub per_port: Vec<PortTls>,
}

/// TLS towards clients, of one port or of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PortTls {
    /// The port.
    pub port: u16,
    /// The validation of clients' certificates, in the default.
    pub validation: Option<TlsValidation>,
    /// The same, in an entry for a port.
    pub tls: Option<Box<PortTls>>,
}

impl FrontendTls {
    /// The validation of client certificates on a port.
    pub fn validation(&self, port: u16) -> Option<&TlsValidation> {
        match self.per_port.iter().find(|entry| entry.port == port) {
            Some(entry) => entry.tls.as_ref().and_then(|tls| tls.validation.as_ref()),
            None => self.default.validation.as_ref(),
        }
    }
}

/// The validation of clients' certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TlsValidation {
    /// The certificates of authorities.
    pub ca_certificate_refs: Vec<ObjectRef>,
    /// `AllowValidOnly` or `AllowInsecureFallback`.
    pub mode: Option<String>,
}

/// A listener of a Gateway or a ListenerSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Listener {
    /// Its name, also known as section name.
    pub name: String,
    /// The hostname that it serves; any if there is none.
    pub hostname: Option<String>,
    /// Its port.
    pub port: u16,
    /// Its protocol.
    pub protocol: String,
    /// TLS, for protocols that have it.
    pub tls: Option<ListenerTls>,
    /// The routes that may attach.
    pub allowed_routes: AllowedRoutes,
}

/// TLS of a listener.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ListenerTls {
    /// `Terminate`, which is the default, or `Passthrough`.
    pub mode: Option<String>,
    /// The certificates.
    pub certificate_refs: Vec<ObjectRef>,
    /// Options of implementations.
    pub options: std::collections::BTreeMap<String, String>,
}

/// The routes that may attach to a listener.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AllowedRoutes {
    /// The namespaces that they may be in; that of the listener if it is left out.
    pub namespaces: NamespacesFrom,
    /// Their kinds; those of the protocol if there is none.
    pub kinds: Vec<crate::RouteGroupKind>,
}

/// The spec of a ListenerSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ListenerSetSpec {
    /// The Gateway that it adds listeners to.
    pub parent_ref: ParentReference,
    /// The listeners.
    pub listeners: Vec<Listener>,
}

/// The reason why listeners cannot be told apart, or are too many.
pub(super) fn check_listeners(listeners: &[Listener]) -> Option<String> {
    if listeners.len() > MAX_LISTENERS {
        return Some(format!("{} listeners, of which {MAX_LISTENERS} are allowed", listeners.len()));
    }
    let mut names = BTreeSet::new();
    let twice = listeners.iter().find(|listener| !names.insert(listener.name.as_str()))?;
    Some(format!("two listeners are called {:?}: give each a name of its own", twice.name))
}
