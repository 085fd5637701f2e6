//! Plays the scenarios of `e2e/cluster` in one cluster, all at once, and compares the answers of `allready` with the expected ones.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use futures::future::join_all;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::Semaphore;

use super::scenario::{self, Controller, Scenario, Wait};
use crate::printer;
use crate::real::{self, Environment};

/// The number of scenarios that are applied or asked about at the same time. More may wait for the cluster.
const AT_ONCE: usize = 4;
/// The longest time of grace of something that does not recover by itself, and a little more.
const GRACE: Duration = Duration::from_secs(20);
/// The time for a scenario to reach its state.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time for `wait` to see that a state does not heal.
const HOPELESS_WITHIN: Duration = Duration::from_secs(10);

/// Options of a run.
#[derive(clap::Args)]
pub struct Options {
    /// Parts of the names of scenarios [default: all]
    names: Vec<String>,
    /// Where the cluster's data, logs and kubeconfig go [default: a directory of its own, removed at the end]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// The program to ask [default: the one built from this tree]
    #[arg(long)]
    allready: Option<PathBuf>,
    /// Leave the cluster running, with everything applied
    #[arg(long, requires = "dir")]
    keep: bool,
    /// Ask about what an earlier run has left, and apply nothing
    #[arg(long, requires = "dir")]
    applied: bool,
    /// Print the answers, too
    #[arg(long)]
    show: bool,
}

/// Plays the scenarios; returns whether all answers were as expected.
pub async fn run(environment: &Environment, options: Options) -> Result<bool> {
    if !real::has_go() {
        printer::line("skipped: Go is not installed, and the control plane is built with it");
        return Ok(true);
    }
    let start = Instant::now();
    let scenarios = scenario::read(&options.names)?;
    let allready = match &options.allready {
        Some(given) => given.clone(),
        None => crate::e2e::build().await?.allready,
    };
    let temporary = tempfile::Builder::new().prefix("allready-cluster-").tempdir()?;
    let directory = options.dir.as_deref().unwrap_or(temporary.path());
    let stage = Stage {
        temporary: temporary.path().to_owned(),
        kubeconfig: super::up(environment, directory, 5).await?,
        kubectl: real::kubectl(environment)?,
        allready,
        is_applied: options.applied,
        busy: Semaphore::new(AT_ONCE),
    };
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
    stage.define(&[ours]).await?;
    if scenarios.iter().any(|scenario| scenario.needs == Some(Controller::ArgoRollouts)) {
        let crds = real::go_source("rollouts", real::ARGO_ROLLOUTS)?.join("manifests/crds");
        let kinds =
            ["rollout", "experiment", "analysis-run", "analysis-template", "cluster-analysis-template"];
        stage.define(&kinds.map(|kind| crds.join(format!("{kind}-crd.yaml")))).await?;
        real::start_argo_rollouts(environment, directory)?;
    }
    let played = play(&stage, &scenarios).await;
    if !options.keep && !options.applied {
        real::down(directory)?;
    }
    report(&played, options.show);
    let failed = played.iter().filter(|(_, played)| !played.differences.is_empty()).count();
    printer::line(format!(
        "{} scenarios, {failed} failed, in {:.0} s",
        played.len(),
        start.elapsed().as_secs_f64()
    ));
    Ok(failed == 0)
}

/// First those that disturb nobody, then the others, one by one.
async fn play(stage: &Stage, scenarios: &[Scenario]) -> Vec<(String, Played)> {
    let (last, others): (Vec<_>, Vec<_>) = scenarios.iter().partition(|scenario| scenario.last);
    let mut played = stage.play_together(&others).await;
    for scenario in last {
        played.extend(stage.play_together(&[scenario]).await);
    }
    played
}

/// The cluster and the programs.
struct Stage {
    temporary: PathBuf,
    kubeconfig: PathBuf,
    kubectl: PathBuf,
    allready: PathBuf,
    is_applied: bool,
    /// Permits for work that keeps the machine busy.
    busy: Semaphore,
}

