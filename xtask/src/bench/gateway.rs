//! The statuses of Gateway API: what all of them cost, and those of one change, by `allready-gateway`'s own benchmark; and manifests with
//! `allready gateway check`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::measured::{self, Measured};
use super::{cargo, machine};
use crate::printer;

/// Options of the measurement.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Options {
    /// Fail when a limit does not hold
    #[arg(long)]
    strict: bool,
}

const GATEWAYS: usize = 100;
/// The numbers of routes that are checked, half of them with a Service that is not there. What a run takes without routes is not theirs.
const ROUTES: [usize; 4] = [0, 100, 2_000, 20_000];
/// How often many routes and few are checked; the fastest counts, which on a busy machine takes more turns the shorter it is.
const ROUNDS: usize = 3;
const SHORT_ROUNDS: usize = 20;
/// The limits, at the most routes.
const MAX_TIME: Duration = Duration::from_secs(5);
/// The most that a route may cost of what it costs among the fewest. A search through all routes for each would be two hundredfold.
const MAX_GROWTH: f64 = 3.0;

/// Measures and prints a table; returns whether every limit holds, or true where that is not asked for.
pub async fn run(options: Options) -> Result<bool> {
    printer::line(machine::described());
    let mut holds =
        cargo(&["bench", "--quiet", "--package", "allready-gateway", "--bench", "engine"]).await?;
    let build = ["build", "--quiet", "--release", "--package", "allready-cli", "--bin", "allready"];
    ensure!(cargo(&build).await?, "cannot build allready");
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).context("xtask is not in a target directory")?;
    let allready = target.join("release/allready");
    printer::line(format!("\nallready gateway check, {GATEWAYS} Gateways"));
    holds &= check(&allready, "one List in JSON", "list.json", list)?;
    holds &= check(&allready, "documents in YAML", "documents.yaml", documents)?;
    printer::line(machine::described());
    Ok(holds || !options.strict)
}

/// Checks manifests of each size; returns whether the limits hold.
#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn check(allready: &Path, form: &str, name: &str, text: fn(usize) -> Result<String>) -> Result<bool> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(name);
    let mut fastest = Vec::new();
    for routes in ROUTES {
        std::fs::write(&path, text(routes)?)?;
        let mut command = Command::new(allready);
        command.args(["gateway", "check", "-f"]).arg(&path);
        let rounds = if routes <= ROUTES[1] { SHORT_ROUNDS } else { ROUNDS };
        let runs: Result<Vec<Measured>> = (0..rounds).map(|_| measured::run(&mut command)).collect();
        fastest.push(runs?.into_iter().min_by_key(|run| run.time).unwrap_or_default());
    }
    let [none, few, .., most] = fastest.as_slice() else { return Ok(false) };
    let of_route = |run: &Measured, routes: usize| {
        run.time.saturating_sub(none.time).as_secs_f64().max(1e-6) / routes.max(1) as f64
    };
    for (run, routes) in fastest.iter().zip(ROUTES) {
        let each =
            if routes == 0 { String::new() } else { format!("{:.0} µs", of_route(run, routes) * 1e6) };
        printer::line(format!(
            "  {form:<18} {routes:>6} routes {:>8.3} s {each:>8} each  peak {:>5.0} MB",
            run.time.as_secs_f64(),
            run.peak as f64 / 1e6
        ));
    }
    let growth = of_route(most, ROUTES[ROUTES.len() - 1]) / of_route(few, ROUTES[1]);
    let holds = most.time <= MAX_TIME && growth <= MAX_GROWTH;
    printer::line(format!(
        "  {form:<18} a route, against {} routes: {growth:.1}x, at most {MAX_GROWTH}x; all at most {MAX_TIME:?}  {}",
        ROUTES[1],
        if holds { "pass" } else { "FAIL" }
    ));
    Ok(holds)
}

fn list(routes: usize) -> Result<String> {
    let items = manifests(routes);
    Ok(serde_json::to_string_pretty(&json!({"apiVersion": "v1", "kind": "List", "items": items}))?)
}

fn documents(routes: usize) -> Result<String> {
    let mut text = String::new();
    for manifest in manifests(routes) {
        let _ = write!(text, "---\n{}", serde_saphyr::to_string(&manifest)?);
    }
    Ok(text)
}

fn manifests(routes: usize) -> Vec<Value> {
    const VERSION: &str = "gateway.networking.k8s.io/v1";
    let gateway = |number: usize| {
        json!({"apiVersion": VERSION, "kind": "Gateway", "metadata": {"name": format!("g{number}"), "namespace": "shop"},
            "spec": {"gatewayClassName": "example", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]}})
    };
    let route = |number: usize| {
        let service = if number.is_multiple_of(2) { format!("gone-{number}") } else { "cart".to_owned() };
        json!({"apiVersion": VERSION, "kind": "HTTPRoute", "metadata": {"name": format!("r{number}"), "namespace": "shop"},
        "spec": {
            "parentRefs": [{"name": format!("g{}", number % GATEWAYS)}],
            "rules": [{"backendRefs": [{"name": service, "port": 80}]}],
        }})
    };
    let class = json!({"apiVersion": VERSION, "kind": "GatewayClass", "metadata": {"name": "example"},
        "spec": {"controllerName": "example.com/gateway"}});
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "cart", "namespace": "shop"},
        "spec": {"ports": [{"port": 80}]}});
    [class, service].into_iter().chain((0..GATEWAYS).map(gateway)).chain((0..routes).map(route)).collect()
}
