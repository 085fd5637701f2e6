//! The data plane: the table chooses the backend of a request, and the request is passed on.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc};

use allready_gateway::{cluster::Endpoints, http::Table, http::server_config};
use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, StatusCode, server::conn::http1, service::service_fn};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::{net::TcpListener, sync::watch};
use tokio_rustls::TlsAcceptor;

/// All that an answer needs: the table as it is now, the endpoints of Services, and connections to them.
#[derive(Clone)]
pub(crate) struct Proxy {
    table: watch::Receiver<Arc<Table>>,
    endpoints: Endpoints,
    client: Client<HttpConnector, Incoming>,
}

impl Proxy {
    pub(crate) fn new(table: watch::Receiver<Arc<Table>>, endpoints: Endpoints) -> Self {
        Self { table, endpoints, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    /// Serves a port for ever.
    pub(crate) fn serve(self, port: TcpListener, is_tls: bool) -> io::Result<impl Future<Output = ()>> {
        let at = port.local_addr()?;
        let table = self.table.clone();
        let tls = server_config(at, move || table.borrow().clone()).map_err(io::Error::other)?;
        let tls = is_tls.then(|| TlsAcceptor::from(Arc::new(tls)));
        Ok(async move {
            loop {
                let Ok((stream, _)) = port.accept().await else { continue };
                let (proxy, tls) = (self.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => proxy.connection(at, stream).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                proxy.connection(at, stream).await;
                            }
                        }
                    }
                });
            }
        })
    }

    async fn connection(&self, at: SocketAddr, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let service = service_fn(async |request| {
            let answer = self.answer(at, request).await;
            Ok::<_, Infallible>(answer.unwrap_or_else(|answer| answer.map(|()| Either::Right(Empty::new()))))
        });
        if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
            tracing::debug!("a connection to {at}: {error}");
        }
    }

    async fn answer(&self, at: SocketAddr, request: Request<Incoming>) -> Result<Answer, Response<()>> {
        let (mut parts, body) = request.into_parts();
        let table = self.table.borrow().clone();
        let forward = table.route(at, &mut parts, fastrand::u64(..))?;
        let endpoint = fastrand::choice(self.endpoints.ready(forward.service, forward.port));
        let endpoint = endpoint.ok_or_else(|| failed(StatusCode::SERVICE_UNAVAILABLE))?;
        let uri = format!("http://{endpoint}{}", parts.uri).parse();
        parts.uri = uri.map_err(|_| failed(StatusCode::BAD_REQUEST))?;
        let answer = self.client.request(Request::from_parts(parts, body)).await;
        let mut answer = answer.map_err(|_| failed(StatusCode::BAD_GATEWAY))?.map(Either::Left);
        forward.change_response(answer.headers_mut());
        Ok(answer)
    }
}

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

fn failed(status: StatusCode) -> Response<()> {
    let mut answer = Response::new(());
    *answer.status_mut() = status;
    answer
}
