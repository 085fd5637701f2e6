//! One status on a hub from many clusters: how soon a change is seen, how often is written, and what the controller needs.

pub(super) mod fleet;
mod said;
mod scenes;
mod stage;
pub(super) mod table;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::{cargo, machine};
use crate::printer;
use fleet::{Change, Fleet};
use scenes::{Burst, Storm};
use stage::Stage;
use table::{Row, cost, percentile};

/// How many changes are followed one at a time.
const CHANGES: usize = 300;
/// How often every Gateway changes at once.
const ROUNDS: usize = 6;
/// How many bursts there are of each kind of change.
const BURSTS: usize = 5;
/// How long nothing happens while the idle controller is watched.
const IDLE: Duration = Duration::from_secs(10);
/// How long a change may take to be seen.
const SEEN: Duration = Duration::from_millis(250);
/// The most memory that the controller may ever have, in megabytes.
const MEMORY: f64 = 200.0;

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
    /// How many clusters there are; so many failures are still all told in one message
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=250))]
    clusters: u16,
    /// How many Gateways each of them has
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    gateways: u16,
}

/// Measures on embedded servers and prints a table; returns whether every limit holds, or true where that is not asked for. A hub
/// that is wrong is an error either way.
pub async fn run(options: Options) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let (clusters, gateways) = (options.clusters.to_string(), options.gateways.to_string());
        let mut run = vec!["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "hub"];
        run.extend(["--clusters", &clusters, "--gateways", &gateways]);
        run.extend(options.strict.then_some("--strict"));
        return cargo(&run).await;
    }
    // Cargo builds one program for `run`; this is the other one.
    let build = ["build", "--quiet", "--release", "--package", "xtask", "--bin", stage::PROGRAM];
    ensure!(cargo(&build).await?, "cannot build {}", stage::PROGRAM);
    printer::line(machine::described());
    // It prints a table of its own.
    let is_flat =
        cargo(&["bench", "--quiet", "--package", "allready-controller", "--bench", "hub_index"]).await?;
    let growth =
        Row::new("a change in the index, from 10 to 1,000 clusters", if is_flat { "flat" } else { "grows" });
    let mut rows = vec![growth.limit("at most 3 times", is_flat)];
    rows.extend(measure(options.clusters.into(), options.gateways.into()).await?);
    printer::line(format!("\n{} clusters with {} Gateways each", options.clusters, options.gateways));
    let holds = table::print(&rows);
    printer::line(machine::described());
    Ok(holds || !options.strict)
}

async fn measure(clusters: usize, gateways: usize) -> Result<Vec<Row>> {
    let objects = clusters * gateways;
    printer::note(format!("{clusters} API servers start, with {gateways} Gateways each"));
    let mut fleet = Fleet::start(clusters, gateways).await.context("the clusters")?;
    let mut stage = Stage::set(gateways).await.context("the hub")?;
    let start = Instant::now();
    stage.start_controller(&fleet)?;
    stage.until_all_right(&fleet).await.context("at the start")?;
    let mut rows = vec![Row::new("controller started to all right", cost(start.elapsed()))];
    stage.until_reported(&fleet).await.context("at the start")?;
    rows.push(Row::new("  and every report on an instance written", cost(start.elapsed())));

    printer::note("changes, one at a time");
    rows.extend(seen("change accepted to seen", scenes::one_at_a_time(&mut fleet, &stage, CHANGES).await?));
    printer::note("changes of all Gateways at once");
    let name = format!("of {gateways} at once: accepted to seen");
    rows.extend(seen(&name, scenes::all_at_once(&mut fleet, &stage, ROUNDS).await?));

    scenes::recover(&mut fleet, &stage).await?;
    let kinds = [
        (Change::Bad, "all clusters turn bad"),
        (Change::Words, "all say something else"),
        (Change::Good, "all recover"),
        (Change::Routes, "all have other routes"),
    ];
    for (change, name) in kinds {
        printer::note(format!("bursts: {name}"));
        rows.extend(burst(name, &scenes::bursts(&mut fleet, &stage, change, BURSTS).await?));
    }

    printer::note(format!("a storm: {objects} objects change"));
    rows.extend(storm(objects, &scenes::storm(&mut fleet, &stage).await.context("after the storm")?));

    printer::note("nothing happens");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let before = stage.processor_time()?;
    tokio::time::sleep(IDLE).await;
    let share = (stage.processor_time()?.saturating_sub(before)).as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    rows.push(Row::new("processor share of the idle controller", format!("{share:.2} %")));
    rows.extend(memory(stage.memory()?));
    Ok(rows)
}

fn seen(name: &str, mut times: Vec<Duration>) -> [Row; 2] {
    let (median, tail) = (percentile(&mut times, 50), percentile(&mut times, 99));
    [
        Row::new(format!("{name}, median of {}", times.len()), cost(median)),
        Row::new("  99 of 100", cost(tail)).limit("at most 250 ms", tail <= SEEN),
    ]
}

/// A change waits for others to join it for so long.
const GATHER: Duration = Duration::from_millis(50);

/// Bad news does not wait for others, so a burst of it is two writes: the first at once, and one for all who come after. A burst
/// that a busy machine draws out is one more for each time that changes are gathered.
fn burst(name: &str, bursts: &[Burst]) -> [Row; 3] {
    let most = |of: fn(&Burst) -> Duration| bursts.iter().map(of).max().unwrap_or_default();
    let allowed = |burst: &Burst| 1 + burst.within.as_millis().div_ceil(GATHER.as_millis()).max(1);
    let told: Vec<_> = bursts.iter().map(|burst| burst.writes.to_string()).collect();
    [
        Row::new(format!("{name}: writes of the hub object"), told.join(" ")).limit(
            "2 in 50 ms, +1 per 50",
            bursts.iter().all(|burst| burst.writes as u128 <= allowed(burst)),
        ),
        Row::new("  accepted within, at most", cost(most(|burst| burst.within))),
        Row::new("  right after the last, at most", cost(most(|burst| burst.right_after))),
    ]
}

fn storm(objects: usize, storm: &Storm) -> [Row; 4] {
    [
        Row::new(format!("storm of {objects} changes, accepted within"), cost(storm.within)),
        Row::new("  writes of hub objects", storm.writes.to_string()),
        Row::new("  all right after the last", cost(storm.right_after)),
        Row::new("  and every report on an instance", cost(storm.reported_after)),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn memory(bytes: [u64; 2]) -> [Row; 2] {
    let [now, most] = bytes.map(|bytes| bytes as f64 / 1e6);
    [
        Row::new("memory of the controller at the end", format!("{now:.1} MB")),
        Row::new("  the most it ever had", format!("{most:.1} MB")).limit("at most 200 MB", most <= MEMORY),
    ]
}
