//! The pages of the controller: metrics and probes.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use allready_kube::{lease::Leadership, metrics::WriteMetrics};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use kube::Client;
use prometheus_client::{encoding::text::encode, metrics::gauge::ConstGauge, registry::Registry};
use tokio::{net::TcpListener, sync::watch, time::sleep};

use super::is_leading;

/// What is served.
#[derive(Clone)]
pub(super) struct Pages(Arc<Inner>);

struct Inner {
    /// What writes cost, and what each of the counts is called.
    writes: Vec<(&'static str, WriteMetrics)>,
    /// None where this is the only replica.
    leadership: Option<watch::Receiver<Leadership>>,
    is_reached: AtomicBool,
}

impl Pages {
    pub(super) fn new(
        writes: Vec<(&'static str, WriteMetrics)>,
        leadership: Option<watch::Receiver<Leadership>>,
    ) -> Self {
        Self(Arc::new(Inner { writes, leadership, is_reached: AtomicBool::new(false) }))
    }

    /// Asks the API server who it is until it has answered.
    pub(super) async fn reached(&self, client: &Client) {
        while let Err(error) = client.apiserver_version().await {
            tracing::warn!(%error, "the API server does not answer; trying again");
            sleep(Duration::from_secs(2)).await;
        }
        self.0.is_reached.store(true, Ordering::Release);
    }

    /// Serves until the task is dropped.
    pub(super) async fn serve(self, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Too many open files, mostly: they become fewer again.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            let pages = self.clone();
            tokio::spawn(async move {
                let service = service_fn(|request: Request<Incoming>| {
                    let page = pages.page(request.method(), request.uri().path());
                    async { Ok::<_, Infallible>(page) }
                });
                let mut connection = http1::Builder::new();
                connection.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
                // Whoever hangs up has read enough.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    fn page(&self, method: &Method, path: &str) -> Response<Full<Bytes>> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return answer(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD\n".to_owned());
        }
        match path {
            "/healthz" => answer(StatusCode::OK, PLAIN, "ok\n".to_owned()),
            "/readyz" if self.0.is_reached.load(Ordering::Acquire) => {
                answer(StatusCode::OK, PLAIN, "ok\n".to_owned())
            }
            "/readyz" => answer(
                StatusCode::SERVICE_UNAVAILABLE,
                PLAIN,
                "the API server has not been reached yet\n".to_owned(),
            ),
            "/metrics" => match self.metrics() {
                Ok(text) => answer(StatusCode::OK, METRICS, text),
                Err(error) => answer(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, format!("{error}\n")),
            },
            _ => answer(StatusCode::NOT_FOUND, PLAIN, "there is /metrics, /healthz and /readyz\n".to_owned()),
        }
    }

    fn metrics(&self) -> Result<String, std::fmt::Error> {
        let mut registry = Registry::with_prefix("allready");
        for (prefix, writes) in &self.0.writes {
            writes.register(registry.sub_registry_with_prefix(prefix));
        }
        let leads = self.0.leadership.as_ref().is_none_or(|leadership| is_leading(&leadership.borrow()));
        registry.register("leading", "Whether this replica writes", ConstGauge::new(i64::from(leads)));
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

fn answer(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn text(pages: &Pages, path: &str) -> (u16, String) {
        let response = pages.page(&Method::GET, path);
        let status = response.status().as_u16();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let body = runtime.block_on(response.into_body().collect()).unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn it_is_ready_once_the_api_server_was_reached_and_alive_all_the_time() {
        let pages = Pages::new(Vec::new(), None);
        assert_eq!((text(&pages, "/healthz").0, text(&pages, "/readyz").0), (200, 503));
        pages.0.is_reached.store(true, Ordering::Release);
        assert_eq!(text(&pages, "/readyz").0, 200);
    }

    #[test]
    fn metrics_say_what_was_written_and_who_leads() {
        let (writes, hub) = (WriteMetrics::default(), WriteMetrics::default());
        let (leadership, seen) = watch::channel(Leadership::Following { holder: None });
        let both = vec![("config_status", writes.clone()), ("hub", hub.clone())];
        let pages = Pages::new(both, Some(seen));
        writes.sent.inc();
        hub.sent.inc_by(2);
        let (status, following) = text(&pages, "/metrics");
        assert_eq!(status, 200);
        assert!(following.contains("allready_config_status_writes_total 1\n"), "{following}");
        assert!(following.contains("allready_hub_writes_total 2\n"), "{following}");
        assert!(following.contains("allready_leading 0\n"), "{following}");
        leadership.send_replace(Leadership::Leading { term: 1 });
        assert!(text(&pages, "/metrics").1.contains("allready_leading 1\n"));
    }

    #[test]
    fn nothing_else_is_served() {
        let pages = Pages::new(Vec::new(), None);
        assert_eq!(text(&pages, "/metrics/../etc").0, 404);
        assert_eq!(pages.page(&Method::POST, "/metrics").status(), 405);
    }
}
