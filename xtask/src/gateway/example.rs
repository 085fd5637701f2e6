//! The suite against `examples/gateway`, whose proxy answers the requests of tests.
//!
//! Every test of the features that its class claims is run, as it is. The backends are the suite's own echo program, as processes of this
//! machine (`xtask/gateway/suite/pods.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use tokio::process::Command;

use super::output::{Ended, Outcome};
use super::stage::{self, Stage};
use super::suite::{self, Settings, Test};
use super::{DIRECTORY, Options};
use crate::printer;
use crate::real::{self, Environment};

/// The features that every implementation of HTTP has.
const CORE: [&str; 3] = ["Gateway", "HTTPRoute", "ReferenceGrant"];

/// The content of `xtask/gateway/example.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Tests that fail, and why.
    fails: BTreeMap<String, String>,
}

/// Runs the suite, prints the end of each test, and returns false if one ended otherwise than it should.
pub(super) async fn run(environment: &Environment, options: &Options) -> Result<bool> {
    let start = Instant::now();
    let address = own_address()?;
    let programs = real::gateway_programs(environment)?;
    let program = programs.join("suite");
    let all = suite::tests(&program).await?;
    let known = known(&all)?;
    std::fs::create_dir_all(DIRECTORY)?;
    let mut stage = Stage::start_example(environment, build().await?, Path::new(DIRECTORY)).await?;
    let claimed = stage.controller(None).await?;
    let chosen = chosen(&all, &claimed, &options.tests)?;
    let log = Path::new(DIRECTORY).join("example.log");
    let settings = Settings {
        kubeconfig: stage.kubeconfig().to_owned(),
        class: stage::CLASS.to_owned(),
        tests: chosen.iter().map(|test| test.name.clone()).collect(),
        features: claimed.iter().cloned().collect(),
        status_only: false,
        echo: programs.join("echo"),
        address: address.to_string(),
        // It claims nothing about addresses that are asked for.
        usable: String::new(),
        unusable: String::new(),
        report: log.with_extension("yaml"),
        implementation: suite::implementation("examples/gateway"),
        profiles: vec!["GATEWAY-HTTP"],
    };
    let ran = suite::run(&program, &settings, &log).await;
    let ran = ran.with_context(|| format!("the log of the example: {}", stage.log().display()))?;
    let ran: Vec<_> = ran
        .into_iter()
        .filter_map(|test| Some((chosen.iter().find(|one| one.name == test.name)?, test)))
        .collect();
    for (_, test) in &ran {
        tell(test, known.fails.get(&test.name));
    }
    if let Some(report) = &options.report {
        std::fs::copy(&settings.report, report)
            .with_context(|| format!("cannot write {}", report.display()))?;
    }
    sum_up(&all, &claimed, &ran, start.elapsed());
    let is_expected = |test: &Ended| match test.outcome {
        Outcome::Passed => !known.fails.contains_key(&test.name),
        _ => known.fails.contains_key(&test.name),
    };
    Ok(ran.len() == chosen.len() && ran.iter().all(|(_, test)| is_expected(test)))
}

/// An address of this machine that is not loopback: `EndpointSlices` refuse those. Nothing is sent to find it.
fn own_address() -> Result<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let found = socket.connect("203.0.113.1:9").and_then(|()| socket.local_addr());
    found.map(|address| address.ip()).context(
        "this machine has no IPv4 address for its backends: EndpointSlices refuse those of loopback, so connect it to a network",
    )
}

/// Builds the example.
async fn build() -> Result<PathBuf> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--package", "example-gateway", "--message-format", "json-render-diagnostics"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cannot build examples/gateway");
    let built = output.stdout.split(|byte| *byte == b'\n');
    let program = |line: &[u8]| {
        let artifact: Value = serde_json::from_slice(line).ok()?;
        artifact["executable"].as_str().filter(|path| path.contains("example-gateway")).map(PathBuf::from)
    };
    built.rev().find_map(program).context("cargo built no program of examples/gateway")
}

fn known(all: &[Test]) -> Result<Known> {
    let known: Known = serde_saphyr::from_str(include_str!("../../gateway/example.yaml"))?;
    for name in known.fails.keys() {
        let is_test = all.iter().any(|test| test.name == *name);
        ensure!(is_test, "xtask/gateway/example.yaml names {name:?}, which the suite does not have");
    }
    Ok(known)
}

/// The tests of the features that are claimed, or those that are asked for.
fn chosen(all: &[Test], claimed: &BTreeSet<String>, asked: &[String]) -> Result<Vec<Test>> {
    for name in asked {
        let test = all.iter().find(|test| test.name == *name);
        let test = test.with_context(|| format!("the suite has no test {name:?}"))?;
        let missing: Vec<_> =
            test.features.iter().filter(|feature| !claimed.contains(*feature)).map(String::as_str).collect();
        ensure!(
            missing.is_empty(),
            "the example does not claim {}, which {name} is about",
            missing.join(", ")
        );
    }
    let is_chosen = |test: &&Test| {
        let is_claimed = test.features.iter().all(|feature| claimed.contains(feature));
        is_claimed && (asked.is_empty() || asked.contains(&test.name))
    };
    Ok(all.iter().filter(is_chosen).cloned().collect())
}

fn tell(test: &Ended, known: Option<&String>) {
    let (verdict, details) = match (&test.outcome, known) {
        (Outcome::Passed, None) => ("passed", Vec::new()),
        (Outcome::Passed, Some(_)) => {
            ("PASSED", vec!["xtask/gateway/example.yaml says that it fails: remove it there".to_owned()])
        }
        (Outcome::Skipped(why), _) => ("skipped", vec![why.clone()]),
        (Outcome::OnlyTraffic | Outcome::Failed(_), Some(why)) => ("fails", vec![why.clone()]),
        (Outcome::OnlyTraffic, None) => ("FAILED", test.requests.clone()),
        (Outcome::Failed(failures), None) => ("FAILED", [&failures[..], &test.requests].concat()),
    };
    super::print_end(verdict, test, &details);
}

fn sum_up(all: &[Test], claimed: &BTreeSet<String>, ran: &[(&Test, Ended)], took: Duration) {
    let is_core = |test: &Test| test.features.iter().all(|feature| CORE.contains(&feature.as_str()));
    let passed = |core: bool| {
        let of: Vec<_> = ran.iter().filter(|(test, _)| is_core(test) == core).collect();
        let passed = of.iter().filter(|(_, test)| test.outcome == Outcome::Passed).count();
        format!("{passed} of {}", of.len())
    };
    printer::line(format!(
        "{} tests of the core passed, and {} of the other features that the example claims",
        passed(true),
        passed(false)
    ));
    let unclaimed = all.iter().filter(|test| !test.features.iter().all(|feature| claimed.contains(feature)));
    printer::line(format!(
        "not run: {} tests of features that it does not claim; {} s; logs and the suite's report in target/gateway-conformance",
        unclaimed.count(),
        took.as_secs()
    ));
}
