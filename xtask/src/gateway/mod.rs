//! The official conformance suite of the Gateway API, against the controller of this project on the real kube-apiserver.
//!
//! The suite is run as it is, with its own manifests and tests. A bare API server has no controllers and no kubelet: `xtask/gateway/suite` makes
//! the Pods of Deployments and says that they are ready. There is no data plane either: a test that sends a request ends there, and
//! counts for its status alone (`xtask/gateway/tests.yaml` names those tests). Nothing ever answers in place of a data plane.

mod envoy;
mod example;
mod output;
mod stage;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use self::output::{Ended, Outcome};
use self::stage::Stage;
use self::suite::{Settings, Test};
use crate::printer;
use crate::real::{self, Environment};

/// The options of `cargo xtask gateway-conformance`.
#[derive(clap::Args)]
pub struct Options {
    /// Run every test of Gateways up to its first request, and not only those that look closely at status
    #[arg(long)]
    all: bool,
    /// Hold examples/gateway to the suite instead of the controller: its requests go through a proxy to backends that run as processes
    #[arg(long, conflicts_with_all = ["all", "controller", "compare_envoy"])]
    example: bool,
    /// Compare the statuses for the manifests of the suite, and for the examples of the Gateway API, with those of Envoy Gateway
    #[arg(long, conflicts_with_all = ["all", "report", "controller"])]
    compare_envoy: bool,
    /// Run only this test; may be repeated. With --compare-envoy: only manifests with this in their path
    #[arg(long = "test", value_name = "NAME")]
    tests: Vec<String>,
    /// Copy the suite's own report to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The program of the controllers; built when absent
    #[arg(long, value_name = "PROGRAM")]
    controller: Option<PathBuf>,
}

/// The lists of `xtask/gateway/tests.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    status: BTreeSet<String>,
    mixed: BTreeSet<String>,
    deployed: BTreeSet<String>,
    without: BTreeMap<String, String>,
}

/// The directory of logs and reports.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/gateway-conformance");

/// Runs the suite, prints the end of each test, and returns false if a status was wrong.
pub async fn run(environment: &Environment, options: &Options) -> Result<bool> {
    if options.example {
        return example::run(environment, options).await;
    }
    let start = Instant::now();
    if options.compare_envoy {
        return envoy::run(environment, &options.tests, Path::new(DIRECTORY)).await;
    }
    let programs = real::gateway_programs(environment)?;
    let program = programs.join("suite");
    let known = suite::tests(&program).await?;
    let lists = lists(&known)?;
    std::fs::create_dir_all(DIRECTORY)?;
    let mut run = Run { program, known, lists, results: Vec::new() };
    let chosen = run.chosen(options)?;
    let mut stage = Stage::start(environment, options.controller.clone(), Path::new(DIRECTORY)).await?;
    // The tests that look at status alone come first and by themselves: the report of the suite is theirs.
    let (status, others): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|name| run.lists.status.contains(name));
    run.turn(&mut stage, "status", &status, None).await?;
    run.turn(&mut stage, "requests", &others, None).await?;
    // These do nothing where a feature is claimed. Now nobody claims it.
    for (test, feature) in run.lists.without.clone() {
        if status.contains(&test) {
            run.turn(&mut stage, &format!("without-{feature}"), &[test], Some(&feature)).await?;
        }
    }
    let written = Path::new(DIRECTORY).join("status.yaml");
    if let (Some(report), false) = (&options.report, status.is_empty()) {
        std::fs::copy(&written, report).with_context(|| format!("cannot write {}", report.display()))?;
    }
    Ok(run.told(start.elapsed()))
}

fn lists(known: &[Test]) -> Result<Lists> {
    let lists: Lists = serde_saphyr::from_str(include_str!("../../gateway/tests.yaml"))?;
    let names: BTreeSet<_> = known.iter().map(|test| &test.name).collect();
    for name in lists.status.iter().chain(&lists.mixed).chain(&lists.deployed).chain(lists.without.keys()) {
        ensure!(
            names.contains(name),
            "xtask/gateway/tests.yaml names {name:?}, which the suite does not have"
        );
    }
    Ok(lists)
}

struct Run {
    program: PathBuf,
    known: Vec<Test>,
    lists: Lists,
    results: Vec<Ended>,
}

impl Run {
    fn chosen(&self, options: &Options) -> Result<Vec<String>> {
        if !options.tests.is_empty() {
            let names: BTreeSet<_> = self.known.iter().map(|test| &test.name).collect();
            for name in &options.tests {
                ensure!(names.contains(name), "the suite has no test {name:?}");
            }
            return Ok(options.tests.clone());
        }
        let is_listed = |test: &&Test| {
            let of_gateways = !test.features.iter().any(|feature| feature == "Mesh");
            let listed = self.lists.status.contains(&test.name) || self.lists.mixed.contains(&test.name);
            listed || options.all && of_gateways && !self.lists.deployed.contains(&test.name)
        };
        Ok(self.known.iter().filter(is_listed).map(|test| test.name.clone()).collect())
    }

