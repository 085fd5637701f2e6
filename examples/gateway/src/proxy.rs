//! The data plane: finds the rule for a request in the table, and passes the request on.

use std::{convert::Infallible, net::IpAddr, net::SocketAddr, sync::Arc};

use allready_gateway::{ObjectKey, http::Table};
use futures::{StreamExt as _, future::ready};
use http_body_util::{Either, Empty};
use hyper::{
    Request, Response, StatusCode, body::Bytes, body::Incoming, server::conn::http1, service::service_fn,
};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::runtime::{WatchStreamExt as _, reflector, reflector::Store, watcher};
use kube::{Api, ResourceExt as _};
use tokio::{net::TcpListener, sync::watch};

/// All that an answer needs: the table as it is now, the endpoints of Services, and connections to them.
#[derive(Clone)]
pub(crate) struct Proxy {
    table: watch::Receiver<Arc<Table>>,
    slices: Store<EndpointSlice>,
    client: Client<HttpConnector, Incoming>,
}

impl Proxy {
    pub(crate) fn new(cluster: kube::Client, table: watch::Receiver<Arc<Table>>) -> Self {
        let (slices, writer) = reflector::store();
        let watched = watcher(Api::all(cluster), watcher::Config::default()).default_backoff();
        tokio::spawn(reflector::reflector(writer, watched).for_each(|_| ready(())));
        Self { table, slices, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    pub(crate) async fn serve(self, at: SocketAddr, port: TcpListener) {
        loop {
            let Ok((stream, _)) = port.accept().await else { continue };
            let proxy = self.clone();
            let service = service_fn(move |request| {
                let proxy = proxy.clone();
                async move { Ok::<_, Infallible>(proxy.answer(at, request).await.unwrap_or_else(plain)) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    }

    async fn answer(&self, at: SocketAddr, request: Request<Incoming>) -> Result<Answer, StatusCode> {
        let (mut parts, body) = request.into_parts();
        let table = self.table.borrow().clone();
        let rule = table.find(at, &parts).ok_or(StatusCode::NOT_FOUND)?;
        let backend = rule.backend(fastrand::u64(..));
        let filters = rule.filters(backend);
        if let Some(redirect) = filters.redirect(at.port(), &parts) {
            return Ok(redirect.map(|()| Either::Right(Empty::new())));
        }
        let found = backend.and_then(|backend| backend.found.as_ref());
        let (service, port) = found.ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
        let endpoint = self.endpoint(service, port).ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
        filters.change_request(&mut parts);
        parts.uri = format!("http://{endpoint}{}", parts.uri).parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        let answer = self.client.request(Request::from_parts(parts, body)).await;
        let mut answer = answer.map_err(|_| StatusCode::BAD_GATEWAY)?.map(Either::Left);
        filters.change_response(answer.headers_mut());
        Ok(answer)
    }

    /// Any endpoint of a Service that is ready.
    fn endpoint(&self, service: &ObjectKey, port: &str) -> Option<SocketAddr> {
        let mut found = Vec::<(IpAddr, u16)>::new();
        for slice in self.slices.state() {
            let of = slice.labels().get("kubernetes.io/service-name").map(String::as_str);
            if (slice.namespace().as_deref(), of) != (Some(&*service.namespace), Some(&*service.name)) {
                continue;
            }
            let named =
                slice.ports.iter().flatten().find(|one| one.name.as_deref().unwrap_or_default() == port);
            let Some(port) = named.and_then(|one| u16::try_from(one.port?).ok()) else { continue };
            let ready = slice.endpoints.iter().flatten();
            let ready = ready.filter(|one| one.conditions.as_ref().and_then(|all| all.ready) != Some(false));
            let addresses = ready.flat_map(|one| &one.addresses).filter_map(|address| address.parse().ok());
            found.extend(addresses.map(|address| (address, port)));
        }
        fastrand::choice(found).map(SocketAddr::from)
    }
}

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

fn plain(status: StatusCode) -> Answer {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = status;
    answer
}
