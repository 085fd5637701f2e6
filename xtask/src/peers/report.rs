//! The table, COMPARE.md and the plots.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::measure::{Cost, Figure, Figures, Spread};
use super::plot;
use super::{Options, Peer};
use crate::bench::machine;
use crate::printer;

/// The agreement with one peer.
pub(super) struct Agreed {
    pub(super) peer: &'static str,
    pub(super) call: &'static str,
    pub(super) cases: u64,
    pub(super) same: u64,
    pub(super) choices: usize,
    pub(super) not_served: Option<String>,
}

impl Agreed {
    pub(super) fn not_served(peer: &Peer, why: &str) -> Self {
        let not_served = Some(why.to_owned());
        Self { peer: peer.name, call: peer.call, cases: 0, same: 0, choices: 0, not_served }
    }

    fn row(&self) -> String {
        match &self.not_served {
            Some(why) => format!("| {} | `{}` | not served: {why} | | |\n", self.peer, self.call),
            None => format!(
                "| {} | `{}` | {} | {} | {} |\n",
                self.peer, self.call, self.cases, self.same, self.choices
            ),
        }
    }
}

pub(super) fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    }
}

pub(super) fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} GB", bytes / 1e9),
    }
}

fn count(count: f64) -> String {
    if count < 10.0 { format!("{count:.1}") } else { format!("{count:.0}") }
}

fn times(spread: Spread) -> String {
    let shown = |value: f64| if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
    format!("{}× ({}–{})", shown(spread.median), shown(spread.least), shown(spread.most))
}

fn table(figures: &[Figure]) -> String {
    let mut table = String::from(
        "| call | size | allready | peer | processor | clock | processor, large heap | allocations | bytes |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for figure in figures {
        let Figure { workload, size, ours, theirs, processor, wall, large_heap } = figure;
        let both = |shown: fn(f64) -> String, of: fn(&Cost) -> f64| {
            format!("{} / {}", shown(of(ours)), shown(of(theirs)))
        };
        // A String takes what is written to it.
        let _ = writeln!(
            table,
            "| {} | {size} | {} | {} | {} | {} | {} | {} | {} |",
            workload.name,
            time(ours.time),
            time(theirs.time),
            times(*processor),
            times(*wall),
            times(*large_heap),
            both(count, |cost| cost.allocations),
            both(bytes, |cost| cost.bytes),
        );
    }
    table
}

/// Prints what was measured.
pub(super) fn print(measured: &Figures) {
    printer::line(machine::described());
    printer::line(table(&measured.figures));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Replaces the block of COMPARE.md that the command with this option writes.
pub(super) fn replace(option: &str, block: &str) -> Result<()> {
    let path = root().join("COMPARE.md");
    let mark = |word: &str| format!("<!-- cargo xtask peers {option} --write: {word} -->\n");
    let [begin, end] = [mark("begin"), mark("end")];
    let text = fs::read_to_string(&path)?;
    let parts = text.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.with_context(|| format!("COMPARE.md has no block for {option}"))?;
    Ok(fs::write(&path, format!("{before}{begin}{block}{end}{after}"))?)
}

/// Replaces the block of COMPARE.md, and the plots.
pub(super) fn write(agreed: &[Agreed], measured: &Figures, options: &Options) -> Result<()> {
    replace("--measure", &block(agreed, measured, options))?;
    let images = root().join("docs/images");
    fs::write(
        images.join("peers-processor.svg"),
        plot::svg(&measured.figures, "processor time of a call", |c| c.time, time),
    )?;
    fs::write(
        images.join("peers-memory.svg"),
        plot::svg(&measured.figures, "bytes that a call allocates", |c| c.bytes, bytes),
    )?;
    Ok(())
}

fn block(agreed: &[Agreed], measured: &Figures, options: &Options) -> String {
    let date = jiff::Timestamp::now().strftime("%F");
    let versions: Vec<String> =
        measured.versions.iter().map(|(module, version)| format!("{module} {version}")).collect();
    let rows: String = agreed.iter().map(Agreed::row).collect();
    format!(
        "The same random cases for the peers' own packages and for the policy of the same name (seed {}). What differs is shrunk to one \
         example, and has to be a choice of [choices.yaml](xtask/peers/choices.yaml).\n\n\
         | peer | call | cases | the same | choices that explain the rest |\n|---|---|---|---|---|\n{rows}\n\
         Then what a call costs, ours against the peer's: {} rounds in turns, median (least to most). *Processor* is how many times our \
         processor time the peer takes with the settings that Go starts with, garbage collection included; *large heap* the same with \
         `GOGC=off GOMEMLIMIT=2GiB`. Everything is good but for one of twenty; in the union everything is bad. One mark: one of so many stored \
         conditions changes; a pass: all are marked.\n\n{}\n\
         ![processor time](docs/images/peers-processor.svg)\n![bytes](docs/images/peers-memory.svg)\n\n\
         {date}; {}; {}; {}.\n",
        options.seed,
        options.rounds,
        table(&measured.figures),
        machine::described(),
        rustc(),
        versions.join(", "),
    )
}

pub(super) fn rustc() -> String {
    let said = std::process::Command::new("rustc").arg("--version").output();
    said.map_or_else(|_| "rustc".to_owned(), |said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
}
