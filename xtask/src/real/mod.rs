//! The real kube-apiserver with an etcd, on loopback.
//!
//! [`up`] leaves it running in a directory until [`down`]; [`Private`] is one for a single run that ends with it. Both are
//! built from `xtask/kube` once and cached outside the tree, unless the environment names another server.

mod build;
mod certificates;
mod process;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::client::{Client, Endpoint};
use crate::{kubeconfig, printer};
pub use build::{
    ARGO_ROLLOUTS, ENVOY_GATEWAY, GATEWAY_SUITE, Helm, argo_rollouts, argo_rollouts_version, envoy_gateway,
    gateway_programs, go_module, go_source, has_go, kubectl, program_directory,
};
pub use process::{processor_time_of, resident_memory_of};

/// The version of Kubernetes that everything is held to.
pub const VERSION: &str = "1.36.4";

/// Users beside the administrator, with their tokens; they start without any right.
pub const USERS: [(&str, &str); 2] = [("viewer", "viewer-token"), ("reporter", "reporter-token")];

const ADMIN_TOKEN: &str = "admin-token";

/// Where the environment points; read once, in `main`.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `ALLREADY_CACHE`, or the user's cache directory.
    pub cache: PathBuf,
    /// `KUBEBUILDER_ASSETS`: a directory with `kube-apiserver` and `etcd`.
    pub assets: Option<PathBuf>,
    /// `ALLREADY_REAL_KUBECONFIG`: any cluster, used as it is.
    pub kubeconfig: Option<PathBuf>,
}

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = path("ALLREADY_CACHE")
            .or_else(|| path("XDG_CACHE_HOME").map(|cache| cache.join("allready")))
            .or_else(|| path("HOME").map(|home| home.join(".cache/allready")))
            .unwrap_or_else(|| std::env::temp_dir().join("allready"));
        Self { cache, assets: path("KUBEBUILDER_ASSETS"), kubeconfig: path("ALLREADY_REAL_KUBECONFIG") }
    }

    /// Where a server lives that nobody gave a directory.
    pub fn default_directory(&self) -> PathBuf {
        self.cache.join("real")
    }
}

/// The parts of a control plane that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plane {
    /// kube-apiserver with its etcd.
    ApiServer,
    /// Those, kube-controller-manager, kube-scheduler, and kubelets that run no container.
    Whole,
}

/// Starts the server in `directory`, or finds it running there, and returns the path of its kubeconfig.
///
/// Safe to call from several processes at once: a lock file lets one start it and the others find it.
pub async fn up(environment: &Environment, directory: &Path, port: Option<u16>) -> Result<PathBuf> {
    start(environment, directory, port, Plane::ApiServer).await
}

/// Starts a whole control plane in `directory`, or finds it running there: kube-apiserver, kube-controller-manager,
/// kube-scheduler, and KWOK with these stages. A node counts as lost when its kubelet has been silent for that long. Returns the path
/// of its kubeconfig.
pub async fn up_control_plane(
    environment: &Environment,
    directory: &Path,
    stages: &str,
    lost_after: Duration,
) -> Result<PathBuf> {
    // A cluster that is given has its own.
    let environment = Environment { kubeconfig: None, ..environment.clone() };
    let kubeconfig = start(&environment, directory, None, Plane::Whole).await?;
    let directory = directory.canonicalize()?;
    let _lock = lock(&directory)?;
    if !process::has_control_plane(&directory) {
        process::start_control_plane(&environment, &directory, stages, lost_after)?;
    }
    Ok(kubeconfig)
}

/// Starts the controller of Argo Rollouts beside the control plane of `directory`, unless it runs. Its CRDs have to be there.
pub fn start_argo_rollouts(environment: &Environment, directory: &Path) -> Result<()> {
    let directory = directory.canonicalize()?;
    let _lock = lock(&directory)?;
    process::start_argo_rollouts(environment, &directory)
}

