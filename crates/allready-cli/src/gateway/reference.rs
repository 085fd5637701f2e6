//! The objects that an object names.

use allready_gateway::{GROUP, Kind, ObjectKey, object::ParametersRef};
use serde_json::Value;

use super::world::Given;

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

/// The places of references in a spec, with `*` for each item of a list, and the kind that is meant where none is named.
const PLACES: [(Role, &str, &str); 13] = [
    (Role::Class, "/spec/gatewayClassName", "GatewayClass"),
    (Role::Parameters, "/spec/parametersRef", ""),
    (Role::Parameters, "/spec/infrastructure/parametersRef", ""),
    (Role::Certificate, "/spec/tls/backend/clientCertificateRef", "Secret"),
    (Role::Certificate, "/spec/tls/frontend/default/validation/caCertificateRefs/*", "ConfigMap"),
    (Role::Certificate, "/spec/tls/frontend/perPort/*/tls/validation/caCertificateRefs/*", "ConfigMap"),
    (Role::Parent, "/spec/parentRef", "Gateway"),
    (Role::Certificate, "/spec/listeners/*/tls/certificateRefs/*", "Secret"),
    (Role::Parent, "/spec/parentRefs/*", "Gateway"),
    (Role::Backend, "/spec/rules/*/filters/*/requestMirror/backendRef", "Service"),
    (Role::Backend, "/spec/rules/*/backendRefs/*", "Service"),
    (Role::Target, "/spec/targetRefs/*", ""),
    (Role::Certificate, "/spec/validation/caCertificateRefs/*", "ConfigMap"),
];

/// Everything that an object names.
pub(super) fn references(given: &Given) -> Vec<Reference> {
    let ObjectKey { kind, namespace: home, .. } = &given.object.key;
    let mut found = Vec::new();
    for (role, place, default) in PLACES.into_iter().filter(|_| kind.group() == GROUP) {
        // These two have to be there: what is not named is named so.
        let is_required = matches!((kind, role), (Kind::Gateway, Role::Class))
            || (*kind == Kind::ListenerSet && place == "/spec/parentRef");
        let mut values = Vec::new();
        expand(&given.value, place, String::new(), &mut values);
        if values.is_empty() && is_required {
            values.push((place.to_owned(), &Value::Null));
        }
        for (pointer, value) in values {
            found.push(Reference::read(role, default, pointer, value, home));
            // The filters of a backend may mirror to another one.
            for (at, filter) in value["filters"].as_array().into_iter().flatten().enumerate() {
                let mirror = &filter["requestMirror"]["backendRef"];
                if let (Role::Backend, Value::Object(_), Some(last)) = (role, mirror, found.last()) {
                    let pointer = format!("{}/filters/{at}/requestMirror/backendRef", last.pointer);
                    found.push(Reference::read(role, default, pointer, mirror, home));
                }
            }
        }
    }
    // Rule by rule, as they are written.
    let rule = |one: &Reference| {
        let number = one.pointer.strip_prefix("/spec/rules/")?.split('/').next()?;
        number.parse::<usize>().ok()
    };
    found.sort_by_key(rule);
    found
}

/// Collects the values at a place, with their pointers. Null is nothing.
fn expand<'a>(value: &'a Value, place: &str, at: String, found: &mut Vec<(String, &'a Value)>) {
    let Some((step, rest)) =
        place.strip_prefix('/').map(|place| place.split_at(place.find('/').unwrap_or(place.len())))
    else {
        found.extend((!value.is_null()).then_some((at, value)));
        return;
    };
    if step == "*" {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            expand(item, rest, format!("{at}/{index}"), found);
        }
    } else if let Some(value) = value.get(step) {
        expand(value, rest, format!("{at}/{step}"), found);
    }
}

impl Reference {
    fn read(role: Role, default: &str, pointer: String, value: &Value, home: &str) -> Self {
        let text = |field: &str| value[field].as_str().map(str::to_owned);
        let group = if matches!(role, Role::Class | Role::Parent) { GROUP } else { "" };
        let namespace = match role {
            Role::Class => None,
            Role::Parameters if home.is_empty() => text("namespace"),
            Role::Parameters | Role::Target => Some(home.to_owned()),
            Role::Parent | Role::Backend | Role::Certificate => {
                text("namespace").or_else(|| Some(home.to_owned()))
            }
        };
        Self {
            role,
            pointer,
            group: text("group").unwrap_or_else(|| group.to_owned()),
            kind: text("kind").unwrap_or_else(|| default.to_owned()),
            namespace,
            name: value.as_str().map(str::to_owned).or_else(|| text("name")).unwrap_or_default(),
            port: value["port"].as_u64().and_then(|port| port.try_into().ok()),
            port_name: text("sectionName"),
        }
    }
}
