//! What the exports of the registry say in the peers' own engines, against our verdicts on the same objects.
//!
//! One thing must hold without exception: where an export is green, the verdict is Healthy.

mod matrix;
mod real;
mod strangers;
mod tally;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use allready_core::Time;
use allready_inspect::health::Health;
use allready_inspect::judge::{Verdict, judge};
use allready_inspect::registry::Registry;
use allready_inspect::registry::export::{Format, Wanted, declared, export};
use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::printer;
use crate::real::Environment;
use tally::Tally;

/// The version that objects have; Flux asks for one.
const VERSION: &str = "v1";

/// The objects are tried in so many turns, of which each has some of every kind: one run is one turn.
const TURNS: usize = 8;

/// The time at which objects are judged: long after all that they tell of.
fn now() -> Time {
    Time::from_second(1_893_456_000).unwrap_or(Time::EPOCH)
}

/// What the program is asked for one kind.
#[derive(Serialize, Default)]
struct Question {
    #[serde(skip_serializing_if = "Option::is_none")]
    lua: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flux: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kapp: Option<Value>,
    objects: Vec<Value>,
}

/// What each peer said of each object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    lua: Vec<String>,
    #[serde(default)]
    flux: Vec<String>,
    #[serde(default)]
    kapp: Vec<String>,
}

/// Prints the figures; false where an export is green and the verdict is not, or where it does not run at all.
pub fn run(environment: &Environment, show: bool, turn: usize) -> Result<bool> {
    let program = build(environment)?;
    let registry = Registry::builtin();
    let mut tallies = tallies();
    let mut asked = Vec::new();
    let (mut seen, mut alike) = (BTreeSet::new(), 0);
    for mut wanted in declared(registry) {
        wanted.version = Some(VERSION.to_owned());
        let mut question = question(registry, &wanted, &mut tallies);
        if question.has_rules() {
            // Kinds of which the same is declared have the same rules but for their names: one of them is enough.
            if !seen.insert(without_name(&question)) {
                alike += 1;
                continue;
            }
            let objects = matrix::objects(registry, &wanted, VERSION).into_iter().enumerate();
            let is_next = |index: usize| index == 0 || (index + asked.len() + turn).is_multiple_of(TURNS);
            question.objects =
                objects.filter(|(index, _)| is_next(*index)).map(|(_, object)| object).collect();
            asked.push((wanted, question));
        }
    }
    compare(&program, registry, &asked, &mut tallies)?;
    for tally in &tallies {
        tally.show(show);
    }
    let objects: usize = asked.iter().map(|(_, question)| question.objects.len()).sum();
    let false_greens: usize = tallies.iter().map(|tally| tally.false_greens).sum();
    printer::line(format!(
        "{} kinds, and {alike} of which the same is declared, {objects} objects, {false_greens} false greens",
        asked.len()
    ));
    let mut holds = tallies.iter().all(Tally::holds);
    if let Some(asked) = real::questions(registry)? {
        printer::line("Objects of the corpus, of kinds that are exported:");
        let mut tallies = self::tallies();
        compare(&program, registry, &asked, &mut tallies)?;
        for tally in &tallies {
            tally.show_real(show);
        }
        holds &= tallies.iter().all(Tally::holds);
    }
    Ok(holds)
}

fn tallies() -> [Tally; 3] {
    [Tally::new("Argo CD", &LUA), Tally::new("Flux", &FLUX), Tally::new("kapp", &KAPP)]
}

/// The rules of a kind, for each peer that it can be told.
fn question(registry: &Registry, wanted: &Wanted, tallies: &mut [Tally; 3]) -> Question {
    let mut question = Question::default();
    let rules = [
        (Format::ArgoCdLua, &mut question.lua),
        (Format::FluxCel, &mut question.flux),
        (Format::Kapp, &mut question.kapp),
    ];
    for ((format, rule), tally) in rules.into_iter().zip(tallies) {
        match rule_of(registry, wanted, format) {
            Ok(found) => *rule = Some(found),
            Err(why) => tally.left_out(wanted, why),
        }
    }
    question
}

