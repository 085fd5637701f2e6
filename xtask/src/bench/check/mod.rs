//! `allready check`: a dump against a Go program that computes the kstatus of the same objects, a server with many objects, and
//! the start of the command.

mod dump;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use super::measured::{self, Measured};
use super::subject::{self, Subject};
use super::{cargo, machine};
use crate::real::{Environment, USERS};
use crate::{kubeconfig, printer};

/// How often the start of the command is timed.
const STARTS: usize = 50;

/// How to measure.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
    /// How many objects the dump has
    #[arg(long, default_value_t = 200_000)]
    objects: usize,
    /// How many objects the server has
    #[arg(long, default_value_t = 50_000)]
    served: usize,
    /// How often both programs take turns on the dump; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(environment: &Environment, options: Options) -> Result<bool> {
    if cfg!(debug_assertions) {
        printer::note("figures mean nothing without optimization: running a release build");
        let numbers = [options.objects, options.served, options.rounds].map(|number| number.to_string());
        let mut run = vec!["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "check"];
        run.extend(["--objects", &numbers[0], "--served", &numbers[1], "--rounds", &numbers[2]]);
        run.extend(options.strict.then_some("--strict"));
        return cargo(&run).await;
    }
    for (package, program) in [("allready-cli", "allready"), ("xtask", subject::PROGRAM)] {
        let build = ["build", "--quiet", "--release", "--package", package, "--bin", program];
        ensure!(cargo(&build).await?, "cannot build {program}");
    }
    let allready = std::env::current_exe()?.with_file_name("allready");
    printer::line(machine::described());
    let mut rows = Rows { holds: true };
    files(environment, options, &allready, &mut rows)?;
    server(options, &allready).await?;
    start(&allready, &mut rows)?;
    printer::line(machine::described());
    Ok(rows.holds || !options.strict)
}

/// Both programs on the same dump, in turns.
#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn files(environment: &Environment, options: Options, allready: &Path, rows: &mut Rows) -> Result<()> {
    let kstatus = peer(environment)?;
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("dump.json");
    let bytes = dump::write(&path, options.objects)?;
    let count = options.objects as f64;
    printer::line(format!("a dump of {} objects, {:.0} MB", options.objects, bytes as f64 / 1e6));
    let ours = |arguments: &[&str]| {
        measured::run(Command::new(allready).args(["check", "-f"]).arg(&path).args(arguments))
    };
    let peer = |mode: &str| measured::run(Command::new(&kstatus).arg(mode).arg(&path));
    // The first turn fills the page cache for everybody.
    ours(&["-o", "jsonl"])?;
    let mut all: [Vec<Measured>; 4] = Default::default();
    for _ in 0..options.rounds.max(1) {
        all[0].push(ours(&["-o", "jsonl"])?);
        all[1].push(peer("stream")?);
        all[2].push(ours(&[])?);
        all[3].push(peer("whole")?);
    }
    let [lines, stream, table, whole] = all.map(median);
    let names = [
        "allready, a line for each",
        "Go and kstatus, item by item",
        "allready, table",
        "Go and kstatus, whole list",
    ];
    for (name, measured) in names.into_iter().zip([lines, stream, table, whole]) {
        let Measured { time, processor, peak } = measured;
        printer::line(format!(
            "  {name:<30} {:>8.0} objects/s  {:>6.2} s  processor {:>6.2} s  peak {:>7.1} MB",
            count / time.as_secs_f64(),
            time.as_secs_f64(),
            processor.as_secs_f64(),
            peak as f64 / 1e6
        ));
    }
    let faster = stream.time.as_secs_f64() / lines.time.as_secs_f64();
    rows.limit("  faster than item by item", &format!("{faster:.1}x"), "at least 5x", faster >= 5.0);
    let cheaper = stream.processor.as_secs_f64() / lines.processor.as_secs_f64().max(0.01);
    printer::line(format!("  less processor time than item by item: {cheaper:.1}x"));
    let smaller = whole.peak as f64 / lines.peak.max(1) as f64;
    rows.limit(
        "  less memory than the whole list",
        &format!("{smaller:.1}x"),
        "at least 10x",
        smaller >= 10.0,
    );
    let smaller = stream.peak as f64 / lines.peak.max(1) as f64;
    printer::line(format!("  less memory than item by item: {smaller:.1}x"));
    let most = lines.peak.max(table.peak) as f64 / 1e6;
    rows.limit("  memory at most", &format!("{most:.1} MB"), "at most 50 MB", most <= 50.0);
    Ok(())
}

/// Everything in a server with many objects.
#[expect(clippy::cast_precision_loss, reason = "figures to read")]
async fn server(options: Options, allready: &Path) -> Result<()> {
    printer::note(format!("a server with {} objects", options.served));
    let mut subject = Subject::embedded().await?;
    subject.load.fill(options.served).await?;
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("kubeconfig");
    std::fs::write(&path, kubeconfig::render(subject.load.client.endpoint(), &USERS))?;
    let check = || measured::run(Command::new(allready).args(["check", "-A", "--kubeconfig"]).arg(&path));
    let mut runs = Vec::new();
    for _ in 0..options.rounds.max(1) {
        runs.push(tokio::task::block_in_place(check)?);
    }
    let Measured { time, peak, .. } = median(runs);
    let rate = options.served as f64 / time.as_secs_f64();
    printer::line(format!(
        "check -A of {} objects on the embedded server: {:.2} s, {rate:.0} objects/s, peak {:.1} MB",
        options.served,
        time.as_secs_f64(),
        peak as f64 / 1e6
    ));
    Ok(())
}

/// The help, over and over.
fn start(allready: &Path, rows: &mut Rows) -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let begun = std::time::Instant::now();
        let output = Command::new(allready).arg("--help").output()?;
        times.push(begun.elapsed());
        ensure!(output.status.success(), "--help failed");
    }
    times.sort_unstable();
    let median = times[STARTS / 2];
    let is_short = median <= Duration::from_millis(10);
    rows.limit("start and end of --help, median", &format!("{median:.1?}"), "at most 10 ms", is_short);
    Ok(())
}

/// The Go program, built when it is not there.
fn peer(environment: &Environment) -> Result<PathBuf> {
    let directory = environment.cache.join("kstatus");
    std::fs::create_dir_all(&directory)?;
    let program = directory.join("kstatus");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("kstatus");
    // Go itself knows what has to be built anew.
    let built = Command::new("go")
        .args(["build", "-trimpath", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&module)
        .status()
        .context("cannot run go: it is needed for the program that is compared with")?;
    if !built.success() {
        bail!("go build in {} failed ({built})", module.display());
    }
    Ok(program)
}

/// The one in the middle by time, with the greatest peak of all.
fn median(mut all: Vec<Measured>) -> Measured {
    all.sort_unstable_by_key(|measured| measured.time);
    let peak = all.iter().map(|measured| measured.peak).max().unwrap_or(0);
    all.get(all.len() / 2).map(|&middle| Measured { peak, ..middle }).unwrap_or_default()
}

/// What has been printed.
struct Rows {
    holds: bool,
}

impl Rows {
    fn limit(&mut self, name: &str, figure: &str, limit: &str, holds: bool) {
        self.holds &= holds;
        printer::line(format!("{name}: {figure} ({limit}: {})", if holds { "pass" } else { "FAIL" }));
    }
}
