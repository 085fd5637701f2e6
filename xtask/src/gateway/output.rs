//! The output of the suite, as the Go package testing prints it with `-test.v`.

use std::collections::BTreeMap;
use std::time::Duration;

/// The test that all others are part of.
const ROOT: &str = "Suite/";

/// Places in the suite that send requests, and words of tests that send them themselves.
const TRAFFIC: [&str; 12] = [
    // xtask/gateway/suite/absent.go
    "no data plane: no request is sent",
    "/utils/grpc/",
    "/utils/http/",
    "/utils/tcp/",
    "/utils/tls/",
    "/utils/udp/",
    "/utils/weight/",
    "UDP traffic verification failed",
    "UDP echo probe never succeeded",
    "UDP weighted distribution did not converge",
    "failed to perform DNS query",
    "dialing TCP ",
];

/// The end of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    /// The suite said why.
    Skipped(String),
    /// Nothing but requests failed: everything that the test looked at before was as it should be.
    OnlyTraffic,
    /// With the first failures.
    Failed(Vec<String>),
}

/// A test that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) outcome: Outcome,
    /// The requests that failed.
    pub(super) requests: Vec<String>,
    pub(super) took: Duration,
}

/// Everything that was printed.
#[derive(Default)]
pub(super) struct Output {
    /// Output of tests and their parts.
    said: BTreeMap<String, Vec<String>>,
    /// The tests and their parts, with the first word of their end and how long they took.
    ends: Vec<(String, String, Duration)>,
}

impl Output {
    /// Reads it. Ends of parts come after the end of their test, and all of them after the last test.
    pub(super) fn read(text: &str) -> Self {
        let mut output = Self::default();
        // The test whose lines follow.
        let mut current = "";
        for line in text.lines() {
            if let Some(marker) = line.strip_prefix("=== ") {
                current = marker.split_whitespace().nth(1).unwrap_or_default();
            } else if let Some(end) = end(line) {
                output.ends.push(end);
            } else {
                output.said.entry(current.to_owned()).or_default().push(line.trim_end().to_owned());
            }
        }
        output
    }

    /// The tests that ended, without their parts.
    pub(super) fn tests(&self) -> Vec<Ended> {
        let test = |(path, verdict, took): &(String, String, Duration)| {
            let name = path.strip_prefix(ROOT).filter(|name| !name.contains('/'))?.to_owned();
            let (outcome, requests) = match verdict.as_str() {
                "PASS" => (Outcome::Passed, Vec::new()),
                "SKIP" => (Outcome::Skipped(self.last_words(path)), Vec::new()),
                _ => self.failure(path),
            };
            Some(Ended { name, outcome, requests, took: *took })
        };
        self.ends.iter().filter_map(test).collect()
    }

    /// Output outside of tests: why nothing could be run.
    pub(super) fn setup(&self) -> Vec<String> {
        self.said.get("Suite").map(|lines| errors(lines)).unwrap_or_default()
    }

    /// The outcome of a test that failed, and the requests that did.
    fn failure(&self, path: &str) -> (Outcome, Vec<String>) {
        let failed = self.ends.iter().filter(|(part, verdict, _)| verdict == "FAIL" && is_part(part, path));
        let parts: Vec<&String> = failed.map(|(part, ..)| part).collect();
        let (mut failures, mut requests) = (Vec::new(), Vec::new());
        for part in &parts {
            let said = self.said.get(*part).map(Vec::as_slice).unwrap_or_default();
            let mut found = errors(said);
            // A test fails with its parts; what failed by itself says so.
            let is_leaf = !parts.iter().any(|other| other != part && is_part(other, part));
            if found.is_empty() && is_leaf {
                let mut words =
                    said.iter().rev().map(|line| line.trim()).filter(|line| !line.contains(": Deleting "));
                found.push(words.next().unwrap_or("it said nothing").to_owned());
            }
            let title = part.strip_prefix(ROOT).unwrap_or(part);
            for text in &found {
                let of = if is_traffic(text) { &mut requests } else { &mut failures };
                of.push(format!("{title}: {text}"));
            }
        }
        if failures.is_empty() && !requests.is_empty() {
            (Outcome::OnlyTraffic, requests)
        } else {
            (Outcome::Failed(failures), requests)
        }
    }

    fn last_words(&self, path: &str) -> String {
        let said =
            self.said.get(path).and_then(|lines| lines.last()).map(|line| line.trim()).unwrap_or_default();
        // Without the place in the suite.
        said.split_once(".go:")
            .and_then(|(_, rest)| rest.split_once(": "))
            .map_or(said, |(_, words)| words)
            .to_owned()
    }
}

