//! `cargo xtask record`: what the real server answers to the requests that the tests of the embedded server keep.
//!
//! Each line of a file has a request and its answer. The requests are sent to a real server of its own, and the answers are written anew
//! where they differ in more than uids, times, and addresses and ports that are drawn at random.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context as _, Result, bail, ensure};
use http::Method;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::client::{Call, Client};
use crate::printer;
use crate::real::{Environment, Private};

/// The namespace of every object that has one.
const NAMESPACE: &str = "builtin";

/// The request that each line of a file stands for.
#[derive(Clone, Copy)]
enum Question {
    /// The answer to the creation of `object`.
    Create,
    /// The same, where only a refusal, or its absence, counts.
    Judge,
    /// The answer to replacing `old` with `new`, through an endpoint.
    Update,
    /// The answers to each strategic merge `patch` of the `live` object of the first line.
    Patch,
}

const FILES: [(&str, Question); 5] = [
    ("builtin/tests/created.jsonl", Question::Create),
    ("builtin/tests/refused.jsonl", Question::Judge),
    ("builtin/tests/accepted.jsonl", Question::Judge),
    ("builtin/tests/updated.jsonl", Question::Update),
    ("patch/strategic/answers.jsonl", Question::Patch),
];

/// Writes the answers anew, or with `check` only says which differ. Returns whether none does.
pub async fn run(environment: &Environment, check: bool) -> Result<bool> {
    let server = Private::start(environment).await?;
    let mut recorder = Recorder { client: server.client()?, kinds: BTreeMap::new(), live: None };
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    let (code, answer) = recorder.send(Method::POST, "/api/v1/namespaces", JSON, &namespace).await?;
    ensure!(code == 201, "no namespace: {answer}");
    let mut same = true;
    for (name, question) in FILES {
        let path = source().join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (mut lines, mut changed) = (Vec::new(), Vec::new());
        for (index, line) in text.lines().enumerate() {
            let known: Value = serde_json::from_str(line)?;
            let found = recorder.ask(question, &known).await;
            let found = found.with_context(|| format!("{name}, line {}", index + 1))?;
            if steady(&found) == steady(&known) {
                lines.push(line.to_owned());
            } else {
                changed.push(index + 1);
                lines.push(found.to_string());
            }
        }
        printer::line(format!("{name}: {} of {} answers are others {changed:?}", changed.len(), lines.len()));
        same &= changed.is_empty();
        if !check && !changed.is_empty() {
            fs::write(&path, lines.join("\n") + "\n")?;
        }
    }
    Ok(same || !check)
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/allready-apiserver/src")
}

const JSON: &str = "application/json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

struct Recorder {
    client: Client,
    /// Plural, and whether it is namespaced, by `apiVersion` and kind.
    kinds: BTreeMap<(String, String), (String, bool)>,
    /// The path of the object that is patched.
    live: Option<String>,
}