/// Asks the peers, and counts what they say against the verdicts.
fn compare(
    program: &Path,
    registry: &Registry,
    asked: &[(Wanted, Question)],
    tallies: &mut [Tally; 3],
) -> Result<()> {
    let answers = ask(program, asked.iter().map(|(_, question)| question))?;
    ensure!(answers.len() == asked.len(), "{} answers to {} questions", answers.len(), asked.len());
    for ((wanted, question), answer) in asked.iter().zip(&answers) {
        let verdicts: Vec<Verdict> =
            question.objects.iter().map(|object| judge(object, registry, now())).collect();
        for (tally, said) in tallies.iter_mut().zip([&answer.lua, &answer.flux, &answer.kapp]) {
            if !said.is_empty() {
                tally.count(wanted, &question.objects, &verdicts, said);
            }
        }
    }
    Ok(())
}

impl Question {
    fn has_rules(&self) -> bool {
        self.lua.is_some() || self.flux.is_some() || self.kapp.is_some()
    }
}

/// What was exported, without the names of the kind.
fn without_name(question: &Question) -> String {
    let lua = question.lua.as_ref().and_then(Value::as_str).unwrap_or_default();
    let rest = lua.split_once('\n').map_or(lua, |(_, rest)| rest);
    format!("{} {} {rest}", question.flux.is_some(), question.kapp.is_some())
}

/// What the words of a peer mean, in ours. Of what it cannot say, it says that it waits.
struct Words {
    green: &'static str,
    broken: &'static str,
    /// What it says of an object that is neither.
    waiting: Option<&'static str>,
    /// Whether its engine may give up on an object: Flux then waits.
    may_fail: bool,
}

const LUA: Words = Words { green: "Healthy", broken: "Degraded", waiting: None, may_fail: false };
const FLUX: Words = Words { green: "Current", broken: "Failed", waiting: Some("InProgress"), may_fail: true };
const KAPP: Words = Words { green: "Succeeded", broken: "Failed", waiting: Some("Waiting"), may_fail: false };

impl Words {
    /// The word for a verdict.
    fn of(&self, health: Health) -> &'static str {
        match (health, self.waiting) {
            (Health::Healthy, _) => self.green,
            (Health::Degraded, _) => self.broken,
            (_, Some(waiting)) => waiting,
            (other, None) => other.as_str(),
        }
    }
}

/// The one rule of an export of one kind.
fn rule_of(registry: &Registry, wanted: &Wanted, format: Format) -> Result<Value, String> {
    let told = export(registry, std::slice::from_ref(wanted), format);
    if let Some((_, why)) = told.left_out.into_iter().next() {
        return Err(why);
    }
    let rule = match format {
        Format::ArgoCdLua => told.document["data"].as_object().and_then(|data| data.values().next()),
        Format::FluxCel => told.document["healthCheckExprs"].get(0),
        Format::Kapp => told.document["waitRules"].get(0),
    };
    rule.cloned().ok_or_else(|| "the document has no rule in it".to_owned())
}

fn ask<'a>(program: &Path, questions: impl Iterator<Item = &'a Question>) -> Result<Vec<Answer>> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take().context("no way to ask")?;
    let output = child.stdout.take().context("no way to hear")?;
    // It answers while it is asked, and would be held up if nobody listened.
    let heard = std::thread::spawn(move || -> Result<Vec<Answer>> {
        BufReader::new(output).lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
    });
    let mut input = BufWriter::new(input);
    for question in questions {
        serde_json::to_writer(&mut input, question)?;
        input.write_all(b"\n")?;
    }
    input.flush()?;
    drop(input);
    let answers = heard.join().map_err(|_| anyhow::anyhow!("the answers could not be read"))??;
    let status = child.wait()?;
    ensure!(status.success(), "{} failed: {status}", program.display());
    Ok(answers)
}

/// The Go program, built when it is not there: Go itself knows what has to be built anew.
fn build(environment: &Environment) -> Result<PathBuf> {
    let directory = environment.cache.join("peers");
    std::fs::create_dir_all(&directory)?;
    let program = directory.join("peers");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let built = Command::new("go")
        .args(["build", "-trimpath", "-ldflags", "-s -w", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&module)
        .status()
        .context("cannot run go: the peers' engines are written in it")?;
    if !built.success() {
        bail!("go build in {} failed ({built})", module.display());
    }
    Ok(program)
}
