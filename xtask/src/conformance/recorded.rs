//! Replays exchanges that were recorded from a real server, where there is no real server to ask.
//!
//! A line is one exchange: `scenario`, `n`, `request` {method, path, contentType, accept, body} and `response` {status,
//! contentType, warning, body}, or `events` for a watch. What the recorded server chose itself (uids, resource versions,
//! continue tokens, generated names) is replaced in later requests by what the live one chose in its place.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::Method;
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::compare::{Difference, compare};
use super::mask::mask;
use super::run::{Record, Transcript, document};
use super::script::{Script, Step};
use crate::client::{Call, Client};

/// Replays one file and returns what differs, with the number of exchanges.
pub async fn replay(file: &Path, client: &Client) -> Result<(Vec<Difference>, usize)> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (mut recorded, mut live) = (Transcript::default(), Transcript::default());
    let mut chosen = HashMap::new();
    let mut then = Timestamp::now();
    for (number, line) in text.lines().enumerate() {
        let exchange: Value =
            serde_json::from_str(line).with_context(|| format!("line {} of {name}", number + 1))?;
        let step = title(&exchange);
        let expected = expected(&exchange);
        if let Some(time) = expected.pointer("/body/metadata/creationTimestamp").and_then(Value::as_str) {
            then = time.parse().unwrap_or(then);
        }
        let answer = send(client, &exchange["request"], &chosen, exchange.get("events").is_some()).await;
        let answer = answer.with_context(|| step.clone())?;
        pair(&expected, &answer, "", &mut chosen);
        recorded.records.push(Record { step: step.clone(), answer: expected });
        live.records.push(Record { step, answer });
    }
    let steps = live.records.iter().map(step).collect();
    let script = Script { steps, name, ..Script::default() };
    let found = compare(&script, &mask(&live, Timestamp::now()), &mask(&recorded, then));
    Ok((found, script.steps.len()))
}

fn step(record: &Record) -> Step {
    let own = ["/gitCommit", "/gitTreeState", "/buildDate", "/goVersion", "/compiler", "/platform"];
    let ignore = if record.step.ends_with(" /version") {
        own.map(|pointer| (pointer.to_owned(), "which build it is".to_owned())).into()
    } else {
        std::collections::BTreeMap::new()
    };
    Step { name: record.step.clone(), ignore, ..Step::default() }
}

fn title(exchange: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let request = &exchange["request"];
    let note = exchange["note"].as_str().map(|note| format!(" ({note})")).unwrap_or_default();
    format!(
        "{} {}{note}: {} {}",
        exchange["n"],
        text(&exchange["scenario"]),
        text(&request["method"]),
        text(&request["path"])
    )
}

fn expected(exchange: &Value) -> Value {
    if let Some(events) = exchange.get("events") {
        return json!({ "events": events });
    }
    let response = &exchange["response"];
    json!({
        "status": response["status"],
        "contentType": response["contentType"],
        "warning": response["warning"],
        "body": response["body"],
    })
}

async fn send(
    client: &Client,
    request: &Value,
    chosen: &HashMap<String, String>,
    watch: bool,
) -> Result<Value> {
    let method: Method = request["method"].as_str().unwrap_or("GET").parse()?;
    let body = match &request["body"] {
        Value::Null => Bytes::new(),
        Value::String(raw) => Bytes::from(raw.clone()),
        body => Bytes::from(replaced(&body.to_string(), chosen)),
    };
    let mut headers = vec![("user-agent".to_owned(), "recorder/v1".to_owned())];
    for (name, field) in [("accept", "accept"), ("content-type", "contentType")] {
        if let Some(value) = request[field].as_str() {
            headers.push((name.to_owned(), value.to_owned()));
        }
    }
    let path = replaced(request["path"].as_str().unwrap_or("/"), chosen);
    let call = Call { method, path, headers, body, token: None };
    if watch {
        return watched(client, &call).await;
    }
    let answer = client.send(&call).await?;
    let answer = document(&answer.headers, answer.status.as_u16(), &answer.body);
    let header = |name: &str| {
        let values: Vec<&str> =
            answer["headers"][name].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if values.is_empty() { Value::Null } else { values.join(", ").into() }
    };
    Ok(json!({
        "status": answer["status"],
        "contentType": header("content-type"),
        "warning": header("warning"),
        "body": answer["body"],
    }))
}

async fn watched(client: &Client, call: &Call) -> Result<Value> {
    let response = client.stream(call).await?;
    let body = tokio::time::timeout(Duration::from_secs(15), response.into_body().collect());
    let bytes = body.await.context("the watch did not end")??.to_bytes();
    let events: Vec<Value> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap_or_else(|_| String::from_utf8_lossy(line).into()))
        .collect();
    Ok(json!({ "events": events }))
}

fn replaced(text: &str, chosen: &HashMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (recorded, live) in chosen {
        // A resource version is a short number: only where it is one by its place.
        if recorded.bytes().all(|byte| byte.is_ascii_digit()) {
            text = text.replace(
                &format!("\"resourceVersion\":\"{recorded}\""),
                &format!("\"resourceVersion\":\"{live}\""),
            );
            text = text.replace(&format!("resourceVersion={recorded}"), &format!("resourceVersion={live}"));
        } else {
            text = text.replace(recorded.as_str(), live);
        }
    }
    text
}

/// Learns what the live server chose where the recorded one chose something else.
fn pair(recorded: &Value, live: &Value, name: &str, chosen: &mut HashMap<String, String>) {
    match (recorded, live) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let generated = theirs.get("generateName").is_some_and(Value::is_string);
            for (name, field) in theirs {
                if let Some(other) = ours.get(name)
                    && (name != "name" || generated)
                {
                    pair(field, other, name, chosen);
                }
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            for (theirs, ours) in theirs.iter().zip(ours) {
                pair(theirs, ours, name, chosen);
            }
        }
        (Value::String(theirs), Value::String(ours))
            if matches!(name, "uid" | "resourceVersion" | "continue" | "name")
                && theirs != ours
                && !theirs.is_empty() =>
        {
            chosen.insert(theirs.clone(), ours.clone());
        }
        _ => {}
    }
}
