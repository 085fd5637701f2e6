//! The table of COMPARE.md.

use std::fmt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::{REPORTS, Taken};
use crate::bench::config_status::RECONCILERS;
use crate::peers::{program, report};
use crate::real::VERSION;

/// What was measured of one program among so many nodes.
pub(super) struct Row {
    pub(super) program: &'static str,
    pub(super) nodes: usize,
    /// The time until Ready was True, or what happened instead.
    pub(super) ready: String,
    /// The median of single reports, and the 99th of 100.
    pub(super) report: Option<[Duration; 2]>,
    /// The median of turns from True to False.
    pub(super) turn: Option<Duration>,
    pub(super) taken: Taken,
    pub(super) peak: u64,
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
pub(super) fn time(time: Duration) -> String {
    report::time(time.as_nanos() as f64)
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn bytes(bytes: u64) -> String {
    report::bytes(bytes as f64)
}

/// The server's own words.
pub(super) fn refusal(error: &anyhow::Error) -> String {
    match error.downcast_ref() {
        Some(kube::Error::Api(status)) => status.message.clone(),
        _ => format!("{error:#}"),
    }
}

/// The first lines of the table.
pub(super) const HEAD: &str = "| nodes | program | Ready is True after | a report | a turn | requests | sent / received | processor | of the server | peak memory |\n\
    |---|---|---|---|---|---|---|---|---|---|";

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = || "–".to_owned();
        let report = self.report.map_or_else(none, |report| report.map(time).join(" / "));
        let turn = self.turn.map_or_else(none, time);
        let Taken { requests, sent, received, processor, server } = &self.taken;
        let [sent, received, peak] = [*sent, *received, self.peak].map(bytes);
        let [processor, server] = [*processor, *server].map(time);
        write!(
            formatter,
            "| {} | {} | {} | {report} | {turn} | {requests} | {sent} / {received} | {processor} | {server} | {peak} |",
            self.nodes, self.program, self.ready
        )
    }
}

/// The table, how it came about, and with what.
pub(super) fn block(rows: &[String], machine: &str) -> Result<String> {
    let modules = ["sigs.k8s.io/controller-runtime", "k8s.io/client-go"];
    let versions = go(&[&["list", "-m", "-f", "{{.Path}} {{.Version}}"][..], &modules].concat())?;
    Ok(format!(
        "The same load for three programs, each on a server of its own: {RECONCILERS} reconcilers on each node report with server-side apply, 16 \
         clients at a time, until the object has `Ready=True`; then {REPORTS} single reports, bad and good in turns. *Singleton* is one object \
         into whose `status.conditions` each reconciler applies its own: reports of the same time collide, and are tried again by the server, after a \
         conflict by the client; *naive* has an object for each node, and after an event lists all of \
         them from its cache. Both are in [xtask/peers/aggregation](xtask/peers/aggregation), on controller-runtime: they expect all nodes, \
         as ours does, write only what has changed, and count nothing in the message, which ours does.\n\n\
         {HEAD}\n{}\n\n\
         *A report* is the median and the 99th of 100 of single reports, until they are accepted \
         (where Ready never came, among those that had been accepted by then); *a turn* the median from then until a watch sees \
         Ready turn False. Requests, bytes and processor time are those from the first report until Ready is True, or until the program was \
         given up: requests as the server's flow control counts those of the program's user, bytes as they pass in front of the server, \
         encrypted. *Of the server*: its processor time, the load's part included. Program and load share the machine with the server.\n\n\
         {}; {machine}; kube-apiserver {VERSION} with etcd; {}; {} {}.\n",
        rows.join("\n"),
        jiff::Timestamp::now().strftime("%F"),
        report::rustc(),
        go(&["env", "GOVERSION"])?,
        versions.replace('\n', ", "),
    ))
}

fn go(arguments: &[&str]) -> Result<String> {
    let said = Command::new("go").args(arguments).current_dir(program::source("aggregation")).output();
    let said = said.context("cannot run go")?;
    ensure!(said.status.success(), "go {arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ready: &str, report: Option<[Duration; 2]>, turn: Option<Duration>) -> Row {
        let (processor, server) = (Duration::from_millis(1_500), Duration::from_mins(2));
        let taken = Taken { requests: 7, sent: 1_200, received: 3_400_000_000, processor, server };
        Row { program: "naive", nodes: 250, ready: ready.to_owned(), report, turn, taken, peak: 61_400_000 }
    }

    #[test]
    fn a_row_has_a_figure_for_each_column_or_says_that_there_is_none() {
        let report = [Duration::from_millis(4), Duration::from_micros(12_300)];
        let come = row("4.2 s", Some(report), Some(Duration::from_millis(9))).to_string();
        let given_up = row("12 of 1000 reports in 300 s", None, None).to_string();
        let rest = "7 | 1.2 kB / 3.4 GB | 1.5 s | 120.0 s | 61.4 MB |";
        assert_eq!(come, format!("| 250 | naive | 4.2 s | 4.0 ms / 12.3 ms | 9.0 ms | {rest}"));
        assert_eq!(given_up, format!("| 250 | naive | 12 of 1000 reports in 300 s | – | – | {rest}"));
        let columns = |line: &str| line.matches('|').count();
        assert!(HEAD.lines().all(|line| columns(line) == columns(&come)));
    }

    #[test]
    fn a_refusal_is_in_the_words_of_the_server() {
        let status = kube::core::Status::failure("etcdserver: request is too large", "InternalError");
        let error = anyhow::Error::from(kube::Error::Api(Box::new(status)));
        assert_eq!(refusal(&error), "etcdserver: request is too large");
        assert_eq!(refusal(&anyhow::anyhow!("broken").context("sent")), "sent: broken");
    }
}
