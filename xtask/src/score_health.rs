//! How often the verdicts of `allready_inspect::health` are those of people who know the kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use allready_core::Time;
use allready_inspect::registry::Registry;
use allready_inspect::{
    health::Health,
    judge::{judge, kstatus},
    view::group,
};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::printer;

/// At least this much exact, and at most this much called healthy that is not, in percent.
struct Floor {
    exact: f64,
    false_green: f64,
}

/// With everything that is declared.
const TOTAL: Floor = Floor { exact: 95.0, false_green: 0.5 };
/// For a kind of which nothing is declared.
const LEAVE_ONE_OUT: Floor = Floor { exact: 88.0, false_green: 1.5 };

const WORDS: [Health; 6] = [
    Health::Healthy,
    Health::Progressing,
    Health::Degraded,
    Health::Suspended,
    Health::Missing,
    Health::Unknown,
];

/// An object, and what it comes to.
#[derive(Deserialize)]
struct Sample {
    case: String,
    expected: Health,
    object: Value,
}

/// What was said of each sample, in order.
struct Answers {
    name: &'static str,
    said: Vec<(Health, String)>,
}

/// Prints the scores; false where one is below its floor. Another file than the usual one has no floor.
pub fn run(show_errors: bool, file: Option<&Path>) -> Result<bool> {
    let path = file.map_or_else(corpus, Path::to_path_buf);
    if file.is_none() && !path.exists() {
        printer::note(format!("{} is not there, so that there is nothing to score", path.display()));
        return Ok(true);
    }
    let samples = read(&path)?;
    let now = Time::new(jiff::Timestamp::now());
    let total = total(&samples, now);
    let without = leave_one_out(&samples, now);
    let baseline = baseline(&samples, now);
    for answers in [&total, &without, &baseline] {
        show(&samples, answers);
    }
    if show_errors {
        for answers in [&total, &without] {
            show_wrong(&samples, answers);
        }
    }
    if file.is_some() {
        return Ok(true);
    }
    let is_total_good = is_above(&samples, &total, &TOTAL);
    Ok(is_above(&samples, &without, &LEAVE_ONE_OUT) && is_total_good)
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/health/dev.jsonl")
}

fn read(path: &Path) -> Result<Vec<Sample>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty()).enumerate();
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} of {}", index + 1, path.display()))
        })
        .collect()
}

fn total(samples: &[Sample], now: Time) -> Answers {
    let answer = |sample: &Sample| answer(&sample.object, Registry::builtin(), now);
    Answers { name: "total", said: samples.iter().map(answer).collect() }
}

/// Each object without anything that is declared for its API group.
fn leave_one_out(samples: &[Sample], now: Time) -> Answers {
    let groups: BTreeSet<&str> = samples.iter().map(|sample| group(&sample.object)).collect();
    let without: BTreeMap<&str, Registry> =
        groups.into_iter().map(|group| (group, Registry::builtin().without_group(group))).collect();
    let answer = |sample: &Sample| {
        let registry = without.get(group(&sample.object)).unwrap_or(Registry::builtin());
        answer(&sample.object, registry, now)
    };
    Answers { name: "leave one API group out", said: samples.iter().map(answer).collect() }
}

fn answer(object: &Value, registry: &Registry, now: Time) -> (Health, String) {
    let verdict = judge(object, registry, now);
    (verdict.health, format!("{} {} {}", verdict.rule, verdict.field, verdict.reason))
}

fn baseline(samples: &[Sample], now: Time) -> Answers {
    let answer = |sample: &Sample| {
        let outcome = kstatus::compute(&sample.object, now);
        (Health::from(outcome.status), outcome.message)
    };
    Answers { name: "kstatus", said: samples.iter().map(answer).collect() }
}

fn pairs<'a>(samples: &'a [Sample], answers: &'a Answers) -> impl Iterator<Item = (Health, Health)> + 'a {
    samples.iter().zip(&answers.said).map(|(sample, (said, _))| (sample.expected, *said))
}

/// How many of all, in percent, are so.
fn percent(samples: &[Sample], answers: &Answers, is: impl Fn(Health, Health) -> bool) -> f64 {
    let hits = pairs(samples, answers).filter(|(expected, said)| is(*expected, *said)).count();
    #[expect(clippy::cast_precision_loss, reason = "there are not that many samples")]
    let percent = 100.0 * hits as f64 / samples.len().max(1) as f64;
    percent
}

fn exact(samples: &[Sample], answers: &Answers) -> f64 {
    percent(samples, answers, |expected, said| expected == said)
}

fn false_green(samples: &[Sample], answers: &Answers) -> f64 {
    percent(samples, answers, |expected, said| said == Health::Healthy && expected != Health::Healthy)
}

fn is_above(samples: &[Sample], answers: &Answers, floor: &Floor) -> bool {
    let (exact, false_green) = (exact(samples, answers), false_green(samples, answers));
    let is_above = exact >= floor.exact && false_green <= floor.false_green;
    if !is_above {
        printer::note(format!(
            "{}: {exact:.1} % exact and {false_green:.1} % falsely healthy; the floor is {} % and {} %",
            answers.name, floor.exact, floor.false_green
        ));
    }
    is_above
}

fn show(samples: &[Sample], answers: &Answers) {
    let healthy_or_not = percent(samples, answers, |expected, said| {
        (expected == Health::Healthy) == (said == Health::Healthy)
    });
    printer::line(format!(
        "{}: {} objects, {:.1} % exact, {healthy_or_not:.1} % healthy or not, {:.1} % falsely healthy",
        answers.name,
        samples.len(),
        exact(samples, answers),
        false_green(samples, answers),
    ));
    let mut counts: BTreeMap<(Health, Health), usize> = BTreeMap::new();
    for pair in pairs(samples, answers) {
        *counts.entry(pair).or_default() += 1;
    }
    let heading: Vec<String> = WORDS.iter().map(|said| format!("{:>12}", format!("{said:?}"))).collect();
    printer::line(format!("  {:12}{}", "is \\ said", heading.concat()));
    for expected in WORDS {
        let row: Vec<String> = WORDS
            .iter()
            .map(|said| {
                counts.get(&(expected, *said)).map_or_else(|| format!("{:>12}", "."), |n| format!("{n:>12}"))
            })
            .collect();
        printer::line(format!("  {:12}{}", format!("{expected:?}"), row.concat()));
    }
}

fn show_wrong(samples: &[Sample], answers: &Answers) {
    printer::line(format!("{}: what is wrong", answers.name));
    for (sample, (said, why)) in samples.iter().zip(&answers.said) {
        if sample.expected != *said {
            printer::line(format!("  {}: is {:?}, said {said:?} by {why}", sample.case, sample.expected));
        }
    }
}
