//! `check`, `explain` and `watch` in a large cluster: a whole control plane with many nodes and pods, of which one in a hundred fails.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use super::measured::{self, Measured};
use super::{cargo, machine};
use crate::client::Client;
use crate::cluster::create;
use crate::real::{self, Environment};
use crate::{kubeconfig, printer};

/// The user that the program asks as: its requests are counted, and those of the control plane are not.
pub(crate) const USER: &str = "reporter";
/// The number of requests that are sent at the same time to fill the cluster.
const AT_ONCE: usize = 16;
/// The number of namespaces, and of healthy Deployments in each.
const NAMESPACES: usize = 20;
const DEPLOYMENTS: usize = 49;
/// The word of failing pods.
const FAILURE: &str = "ImagePullBackOff";
/// The limits, for the sizes that are the default and two cores: the requests of the fastest run count. `check -A` lists each
/// kind in pages of 500 and asks for events; the others ask for what they follow.
const LIMITS: [Limit; 4] = [
    Limit { command: "check -A", seconds: 5, memory: 150_000_000, requests: 250 },
    Limit { command: "check -n bench-1", seconds: 2, memory: 60_000_000, requests: 150 },
    Limit { command: "explain deploy/failing -n bench-1", seconds: 1, memory: 60_000_000, requests: 50 },
    Limit { command: WATCH, seconds: 10, memory: 250_000_000, requests: 400 },
];
/// The name of the measurement of `watch`, which needs a terminal.
const WATCH: &str = "watch -A, until a failure is shown";

/// The most that a command may take.
struct Limit {
    command: &'static str,
    seconds: u64,
    memory: u64,
    requests: u64,
}

impl Limit {
    /// The figures that are over the limit.
    fn exceeded(&self, measured: &Measured, requests: u64) -> Vec<&'static str> {
        let over = [
            (measured.time > Duration::from_secs(self.seconds), "time"),
            (measured.peak > self.memory, "memory"),
            (requests > self.requests, "requests"),
        ];
        over.into_iter().filter(|(is_over, _)| *is_over).map(|(_, figure)| figure).collect()
    }

    /// The limits, as they stand in the table.
    fn row(&self) -> String {
        let megabytes = self.memory / 1_000_000;
        format!(
            "{:<40} {:>6} s {:>11} {:>6} MB {:>9}",
            "  at most", self.seconds, "", megabytes, self.requests
        )
    }
}

/// Options of a measurement.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// Where the cluster's data, logs and kubeconfig go [default: a directory of its own, removed at the end]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Leave the cluster running
    #[arg(long, requires = "dir")]
    keep: bool,
    /// The number of nodes
    #[arg(long, default_value_t = 1000)]
    nodes: usize,
    /// The number of pods, in 20 namespaces
    #[arg(long, default_value_t = 20_000)]
    pods: usize,
    /// How often each command is run; the fastest counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The program to measure [default: a release build of this tree]
    #[arg(long)]
    allready: Option<PathBuf>,
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
}

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(environment: &Environment, options: Options) -> Result<bool> {
    let allready = if let Some(given) = &options.allready {
        given.clone()
    } else {
        let build = ["build", "--quiet", "--release", "--package", "allready-cli", "--bin", "allready"];
        ensure!(cargo(&build).await?, "cannot build allready");
        // This chore itself may be of another profile.
        std::env::current_exe()?.with_file_name("../release/allready")
    };
    let temporary = tempfile::Builder::new().prefix("allready-cluster-").tempdir()?;
    let directory = options.dir.as_deref().unwrap_or(temporary.path());
    let holds = measure(environment, &options, directory, &allready).await;
    if !options.keep {
        real::down(directory)?;
    }
    Ok(holds? || !options.strict)
}

