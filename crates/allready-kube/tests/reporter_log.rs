//! What reporters log. A process of its own, because a subscriber holds for the whole of it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use allready_kube::{
    backoff::Backoff,
    kinds::StatusReport,
    report::{Identity, Layout, Outcome, ReportMetrics, Reporter},
};
use kube::CustomResourceExt;
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

/// Keeps the levels of what reporters log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<tracing::Level>>>);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("allready_kube::report")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(*event.metadata().level());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Log {
    fn lines(&self) -> Vec<tracing::Level> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[tokio::test]
async fn every_change_of_state_is_one_line_however_many_attempts_there_are() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let server = ApiServer::new();
    let client = kube::Client::new(server.service(), "default");
    let metrics = ReportMetrics::default();
    let quick = Backoff { min: Duration::from_millis(1), max: Duration::from_millis(2) };
    let (speaker, layout) =
        (Identity::of("speaker").on("kind-worker"), Layout::sharded("default", "config-status"));
    let builder = Reporter::builder(client, speaker, layout).backoff(quick).metrics(metrics.clone());
    let (reporter, _running) = builder.spawn();
    let after_attempts = async |count: u64| {
        let until = metrics.writes.retried.get() + count;
        let waiting = async {
            while metrics.writes.retried.get() < until {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it does not try");
    };

    reporter.report("configReconciler", Outcome::success());
    after_attempts(20).await;
    assert_eq!(log.lines(), [Level::WARN], "no definition");

    let forbidden = server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Patch));
    server.define(serde_json::to_value(StatusReport::crd()).unwrap()).unwrap();
    after_attempts(20).await;
    assert_eq!(log.lines(), [Level::WARN; 2], "no permission");

    server.faults().remove(forbidden);
    reporter.settled().await;
    assert_eq!(log.lines(), [Level::WARN, Level::WARN, Level::INFO], "it works");

    server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Patch).next_calls(1));
    reporter.report("configReconciler", Outcome::error("a"));
    reporter.settled().await;
    assert_eq!(log.lines().len(), 3, "one failure is no change of state");
}
