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

impl Known {
    /// Tells whether a test ended as it should: those that are not known to fail have to pass.
    fn expects(&self, test: &Ended) -> bool {
        (test.outcome == Outcome::Passed) != self.fails.contains_key(&test.name)
    }
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
    let missing: Vec<_> = chosen
        .iter()
        .filter(|test| !ran.iter().any(|(ended, _)| ended.name == test.name))
        .map(|test| test.name.as_str())
        .collect();
    ensure!(missing.is_empty(), "the suite did not end {}; see {}", missing.join(", "), log.display());
    Ok(ran.iter().all(|(_, test)| known.expects(test)))
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
    let unclaimed = |test: &&Test| !test.features.iter().all(|feature| claimed.contains(feature));
    let (http, others): (Vec<_>, Vec<_>) = all.iter().filter(unclaimed).partition(|test| is_http(test));
    let missing = http.iter().flat_map(|test| &test.features).filter(|feature| !claimed.contains(*feature));
    let missing: BTreeSet<_> = missing.map(String::as_str).collect();
    printer::line(format!(
        "not run: {} tests of Gateways and HTTPRoutes, for features that it does not claim ({}), and {} of other kinds and of meshes",
        http.len(),
        missing.into_iter().collect::<Vec<_>>().join(", "),
        others.len()
    ));
    printer::line(format!("{} s; logs and the suite's report in target/gateway-conformance", took.as_secs()));
}

fn is_core(test: &Test) -> bool {
    test.features.iter().all(|feature| CORE.contains(&feature.as_str()))
}

/// Tells whether a test is about nothing but Gateways and `HTTPRoutes`.
fn is_http(test: &Test) -> bool {
    let is_http = |feature: &String| {
        CORE.contains(&feature.as_str()) || feature.starts_with("Gateway") || feature.starts_with("HTTPRoute")
    };
    test.features.iter().all(is_http)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, features: &[&str]) -> Test {
        Test { name: name.to_owned(), features: features.iter().map(ToString::to_string).collect() }
    }

    fn ended(name: &str, outcome: Outcome) -> Ended {
        Ended { name: name.to_owned(), outcome, requests: Vec::new(), took: Duration::ZERO }
    }

    #[test]
    fn the_tests_of_claimed_features_are_chosen_and_one_of_another_feature_is_refused() {
        let all = [test("A", &["Gateway"]), test("B", &["Gateway", "HTTPRouteCORS"])];
        let claimed = BTreeSet::from(["Gateway".to_owned()]);
        let names = |asked: &[String]| -> Result<Vec<String>> {
            Ok(chosen(&all, &claimed, asked)?.into_iter().map(|test| test.name).collect())
        };
        assert_eq!(names(&[]).unwrap(), ["A"]);
        assert_eq!(names(&["A".to_owned()]).unwrap(), ["A"]);
        let refused = names(&["B".to_owned()]).unwrap_err().to_string();
        assert_eq!(refused, "the example does not claim HTTPRouteCORS, which B is about");
        assert_eq!(names(&["C".to_owned()]).unwrap_err().to_string(), "the suite has no test \"C\"");
    }

    #[test]
    fn a_test_has_to_end_as_the_table_says() {
        let known = Known { fails: BTreeMap::from([("A".to_owned(), "no mirrors".to_owned())]) };
        for (name, outcome, expected) in [
            ("A", Outcome::OnlyTraffic, true),
            ("A", Outcome::Passed, false),
            ("B", Outcome::Passed, true),
            ("B", Outcome::OnlyTraffic, false),
            ("B", Outcome::Failed(Vec::new()), false),
            ("B", Outcome::Skipped(String::new()), false),
        ] {
            assert_eq!(known.expects(&ended(name, outcome.clone())), expected, "{name} {outcome:?}");
        }
    }
}
