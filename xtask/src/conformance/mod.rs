//! The differential suite: the same requests to both servers, and every answer compared.

pub mod compare;
pub mod generate;
pub mod known;
pub mod mask;
pub mod random;
pub mod recorded;
pub mod run;
pub mod script;
pub mod sequences;
pub mod shrink;
pub mod variables;
pub mod webhook;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use futures::StreamExt as _;
use jiff::Timestamp;
use serde_json::Value;

use crate::client::Client;
use crate::printer;
use compare::Difference;
use known::Known;
use run::Runner;
use script::Script;
use webhook::Webhook;

/// How many scripts or sequences run at the same time.
pub const IN_FLIGHT: usize = 8;

/// The suite's directory.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

/// The fixtures by name.
pub fn fixtures() -> Result<BTreeMap<String, Value>> {
    let mut fixtures = BTreeMap::new();
    for path in yaml_files(&directory().join("crds"))? {
        let text = std::fs::read_to_string(&path)?;
        let value =
            serde_saphyr::from_str(&text).with_context(|| format!("{} is not YAML", path.display()))?;
        fixtures.insert(stem(&path), value);
    }
    Ok(fixtures)
}

/// The differences that are known and explained.
pub fn known_differences() -> Result<Vec<Known>> {
    known::parse(&std::fs::read_to_string(directory().join("known.yaml"))?)
}

/// The scripts whose names match one of the patterns (`*` stands for anything), or the files named; all when there is none.
pub fn scripts(patterns: &[String]) -> Result<Vec<Script>> {
    let mut scripts = Vec::new();
    for pattern in patterns
        .iter()
        .filter(|pattern| Path::new(pattern).extension().is_some_and(|ending| ending == "yaml"))
    {
        scripts.push(Script::read(Path::new(pattern))?);
    }
    for path in yaml_files(&directory())? {
        let name = stem(&path);
        if name != "known" && (patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, &name)))
        {
            scripts.push(Script::read(&path)?);
        }
    }
    if scripts.is_empty() {
        bail!("no script matches {}", patterns.join(", "));
    }
    Ok(scripts)
}

/// Prints what one server answers, a line per step: for writing scripts.
pub async fn show(scripts: &[Script], run: &str, client: &Client) -> Result<()> {
    let fixtures = fixtures()?;
    for script in scripts {
        let webhook = Webhook::of(script).await?;
        let runner = Runner::new(client, &script.name, run).with_webhook(webhook.as_ref());
        let transcript = runner.run(script, &fixtures).await?;
        for record in transcript.records {
            let answer = &record.answer;
            let said = answer["body"]["message"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
            let said: String = said.chars().take(240).collect();
            printer::line(format!("{}: {}: {} {said}", script.name, record.step, answer["status"]));
        }
    }
    Ok(())
}

/// Runs a script on both servers at once and compares.
pub async fn differences(
    script: &Script,
    run: &str,
    embedded: &Client,
    real: &Client,
    fixtures: &BTreeMap<String, Value>,
) -> Result<Vec<Difference>> {
    let webhook = Webhook::of(script).await?;
    let runner = |client| Runner::new(client, &script.name, run).with_webhook(webhook.as_ref());
    let (ours, theirs) =
        tokio::join!(runner(embedded).run(script, fixtures), runner(real).run(script, fixtures));
    let now = Timestamp::now();
    Ok(compare::compare(script, &mask::mask(&ours?, now), &mask::mask(&theirs?, now)))
}

/// Runs scripts on both servers; returns whether every difference is a known one and every known one is there.
pub async fn run_scripts(
    scripts: &[Script],
    run: &str,
    embedded: &Client,
    real: &Client,
    known: &[Known],
) -> Result<bool> {
    let fixtures = fixtures()?;
    let start = Instant::now();
    let outcomes: Vec<(usize, Result<Vec<Difference>>)> = futures::stream::iter(scripts.iter().enumerate())
        .map(|(index, script)| {
            let fixtures = &fixtures;
            async move { (index, differences(script, run, embedded, real, fixtures).await) }
        })
        .buffered(IN_FLIGHT)
        .collect()
        .await;
    let mut found = Vec::new();
    let mut broken = 0;
    for (index, outcome) in outcomes {
        match outcome {
            Ok(differences) => found.extend(differences),
            Err(error) => {
                broken += 1;
                printer::line(format!("{}: did not run: {error:#}", scripts[index].name));
            }
        }
    }
    let names: Vec<String> = scripts.iter().map(|script| script.name.clone()).collect();
    let all = found.len();
    let (new, stale) = known::sift(known, found, &names);
    print_differences(&new, run);
    print_stale(&stale);
    let steps: usize = scripts.iter().map(|script| script.steps.len()).sum();
    printer::line(format!(
        "{} scripts, {steps} exchanges in {:.1} s: {} differences, {} known, {} stale, {broken} scripts broken",
        scripts.len(),
        start.elapsed().as_secs_f64(),
        new.len(),
        all - new.len(),
        stale.len(),
    ));
    Ok(new.is_empty() && stale.is_empty() && broken == 0)
}

fn print_stale(stale: &[&Known]) {
    for entry in stale {
        let Known { script, step, reason, .. } = entry;
        printer::line(format!("{script}: {step:?} is a known difference that no longer occurs: {reason}"));
    }
}

/// Prints differences, grouped by script and step, without the run's own name in them.
pub fn print_differences(differences: &[Difference], run: &str) {
    let mut last = ("", "");
    for difference in differences {
        let here = (difference.script.as_str(), difference.step.as_str());
        if here != last {
            printer::line(format!("{}: {}", here.0, here.1));
            last = here;
        }
        for line in difference.lines() {
            printer::line(line.replace(run, "RUN"));
        }
    }
}

/// Replays every recording beside the tree against a server; fails where there is none.
pub async fn run_recorded(client: &Client) -> Result<bool> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let files = if directory.is_dir() { files(&directory, "jsonl")? } else { Vec::new() };
    if files.is_empty() {
        bail!("no recordings in {}", directory.display());
    }
    let known = known_differences()?;
    let mut equal = true;
    for file in files {
        let (found, exchanges) = recorded::replay(&file, client).await?;
        let (found, stale) = known::sift(&known, found, &[stem(&file)]);
        print_differences(&found, "\0");
        print_stale(&stale);
        let steps: std::collections::BTreeSet<&str> =
            found.iter().map(|difference| difference.step.as_str()).collect();
        printer::line(format!("{}: {} of {exchanges} exchanges differ", file.display(), steps.len()));
        equal &= found.is_empty() && stale.is_empty();
    }
    Ok(equal)
}

fn yaml_files(directory: &Path) -> Result<Vec<PathBuf>> {
    files(directory, "yaml")
}

fn files(directory: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    files.sort();
    Ok(files)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            rest.is_empty()
                || (0..=name.len()).filter_map(|at| name.get(at..)).any(|tail| matches(rest, tail))
        }),
    }
}
