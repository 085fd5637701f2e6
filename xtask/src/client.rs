//! A plain HTTP client: one request, one answer, connections kept alive, nothing decided behind the caller's back.
//!
//! It adds no header that the caller did not ask for, so that two servers see the same bytes; and it costs little, so that
//! a benchmark measures the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Where a server listens, and how it is trusted.
#[derive(Clone)]
pub struct Endpoint {
    /// `host:port`.
    pub address: String,
    /// The certificate authority of an HTTPS server, as PEM; `None` speaks plain HTTP.
    pub authority: Option<String>,
    /// The bearer token of the administrator.
    pub token: String,
}

impl Endpoint {
    /// The base URL.
    pub fn url(&self) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// What to send. The token of the endpoint is used unless another one is named.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// Headers beside `Host` and `Authorization`.
    pub headers: Vec<(String, String)>,
    /// The body; empty means none.
    pub body: Bytes,
    /// Another user's token; an empty one sends none.
    pub token: Option<String>,
}

/// A connection, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type Sender = SendRequest<Full<Bytes>>;

/// A client of one server.
#[derive(Clone)]
pub struct Client {
    endpoint: Arc<Endpoint>,
    tls: Option<TlsConnector>,
    idle: Arc<Mutex<Vec<Sender>>>,
}

impl Client {
    /// A client that trusts exactly the endpoint's own authority.
    pub fn new(endpoint: Endpoint) -> Result<Self> {
        let tls = endpoint.authority.as_deref().map(connector).transpose()?;
        Ok(Self { endpoint: Arc::new(endpoint), tls, idle: Arc::default() })
    }

    /// Where this client goes.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// How connections are encrypted; `None` for plain HTTP.
    pub fn encryption(&self) -> Option<&Arc<rustls::ClientConfig>> {
        self.tls.as_ref().map(TlsConnector::config)
    }

    /// Sends a call and reads its answer, over a kept connection where one is idle.
    pub async fn send(&self, call: &Call) -> Result<Answer> {
        let limit = Duration::from_secs(70);
        tokio::time::timeout(limit, self.exchange(call))
            .await
            .with_context(|| format!("{} {} got no answer within {limit:?}", call.method, call.path))?
    }

    async fn exchange(&self, call: &Call) -> Result<Answer> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut sender = match kept {
            Some(sender) if !sender.is_closed() => sender,
            _ => self.connect().await?,
        };
        let request = self.request(call)?;
        let response = match sender.send_request(request).await {
            Ok(response) => response,
            // The server may close an idle connection just when it is taken up again; a second one is fresh.
            Err(error) if error.is_canceled() || error.is_closed() => {
                sender = self.connect().await?;
                sender.send_request(self.request(call)?).await?
            }
            Err(error) => return Err(error).with_context(|| format!("{} {}", call.method, call.path)),
        };
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        if !sender.is_closed() && sender.ready().await.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        }
        Ok(Answer { status: head.status, headers: head.headers, body })
    }

    /// Sends a call over a connection of its own and hands back the head and the running body.
    pub async fn stream(&self, call: &Call) -> Result<Response<Incoming>> {
        let mut sender = self.connect().await?;
        Ok(sender.send_request(self.request(call)?).await?)
    }

    /// A GET as the administrator.
    pub async fn get(&self, path: &str) -> Result<Answer> {
        self.send(&Call { path: path.to_owned(), ..Call::default() }).await
    }

    fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path)
            .header(header::HOST, &self.endpoint.address);
        let token = call.token.as_deref().unwrap_or(&self.endpoint.token);
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        request
            .body(Full::new(call.body.clone()))
            .with_context(|| format!("{} {} is no request", call.method, call.path))
    }

    async fn connect(&self) -> Result<Sender> {
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(self.raw().await?)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }

    /// A fresh connection, encrypted where the server wants it, for whoever speaks for themselves.
    pub async fn raw(&self) -> Result<Box<dyn Stream>> {
        let address = &self.endpoint.address;
        let tcp =
            TcpStream::connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
        tcp.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(tcp)) };
        let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        Ok(Box::new(tls.connect(name, tcp).await.with_context(|| format!("TLS with {address}"))?))
    }
}

fn connector(authority: &str) -> Result<TlsConnector> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        roots.add(certificate.context("the certificate authority is no PEM")?)?;
    }
    if roots.is_empty() {
        bail!("the kubeconfig names no certificate authority");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