async fn start(
    environment: &Environment,
    directory: &Path,
    port: Option<u16>,
    plane: Plane,
) -> Result<PathBuf> {
    if let Some(given) = &environment.kubeconfig {
        ready(&Client::new(kubeconfig::read(given)?)?, Duration::from_secs(10), || Ok(())).await?;
        return Ok(given.clone());
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let directory = directory.canonicalize()?;
    let _lock = lock(&directory)?;
    let kubeconfig = directory.join("kubeconfig");
    if process::running(&directory) && kubeconfig.exists() {
        let client = Client::new(kubeconfig::read(&kubeconfig)?)?;
        ready(&client, Duration::from_mins(1), || process::alive(&directory)).await?;
        return Ok(kubeconfig);
    }
    process::stop(&directory)?;
    clear(&directory)?;
    let port = match port {
        Some(port) => port,
        None => std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port(),
    };
    let authority = certificates::write(&directory)?;
    write_tokens(&directory)?;
    let endpoint = Endpoint {
        address: format!("127.0.0.1:{port}"),
        authority: Some(authority),
        token: ADMIN_TOKEN.to_owned(),
    };
    fs::write(&kubeconfig, kubeconfig::render(&endpoint, &USERS))?;
    process::start(environment, &directory, port, plane)?;
    let waited = ready(&Client::new(endpoint)?, Duration::from_mins(2), || process::alive(&directory)).await;
    if waited.is_err() {
        process::stop(&directory)?;
    }
    waited.with_context(|| {
        format!("the server did not become ready; its log: {}", directory.join("log").display())
    })?;
    Ok(kubeconfig)
}

/// Stops the server of `directory`, if one runs, and removes its data.
pub fn down(directory: &Path) -> Result<()> {
    if !directory.exists() {
        return Ok(());
    }
    let directory = directory.canonicalize()?;
    let held = lock(&directory)?;
    process::stop(&directory)?;
    clear(&directory)?;
    // The lock file stays: removing it while another process waits for it would give two processes two locks.
    drop(held);
    Ok(())
}

/// A server of one's own: fresh, and gone with this value.
pub struct Private {
    directory: Option<tempfile::TempDir>,
    kubeconfig: PathBuf,
    /// How long it took from start to ready.
    pub started: Duration,
}

impl Private {
    /// Starts one, unless the environment names a cluster, which is then used as it is.
    pub async fn start(environment: &Environment) -> Result<Self> {
        if environment.kubeconfig.is_some() {
            let kubeconfig = up(environment, Path::new(""), None).await?;
            return Ok(Self { directory: None, kubeconfig, started: Duration::ZERO });
        }
        if environment.assets.is_none() {
            build::programs(environment)?;
        }
        let directory = tempfile::Builder::new().prefix("allready-real-").tempdir()?;
        let start = Instant::now();
        let kubeconfig = up(environment, directory.path(), None).await?;
        Ok(Self { directory: Some(directory), kubeconfig, started: start.elapsed() })
    }

    /// Its kubeconfig.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client of it, as the administrator.
    pub fn client(&self) -> Result<Client> {
        Client::new(kubeconfig::read(&self.kubeconfig)?)
    }

    /// Its processes; none for a cluster that runs elsewhere.
    pub fn processes(&self) -> Vec<u32> {
        self.directory.as_ref().map(|directory| process::processes(directory.path())).unwrap_or_default()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory
            && let Err(error) = down(directory.path())
        {
            printer::note(format!("a server is left in {}: {error:#}", directory.path().display()));
        }
    }
}

async fn ready(client: &Client, limit: Duration, still: impl Fn() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    loop {
        let said = match client.get("/readyz").await {
            Ok(answer) if answer.status.is_success() => return Ok(()),
            Ok(answer) => format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body)),
            Err(error) => format!("{error:#}"),
        };
        still()?;
        if start.elapsed() > limit {
            bail!("{} is not ready after {limit:?}: {said}", client.endpoint().url());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

/// Removes what a server of ours leaves, by name: a directory that was given by mistake loses nothing else.
fn clear(directory: &Path) -> Result<()> {
    let of_programs = ["argo-rollouts", "kwok", "kube-scheduler", "kube-controller-manager"]
        .iter()
        .flat_map(|program| [format!("{program}.pid"), format!("{program}.log")]);
    let names = [
        "data",
        "certificates",
        "etcd.pid",
        "pid",
        "log",
        "etcd.log",
        "tokens.csv",
        "kubeconfig",
        "stages.yaml",
    ];
    for name in names.map(str::to_owned).into_iter().chain(of_programs) {
        let path = directory.join(&name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn write_tokens(directory: &Path) -> Result<()> {
    let users = USERS.iter().map(|(name, token)| format!("{token},{name},{name}\n"));
    let lines: String =
        std::iter::once(format!("{ADMIN_TOKEN},admin,admin,\"system:masters\"\n")).chain(users).collect();
    Ok(fs::write(directory.join("tokens.csv"), lines)?)
}
