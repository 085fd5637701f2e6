//! One request, understood: what the HTTP shell hands to `rest`.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use jiff::Timestamp;

use super::{Endpoint, Resource};

/// When something is done, and the randomness for it: [`Call::now`] and [`Call::random`].
pub(crate) type Stamp = (Timestamp, [u8; 32]);

/// What is to be done to which resource.
#[derive(Clone)]
pub(crate) struct Call {
    /// What to do.
    pub verb: Verb,
    /// To what.
    pub resource: Arc<Resource>,
    /// In which version, such as `v1`.
    pub version: String,
    /// In which namespace; `None` for cluster-scoped kinds and for all namespaces.
    pub namespace: Option<String>,
    /// The object; `None` for collections.
    pub name: Option<String>,
    /// Which endpoint of it.
    pub endpoint: Endpoint,
    /// The query, decoded, in order.
    pub query: Vec<(String, String)>,
    /// The body, and what it says it is.
    pub body: Bytes,
    /// `Content-Type` without parameters, lower case; empty when absent.
    pub content_type: String,
    /// Who speaks.
    pub user: User,
    /// `User-Agent`; the part before the first `/` is the field manager where none is named.
    pub agent: String,
    /// When the request arrived.
    pub now: Timestamp,
    /// Randomness for what the request may need: a uid and the suffix of a generated name.
    pub random: [u8; 32],
}

/// What a request does.
///
/// ```
/// use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
///
/// let server = ApiServer::new();
/// server.faults().add(Rule::new(Effect::Conflict).verb(Verb::Patch).next_calls(3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Read one object.
    Get,
    /// Read many.
    List,
    /// Follow changes.
    Watch,
    /// Make one.
    Create,
    /// Replace one.
    Update,
    /// Change a part of one.
    Patch,
    /// Remove one.
    Delete,
    /// Remove many.
    DeleteCollection,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// `system:admin`.
    pub name: String,
    /// `system:masters`, `system:authenticated`.
    pub groups: Vec<String>,
    /// Further facts about them, such as the node in the token of a service account.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Someone who is known, in no other group than that of all who are.
    ///
    /// ```
    /// use allready_apiserver::User;
    ///
    /// let user = User::new("jane").in_group("developers");
    /// assert_eq!(user.groups, ["developers", "system:authenticated"]);
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        let groups = vec!["system:authenticated".to_owned()];
        Self { name: name.into(), groups, extra: BTreeMap::new() }
    }

    /// The same, in one more group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        let before = self.groups.len().saturating_sub(1);
        self.groups.insert(before, group.into());
        self
    }

    /// The same, with one more thing known of them.
    ///
    /// ```
    /// use allready_apiserver::User;
    ///
    /// let user = User::service_account("lab", "speaker").with_extra("authentication.kubernetes.io/node-name", ["one"]);
    /// assert_eq!(user.extra["authentication.kubernetes.io/node-name"], ["one"]);
    /// ```
    #[must_use]
    pub fn with_extra<V: Into<String>>(
        mut self,
        key: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.extra.insert(key.into(), values.into_iter().map(Into::into).collect());
        self
    }

    /// A service account: what a controller in a cluster is.
    ///
    /// ```
    /// use allready_apiserver::User;
    ///
    /// let user = User::service_account("shop", "operator");
    /// assert_eq!(user.name, "system:serviceaccount:shop:operator");
    /// ```
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::new(format!("system:serviceaccount:{namespace}:{name}"))
            .in_group("system:serviceaccounts")
            .in_group(format!("system:serviceaccounts:{namespace}"))
    }
}

impl Call {
    /// The first value of a query parameter: the one that counts for the real server.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a query parameter.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }
}
