//! What one word of a cluster costs the index of one hub object, among more and more clusters.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allready_controller::hub::{ClusterName, HubFacts, Instance, Plan, Reader, Subject};
use allready_core::Time;
use anyhow::Result;
use serde_json::json;

use super::table::{Row, cost};
use crate::printer;

const POPULATIONS: [usize; 3] = [10, 100, 1_000];
const WORDS: usize = 20_000;
/// So many rows have an instance that ten clusters fill the hub object: the answer is as long for ten as for a thousand.
const ADDRESSES: usize = 2;
const LISTENERS: usize = 8;

/// What a word and the answer after it cost among so many clusters, and whether that stays flat.
pub(super) fn measure() -> Result<Vec<Row>> {
    printer::note("the index: one word of a cluster and the answer that follows from all");
    let mut costs = Vec::new();
    let mut rows = Vec::new();
    for clusters in POPULATIONS {
        let spent = among(clusters)?;
        rows.push(Row::new(format!("a change in the index among {clusters} clusters"), cost(spent)));
        costs.push(spent);
    }
    let ratio = match costs[..] {
        [first, .., last] => last.as_secs_f64() / first.as_secs_f64(),
        _ => 1.0,
    };
    // A tree that is a hundred times larger is a few levels deeper.
    let row = Row::new("  a hundred times the clusters, times the cost", format!("{ratio:.2}"));
    rows.push(row.limit("at most 3", ratio <= 3.0));
    Ok(rows)
}

fn among(clusters: usize) -> Result<Duration> {
    let spec = json!({
        "target": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
        "conditions": [{ "type": "Programmed" }],
        "addresses": true,
        "listeners": true,
    });
    let plan = Arc::new(Plan::of(&serde_json::from_value(spec)?));
    let reader = Reader::new(&plan);
    let names: Vec<ClusterName> =
        (0..clusters).map(|index| format!("c-{index:04}").parse()).collect::<Result<_, _>>()?;
    let mut subject = Subject::new(plan);
    subject.hub(Some(HubFacts::default()));
    let (well, ill) = (instance(&reader, true), instance(&reader, false));
    for name in &names {
        subject.choose(name);
        subject.heard(name, Some(well.clone()));
    }
    let mut taken = Duration::ZERO;
    for round in 0..WORDS {
        let said = if round % 2 == 0 { ill.clone() } else { well.clone() };
        let name = &names[round / 2 * 7 % clusters];
        let start = Instant::now();
        subject.heard(name, Some(said));
        std::hint::black_box(subject.answer(Time::EPOCH));
        taken += start.elapsed();
    }
    Ok(taken / u32::try_from(WORDS)?)
}

fn instance(reader: &Reader, good: bool) -> Instance {
    let (status, message) = if good { ("True", "") } else { ("False", "Listener certificate is expired") };
    let addresses: Vec<_> =
        (0..ADDRESSES).map(|index| json!({ "value": format!("10.0.0.{index}") })).collect();
    let listeners: Vec<_> = (0..LISTENERS)
        .map(|index| json!({ "name": format!("listener-{index}"), "attachedRoutes": index }))
        .collect();
    let condition = json!({ "type": "Programmed", "status": status, "reason": "Said", "message": message });
    let status = json!({ "conditions": [condition], "addresses": addresses, "listeners": listeners });
    reader.read(&json!({ "metadata": { "name": "web" }, "status": status })).1
}
