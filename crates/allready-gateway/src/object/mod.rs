//! Objects as the engine reads them: of each kind only the fields that decide a status.

mod certificate;
mod core;
mod gateway;
mod route;

use std::{fmt, sync::Arc};

use allready_core::{Generation, Time};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[cfg(feature = "tls")]
pub(crate) use self::core::data as secret_data;
pub(crate) use self::gateway::MAX_LISTENERS;
pub use self::{
    core::{ConfigMap, Namespace, Secret, Service, ServicePort},
    gateway::{
        Address, AllowedListeners, AllowedRoutes, BackendTls, FrontendTls, GatewayClassSpec, GatewaySpec,
        GatewayTls, Infrastructure, Listener, ListenerSetSpec, ListenerTls, NamespacesFrom, ParametersRef,
        PortTls, TlsValidation,
    },
    route::{
        BackendRef, BackendTlsPolicySpec, BackendValidation, Filter, GrantFrom, GrantTo, Mirror, ObjectRef,
        ParentReference, ReferenceGrantSpec, RouteRule, RouteSpec, TargetRef,
    },
};
pub use crate::selector::{Requirement, Selector};
use crate::{
    GROUP,
    status::{GatewayClassStatus, GatewayStatus, ListenerSetStatus, ObjectStatus, PolicyStatus, RouteStatus},
};

/// The kinds that the engine reads. Ordered by who reads whom: a kind is decided by those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names of the kinds")]
pub enum Kind {
    Namespace,
    Secret,
    ConfigMap,
    Service,
    ReferenceGrant,
    GatewayClass,
    Gateway,
    ListenerSet,
    HTTPRoute,
    GRPCRoute,
    TLSRoute,
    TCPRoute,
    UDPRoute,
    BackendTLSPolicy,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Namespace,
        Self::Secret,
        Self::ConfigMap,
        Self::Service,
        Self::ReferenceGrant,
        Self::GatewayClass,
        Self::Gateway,
        Self::ListenerSet,
        Self::HTTPRoute,
        Self::GRPCRoute,
        Self::TLSRoute,
        Self::TCPRoute,
        Self::UDPRoute,
        Self::BackendTLSPolicy,
    ];

    /// The name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespace => "Namespace",
            Self::Secret => "Secret",
            Self::ConfigMap => "ConfigMap",
            Self::Service => "Service",
            Self::ReferenceGrant => "ReferenceGrant",
            Self::GatewayClass => "GatewayClass",
            Self::Gateway => "Gateway",
            Self::ListenerSet => "ListenerSet",
            Self::HTTPRoute => "HTTPRoute",
            Self::GRPCRoute => "GRPCRoute",
            Self::TLSRoute => "TLSRoute",
            Self::TCPRoute => "TCPRoute",
            Self::UDPRoute => "UDPRoute",
            Self::BackendTLSPolicy => "BackendTLSPolicy",
        }
    }

    /// The API group of the kind.
    pub const fn group(self) -> &'static str {
        match self {
            Self::Namespace | Self::Secret | Self::ConfigMap | Self::Service => "",
            _ => GROUP,
        }
    }

    /// The kind of this name in this group.
    pub fn of(group: &str, kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == kind && known.group() == group)
    }

    /// Tells whether objects of this kind attach to listeners.
    pub const fn is_route(self) -> bool {
        matches!(self, Self::HTTPRoute | Self::GRPCRoute | Self::TLSRoute | Self::TCPRoute | Self::UDPRoute)
    }

    const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Namespace | Self::GatewayClass)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The identity of an object; shown as `Gateway/shop/web`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; empty where the kind has none.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl ObjectKey {
    /// The identity of an object; the namespace of a cluster-scoped kind does not matter.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        let namespace = if kind.is_namespaced() { namespace } else { "" };
        Self { kind, namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{}/{}", self.kind, self.name)
        } else {
            write!(f, "{}/{}/{}", self.kind, self.namespace, self.name)
        }
    }
}

/// An object of a kind that matters here.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its identity.
    pub key: ObjectKey,
    /// `metadata.generation`.
    pub generation: Generation,
    /// `metadata.creationTimestamp`, if it is there and is a time.
    pub created: Option<Time>,
    /// The fields that decide a status; the defaults where the spec is malformed.
    pub spec: Spec,
    /// The status that is stored; nothing where there is none, or none that can be read.
    pub status: Option<ObjectStatus>,
    /// The reason why the spec cannot be read.
    pub malformed: Option<String>,
}

/// The fields of an object that decide a status, by kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the kinds")]
pub enum Spec {
    Namespace(Namespace),
    Secret(Secret),
    ConfigMap(ConfigMap),
    Service(Service),
    ReferenceGrant(ReferenceGrantSpec),
    GatewayClass(GatewayClassSpec),
    Gateway(Box<GatewaySpec>),
    ListenerSet(ListenerSetSpec),
    Route(RouteSpec),
    BackendTlsPolicy(BackendTlsPolicySpec),
}

/// The reason why a value is no object that the engine knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// A kind that decides no status of Gateway API.
    #[error("{kind} of {api_version:?} decides no status of Gateway API: leave it out")]
    UnknownKind {
        /// Its `apiVersion`.
        api_version: String,
        /// Its `kind`.
        kind: String,
    },
    /// No `metadata.name`.
    #[error("a {kind} without metadata.name: give it one")]
    NoName {
        /// Its kind.
        kind: Kind,
    },
}

