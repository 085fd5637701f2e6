//! What an API server serves, found by the names that people use, and read page by page.
//!
//! # RBAC
//! Discovery takes no more than the role `system:discovery`, which every authenticated user has. Reading takes `list` on each
//! resource that is read; what may not be read is a [problem](ListProblem) of that resource, not of the others.
//!
//! ```
//! use allready_kube::resources::{Catalog, Selection, list_pages};
//! # use allready_apiserver::ApiServer;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let client = kube::Client::new(ApiServer::new().service(), "default");
//! let catalog = Catalog::discover(&client).await?;
//! let namespaces = catalog.find("ns").unwrap();
//! let mut names = Vec::new();
//! list_pages(&client, namespaces, &Selection::default(), &mut |page| {
//!     names.extend(page.iter().map(|object| format!("{} {}", object["kind"], object["metadata"]["name"])));
//! }).await?;
//! assert!(names.contains(&r#""Namespace" "default""#.to_owned()));
//! # Ok::<(), kube::Error>(())
//! # }).unwrap();
//! ```

mod discover;
mod document;
mod everything;
mod find;
mod list;
mod many;
mod near;
#[cfg(test)]
mod tests;

use kube::{
    Client,
    api::{Api, ApiResource, DynamicObject},
};

pub use self::{
    find::NoSuchResource,
    list::{Selection, list_pages, pages},
    many::{ListProblem, Listed, list_many, listing},
    near::close_names,
};

/// Something that an API server serves.
///
/// ```
/// use allready_kube::resources::Resource;
///
/// let pods = Resource { version: "v1".into(), kind: "Pod".into(), plural: "pods".into(), ..Resource::default() };
/// assert_eq!((pods.api_version(), pods.full_name()), ("v1".to_owned(), "pods".to_owned()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core one.
    pub group: String,
    /// The version that is preferred.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// Its name in paths: `deployments`.
    pub plural: String,
    /// Its name for one: `deployment`.
    pub singular: String,
    /// Its short names: `deploy`.
    pub short_names: Vec<String>,
    /// Its categories: `all`.
    pub categories: Vec<String>,
    /// Whether its objects are in namespaces.
    pub is_namespaced: bool,
    /// What can be done with it: `list`, `watch`, …
    pub verbs: Vec<String>,
}

/// Everything that an API server serves.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// use allready_kube::resources::Catalog;
///
/// let catalog = Catalog::discover(&client).await.unwrap();
/// assert!(catalog.resources.iter().any(|resource| resource.kind == "Deployment"));
/// assert!(catalog.problems.is_empty());
/// # });
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// All of it, the preferred version of each kind, in the order of the server: the core group first.
    pub resources: Vec<Resource>,
    /// The same in the other versions that are served, for who asks for one by name.
    pub others: Vec<Resource>,
    /// The groups of which nothing could be learnt, and why: `metrics.k8s.io/v1beta1: the server is unavailable`.
    pub problems: Vec<String>,
}

impl Resource {
    /// The same, in the words of kube.
    ///
    /// ```
    /// use allready_kube::resources::Resource;
    ///
    /// let (group, version) = ("apps".to_owned(), "v1".to_owned());
    /// let sets = Resource { group, version, plural: "daemonsets".into(), ..Resource::default() };
    /// assert_eq!(sets.api_resource().api_version, "apps/v1");
    /// ```
    pub fn api_resource(&self) -> ApiResource {
        ApiResource {
            group: self.group.clone(),
            version: self.version.clone(),
            api_version: self.api_version(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
        }
    }

    /// `v1`, or `apps/v1`.
    ///
    /// ```
    /// use allready_kube::resources::Resource;
    ///
    /// let (group, version) = ("apps".to_owned(), "v1".to_owned());
    /// assert_eq!(Resource { group, version, ..Resource::default() }.api_version(), "apps/v1");
    /// ```
    pub fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The name by which nothing else is meant: `pods`, `deployments.apps`.
    ///
    /// ```
    /// use allready_kube::resources::Resource;
    ///
    /// let (group, plural) = ("apps".to_owned(), "deployments".to_owned());
    /// assert_eq!(Resource { group, plural, ..Resource::default() }.full_name(), "deployments.apps");
    /// ```
    pub fn full_name(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Whether this can be done with it.
    ///
    /// ```
    /// use allready_kube::resources::Resource;
    ///
    /// let reviews = Resource { plural: "tokenreviews".into(), verbs: vec!["create".into()], ..Resource::default() };
    /// assert!(reviews.can("create") && !reviews.can("list"));
    /// ```
    pub fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }

    /// Its objects in a namespace, or in all of them.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// let nodes = catalog.find("nodes").unwrap().api(client, Some("default"));
    /// assert_eq!(nodes.resource_url(), "/api/v1/nodes", "nodes are in no namespace");
    /// # });
    /// ```
    pub fn api(&self, client: Client, namespace: Option<&str>) -> Api<DynamicObject> {
        match namespace.filter(|_| self.is_namespaced) {
            Some(namespace) => Api::namespaced_with(client, namespace, &self.api_resource()),
            None => Api::all_with(client, &self.api_resource()),
        }
    }
}
