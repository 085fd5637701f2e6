//! Runs a script against one server and writes down what it answered.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{HeaderMap, Method};
use http_body_util::BodyExt as _;
use regex::Regex;
use serde_json::{Value, json};

use super::script::{Script, Step, Until};
use super::variables::Variables;
use super::webhook::Webhook;
use crate::client::{Answer, Call, Client};
use crate::real::USERS;

/// Headers that a client acts on.
const HEADERS: [&str; 6] =
    ["content-type", "warning", "retry-after", "allow", "location", "www-authenticate"];

static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and its test uses it")]
    Regex::new(r#""\$literal\(([^)]*)\)""#).expect("the pattern is right")
});

/// What one server answered to a script, step by step.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// One entry per step.
    pub records: Vec<Record>,
}

/// The answer to one step.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The step's name.
    pub step: String,
    /// Status, headers and body, or the events of a watch, as one document.
    pub answer: Value,
}

#[derive(Default)]
struct Watch {
    seen: Mutex<Vec<Value>>,
    ended: Mutex<bool>,
}

/// A script on its way through one server.
pub struct Runner<'a> {
    client: &'a Client,
    variables: Variables,
    watches: BTreeMap<String, Arc<Watch>>,
    created: Vec<String>,
    /// Writes that the caches of a sequence have yet to see, by path: the resourceVersion of an object, or that it is gone.
    unseen: BTreeMap<String, Option<String>>,
}

impl<'a> Runner<'a> {
    /// A runner whose names carry `run`.
    pub fn new(client: &'a Client, script: &str, run: &str) -> Self {
        let variables = Variables::new(script, run);
        Self { client, variables, watches: BTreeMap::new(), created: Vec::new(), unseen: BTreeMap::new() }
    }

    /// Lets the script name a webhook.
    #[must_use]
    pub fn with_webhook(mut self, webhook: Option<&Webhook>) -> Self {
        if let Some(webhook) = webhook {
            self.variables.set("webhook", webhook.url().into());
            self.variables.set("webhook-ca", webhook.bundle().into());
        }
        self
    }

    /// Creates the namespace and the fixtures, sends every step, and removes what was created.
    pub async fn run(mut self, script: &Script, fixtures: &BTreeMap<String, Value>) -> Result<Transcript> {
        let outcome = self.steps(script, fixtures).await;
        self.clean().await;
        outcome.with_context(|| format!("{} on {}", script.name, self.client.endpoint().url()))
    }

    async fn steps(&mut self, script: &Script, fixtures: &BTreeMap<String, Value>) -> Result<Transcript> {
        self.prepare(script, fixtures).await?;
        self.send_all(script).await
    }

    /// Sends every step about the object of this name, in a place that was prepared before, and removes the object.
    pub async fn sequence(mut self, script: &Script, name: &str) -> Result<Transcript> {
        self.variables.set("name", name.into());
        let outcome = self.send_sequence(script).await;
        self.clean().await;
        outcome
    }

    async fn send_sequence(&mut self, script: &Script) -> Result<Transcript> {
        let mut transcript = Transcript::default();
        for step in &script.steps {
            self.catch_up(step).await?;
            let answer = self.step(step).await.with_context(|| format!("step {:?}", step.name))?;
            self.note_write(step, &answer);
            transcript.records.push(Record { step: step.name.clone(), answer });
        }
        Ok(transcript)
    }

    /// Remembers what the caches have to see before the next write. Every version of a custom kind has one of its own.
    fn note_write(&mut self, step: &Step, answer: &Value) {
        let request = step.request.as_deref().unwrap_or_default();
        let done = matches!(answer["status"].as_u64(), Some(200..300));
        if done && !request.starts_with("GET") && !request.contains("dryRun") {
            let version = answer.pointer("/body/metadata/resourceVersion").and_then(Value::as_str);
            let path = object_path(request);
            let paths = match path.split_once("${group}/v") {
                None => vec![path],
                Some((before, after)) => {
                    let rest = after.get(1..).unwrap_or_default();
                    ["v1", "v2"].map(|served| format!("{before}${{group}}/{served}{rest}")).to_vec()
                }
            };
            self.unseen.extend(paths.into_iter().map(|path| (path, version.map(str::to_owned))));
        }
    }

