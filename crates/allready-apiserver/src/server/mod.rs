//! The front door: a server to hold in a test, to give to `kube::Client`, or to listen with.

pub(crate) mod boot;
mod kubeconfig;
mod listen;
mod shared;
#[cfg(test)]
mod tests;
mod tls;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use serde_json::Value;

pub use kubeconfig::kubeconfig;
pub use listen::Listening;
pub(crate) use shared::Shared;

use crate::{
    call::User,
    fault::Faults,
    http::{self, Service, auth::Trust},
    status::Failure,
};

/// An embedded Kubernetes API server. Clones are the same server.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use allready_apiserver::ApiServer;
/// use k8s_openapi::api::core::v1::Namespace;
///
/// let server = ApiServer::new();
/// let client = kube::Client::new(server.service(), "default");
/// let namespaces = kube::Api::<Namespace>::all(client);
/// assert!(namespaces.get_opt("default").await.unwrap().is_some());
/// # });
/// ```
#[derive(Clone)]
pub struct ApiServer {
    shared: Arc<Shared>,
}

/// What stays when a server is restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The objects; connections and watches end, and the past is forgotten.
    Data,
    /// Nothing but how the server was built.
    Nothing,
}

/// Why a server does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is one that others can reach.
    #[error(
        "{0} can be reached from other machines, and whoever has the token is administrator there: \
         listen on 127.0.0.1 or [::1], or allow remote clients in so many words"
    )]
    Remote(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Address(SocketAddr, #[source] std::io::Error),
    /// The certificate cannot be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(String),
}

/// How a server is built.
#[must_use]
pub struct Builder {
    crds: Vec<Value>,
    token: Option<String>,
    users: Vec<(String, User)>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    seed: Option<u64>,
    patience: Duration,
    controllers: bool,
}

impl Default for Builder {
    fn default() -> Self {
        let clock = Arc::new(Timestamp::now);
        let (crds, users) = (Vec::new(), Vec::new());
        let patience = Duration::from_secs(30);
        Self { crds, token: None, users, clock, seed: None, patience, controllers: true }
    }
}

impl Builder {
    /// `CustomResourceDefinition`s to begin with, as their manifests say.
    pub fn crds(mut self, crds: impl IntoIterator<Item = Value>) -> Self {
        self.crds.extend(crds);
        self
    }

    /// The bearer token that clients over a socket show; a random one when nothing is said.
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
    pub fn clock(self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Makes uids, generated names and the rates of faults come out the same every time.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// How long a client may take to send its request: 30 seconds when nothing is said.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Whether garbage is collected and deleted namespaces are emptied, as the controller manager of a cluster does. It is
    /// done unless told otherwise; a bare kube-apiserver does neither.
    pub fn controllers(self, run: bool) -> Self {
        Self { controllers: run, ..self }
    }

    /// The server; fails when a definition is refused, as the server would refuse it.
    pub fn build(self) -> Result<ApiServer, Failure> {
        let shared = Shared::new(self.token, self.users, self.clock, self.seed, self.patience);
        shared.engine().run_controllers(self.controllers);
        self.crds.into_iter().try_for_each(|crd| shared.define(crd))?;
        Ok(ApiServer { shared: Arc::new(shared) })
    }
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// A server with the built-in kinds and the namespaces of every cluster.
    pub fn new() -> Self {
        let Builder { token, users, clock, seed, patience, .. } = Builder::default();
        Self { shared: Arc::new(Shared::new(token, users, clock, seed, patience)) }
    }

    /// A server to be told more about.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The server as a service for `kube::Client::new`, without a socket. Whoever holds it is administrator.
    pub fn service(&self) -> Service {
        self.service_as(http::auth::admin())
    }

    /// The server as a service for `kube::Client::new` that speaks as someone: for tests of what a controller may do with the
    /// roles that it is installed with.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use allready_apiserver::{ApiServer, call::User};
    /// use k8s_openapi::api::core::v1::Namespace;
    ///
    /// let server = ApiServer::new();
    /// let client = kube::Client::new(server.service_as(User::service_account("shop", "operator")), "shop");
    /// let refused = kube::Api::<Namespace>::all(client).list(&Default::default()).await.unwrap_err();
    /// assert!(refused.to_string().contains("cannot list resource \"namespaces\""), "{refused}");
    /// # });
    /// ```
    pub fn service_as(&self, user: User) -> Service {
        Service::new(Arc::clone(&self.shared), Trust::Caller(user))
    }

    /// Defines a custom kind, as its manifest says. A restart without data defines it again.
    pub fn define(&self, crd: Value) -> Result<(), Failure> {
        self.shared.define(crd)
    }

    /// The bearer token that clients over a socket show.
    pub fn token(&self) -> &str {
        self.shared.token()
    }

    /// The faults to let happen.
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }

    /// Forgets the past: watches and pages from older versions get 410.
    pub fn compact(&self) {
        self.shared.engine().compact();
    }

    /// Ends every watch that is open now, as the real server does from time to time.
    pub fn close_watches(&self) {
        self.shared.close_watches();
    }

    /// How many watches are open.
    pub fn watches(&self) -> usize {
        self.shared.watches()
    }

    /// What a restart of the process does: every connection is cut. Who listens goes on listening, on the same address.
    pub fn restart(&self, keep: Keep) {
        self.shared.restart(keep);
    }

    /// Listens with HTTPS, under a certificate authority made for this server, with HTTP/1.1 and HTTP/2. Port 0 takes a
    /// free one. Addresses beyond this machine are refused.
    pub async fn listen(&self, address: SocketAddr) -> Result<Listening, ListenError> {
        self.listen_with(address, Listen::default()).await
    }

    /// Listens with plain HTTP, on this machine alone. `kubectl` and other clients built on client-go send no token without
    /// encryption, whatever their kubeconfig says, and are nobody here: for them, [`listen`](Self::listen) with HTTPS.
    pub async fn listen_http(&self, address: SocketAddr) -> Result<Listening, ListenError> {
        self.listen_with(address, Listen { plain: true, ..Listen::default() }).await
    }

    /// Listens as told.
    pub async fn listen_with(&self, address: SocketAddr, how: Listen) -> Result<Listening, ListenError> {
        if !how.allow_remote && !is_loopback(address.ip()) {
            return Err(ListenError::Remote(address));
        }
        listen::listen(&self.shared, address, how.plain).await
    }
}

/// How to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listen {
    /// Without encryption.
    pub plain: bool,
    /// Also where other machines can connect.
    pub allow_remote: bool,
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}
