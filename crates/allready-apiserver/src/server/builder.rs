//! What is said about a server before there is one.

use std::{net::SocketAddr, ops::RangeInclusive, path::PathBuf, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde::Serialize;

use super::{
    ApiServer, BuildError,
    manifests::{self, Given, Source},
    state,
};
use crate::{
    builtin::Ranges,
    catalog::Set,
    http::{Clock, Setup, Shared},
    resource::User,
    store::Window,
};

/// How a server is built.
///
/// ```
/// use allready_apiserver::{ApiServer, catalog};
///
/// let server = ApiServer::builder()
///     .with([catalog::Set::ExternalDns])
///     .manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
///     .token("secret")
///     .build()?;
/// assert_eq!(server.token(), "secret");
/// # Ok::<(), allready_apiserver::server::BuildError>(())
/// ```
#[must_use]
pub struct Builder {
    sources: Vec<Source>,
    state: Option<PathBuf>,
    token: Option<String>,
    users: Vec<(String, User)>,
    clock: Clock,
    seed: Option<u64>,
    patience: Duration,
    window: Window,
    event_ttl: Duration,
    service_ips: Option<String>,
    node_ports: Option<RangeInclusive<u16>>,
    controllers: bool,
    webhook_services: Vec<(String, String, SocketAddr)>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            state: None,
            token: None,
            users: Vec::new(),
            clock: Arc::new(Timestamp::now),
            seed: None,
            patience: Duration::from_secs(30),
            window: Window::default(),
            event_ttl: Duration::from_hours(1),
            service_ips: None,
            node_ports: None,
            controllers: true,
            webhook_services: Vec::new(),
        }
    }
}

