//! One Ready from many reporters on the real API server: by two programs on controller-runtime (`xtask/peers/aggregation`), and by ours.

mod forward;
mod table;

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tokio::process::Command;
use tokio::time::timeout;

use super::program::{self, Built};
use super::report;
use crate::bench::config_status::stage::{self, Layout, Stage};
use crate::bench::config_status::{RECONCILERS, middle_and_tail};
use crate::bench::{cargo, cluster, machine, measured};
use crate::client::{Client, Endpoint};
use crate::real::{Environment, USERS};
use crate::{kubeconfig, printer};
use forward::Passed;
use table::Row;

/// How often a single report is timed, and how long nothing happens between two of them.
const REPORTS: usize = 100;
const REST: Duration = Duration::from_millis(250);
/// How long single reports are timed where Ready never came.
const PATIENCE: Duration = Duration::from_mins(1);

/// The options of the measurement.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub(super) struct Options {
    /// Measure how one Ready comes from many reporters, on a real server: two programs on controller-runtime, and ours
    #[arg(long, group = "measured")]
    aggregation: bool,
    /// Numbers of nodes, of 4 reconcilers each
    #[arg(long, value_delimiter = ',', default_value = "50,250,1000,5000")]
    nodes: Vec<usize>,
    /// The number of seconds until a program is given up whose Ready is not True
    #[arg(long, default_value_t = 300)]
    budget: u64,
}

impl Options {
    pub(super) fn is_wanted(&self) -> bool {
        self.aggregation
    }
}

/// Our own name; the others are those of the Go program's arguments.
const OURS: &str = "allready";
const PROGRAMS: [(&str, Layout); 3] =
    [("singleton", Layout::Shared), ("naive", Layout::PerNode), (OURS, Layout::PerNode)];

/// Measures and prints a table; false where the release build fails.
pub(super) async fn run(
    environment: &Environment,
    options: &Options,
    peer: Option<&str>,
    write: bool,
) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let nodes: Vec<_> = options.nodes.iter().map(usize::to_string).collect();
        let (nodes, budget) = (nodes.join(","), options.budget.to_string());
        let mut run =
            vec!["run", "--quiet", "--release", "--package", "xtask", "--", "peers", "--aggregation"];
        run.extend(["--nodes", &nodes, "--budget", &budget]);
        run.extend(peer.iter().flat_map(|peer| ["--peer", peer]));
        run.extend(write.then_some("--write"));
        return cargo(&run).await;
    }
    ensure!(
        cargo(&["build", "--quiet", "--release", "--package", "allready-cli"]).await?,
        "cannot build allready"
    );
    let go = match program::build(environment, "aggregation")? {
        Built::Program(path) => path,
        Built::NotServed(why) => bail!("not served: {why}"),
    };
    // Requests are counted by a user and in metrics of a server of our own.
    let environment = Environment { kubeconfig: None, ..environment.clone() };
    let machine = machine::described();
    printer::line(&machine);
    printer::line(table::HEAD);
    let mut rows = Vec::new();
    for &nodes in &options.nodes {
        for (name, layout) in
            PROGRAMS.into_iter().filter(|(name, _)| peer.is_none_or(|part| name.contains(part)))
        {
            let row = measure(&environment, name, layout, &go, nodes, Duration::from_secs(options.budget));
            let row = row.await.with_context(|| format!("{name}, {nodes} nodes"))?.to_string();
            printer::line(&row);
            rows.push(row);
        }
    }
    if write {
        report::replace("--aggregation", &table::block(&rows, &machine)?)?;
    }
    Ok(true)
}

