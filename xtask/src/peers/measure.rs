//! The cost of calls on both sides: loops inside of each program, so that nothing of the wire is measured, in turns.

use std::path::PathBuf;
use std::process::Command;

use allready_peers::serve::{Measured, Question};
use anyhow::{Context as _, Result, ensure};

use super::program::{Built, Program};
use super::workload::{WORKLOADS, Workload};
use super::{Options, Peer};
use crate::printer;

/// The settings of Go: those it starts with, and one that collects no garbage before there are gigabytes of it.
const SETTINGS: [&[(&str, &str)]; 2] = [&[], &[("GOGC", "off"), ("GOMEMLIMIT", "2GiB")]];

/// Quotients of several rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) least: f64,
    pub(super) median: f64,
    pub(super) most: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        Self { least: at(0), median: at(values.len() / 2), most: at(values.len().saturating_sub(1)) }
    }
}

/// The cost of one call: processor time in nanoseconds, and allocations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) time: f64,
    pub(super) allocations: f64,
    pub(super) bytes: f64,
}

/// One call at one size on both sides.
pub(super) struct Figure {
    pub(super) workload: &'static Workload,
    pub(super) size: usize,
    pub(super) ours: Cost,
    pub(super) theirs: Cost,
    /// The peer's processor time as a multiple of ours, with Go's default settings.
    pub(super) processor: Spread,
    /// The same of the time on the clock.
    pub(super) wall: Spread,
    /// The peer's processor time as a multiple of ours, with a large heap.
    pub(super) large_heap: Spread,
}

/// Everything that was measured, and with what.
pub(super) struct Figures {
    pub(super) figures: Vec<Figure>,
    pub(super) versions: Vec<(String, String)>,
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn per_call(measured: &Measured) -> Cost {
    let each = |all: u64| all as f64 / measured.calls.max(1) as f64;
    Cost {
        time: each(measured.processor),
        allocations: each(measured.allocations),
        bytes: each(measured.bytes),
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn wall(measured: &Measured) -> f64 {
    measured.wall as f64 / measured.calls.max(1) as f64
}

/// Our programs, built with optimization.
fn ours() -> Result<[PathBuf; 2]> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "allready-peers"])
        .current_dir(&directory)
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "cannot build allready-peers");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| directory.join("target"), PathBuf::from);
    Ok(["peers-ours", "peers-counted"].map(|name| target.join("release").join(name)))
}

pub(super) fn run<'b>(
    wanted: &[&Peer],
    built: impl Fn(&Peer) -> Option<&'b Built>,
    options: &Options,
) -> Result<Figures> {
    let [plain, counted] = ours()?;
    let mut all = Figures { figures: Vec::new(), versions: Vec::new() };
    for workload in WORKLOADS {
        let Some(peer) = wanted.iter().find(|peer| peer.name == workload.peer) else { continue };
        let Some(Built::Program(path)) = built(peer) else { continue };
        let mut version = Program::start(path, &[])?;
        let asked = Question { versions: true, ..Question::default() };
        let versions: std::collections::BTreeMap<String, String> = version.ask(&asked)?;
        for module in ["go", peer.module] {
            let found = (module.to_owned(), versions.get(module).cloned().unwrap_or_default());
            if !all.versions.contains(&found) {
                all.versions.push(found);
            }
        }
        for &size in workload.sizes {
            printer::note(format!("{} at {size}", workload.name));
            let question = Question {
                peer: workload.question.to_owned(),
                case: (workload.case)(size),
                milliseconds: options.milliseconds,
                versions: false,
            };
            all.figures.push(figure(workload, size, &question, options.rounds, [&plain, &counted, path])?);
        }
    }
    Ok(all)
}

fn figure(
    workload: &'static Workload,
    size: usize,
    question: &Question,
    rounds: usize,
    [plain, counted, path]: [&PathBuf; 3],
) -> Result<Figure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut processor, mut clock, mut large_heap) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        // A process of its own for each turn: none inherits the heap of another.
        let ask = |path: &PathBuf, settings| Program::start(path, settings)?.ask::<Measured>(question);
        let our = ask(plain, &[])?;
        let [default, large] = [ask(path, SETTINGS[0])?, ask(path, SETTINGS[1])?];
        processor.push(per_call(&default).time / per_call(&our).time);
        clock.push(wall(&default) / wall(&our));
        large_heap.push(per_call(&large).time / per_call(&our).time);
        ours.push(per_call(&our).time);
        theirs.push(default);
    }
    let counted = per_call(&Program::start(counted, &[])?.ask::<Measured>(question)?);
    let allocated = theirs.first().map_or(counted, per_call);
    let time = Spread::of(theirs.iter().map(|measured| per_call(measured).time).collect()).median;
    Ok(Figure {
        workload,
        size,
        ours: Cost { time: Spread::of(ours).median, ..counted },
        theirs: Cost { time, ..allocated },
        processor: Spread::of(processor),
        wall: Spread::of(clock),
        large_heap: Spread::of(large_heap),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_between_the_least_and_the_most() {
        let spread = Spread::of(vec![3.0, 1.0, 9.0, 4.0, 2.0]);
        assert_eq!(spread, Spread { least: 1.0, median: 3.0, most: 9.0 });
    }
}
