//! A server under measurement, in processes of its own.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::load::Load;
use crate::client::{Client, Endpoint};
use crate::conformance::fixtures;
use crate::real::{Environment, Private, processor_time_of, resident_memory_of};

/// What serves the embedded server and nothing else; it stands beside this program.
pub(super) const PROGRAM: &str = "embedded-server";

/// A server that lives as long as this value.
pub(super) struct Subject {
    pub(super) load: Load,
    /// How long it took from start to ready.
    pub(super) ready: Duration,
    server: Server,
}

enum Server {
    Embedded(Child),
    Real(Private),
}

impl Subject {
    /// The embedded server, alone in a process.
    pub(super) async fn embedded() -> Result<Self> {
        let (child, client, ready) = start().await?;
        let load = Load::prepare(client, &fixtures()?).await?;
        Ok(Self { load, ready, server: Server::Embedded(child) })
    }

    /// The real server with its storage.
    pub(super) async fn real(environment: &Environment) -> Result<Self> {
        let real = Private::start(environment).await?;
        let load = Load::prepare(real.client()?, &fixtures()?).await?;
        Ok(Self { load, ready: real.started, server: Server::Real(real) })
    }

    /// The memory that it holds, in bytes.
    pub(super) fn memory(&self) -> Option<u64> {
        let held: Vec<u64> = self.processes().into_iter().filter_map(resident_memory_of).collect();
        (!held.is_empty()).then(|| held.iter().sum())
    }

    /// The processor time that it has used so far.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        let used: Vec<Duration> = self.processes().into_iter().filter_map(processor_time_of).collect();
        (!used.is_empty()).then(|| used.iter().sum())
    }

    fn processes(&self) -> Vec<u32> {
        match &self.server {
            Server::Embedded(child) => child.id().into_iter().collect(),
            Server::Real(real) => real.processes(),
        }
    }
}

/// Starts the embedded server; says how long it took until it was ready.
pub(super) async fn start() -> Result<(Child, Client, Duration)> {
    let start = Instant::now();
    let program = std::env::current_exe()?.with_file_name(PROGRAM);
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = child.stdout.take().context("the embedded server has no output")?;
    let address =
        BufReader::new(output).lines().next_line().await?.context("the embedded server did not start")?;
    let client = Client::new(Endpoint { address, authority: None, token: "admin-token".to_owned() })?;
    while !client.get("/readyz").await.is_ok_and(|answer| answer.status.is_success()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok((child, client, start.elapsed()))
}
