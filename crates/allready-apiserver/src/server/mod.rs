//! The front door: a server to hold in a test, to give to `kube::Client`, or to listen with.

mod builder;
mod error;
mod kubeconfig;
mod listen;
mod manifests;
mod state;
#[cfg(test)]
mod tests;
mod tls;

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
};

use serde_json::Value;

pub use builder::Builder;
pub use error::{BuildError, StateError};
pub use kubeconfig::kubeconfig;
pub use listen::Listening;

use crate::{
    fault::Faults,
    http::{self, Service, Shared, auth::Trust},
    resource::User,
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
///
/// ```
/// # use allready_apiserver::server::Keep;
/// # use k8s_openapi::api::core::v1::Namespace;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = allready_apiserver::ApiServer::new();
/// let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
/// let shop: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
/// namespaces.create(&Default::default(), &shop).await.unwrap();
///
/// server.restart(Keep::Data);
/// assert!(namespaces.get("shop").await.is_ok());
/// server.restart(Keep::Nothing);
/// assert!(namespaces.get("shop").await.is_err());
/// # });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The objects; connections and watches end, and the past is forgotten.
    Data,
    /// Nothing but how the server was built.
    Nothing,
}

/// Why a server does not listen.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = allready_apiserver::ApiServer::new();
/// use allready_apiserver::server::ListenError;
///
/// let everywhere = "0.0.0.0:0".parse().unwrap();
/// assert!(matches!(server.listen(everywhere).await, Err(ListenError::Remote(address)) if address == everywhere));
/// # });
/// ```
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

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// A server with the built-in kinds and the namespaces of every cluster.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::new();
    /// assert_eq!(server.watches(), 0);
    /// ```
    pub fn new() -> Self {
        Builder::default().bare()
    }

    /// A server to be told more about.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::builder().seed(7).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The server as a service for `kube::Client::new`, without a socket. Whoever holds it is administrator.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let client = kube::Client::new(server.service(), "default");
    /// assert_eq!(client.apiserver_version().await.unwrap().minor, "36");
    /// # });
    /// ```
    pub fn service(&self) -> Service {
        self.service_as(http::auth::admin())
    }

    /// The server as a service for `kube::Client::new` that speaks as someone: for tests of what a controller may do with the
    /// roles that it is installed with.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use allready_apiserver::{ApiServer, User};
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
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::new();
    /// server.define(allready_apiserver::catalog::gateway())?;
    /// let twice = server.define(allready_apiserver::catalog::gateway()).unwrap_err();
    /// assert_eq!((twice.code, twice.reason), (409, "AlreadyExists"));
    /// # Ok::<(), allready_apiserver::status::Failure>(())
    /// ```
    pub fn define(&self, crd: Value) -> Result<(), Failure> {
        self.shared.define(crd)
    }

    /// The bearer token that clients over a socket show.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::new();
    /// assert_ne!(server.token(), allready_apiserver::ApiServer::new().token(), "every server makes its own");
    /// ```
    pub fn token(&self) -> &str {
        self.shared.token()
    }

    /// The faults to let happen.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// use allready_apiserver::fault::{Effect, Rule};
    ///
    /// server.faults().add(Rule::new(Effect::Unavailable));
    /// let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> =
    ///     kube::Api::all(kube::Client::new(server.service(), "default"));
    /// assert!(namespaces.get("default").await.is_err());
    /// # });
    /// ```
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }

    /// Writes everything that is stored into one file, for [`Builder::load`]. It appears in one piece, in place of an earlier
    /// one; a file that no server saved is never replaced. Secrets are in it: its owner alone may read it. What is not in it:
    /// the past, tokens that service accounts were given, faults, and how the server was built.
    ///
    /// ```
    /// use allready_apiserver::{ApiServer, server::StateError};
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// let notes = directory.path().join("notes.txt");
    /// std::fs::write(&notes, "mine").unwrap();
    /// assert!(matches!(ApiServer::new().save(&notes), Err(StateError::Foreign { .. })));
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StateError> {
        state::save(path.as_ref(), &self.shared.engine().store().everything(), self.shared.drawn())
    }

    /// A number that moves with every write, so that one may tell whether there is something to [`save`](Self::save).
    ///
    /// ```
    /// assert!(allready_apiserver::ApiServer::new().revision() > 0);
    /// ```
    pub fn revision(&self) -> u64 {
        self.shared.engine().store().revision()
    }

    /// Forgets the past: watches and pages from older versions get 410.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// # let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> =
    /// #     kube::Api::all(kube::Client::new(server.service(), "default"));
    /// use kube::api::ListParams;
    ///
    /// let page = namespaces.list(&ListParams::default().limit(1)).await.unwrap();
    /// # let shop = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
    /// namespaces.create(&Default::default(), &shop).await.unwrap();
    /// server.compact();
    /// let next = ListParams::default().limit(1).continue_token(&page.metadata.continue_.unwrap());
    /// assert!(matches!(namespaces.list(&next).await, Err(kube::Error::Api(status)) if status.code == 410));
    /// # });
    /// ```
    pub fn compact(&self) {
        self.shared.engine().compact();
    }

    /// Ends every watch that is open now, as the real server does from time to time.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// # let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> =
    /// #     kube::Api::all(kube::Client::new(server.service(), "default"));
    /// use futures::{StreamExt, pin_mut};
    ///
    /// let events = namespaces.watch(&Default::default(), "0").await.unwrap();
    /// server.close_watches();
    /// pin_mut!(events);
    /// while events.next().await.is_some() {}
    /// assert_eq!(server.watches(), 0);
    /// # });
    /// ```
    pub fn close_watches(&self) {
        self.shared.close_watches();
    }

    /// How many watches are open.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// # let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> =
    /// #     kube::Api::all(kube::Client::new(server.service(), "default"));
    /// let events = namespaces.watch(&Default::default(), "0").await.unwrap();
    /// assert_eq!(server.watches(), 1);
    /// drop(events);
    /// # });
    /// ```
    pub fn watches(&self) -> usize {
        self.shared.watches()
    }

    /// What a restart of the process does: every connection is cut. Who listens goes on listening, on the same address.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// # let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> =
    /// #     kube::Api::all(kube::Client::new(server.service(), "default"));
    /// use allready_apiserver::server::Keep;
    ///
    /// let before = namespaces.get("default").await.unwrap().metadata.uid;
    /// server.restart(Keep::Data);
    /// assert_eq!(namespaces.get("default").await.unwrap().metadata.uid, before);
    /// # });
    /// ```
    pub fn restart(&self, keep: Keep) {
        self.shared.restart(keep == Keep::Data);
    }

    /// Listens with HTTPS, under a certificate authority made for this server, with HTTP/1.1 and HTTP/2. Port 0 takes a
    /// free one. Addresses beyond this machine are refused.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// assert!(listening.url().starts_with("https://127.0.0.1:"));
    /// # });
    /// ```
    pub async fn listen(&self, address: SocketAddr) -> Result<Listening, ListenError> {
        self.listen_with(address, Listen::default()).await
    }

    /// Listens with plain HTTP, on this machine alone. `kubectl` and other clients built on client-go send no token without
    /// encryption, whatever their kubeconfig says, and are nobody here: for them, [`listen`](Self::listen) with HTTPS.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen_http("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// assert!(listening.ca().is_none() && listening.url().starts_with("http://127.0.0.1:"));
    /// # });
    /// ```
    pub async fn listen_http(&self, address: SocketAddr) -> Result<Listening, ListenError> {
        self.listen_with(address, Listen { plain: true, ..Listen::default() }).await
    }

    /// Listens as told.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// use allready_apiserver::server::Listen;
    ///
    /// let how = Listen { plain: true, ..Listen::default() };
    /// let listening = server.listen_with("127.0.0.1:0".parse().unwrap(), how).await.unwrap();
    /// assert!(listening.url().starts_with("http://"));
    /// # });
    /// ```
    pub async fn listen_with(&self, address: SocketAddr, how: Listen) -> Result<Listening, ListenError> {
        if !how.allow_remote && !is_loopback(address.ip()) {
            return Err(ListenError::Remote(address));
        }
        listen::listen(&self.shared, address, how.plain).await
    }
}

/// How to listen.
///
/// ```
/// use allready_apiserver::server::Listen;
///
/// assert_eq!(Listen::default(), Listen { plain: false, allow_remote: false });
/// ```
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
