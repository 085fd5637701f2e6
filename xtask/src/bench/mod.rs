//! Figures of both servers in one run, as ratios.

pub mod attack;
pub mod check;
pub mod cluster;
pub mod config_status;
pub mod controller;
pub mod gateway;
pub mod hub;
mod load;
pub(crate) mod machine;
pub(crate) mod measured;
mod subject;
mod table;
mod watchers;
mod wire;

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use http_body_util::BodyExt as _;
use tokio::process::Command;

use crate::client::Call;
use crate::image::program;
use crate::printer;
use crate::real::Environment;
use subject::Subject;
use table::{Limit, Row};

/// How many objects there are when an apply is timed.
const POPULATIONS: [usize; 3] = [10, 1_000, 10_000];
/// How many clients apply at once.
const CLIENTS: usize = 8;
/// How often both servers take turns, so that a busy moment of the machine meets both, and for how long.
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
/// How often the embedded server is started to find out how long that takes.
const STARTS: usize = 5;

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
    /// Measure the embedded server alone; what is said against the real one is then left open
    #[arg(long)]
    without_real: bool,
}

/// What one server was measured at.
#[derive(Default)]
struct Figures {
    ready: Duration,
    /// Applies a second.
    applies: f64,
    /// What one of them costs in processor time.
    work: Option<Duration>,
    cost: Vec<Duration>,
    work_among: Vec<Option<Duration>>,
    memory: Option<u64>,
    watched: (Duration, Duration),
    /// As [`Self::watched`], by watchers with a label selector.
    selected: (Duration, Duration),
    memory_after: Option<u64>,
    /// The memory with 100,000 objects, and the additional memory while they are listed.
    crowd: Option<(u64, u64)>,
}

/// Measures both servers and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn apiserver(environment: &Environment, options: Options) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let flags = [("--strict", options.strict), ("--without-real", options.without_real)];
        let mut run = vec!["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "apiserver"];
        run.extend(flags.iter().filter(|(_, set)| *set).map(|(flag, _)| *flag));
        return cargo(&run).await;
    }
    // Cargo builds one program for `run`; this is the other one.
    let build = ["build", "--quiet", "--release", "--package", "xtask", "--bin", subject::PROGRAM];
    if !cargo(&build).await? {
        bail!("cannot build {}", subject::PROGRAM);
    }
    printer::line(machine::described());
    let memory = loaded_memory().await.context("the embedded server with its objects alone")?;
    let crowd = crowd().await.context("the embedded server with many objects")?;
    let starts = starts().await.context("the embedded server at its start")?;
    let mut subjects = vec![Subject::embedded().await.context("the embedded server")?];
    if !options.without_real {
        subjects.push(Subject::real(environment).await.context("the real server")?);
    }
    let mut figures: Vec<Figures> =
        subjects.iter().map(|subject| Figures { ready: subject.ready, ..Figures::default() }).collect();
    measure(&mut subjects, &mut figures).await?;
    drop(subjects);
    let mut figures = figures.into_iter();
    let mut embedded = figures.next().unwrap_or_default();
    (embedded.ready, embedded.memory, embedded.crowd) = (starts, memory, crowd);
    let rows = rows(&embedded, figures.next().as_ref());
    table::print(&rows);
    printer::line(machine::described());
    Ok(!options.strict || rows.iter().all(Row::holds))
}

pub(crate) async fn cargo(arguments: &[&str]) -> Result<bool> {
    Ok(cargo_command().args(arguments).status().await?.success())
}

fn cargo_command() -> Command {
    program::cargo().into()
}

/// What a process holds that has loaded the objects and done nothing else.
async fn loaded_memory() -> Result<Option<u64>> {
    let mut subject = Subject::embedded().await?;
    subject.load.fill(POPULATIONS[2]).await?;
    Ok(subject.memory())
}

/// The memory of a process with ten times as many objects, and the most that it needs in addition to list all of them.
async fn crowd() -> Result<Option<(u64, u64)>> {
    let mut subject = Subject::embedded().await?;
    subject.load.fill(10 * POPULATIONS[2]).await?;
    let Some(before) = subject.memory() else { return Ok(None) };
    let call = Call { path: subject.load.collection.to_string(), ..Call::default() };
    let mut list = subject.load.client.stream(&call).await?.into_body();
    let (mut most, mut length) = (before, 0);
    let mut frames = 0_u64;
    while let Some(frame) = list.frame().await {
        length += frame?.data_ref().map_or(0, bytes::Bytes::len);
        frames += 1;
        if frames.is_multiple_of(64) {
            most = most.max(subject.memory().unwrap_or_default());
        }
    }
    ensure!(length > 150_000_000, "a list of {length} bytes");
    Ok(Some((before, most.saturating_sub(before))))
}

/// The median of some starts.
async fn starts() -> Result<Duration> {
    let mut taken = Vec::new();
    for _ in 0..STARTS {
        let (mut child, _, ready) = subject::start().await?;
        child.kill().await?;
        taken.push(ready);
    }
    taken.sort_unstable();
    Ok(taken[STARTS / 2])
}