    /// Runs some tests, and prints the end of each.
    async fn turn(
        &mut self,
        stage: &mut Stage,
        name: &str,
        tests: &[String],
        without: Option<&str>,
    ) -> Result<()> {
        if tests.is_empty() {
            return Ok(());
        }
        let claimed = stage.controller(without).await?;
        let needed =
            self.known.iter().filter(|test| tests.contains(&test.name)).flat_map(|test| &test.features);
        let unclaimed: BTreeSet<_> = needed.filter(|feature| !claimed.contains(*feature)).cloned().collect();
        if !unclaimed.is_empty() {
            let names: Vec<_> = unclaimed.iter().map(String::as_str).collect();
            printer::note(format!(
                "the class does not claim {}, whose tests are run all the same",
                names.join(", ")
            ));
        }
        let features =
            claimed.into_iter().chain(unclaimed).filter(|feature| Some(feature.as_str()) != without);
        let log = Path::new(DIRECTORY).join(format!("{name}.log"));
        let settings = Settings {
            kubeconfig: stage.kubeconfig().to_owned(),
            class: stage::CLASS.to_owned(),
            tests: tests.to_vec(),
            features: features.collect(),
            status_only: true,
            echo: PathBuf::new(),
            address: String::new(),
            usable: stage::ADDRESS.to_owned(),
            unusable: "192.0.2.99".to_owned(),
            report: log.with_extension("yaml"),
            implementation: suite::implementation("allready-controller (status only, no data plane)"),
            profiles: vec!["GATEWAY-HTTP", "GATEWAY-TLS", "GATEWAY-TCP", "GATEWAY-UDP"],
        };
        let vacuous = |name: &str| without.is_none() && self.lists.without.contains_key(name);
        let ran = suite::run(&self.program, &settings, &log).await;
        let ran = ran.with_context(|| format!("the log of the controller: {}", stage.log().display()))?;
        for test in ran.into_iter().filter(|test| tests.contains(&test.name) && !vacuous(&test.name)) {
            tell(&test, !self.lists.status.contains(&test.name));
            self.results.push(test);
        }
        Ok(())
    }

    /// Prints the sum of it, and returns true if no status was wrong.
    fn told(&self, took: Duration) -> bool {
        let count = |of: &dyn Fn(&Ended) -> bool| self.results.iter().filter(|test| of(test)).count();
        let is_status = |test: &Ended| self.lists.status.contains(&test.name);
        let (status, others) = (count(&is_status), count(&|test| !is_status(test)));
        let passed = count(&|test| is_status(test) && test.outcome == Outcome::Passed);
        let half =
            count(&|test| !is_status(test) && matches!(test.outcome, Outcome::Passed | Outcome::OnlyTraffic));
        let mesh =
            self.known.iter().filter(|test| test.features.iter().any(|feature| feature == "Mesh")).count();
        printer::line(format!(
            "{passed} of {status} tests that look at nothing but status passed; of {others} tests that send requests, the status was \
             right in {half} up to the first request"
        ));
        let left = self.known.len() - mesh - self.results.len();
        printer::line(format!(
            "not run: {left} tests of Gateways (--all runs them up to the first request), and {mesh} of meshes; {} s; logs and reports in \
             target/gateway-conformance",
            took.as_secs()
        ));
        passed == status && half == others
    }
}

/// Prints the end of a test. One that sends requests never counts as passed here: without a data plane, even a refused connection may be
/// what it hopes for.
fn tell(test: &Ended, sends_requests: bool) {
    let (verdict, details) = match &test.outcome {
        Outcome::Passed if sends_requests => {
            ("status", vec!["status as it should be; its requests prove nothing here".to_owned()])
        }
        Outcome::OnlyTraffic => {
            ("status", vec!["status as it should be; no data plane for its requests".to_owned()])
        }
        Outcome::Passed => ("passed", Vec::new()),
        Outcome::Skipped(why) => ("skipped", vec![why.clone()]),
        Outcome::Failed(failures) => ("FAILED", failures.clone()),
    };
    print_end(verdict, test, &details);
}

fn print_end(verdict: &str, test: &Ended, details: &[String]) {
    printer::line(format!("{verdict:8} {:5.1} s  {}", test.took.as_secs_f64(), test.name));
    for detail in details.iter().take(3) {
        printer::line(format!("                   {}", detail.chars().take(400).collect::<String>()));
    }
}
