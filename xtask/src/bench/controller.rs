//! The program of the controllers: how large it is, and what it takes while nothing happens.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use allready_apiserver::ApiServer;
use allready_kube::kinds;
use anyhow::{Context as _, Result, bail};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::hub::table::{self, Row};
use super::machine;
use crate::image::program::{self, CONTROLLER, Platform};
use crate::image::source;
use crate::printer;
use crate::real::processor_time_of;

/// The most that the stripped program may have, in bytes.
const SIZE: u64 = 20_000_000;
/// The most memory that it may have while nothing happens, in bytes.
const MEMORY: u64 = 30_000_000;
/// The most of one processor that it may use meanwhile, in thousandths.
const PROCESSOR: u128 = 10;
/// The time for which nothing happens before it is weighed, and for which it is watched then.
const SETTLED: Duration = Duration::from_mins(1);
const WATCHED: Duration = Duration::from_secs(30);

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
    /// A program that is built already
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(options: Options) -> Result<bool> {
    let program = if let Some(program) = options.program {
        program
    } else {
        let root = source::root()?;
        CONTROLLER.build(&root, &program::target_directory(&root), Platform::here().target()?)?
    };
    let size = std::fs::metadata(&program).with_context(|| program.display().to_string())?.len();
    printer::line(machine::described());
    let server = ApiServer::new();
    for definition in kinds::definitions() {
        server.define(serde_json::to_value(definition)?).map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    }
    let listening = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    std::fs::write(&kubeconfig, listening.kubeconfig())?;
    let child = Command::new(&program)
        .arg("--kubeconfig")
        .arg(&kubeconfig)
        .args(["--metrics", "127.0.0.1:0", "--clusters", "secrets"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    printer::note("nothing happens for a minute and a half");
    sleep(SETTLED).await;
    let process = child.id().context("the program has ended")?;
    let before = processor_time_of(process).context("no processor time")?;
    sleep(WATCHED).await;
    let used = processor_time_of(process).context("no processor time")?.saturating_sub(before);
    let [now, most] = memory(process)?;
    let threads = std::fs::read_dir(format!("/proc/{process}/task"))?.count();
    end(child).await?;

    let share = used.as_millis() * 1000 / WATCHED.as_millis();
    let rows = [
        Row::new("size of the program, stripped", megabytes(size)).limit("at most 20 MB", size <= SIZE),
        Row::new("linked statically", if is_static(&program)? { "yes" } else { "no" })
            .limit("yes", is_static(&program)?),
        Row::new("memory, idle with config and hub", megabytes(now)).limit("at most 30 MB", now <= MEMORY),
        Row::new("memory, the most it ever had", megabytes(most)),
        Row::new("processor, idle as leader", format!("{}.{} %", share / 10, share % 10))
            .limit("at most 1 %", share <= PROCESSOR),
        Row::new("threads", threads.to_string()),
    ];
    Ok(table::print(&rows) || !options.strict)
}

/// Returns true if nothing is loaded at the start: the program headers of the file (ELF, 64 bits) name no interpreter.
fn is_static(program: &Path) -> Result<bool> {
    const INTERPRETER: [u8; 4] = 3_u32.to_le_bytes();
    let bytes = std::fs::read(program)?;
    let number = |at: usize| bytes.get(at..at + 2).map(|it| usize::from(u16::from_le_bytes([it[0], it[1]])));
    let (Some(start), Some(size), Some(count)) = (number(0x20), number(0x36), number(0x38)) else {
        bail!("{} is no program", program.display())
    };
    let kind = |index: usize| bytes.get(start + index * size..).and_then(|header| header.get(..4));
    Ok((0..count).all(|index| kind(index) != Some(&INTERPRETER[..])))
}

/// The memory of a process in bytes: now, and the most that it ever had.
pub(super) fn memory(process: u32) -> Result<[u64; 2]> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    let (Some(now), Some(most)) = (line("VmRSS:"), line("VmHWM:")) else {
        bail!("the system does not tell the memory of a process")
    };
    Ok([now, most])
}

async fn end(mut child: Child) -> Result<()> {
    child.kill().await.context("cannot end the program")
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
