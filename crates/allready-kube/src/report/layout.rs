//! Into which object reports go.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ApiResource;

use super::Identity;
use crate::kinds::StatusReport;

/// Into which object a reporter reports.
///
/// | | [`Singleton`](Self::Singleton) | [`Sharded`](Self::Sharded) |
/// |---|---|---|
/// | object | one for all, of any kind | one for each reporter, a [`StatusReport`] |
/// | who makes it | somebody else | the reporter |
/// | condition type | `speaker-kind-worker/configReconcilerValid` | `configReconcilerValid` |
/// | field manager | `speaker-kind-worker/configReconciler`, one for each reconciler | `speaker-kind-worker` |
/// | one write carries | one condition | all conditions of the reporter, the `Ready` that they come to, and the revision |
/// | good for | some tens of reporters: every change is sent to all who watch the object | thousands |
///
/// The list of conditions has to be a map by type, or else every writer would replace the conditions of all others:
/// [`Conditions`](allready_core::Conditions) has the schema.
///
/// ```
/// use allready_kube::report::{Identity, Layout};
/// use kube::core::{ApiResource, GroupVersionKind};
///
/// let kind = GroupVersionKind::gvk("metallb.io", "v1beta1", "ConfigurationStatus");
/// let resource = ApiResource::from_gvk_with_plural(&kind, "configurationstatuses");
/// let shared = Layout::singleton(resource, "metallb-system", "config-status");
/// let own = Layout::sharded("metallb-system", "config-status");
///
/// let speaker = Identity::of("speaker").on("kind-worker");
/// assert_eq!(shared.object_name(&speaker), "config-status");
/// assert_eq!(own.object_name(&speaker), "config-status.speaker.kind-worker");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Layout {
    /// One object for all reporters.
    Singleton {
        /// Its kind.
        resource: ApiResource,
        /// Its namespace; none for an object of the whole cluster.
        namespace: Option<String>,
        /// Its name.
        name: String,
    },
    /// A [`StatusReport`] for each reporter.
    Sharded {
        /// The namespace of the target, and of the reports.
        namespace: String,
        /// The name of the object that the report is part of.
        target: String,
        /// Who owns the report: it is deleted with its owner.
        owners: Vec<OwnerReference>,
    },
}

impl Layout {
    /// Into one object for all reporters.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// let layout = Layout::singleton(resource, "metallb-system", "config-status");
    /// assert_eq!(layout.namespace(), Some("metallb-system"));
    /// ```
    pub fn singleton(resource: ApiResource, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Singleton { resource, namespace: Some(namespace.into()), name: name.into() }
    }

    /// Into one object for all reporters, which is in no namespace.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// assert_eq!(Layout::cluster_singleton(resource, "config-status").namespace(), None);
    /// ```
    pub fn cluster_singleton(resource: ApiResource, name: impl Into<String>) -> Self {
        Self::Singleton { resource, namespace: None, name: name.into() }
    }

    /// Into a report of the reporter's own, as part of the target.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// let layout = Layout::sharded("metallb-system", "config-status");
    /// assert_eq!(layout.resource().kind, "StatusReport");
    /// ```
    pub fn sharded(namespace: impl Into<String>, target: impl Into<String>) -> Self {
        Self::Sharded { namespace: namespace.into(), target: target.into(), owners: Vec::new() }
    }

    /// The same, with an owner for the report: when the owner is deleted, the report is too. A node is a good owner; a pod
    /// takes the report with it when it is replaced. A singleton has no owner of this kind, and stays as it is.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// let node = OwnerReference { kind: "Node".into(), name: "kind-worker".into(), ..Default::default() };
    /// let layout = Layout::sharded("metallb-system", "config-status").owned_by(node);
    /// assert!(matches!(layout, Layout::Sharded { owners, .. } if owners[0].name == "kind-worker"));
    /// ```
    #[must_use]
    pub fn owned_by(mut self, owner: OwnerReference) -> Self {
        if let Self::Sharded { owners, .. } = &mut self {
            owners.push(owner);
        }
        self
    }

    /// The name of the object that this reporter reports into.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// let layout = Layout::sharded("metallb-system", "config-status");
    /// assert_eq!(layout.object_name(&Identity::of("controller")), "config-status.controller");
    /// ```
    pub fn object_name(&self, identity: &Identity) -> String {
        match self {
            Self::Singleton { name, .. } => name.clone(),
            Self::Sharded { target, .. } => identity.report_name(target),
        }
    }

    /// The kind of the object.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// assert_eq!(Layout::cluster_singleton(resource, "config-status").resource().kind, "ConfigurationStatus");
    /// ```
    pub fn resource(&self) -> ApiResource {
        match self {
            Self::Singleton { resource, .. } => resource.clone(),
            Self::Sharded { .. } => ApiResource::erase::<StatusReport>(&()),
        }
    }

    /// The namespace of the object.
    ///
    /// ```
    /// use allready_kube::{kinds::ConfigurationStatus, report::{Identity, Layout}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    ///
    /// # let resource = kube::api::ApiResource::erase::<ConfigurationStatus>(&());
    /// assert_eq!(Layout::sharded("metallb-system", "config-status").namespace(), Some("metallb-system"));
    /// ```
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::Singleton { namespace, .. } => namespace.as_deref(),
            Self::Sharded { namespace, .. } => Some(namespace),
        }
    }
}

/// The labels of a [`StatusReport`]: for selecting. The full values are in its spec.
pub mod labels {
    /// The object that the report is part of.
    pub const TARGET: &str = "allready.dev/target";
    /// The component that reports.
    pub const COMPONENT: &str = "allready.dev/component";
    /// The instance of the component.
    pub const INSTANCE: &str = "allready.dev/instance";

    /// The value of a label for a text: itself, or, where it is over 63 bytes or not allowed, its beginning and a digest.
    ///
    /// ```
    /// use allready_kube::report::labels;
    ///
    /// assert_eq!(labels::value("kind-worker"), "kind-worker");
    /// assert_eq!(labels::value(&"n".repeat(253)).len(), 63);
    /// ```
    pub fn value(text: &str) -> std::borrow::Cow<'_, str> {
        crate::report::identity::label_value(text)
    }
}
