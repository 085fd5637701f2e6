//! Which ConfigurationStatus.

use std::fmt;

use kube::core::{ApiResource, GroupVersionKind};

/// A ConfigurationStatus, of one of the groups that it is served under.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatusKey {
    /// The group and version, such as `allready.dev/v1alpha1`.
    pub api_version: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl StatusKey {
    /// The kind as requests name it.
    pub fn resource(&self) -> ApiResource {
        resource(&self.api_version)
    }
}

impl fmt::Display for StatusKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// ConfigurationStatuses as requests name them.
pub(super) fn resource(api_version: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = GroupVersionKind::gvk(group, version, "ConfigurationStatus");
    ApiResource::from_gvk_with_plural(&kind, "configurationstatuses")
}