/// A scenario that was played.
#[derive(Default)]
struct Played {
    differences: Vec<String>,
    answers: Vec<Answer>,
}

/// A program's end.
struct Answer {
    command: String,
    code: i32,
    took: Duration,
    out: String,
    err: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_default()
    }

    fn text(&self) -> String {
        format!("{}{}", self.out, self.err)
    }
}

impl Stage {
    async fn define(&self, crds: &[PathBuf]) -> Result<()> {
        let files = crds.iter().map(|file| format!("--filename={}", file.display())).collect::<Vec<_>>();
        let mut arguments = vec!["apply", "--server-side"];
        arguments.extend(files.iter().map(String::as_str));
        let said = self.kubectl(&arguments, "").await?;
        ensure!(said.code == 0, "cannot apply CRDs: {}", said.err);
        Ok(())
    }

    async fn play_together(&self, scenarios: &[&Scenario]) -> Vec<(String, Played)> {
        let start = Instant::now();
        let told = |what: &str| {
            let took = start.elapsed().as_secs_f64();
            printer::note(format!("{} scenarios {what} after {took:.0} s", scenarios.len()));
        };
        let settled = join_all(scenarios.iter().map(|scenario| self.settle(scenario))).await;
        told("have settled");
        let asked = join_all(scenarios.iter().zip(settled).map(|(scenario, settled)| async move {
            let failed = |error| Played { differences: vec![format!("{error:#}")], answers: Vec::new() };
            let asked = match settled {
                Ok(healed) => self.ask(scenario, healed).await,
                Err(error) => Err(error),
            };
            (scenario.name.clone(), asked.unwrap_or_else(failed))
        }));
        let asked = asked.await;
        told("are asked about");
        asked
    }

    /// Applies a scenario and runs its steps, and beside them the wait for the objects to heal.
    async fn settle(&self, scenario: &Scenario) -> Result<Option<Answer>> {
        if !self.is_applied {
            let _turn = self.busy.acquire().await?;
            self.apply(scenario).await?;
        }
        let healing = async {
            match scenario.wait {
                Some(Wait::Heals) => Ok::<_, anyhow::Error>(Some(self.wait(scenario, "100s").await?)),
                _ => Ok(None),
            }
        };
        let steps = async {
            for step in scenario.steps.iter().filter(|step| !self.is_applied || step.starts_with("wait ")) {
                self.step(scenario, step).await?;
            }
            Ok(())
        };
        Ok(tokio::try_join!(healing, steps)?.0)
    }

