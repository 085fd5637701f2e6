//! Resources by the names that kubectl understands.

use std::fmt;

use super::{Catalog, Resource, near::near};

/// A name that means nothing here.
///
/// ```
/// use allready_kube::resources::Catalog;
///
/// let error = Catalog::default().find("widgets").unwrap_err();
/// assert_eq!(error.to_string(), r#"the server has no resource "widgets"; `kubectl api-resources` lists what it has"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoSuchResource {
    /// The name that was asked for.
    pub name: String,
    /// What may have been meant, the likeliest first.
    pub near: Vec<String>,
    /// The groups of which nothing could be learnt: it may be in one of them.
    pub problems: Vec<String>,
}

impl fmt::Display for NoSuchResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server has no resource {:?}", self.name)?;
        match self.near.as_slice() {
            [] => f.write_str("; `kubectl api-resources` lists what it has")?,
            [one] => write!(f, "; did you mean {one}?")?,
            [first @ .., last] => write!(f, "; did you mean {} or {last}?", first.join(", "))?,
        }
        match self.problems.as_slice() {
            [] => Ok(()),
            [one] => write!(f, " (it may be in a group that could not be read: {one})"),
            [one, rest @ ..] => {
                write!(f, " (it may be in a group that could not be read: {one}; and {} more)", rest.len())
            }
        }
    }
}

impl std::error::Error for NoSuchResource {}

impl Catalog {
    /// What is meant by a name that kubectl would understand: `deploy`, `deployment`, `deployments`, `Deployment`,
    /// `deployments.apps`, `deployments.v1.apps`, and with the beginning of a group `deployments.app`.
    ///
    /// Where it may mean several, it means what kubectl would take: full names go before short ones, the core group before
    /// others, and these in the order of the server.
    ///
    /// ```
    /// use allready_kube::resources::{Catalog, Resource};
    ///
    /// let deployments = Resource {
    ///     group: "apps".into(), version: "v1".into(), kind: "Deployment".into(), plural: "deployments".into(),
    ///     singular: "deployment".into(), short_names: vec!["deploy".into()], ..Resource::default()
    /// };
    /// let catalog = Catalog { resources: vec![deployments], ..Catalog::default() };
    /// for name in ["deploy", "Deployment", "deployments", "deployments.apps", "deployment.v1.apps", "deploy.ap"] {
    ///     assert_eq!(catalog.find(name).unwrap().kind, "Deployment");
    /// }
    /// let error = catalog.find("deplyoment").unwrap_err();
    /// assert_eq!(error.to_string(), r#"the server has no resource "deplyoment"; did you mean deployments.apps?"#);
    /// ```
    pub fn find(&self, name: &str) -> Result<&Resource, NoSuchResource> {
        let lower = name.to_lowercase();
        self.find_in_version(&lower).or_else(|| self.find_in_group(&lower)).ok_or_else(|| NoSuchResource {
            name: name.to_owned(),
            near: near(name, self.resources.iter()),
            problems: self.problems.clone(),
        })
    }

    /// What is meant by a name that may also be a category, such as `all`. Categories go first, as with kubectl, and have
    /// only what can be listed.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// let all = catalog.find_all("all").unwrap();
    /// assert!(all.iter().any(|resource| resource.kind == "Pod"));
    /// assert!(!all.iter().any(|resource| resource.kind == "ConfigMap"), "as with kubectl");
    /// # });
    /// ```
    pub fn find_all(&self, name: &str) -> Result<Vec<&Resource>, NoSuchResource> {
        let is_in = |resource: &&Resource| {
            resource.categories.iter().any(|category| category == name)
                && resource.can("list")
                && !self.is_twice(resource)
        };
        let found: Vec<_> = self.resources.iter().filter(is_in).collect();
        if found.is_empty() { self.find(name).map(|found| vec![found]) } else { Ok(found) }
    }

    /// The resource of a kind, as an owner reference names it: in whichever version is preferred.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// assert_eq!(catalog.of_kind("apps/v1", "ReplicaSet").unwrap().plural, "replicasets");
    /// assert_eq!(catalog.of_kind("v1", "ReplicaSet"), None);
    /// # });
    /// ```
    pub fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let of_kind = || self.resources.iter().filter(|found| found.group == group && found.kind == kind);
        // A kind may be answered by resources that only take questions; objects are where they can be read.
        of_kind().find(|found| found.can("get") || found.can("list")).or_else(|| of_kind().next())
    }

    /// `deployments.v1.apps`.
    fn find_in_version(&self, name: &str) -> Option<&Resource> {
        let (name, rest) = name.split_once('.')?;
        // The core group has no name: `pods.v1.` is written with a dot at the end.
        let (version, group) = rest.split_once('.')?;
        let all = || self.resources.iter().chain(&self.others);
        let is_there = |found: &&Resource| found.version == version && found.group == group;
        all()
            .filter(is_there)
            .find(|found| is_full(found, name))
            .or_else(|| all().filter(is_there).find(|found| is_short(found, name)))
    }

    /// `deployments`, `deployments.apps`, `deployments.app`.
    fn find_in_group(&self, name: &str) -> Option<&Resource> {
        let Some((name, group)) = name.split_once('.') else {
            return self.first(|_| true, name);
        };
        self.first(|found| found == group, name)
            .or_else(|| self.first(|found| found.starts_with(group), name))
    }

    fn first(&self, is_in: impl Fn(&str) -> bool, name: &str) -> Option<&Resource> {
        let in_group = || self.resources.iter().filter(|found| is_in(&found.group));
        // Several short names go by order; of several full ones kubectl takes the plural or singular, whichever comes first.
        in_group()
            .find(|found| is_full(found, name))
            .or_else(|| in_group().find(|found| is_short(found, name)))
    }
}

fn is_full(resource: &Resource, name: &str) -> bool {
    resource.plural == name || resource.singular == name || resource.kind.to_lowercase() == name
}

fn is_short(resource: &Resource, name: &str) -> bool {
    resource.short_names.iter().any(|short| short.to_lowercase() == name)
}