    /// Waits until the cache that a write starts from has seen the write before it. The real server tries a write on what its
    /// cache has, and again on what is stored where that was old; the warnings of the first try are answered with those of the
    /// second. What is compared is what it says of the object, not of how busy it was.
    async fn catch_up(&mut self, step: &Step) -> Result<()> {
        let request = step.request.as_deref().unwrap_or_default();
        if request.starts_with("GET") {
            return Ok(());
        }
        let path = object_path(request);
        let Some(version) = self.unseen.remove(&path) else { return Ok(()) };
        let path = self.variables.expand(&format!("{path}?resourceVersion="))?;
        if let Some(version) = version {
            self.client.get(&format!("{path}{version}")).await?;
            return Ok(());
        }
        // A deletion tells no version.
        let start = Instant::now();
        while self.client.get(&format!("{path}0")).await?.status.is_success()
            && start.elapsed() < Duration::from_secs(2)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    /// Sends every step of a script in a place that was prepared before, and leaves what it made for what comes next.
    pub async fn stage(&mut self, script: &Script) -> Result<()> {
        for record in self.send_all(script).await?.records {
            let answer = &record.answer;
            let wanted = script.steps.iter().find(|step| step.name == record.step);
            let wanted = wanted.and_then(|step| step.until.as_ref());
            let fine = match wanted {
                Some(until) => satisfied(until, answer),
                None => matches!(answer["status"].as_u64(), Some(200..300)),
            };
            anyhow::ensure!(fine, "{}: {}: {answer}", script.name, record.step);
        }
        Ok(())
    }

    async fn send_all(&mut self, script: &Script) -> Result<Transcript> {
        let mut transcript = Transcript::default();
        for step in &script.steps {
            let answer = self.step(step).await.with_context(|| format!("step {:?}", step.name))?;
            transcript.records.push(Record { step: step.name.clone(), answer });
        }
        Ok(transcript)
    }

    /// Creates the script's namespace and fixtures, and waits until every version of them is served.
    pub async fn prepare(&mut self, script: &Script, fixtures: &BTreeMap<String, Value>) -> Result<()> {
        let namespace = self.variables.expand("${ns}")?;
        let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        self.create("/api/v1/namespaces", &body).await?;
        for name in &script.crds {
            let fixture = fixtures.get(name).with_context(|| format!("there is no fixture {name}"))?;
            let fixture = self.variables.expand_value(fixture)?;
            self.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &fixture).await?;
            let spec = &fixture["spec"];
            let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
            for version in
                spec["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true)
            {
                let path = format!("/apis/{group}/{}/{plural}", text(&version["name"]));
                self.served(&path).await?;
            }
        }
        Ok(())
    }

    async fn served(&self, path: &str) -> Result<()> {
        let start = Instant::now();
        // The first answers after a definition may come from a handler that is about to be replaced.
        let mut in_a_row = 0;
        while in_a_row < 2 {
            in_a_row = if self.client.get(path).await?.status.is_success() { in_a_row + 1 } else { 0 };
            if start.elapsed() > Duration::from_secs(20) {
                bail!("{path} is not served after 20 s");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    async fn create(&mut self, path: &str, body: &Value) -> Result<()> {
        let call = Call {
            method: Method::POST,
            path: path.to_owned(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.to_string().into(),
            token: None,
        };
        let answer = self.client.send(&call).await?;
        if !answer.status.is_success() {
            bail!("POST {path}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
        }
        self.created.push(format!("{path}/{}", text(&body["metadata"]["name"])));
        Ok(())
    }

    /// Sends one step, or looks at one watch.
    pub async fn step(&mut self, step: &Step) -> Result<Value> {
        if let Some(milliseconds) = step.pause {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        }
        if let Some(name) = &step.events {
            return self.events(step, name).await;
        }
        let call = self.call(step)?;
        if let Some(name) = &step.watch {
            return self.watch(name, &call).await;
        }
        let start = Instant::now();
        loop {
            let answer = match self.client.send(&call).await {
                // A server that hangs up has answered too, and the other one is held to the same.
                Err(error) if error.downcast_ref::<hyper::Error>().is_some() => {
                    return Ok(json!({ "status": "the connection was closed" }));
                }
                answer => answer?,
            };
            let document = document(&answer.headers, answer.status.as_u16(), &answer.body);
            let wanted = step.until.as_ref().is_none_or(|until| satisfied(until, &document));
            if !wanted && start.elapsed() < Duration::from_secs(15) {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            self.remember(step, &call, &answer, &document);
            return Ok(document);
        }
    }

    fn call(&self, step: &Step) -> Result<Call> {
        let request = self.variables.expand(step.request.as_deref().unwrap_or_default())?;
        let (method, path) = request.split_once(' ').context("`do` is a method and a path")?;
        let body = match (&step.raw, &step.repeated, &step.body) {
            (Some(raw), ..) => Bytes::from(self.variables.expand(raw)?),
            (None, Some(long), _) => Bytes::from(
                self.variables.expand(&long.before)? + &long.text.repeat(long.times) + &long.after,
            ),
            (None, None, Some(body)) => Bytes::from(literal(&self.variables.expand_value(body)?.to_string())),
            (None, None, None) => Bytes::new(),
        };
        let mut headers = vec![
            ("accept".to_owned(), step.accept.clone().unwrap_or_else(|| "application/json".to_owned())),
            ("user-agent".to_owned(), step.agent.clone().unwrap_or_else(|| "conformance/v1".to_owned())),
        ];
        for (name, value) in &step.headers {
            headers.push((name.to_ascii_lowercase(), self.variables.expand(value)?));
        }
        if !body.is_empty() {
            headers.push(("content-type".to_owned(), step.media_type().to_owned()));
        }
        let token = match step.user.as_deref() {
            None | Some("admin") => None,
            Some("nobody") => Some(String::new()),
            Some(name) => Some(
                USERS
                    .iter()
                    .find(|(user, _)| *user == name)
                    .map_or("no-such-token", |(_, token)| token)
                    .to_owned(),
            ),
        };
        Ok(Call { method: method.parse()?, path: path.to_owned(), headers, body, token })
    }

    fn remember(&mut self, step: &Step, call: &Call, answer: &Answer, document: &Value) {
        for (name, pointer) in &step.capture {
            // What is not there stays what it was, and an error is never what was asked for.
            if answer.status.is_success()
                && let Some(value) = document["body"].pointer(pointer)
            {
                self.variables.set(name, value.clone());
            }
        }
        if answer.status == http::StatusCode::CREATED && !call.path.contains("dryRun") {
            let path = call.path.split('?').next().unwrap_or_default();
            let name = text(&document["body"]["metadata"]["name"]);
            match call.method {
                Method::POST if !name.is_empty() => self.created.push(format!("{path}/{name}")),
                Method::PATCH | Method::PUT => self.created.push(path.to_owned()),
                _ => {}
            }
        }
    }

    async fn watch(&mut self, name: &str, call: &Call) -> Result<Value> {
        let response = self.client.stream(call).await?;
        let (head, mut body) = response.into_parts();
        if !head.status.is_success() {
            let bytes = body.collect().await?.to_bytes();
            return Ok(document(&head.headers, head.status.as_u16(), &bytes));
        }
        let watch = Arc::new(Watch::default());
        self.watches.insert(name.to_owned(), Arc::clone(&watch));
        tokio::spawn(async move {
            let mut buffer = Vec::new();
            while let Some(Ok(frame)) = body.frame().await {
                let Ok(data) = frame.into_data() else { continue };
                buffer.extend_from_slice(&data);
                while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = buffer.drain(..=end).collect();
                    let event = serde_json::from_slice(&line)
                        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&line).into_owned()));
                    watch.seen.lock().unwrap_or_else(PoisonError::into_inner).push(event);
                }
            }
            *watch.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        });
        Ok(json!({ "status": head.status.as_u16(), "headers": headers(&head.headers) }))
    }

    async fn events(&mut self, step: &Step, name: &str) -> Result<Value> {
        let watch = self.watches.get(name).with_context(|| format!("no watch {name:?} runs"))?;
        let limit = Duration::from_secs(if step.end { 15 } else { 5 });
        let start = Instant::now();
        let seen = || {
            let mut seen = watch.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
            seen.retain(|event| step.bookmarks || !is_plain_bookmark(event));
            seen
        };
        let ended = || *watch.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let enough = if step.end { ended() } else { seen().len() >= step.count.unwrap_or(0) };
            if enough || start.elapsed() > limit {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // One event too many is a difference too: give it a moment to come.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let events = seen();
        watch.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let document = json!({ "events": events, "ended": step.end && ended() });
        for (name, pointer) in &step.capture {
            if let Some(value) = document["events"].pointer(pointer) {
                self.variables.set(name, value.clone());
            }
        }
        Ok(document)
    }

    /// Removes what the script left, newest first, so that a cluster that stays is left as it was.
    pub async fn clean(&mut self) {
        while let Some(path) = self.created.pop() {
            let call = |method: Method, path: &str, body: &'static str, media: &str| Call {
                method,
                path: path.to_owned(),
                headers: vec![("content-type".to_owned(), media.to_owned())],
                body: Bytes::from_static(body.as_bytes()),
                token: None,
            };
            let delete = call(
                Method::DELETE,
                &path,
                r#"{"gracePeriodSeconds":0,"propagationPolicy":"Background"}"#,
                "application/json",
            );
            let Ok(answer) = self.client.send(&delete).await else { return };
            let left: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            if left.pointer("/metadata/finalizers").is_some() && !path.contains("customresourcedefinitions") {
                let media = "application/merge-patch+json";
                let _ = self
                    .client
                    .send(&call(Method::PATCH, &path, r#"{"metadata":{"finalizers":null}}"#, media))
                    .await;
            }
        }
    }
}

/// What JSON values cannot say: `"$literal(1e3)"` is the number as it is written there, and a key that ends in `$again` is a
/// key that its object has already.
fn literal(body: &str) -> String {
    if !body.contains("$literal(") && !body.contains("$again\"") {
        return body.to_owned();
    }
    LITERAL.replace_all(body, "$1").replace("$again\"", "\"")
}

fn satisfied(until: &Until, document: &Value) -> bool {
    let status = until.status.is_none_or(|status| document["status"] == status);
    let place =
        until.at.as_deref().is_none_or(|pointer| match (document["body"].pointer(pointer), &until.is) {
            (Some(found), Some(wanted)) => found == wanted,
            (found, None) => found.is_some(),
            (None, Some(_)) => false,
        });
    status && place
}

/// The path of the object that a request of a sequence is about.
fn object_path(request: &str) -> String {
    const NAME: &str = "/${name}";
    let (method, path) = request.split_once(' ').unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    match path.find(NAME) {
        Some(at) if method != "POST" => path[..at + NAME.len()].to_owned(),
        _ => format!("{path}{NAME}"),
    }
}

/// Whether an event is a bookmark that the server sends when it likes, not the one that ends a streaming list.
fn is_plain_bookmark(event: &Value) -> bool {
    event["type"] == "BOOKMARK"
        && event.pointer("/object/metadata/annotations/k8s.io~1initial-events-end").is_none()
}

/// An answer as one document: JSON and YAML as data, text otherwise. Whether its last line is ended cannot be seen in data,
/// and stands beside it.
pub fn document(head: &HeaderMap, status: u16, body: &[u8]) -> Value {
    let ended = body.ends_with(b"\n");
    let is_yaml =
        head.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"application/yaml"));
    let read = if is_yaml { serde_saphyr::from_slice(body).ok() } else { serde_json::from_slice(body).ok() };
    let body = read.unwrap_or_else(|| Value::String(String::from_utf8_lossy(body).into_owned()));
    json!({ "status": status, "headers": headers(head), "body": body, "ended": ended })
}

fn headers(head: &HeaderMap) -> Value {
    let mut kept = serde_json::Map::new();
    for name in HEADERS {
        let values: Vec<Value> =
            head.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into()).collect();
        if !values.is_empty() {
            kept.insert(name.to_owned(), values.into());
        }
    }
    kept.into()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_can_have_numbers_as_they_are_written_and_keys_twice() {
        let body = json!({ "a": "$literal(1e3)", "a$again": ["$literal(-0)", "b"] }).to_string();
        assert_eq!(literal(&body), r#"{"a":1e3,"a":[-0,"b"]}"#);
    }
}
