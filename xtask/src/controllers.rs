//! `cargo xtask controllers`: a controller that others wrote, on the embedded server and on the real one.
//!
//! The controller of Argo Rollouts, from its own module, is given the same Rollout on both: it makes ReplicaSets, writes conditions and
//! events, pauses a canary half way, and is promoted. Nothing else runs there, so the ReplicaSets are filled here, as their controller would
//! fill them. What stands in both servers then has to be the same, but for names, times and hashes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use http::Method;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::client::{Call, Client};
use crate::embedded::Server;
use crate::printer;
use crate::real::{self, Environment};

/// The time that anything may take.
const PATIENCE: Duration = Duration::from_mins(2);
const ROLLOUTS: &str = "/apis/argoproj.io/v1alpha1/namespaces/default/rollouts";
const REPLICA_SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const KINDS: [&str; 5] =
    ["rollout", "experiment", "analysis-run", "analysis-template", "cluster-analysis-template"];

/// Plays the story on both servers, and returns whether the same stands in both at each of its stages.
pub async fn run(environment: &Environment) -> Result<bool> {
    let program = real::argo_rollouts(environment)?;
    let crds = real::go_source("rollouts", real::ARGO_ROLLOUTS)?.join("manifests/crds");
    let embedded = Server::embedded().await?;
    let real = Server::real(environment).await?;
    let start = Instant::now();
    let (ours, theirs) =
        tokio::try_join!(play("embedded", &embedded, &program, &crds), play("real", &real, &program, &crds))?;
    let mut same = true;
    for ((stage, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        if ours == theirs {
            printer::line(format!("{stage}: the same on both, {}", ours["rollout"]["phase"]));
        } else {
            same = false;
            printer::line(format!("{stage}: DIFFERENT\n  embedded {ours}\n  real     {theirs}"));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    printer::line(format!("Argo Rollouts {}, {seconds:.0} s", real::argo_rollouts_version()?));
    Ok(same)
}

/// The objects of a server at each stage.
async fn play(
    name: &str,
    server: &Server,
    program: &Path,
    crds: &Path,
) -> Result<Vec<(&'static str, Value)>> {
    let client = server.client()?;
    for kind in KINDS {
        let text = fs::read_to_string(crds.join(format!("{kind}-crd.yaml")))?;
        let crd: Value = serde_saphyr::from_str(&text)?;
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let made = send(&client, Method::POST, path, "application/json", &crd).await?;
        let path = format!("{path}/{}", made["metadata"]["name"].as_str().unwrap_or_default());
        until(&client, &path, "the definition is served", |crd| condition(crd, "Established") == "True")
            .await?;
    }
    let directory = tempfile::tempdir()?;
    let log = directory.path().join("log");
    let mut controller = start(program, server.kubeconfig(), &log)?;
    let played = stages(&client).await;
    let ended = controller.try_wait()?;
    let said = fs::read_to_string(&log).unwrap_or_default();
    let tail: Vec<&str> = said.lines().rev().take(8).collect();
    played.with_context(|| format!("{name}: the controller {ended:?} said at last:\n{}", tail.join("\n")))
}

fn start(program: &Path, kubeconfig: &Path, log: &Path) -> Result<Child> {
    let log = fs::File::create(log)?;
    Command::new(program)
        .arg(format!("--kubeconfig={}", kubeconfig.display()))
        .args(["--leader-elect=false", "--loglevel=warn"])
        // It would listen on all addresses; there are no such ports, and it goes on without.
        .args(["--metricsPort=99999", "--healthzPort=99999"])
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}

async fn stages(client: &Client) -> Result<Vec<(&'static str, Value)>> {
    let path = format!("{ROLLOUTS}/web");
    let mut stages = Vec::new();
    send(client, Method::POST, ROLLOUTS, "application/json", &rollout()).await?;
    until(client, &path, "it is Healthy", |it| it["status"]["phase"] == "Healthy").await?;
    stages.push(("a new Rollout", facts(client).await?));
    let image =
        json!([{ "op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "web:2" }]);
    send(client, Method::PATCH, &path, "application/json-patch+json", &image).await?;
    until(client, &path, "it is Paused", |it| {
        let status = &it["status"];
        status["phase"] == "Paused" && status["updatedReplicas"] == 2 && status["availableReplicas"] == 4
    })
    .await?;
    stages.push(("a canary that pauses", facts(client).await?));
    // As `kubectl argo rollouts promote` does.
    let promoted = json!({ "status": { "pauseConditions": null } });
    send(client, Method::PATCH, &format!("{path}/status"), "application/merge-patch+json", &promoted).await?;
    until(client, &path, "it is Healthy again", |it| {
        it["status"]["phase"] == "Healthy" && it["status"]["updatedReplicas"] == 4
    })
    .await?;
    stages.push(("promoted", facts(client).await?));
    Ok(stages)
}

fn rollout() -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": { "name": "web" },
        "spec": {
            "replicas": 4,
            "selector": { "matchLabels": { "app": "web" } },
            "strategy": { "canary": { "maxSurge": 0, "maxUnavailable": 2, "steps": [{ "setWeight": 50 }, { "pause": {} }] } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "web:1" }] },
            },
        },
    })
}

