//! What a change costs in a roster of 10, 100, 1,000 and 10,000 members.
//!
//! `cargo bench -p allready-core --bench roster`. A change is what a hub does for one watch event: take what one cluster says
//! of one condition, and make the line that tells all of them. Fails if the cost grows with the number of members.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

use allready_core::{
    Condition, Status, Time, condition_type, reason,
    rollup::{Context, Form, Input, Policy, Semicolon, Tells},
    roster::Roster,
};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const CHANGES: usize = 20_000;
/// How many times what a change costs among 10 members it may cost among 1,000, at the median.
const MAX_RATIO: f64 = 3.0;

/// Which members are not good. The message is as long at every size, because it may cost what it is long.
#[derive(Clone, Copy)]
enum Scenario {
    /// Five, whatever the number of members; it is always another one that turns bad for another that turns good.
    FiveFail,
    /// All of them, each in its own words, which change.
    AllFail,
    /// At most one: it turns unknown, bad and good again, and then another one does.
    OneFlaps,
}

const SCENARIOS: [(&str, Scenario); 3] =
    [("five fail", Scenario::FiveFail), ("all fail", Scenario::AllFail), ("one flaps", Scenario::OneFlaps)];

fn main() -> ExitCode {
    println!("a change: take what one member says, and make the new line of at most {} bytes", form().limit);
    println!("{CHANGES} changes for each line; from scratch: the same answer by the policy `semicolon`\n");
    println!(
        "{:<10} {:>8} {:>7} {:>9} {:>9} {:>9} {:>7} {:>13}",
        "scenario", "members", "bytes", "p50", "p99", "max", "ratio", "from scratch"
    );
    let mut is_within = true;
    for (name, scenario) in SCENARIOS {
        let figures = SIZES.map(|members| measure(scenario, members));
        for (members, figure) in SIZES.iter().zip(&figures) {
            println!(
                "{name:<10} {members:>8} {:>7} {:>6} µs {:>6} µs {:>6} µs {:>7.2} {:>10} µs{}",
                figure.bytes,
                tenths(figure.p50),
                tenths(figure.p99),
                tenths(figure.max),
                ratio(figure, &figures[0]),
                tenths(figure.from_scratch),
                if figure.is_same { "" } else { ", WITH ANOTHER ANSWER" },
            );
            is_within &= figure.is_same;
        }
        let growth = ratio(&figures[2], &figures[0]);
        let verdict = if growth <= MAX_RATIO { "within limit" } else { "OVER LIMIT" };
        println!(
            "{name:<10} {} to {} members: {growth:.2} of at most {MAX_RATIO}: {verdict}\n",
            SIZES[0], SIZES[2]
        );
        is_within &= growth <= MAX_RATIO;
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Figures {
    /// How long the message was on average.
    bytes: usize,
    p50: Duration,
    p99: Duration,
    max: Duration,
    from_scratch: Duration,
    /// Whether both ways have given the same bytes.
    is_same: bool,
}

fn form() -> Semicolon {
    Semicolon { tells: Tells::Everything, limit: 1024, each: 256, ..Semicolon::new() }
}

fn measure(scenario: Scenario, members: usize) -> Figures {
    let names: Vec<String> = (0..members).map(|number| format!("cluster-{number:05}.example")).collect();
    let mut said: Vec<Condition> = (0..members).map(|number| scenario.start(number)).collect();
    let mut roster = Roster::new(form());
    for (name, condition) in names.iter().zip(&said) {
        roster.set(name, condition);
    }

    // What is said exists before the clock runs: decoding it is not the roster's work.
    let changes: Vec<(usize, Condition)> = (0..CHANGES).map(|turn| scenario.change(turn, members)).collect();
    let context = Context::new("Ready", Time::EPOCH);
    let mut times: Vec<Duration> = Vec::with_capacity(CHANGES);
    let mut bytes = 0;
    let mut last = roster.roll_up(&context);
    for (member, condition) in &changes {
        let (time, rollup) = timed(|| {
            roster.set(&names[*member], condition);
            roster.roll_up(&context)
        });
        times.push(time);
        bytes += rollup.message.len();
        last = rollup;
    }
    times.sort();

    for (member, condition) in changes {
        said[member] = condition;
    }
    let policy = Policy::from(Form::Semicolon(form()));
    let (from_scratch, naive) = timed(|| {
        let inputs = names.iter().zip(&said);
        policy.roll_up(inputs.map(|(name, said)| Input::from(said).from_member("", name)), &context)
    });

    Figures {
        bytes: bytes / CHANGES,
        p50: times[CHANGES / 2],
        p99: times[CHANGES / 100 * 99],
        max: times[CHANGES - 1],
        from_scratch,
        is_same: naive.is_some_and(|naive| naive == last),
    }
}

impl Scenario {
    fn start(self, number: usize) -> Condition {
        match self {
            Self::FiveFail if number < 5 => condition(Status::False, 0),
            Self::FiveFail | Self::OneFlaps => condition(Status::True, 0),
            Self::AllFail => condition(Status::False, 0),
        }
    }

    fn change(self, turn: usize, members: usize) -> (usize, Condition) {
        match self {
            // The one that failed first recovers, and then the one after the last fails.
            Self::FiveFail if turn.is_multiple_of(2) => (turn / 2 % members, condition(Status::True, turn)),
            Self::FiveFail => ((turn / 2 + 5) % members, condition(Status::False, turn)),
            // A prime, so that all have their turn, and none after its neighbour.
            Self::AllFail => (turn * 7919 % members, condition(Status::False, turn)),
            Self::OneFlaps => {
                let status = [Status::Unknown, Status::False, Status::True][turn % 3];
                (turn / 3 % members, condition(status, turn))
            }
        }
    }
}

fn condition(status: Status, turn: usize) -> Condition {
    let message =
        format!("listener {} has a certificate that expired {turn} minutes ago; renew it", turn % 7);
    Condition::new(condition_type!("Ready"), status, reason!("Because"), message, Time::EPOCH)
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = black_box(work());
    (start.elapsed(), result)
}

/// How many times the median of another.
fn ratio(figures: &Figures, other: &Figures) -> f64 {
    figures.p50.as_secs_f64() / other.p50.as_secs_f64()
}

/// A duration in microseconds, with one digit after the point.
fn tenths(duration: Duration) -> String {
    let tenths = duration.as_nanos() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}
