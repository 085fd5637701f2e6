//! References that nobody answers for: a controller writes the status of its own classes alone, so what names no class or no parent has no
//! status that could say so.

use allready_core::Status;

use crate::{
    Engine, Kind, Object, ObjectKey, ObjectStatus,
    object::Spec,
    store::{Store, parent_key},
};

/// An object that names a class or a parent that does not exist.
///
/// ```
/// use allready_gateway::{Engine, Object, Support};
/// use serde_json::json;
///
/// let gateway = json!({
///     "apiVersion": "gateway.networking.k8s.io/v1",
///     "kind": "Gateway",
///     "metadata": {"name": "web", "namespace": "shop"},
///     "spec": {"gatewayClassName": "typo", "listeners": []},
/// });
/// let mut engine = Engine::new(Support::new("example.com/gateway"));
/// engine.apply(Object::read(&gateway)?);
/// let dangling = engine.dangling();
/// assert_eq!(dangling[0].to_string(), "Gateway/shop/web names GatewayClass/typo, which does not exist");
/// # Ok::<(), allready_gateway::ObjectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{object} names {missing}, which does not exist")]
pub struct Dangling {
    /// The object.
    pub object: ObjectKey,
    /// The class, Gateway or ListenerSet that it names.
    pub missing: ObjectKey,
}

impl Engine {
    /// Every Gateway, ListenerSet and route that names a class or a parent that does not exist, whoever owns it. Looks at every object.
    pub fn dangling(&self) -> Vec<Dangling> {
        dangling(&self.store)
    }

    /// Every GatewayClass that no controller has answered: `Accepted` is Unknown, as the API server sets it, or not there at all. Looks at
    /// every object.
    pub fn unanswered_classes(&self) -> impl Iterator<Item = &Object> {
        self.store.iter().filter(|object| match (&object.spec, &object.status) {
            (Spec::GatewayClass(_), Some(ObjectStatus::GatewayClass(status))) => {
                status.conditions.find("Accepted").is_none_or(|accepted| accepted.status == Status::Unknown)
            }
            (Spec::GatewayClass(_), _) => true,
            _ => false,
        })
    }
}

fn dangling(store: &Store) -> Vec<Dangling> {
    let mut found: Vec<Dangling> = store
        .iter()
        .flat_map(|object| {
            let namespace = &object.key.namespace;
            let named: Vec<ObjectKey> = match &object.spec {
                Spec::Gateway(gateway) => {
                    vec![ObjectKey::new(Kind::GatewayClass, "", &gateway.gateway_class_name)]
                }
                Spec::ListenerSet(set) => parent_key(&set.parent_ref, namespace).into_iter().collect(),
                Spec::Route(route) => {
                    route.parent_refs.iter().filter_map(|parent| parent_key(parent, namespace)).collect()
                }
                _ => Vec::new(),
            };
            let missing = named.into_iter().filter(|key| store.get(key).is_none());
            missing.map(|missing| Dangling { object: object.key.clone(), missing })
        })
        .collect();
    found.sort();
    found.dedup();
    found
}
