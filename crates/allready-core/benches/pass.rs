//! One reconcile pass over a set of eight conditions with its roll-up: how long it takes, and what it allocates.
//!
//! `cargo bench -p allready-core --bench pass`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

use std::{alloc::System, hint::black_box, time::Instant};

use allready_core::{Condition, ConditionSet, Reason, Status, Time, reason, set::At};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TYPES: [&str; 8] = [
    "GraphVerified",
    "KindReady",
    "ControllerReady",
    "ResourcesReady",
    "CertificateIssued",
    "DatabaseReady",
    "RoutesAccepted",
    "Degraded",
];
const LIMIT_NANOSECONDS: f64 = 1_000.0;
const BATCHES: usize = 201;
const PASSES_PER_BATCH: usize = 2_000;

fn main() {
    let set: ConditionSet = format!("Ready: {}, !Degraded", TYPES[..7].join(", "))
        .parse()
        .unwrap_or_else(|error| panic!("the benchmark's own set is legal: {error}"));
    println!("one pass: begin, 8 marks, roll-up, finish ({BATCHES} batches of {PASSES_PER_BATCH})\n");
    println!("{:<44} {:>10} {:>10} {:>12}  limit 1 µs", "pass", "median", "p99 batch", "allocations");

    let no_op = measure(&set, |_| (Status::True, reason!("Accepted")));
    report("nothing changes", &no_op);
    let failing = measure(&set, |_| (Status::False, reason!("Broken")));
    report("nothing changes, one of them is broken", &failing);
    let flipping = measure(&set, |turn| {
        if turn % 2 == 0 { (Status::True, reason!("Accepted")) } else { (Status::False, reason!("Broken")) }
    });
    report("one condition flips in every pass", &flipping);
}

struct Figures {
    median: f64,
    p99: f64,
    allocations: f64,
}

/// Runs passes in which the first condition is marked as `first` says, and the others stay good.
fn measure(set: &ConditionSet, first: impl Fn(usize) -> (Status, Reason)) -> Figures {
    let mut conditions: Vec<Condition> = Vec::new();
    let mut second = 1_772_359_200;
    let mut pass = |conditions: &mut Vec<Condition>, turn: usize| {
        second += 1;
        let now = Time::from_second(second).unwrap_or(Time::EPOCH);
        let mut pass = set.pass(conditions, At::new(7u32, now));
        for (index, type_) in TYPES.iter().enumerate() {
            let (status, reason) = match index {
                0 => first(turn),
                7 => (Status::False, reason!("Healthy")),
                _ => (Status::True, reason!("Accepted")),
            };
            let _ = black_box(pass.mark(type_, status, reason, "the resource is as it was asked for"));
        }
        black_box(pass.finish());
    };
    pass(&mut conditions, 0);
    let region = Region::new(ALLOCATOR);
    let mut batches: Vec<f64> = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let start = Instant::now();
        for turn in 0..PASSES_PER_BATCH {
            pass(&mut conditions, turn);
        }
        batches.push(start.elapsed().as_nanos() as f64 / PASSES_PER_BATCH as f64);
    }
    let allocations =
        region.change().allocations.saturating_sub(1) as f64 / (BATCHES * PASSES_PER_BATCH) as f64;
    batches.sort_by(f64::total_cmp);
    Figures { median: batches[BATCHES / 2], p99: batches[BATCHES * 99 / 100], allocations }
}

fn report(name: &str, figures: &Figures) {
    let Figures { median, p99, allocations } = figures;
    let ratio = median / LIMIT_NANOSECONDS;
    let verdict = if ratio <= 1.0 { "within" } else { "OVER" };
    println!("{name:<44} {median:>7.0} ns {p99:>7.0} ns {allocations:>12.2}  {verdict}, {ratio:.2} of it");
}
