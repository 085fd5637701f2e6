//! What a change costs in a fleet of 500, 5,000 and 50,000 members with four conditions each.
//!
//! `cargo bench -p allready-core --bench fleet`. A change is what an aggregator does for one watch event: apply one
//! member's report, and make the new top condition. Only reports, never fails.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod scenarios;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use allready_core::{
    Condition, ConditionType, Time, condition_type,
    rollup::{Context, Policy},
};
use scenarios::{LIMITED, Random, SCENARIOS, SIZES, Scenario, Start, report};

const CHANGES: usize = 20_000;
const BUILDS: usize = 5;
const READY: ConditionType = condition_type!("Ready");

/// The limits, for 5,000 members.
const MAX_P99: Duration = Duration::from_micros(20);
const MAX_BUILD: Duration = Duration::from_millis(20);

fn main() {
    println!("a change: apply one member's report of 4 conditions, and make the new top condition");
    println!("{CHANGES} changes for each line; from scratch: the same answer by the policy `grouped`\n");
    println!(
        "{:<12} {:>8} {:>10} {:>9} {:>9} {:>9} {:>13}",
        "scenario", "members", "build", "p50", "p99", "max", "from scratch"
    );
    let figures = SCENARIOS.map(|(name, scenario)| {
        SIZES.map(|members| {
            let figures = measure(scenario, members);
            println!(
                "{name:<12} {members:>8} {:>7} ms {:>6} µs {:>6} µs {:>6} µs {:>10} ms{}",
                tenths(figures.build, 1_000_000),
                tenths(figures.p50, 1_000),
                tenths(figures.p99, 1_000),
                tenths(figures.max, 1_000),
                tenths(figures.from_scratch, 1_000_000),
                if figures.is_same { "" } else { ", WITH ANOTHER ANSWER" },
            );
            figures
        })
    });

    println!("\nlimits for {LIMITED} members");
    for ((name, _), [_, figures, _]) in SCENARIOS.iter().zip(&figures) {
        println!("{name:<12} p99    {}", against(figures.p99, MAX_P99));
        println!("{name:<12} build  {}", against(figures.build, MAX_BUILD));
    }

    println!("\ngrowth from {} to {} members (a hundred times as many)", SIZES[0], SIZES[2]);
    for ((name, _), [small, _, large]) in SCENARIOS.iter().zip(&figures) {
        println!(
            "{name:<12} p50 {:.1} times, p99 {:.1} times",
            large.p50.as_secs_f64() / small.p50.as_secs_f64(),
            large.p99.as_secs_f64() / small.p99.as_secs_f64(),
        );
    }
}

struct Figures {
    build: Duration,
    p50: Duration,
    p99: Duration,
    max: Duration,
    from_scratch: Duration,
    /// Whether both ways have given the same bytes.
    is_same: bool,
}

fn measure(scenario: Scenario, members: usize) -> Figures {
    let mut random = Random(0x5EED);
    let mut start = Start::new(scenario, members, &mut random);
    let mut builds: Vec<Duration> = (0..BUILDS).map(|_| timed(|| start.build()).0).collect();
    builds.sort();
    let mut fleet = start.build();

    // The reports exist before the clock runs: decoding them is not the index's work.
    let changes: Vec<(usize, [Condition; 4])> = (0..CHANGES)
        .map(|_| {
            let member = random.below(members);
            scenario.change(&mut start.said[member], &mut random);
            (member, report(&start.said[member]))
        })
        .collect();
    let context = Context::new("Ready", Time::EPOCH);
    let mut top = fleet.roll_up(&context).into_condition(READY, None, Time::EPOCH);
    let mut times: Vec<Duration> = Vec::with_capacity(CHANGES);
    for (member, report) in &changes {
        let name = &start.names[*member];
        let (time, next) = timed(|| {
            fleet.apply(name, report);
            fleet.roll_up(&context).into_condition(READY, Some(&top), Time::EPOCH)
        });
        times.push(time);
        top = next;
    }
    times.sort();

    let (from_scratch, naive) = timed(|| {
        let inputs = fleet.members().flat_map(|member| member.inputs().collect::<Vec<_>>());
        Policy::grouped().roll_up(inputs, &context)
    });
    let is_same = naive.is_some_and(|naive| naive.message == top.message.as_str());

    Figures {
        build: builds[BUILDS / 2],
        p50: times[CHANGES / 2],
        p99: times[CHANGES / 100 * 99],
        max: times[CHANGES - 1],
        from_scratch,
        is_same,
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = black_box(work());
    (start.elapsed(), result)
}

/// A duration in units of so many nanoseconds, with one digit after the point.
fn tenths(duration: Duration, nanoseconds: u128) -> String {
    let tenths = duration.as_nanos() * 10 / nanoseconds;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A figure against its limit.
fn against(figure: Duration, limit: Duration) -> String {
    let ratio = figure.as_secs_f64() / limit.as_secs_f64();
    let verdict = if ratio <= 1.0 { "within limit" } else { "OVER LIMIT" };
    format!("{figure:>9.1?} of at most {limit:?}: {verdict}, {ratio:.2} of it")
}
