//! What a change costs in a fleet of 500, 5,000 and 50,000 members with four conditions each.
//!
//! `cargo bench -p allready-core --bench fleet`. A change is what an aggregator does for one watch event: apply one
//! member's report, and make the new top condition. Only reports, never fails.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    alloc::System,
    hint::black_box,
    time::{Duration, Instant},
};

use allready_core::{
    Condition, ConditionType, Status, Time, condition_type,
    fleet::FleetIndex,
    reason,
    rollup::{Context, Policy},
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SIZES: [usize; 3] = [500, 5_000, 50_000];
const CHANGES: usize = 20_000;
const BUILDS: usize = 5;
const READY: ConditionType = condition_type!("Ready");
static TYPES: [ConditionType; 4] = [
    condition_type!("configReconcilerValid"),
    condition_type!("poolReconcilerValid"),
    condition_type!("serviceReconcilerValid"),
    condition_type!("nodeReconcilerValid"),
];

/// The limits, for 5,000 members.
const LIMITED: usize = 5_000;
const MAX_P99: Duration = Duration::from_micros(20);
const MAX_BUILD: Duration = Duration::from_millis(20);
const MAX_MEBIBYTES: usize = 64;

#[derive(Clone, Copy)]
enum Scenario {
    /// Most are good; single conditions fail, become unknown, and recover.
    Mixed,
    /// Every condition of every member fails with the same cause; members recover and fail again.
    OneCause,
    /// Every condition of every member has a cause of its own; they change.
    OwnCauses,
}

/// What a condition is made to say.
#[derive(Clone, Copy)]
enum Says {
    Good,
    Waiting,
    SharedFailure,
    OwnFailure(u64),
}

fn main() {
    println!("a change: apply one member's report of 4 conditions, and make the new top condition");
    println!("{CHANGES} changes for each line; from scratch: the same answer by the policy `grouped`\n");
    println!(
        "{:<12} {:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>13}",
        "scenario", "members", "build", "memory", "p50", "p99", "max", "from scratch"
    );
    let scenarios =
        [("mixed", Scenario::Mixed), ("one cause", Scenario::OneCause), ("own causes", Scenario::OwnCauses)];
    let figures = scenarios.map(|(name, scenario)| {
        SIZES.map(|members| {
            let figures = measure(scenario, members);
            println!(
                "{name:<12} {members:>8} {:>7} ms {:>5} MiB {:>6} µs {:>6} µs {:>6} µs {:>10} ms{}",
                tenths(figures.build, 1_000_000),
                figures.bytes.div_ceil(1 << 20),
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
    for ((name, _), figures) in scenarios.iter().zip(&figures) {
        let [_, figures, _] = figures;
        let verdict = |within| if within { "within limit" } else { "OVER LIMIT" };
        println!("{name:<12} p99    at most 20 µs: {}", verdict(figures.p99 <= MAX_P99));
        println!("{name:<12} build  at most 20 ms: {}", verdict(figures.build <= MAX_BUILD));
        println!("{name:<12} memory at most 64 MiB: {}", verdict(figures.bytes >> 20 < MAX_MEBIBYTES));
    }

    println!("\ngrowth from {} to {} members (a hundred times as many)", SIZES[0], SIZES[2]);
    for ((name, _), [small, _, large]) in scenarios.iter().zip(&figures) {
        println!(
            "{name:<12} p50 {:.1} times, p99 {:.1} times",
            large.p50.as_secs_f64() / small.p50.as_secs_f64(),
            large.p99.as_secs_f64() / small.p99.as_secs_f64(),
        );
    }
}

struct Figures {
    build: Duration,
    bytes: usize,
    p50: Duration,
    p99: Duration,
    max: Duration,
    from_scratch: Duration,
    /// Whether both ways have given the same bytes.
    is_same: bool,
}

fn measure(scenario: Scenario, members: usize) -> Figures {
    let names: Vec<String> =
        (0..members).map(|number| format!("worker-{number:05}.example.internal")).collect();
    let mut random = Random(0x5EED);
    let mut said: Vec<[Says; 4]> =
        (0..members).map(|_| [(); 4].map(|()| scenario.start(&mut random))).collect();
    let reports: Vec<_> = said.iter().map(report).collect();

    let mut builds: Vec<Duration> = (0..BUILDS).map(|_| timed(|| build(&names, &reports)).0).collect();
    builds.sort();
    let region = Region::new(ALLOCATOR);
    let mut fleet = build(&names, &reports);
    let change = region.change();
    let bytes = change.bytes_allocated.saturating_sub(change.bytes_deallocated);

    // The reports exist before the clock runs: decoding them is not the index's work.
    let changes: Vec<(usize, [Condition; 4])> = (0..CHANGES)
        .map(|_| {
            let member = random.below(members);
            scenario.change(&mut said[member], &mut random);
            (member, report(&said[member]))
        })
        .collect();
    let context = Context::new("Ready", Time::EPOCH);
    let mut top = fleet.roll_up(&context).into_condition(READY, None, Time::EPOCH);
    let mut times: Vec<Duration> = Vec::with_capacity(CHANGES);
    for (member, report) in &changes {
        let name = &names[*member];
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
        bytes,
        p50: times[CHANGES / 2],
        p99: times[CHANGES / 100 * 99],
        max: times[CHANGES - 1],
        from_scratch,
        is_same,
    }
}

fn build(names: &[String], reports: &[[Condition; 4]]) -> FleetIndex {
    let mut fleet = FleetIndex::default();
    for (name, report) in names.iter().zip(reports) {
        fleet.expect(name);
        fleet.apply(name, report);
    }
    fleet
}

impl Scenario {
    fn start(self, random: &mut Random) -> Says {
        match self {
            Self::Mixed => match random.below(100) {
                0 => Says::SharedFailure,
                1 => Says::OwnFailure(random.next()),
                2 => Says::Waiting,
                _ => Says::Good,
            },
            Self::OneCause => Says::SharedFailure,
            Self::OwnCauses => Says::OwnFailure(random.next()),
        }
    }

    fn change(self, said: &mut [Says; 4], random: &mut Random) {
        let one = &mut said[random.below(4)];
        match (self, *one) {
            (Self::Mixed, Says::Good) => {
                *one = match random.below(3) {
                    0 => Says::SharedFailure,
                    1 => Says::OwnFailure(random.next()),
                    _ => Says::Waiting,
                }
            }
            (Self::Mixed, _) => *one = Says::Good,
            (Self::OneCause, Says::Good) => *said = [Says::SharedFailure; 4],
            (Self::OneCause, _) => *said = [Says::Good; 4],
            (Self::OwnCauses, _) => *one = Says::OwnFailure(random.next()),
        }
    }
}

fn report(said: &[Says; 4]) -> [Condition; 4] {
    std::array::from_fn(|position| {
        let (status, reason, message) = match said[position] {
            Says::Good => (Status::True, reason!("SyncStateSuccess"), String::new()),
            Says::Waiting => {
                (Status::Unknown, reason!("SyncStateReprocessAll"), "waiting for the next pass".to_owned())
            }
            Says::SharedFailure => {
                let message = "pool \"production\" overlaps pool \"staging\" in 10.20.0.0/16".to_owned();
                (Status::False, reason!("ConfigError"), message)
            }
            Says::OwnFailure(number) => {
                let message = format!("failed to open a session with peer {number:016x}: connection refused");
                (Status::False, reason!("SyncStateError"), message)
            }
        };
        Condition::new(TYPES[position].clone(), status, reason, message, Time::EPOCH).observed(7)
    })
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

/// `SplitMix64`: the same changes on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 32).unwrap_or(0) % limit
    }
}