    async fn apply(&self, scenario: &Scenario) -> Result<()> {
        let name = &scenario.name;
        self.kubectl(&["create", "namespace", name], "").await?;
        // In a context with this namespace, objects may have another; with `--namespace`, kubectl refuses them.
        let mut config: Value = serde_json::from_slice(&std::fs::read(&self.kubeconfig)?)?;
        for context in config["contexts"].as_array_mut().into_iter().flatten() {
            context["context"]["namespace"] = name.as_str().into();
        }
        let kubeconfig = self.temporary.join(name);
        std::fs::write(&kubeconfig, config.to_string())?;
        let kubeconfig = kubeconfig.display().to_string();
        let start = Instant::now();
        loop {
            let arguments = ["--kubeconfig", &kubeconfig, "apply", "--filename", "-"];
            let said = self.kubectl(&arguments, &scenario.manifest).await?;
            if said.code == 0 {
                return Ok(());
            }
            // A new namespace has no service account yet, and pods are refused.
            if start.elapsed() > Duration::from_secs(20) {
                bail!("kubectl apply: {}", said.err);
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    async fn step(&self, scenario: &Scenario, step: &str) -> Result<()> {
        let mut arguments = vec!["--namespace", scenario.name.as_str()];
        arguments.extend(step.split_whitespace());
        let start = Instant::now();
        loop {
            let said = self.kubectl(&arguments, "").await?;
            if said.code == 0 {
                return Ok(());
            }
            if !step.starts_with("wait ") || start.elapsed() > PATIENCE {
                bail!("kubectl {step}: {}", said.err.trim());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn ask(&self, scenario: &Scenario, healed: Option<Answer>) -> Result<Played> {
        let mut played = Played::default();
        let turn = self.busy.acquire().await?;
        let ask = ["check", "-o", "json", "-n", &scenario.name];
        let mut check = self.allready(scenario, &ask).await?;
        // What does not recover by itself is Progressing for its time of grace; a fast machine asks within it.
        let start = Instant::now();
        while scenario.check == 1 && check.code == 2 && start.elapsed() < GRACE {
            tokio::time::sleep(Duration::from_secs(1)).await;
            check = self.allready(scenario, &ask).await?;
        }
        judge_check(scenario, &check, &mut played.differences);
        played.answers.push(check);
        if scenario.hint.is_some() {
            let check =
                self.allready(scenario, &["check", "--hints", "-o", "json", "-n", &scenario.name]).await?;
            judge_hint(scenario, &check, &mut played.differences);
            played.answers.push(check);
        }
        if !scenario.namespaces.is_empty() {
            let check = self.allready(scenario, &["check", "-o", "json", "-A"]).await?;
            judge_namespaces(scenario, &check, &mut played.differences);
        }
        let explain = self
            .allready(scenario, &["explain", &scenario.object, "-o", "json", "-n", &scenario.name])
            .await?;
        judge_explain(scenario, &explain, &mut played.differences);
        played.answers.push(explain);
        drop(turn);

        let wait = match scenario.wait {
            Some(Wait::Hopeless) => Some(self.wait(scenario, "25s").await?),
            Some(Wait::Patient) => Some(self.wait(scenario, "15s").await?),
            Some(Wait::Heals) => healed,
            None => None,
        };
        if let (Some(how), Some(wait)) = (scenario.wait, wait) {
            judge_wait(scenario, how, &wait, &mut played.differences);
            played.answers.push(wait);
        }
        Ok(played)
    }

    async fn wait(&self, scenario: &Scenario, timeout: &str) -> Result<Answer> {
        self.allready(scenario, &["wait", &scenario.object, "-n", &scenario.name, "--timeout", timeout]).await
    }

    async fn allready(&self, scenario: &Scenario, arguments: &[&str]) -> Result<Answer> {
        let mut arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        if let Some(context) = &scenario.context {
            arguments.extend(["--context".to_owned(), context.clone()]);
        }
        if let Some(age) = &scenario.later
            && arguments[0] != "wait"
        {
            let age: jiff::SignedDuration =
                age.parse().with_context(|| format!("{}: later", scenario.name))?;
            arguments.extend(["--now".to_owned(), (jiff::Timestamp::now() + age).to_string()]);
        }
        self.run(&self.allready, "allready", &arguments, "").await
    }

    async fn kubectl(&self, arguments: &[&str], input: &str) -> Result<Answer> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self.run(&self.kubectl, "kubectl", &arguments, input).await
    }

    async fn run(&self, program: &Path, name: &str, arguments: &[String], input: &str) -> Result<Answer> {
        let start = Instant::now();
        let mut child = Command::new(program)
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that reads nothing may have ended.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        let command = format!("{name} {}", arguments.join(" "));
        let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
            .await
            .with_context(|| format!("{command} did not end within {PATIENCE:?}"))??;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Answer {
            command,
            code: output.status.code().unwrap_or(-1),
            took: start.elapsed(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        })
    }
}

fn judge_check(scenario: &Scenario, check: &Answer, differences: &mut Vec<String>) {
    if check.code != scenario.check {
        differences.push(format!("check: exit code {} instead of {}", check.code, scenario.check));
    }
    let report = check.json();
    let Some(causes) = report["causes"].as_array() else {
        return differences.push("check: no list of causes".to_owned());
    };
    if causes.len() > scenario.lines {
        let texts: Vec<_> = causes.iter().map(text_of).collect();
        differences.push(format!(
            "check: {} causes, not at most {}: {}",
            causes.len(),
            scenario.lines,
            texts.join(", ")
        ));
    }
    // Causes elsewhere, such as in the cluster itself, do not turn a healthy namespace.
    if scenario.check == 0 {
        return;
    }
    let first = causes.first().map(text_of).unwrap_or_default();
    if let Some(expected) = &scenario.cause
        && !first.contains(expected)
    {
        differences.push(format!("check: the first cause is {first:?}, without {expected:?}"));
    }
}

/// Returns a cause with the object that has it.
fn text_of(cause: &Value) -> String {
    let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!(
        "{} {}: {}",
        part(&cause["object"]["kind"]),
        part(&cause["object"]["name"]),
        part(&cause["cause"])
    )
}

fn judge_hint(scenario: &Scenario, check: &Answer, differences: &mut Vec<String>) {
    let report = check.json();
    let causes =
        || ["causes", "hints"].iter().flat_map(|list| report[*list].as_array().into_iter().flatten());
    let texts: Vec<_> = causes().map(text_of).collect();
    if let Some(expected) = &scenario.hint
        && !texts.iter().any(|text| text.contains(expected))
    {
        differences.push(format!("check --hints: no hint has {expected:?}: {texts:?}"));
    }
}

fn judge_namespaces(scenario: &Scenario, check: &Answer, differences: &mut Vec<String>) {
    let report = check.json();
    let names_all = |cause: &Value| {
        let named: Vec<_> =
            cause["namespaces"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        scenario.namespaces.iter().all(|namespace| named.contains(&namespace.as_str()))
    };
    let is_it = |cause: &&Value| {
        scenario.cause.as_ref().is_none_or(|expected| text_of(cause).contains(expected)) && names_all(cause)
    };
    if !report["causes"].as_array().into_iter().flatten().any(|cause| is_it(&cause)) {
        differences.push(format!("check -A: no cause names {}", scenario.namespaces.join(", ")));
    }
}

fn judge_explain(scenario: &Scenario, explain: &Answer, differences: &mut Vec<String>) {
    let report = explain.json();
    let verdict = report["health"].as_str().unwrap_or("nothing");
    if verdict != scenario.verdict {
        differences.push(format!("explain: {verdict} instead of {}", scenario.verdict));
    }
    let first = report["firstCause"]["text"].as_str().unwrap_or_default();
    if let Some(expected) = &scenario.cause
        && !first.contains(expected)
    {
        differences.push(format!("explain: {first:?}, without {expected:?}"));
    }
}

fn judge_wait(scenario: &Scenario, how: Wait, wait: &Answer, differences: &mut Vec<String>) {
    let took = wait.took.as_secs_f64();
    let (expected, is_in_time) = match how {
        Wait::Hopeless => (1, wait.took < HOPELESS_WITHIN),
        Wait::Patient => (2, true),
        Wait::Heals => (0, true),
    };
    if wait.code != expected || !is_in_time {
        differences
            .push(format!("wait: exit code {} after {took:.0} s instead of {expected} ({how:?})", wait.code));
    }
    let text = wait.text();
    if how != Wait::Heals
        && let Some(cause) = &scenario.cause
        && !text.contains(cause)
    {
        let last = text.trim_end().lines().last().unwrap_or_default();
        differences.push(format!("wait: does not say {cause:?}: {last}"));
    }
}

fn report(played: &[(String, Played)], show: bool) {
    for (name, scenario) in played {
        let word = if scenario.differences.is_empty() { "ok" } else { "FAILED" };
        printer::line(format!("{word:7} {name}"));
        for difference in &scenario.differences {
            printer::line(format!("          {difference}"));
        }
        for answer in scenario.answers.iter().filter(|_| show) {
            printer::line(format!(
                "        $ {} -> {} in {:.1} s",
                answer.command,
                answer.code,
                answer.took.as_secs_f64()
            ));
            for line in answer.text().lines() {
                printer::line(format!("          {line}"));
            }
        }
    }
}
