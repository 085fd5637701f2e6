//! One Ready from many reporters: what a report costs in both layouts, and how soon it is seen, on both servers.

mod growth;
pub(crate) mod stage;

use std::time::Duration;

use anyhow::{Context as _, Result};

use super::{cargo, machine};
use crate::printer;
use crate::real::Environment;
use stage::{Layout, Stage};

/// How many nodes there are when the layouts are compared.
const COMPARED: usize = 250;
/// How many reports of each layout are timed.
const TIMED: usize = 30;
/// How many reconcilers a node has.
pub(crate) const RECONCILERS: usize = 4;
/// How often Ready is made to turn, and how long it then rests.
const TURNS: usize = 100;
const REST: Duration = Duration::from_millis(500);
/// How long nothing happens while the idle aggregator is watched.
const IDLE: Duration = Duration::from_secs(10);

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
    /// Measure on the embedded server alone
    #[arg(long)]
    without_real: bool,
    /// How many nodes report on the embedded server
    #[arg(long, default_value_t = 5_000)]
    nodes: usize,
    /// How many nodes report on the real one
    #[arg(long, default_value_t = 1_000)]
    real_nodes: usize,
}

/// What was measured on one server.
struct Figures {
    server: &'static str,
    nodes: usize,
    singleton: Duration,
    sharded: Duration,
    storm: Duration,
    writes: usize,
    seen: [Duration; 2],
    memory: u64,
    idle: Duration,
    object: usize,
}

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(environment: &Environment, options: Options) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let (nodes, real_nodes) = (options.nodes.to_string(), options.real_nodes.to_string());
        let mut run =
            vec!["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "config-status"];
        run.extend(["--nodes", &nodes, "--real-nodes", &real_nodes]);
        let flags = [("--strict", options.strict), ("--without-real", options.without_real)];
        run.extend(flags.iter().filter(|(_, set)| *set).map(|(flag, _)| *flag));
        return cargo(&run).await;
    }
    anyhow::ensure!(
        cargo(&["build", "--quiet", "--release", "--package", "allready-cli"]).await?,
        "cannot build allready"
    );
    printer::line(machine::described());
    let mut holds = growth::measure()?;
    let embedded = Stage::embedded().await.context("the embedded server")?;
    holds &= print(&measure(embedded, options.nodes).await.context("on the embedded server")?);
    if !options.without_real {
        let real = Stage::real(environment).await.context("the real server")?;
        holds &= print(&measure(real, options.real_nodes).await.context("on the real server")?);
    }
    printer::line(machine::described());
    Ok(holds || !options.strict)
}

async fn measure(mut stage: Stage, nodes: usize) -> Result<Figures> {
    printer::note(format!("{}: {COMPARED} nodes report into one object", stage.server));
    let singleton = stage.singleton_report(COMPARED, RECONCILERS, TIMED).await?;
    printer::note(format!("{}: {nodes} nodes report into objects of their own", stage.server));
    stage.make_nodes(nodes).await?;
    let mut controller = stage::controller(stage.kubeconfig())?;
    stage.start_aggregator(&mut controller).await?;
    let (storm, writes) = stage.storm(nodes, RECONCILERS).await?;
    let sharded = stage.sharded_report(TIMED.max(100)).await?;
    let turns = stage.turns(Layout::PerNode, nodes, TURNS, REST).await?;
    let seen = middle_and_tail(turns.iter().map(|turn| turn.seen).collect()).context("no turns")?;
    let idle = stage.idle(IDLE).await?;
    let (memory, object) = (stage.aggregator_memory()?, stage.object_bytes().await?);
    Ok(Figures { server: stage.server, nodes, singleton, sharded, storm, writes, seen, memory, idle, object })
}

/// The median, and the 99th of 100, if there is any.
pub(crate) fn middle_and_tail(mut times: Vec<Duration>) -> Option<[Duration; 2]> {
    times.sort_unstable();
    let tail = (times.len() * 99).div_ceil(100).checked_sub(1)?;
    Some([times[times.len() / 2], times[tail]])
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn print(figures: &Figures) -> bool {
    let Figures {
        server,
        nodes,
        singleton,
        sharded,
        storm,
        writes,
        seen: [median, tail],
        memory,
        idle,
        object,
    } = figures;
    let ratio = singleton.as_secs_f64() / sharded.as_secs_f64();
    let memory = *memory as f64 / 1e6;
    // Four may follow each other at once; then there are four a second, and bad news between them.
    let rate = writes.saturating_sub(4) as f64 / storm.as_secs_f64();
    let share = idle.as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    let rows = [
        (format!("a report among {COMPARED} nodes, one object"), format!("{singleton:.1?}"), None),
        (format!("a report among {nodes} nodes, own objects"), format!("{sharded:.2?}"), None),
        (
            "  how many times cheaper".to_owned(),
            format!("{ratio:.0}x"),
            Some(("at least 50x", ratio >= 50.0)),
        ),
        (format!("storm of {} reports settles after", nodes * RECONCILERS), format!("{storm:.1?}"), None),
        ("  writes of the object".to_owned(), writes.to_string(), None),
        (
            "  a second, beyond the first four".to_owned(),
            format!("{rate:.1}"),
            Some(("at most 5", rate <= 5.0)),
        ),
        ("report accepted to Ready changed, median".to_owned(), format!("{median:.1?}"), None),
        (
            "  99 of 100".to_owned(),
            format!("{tail:.1?}"),
            Some(("at most 250 ms", *tail <= Duration::from_millis(250))),
        ),
        (
            "memory of the aggregator".to_owned(),
            format!("{memory:.1} MB"),
            Some(("at most 60 MB", memory <= 60.0)),
        ),
        (
            "processor share of the idle aggregator".to_owned(),
            format!("{share:.2} %"),
            Some(("at most 0.5 %", share <= 0.5)),
        ),
        (
            "size of the object".to_owned(),
            format!("{:.1} kB", *object as f64 / 1e3),
            Some(("at most 20 kB", *object <= 20_000)),
        ),
    ];
    printer::line(format!("\n{server}, {nodes} nodes with {RECONCILERS} reconcilers each"));
    let mut holds = true;
    for (name, figure, limit) in rows {
        let (limit, verdict) = match limit {
            Some((limit, true)) => (limit, "pass"),
            Some((limit, false)) => (limit, "FAIL"),
            None => ("", ""),
        };
        holds &= verdict != "FAIL";
        printer::line(format!("  {name:<48} {figure:>12}  {limit:<16} {verdict}").trim_end());
    }
    holds
}
