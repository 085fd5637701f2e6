//! What a change costs on a hub object with instances in 10, 100 and 1,000 clusters.
//!
//! `cargo bench -p allready-controller --bench hub_index`. A change is what the hub does for one watch event: take what one
//! cluster says, and make the new status. Its cost may depend on the length of the answer, which is full at every size here, but
//! not on the number of clusters: it fails where more clusters cost more than three times what ten cost.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    hint::black_box,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use allready_controller::hub::{Address, ClusterName, HubFacts, Instance, Listener, Plan, Said, Subject};
use allready_core::{Condition, ConditionType, Status, Time, condition_type, reason};
use allready_kube::kinds::StatusAggregationSpec;
use serde_json::json;

const SIZES: [usize; 3] = [10, 100, 1_000];
const CHANGES: usize = 4_000;
/// How many times as much as the smallest size another may cost.
const LIMIT: f64 = 3.0;

const TYPES: [ConditionType; 2] = [condition_type!("Accepted"), condition_type!("Programmed")];
/// With ten clusters there are more rows than a Gateway has room for.
const ADDRESSES: usize = 2;
const LISTENERS: usize = 8;

fn main() -> ExitCode {
    println!("a change: take what one cluster says of a Gateway, and make the new status");
    println!(
        "{} conditions, {ADDRESSES} addresses and {LISTENERS} listeners for each cluster; {CHANGES} changes for each line\n",
        TYPES.len()
    );
    println!(
        "{:<8} {:>8} {:>10} {:>10} {:>10} {:>7} {:>7}",
        "others", "clusters", "p50", "p99", "status", "ratio", "limit"
    );
    let mut is_within = true;
    for (name, others) in [("good", Status::True), ("failing", Status::False)] {
        let mut first = None;
        for clusters in SIZES {
            let figures = measure(others, clusters);
            let ratio = figures.p50.as_secs_f64() / first.get_or_insert(figures.p50).as_secs_f64();
            is_within &= ratio <= LIMIT;
            let verdict = if ratio <= LIMIT { "within" } else { "OVER" };
            println!(
                "{name:<8} {clusters:>8} {:>10} {:>10} {:>8} B {ratio:>7.2} {verdict:>7}",
                micros(figures.p50),
                micros(figures.p99),
                figures.bytes,
            );
        }
    }
    println!("\nratio: of p50 to that of {} clusters, at most {LIMIT}", SIZES[0]);
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Figures {
    p50: Duration,
    p99: Duration,
    bytes: usize,
}

/// Changes where all clusters but the changing one are like this.
fn measure(others: Status, clusters: usize) -> Figures {
    let names: Vec<ClusterName> =
        (0..clusters).filter_map(|index| format!("cluster-{index:04}").parse().ok()).collect();
    let spec: StatusAggregationSpec = serde_json::from_value(json!({
        "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
        "conditions": TYPES.map(|type_| json!({ "type": type_ })).to_vec(),
        "rows": ["Addresses", "Listeners"],
    }))
    .unwrap_or_default();
    let mut subject = Subject::new(Arc::new(Plan::of(&spec)));
    let facts = HubFacts { generation: 1.into(), spec: SPEC.into(), ..HubFacts::default() };
    subject.hub(Some(facts));
    for (index, name) in names.iter().enumerate() {
        subject.choose(name);
        subject.heard(name, Some(instance(index, others, "as before")));
    }
    let mut times = Vec::with_capacity(CHANGES);
    let mut bytes = 0;
    for turn in 0..CHANGES {
        let index = turn * 7919 % clusters;
        // What is heard exists before the clock runs: reading it is not the work of the index.
        let change = instance(index, Status::Unknown, "starting");
        let start = Instant::now();
        subject.heard(&names[index], Some(change));
        let answer = black_box(subject.answer(Time::EPOCH));
        times.push(start.elapsed());
        bytes = answer.status.to_string().len();
        subject.heard(&names[index], Some(instance(index, others, "as before")));
    }
    times.sort();
    Figures { p50: times[CHANGES / 2], p99: times[CHANGES / 100 * 99], bytes }
}

const SPEC: &str = r#"{"gatewayClassName":"a","listeners":[{"name":"l0","port":80,"protocol":"HTTP"}]}"#;

/// What a cluster says. Ten of them fill a message.
fn instance(index: usize, status: Status, word: &str) -> Instance {
    let message = format!("{word} {}", "of many words ".repeat(32));
    let said = |type_: ConditionType| Said::Condition {
        condition: Condition::new(type_, status, reason!("Because"), message.clone(), Time::EPOCH),
        is_behind: false,
    };
    let address = |row: usize| Address {
        type_: "IPAddress".into(),
        value: format!("10.{row}.{}.{}", index / 256, index % 256).into(),
    };
    let listener = |row: usize| Listener {
        name: format!("l{row}").into(),
        attached_routes: Some(1),
        is_current: true,
        programmed: None,
    };
    Instance {
        spec: SPEC.into(),
        conditions: TYPES.map(said).to_vec(),
        addresses: (0..ADDRESSES).map(address).collect(),
        listeners: (0..LISTENERS).map(listener).collect(),
        ..Instance::default()
    }
}

/// A duration in microseconds, with one digit after the point.
fn micros(duration: Duration) -> String {
    let tenths = duration.as_nanos() / 100;
    format!("{}.{} µs", tenths / 10, tenths % 10)
}