/// Waits for a state of an object, and fills the ReplicaSets meanwhile.
async fn until(client: &Client, path: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Result<()> {
    let start = Instant::now();
    loop {
        let found = get(client, path).await?;
        if holds(&found) {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            bail!("timed out after {PATIENCE:?} until {what}: {}", found["status"]);
        }
        fill(client).await?;
        sleep(Duration::from_millis(100)).await;
    }
}

/// Does what the controller of ReplicaSets and kubelets would do.
async fn fill(client: &Client) -> Result<()> {
    for mut set in items(&get(client, REPLICA_SETS).await?) {
        let (wanted, generation) = (set["spec"]["replicas"].clone(), set["metadata"]["generation"].clone());
        let status = &set["status"];
        if status["replicas"] == wanted && status["observedGeneration"] == generation {
            continue;
        }
        set["status"] = json!({
            "replicas": wanted, "fullyLabeledReplicas": wanted, "readyReplicas": wanted, "availableReplicas": wanted,
            "observedGeneration": generation,
        });
        let path = format!("{REPLICA_SETS}/{}/status", set["metadata"]["name"].as_str().unwrap_or_default());
        let call = call(Method::PUT, &path, "application/json", &set);
        let answer = client.send(&call).await?;
        // The controller may be faster.
        let code = answer.status.as_u16();
        ensure!(answer.status.is_success() || code == 409, "PUT {path}: {code}");
    }
    Ok(())
}

/// The objects of a server, without names, times and hashes.
async fn facts(client: &Client) -> Result<Value> {
    let rollout = get(client, &format!("{ROLLOUTS}/web")).await?;
    let status = &rollout["status"];
    let conditions: BTreeSet<String> = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| format!("{} {} {}", it["type"], it["status"], it["reason"]))
        .collect();
    let numbers = [
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "HPAReplicas",
        "currentStepIndex",
    ];
    let counts: Vec<Value> = numbers.iter().map(|field| status[*field].clone()).collect();
    let sets: BTreeSet<String> = items(&get(client, REPLICA_SETS).await?)
        .iter()
        .map(|set| {
            let revision = &set["metadata"]["annotations"]["rollout.argoproj.io/revision"];
            let owner = &set["metadata"]["ownerReferences"][0]["kind"];
            format!("{owner} {revision}: {}", set["spec"]["replicas"])
        })
        .collect();
    let events: BTreeSet<String> = items(&get(client, "/api/v1/namespaces/default/events").await?)
        .iter()
        .map(|event| format!("{} {}", event["type"], event["reason"]))
        .collect();
    Ok(json!({
        "rollout": { "phase": status["phase"], "message": status["message"], "conditions": conditions, "counts": counts },
        "generation": rollout["metadata"]["generation"],
        "managers": managers(&rollout),
        "sets": sets,
        "events": events,
    }))
}

/// The field managers of an object, with endpoint and operation.
fn managers(object: &Value) -> BTreeSet<String> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.map(|it| format!("{} {} {}", it["manager"], it["operation"], it["subresource"])).collect()
}

fn condition(object: &Value, kind: &str) -> String {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    let found = conditions.into_iter().find(|it| it["type"] == kind);
    found.and_then(|it| it["status"].as_str()).unwrap_or_default().to_owned()
}

fn items(list: &Value) -> Vec<Value> {
    list["items"].as_array().cloned().unwrap_or_default()
}

async fn get(client: &Client, path: &str) -> Result<Value> {
    send(client, Method::GET, path, "", &Value::Null).await
}

async fn send(client: &Client, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value> {
    let answer = client.send(&call(method.clone(), path, kind, body)).await?;
    ensure!(
        answer.status.is_success(),
        "{method} {path}: {} {}",
        answer.status,
        String::from_utf8_lossy(&answer.body)
    );
    serde_json::from_slice(&answer.body).with_context(|| format!("{path} is no JSON"))
}

fn call(method: Method, path: &str, kind: &str, body: &Value) -> Call {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let headers =
        if kind.is_empty() { Vec::new() } else { vec![("Content-Type".to_owned(), kind.to_owned())] };
    Call { method, path: path.to_owned(), headers, body: body.into(), token: None }
}