impl Object {
    /// Reads an object. A spec that cannot be read is told in [`Object::malformed`]; it never fails for that.
    pub fn read(value: &Value) -> Result<Self, ObjectError> {
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
        let api_version = text("apiVersion");
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let Some(kind) = Kind::of(group, text("kind")) else {
            return Err(ObjectError::UnknownKind {
                api_version: api_version.to_owned(),
                kind: text("kind").to_owned(),
            });
        };
        let meta = |field: &str| value.get("metadata").and_then(|metadata| metadata.get(field));
        let meta_text = |field: &str| meta(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let Some(name) = meta_text("name") else {
            return Err(ObjectError::NoName { kind });
        };
        let namespace = meta_text("namespace").unwrap_or("default");
        let generation = meta("generation").and_then(Value::as_i64);
        let (spec, malformed) = read_spec(kind, value);
        Ok(Self {
            key: ObjectKey::new(kind, namespace, name),
            generation: generation.and_then(|number| Generation::new(number).ok()).unwrap_or_default(),
            created: meta_text("creationTimestamp").and_then(|time| time.parse().ok()),
            spec,
            status: value.get("status").and_then(|status| read_status(kind, status)),
            malformed,
        })
    }
}

/// Reads a spec. Of one that is malformed the fields that say whose it is are read all the same, so that its status can say so.
fn read_spec(kind: Kind, value: &Value) -> (Spec, Option<String>) {
    match kind {
        Kind::Namespace => (Spec::Namespace(Namespace::read(value)), None),
        Kind::Secret => (Spec::Secret(Secret::read(value)), None),
        Kind::ConfigMap => (Spec::ConfigMap(ConfigMap::read(value)), None),
        Kind::Service => parse(value, Spec::Service),
        Kind::ReferenceGrant => parse(value, Spec::ReferenceGrant),
        Kind::GatewayClass => {
            let (mut spec, malformed) = parse(value, |spec: GatewayClassSpec| spec);
            if malformed.is_some() {
                spec.controller_name = field(value, "controllerName");
            }
            (Spec::GatewayClass(spec), malformed)
        }
        Kind::Gateway => {
            let (mut spec, malformed) = parse(value, |spec: GatewaySpec| spec);
            if malformed.is_some() {
                spec.gateway_class_name = field(value, "gatewayClassName");
            }
            let malformed = malformed.or_else(|| gateway::check_listeners(&spec.listeners));
            (Spec::Gateway(Box::new(spec)), malformed)
        }
        Kind::ListenerSet => {
            let (mut spec, malformed) = parse(value, |spec: ListenerSetSpec| spec);
            if malformed.is_some() {
                spec.parent_ref = field(value, "parentRef");
            }
            let malformed = malformed.or_else(|| gateway::check_listeners(&spec.listeners));
            (Spec::ListenerSet(spec), malformed)
        }
        Kind::BackendTLSPolicy => {
            let (mut spec, malformed) = parse(value, |spec: BackendTlsPolicySpec| spec);
            if malformed.is_some() {
                spec.target_refs = field(value, "targetRefs");
            }
            (Spec::BackendTlsPolicy(spec), malformed)
        }
        Kind::HTTPRoute | Kind::GRPCRoute | Kind::TLSRoute | Kind::TCPRoute | Kind::UDPRoute => {
            let (mut spec, malformed) = parse(value, |spec: RouteSpec| spec);
            if malformed.is_some() {
                spec.parent_refs = field(value, "parentRefs");
            }
            (Spec::Route(spec), malformed)
        }
    }
}

/// One field of a spec; the default where it cannot be read either.
fn field<T: DeserializeOwned + Default>(value: &Value, name: &str) -> T {
    let found = value.get("spec").and_then(|spec| spec.get(name)).map(without_nulls);
    found.and_then(|found| serde_json::from_value(found).ok()).unwrap_or_default()
}

fn parse<T: DeserializeOwned + Default, S>(value: &Value, spec: impl FnOnce(T) -> S) -> (S, Option<String>) {
    match value.get("spec") {
        None => (spec(T::default()), Some("there is no spec".to_owned())),
        Some(found) => match serde_json::from_value(without_nulls(found)) {
            Ok(read) => (spec(read), None),
            Err(error) => (spec(T::default()), Some(format!("the spec cannot be read: {error}"))),
        },
    }
}

/// The depth to which a value is read: what the Gateway API knows is not nearly as deep, and reading is recursive.
const MAX_DEPTH: usize = 64;

/// A field that is null is a field that is not there, as the API server has it. What is too deep is null.
fn without_nulls(value: &Value) -> Value {
    fn copy(value: &Value, depth: usize) -> Value {
        match value {
            Value::Object(_) | Value::Array(_) if depth == 0 => Value::Null,
            Value::Object(fields) => fields
                .iter()
                .filter(|(_, field)| !field.is_null())
                .map(|(name, field)| (name.clone(), copy(field, depth - 1)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(|item| copy(item, depth - 1)).collect(),
            other => other.clone(),
        }
    }
    copy(value, MAX_DEPTH)
}

fn read_status(kind: Kind, status: &Value) -> Option<ObjectStatus> {
    fn read<T: DeserializeOwned>(status: &Value) -> Option<T> {
        serde_json::from_value(without_nulls(status)).ok()
    }
    match kind {
        Kind::GatewayClass => read::<GatewayClassStatus>(status).map(ObjectStatus::GatewayClass),
        Kind::Gateway => read::<GatewayStatus>(status).map(ObjectStatus::Gateway),
        Kind::ListenerSet => read::<ListenerSetStatus>(status).map(ObjectStatus::ListenerSet),
        Kind::BackendTLSPolicy => read::<PolicyStatus>(status).map(ObjectStatus::Policy),
        kind if kind.is_route() => read::<RouteStatus>(status).map(ObjectStatus::Route),
        _ => None,
    }
}
