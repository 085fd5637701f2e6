//! What reporters cost: many in one process, against the embedded server.
//!
//! `cargo bench -p allready-kube --bench reporters`. The server runs in the same process and shares its cores, so the times are
//! those of both; the memory is that of the reporters alone. Only reports, never fails.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on should stop")]

use std::{
    alloc::System,
    time::{Duration, Instant},
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use allready_kube::{
    kinds::StatusReport,
    report::{Identity, Layout, Outcome, ReportMetrics, Reporter, Running},
};
use futures::future::join_all;
use kube::{
    Api, Client, CustomResourceExt,
    api::PostParams,
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const REPORTERS: usize = 1_000;
const SHARING: usize = 50;
const ROUNDS: usize = 10;
const ALONE: usize = 500;
const MAX_BYTES: usize = 20_000;

#[tokio::main]
async fn main() {
    println!("report: handed to the reporter, and stored; one reconciler for each reporter, {ROUNDS} rounds");
    println!("together: all reporters report at once; alone: one at a time, {ALONE} times\n");
    println!(
        "{:<22} {:>9} {:>10} {:>20} {:>20} {:>14} {:>12}",
        "", "reporters", "reports/s", "together p50 / p99", "alone p50 / p99", "requests each", "memory each"
    );
    let sharded =
        measure("a report of their own", REPORTERS, &Layout::sharded("default", "config-status")).await;
    let one_for_all = Layout::singleton(resource(), "default", "config-status");
    measure("one object for all", SHARING, &one_for_all).await;

    println!("\nlimits for {REPORTERS} reporters with a report of their own");
    println!(
        "memory         {} B of at most {MAX_BYTES} B each: {}",
        sharded.bytes,
        verdict(sharded.bytes <= MAX_BYTES)
    );
    println!(
        "requests       {:.3} for each report, at most 1: {}",
        sharded.requests,
        verdict(sharded.requests <= 1.0)
    );
}

struct Figures {
    bytes: usize,
    requests: f64,
}

async fn measure(name: &str, count: usize, layout: &Layout) -> Figures {
    let server = ApiServer::builder()
        .crds([serde_json::to_value(StatusReport::crd()).unwrap(), kind()])
        .build()
        .unwrap();
    let client = Client::new(server.service(), "default");
    let objects: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource());
    objects.create(&PostParams::default(), &DynamicObject::new("config-status", &resource())).await.unwrap();

    let metrics = ReportMetrics::default();
    let reporters: Vec<(Reporter, Running)> = (0..count)
        .map(|node| {
            let identity =
                Identity::of("speaker").on(format!("ip-10-0-{}-{}.internal", node / 256, node % 256));
            Reporter::builder(client.clone(), identity, layout.clone()).metrics(metrics.clone()).spawn()
        })
        .collect();
    together(&reporters, usize::MAX).await;

    // A rule that never fires counts.
    let patches = server.faults().add(Rule::new(Effect::Conflict).verb(Verb::Patch).rate(0.0));
    let start = Instant::now();
    let mut latencies = Vec::with_capacity(count * ROUNDS);
    for round in 0..ROUNDS {
        latencies.extend(together(&reporters, round).await);
    }
    let elapsed = start.elapsed();
    let mut alone = Vec::with_capacity(ALONE);
    for turn in 0..ALONE {
        alone.push(report(&reporters[turn % count].0, ROUNDS + turn).await);
    }
    let reports = count * ROUNDS + ALONE;
    #[expect(clippy::cast_precision_loss, reason = "thousands fit")]
    let requests = server.faults().matched(patches) as f64 / reports as f64;

    // What goes when the reporters go was theirs; the store of the server stays.
    let region = Region::new(ALLOCATOR);
    join_all(reporters.into_iter().map(|(_, running)| running.stop(Duration::from_secs(5)))).await;
    let change = region.change();
    let bytes = change.bytes_deallocated.saturating_sub(change.bytes_allocated) / count;

    #[expect(clippy::cast_precision_loss, reason = "thousands fit")]
    let rate = (count * ROUNDS) as f64 / elapsed.as_secs_f64();
    println!(
        "{name:<22} {count:>9} {rate:>10.0} {:>20} {:>20} {requests:>14.3} {bytes:>10} B",
        percentiles(&mut latencies),
        percentiles(&mut alone),
    );
    Figures { bytes, requests }
}

async fn together(reporters: &[(Reporter, Running)], round: usize) -> Vec<Duration> {
    join_all(reporters.iter().map(|(reporter, _)| report(reporter, round))).await
}

/// How long it takes from a report until it is stored.
async fn report(reporter: &Reporter, round: usize) -> Duration {
    let start = Instant::now();
    reporter.report("configReconciler", Outcome::error(format_args!("peer {round} does not answer")));
    reporter.settled().await;
    start.elapsed()
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    format!("{:.2} / {:.2} ms", at(50), at(99))
}

fn verdict(holds: bool) -> &'static str {
    if holds { "within limit" } else { "OVER LIMIT" }
}

fn resource() -> ApiResource {
    let kind = GroupVersionKind::gvk("metallb.io", "v1beta1", "ConfigurationStatus");
    ApiResource::from_gvk_with_plural(&kind, "configurationstatuses")
}

fn kind() -> Value {
    let conditions = schemars::SchemaGenerator::default().subschema_for::<allready_core::Conditions>();
    let status = json!({ "type": "object", "properties": { "conditions": conditions } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "configurationstatuses.metallb.io" },
        "spec": {
            "group": "metallb.io",
            "scope": "Namespaced",
            "names": {
                "kind": "ConfigurationStatus", "listKind": "ConfigurationStatusList",
                "plural": "configurationstatuses", "singular": "configurationstatus",
            },
            "versions": [{
                "name": "v1beta1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": status } } },
            }],
        },
    })
}