impl Recorder {
    /// A line with what the server answers now.
    async fn ask(&mut self, question: Question, line: &Value) -> Result<Value> {
        match question {
            Question::Create | Question::Judge => {
                let path = format!("{}?dryRun=All", self.collection(&line["object"]).await?);
                let (code, answer) = self.send(Method::POST, &path, JSON, &line["object"]).await?;
                let mut found = json!({ "object": line["object"] });
                if code != 201 {
                    refusal(&mut found, code, &answer);
                } else if matches!(question, Question::Create) {
                    found["code"] = code.into();
                    found["fields"] = answer["metadata"]["managedFields"][0]["fieldsV1"].clone();
                    found["answer"] = bare(answer);
                }
                Ok(found)
            }
            Question::Update => {
                let path = self.make(&without_uids(line["old"].clone())).await?;
                let (_, old) = self.send(Method::GET, &path, JSON, &Value::Null).await?;
                let uid = old["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
                let mut new = renamed(line["new"].clone(), "UID", &uid);
                // Some kinds ask for it.
                new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
                let endpoint = line["endpoint"].as_str().unwrap_or_default();
                let mut found = json!({ "endpoint": endpoint, "new": line["new"], "old": bare(old) });
                let replaced = format!("{path}{endpoint}?dryRun=All");
                let (code, answer) = self.send(Method::PUT, &replaced, JSON, &new).await?;
                if code == 200 {
                    found["code"] = code.into();
                    found["answer"] = bare(answer);
                } else {
                    refusal(&mut found, code, &renamed(answer, &uid, "UID"));
                }
                self.remove(&path, &line["old"]).await?;
                Ok(found)
            }
            Question::Patch => {
                let Some(path) = &self.live else {
                    self.live = Some(self.make(&line["live"]).await?);
                    return Ok(line.clone());
                };
                let path = format!("{path}?dryRun=All");
                let (code, answer) = self.send(Method::PATCH, &path, STRATEGIC, &line["patch"]).await?;
                let mut found = json!({ "patch": line["patch"], "code": code });
                if code == 200 {
                    found["answer"] = bare(answer);
                    if let Some(metadata) = found["answer"]["metadata"].as_object_mut() {
                        metadata.remove("generation");
                    }
                } else {
                    refusal(&mut found, code, &answer);
                    found["reason"] = answer["reason"].clone();
                }
                Ok(found)
            }
        }
    }

    /// Makes an object with its status; returns its path.
    async fn make(&mut self, object: &Value) -> Result<String> {
        let collection = self.collection(object).await?;
        let (code, made) = self.send(Method::POST, &collection, JSON, object).await?;
        ensure!(code == 201, "cannot make {object}: {made}");
        let path = format!("{collection}/{}", made["metadata"]["name"].as_str().unwrap_or_default());
        if let Some(status) = object.get("status").filter(|status| **status != made["status"]) {
            let mut told = made.clone();
            told["status"] = status.clone();
            let (code, answer) = self.send(Method::PUT, &format!("{path}/status"), JSON, &told).await?;
            ensure!(code == 200, "cannot write the status of {object}: {answer}");
        }
        Ok(path)
    }

    async fn remove(&mut self, path: &str, object: &Value) -> Result<()> {
        let now = format!("{path}?gracePeriodSeconds=0&propagationPolicy=Background");
        self.send(Method::DELETE, &now, JSON, &Value::Null).await?;
        if object["kind"] == "Namespace" {
            // Nobody empties it here.
            let (_, mut namespace) = self.send(Method::GET, path, JSON, &Value::Null).await?;
            namespace["spec"] = json!({ "finalizers": [] });
            self.send(Method::PUT, &format!("{path}/finalize"), JSON, &namespace).await?;
        }
        let finalizers = json!({ "metadata": { "finalizers": null } });
        self.send(Method::PATCH, path, "application/merge-patch+json", &finalizers).await?;
        let (code, _) = self.send(Method::GET, path, JSON, &Value::Null).await?;
        ensure!(code == 404, "{path} does not go");
        Ok(())
    }

    /// The path of the collection of an object.
    async fn collection(&mut self, object: &Value) -> Result<String> {
        let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let root = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
        let key = (version, kind);
        if !self.kinds.contains_key(&key) {
            let (_, list) = self.send(Method::GET, &root, JSON, &Value::Null).await?;
            for resource in list["resources"].as_array().into_iter().flatten() {
                let name = resource["name"].as_str().unwrap_or_default();
                if !name.contains('/') {
                    let kind = resource["kind"].as_str().unwrap_or_default().to_owned();
                    let namespaced = resource["namespaced"] == true;
                    self.kinds.insert((key.0.clone(), kind), (name.to_owned(), namespaced));
                }
            }
        }
        let Some((plural, namespaced)) = self.kinds.get(&key) else { bail!("no kind {key:?}") };
        let within = if *namespaced { format!("/namespaces/{NAMESPACE}") } else { String::new() };
        Ok(format!("{root}{within}/{plural}"))
    }

    async fn send(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<(u16, Value)> {
        let headers = [("Content-Type", kind), ("Accept", JSON), ("User-Agent", "bt/v1")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let call = Call { method, path: path.to_owned(), headers, body: body.into(), token: None };
        let answer = self.client.send(&call).await?;
        let told = serde_json::from_slice(&answer.body).with_context(|| format!("{path} is no JSON"))?;
        Ok((answer.status.as_u16(), told))
    }
}

fn refusal(line: &mut Value, code: u16, status: &Value) {
    line["code"] = code.into();
    line["message"] = status["message"].clone();
    line["details"] = status["details"].clone();
}

/// An object without what differs from run to run.
fn bare(mut object: Value) -> Value {
    let uid = object["metadata"]["uid"].as_str().unwrap_or("none").to_owned();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "creationTimestamp", "managedFields", "resourceVersion"] {
            metadata.remove(field);
        }
    }
    renamed(object, &uid, "UID")
}

/// A value in whose texts one word is another.
fn renamed(value: Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => text.replace(from, to).into(),
        Value::Array(items) => items.into_iter().map(|item| renamed(item, from, to)).collect(),
        Value::Object(fields) => {
            let inner = fields.into_iter().map(|(key, value)| (key, renamed(value, from, to)));
            Value::Object(inner.collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// A Job as it was before the server gave it a selector.
fn without_uids(mut job: Value) -> Value {
    if job.pointer("/spec/selector/matchLabels/batch.kubernetes.io~1controller-uid") == Some(&json!("UID")) {
        for (parent, field) in [
            ("/spec", "selector"),
            ("/spec", "manualSelector"),
            ("/metadata", "labels"),
            ("/spec/template/metadata", "labels"),
        ] {
            if let Some(fields) = job.pointer_mut(parent).and_then(Value::as_object_mut) {
                fields.remove(field);
            }
        }
    }
    job
}

static CHANCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let uid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    let time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z";
    Regex::new(&format!(r#"{uid}|{time}|10\.0\.0\.\d+|[nN]odePort\\*":\s*3\d{{4}}"#)).ok()
});

/// A line without what comes at random.
fn steady(line: &Value) -> String {
    let text = line.to_string();
    CHANCE.as_ref().map_or_else(|| text.clone(), |chance| chance.replace_all(&text, "…").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_at_random_makes_no_difference() {
        let line = |uid: &str, port: u16| {
            steady(&json!({ "a": uid, "nodePort": port, "ip": "10.0.0.7", "at": "2026-01-01T00:00:00Z" }))
        };
        let uids = ["3452512f-ff15-43cb-a6b6-6a77b2c3d213", "00000000-0000-4000-8000-000000000000"];
        assert_eq!(line(uids[0], 30_001), line(uids[1], 31_999));
        assert_ne!(line(uids[0], 30_001), line("x", 30_001));
        let object = json!({ "metadata": { "uid": "u-1", "name": "x" }, "spec": { "label": "u-1" } });
        assert_eq!(bare(object), json!({ "metadata": { "name": "x" }, "spec": { "label": "UID" } }));
    }
}
