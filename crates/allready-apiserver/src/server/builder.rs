//! What is said about a server before there is one.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;

use super::ApiServer;
use crate::{http::Shared, resource::User, status::Failure};

/// How a server is built.
///
/// ```
/// use allready_apiserver::{ApiServer, catalog};
///
/// let server = ApiServer::builder().crds([catalog::gateway()]).token("secret").seed(7).build()?;
/// assert_eq!(server.token(), "secret");
/// # Ok::<(), allready_apiserver::status::Failure>(())
/// ```
#[must_use]
pub struct Builder {
    crds: Vec<Value>,
    token: Option<String>,
    users: Vec<(String, User)>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    seed: Option<u64>,
    patience: Duration,
    controllers: bool,
    webhook_services: Vec<(String, String, SocketAddr)>,
}

impl Default for Builder {
    fn default() -> Self {
        let clock = Arc::new(Timestamp::now);
        let (crds, users) = (Vec::new(), Vec::new());
        let patience = Duration::from_secs(30);
        let webhook_services = Vec::new();
        Self { crds, token: None, users, clock, seed: None, patience, controllers: true, webhook_services }
    }
}

impl Builder {
    /// `CustomResourceDefinition`s to begin with, as their manifests say.
    ///
    /// ```
    /// use allready_apiserver::{ApiServer, catalog};
    /// use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = ApiServer::builder().crds([catalog::gateway()]).build().unwrap();
    /// let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("gateway.networking.k8s.io", "v1", "Gateway"));
    /// let gateways = kube::Api::<DynamicObject>::all_with(kube::Client::new(server.service(), "default"), &kind);
    /// assert_eq!(gateways.list(&Default::default()).await.unwrap().items.len(), 0);
    /// # });
    /// ```
    pub fn crds(mut self, crds: impl IntoIterator<Item = Value>) -> Self {
        self.crds.extend(crds);
        self
    }

    /// The bearer token that clients over a socket show; a random one when nothing is said.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::builder().token("secret").build()?;
    /// assert_eq!(server.token(), "secret");
    /// # Ok::<(), allready_apiserver::status::Failure>(())
    /// ```
    pub fn token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// Someone else whom the server knows over a socket, by a bearer token. What they may do, the roles and bindings among
    /// the objects say, as in every cluster; in the group `system:masters` they may do everything.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::builder().user("secret", "jane", &["developers"]).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn user(mut self, token: impl Into<String>, name: impl Into<String>, groups: &[&str]) -> Self {
        let user = groups.iter().fold(User::new(name), |user, group| user.in_group(*group));
        self.users.push((token.into(), user));
        self
    }

    /// Where the time comes from.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = allready_apiserver::ApiServer::builder().clock(|| jiff::Timestamp::UNIX_EPOCH).build().unwrap();
    /// let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let shop: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
    /// let made = namespaces.create(&Default::default(), &shop).await.unwrap();
    /// assert_eq!(made.metadata.creation_timestamp.unwrap().0, jiff::Timestamp::UNIX_EPOCH);
    /// # });
    /// ```
    pub fn clock(self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Makes uids, generated names and the rates of faults come out the same every time.
    ///
    /// ```
    /// # use allready_apiserver::ApiServer;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let mut uids = Vec::new();
    /// for _ in 0..2 {
    ///     let server = ApiServer::builder().seed(7).build().unwrap();
    ///     let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    ///     let shop: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
    ///     uids.push(namespaces.create(&Default::default(), &shop).await.unwrap().metadata.uid);
    /// }
    /// assert_eq!(uids[0], uids[1]);
    /// # });
    /// ```
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// How long a client may take to send its request: 30 seconds when nothing is said.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let server = allready_apiserver::ApiServer::builder().patience(Duration::from_millis(100)).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Whether garbage is collected and deleted namespaces are emptied, as the controller manager of a cluster does. It is
    /// done unless told otherwise; a bare kube-apiserver does neither.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = allready_apiserver::ApiServer::builder().controllers(false).build().unwrap();
    /// let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let shop: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
    /// namespaces.create(&Default::default(), &shop).await.unwrap();
    /// namespaces.delete("shop", &Default::default()).await.unwrap();
    /// assert!(namespaces.get("shop").await.is_ok(), "nobody empties it, so it stays");
    /// # });
    /// ```
    pub fn controllers(self, run: bool) -> Self {
        Self { controllers: run, ..self }
    }

    /// The address of a Service that webhooks name in their `clientConfig`: nothing here routes to the addresses of a cluster.
    /// The certificate is that of `name.namespace.svc`, as in every cluster.
    ///
    /// ```
    /// let address = std::net::SocketAddr::from(([127, 0, 0, 1], 9443));
    /// let server = allready_apiserver::ApiServer::builder().webhook_service("shop", "checks", address).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn webhook_service(
        mut self,
        namespace: impl Into<String>,
        name: impl Into<String>,
        address: SocketAddr,
    ) -> Self {
        self.webhook_services.push((namespace.into(), name.into(), address));
        self
    }

    /// The server; fails when a definition is refused, as the server would refuse it.
    ///
    /// ```
    /// let refused = allready_apiserver::ApiServer::builder().crds([serde_json::json!({})]).build();
    /// assert_eq!(refused.err().map(|failure| failure.code), Some(422));
    /// ```
    pub fn build(self) -> Result<ApiServer, Failure> {
        let shared = Shared::new(self.token, self.users, self.clock, self.seed, self.patience);
        shared.engine().run_controllers(self.controllers);
        for (namespace, name, address) in &self.webhook_services {
            shared.engine().services().set(namespace, name, *address);
        }
        self.crds.into_iter().try_for_each(|crd| shared.define(crd))?;
        Ok(ApiServer { shared: Arc::new(shared) })
    }

    /// The server without definitions, which nothing refuses.
    pub(super) fn bare(self) -> ApiServer {
        let shared = Shared::new(self.token, self.users, self.clock, self.seed, self.patience);
        ApiServer { shared: Arc::new(shared) }
    }
}
