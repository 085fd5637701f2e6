//! The cost of statuses: all of them, and those of one change.
//!
//! `cargo bench -p allready-gateway --bench engine`, or `cargo xtask bench gateway`. 1,000 Gateways with 10 listeners each, 1,000
//! namespaces with a Service and a ReferenceGrant, and 100 to 20,000 routes. Fails where a limit does not hold.
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
/// The limits, at the most routes.
const MAX_WHOLE: Duration = Duration::from_secs(1);
const MAX_CHANGE: Duration = Duration::from_millis(1);
const MAX_BYTES: usize = 200_000_000;
/// The most that the change of a route may cost of what it costs among the fewest: maps of two hundred times as much are a few levels
/// deeper, and no longer in the cache.
const MAX_GROWTH: f64 = 3.0;
/// The kinds of which one object is changed.
const KINDS: [&str; 4] = ["HTTPRoute", "Service", "Gateway", "ReferenceGrant"];

fn main() -> ExitCode {
    println!(
        "{GATEWAYS} Gateways with {LISTENERS} listeners each; one core; median and 99 of 100 of {CHANGES} changes\n"
    );
    print!("{:>7} {:>9} {:>9} {:>9}", "routes", "read", "whole", "memory");
    for kind in KINDS {
        print!(" {kind:>20}");
    }
    println!();
    let all = ROUTES.map(|routes| {
        let figures = measure(routes);
        let megabytes = figures.bytes / 1_000_000;
        print!("{routes:>7} {:>9} {:>9} {megabytes:>6} MB", shown(figures.read), shown(figures.whole));
        for times in figures.changes {
            print!(" {:>20}", format!("{} {}", shown(times.p50), shown(times.p99)));
        }
        println!();
        figures
    });
    let [least, .., most] = &all;
    println!("\nlimits at {} routes", ROUTES[ROUTES.len() - 1]);
    let mut is_within = true;
    let mut row = |name: &str, figure: String, limit: String, holds: bool| {
        is_within &= holds;
        let verdict = if holds { "pass" } else { "FAIL" };
        println!("  {name:<44} {figure:>10}  at most {limit:<8} {verdict}");
    };
    row("every status", shown(most.whole), shown(MAX_WHOLE), most.whole <= MAX_WHOLE);
    for (kind, times) in KINDS.iter().zip(most.changes) {
        let name = format!("those of one changed {kind}, median");
        row(&name, shown(times.p50), shown(MAX_CHANGE), times.p50 <= MAX_CHANGE);
    }
    let megabytes = |bytes: usize| format!("{} MB", bytes / 1_000_000);
    row("memory", megabytes(most.bytes), megabytes(MAX_BYTES), most.bytes <= MAX_BYTES);
    let growth = most.changes[0].p50.as_secs_f64() / least.changes[0].p50.as_secs_f64();
    let name = format!("a changed route, against {} routes", ROUTES[0]);
    row(&name, format!("{growth:.1}x"), format!("{MAX_GROWTH}x"), growth <= MAX_GROWTH);
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn shown(time: Duration) -> String {
    format!("{time:.0?}")
}

struct Figures {
    read: Duration,
    whole: Duration,
    /// By kind.
    changes: [Times; 4],
    bytes: usize,
}

#[derive(Clone, Copy)]
struct Times {
    p50: Duration,
    p99: Duration,
}

fn measure(routes: usize) -> Figures {
    let mut values = vec![class()];
    values.extend((0..GATEWAYS).flat_map(|number| {
        [gateway(number, 1), secret(number), service(number, 8080), grant(number, "HTTPRoute")]
    }));
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
    let generation = |step: usize| i64::try_from(step).unwrap_or(2) + 2;
    // Every other change breaks something, and the one after it makes it good.
    let is_bad = |step: usize| step.is_multiple_of(2);
    Figures {
        read,
        whole,
        changes: [
            of(&mut engine, &|step| route(step * 7 % routes, generation(step), step)),
            of(&mut engine, &|step| service(step / 2, if is_bad(step) { 9 } else { 8080 })),
            of(&mut engine, &|step| gateway(step * 7 % GATEWAYS, generation(step))),
            of(&mut engine, &|step| grant(step / 2, if is_bad(step) { "TLSRoute" } else { "HTTPRoute" })),
        ],
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
            "tls.crt": include_str!("../tests/certificates/ec.crt"),
            "tls.key": include_str!("../tests/certificates/ec.key")}})
}

fn service(number: usize, port: u16) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "backend", "namespace": format!("n{number}")},
        "spec": {"ports": [{"port": port}]}})
}

fn grant(number: usize, kind: &str) -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "ReferenceGrant",
    "metadata": {"name": "routes", "namespace": format!("n{number}")},
    "spec": {
        "from": [{"group": "gateway.networking.k8s.io", "kind": kind, "namespace": "infra"}],
        "to": [{"group": "", "kind": "Service"}],
    }})
}

fn route(number: usize, generation: i64, gateway: usize) -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
    "metadata": {"name": format!("r{number}"), "namespace": "infra", "generation": generation},
    "spec": {
        "parentRefs": [{"name": format!("g{}", gateway % GATEWAYS)}],
        "hostnames": [format!("h{}.example.com", number % LISTENERS)],
        "rules": [{"backendRefs": [{"name": "backend", "namespace": format!("n{}", number % GATEWAYS), "port": 8080}]}],
    }})
}
