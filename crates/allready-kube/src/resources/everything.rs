//! Which resources make up everything.

use super::{Catalog, Resource};

/// The same objects under a second name: its group, the plural, and the group of the first.
///
/// That two groups have a kind of the same name says nothing: `Service` is one thing to Knative and another to the core.
const TWICE: [(&str, &str, &str); 9] = [
    ("events.k8s.io", "events", ""),
    ("extensions", "ingresses", "networking.k8s.io"),
    ("extensions", "networkpolicies", "networking.k8s.io"),
    ("extensions", "deployments", "apps"),
    ("extensions", "daemonsets", "apps"),
    ("extensions", "replicasets", "apps"),
    ("extensions", "podsecuritypolicies", "policy"),
    ("authorization.openshift.io", "roles", "rbac.authorization.k8s.io"),
    ("authorization.openshift.io", "rolebindings", "rbac.authorization.k8s.io"),
];

/// Groups and resources that are no objects: measurements, and views of what is elsewhere.
const VIEWS: [(&str, &str); 7] = [
    ("", "componentstatuses"),
    ("metrics.k8s.io", ""),
    ("custom.metrics.k8s.io", ""),
    ("external.metrics.k8s.io", ""),
    ("project.openshift.io", "projects"),
    ("authorization.openshift.io", "clusterroles"),
    ("authorization.openshift.io", "clusterrolebindings"),
];

impl Catalog {
    /// What is listed by who wants everything: each object once, and objects only.
    ///
    /// Left out are resources that cannot be listed, measurements (`metrics.k8s.io`), `componentstatuses`, and the second
    /// name of what is served under two: events are those of the core group.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// let events: Vec<_> = catalog.listable().filter(|resource| resource.plural == "events").collect();
    /// assert_eq!(events.iter().map(|resource| resource.group.as_str()).collect::<Vec<_>>(), [""]);
    /// # });
    /// ```
    pub fn listable(&self) -> impl Iterator<Item = &Resource> {
        self.resources
            .iter()
            .filter(|resource| resource.can("list") && !is_view(resource) && !self.is_twice(resource))
    }

    /// Whether the objects of this resource are those of another one, which is served too.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// assert!(catalog.is_twice(catalog.find("events.events.k8s.io").unwrap()));
    /// assert!(!catalog.is_twice(catalog.find("events").unwrap()));
    /// # });
    /// ```
    pub fn is_twice(&self, resource: &Resource) -> bool {
        TWICE.iter().any(|(group, plural, first)| {
            let is_same =
                |other: &Resource| other.group == *first && other.plural == *plural && other.can("list");
            resource.group == *group && resource.plural == *plural && self.resources.iter().any(is_same)
        })
    }
}

fn is_view(resource: &Resource) -> bool {
    VIEWS
        .iter()
        .any(|(group, plural)| resource.group == *group && (plural.is_empty() || resource.plural == *plural))
}
