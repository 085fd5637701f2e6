//! Figures of both servers in one run, as ratios.

mod load;
mod table;
mod watchers;

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::client::{Client, Endpoint};
use crate::conformance::fixtures;
use crate::embedded::Server;
use crate::printer;
use crate::real::{Environment, Private};
use load::Load;
use table::{Limit, Row};

/// What one server was measured at.
struct Figures {
    ready: Duration,
    applies: f64,
    cost: [Duration; 3],
    watched: (Duration, Duration),
    memory: Option<u64>,
}

/// How many objects there are when an apply is timed.
const POPULATIONS: [usize; 3] = [10, 1_000, 10_000];

/// Serves the embedded server alone in this process, for a benchmark that weighs it, until standard input ends.
pub async fn serve() -> Result<()> {
    let server = Server::embedded().await?;
    printer::line(server.client()?.endpoint().address.clone());
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await?;
    Ok(())
}

/// Measures both servers and prints a table; returns whether every limit holds.
pub async fn apiserver(environment: &Environment) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "apiserver"])
            .status()
            .await?;
        return Ok(status.success());
    }
    let embedded = measure_embedded().await.context("the embedded server")?;
    let real = measure_real(environment).await.context("the real server")?;
    let rows = rows(&embedded, &real);
    table::print(&rows);
    Ok(rows.iter().all(Row::holds))
}

async fn measure_embedded() -> Result<Figures> {
    let start = Instant::now();
    let (mut child, client) = start_embedded().await?;
    while !client.get("/readyz").await.is_ok_and(|answer| answer.status.is_success()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ready = start.elapsed();
    let id = child.id().context("the embedded server ended")?;
    let figures = measure(client, ready, || crate::real::resident_memory_of(id)).await;
    child.kill().await?;
    figures
}

async fn start_embedded() -> Result<(Child, Client)> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let output = child.stdout.take().context("the embedded server has no output")?;
    let address =
        BufReader::new(output).lines().next_line().await?.context("the embedded server did not start")?;
    Ok((child, Client::new(Endpoint { address, authority: None, token: "admin-token".to_owned() })?))
}

async fn measure_real(environment: &Environment) -> Result<Figures> {
    let real = Private::start(environment).await?;
    measure(real.client()?, real.started, || real.resident_memory()).await
}

async fn measure(client: Client, ready: Duration, memory: impl Fn() -> Option<u64>) -> Result<Figures> {
    let mut load = Load::prepare(client, &fixtures()?).await?;
    let mut cost = [Duration::ZERO; 3];
    let (mut applies, mut watched) = (0.0, (Duration::ZERO, Duration::ZERO));
    for (index, population) in POPULATIONS.into_iter().enumerate() {
        load.fill(population).await?;
        // The first applies warm caches and connections.
        load.apply_cost(50).await?;
        cost[index] = load.apply_cost(300).await?;
        if index == 0 {
            applies = load.applies_per_second(8, Duration::from_secs(5)).await?;
            watched = watchers::latency(&load, 1_000, 30).await?;
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(Figures { ready, applies, cost, watched, memory: memory() })
}

fn rows(embedded: &Figures, real: &Figures) -> Vec<Row> {
    let mut rows = vec![
        Row::duration("ready after", Limit::Most(0.050), embedded.ready, real.ready),
        Row::megabytes(
            "memory with 10,000 objects of 1.7 kB",
            Limit::Most(40.0),
            embedded.memory,
            real.memory,
        ),
        Row::rate(
            "status applies a second from 8 clients",
            Limit::Times(20.0),
            embedded.applies,
            real.applies,
        ),
        Row::duration(
            "1,000 watchers, write to receipt, median",
            Limit::None,
            embedded.watched.0,
            real.watched.0,
        ),
        Row::duration(
            "1,000 watchers, write to receipt, 99 of 100",
            Limit::Most(0.050),
            embedded.watched.1,
            real.watched.1,
        ),
    ];
    let least = embedded.cost[0].as_secs_f64();
    for (index, population) in POPULATIONS.into_iter().enumerate() {
        // Half as much again is noise on a busy machine; growth with the number of objects would be a thousandfold.
        let limit = if index == 0 { Limit::None } else { Limit::Most(least * 1.5) };
        rows.push(Row::duration(
            &format!("an apply among {population} objects"),
            limit,
            embedded.cost[index],
            real.cost[index],
        ));
    }
    rows
}