async fn measure(subjects: &mut [Subject], figures: &mut [Figures]) -> Result<()> {
    for population in POPULATIONS {
        for (subject, figures) in subjects.iter_mut().zip(&mut *figures) {
            subject.load.fill(population).await?;
            // The first applies warm caches and connections.
            subject.load.apply_cost(50).await?;
            let before = subject.processor_time();
            let times = 500;
            figures.cost.push(subject.load.apply_cost(times).await?);
            figures.work_among.push(each(subject.processor_time(), before, times));
        }
        if population == POPULATIONS[0] {
            applies(subjects, figures).await?;
        }
    }
    for (subject, figures) in subjects.iter().zip(&mut *figures) {
        figures.memory = subject.memory();
        figures.watched = watchers::latency(&subject.load, "", 1_000, 30).await?;
        let query = "&labelSelector=app%3Dbench";
        figures.selected = watchers::latency(&subject.load, query, 1_000, 30).await?;
        figures.memory_after = subject.memory();
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
async fn applies(subjects: &[Subject], figures: &mut [Figures]) -> Result<()> {
    let before: Vec<_> = subjects.iter().map(Subject::processor_time).collect();
    let mut counts = vec![0; subjects.len()];
    for _ in 0..ROUNDS {
        for (subject, count) in subjects.iter().zip(&mut counts) {
            *count += subject.load.applies_within(CLIENTS, ROUND).await?;
        }
    }
    for (index, (subject, figures)) in subjects.iter().zip(figures).enumerate() {
        figures.applies = counts[index] as f64 / (ROUND * u32::try_from(ROUNDS)?).as_secs_f64();
        figures.work = each(subject.processor_time(), before[index], counts[index]);
    }
    Ok(())
}

/// What one of so many took.
fn each(after: Option<Duration>, before: Option<Duration>, times: usize) -> Option<Duration> {
    after?.checked_sub(before?)?.checked_div(u32::try_from(times).ok()?)
}

fn rows(embedded: &Figures, real: Option<&Figures>) -> Vec<Row> {
    use table::Unit::{Megabytes, PerSecond, Seconds};

    let seconds = |duration: Duration| Some(duration.as_secs_f64());
    let maybe = |duration: Option<Duration>| duration.map(|duration| duration.as_secs_f64());
    let row = |name: &str, limit, unit, figure: &dyn Fn(&Figures) -> Option<f64>| {
        Row::new(name, limit, unit, figure(embedded), real.and_then(figure))
    };
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    let megabytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / 1e6);
    let mut rows = vec![
        row("ready after", Limit::Most(0.010), Seconds, &|figures| seconds(figures.ready)),
        row("memory with 10,000 objects of 1.7 kB", Limit::Most(40.0), Megabytes, &|figures| {
            megabytes(figures.memory)
        }),
        row("memory with 100,000 objects of 1.7 kB", Limit::Most(300.0), Megabytes, &|figures| {
            megabytes(figures.crowd.map(|(held, _)| held))
        }),
        row("  what a list of them takes beside", Limit::Most(50.0), Megabytes, &|figures| {
            megabytes(figures.crowd.map(|(_, beside)| beside))
        }),
        row("memory after all that follows", Limit::None, Megabytes, &|figures| {
            megabytes(figures.memory_after)
        }),
        row("status applies a second from 8 clients", Limit::Times(25.0), PerSecond, &|figures| {
            Some(figures.applies)
        }),
        row("  processor time of one", Limit::None, Seconds, &|figures| maybe(figures.work)),
        row("1,000 watchers, write to receipt, median", Limit::None, Seconds, &|figures| {
            seconds(figures.watched.0)
        }),
        row("1,000 watchers, write to receipt, 99 of 100", Limit::Most(0.050), Seconds, &|figures| {
            seconds(figures.watched.1)
        }),
        row("1,000 watchers with a selector, median", Limit::None, Seconds, &|figures| {
            seconds(figures.selected.0)
        }),
        row("1,000 watchers with a selector, 99 of 100", Limit::Most(0.020), Seconds, &|figures| {
            seconds(figures.selected.1)
        }),
    ];
    for (index, population) in POPULATIONS.into_iter().enumerate() {
        // Half as much again is noise on a busy machine; growth with the number of objects would be a thousandfold.
        let limit = |least: Option<f64>| match least {
            Some(least) if index > 0 => Limit::Most(least * 1.5),
            _ => Limit::None,
        };
        let cost = |figures: &Figures, index: usize| figures.cost.get(index).copied().and_then(seconds);
        let work = |figures: &Figures, index: usize| figures.work_among.get(index).copied().and_then(maybe);
        let name = format!("an apply among {population} objects");
        rows.push(row(&name, limit(cost(embedded, 0)), Seconds, &|figures| cost(figures, index)));
        let name = "  processor time of one";
        rows.push(row(name, limit(work(embedded, 0)), Seconds, &|figures| work(figures, index)));
    }
    rows
}
