//! The data plane: the table chooses the backend of a request, and the request is passed on.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc};

use allready_gateway::cluster::Endpoints;
use allready_gateway::http::{Table, answer, server_config};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, StatusCode, server::conn::http1, service::service_fn};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpListener, net::TcpStream, sync::watch};
use tokio_rustls::TlsAcceptor;
use tokio_util::either::Either;

/// The answer of a backend, or one that has no body.
type Body = http_body_util::Either<Incoming, Empty<Bytes>>;

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

    pub(crate) async fn serve(self, at: SocketAddr, port: TcpListener, is_tls: bool) {
        let table = self.table.clone();
        let tls = is_tls.then(|| TlsAcceptor::from(server_config(at, move || table.borrow().clone())));
        loop {
            let Ok((stream, _)) = port.accept().await else { continue };
            tokio::spawn(self.clone().connection(at, stream, tls.clone()));
        }
    }

    async fn connection(self, at: SocketAddr, stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<()> {
        let stream = match tls {
            Some(tls) => Either::Left(tls.accept(stream).await?),
            None => Either::Right(stream),
        };
        let service = service_fn(async |request| {
            let answer = self.answer(at, request).await;
            Ok::<_, Infallible>(answer.unwrap_or_else(|answer| answer.map(|()| Body::Right(Empty::new()))))
        });
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.map_err(io::Error::other)
    }

    async fn answer(
        &self,
        at: SocketAddr,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Response<()>> {
        let (mut parts, body) = request.into_parts();
        let table = self.table.borrow().clone();
        let forward = table.route(at, &mut parts, fastrand::u64(..))?;
        let ready = self.endpoints.ready(forward.service, forward.port);
        let endpoint = fastrand::choice(ready).ok_or_else(|| answer(StatusCode::SERVICE_UNAVAILABLE))?;
        forward.send_to(endpoint, &mut parts);
        let response = self.client.request(Request::from_parts(parts, body)).await;
        let mut response = response.map_err(|_| answer(StatusCode::BAD_GATEWAY))?.map(Body::Left);
        forward.change_response(response.headers_mut());
        Ok(response)
    }
}
