//! Parts of statuses that aggregations have written, by the record of who wrote what: so they are found again when the aggregation
//! itself is gone, and nobody was there to see it go.

mod search;

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::{MANAGER, ObjectName, StatusTarget};

pub use search::{kinds, may_write, search};

/// The part of the status of one object that one aggregation has written.
///
/// ```
/// use allready_controller::hub::{ObjectName, Leftover};
///
/// let leftover = Leftover {
///     api_version: "gateway.networking.k8s.io/v1".into(),
///     kind: "Gateway".into(),
///     object: ObjectName::new("shop", "web"),
///     manager: "allready-hub/gateways".into(),
/// };
/// assert_eq!(&*leftover.target().kind, "Gateway.gateway.networking.k8s.io");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The group and version of the object.
    pub api_version: Arc<str>,
    /// Its kind.
    pub kind: Arc<str>,
    /// Which one.
    pub object: ObjectName,
    /// As whom it was written: `allready-hub/gateways`.
    pub manager: Arc<str>,
}

impl Leftover {
    /// Finds what aggregations have written into the status of an object.
    ///
    /// ```
    /// use allready_controller::hub::Leftover;
    /// use serde_json::json;
    ///
    /// let entry = |manager: &str, subresource: &str| json!({
    ///     "manager": manager, "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {},
    ///     "subresource": subresource,
    /// });
    /// let metadata = serde_json::from_value(json!({
    ///     "namespace": "shop", "name": "web",
    ///     "managedFields": [entry("allready-hub/gateways", "status"), entry("kubectl", "status"), entry("allready-hub/x", "")],
    /// })).unwrap();
    /// let found = Leftover::of("gateway.networking.k8s.io/v1", "Gateway", &metadata);
    /// assert_eq!(found.iter().map(|found| &*found.manager).collect::<Vec<_>>(), ["allready-hub/gateways"]);
    /// assert_eq!(&*found[0].target().kind, "Gateway.gateway.networking.k8s.io");
    /// ```
    pub fn of(api_version: &str, kind: &str, metadata: &ObjectMeta) -> Vec<Self> {
        let entries = metadata.managed_fields.iter().flatten();
        let managers = entries.filter(|entry| {
            entry.subresource.as_deref() == Some("status") && entry.operation.as_deref() == Some("Apply")
        });
        let managers = managers.filter_map(|entry| entry.manager.as_deref());
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let object = ObjectName::new(&text(&metadata.namespace), &text(&metadata.name));
        managers
            .filter(|manager| is_aggregation(manager))
            .map(|manager| Self {
                api_version: api_version.into(),
                kind: kind.into(),
                object: object.clone(),
                manager: manager.into(),
            })
            .collect()
    }

    /// Returns true if a manager has written something into the status of an object.
    pub(super) fn stands(object: &Value, manager: &str) -> bool {
        let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
        let mut entries = entries.filter(|entry| entry["subresource"] == "status");
        entries.any(|entry| entry["manager"] == *manager)
    }

    /// The target at which it stands. Where the aggregation is there after all, this is the target that it writes to, one at a time.
    pub fn target(&self) -> StatusTarget {
        StatusTarget {
            manager: self.manager.clone(),
            kind: StatusTarget::kind(&self.api_version, &self.kind),
            object: self.object.clone(),
        }
    }

    /// The body that takes it away when it is applied by its manager: nothing. What somebody else owns too stays.
    ///
    /// ```
    /// use allready_controller::hub::{ObjectName, Leftover};
    ///
    /// let leftover = Leftover {
    ///     api_version: "gateway.networking.k8s.io/v1".into(),
    ///     kind: "Gateway".into(),
    ///     object: ObjectName::new("shop", "web"),
    ///     manager: "allready-hub/gateways".into(),
    /// };
    /// assert_eq!(leftover.nothing()["metadata"]["name"], "web");
    /// assert_eq!(leftover.nothing().get("status"), None);
    /// ```
    pub fn nothing(&self) -> Value {
        nothing(&self.api_version, &self.kind, &self.object)
    }
}

/// An object of which a manager that applies it wants nothing.
pub(super) fn nothing(api_version: &str, kind: &str, object: &ObjectName) -> Value {
    let mut body = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": &*object.name } });
    if !object.namespace.is_empty() {
        body["metadata"]["namespace"] = (*object.namespace).into();
    }
    body
}

/// Returns true if an aggregation writes as this manager.
fn is_aggregation(manager: &str) -> bool {
    let name = manager.strip_prefix(MANAGER).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::manager;

    #[test]
    fn kinds_of_the_same_name_in_two_groups_are_two_targets_and_two_versions_are_one() {
        let of = |api_version: &str| {
            let (kind, object) = ("Gateway".into(), ObjectName::new("shop", "web"));
            let api_version = api_version.into();
            Leftover { api_version, kind, object, manager: "allready-hub/gateways".into() }.target()
        };
        assert_ne!(of("gateway.networking.k8s.io/v1"), of("networking.istio.io/v1"));
        assert_eq!(of("gateway.networking.k8s.io/v1"), of("gateway.networking.k8s.io/v1beta1"));
    }

    #[test]
    fn only_managers_of_aggregations_are_ours_and_long_names_of_them_too() {
        for name in ["gateways".to_owned(), "long-".repeat(40)] {
            assert!(is_aggregation(&manager(&name)));
        }
        for other in ["allready-hub", "allready-hub/", "allready-hubris/x", "kubectl"] {
            assert!(!is_aggregation(other));
        }
    }
}
