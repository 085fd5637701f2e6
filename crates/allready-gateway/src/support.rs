//! The abilities of an implementation.

use std::collections::BTreeSet;

use crate::{
    object::{Address, Kind, Object, ParametersRef, Spec},
    status::RouteGroupKind,
};

/// The abilities of an implementation: the parameter of every rule that the Gateway API leaves to it.
///
/// ```
/// use allready_gateway::{Kind, Support};
///
/// let support = Support { route_kinds: vec![Kind::HTTPRoute], ..Support::new("example.com/gateway") };
/// assert!(support.kinds_of("TLS").is_empty(), "no kind of route is left for it");
/// assert!(Support::new("example.com/gateway").kinds_of("SCTP").is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Support {
    /// The name of the controller, as in `spec.controllerName` of its GatewayClasses.
    pub controller_name: String,
    /// The names of the classes that it answers; `None` where it answers every class with its `controllerName`.
    pub classes: Option<BTreeSet<String>>,
    /// Protocols of listeners.
    pub protocols: Vec<String>,
    /// Kinds of routes.
    pub route_kinds: Vec<Kind>,
    /// Types of filters.
    pub filters: Vec<String>,
    /// Values of `appProtocol` of a Service's port.
    pub app_protocols: Vec<String>,
    /// Checks a regular expression of a match, in the dialect of the implementation; an error says what is wrong with it, and the rule is
    /// dropped. Everything is good until this is set: with the feature `http`, to `http::check_regex`.
    pub check_regex: fn(&str) -> Result<(), String>,
    /// Set if a TLS listener may terminate TLS.
    pub tls_terminate: bool,
    /// Set if TLS listeners of one port may differ in whether they terminate TLS.
    pub tls_mixed: bool,
    /// Set if ListenerSets are supported.
    pub listener_sets: bool,
    /// Types of addresses.
    pub address_types: Vec<String>,
    /// The addresses that a Gateway may ask for; `None` where any will do.
    pub usable_addresses: Option<Vec<Address>>,
    /// The address of a Gateway that asks for none.
    pub default_address: Option<Address>,
    /// Ports that listeners cannot have.
    pub unavailable_ports: Vec<u16>,
    /// Group and kind of parameters that exist, as the implementation knows them.
    pub parameters: Vec<ParametersRef>,
    /// Backends that exist, of kinds beside Service that the implementation knows; with their namespaces.
    pub backends: Vec<ParametersRef>,
    /// The features that are told in the status of a class, such as `HTTPRoute` or `GatewayPort8080`.
    pub features: BTreeSet<String>,
    /// The version of the CRDs in the cluster, from their annotation `gateway.networking.k8s.io/bundle-version`.
    pub bundle_version: Option<String>,
}

impl Support {
    /// Everything that this crate knows of, with the address 127.0.0.1 for Gateways that ask for none.
    pub fn new(controller_name: impl Into<String>) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Self {
            controller_name: controller_name.into(),
            classes: None,
            protocols: owned(&["HTTP", "HTTPS", "TLS", "TCP", "UDP"]),
            route_kinds: Kind::ALL.into_iter().filter(|kind| kind.is_route()).collect(),
            filters: owned(&[
                "RequestHeaderModifier",
                "ResponseHeaderModifier",
                "RequestMirror",
                "RequestRedirect",
                "URLRewrite",
                "CORS",
            ]),
            app_protocols: owned(&[
                "http",
                "https",
                "kubernetes.io/h2c",
                "kubernetes.io/ws",
                "kubernetes.io/wss",
                "grpc",
                "http2",
            ]),
            check_regex: |_| Ok(()),
            tls_terminate: true,
            tls_mixed: true,
            listener_sets: true,
            address_types: owned(&["IPAddress", "Hostname"]),
            usable_addresses: None,
            default_address: Some(Address { type_: "IPAddress".to_owned(), value: "127.0.0.1".to_owned() }),
            unavailable_ports: Vec::new(),
            parameters: Vec::new(),
            backends: Vec::new(),
            features: BTreeSet::new(),
            bundle_version: None,
        }
    }

    /// The kinds of routes that a listener of this protocol supports.
    pub fn kinds_of(&self, protocol: &str) -> Vec<RouteGroupKind> {
        let kinds: &[Kind] = match protocol {
            _ if !self.protocols.iter().any(|supported| supported == protocol) => &[],
            "HTTP" | "HTTPS" => &[Kind::HTTPRoute, Kind::GRPCRoute],
            "TLS" => &[Kind::TLSRoute],
            "TCP" => &[Kind::TCPRoute],
            "UDP" => &[Kind::UDPRoute],
            _ => &[],
        };
        kinds.iter().filter(|kind| self.route_kinds.contains(kind)).map(|&kind| kind.into()).collect()
    }

    /// Tells whether this object is a class that the implementation answers.
    pub(crate) fn answers(&self, class: &Object) -> bool {
        let is_listed = self.classes.as_ref().is_none_or(|classes| classes.contains(&*class.key.name));
        is_listed
            && matches!(&class.spec, Spec::GatewayClass(spec) if spec.controller_name == self.controller_name)
    }

    pub(crate) fn has_parameters(&self, wanted: &ParametersRef, namespace: Option<&str>) -> bool {
        self.parameters.iter().any(|known| {
            let wanted_namespace = namespace.or(wanted.namespace.as_deref());
            known.group == wanted.group
                && known.kind == wanted.kind
                && known.name == wanted.name
                && known.namespace.as_deref() == wanted_namespace
        })
    }
}