async fn measure(
    environment: &Environment,
    program: &'static str,
    layout: Layout,
    go: &Path,
    nodes: usize,
    budget: Duration,
) -> Result<Row> {
    let mut stage = Stage::real(environment).await?;
    stage.make_nodes(nodes).await?;
    let (client, passed) = start(&mut stage, program, go).await?;
    let mut ready = stage.watch_ready().await?;
    let before = Taken::so_far(&stage, &client, &passed).await?;
    let accepted = AtomicUsize::new(0);
    let start = Instant::now();
    let first = timeout(budget, async {
        stage.first_reports(layout, nodes, RECONCILERS, &accepted).await?;
        let (_, seen) = *ready.wait_for(|(status, _)| status == "True").await?;
        anyhow::Ok(seen.saturating_duration_since(start))
    });
    let first = first.await;
    let taken = Taken::so_far(&stage, &client, &passed).await?.since(&before);

    let (accepted, all) = (accepted.into_inner(), nodes * RECONCILERS);
    let mut turns = Vec::new();
    let (reports, ready) = match first {
        Ok(Ok(time)) => {
            turns = stage.turns(layout, nodes, REPORTS, REST).await?;
            (turns.iter().map(|turn| turn.report).collect(), table::time(time))
        }
        stopped => {
            let reported = accepted / RECONCILERS;
            let why = match stopped {
                Ok(Err(error)) => {
                    format!("ended after {accepted} of {all} reports: {}", table::refusal(&error))
                }
                _ if accepted < all => format!("{accepted} of {all} reports in {} s", budget.as_secs()),
                _ => format!("all reports, but Ready is {} after {} s", ready.borrow().0, budget.as_secs()),
            };
            (single_reports(&stage, layout, reported).await, why)
        }
    };
    let bad = turns.iter().filter(|turn| !turn.is_good).map(|turn| turn.seen).collect();
    Ok(Row {
        program,
        nodes,
        ready,
        report: middle_and_tail(reports),
        turn: middle_and_tail(bad).map(|[middle, _]| middle),
        taken,
        peak: measured::so_far(stage.aggregator()?, Duration::ZERO).peak,
    })
}

/// Starts a program as a user of its own, through a listener: returns where its requests and bytes are counted.
async fn start(stage: &mut Stage, program: &str, go: &Path) -> Result<(Client, Arc<Passed>)> {
    let server = kubeconfig::read(stage.kubeconfig())?;
    let client = Client::new(server.clone())?;
    cluster::count_requests(&client).await?;
    let (address, passed) = forward::listen(server.address.clone()).await?;
    let (_, token) = USERS.into_iter().find(|(name, _)| *name == cluster::USER).context("no such user")?;
    let endpoint = Endpoint { address, token: token.to_owned(), ..server };
    // Beside that of the administrator, in a directory that goes with the server.
    let kubeconfig = stage.kubeconfig().with_file_name("kubeconfig-aggregator");
    std::fs::write(&kubeconfig, kubeconfig::render(&endpoint, &[]))?;
    let mut aggregator = if program == OURS {
        stage::controller(&kubeconfig)?
    } else {
        let mut command = Command::new(go);
        command.arg(program).env("KUBECONFIG", &kubeconfig).stdin(Stdio::null()).kill_on_drop(true);
        command
    };
    stage.start_aggregator(&mut aggregator).await?;
    Ok((client, passed))
}

/// The times of single reports where Ready never came. The last ones that were sent may still be on their way.
async fn single_reports(stage: &Stage, layout: Layout, reported: usize) -> Vec<Duration> {
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < REPORTS && start.elapsed() < PATIENCE {
        let node = times.len() / 2 % reported.saturating_sub(16).max(1);
        match stage.report_again(layout, node, times.len() % 2 == 1).await {
            Ok(time) => times.push(time),
            // The object is as large as it can be.
            Err(_) => break,
        }
    }
    times
}

/// What the aggregator has taken, and the server for it and the load.
struct Taken {
    requests: u64,
    sent: u64,
    received: u64,
    processor: Duration,
    server: Duration,
}

impl Taken {
    async fn so_far(stage: &Stage, client: &Client, passed: &Passed) -> Result<Self> {
        let processor = |process| measured::so_far(process, Duration::ZERO).processor;
        Ok(Self {
            requests: cluster::requests(client).await?,
            sent: passed.sent.load(Ordering::Relaxed),
            received: passed.received.load(Ordering::Relaxed),
            processor: processor(stage.aggregator()?),
            server: stage.server_processes().into_iter().map(processor).sum(),
        })
    }

    fn since(self, before: &Self) -> Self {
        Self {
            requests: self.requests - before.requests,
            sent: self.sent - before.sent,
            received: self.received - before.received,
            processor: self.processor.saturating_sub(before.processor),
            server: self.server.saturating_sub(before.server),
        }
    }
}