async fn measure(
    environment: &Environment,
    options: &Options,
    directory: &Path,
    allready: &Path,
) -> Result<bool> {
    let kubeconfig = crate::cluster::up(environment, directory, options.nodes).await?;
    let client = Client::new(kubeconfig::read(&kubeconfig)?)?;
    let start = Instant::now();
    fill(&client, options.nodes, options.pods).await?;
    printer::note(format!("{} pods are there after {:.0} s", options.pods, start.elapsed().as_secs_f64()));
    count_requests(&client).await?;

    printer::line(machine::described());
    printer::line(format!(
        "{:<40} {:>8} {:>11} {:>9} {:>9}",
        "command", "time", "processor", "peak", "requests"
    ));
    let mut holds = true;
    for limit in LIMITS {
        let (measured, sent) = if limit.command == WATCH {
            let before = requests(&client).await?;
            let measured = watch(allready, &kubeconfig)?;
            (measured, requests(&client).await? - before)
        } else {
            fastest(&client, options, &kubeconfig, allready, limit.command).await?
        };
        print(limit.command, measured, sent);
        let exceeded = limit.exceeded(&measured, sent);
        let word =
            if exceeded.is_empty() { "pass".to_owned() } else { format!("FAIL: {}", exceeded.join(", ")) };
        printer::line(format!("{}  {word}", limit.row()));
        holds &= exceeded.is_empty();
    }
    printer::line(machine::described());
    Ok(holds)
}

/// Runs a command several times; returns its fastest run, and the requests of that.
async fn fastest(
    client: &Client,
    options: &Options,
    kubeconfig: &Path,
    allready: &Path,
    arguments: &str,
) -> Result<(Measured, u64)> {
    let mut best: Option<(Measured, u64)> = None;
    for _ in 0..options.rounds.max(1) {
        let before = requests(client).await?;
        let mut command = Command::new(allready);
        command.args(arguments.split(' ')).args(["--context", USER]).env("KUBECONFIG", kubeconfig);
        let measured = measured::run(&mut command)?;
        let sent = requests(client).await? - before;
        if best.is_none_or(|(best, _)| measured.time < best.time) {
            best = Some((measured, sent));
        }
    }
    Ok(best.unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn print(command: &str, measured: Measured, requests: u64) {
    printer::line(format!(
        "{command:<40} {:>6.2} s {:>9.2} s {:>6.1} MB {requests:>9}",
        measured.time.as_secs_f64(),
        measured.processor.as_secs_f64(),
        measured.peak as f64 / 1e6
    ));
}

/// Makes Deployments in 20 namespaces and waits until their pods have started, or failed.
///
/// The pods of a Deployment are bound to one node when they are made: the scheduler would take longer than all others together.
async fn fill(client: &Client, nodes: usize, pods: usize) -> Result<()> {
    let each = pods / NAMESPACES;
    let failing = (each / 100).max(1);
    let mut objects = Vec::new();
    for number in 1..=NAMESPACES {
        let namespace = format!("bench-{number}");
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        create(client, "/api/v1/namespaces", &object).await?;
        let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
        let node = |app: usize| format!("node-{}", (number * (DEPLOYMENTS + 1) + app) % nodes + 1);
        objects.push((path.clone(), deployment("failing", &node(DEPLOYMENTS), failing, true)));
        for app in 0..DEPLOYMENTS {
            let left = each - failing;
            let share = left / DEPLOYMENTS + usize::from(app < left % DEPLOYMENTS);
            objects.push((path.clone(), deployment(&format!("app-{app}"), &node(app), share, false)));
        }
    }
    stream::iter(objects)
        .map(|(path, object)| async move { create(client, &path, &object).await })
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    let start = Instant::now();
    let expected = NAMESPACES * (each - failing);
    loop {
        let mut ready = 0;
        for number in 1..=NAMESPACES {
            let path = format!("/apis/apps/v1/namespaces/bench-{number}/deployments");
            let list: Value = serde_json::from_slice(&client.get(&path).await?.body)?;
            let items = list["items"].as_array().into_iter().flatten();
            ready += items.filter_map(|item| item["status"]["readyReplicas"].as_u64()).sum::<u64>();
        }
        if ready >= expected as u64 {
            return Ok(());
        }
        if start.elapsed() > Duration::from_mins(30) {
            bail!("{ready} of {expected} pods are ready after 30 minutes");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn deployment(name: &str, node: &str, replicas: usize, is_failing: bool) -> Value {
    let mut annotations = json!({});
    if is_failing {
        annotations = json!({
            "kubelet.allready.dev/waiting": FAILURE,
            "kubelet.allready.dev/message": "Back-off pulling image \"web:2\"",
        });
    }
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name }, "annotations": annotations },
                "spec": { "nodeName": node, "containers": [{ "name": "web", "image": "web:2" }] },
            },
        },
    })
}

