//! Sockets: accepting, encrypting, serving, and cutting connections.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
};
use tokio_rustls::TlsAcceptor;
use tower::Service as _;

use super::{ListenError, kubeconfig, tls};
use crate::http::{Service, Shared, auth::Trust, watch::Endings};

/// How many requests one HTTP/2 connection may have open: watches are many.
const STREAMS: u32 = 4096;

/// A server that listens. Dropping it stops listening and cuts its connections.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = allready_apiserver::ApiServer::new();
/// let listening = server.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
/// let config = kube::config::Kubeconfig::from_yaml(&listening.kubeconfig()).unwrap();
/// let config = kube::Config::from_custom_kubeconfig(config, &Default::default()).await.unwrap();
/// let version = kube::Client::try_from(config).unwrap().apiserver_version().await.unwrap();
/// assert_eq!((version.major, version.minor), ("1".to_owned(), "36".to_owned()));
/// # });
/// ```
pub struct Listening {
    address: SocketAddr,
    ca: Option<String>,
    token: String,
    stop: watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Listening {
    /// Where.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen_http("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// assert_ne!(listening.address().port(), 0, "a free port was taken");
    /// # });
    /// ```
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address as clients write it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen_http("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// assert_eq!(listening.url(), format!("http://{}", listening.address()));
    /// # });
    /// ```
    pub fn url(&self) -> String {
        let scheme = if self.ca.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", reachable(self.address))
    }

    /// The certificate authority as PEM; `None` for plain HTTP.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// assert!(listening.ca().unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
    /// # });
    /// ```
    pub fn ca(&self) -> Option<&str> {
        self.ca.as_deref()
    }

    /// A kubeconfig that `kubectl` and every other client uses as it is. With plain HTTP, `kubectl` sends no token.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// let file = std::env::temp_dir().join(format!("kubeconfig-{}", listening.address().port()));
    /// std::fs::write(&file, listening.kubeconfig()).unwrap();
    /// assert!(std::fs::read_to_string(&file).unwrap().contains(&listening.url()));
    /// # std::fs::remove_file(file).unwrap();
    /// # });
    /// ```
    pub fn kubeconfig(&self) -> String {
        kubeconfig(&self.url(), self.ca(), &self.token)
    }

    /// Stops listening and cuts what is connected.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = allready_apiserver::ApiServer::new();
    /// let listening = server.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    /// let address = listening.address();
    /// listening.shutdown().await;
    /// assert!(std::net::TcpStream::connect(address).is_err());
    /// # });
    /// ```
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        let _ = (&mut self.task).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// Where a client on this machine finds a server that listens everywhere.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    address
}

pub(super) async fn listen(
    shared: &Arc<Shared>,
    address: SocketAddr,
    plain: bool,
) -> Result<Listening, ListenError> {
    let failed = |error| ListenError::Address(address, error);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let identity = if plain {
        None
    } else {
        Some(tls::identity(address.ip()).map_err(|error| ListenError::Certificate(error.to_string()))?)
    };
    let (ca, acceptor) = match identity {
        Some(identity) => (Some(identity.ca), Some(TlsAcceptor::from(identity.config))),
        None => (None, None),
    };
    shared.listens_on(reachable(address).to_string(), ca.as_deref());
    let stop = watch::Sender::new(false);
    let token = shared.token().to_owned();
    let service = Service::new(Arc::clone(shared), Trust::Tokens(shared.users()));
    let door = Door {
        endings: shared.listen_for_endings(),
        stop: stop.subscribe(),
        patience: shared.patience(),
        service,
        acceptor,
    };
    let task = tokio::spawn(accept(listener, door));
    Ok(Listening { address, ca, token, stop, task })
}

/// What every connection needs.
#[derive(Clone)]
struct Door {
    service: Service,
    acceptor: Option<TlsAcceptor>,
    endings: watch::Receiver<Endings>,
    stop: watch::Receiver<bool>,
    patience: Duration,
}

async fn accept(listener: TcpListener, door: Door) {
    let mut stop = door.stop.clone();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let mut door = door.clone();
                let began = *door.endings.borrow_and_update();
                tokio::spawn(async move {
                    let (mut stop, mut endings) = (door.stop.clone(), door.endings.clone());
                    tokio::select! {
                        biased;
                        _ = stop.wait_for(|stop| *stop) => {}
                        _ = endings.wait_for(|now| now.cut != began.cut) => {}
                        () = connection(stream, door) => {}
                    }
                });
            }
            // Most often there are too many open files: some will be closed.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, door: Door) {
    let _ = stream.set_nodelay(true);
    let Some(acceptor) = &door.acceptor else {
        return serve(stream, &door, None).await;
    };
    let Ok(Ok(stream)) = tokio::time::timeout(door.patience, acceptor.accept(stream)).await else { return };
    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    serve(stream, &door, Some(http2)).await;
}

/// Serves one connection until its client leaves or a fault cuts it. Without TLS, the first bytes say which HTTP it is.
async fn serve<S>(stream: S, door: &Door, http2: Option<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(door.patience);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(STREAMS);
    let builder = match http2 {
        Some(true) => builder.http2_only(),
        Some(false) => builder.http1_only(),
        None => builder,
    };
    let cut = Arc::new(Notify::new());
    let noticed = Arc::clone(&cut);
    let service = door.service.clone();
    let service = hyper::service::service_fn(move |request| {
        let (mut service, cut) = (service.clone(), Arc::clone(&cut));
        async move {
            let answered = service.call(request).await;
            if answered.is_err() {
                cut.notify_one();
            }
            answered
        }
    });
    let serving = builder.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        biased;
        () = noticed.notified() => {}
        _ = serving => {}
    }
}