/// Reads the line of an end: `--- FAIL: Suite/Test/part (0.20s)`.
fn end(line: &str) -> Option<(String, String, Duration)> {
    let (verdict, rest) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
    let (path, took) = rest.rsplit_once(" (")?;
    let seconds = took.strip_suffix("s)")?.parse().ok()?;
    Some((path.to_owned(), verdict.to_owned(), Duration::from_secs_f64(seconds)))
}

fn is_part(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_traffic(text: &str) -> bool {
    TRAFFIC.iter().any(|place| text.contains(place))
}

/// The errors among the lines of one test: the blocks of testify, and the refusals of a missing data plane.
fn errors(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = lines.iter().map(|line| line.trim()).peekable();
    while let Some(line) = lines.next() {
        if is_traffic(line) {
            found.push(line.to_owned());
        }
        let Some(place) = line.strip_prefix("Error Trace:") else { continue };
        let mut block = vec![place.trim()];
        while let Some(next) = lines.next_if(|next| !next.starts_with("Test:")) {
            block.push(next);
        }
        found.push(block.join(" "));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> Vec<Ended> {
        Output::read(output).tests()
    }

    #[test]
    fn a_test_ends_with_its_own_line_and_not_with_that_of_a_part() {
        let ended = read(
            "=== RUN   Suite\n=== RUN   Suite/A\n=== RUN   Suite/A/part\n--- PASS: Suite/A/part (0.10s)\n\
             --- PASS: Suite/A (1.50s)\n--- PASS: Suite (2.00s)\n",
        );
        let took = Duration::from_millis(1500);
        let a = Ended { name: "A".to_owned(), outcome: Outcome::Passed, requests: Vec::new(), took };
        assert_eq!(ended, [a]);
    }

    #[test]
    fn a_test_that_failed_in_a_request_is_told_from_one_that_failed_in_a_status() {
        let ended = read(
            "=== RUN   Suite/A\n=== RUN   Suite/A/status\n--- PASS: Suite/A/status (0.10s)\n=== RUN   Suite/A/request\n    \
             absent.go:20: no data plane: no request is sent\n--- FAIL: Suite/A/request (0.10s)\n--- FAIL: Suite/A (0.20s)\n",
        );
        assert_eq!(ended[0].outcome, Outcome::OnlyTraffic);
        assert_eq!(ended[0].requests, ["A/request: absent.go:20: no data plane: no request is sent"]);
        let ended = read(
            "=== RUN   Suite/B\n    helpers.go:1: \n        \tError Trace:\t/x/utils/kubernetes/helpers.go:1\n        \tError:      \t\
             no condition\n        \tTest:       \tSuite/B\n=== RUN   Suite/B/request\n    absent.go:20: no data plane: no request is \
             sent\n--- FAIL: Suite/B/request (0.10s)\n--- FAIL: Suite/B (0.20s)\n",
        );
        let Outcome::Failed(failures) = &ended[0].outcome else { panic!("{ended:?}") };
        assert_eq!(failures, &["B: /x/utils/kubernetes/helpers.go:1 Error:      \tno condition"]);
    }

    #[test]
    fn lines_belong_to_the_test_that_was_named_last_even_when_tests_run_at_the_same_time() {
        let ended = read(
            "=== RUN   Suite/A\n=== PAUSE Suite/A\n=== RUN   Suite/B\n=== PAUSE Suite/B\n=== CONT  Suite/A\n=== CONT  Suite/B\n    \
             b.go:1: no data plane: no request is sent\n=== NAME  Suite/A\n    a.go:1: something else\n--- FAIL: Suite/B (0.00s)\n\
             --- FAIL: Suite/A (0.00s)\n",
        );
        assert_eq!(ended[0].outcome, Outcome::OnlyTraffic);
        assert_eq!(ended[1].outcome, Outcome::Failed(vec!["A: a.go:1: something else".to_owned()]));
    }

    #[test]
    fn a_test_that_is_skipped_says_why() {
        let ended = read(
            "=== RUN   Suite/A\n    conformance.go:75: Skipping A: suite does not support Mesh\n--- SKIP: Suite/A (0.00s)\n",
        );
        assert_eq!(ended[0].outcome, Outcome::Skipped("Skipping A: suite does not support Mesh".to_owned()));
    }
}