impl Builder {
    /// `CustomResourceDefinition`s to begin with: typed ones of any version of `k8s-openapi`, or what their manifests say.
    ///
    /// ```
    /// # #[derive(kube::CustomResource, schemars::JsonSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// # #[kube(group = "lab.example", version = "v1", kind = "Widget", namespaced)]
    /// # struct WidgetSpec { size: u32 }
    /// use allready_apiserver::ApiServer;
    /// use kube::{Api, CustomResourceExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = ApiServer::builder().crds([Widget::crd()]).build()?;
    /// let widgets = Api::<Widget>::default_namespaced(kube::Client::new(server.service(), "default"));
    /// widgets.create(&Default::default(), &Widget::new("a", WidgetSpec { size: 3 })).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn crds(self, crds: impl IntoIterator<Item = impl Serialize>) -> Self {
        self.objects(crds)
    }

    /// Objects to begin with, typed or not, with the status that they have. Definitions and namespaces are made first, in
    /// whatever order all of them are given.
    ///
    /// ```
    /// use allready_apiserver::ApiServer;
    /// use serde_json::json;
    ///
    /// let web = json!({
    ///     "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
    ///     "spec": {
    ///         "selector": { "matchLabels": { "app": "web" } },
    ///         "template": {
    ///             "metadata": { "labels": { "app": "web" } },
    ///             "spec": { "containers": [{ "name": "web", "image": "web" }] },
    ///         },
    ///     },
    ///     "status": { "replicas": 1 },
    /// });
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = ApiServer::builder().objects([web]).build().unwrap();
    /// let client = kube::Client::new(server.service(), "default");
    /// let deployments = kube::Api::<k8s_openapi::api::apps::v1::Deployment>::default_namespaced(client);
    /// assert_eq!(deployments.get("web").await.unwrap().status.unwrap().replicas, Some(1));
    /// # });
    /// ```
    pub fn objects(mut self, objects: impl IntoIterator<Item = impl Serialize>) -> Self {
        self.sources.extend(objects.into_iter().map(|object| Source::value(&object)));
        self
    }

    /// Objects to begin with, as documents in YAML or JSON.
    ///
    /// ```
    /// let refused = allready_apiserver::ApiServer::builder().manifests("a: b: c").build();
    /// assert!(refused.err().unwrap().to_string().starts_with("the text, document 1: "));
    /// ```
    pub fn manifests(mut self, text: impl Into<String>) -> Self {
        self.sources.push(Source::Text(text.into()));
        self
    }

    /// Objects to begin with, from a file of manifests or from those of a directory (`.yaml`, `.yml`, `.json`; not of the
    /// directories in it). They are read when the server is built.
    ///
    /// ```
    /// let missing = allready_apiserver::ApiServer::builder().files("config/crd").build();
    /// assert!(missing.err().unwrap().to_string().starts_with("cannot read config/crd: "));
    /// ```
    pub fn files(mut self, path: impl Into<PathBuf>) -> Self {
        self.sources.push(Source::Path(path.into()));
        self
    }

    /// The definitions of projects that many controllers work with, as these publish them.
    ///
    /// ```
    /// use allready_apiserver::{ApiServer, catalog::Set};
    ///
    /// assert!(ApiServer::builder().with([Set::GatewayApi, Set::CertManager]).build().is_ok());
    /// ```
    pub fn with(mut self, sets: impl IntoIterator<Item = Set>) -> Self {
        let definitions = sets.into_iter().flat_map(Set::definitions);
        self.sources.extend(definitions.map(|definition| Source::value(&definition)));
        self
    }

    /// Goes on from what [`ApiServer::save`] wrote. What else the server is given to begin with is made where it is missing.
    ///
    /// ```
    /// use allready_apiserver::ApiServer;
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// let file = directory.path().join("state");
    /// ApiServer::builder().manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}").build()?.save(&file)?;
    /// let server = ApiServer::builder().load(&file).build()?;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let namespaces = kube::Api::<k8s_openapi::api::core::v1::Namespace>::all(kube::Client::new(server.service(), "default"));
    /// assert!(namespaces.get("shop").await.is_ok());
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(self, path: impl Into<PathBuf>) -> Self {
        Self { state: Some(path.into()), ..self }
    }

    /// The amount of the past that is kept: so many changes of each kind, and so many bytes of what was replaced or deleted, of all
    /// kinds together. Watches and pages from older versions get 410. It is 4,096 changes and 2 MiB when nothing is said.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::builder().history(100_000, 64 << 20).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn history(self, changes: usize, bytes: usize) -> Self {
        Self { window: Window { changes, bytes }, ..self }
    }

    /// The time for which an Event is kept after it was last written: an hour by default, as by kube-apiserver. Those whose time is
    /// over go with the next request of anybody.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let server = allready_apiserver::ApiServer::builder().event_ttl(Duration::from_secs(60)).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn event_ttl(self, ttl: Duration) -> Self {
        Self { event_ttl: ttl, ..self }
    }

    /// The range that Services get their addresses from: `10.0.0.0/24` when nothing is said, as by kube-apiserver.
    ///
    /// ```
    /// # use allready_apiserver::ApiServer;
    /// assert!(ApiServer::builder().service_ips("10.96.0.0/16").build().is_ok());
    /// let error = ApiServer::builder().service_ips("10.96.0.1/16").build().err().unwrap();
    /// assert!(error.to_string().starts_with("10.96.0.1/16 is no range of IPv4 addresses"));
    /// ```
    pub fn service_ips(self, range: impl Into<String>) -> Self {
        Self { service_ips: Some(range.into()), ..self }
    }

    /// The range that Services get their node ports from: 30000 to 32767 when nothing is said, as by kube-apiserver.
    ///
    /// ```
    /// assert!(allready_apiserver::ApiServer::builder().node_ports(20_000..=20_100).build().is_ok());
    /// ```
    pub fn node_ports(self, ports: RangeInclusive<u16>) -> Self {
        Self { node_ports: Some(ports), ..self }
    }

    /// The bearer token that clients over a socket show; a random one when nothing is said.
    ///
    /// ```
    /// let server = allready_apiserver::ApiServer::builder().token("secret").build()?;
    /// assert_eq!(server.token(), "secret");
    /// # Ok::<(), allready_apiserver::server::BuildError>(())
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

    /// The server. The error names the file, the document and the object that is at fault.
    ///
    /// ```
    /// let refused = allready_apiserver::ApiServer::builder().crds([serde_json::json!({})]).build();
    /// assert!(matches!(refused.err(), Some(allready_apiserver::server::BuildError::Refused { .. })));
    /// ```
    pub fn build(mut self) -> Result<ApiServer, BuildError> {
        let given = manifests::read(std::mem::take(&mut self.sources))?;
        let loaded = self.state.as_deref().map(state::load).transpose()?;
        let mut ranges = Ranges::default();
        if let Some(range) = &self.service_ips {
            ranges = ranges.with_addresses(range).map_err(BuildError::Range)?;
        }
        if let Some(ports) = self.node_ports.take() {
            ranges = ranges.with_ports(ports).map_err(BuildError::Range)?;
        }
        let (controllers, services) = (self.controllers, std::mem::take(&mut self.webhook_services));
        let event_ttl = self.event_ttl;
        let shared = self.shared(ranges);
        shared.engine().run_controllers(controllers);
        shared.engine().keep_events_for(event_ttl);
        for (namespace, name, address) in &services {
            shared.engine().services().set(namespace, name, *address);
        }
        let resumed = loaded.is_some();
        if let Some((everything, drawn)) = loaded {
            shared.resume(everything, drawn);
        }
        for Given { place, object } in given {
            shared.give(object, resumed).map_err(|failure| BuildError::Refused { place, failure })?;
        }
        Ok(ApiServer { shared: Arc::new(shared) })
    }

    /// The server without anything else, which nothing refuses.
    pub(super) fn bare(self) -> ApiServer {
        ApiServer { shared: Arc::new(self.shared(Ranges::default())) }
    }

    fn shared(self, ranges: Ranges) -> Shared {
        let Self { token, users, clock, seed, patience, window, .. } = self;
        Shared::new(Setup { token, users, clock, seed, patience, window, ranges })
    }
}
