//! Attacks on the program of the controllers: floods, frozen leaders and silent watches, with the program in processes of its own and
//! embedded servers in this one. The figures are its peak memory, the delay for everybody else, and the longest time for which Ready
//! stayed True over a report that said False.

mod config;
mod hub;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::process::{Child, Command};

use super::controller::memory;
use super::hub::table::{self, Row, cost};
use super::machine;
use crate::image::program::{self, CONTROLLER, Platform};
use crate::image::source;
use crate::printer;

/// The memory that the program is given, in bytes: less than the 512 MiB of the chart. Whoever needs more ends, and the attack with it.
const MEMORY: u64 = 448 * 1024 * 1024;
/// The longest green over red, and the longest delay for others.
const WINDOW: Duration = Duration::from_millis(250);
/// The longest green over red where a leader or a watch is dead and nothing says so, or nobody runs yet.
const SILENT_WINDOW: Duration = Duration::from_secs(10);
/// The time after which an attack is taken to have succeeded for good.
const PATIENCE: Duration = Duration::from_mins(1);

/// Options of the attacks.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The attacks whose names contain one of these; all when absent: flood, many-reports, frozen-leader, silent-watch, tenant,
    /// expectations, spokes, hub-objects
    names: Vec<String>,
    /// A program that is built already
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Plays the attacks and prints a table; returns true if every limit holds.
pub async fn run(options: Options) -> Result<bool> {
    let program = if let Some(program) = &options.program {
        program.clone()
    } else {
        let root = source::root()?;
        CONTROLLER.build(&root, &program::target_directory(&root), Platform::here().target()?)?
    };
    let is_wanted = |name: &str| {
        options.names.is_empty() || options.names.iter().any(|wanted| name.contains(wanted.as_str()))
    };
    printer::line(machine::described());
    let mut rows = Vec::new();
    if is_wanted("flood") {
        let found = config::flood(&program).await.context("flood")?;
        rows.push(Row::new("flood: reports of 1.2 MB accepted", found.accepted.to_string()));
        rows.push(peak("flood: peak memory, with a restart", found.peak));
        rows.push(window("flood: longest green over red meanwhile", found.during, WINDOW, "at most 250 ms"));
        let name = "flood: green over red from the start of a program on";
        rows.push(window(name, found.after, SILENT_WINDOW, "at most 10 s"));
    }
    if is_wanted("many-reports") {
        let found = config::many_reports(&program).await.context("many-reports")?;
        rows.push(Row::new("many-reports: reports of 18 kB", found.accepted.to_string()));
        rows.push(peak("many-reports: peak memory, with a restart", found.peak));
        rows.push(window("many-reports: longest green over red", found.during, WINDOW, "at most 250 ms"));
        let name = "many-reports: green over red from the start of a program on";
        rows.push(window(name, found.after, SILENT_WINDOW, "at most 10 s"));
    }
    if is_wanted("expectations") {
        let found = config::expectations(&program).await.context("expectations")?;
        rows.push(Row::new("expectations: objects that expect 65,536 reporters", found.accepted.to_string()));
        rows.push(peak("expectations: peak memory, with a restart", found.peak));
        rows.push(window("expectations: longest green over red", found.during, WINDOW, "at most 250 ms"));
        let name = "expectations: green over red from the start of a program on";
        rows.push(window(name, found.after, SILENT_WINDOW, "at most 10 s"));
    }
    if is_wanted("frozen-leader") {
        let found = config::frozen_leader(&program).await.context("frozen-leader")?;
        rows.push(window("frozen-leader: longest green over red", found, SILENT_WINDOW, "at most 10 s"));
    }
    if is_wanted("silent-watch") {
        let found = config::silent_watch(&program).await.context("silent-watch")?;
        rows.push(window("silent-watch: longest green over red", found, SILENT_WINDOW, "at most 10 s"));
    }
    if is_wanted("tenant") {
        let found = hub::tenant(&program).await.context("tenant")?;
        rows.push(peak("tenant: peak memory, 30 objects with 40,000 clusters", found.peak));
        rows.push(Row::new("tenant: delay for others before", cost(found.calm)));
        rows.push(window(
            "tenant: longest delay for others meanwhile",
            found.during,
            WINDOW,
            "at most 250 ms",
        ));
    }
    if is_wanted("spokes") {
        let found = hub::spokes(&program).await.context("spokes")?;
        rows.push(peak("spokes: peak memory, 24 clusters with 20 MB each", found.peak));
        rows.push(Row::new("spokes: delay for others before", cost(found.calm)));
        let name = "spokes: longest delay for others meanwhile";
        rows.push(window(name, found.during, WINDOW, "at most 250 ms"));
    }
    if is_wanted("hub-objects") {
        let found = hub::objects(&program).await.context("hub-objects")?;
        rows.push(peak("hub-objects: peak memory, 8,000 Gateways with 35 kB each", found.peak));
        rows.push(Row::new("hub-objects: delay for others before", cost(found.calm)));
        rows.push(Row::new("hub-objects: longest delay for others meanwhile", cost(found.during)));
    }
    ensure!(
        !rows.is_empty(),
        "there is no such attack: flood, many-reports, expectations, frozen-leader, silent-watch, tenant, spokes, hub-objects"
    );
    let holds = table::print(&rows);
    printer::line(machine::described());
    Ok(holds)
}

fn peak(name: &str, bytes: u64) -> Row {
    let figure = format!("{} MiB", bytes / 1024 / 1024);
    Row::new(name, figure).limit("below 448 MiB", bytes < MEMORY)
}

fn window(name: &str, found: Duration, most: Duration, limit: &'static str) -> Row {
    Row::new(name, cost(found)).limit(limit, found <= most)
}

/// Starts the program on the server of a kubeconfig, with a limit of its memory (`prlimit` of util-linux).
fn start(program: &Path, kubeconfig: &Path, arguments: &[&str]) -> Result<Child> {
    Command::new("prlimit")
        .arg(format!("--data={MEMORY}"))
        .arg(program)
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .args(["--log", "error"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}

/// The most memory that a process ever had, in bytes.
fn peak_of(child: &Child) -> Result<u64> {
    let [_, most] = memory(child.id().context("the program has ended")?)?;
    Ok(most)
}
