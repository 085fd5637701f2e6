//! The pages of the program: metrics and probes.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use allready_kube::metrics::WriteMetrics;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::{encoding::text::encode, metrics::gauge::ConstGauge, registry::Registry};
use tokio::{
    net::TcpListener,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{health::Health, metrics::ControllerMetrics};

/// The most connections at the same time. The oldest makes room for a new one: whoever keeps all of them open keeps no probe out.
const MAX_CONNECTIONS: usize = 64;
/// The time in which a connection has asked, and read the answer.
const LONGEST: Duration = Duration::from_secs(10);

/// The pages that are served.
#[derive(Clone)]
pub(super) struct Pages(Arc<Inner>);

struct Inner {
    health: Health,
    /// The counts of each controller, under its name.
    controllers: Vec<(&'static str, WriteMetrics, ControllerMetrics)>,
    /// Returns true if this replica writes.
    leading: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Pages {
    pub(super) fn new(
        health: Health,
        controllers: Vec<(&'static str, WriteMetrics, ControllerMetrics)>,
        leading: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Self {
        Self(Arc::new(Inner { health, controllers, leading }))
    }

    /// Serves until this is dropped.
    pub(super) async fn serve(&self, listener: &TcpListener) {
        let (mut connections, mut oldest) = (JoinSet::new(), VecDeque::new());
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Too many open files, mostly: they become fewer again.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            while connections.try_join_next().is_some() {}
            oldest.retain(|connection: &tokio::task::AbortHandle| !connection.is_finished());
            if oldest.len() >= MAX_CONNECTIONS {
                oldest.pop_front().inspect(tokio::task::AbortHandle::abort);
            }
            let pages = self.clone();
            let connection = connections.spawn(async move {
                let service = service_fn(|request: Request<Incoming>| {
                    let page = pages.page(request.method(), request.uri().path());
                    async { Ok::<_, Infallible>(page) }
                });
                let mut connection = http1::Builder::new();
                connection.timer(TokioTimer::new()).header_read_timeout(LONGEST).keep_alive(false);
                // Whoever hangs up has read enough, and whoever does not read has had the time to.
                let _ = timeout(LONGEST, connection.serve_connection(TokioIo::new(stream), service)).await;
            });
            oldest.push_back(connection);
        }
    }

    fn page(&self, method: &Method, path: &str) -> Response<Full<Bytes>> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return answer(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD\n".to_owned());
        }
        match path {
            "/healthz" => probed(self.0.health.is_healthy(Instant::now())),
            "/readyz" => probed(self.0.health.readiness(Instant::now())),
            "/metrics" => match self.metrics() {
                Ok(text) => answer(StatusCode::OK, METRICS, text),
                Err(error) => answer(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, format!("{error}\n")),
            },
            _ => answer(StatusCode::NOT_FOUND, PLAIN, "there is /metrics, /healthz and /readyz\n".to_owned()),
        }
    }

    fn metrics(&self) -> Result<String, std::fmt::Error> {
        let mut registry = Registry::with_prefix("allready");
        for (prefix, writes, work) in &self.0.controllers {
            let registry = registry.sub_registry_with_prefix(prefix);
            writes.register(registry);
            work.register(registry, Instant::now());
        }
        self.0.health.register(&mut registry);
        let leads = i64::from((self.0.leading)());
        registry.register("leading", "Whether this replica writes", ConstGauge::new(leads));
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }
}

fn probed(outcome: Result<(), String>) -> Response<Full<Bytes>> {
    match outcome {
        Ok(()) => answer(StatusCode::OK, PLAIN, "ok\n".to_owned()),
        Err(reason) => answer(StatusCode::SERVICE_UNAVAILABLE, PLAIN, reason),
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
    use std::{
        collections::BTreeMap,
        sync::atomic::{AtomicBool, Ordering},
    };

    use allready_core::Status;
    use http_body_util::BodyExt as _;

    use super::*;

    fn pages(health: &Health) -> Pages {
        Pages::new(health.clone(), Vec::new(), Arc::new(|| true))
    }

    fn text(pages: &Pages, path: &str) -> (u16, String) {
        let response = pages.page(&Method::GET, path);
        let status = response.status().as_u16();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let body = runtime.block_on(response.into_body().collect()).unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn it_is_ready_while_its_watches_see_and_alive_while_its_loop_turns() {
        let health = Health::new(Duration::from_millis(20));
        let pages = pages(&health);
        health.set_watch("nodes", Err("forbidden".to_owned()));
        assert_eq!(text(&pages, "/healthz"), (200, "ok\n".to_owned()));
        let blind = "1 of 1 watches cannot be seen:\nnodes: forbidden\n";
        assert_eq!(text(&pages, "/readyz"), (503, blind.to_owned()));
        health.set_watch("nodes", Ok(()));
        assert_eq!(text(&pages, "/readyz"), (200, "ok\n".to_owned()));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(text(&pages, "/healthz").0, 503);
        assert_eq!(text(&pages, "/readyz"), (503, "the main loop has made no progress for 0 s\n".to_owned()));
        health.beat();
        assert_eq!(text(&pages, "/healthz").0, 200);
    }

    #[test]
    fn metrics_say_what_was_written_and_who_leads() {
        let (writes, hub) = (WriteMetrics::default(), WriteMetrics::default());
        let leads = Arc::new(AtomicBool::new(false));
        let both = vec![
            ("config_status", writes.clone(), ControllerMetrics::default()),
            ("hub", hub.clone(), ControllerMetrics::default()),
        ];
        let leading = Arc::clone(&leads);
        let pages = Pages::new(Health::default(), both, Arc::new(move || leading.load(Ordering::Relaxed)));
        writes.sent.inc();
        hub.sent.inc_by(2);
        let (status, following) = text(&pages, "/metrics");
        assert_eq!(status, 200);
        assert!(following.contains("allready_config_status_writes_total 1\n"), "{following}");
        assert!(following.contains("allready_hub_writes_total 2\n"), "{following}");
        assert!(following.contains("allready_leading 0\n"), "{following}");
        leads.store(true, Ordering::Relaxed);
        assert!(text(&pages, "/metrics").1.contains("allready_leading 1\n"));
    }

    /// Name, kind and help of each metric in a text for Prometheus.
    fn families(text: &str) -> BTreeMap<String, (String, String)> {
        let mut families = BTreeMap::<String, (String, String)>::new();
        for line in text.lines() {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "HELP", name, help] => {
                    families.entry(name.to_owned()).or_default().1 = help.trim_end_matches('.').to_owned();
                }
                ["#", "TYPE", name, kind] => families.entry(name.to_owned()).or_default().0 = kind.to_owned(),
                _ => {}
            }
        }
        families
    }

    #[test]
    fn every_metric_is_in_the_table_of_the_documentation_and_nothing_else_is() {
        let (health, work, now) = (Health::default(), ControllerMetrics::default(), Instant::now());
        health.set_watch("nodes", Ok(()));
        work.set_queue(1, Some(now));
        work.set_in_flight(1);
        work.wrote(now);
        work.received(1);
        work.set_reconciles(1);
        work.set_clusters(1, 1);
        work.set_dangling(1);
        work.set_lag("eu-1", Duration::from_secs(1));
        work.ready_became(Status::False);
        let controllers = vec![("hub", WriteMetrics::default(), work)];
        let served = text(&Pages::new(health, controllers, Arc::new(|| true)), "/metrics").1;
        assert!(served.contains("allready_hub_ready_transitions_total{to=\"False\"} 1\n"), "{served}");
        assert!(served.contains("allready_hub_cluster_lag_seconds{cluster=\"eu-1\"} 1.0\n"), "{served}");
        assert!(served.contains("allready_watch_up{watch=\"nodes\"} 1\n"), "{served}");

        let documented = include_str!("../../../../docs/metrics.md");
        let rows = documented.lines().filter_map(|line| line.strip_prefix("| `allready_"));
        let told: BTreeMap<String, (String, String)> = rows
            .map(|row| {
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                let [name, kind, help, ..] = cells[..] else { panic!("{row}") };
                // Here one controller has the metrics of all.
                let name = name.split(['`', '{']).next().unwrap_or_default();
                let name = name.replace("CONTROLLER", "hub").replace("gateway", "hub");
                let name = format!("allready_{}", name.trim_end_matches("_total"));
                (name, (kind.to_owned(), help.to_owned()))
            })
            .collect();
        assert_eq!(told, families(&served));
    }

    #[tokio::test]
    async fn a_flood_of_readers_who_do_not_read_keeps_no_probe_waiting_and_holds_few_connections() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = pages(&Health::default());
        tokio::spawn(async move { served.serve(&listener).await });
        let request = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        let mut flood = Vec::new();
        for number in 0..3 * MAX_CONNECTIONS {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            // Some say nothing, and others half of what they want.
            stream.write_all(&request[..(number % 2) * 9]).await.unwrap();
            flood.push(stream);
        }
        let mut probe = tokio::net::TcpStream::connect(address).await.unwrap();
        probe.write_all(request).await.unwrap();
        let mut told = String::new();
        timeout(Duration::from_secs(5), probe.read_to_string(&mut told)).await.unwrap().unwrap();
        assert!(told.starts_with("HTTP/1.1 200") && told.ends_with("ok\n"), "{told}");
        let mut open = 0;
        for mut stream in flood {
            let ended = timeout(Duration::from_millis(10), stream.read(&mut [0; 1])).await;
            open += usize::from(ended.is_err());
        }
        assert!((1..MAX_CONNECTIONS).contains(&open), "{open} are open");
    }

    #[test]
    fn nothing_else_is_served() {
        let pages = pages(&Health::default());
        assert_eq!(text(&pages, "/metrics/../etc").0, 404);
        assert_eq!(pages.page(&Method::POST, "/metrics").status(), 405);
    }
}