/// Lets the user do everything, through a flow schema of its own, which counts its requests.
pub(crate) async fn count_requests(client: &Client) -> Result<()> {
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": { "name": "bench" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER }],
    });
    create(client, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding).await?;
    let everything = json!({
        "subjects": [{ "kind": "User", "user": { "name": USER } }],
        "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true }],
        "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["*"] }],
    });
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
        "metadata": { "name": "bench" },
        "spec": {
            "matchingPrecedence": 2, "priorityLevelConfiguration": { "name": "workload-high" },
            "distinguisherMethod": { "type": "ByUser" }, "rules": [everything],
        },
    });
    create(client, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", &schema).await?;
    // The server takes the schema up by itself.
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(())
}

/// Returns the number of requests of the user so far.
pub(crate) async fn requests(client: &Client) -> Result<u64> {
    dispatched(&String::from_utf8_lossy(&client.get("/metrics").await?.body))
}

/// Returns the number of requests of the flow schema in these metrics; watches count as one each.
fn dispatched(metrics: &str) -> Result<u64> {
    let is_it = |line: &&str| {
        line.starts_with("apiserver_flowcontrol_dispatched_requests_total{")
            && line.contains("flow_schema=\"bench\"")
    };
    let counts = metrics.lines().filter(is_it).map(|line| line.rsplit(' ').next().unwrap_or_default());
    counts.map(|count| count.parse::<u64>().with_context(|| format!("{count:?} requests"))).sum()
}

/// Runs `watch -A` in a terminal until a failure is on the screen.
fn watch(allready: &Path, kubeconfig: &Path) -> Result<Measured> {
    let line = format!("stty cols 160 rows 50; exec {} watch -A --context {USER}", allready.display());
    let start = Instant::now();
    let mut terminal = Command::new("script")
        .args(["--quiet", "--flush", "--command", &line, "/dev/null"])
        .env("KUBECONFIG", kubeconfig)
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start script, which gives it a terminal")?;
    let mut screen = terminal.stdout.take().context("script has no output")?;
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    let limit = Duration::from_mins(2);
    while !shown.windows(FAILURE.len()).any(|part| part == FAILURE.as_bytes()) {
        let count = screen.read(&mut buffer)?;
        shown.extend_from_slice(&buffer[..count]);
        if count == 0 || start.elapsed() > limit {
            terminal.kill()?;
            bail!("watch has shown no failure after {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    let time = start.elapsed();
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", terminal.id()))?;
    let child = children.split_whitespace().next().and_then(|id| id.parse().ok());
    let measured = child.map(|id| measured::so_far(id, time)).unwrap_or_default();
    // The terminal is gone, and so is the program.
    terminal.kill()?;
    terminal.wait()?;
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_of_other_flow_schemas_are_not_counted() -> Result<()> {
        let metrics = "# TYPE apiserver_flowcontrol_dispatched_requests_total counter\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"bench\",priority_level=\"workload-high\"} 41\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"exempt\",priority_level=\"exempt\"} 900\n\
            apiserver_flowcontrol_rejected_requests_total{flow_schema=\"bench\"} 7\n\
            apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"bench\",priority_level=\"exempt\"} 1\n";
        assert_eq!(dispatched(metrics)?, 42);
        assert_eq!(dispatched("")?, 0);
        assert!(
            dispatched("apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"bench\"} many\n")
                .is_err()
        );
        Ok(())
    }

    #[test]
    fn every_figure_over_its_limit_is_named() {
        let limit = Limit { command: "check", seconds: 5, memory: 100, requests: 10 };
        let measured =
            |seconds, peak| Measured { time: Duration::from_secs(seconds), peak, ..Measured::default() };
        assert_eq!(limit.exceeded(&measured(5, 100), 10), [""; 0]);
        assert_eq!(limit.exceeded(&measured(6, 101), 11), ["time", "memory", "requests"]);
        assert_eq!(limit.exceeded(&measured(1, 1), 11), ["requests"]);
    }
}
