//! The live view: a page that shows how everything in a cluster is, what the causes are, and what changed, while it changes.
//!
//! | module | job |
//! |---|---|
//! | `facts` | what is remembered of an object beside its health |
//! | `page`, `object` | pure: from the state of a cluster to what is shown |
//! | `delta` | pure: from what is shown to what is shown next |
//! | `route` | pure: which page a request is for, and whether it is answered |
//! | `access` | pure: who is looking, and what they may see |
//! | `guard` | asks the API server for both |
//! | `timeline` | what changed, in memory and in a file |
//! | `source` | one cluster that is followed, by `allready_inspect::live` |
//! | `server` | HTTP/1, and server-sent events |
//!
//! It serves whoever is on this machine, and nobody else, unless it asks who is looking: see [`Door`]. It only reads: `get`, `list` and
//! `watch` are asked of a cluster, and reviews of tokens and access where somebody has to sign in.

mod access;
mod delta;
mod facts;
mod guard;
mod object;
mod page;
mod route;
mod server;
mod source;
#[cfg(test)]
mod tests;
mod timeline;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use allready_inspect::declared::Declared;
use kube::Client;
use tokio::{net::TcpListener, sync::Semaphore};

pub use self::access::Authentication;
use self::{
    access::Credential,
    guard::{Eyes, Guard, Stranger},
    source::Source,
};
use crate::program::text::tame;

/// The most pages that are kept up to date at the same time.
const MAX_STREAMS: usize = 64;
/// The time for which an answer of the API server about somebody is believed.
const BELIEVED: Duration = Duration::from_secs(30);

/// Foreign text, harmless and of this length at most.
fn text(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        None => tame(text),
        Some((end, _)) => tame(&text[..end]) + "…",
    }
}

/// The kinds and namespaces to follow.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its name in addresses, such as `hub`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Stay in this namespace.
    pub namespace: Option<String>,
    /// The declarations of files.
    pub declared: Declared,
    /// The file in which transitions outlive a restart.
    pub history: Option<PathBuf>,
}

impl Wanted {
    /// All namespaces, as declared in the cluster, remembered until the end.
    pub fn everything(name: &str, title: &str) -> Self {
        let (name, title) = (name.to_owned(), title.to_owned());
        Self { name, title, namespace: None, declared: Declared::default(), history: None }
    }
}

/// The page, and the clusters that it shows.
#[derive(Clone)]
pub struct View {
    sources: Arc<RwLock<Vec<Arc<Source>>>>,
    streams: Arc<Semaphore>,
    /// The most bytes of the objects of one cluster.
    memory: usize,
    /// None: nobody is asked.
    guard: Option<Arc<Guard>>,
    /// The names under which browsers reach it, beside those of this machine.
    hosts: Arc<Vec<String>>,
}

impl Default for View {
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

/// A cluster that is shown, until this is dropped.
pub struct Shown {
    view: View,
    source: Arc<Source>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut sources = self.view.sources.write().unwrap_or_else(PoisonError::into_inner);
        sources.retain(|source| !Arc::ptr_eq(source, &self.source));
        self.source.end();
    }
}

impl View {
    /// Remembers no more objects of a cluster than fit into so many bytes, as estimated, and says so where there are more.
    pub fn within(memory: usize) -> Self {
        let (sources, streams) = (Arc::default(), Arc::new(Semaphore::new(MAX_STREAMS)));
        Self { sources, streams, memory, guard: None, hosts: Arc::default() }
    }

    /// Shows nothing to anybody who does not come through this door. The client asks who they are.
    ///
    /// # RBAC
    /// `create` on `tokenreviews` and `subjectaccessreviews`.
    #[must_use]
    pub fn behind(self, door: &Door, client: Client) -> Self {
        self.believing(door, client, BELIEVED)
    }

    fn believing(self, door: &Door, client: Client, believed: Duration) -> Self {
        let is_secure = !door.address.ip().is_loopback();
        let guard = door.by.map(|by| Arc::new(Guard::new(by, client, believed, is_secure)));
        Self { guard, hosts: Arc::new(door.hosts.clone()), ..self }
    }

    /// Tells whether a `Host` is one of the names that were allowed.
    fn is_allowed(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() => name,
            _ => host,
        };
        self.guard.is_some() && self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }

    /// Whoever shows this proof.
    async fn eyes(&self, credential: Option<&Credential>) -> Result<Eyes, Stranger> {
        match (&self.guard, credential) {
            (None, _) => Ok(Eyes::Anybody),
            (Some(_), None) => Err(Stranger::Unknown),
            (Some(guard), Some(credential)) => Ok(guard.eyes(guard.viewer(credential).await?)),
        }
    }

    /// Follows a cluster, and shows it.
    ///
    /// # RBAC
    /// `list` and `watch` on every kind that is to be shown, `get` on what explains a cause. What is not permitted is said on the page.
    ///
    /// # Errors
    /// The file of the history cannot be used.
    pub fn show(&self, client: Client, wanted: Wanted) -> std::io::Result<Shown> {
        let source = Source::follow(client, wanted, self.memory)?;
        self.sources.write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&source));
        Ok(Shown { view: self.clone(), source })
    }

    fn source(&self, name: &str) -> Option<Arc<Source>> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.iter().find(|source| source.name == name).cloned()
    }

    /// Serves until this is dropped.
    pub async fn serve(&self, listener: &TcpListener) {
        server::serve(self, listener).await;
    }
}

/// The address of the view, and the people that it is served to.
///
/// ```
/// use allready_controller::web::{Authentication, Door};
///
/// let mut door = Door { address: "0.0.0.0:8081".parse().unwrap(), by: None, hosts: Vec::new() };
/// assert!(door.check().unwrap_err().contains("port-forward"));
/// door.by = Some(Authentication::Token);
/// assert!(door.check().unwrap_err().contains("name"));
/// door.hosts.push("status.example.com".to_owned());
/// assert!(door.check().is_ok());
/// door.by = Some(Authentication::Proxy);
/// assert!(door.check().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Door {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The way in which it asks who is looking; none: it does not.
    pub by: Option<Authentication>,
    /// The names under which browsers reach it, without ports, beside those of this machine.
    pub hosts: Vec<String>,
}

impl Door {
    /// The door that is open for this machine alone.
    pub fn local(address: SocketAddr) -> Self {
        Self { address, by: None, hosts: Vec::new() }
    }

    /// Refuses an address that others than this machine can reach, where the view does not ask who is looking, or would believe whoever
    /// says that they are a proxy.
    ///
    /// # Errors
    /// Advice.
    pub fn check(&self) -> Result<(), String> {
        let (address, port) = (self.address, self.address.port());
        let local = format!("give an address such as 127.0.0.1:{port}");
        let refused = format!("refusing to serve the live view on {address}");
        match self.by {
            None if !self.hosts.is_empty() => {
                Err("names of hosts are for a view that asks who is looking".to_owned())
            }
            _ if address.ip().is_loopback() => Ok(()),
            None => Err(format!(
                "{refused}: it does not ask who is looking; {local}, and reach that of a pod with kubectl port-forward"
            )),
            Some(Authentication::Proxy) => Err(format!(
                "{refused}: whoever reaches it could send the headers of a proxy; {local}, and run the proxy beside it"
            )),
            Some(Authentication::Token) if self.hosts.is_empty() => Err(format!(
                "{refused}: it does not know the name under which browsers reach it, and answers to no other"
            )),
            Some(Authentication::Token) => Ok(()),
        }
    }
}
