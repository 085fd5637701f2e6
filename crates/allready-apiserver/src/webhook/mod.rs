//! The HTTP client that calls webhooks: one connection a call, from a thread of its own, so that it works within any runtime
//! and without one.
//!
//! Follows `k8s.io/apiserver/pkg/util/webhook/client.go`. As there, the query of a URL is left out (and validation refuses one),
//! and without a `caBundle` the authorities of the system are trusted.

mod check;

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig as Tls, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

pub(crate) use check::{service_problems, url_problems};

/// The most bytes of an answer.
const LONGEST: usize = 3 * 1024 * 1024;

/// The addresses of services, by namespace and name: nothing here routes to the addresses of a cluster.
#[derive(Default)]
pub(crate) struct Services(RwLock<HashMap<(String, String), SocketAddr>>);

impl Services {
    /// Says where a service listens.
    pub(crate) fn set(&self, namespace: &str, name: &str, address: SocketAddr) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.insert((namespace.to_owned(), name.to_owned()), address);
    }

    fn get(&self, namespace: &str, name: &str) -> Option<SocketAddr> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&(namespace.to_owned(), name.to_owned())).copied()
    }
}

/// `clientConfig` of a webhook.
pub(crate) struct ClientConfig {
    target: Target,
    roots: Result<Vec<CertificateDer<'static>>, String>,
}

enum Target {
    Url(String),
    Service { namespace: String, name: String, port: u64, path: String },
}

/// The sentence of `NewGenericServerResponse` of `k8s.io/apimachinery/pkg/api/errors` for a code of HTTP.
fn refusal(status: u16) -> &'static str {
    match status {
        401 => "the server has asked for the client to provide credentials",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        409 => "the server reported a conflict",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        500.. => "an error on the server (\"unknown\") has prevented the request from succeeding",
        _ => "the server rejected our request for an unknown reason",
    }
}

/// The target of a call.
struct Route {
    secure: bool,
    host: String,
    port: u16,
    /// The address of the host, where its name does not say it.
    address: Option<SocketAddr>,
    path: String,
}

impl ClientConfig {
    pub(crate) fn read(config: &Value) -> Self {
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let service = &config["service"];
        let target = if service.is_object() {
            Target::Service {
                namespace: text(service, "namespace"),
                name: text(service, "name"),
                port: service["port"].as_u64().unwrap_or(443),
                path: text(service, "path"),
            }
        } else {
            Target::Url(text(config, "url"))
        };
        let bundle = BASE64_STANDARD.decode(text(config, "caBundle")).map_err(|error| error.to_string());
        let roots = bundle.and_then(|bundle| {
            if bundle.trim_ascii().is_empty() {
                return Ok(rustls_native_certs::load_native_certs().certs);
            }
            CertificateDer::pem_slice_iter(&bundle)
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())
        });
        Self { target, roots }
    }

    /// Posts a review and reads the answer, within a time.
    pub(crate) fn post(
        &self,
        review: &Value,
        timeout: Duration,
        services: &Services,
    ) -> Result<Value, String> {
        let route = self.route(services)?;
        let seconds = timeout.as_secs();
        let scheme = if route.secure { "https" } else { "http" };
        let default = if route.secure { 443 } else { 80 };
        let shown = if route.address.is_none() && route.port == default && !self.shows_port() {
            route.host.clone()
        } else {
            format!("{}:{}", route.host, route.port)
        };
        let query = format!("{}?timeout={seconds}s", route.path);
        let url = format!("{scheme}://{shown}{query}");
        let body = Bytes::from(review.to_string());
        let work = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            runtime.block_on(async {
                match tokio::time::timeout(timeout, self.exchange(&route, &query, body)).await {
                    Ok(outcome) => outcome,
                    Err(_) => Err("context deadline exceeded".to_owned()),
                }
            })
        };
        // A runtime cannot be started within another one, so the call has a thread.
        let outcome = thread::scope(|scope| scope.spawn(work).join());
        let (status, reply) = outcome
            .unwrap_or_else(|_| Err("the call panicked".to_owned()))
            .map_err(|why| format!("Post {}: {why}", crate::status::quote(&url)))?;
        if !(200..300).contains(&status) {
            return Err(refusal(status).to_owned());
        }
        serde_json::from_slice(&reply).map_err(|error| error.to_string())
    }

    fn shows_port(&self) -> bool {
        matches!(self.target, Target::Service { .. })
    }

    fn route(&self, services: &Services) -> Result<Route, String> {
        match &self.target {
            Target::Url(url) => {
                let uri: Uri = url.parse().map_err(|_| format!("Unparsable URL: {url}"))?;
                let host = uri.host().ok_or("webhook configuration must have either service or URL")?;
                let secure = uri.scheme_str() != Some("http");
                Ok(Route {
                    secure,
                    host: host.to_owned(),
                    port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
                    address: None,
                    path: uri.path().to_owned(),
                })
            }
            Target::Service { namespace, name, port, path } => {
                let slash = if path.starts_with('/') { "" } else { "/" };
                let address = services.get(namespace, name);
                Ok(Route {
                    secure: true,
                    host: format!("{name}.{namespace}.svc"),
                    port: u16::try_from(*port).map_err(|error| error.to_string())?,
                    address: Some(
                        address.ok_or_else(|| format!("service {} not found", crate::status::quote(name)))?,
                    ),
                    path: format!("{slash}{path}"),
                })
            }
        }
    }

    async fn exchange(&self, route: &Route, query: &str, body: Bytes) -> Result<(u16, Bytes), String> {
        let stream = match route.address {
            Some(address) => TcpStream::connect(address).await,
            None => TcpStream::connect((route.host.trim_matches(['[', ']']), route.port)).await,
        };
        let stream = stream.map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::ConnectionRefused => "connect: connection refused".to_owned(),
                _ => error.to_string(),
            };
            format!("dial tcp {}:{}: {why}", route.host, route.port)
        })?;
        if !route.secure {
            return send(stream, route, query, body).await;
        }
        let mut roots = RootCertStore::empty();
        // Of the authorities of a system, some may be beyond this reader.
        roots.add_parsable_certificates(self.roots.clone()?);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = Tls::builder_with_provider(provider).with_safe_default_protocol_versions();
        let tls = tls.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(route.host.trim_matches(['[', ']']).to_owned());
        let name = name.map_err(|error| error.to_string())?;
        let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await;
        let stream = stream.map_err(|error| {
            let text = error.to_string();
            if text.contains("UnknownIssuer") {
                "tls: failed to verify certificate: x509: certificate signed by unknown authority".to_owned()
            } else {
                format!("tls: {text}")
            }
        })?;
        send(stream, route, query, body).await
    }
}

async fn send<S>(stream: S, route: &Route, query: &str, body: Bytes) -> Result<(u16, Bytes), String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let said = |error: hyper::Error| {
        if error.is_incomplete_message() { "EOF".to_owned() } else { error.to_string() }
    };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(said)?;
    let driver = tokio::spawn(connection);
    let request = Request::post(query)
        .header(header::HOST, format!("{}:{}", route.host, route.port))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, */*")
        .header(header::USER_AGENT, "kube-apiserver-admission")
        .body(Full::new(body))
        .map_err(|error| error.to_string())?;
    let response = sender.send_request(request).await.map_err(said)?;
    let status = response.status().as_u16();
    let body =
        Limited::new(response.into_body(), LONGEST).collect().await.map_err(|error| error.to_string())?;
    driver.abort();
    Ok((status, body.to_bytes()))
}
