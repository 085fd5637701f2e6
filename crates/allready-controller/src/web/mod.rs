//! The live view: a page that shows how everything in a cluster is, what the causes are, and what changed, while it changes.
//!
//! | module | job |
//! |---|---|
//! | `facts` | what is remembered of an object beside its health |
//! | `page`, `object` | pure: from the state of a cluster to what is shown |
//! | `delta` | pure: from what is shown to what is shown next |
//! | `route` | pure: which page a request is for, and whether it is answered |
//! | `timeline` | what changed, in memory and in a file |
//! | `source` | one cluster that is followed, by `allready_inspect::live` |
//! | `server` | HTTP/1, and server-sent events |
//!
//! It serves whoever is on this machine, and nobody else: see [`refuse_others`]. It only reads, and only `get`, `list` and `watch` are
//! asked of a cluster.

mod delta;
mod facts;
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
};

use allready_inspect::declared::Declared;
use kube::Client;
use tokio::{net::TcpListener, sync::Semaphore};

use self::source::Source;
use crate::program::text::tame;

/// The most pages that are kept up to date at the same time.
const MAX_STREAMS: usize = 64;

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
        Self { sources: Arc::default(), streams: Arc::new(Semaphore::new(MAX_STREAMS)), memory }
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

/// Refuses an address that others than this machine can reach: the page shows whatever its own credentials may read, and does not ask
/// who is looking.
///
/// ```
/// use allready_controller::web::refuse_others;
///
/// assert!(refuse_others("127.0.0.1:8081".parse().unwrap()).is_ok());
/// assert!(refuse_others("0.0.0.0:8081".parse().unwrap()).unwrap_err().contains("port-forward"));
/// ```
///
/// # Errors
/// Advice.
pub fn refuse_others(address: SocketAddr) -> Result<(), String> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(format!(
        "refusing to serve the live view on {address}: it does not ask who is looking; give an address such as 127.0.0.1:{}, and reach \
         that of a pod with kubectl port-forward",
        address.port()
    ))
}
