//! The server that a scenario is played against.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use allready_apiserver::{ApiServer, server::Listening};
use k8s_openapi::{
    api::core::v1::Namespace, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Config, ResourceExt as _,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
    config::{AuthInfo, KubeConfigOptions, Kubeconfig},
    runtime::{conditions::is_crd_established, wait::await_condition},
};
use tokio::{
    process::Child,
    sync::{Mutex, MutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock},
};

use crate::{
    kubectl::{Begun, Output, Program},
    patience::within,
};

/// An API server, and clients of it as the administrator.
pub struct Server {
    client: Client,
    kubeconfig: PathBuf,
    embedded: Option<(ApiServer, Listening)>,
    directory: tempfile::TempDir,
    /// Held from the first definition on, for as long as the scenario is played.
    kinds: std::sync::Mutex<Option<OwnedRwLockReadGuard<()>>>,
}

/// Scenarios on the real server that cannot share it take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// Scenarios on the real server share its definitions, unless one replaces them.
static KINDS: LazyLock<Arc<RwLock<()>>> = LazyLock::new(Arc::default);

static NAMES: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// A fresh embedded server that listens with HTTPS on loopback, as the real one does.
    pub async fn embedded() -> Self {
        // No controller manager runs beside the real server, so nothing may depend on one.
        let server = ApiServer::builder().controllers(false).build().expect("no definitions, no refusal");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listening = server.listen(address).await.expect("cannot listen on loopback");
        let directory = tempfile::tempdir().expect("no temporary directory");
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, listening.kubeconfig()).expect("cannot write a kubeconfig");
        let client = client(&kubeconfig).await;
        Self {
            client,
            kubeconfig,
            embedded: Some((server, listening)),
            directory,
            kinds: std::sync::Mutex::default(),
        }
    }

    /// The real kube-apiserver that `ALLREADY_REAL_KUBECONFIG` names.
    pub async fn real() -> Self {
        let kubeconfig = std::env::var_os("ALLREADY_REAL_KUBECONFIG")
            .map(PathBuf::from)
            .expect("ALLREADY_REAL_KUBECONFIG names no kubeconfig: run `cargo xtask e2e`");
        let directory = tempfile::tempdir().expect("no temporary directory");
        let client = client(&kubeconfig).await;
        Self { client, kubeconfig, embedded: None, directory, kinds: std::sync::Mutex::default() }
    }

    /// A client of it, as the administrator.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A client of it as somebody else: by a token of theirs, or by impersonation.
    pub async fn client_as(&self, who: impl FnOnce(&mut AuthInfo)) -> Client {
        let mut config = config(&self.kubeconfig).await;
        who(&mut config.auth_info);
        Client::try_from(config).expect("cannot make a client")
    }

    /// The embedded server itself, to let faults happen; the real one has none to offer.
    pub fn faulty(&self) -> Option<&ApiServer> {
        self.embedded.as_ref().map(|(server, _)| server)
    }

    /// This text made a name that no other scenario and no earlier run has.
    pub fn unique(&self, prefix: &str) -> String {
        let number = NAMES.fetch_add(1, Ordering::Relaxed);
        let started = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis() & 0xff_ffff;
        format!("{prefix}-{started:06x}-{number}")
    }

    /// A namespace of one's own.
    pub async fn namespace(&self, prefix: &str) -> String {
        let metadata = ObjectMeta { name: Some(self.unique(prefix)), ..ObjectMeta::default() };
        let wanted = Namespace { metadata, ..Namespace::default() };
        let made = Api::all(self.client()).create(&PostParams::default(), &wanted).await;
        made.expect("cannot make a namespace").name_any()
    }

    /// Defines a custom kind, and waits until it is served. Scenarios that define the same one agree on it.
    pub async fn define(&self, definition: CustomResourceDefinition) {
        if self.embedded.is_none() {
            let is_held = self.kinds.lock().is_ok_and(|held| held.is_some());
            if !is_held {
                let held = Arc::clone(&KINDS).read_owned().await;
                *self.kinds.lock().expect("nobody panics with it") = Some(held);
            }
        }
        Box::pin(self.replace(definition)).await;
    }

    /// The definitions of a real server for oneself: nobody who has defined something is still being played, and nobody begins.
    pub async fn own_kinds(&self) -> Option<OwnedRwLockWriteGuard<()>> {
        match self.embedded {
            Some(_) => None,
            None => Some(Arc::clone(&KINDS).write_owned().await),
        }
    }

    /// Defines a custom kind as one likes, which needs [`own_kinds`](Self::own_kinds), and waits until it is served.
    pub async fn replace(&self, definition: CustomResourceDefinition) {
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client());
        let (name, parameters) = (definition.name_any(), PatchParams::apply("allready-e2e").force());
        definitions
            .patch(&name, &parameters, &Patch::Apply(&definition))
            .await
            .expect("a definition is refused");
        let established = await_condition(definitions, &name, is_crd_established());
        within(Duration::from_secs(30), "the definition to be accepted", established)
            .await
            .expect("cannot watch definitions");
    }

    /// A turn on a real server that is one for all; an embedded one is never shared.
    pub async fn alone(&self) -> Option<MutexGuard<'static, ()>> {
        match self.embedded {
            Some(_) => None,
            None => Some(TURN.lock().await),
        }
    }

    /// The kubeconfig of the administrator, as text.
    pub fn kubeconfig(&self) -> String {
        std::fs::read_to_string(&self.kubeconfig).expect("cannot read the kubeconfig")
    }

    /// Where an embedded server listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.embedded.as_ref().map(|(_, listening)| listening.address())
    }

    /// Runs kubectl on it.
    pub async fn kubectl(&self, arguments: &[&str]) -> Output {
        crate::kubectl::run(Program::Kubectl, &self.kubeconfig, self.directory.path(), arguments).await
    }

    /// Runs the command line of allready on it.
    pub async fn allready(&self, arguments: &[&str]) -> Output {
        crate::kubectl::run(Program::Allready, &self.kubeconfig, self.directory.path(), arguments).await
    }

    /// Starts the program of the controllers on it, which is killed when it is dropped.
    pub fn controller(&self, arguments: &[&str]) -> Child {
        crate::kubectl::start(Program::Controller, &self.kubeconfig, self.directory.path(), arguments)
    }

    /// Begins to run the command line of allready on it.
    pub fn begin_allready(&self, arguments: &[&str]) -> Begun {
        crate::kubectl::begin(Program::Allready, &self.kubeconfig, self.directory.path(), arguments)
    }
}

async fn client(kubeconfig: &Path) -> Client {
    Client::try_from(config(kubeconfig).await).expect("cannot make a client")
}

async fn config(kubeconfig: &Path) -> Config {
    let read = Kubeconfig::read_from(kubeconfig).expect("cannot read the kubeconfig");
    Config::from_custom_kubeconfig(read, &KubeConfigOptions::default())
        .await
        .expect("the kubeconfig names no server")
}
