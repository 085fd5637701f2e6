//! What an event is about.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Resource;

/// The reference to an object: version, kind, namespace, name and uid, which is what `kubectl describe` finds its events by.
///
/// The resource version is left out: it would make every event about a busy object another one.
///
/// ```
/// use allready_kube::events::regarding;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let map: ConfigMap = serde_json::from_value(serde_json::json!({
///     "metadata": { "namespace": "shop", "name": "prices", "uid": "u-1", "resourceVersion": "7" },
/// })).unwrap();
/// let reference = regarding(&map);
/// assert_eq!((reference.api_version.as_deref(), reference.kind.as_deref()), (Some("v1"), Some("ConfigMap")));
/// assert_eq!((reference.namespace.as_deref(), reference.name.as_deref()), (Some("shop"), Some("prices")));
/// assert_eq!((reference.uid.as_deref(), reference.resource_version), (Some("u-1"), None));
/// ```
pub fn regarding<K>(object: &K) -> ObjectReference
where
    K: Resource,
    K::DynamicType: Default,
{
    regarding_with(object, &K::DynamicType::default())
}

/// The reference to an object whose kind is known only when the program runs.
///
/// ```
/// use allready_kube::events::regarding_with;
/// use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
///
/// let pools = ApiResource::from_gvk(&GroupVersionKind::gvk("net.example", "v1", "Pool"));
/// let reference = regarding_with(&DynamicObject::new("pool-a", &pools), &pools);
/// assert_eq!(reference.api_version.as_deref(), Some("net.example/v1"));
/// assert_eq!(reference.kind.as_deref(), Some("Pool"));
/// ```
pub fn regarding_with<K: Resource>(object: &K, kind: &K::DynamicType) -> ObjectReference {
    ObjectReference { resource_version: None, ..object.object_ref(kind) }
}
