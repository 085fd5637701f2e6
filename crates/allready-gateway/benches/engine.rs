//! What statuses cost: all of them, and those of one change.
//!
//! `cargo bench -p allready-gateway --bench engine`. 1,000 Gateways with 10 listeners each, and 100 to 20,000 routes. Fails over the limits:
//! 1 s for everything, 1 ms for a change of a route at the median, 200 MB.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    alloc::System,
    collections::BTreeMap,
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

use allready_core::Time;
use allready_gateway::{Engine, Object, ObjectKey, Support};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const GATEWAYS: usize = 1_000;
const LISTENERS: usize = 10;
const ROUTES: [usize; 4] = [100, 1_000, 10_000, 20_000];
const CHANGES: usize = 500;
const MAX_WHOLE: Duration = Duration::from_secs(1);
const MAX_CHANGE: Duration = Duration::from_millis(1);
const MAX_BYTES: usize = 200_000_000;

fn main() -> ExitCode {
    println!(
        "{GATEWAYS} Gateways with {LISTENERS} listeners each; limits at the most routes: {MAX_WHOLE:?}, {MAX_CHANGE:?}, 200 MB\n"
    );
    println!(
        "{:>7} {:>9} {:>9} {:>12} {:>9} {:>12} {:>12} {:>12}",
        "routes", "read", "whole", "route p50", "p99", "Gateway p50", "Service p50", "memory"
    );
    let mut is_within = true;
    for routes in ROUTES {
        let figures = measure(routes);
        let is_good =
            figures.whole <= MAX_WHOLE && figures.route.p50 <= MAX_CHANGE && figures.bytes <= MAX_BYTES;
        is_within &= is_good;
        println!(
            "{routes:>7} {:>6} ms {:>6} ms {:>9} µs {:>6} µs {:>9} µs {:>9} µs {:>9} KiB{}",
            figures.read.as_millis(),
            figures.whole.as_millis(),
            figures.route.p50.as_micros(),
            figures.route.p99.as_micros(),
            figures.gateway.p50.as_micros(),
            figures.service.p50.as_micros(),
            figures.bytes >> 10,
            if is_good { "" } else { "  OVER LIMIT" },
        );
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Figures {
    read: Duration,
    whole: Duration,
    route: Times,
    gateway: Times,
    service: Times,
    bytes: usize,
}

struct Times {
    p50: Duration,
    p99: Duration,
}

fn measure(routes: usize) -> Figures {
    let mut values = vec![class()];
    values
        .extend((0..GATEWAYS).flat_map(|number| [gateway(number, 1), secret(number), service(number, 8080)]));
    values.extend((0..routes).map(|number| route(number, 1, number)));
    let region = Region::new(ALLOCATOR);
    let start = Instant::now();
    let objects: Vec<Object> = values.iter().filter_map(|value| Object::read(value).ok()).collect();
    let read = start.elapsed();
    let mut engine = Engine::new(Support::new("example.com/gateway"));
    let start = Instant::now();
    for object in objects {
        engine.apply(object);
    }
    let changed = engine.take_changed(Time::EPOCH);
    let whole = start.elapsed();
    assert_eq!(changed.len(), 1 + GATEWAYS + routes, "everything has a status");
    let mut known: BTreeMap<ObjectKey, Object> = values
        .iter()
        .filter_map(|value| Object::read(value).ok())
        .map(|object| (object.key.clone(), object))
        .collect();
    for (key, status) in changed {
        if let Some(mut object) = known.remove(&key) {
            object.status = Some(status);
            engine.apply(object);
        }
    }
    drop(known);
    assert!(engine.take_changed(Time::EPOCH).is_empty(), "what was written is not written again");
    let change = region.change();
    let bytes = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
    let of = |engine: &mut Engine, value: &dyn Fn(usize) -> Value| {
        let mut times: Vec<Duration> = (0..CHANGES).filter_map(|step| once(engine, &value(step))).collect();
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        Times { p50: at(50), p99: at(99) }
    };
    let port = |step: usize| if step.is_multiple_of(2) { 9 } else { 8080 };
    Figures {
        read,
        whole,
        route: of(&mut engine, &|step| route(step * 7 % routes, i64::try_from(step).unwrap_or(2) + 2, step)),
        gateway: of(&mut engine, &|step| gateway(step * 7 % GATEWAYS, i64::try_from(step).unwrap_or(2) + 2)),
        service: of(&mut engine, &|step| service(step / 2, port(step))),
        bytes,
    }
}

fn once(engine: &mut Engine, value: &Value) -> Option<Duration> {
    let object = Object::read(value).ok()?;
    let start = Instant::now();
    engine.apply(object);
    black_box(engine.take_changed(Time::EPOCH));
    Some(start.elapsed())
}

fn class() -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": "example", "generation": 1},
        "spec": {"controllerName": "example.com/gateway"}})
}

fn gateway(number: usize, generation: i64) -> Value {
    let listener = |index: usize| {
        let hostname = format!("h{index}.example.com");
        if index.is_multiple_of(2) {
            json!({"name": format!("l{index}"), "port": 80, "protocol": "HTTP", "hostname": hostname,
                "allowedRoutes": {"namespaces": {"from": "All"}}})
        } else {
            json!({"name": format!("l{index}"), "port": 443, "protocol": "HTTPS", "hostname": hostname,
                "tls": {"certificateRefs": [{"name": format!("s{number}")}]}})
        }
    };
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"name": format!("g{number}"), "namespace": "infra", "generation": generation},
        "spec": {"gatewayClassName": "example", "listeners": (0..LISTENERS).map(listener).collect::<Vec<_>>()}})
}

fn secret(number: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("s{number}"), "namespace": "infra"},
        "type": "kubernetes.io/tls", "stringData": {
            "tls.crt": "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
            "tls.key": "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"}})
}

fn service(number: usize, port: u16) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": format!("b{number}"), "namespace": "infra"},
        "spec": {"ports": [{"port": port}]}})
}

fn route(number: usize, generation: i64, gateway: usize) -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
    "metadata": {"name": format!("r{number}"), "namespace": "infra", "generation": generation},
    "spec": {
        "parentRefs": [{"name": format!("g{}", gateway % GATEWAYS)}],
        "hostnames": [format!("h{}.example.com", number % LISTENERS)],
        "rules": [{"backendRefs": [{"name": format!("b{}", number % GATEWAYS), "port": 8080}]}],
    }})
}
