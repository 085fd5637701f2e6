//! The recorded exchanges of the real server, sent again.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde_json::{Value, json};

use super::harness::{Reply, drain, engine, send_at};

#[test]
fn what_the_real_server_answered_is_answered_here() {
    let (matched, differ) = replay(include_str!("facts.jsonl"));
    assert!(matched.len() >= 342, "{} match, not {differ:?}", matched.len());
}

/// Sends exchanges again; which of them get the recorded answer, and which do not.
fn replay(text: &str) -> (Vec<u64>, Vec<u64>) {
    let engine = engine();
    // The recordings come from a server without a controller manager.
    engine.run_controllers(false);
    let mut known = BTreeMap::new();
    let (mut matched, mut differ) = (Vec::new(), Vec::new());
    let mut now = jiff::Timestamp::UNIX_EPOCH;
    let mut early = None;
    for line in text.lines() {
        let exchange: Value = serde_json::from_str(line).unwrap();
        let number = exchange["n"].as_u64().unwrap();
        let request = &exchange["request"];
        let accept = request["accept"].as_str().unwrap_or_default();
        if exchange["response"]["body"]["kind"] == "Table" || !["", "application/json"].contains(&accept) {
            continue;
        }
        let path = translated(&known, request["path"].as_str().unwrap());
        let body = match &request["body"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => translated(&known, &value.to_string()),
        };
        let content_type = request["contentType"].as_str().unwrap_or_default();
        let method = request["method"].as_str().unwrap();
        now = moment(&exchange).map_or(now, |moment| moment.max(now));
        if exchange["scenario"] == "watch" && number == 118 {
            // The watch of exchange 120 was opened before the changes that it shows.
            let path = "/apis/lab.allready.dev/v1/namespaces/lab/widgets?watch=1&labelSelector=app%3Dx&resourceVersion=0";
            early = send_at(&engine, now, "GET", path, "", "").and_then(|reply| reply.watch);
        }
        let Some(mut reply) = send_at(&engine, now, method, &path, content_type, body) else { continue };
        if let Some(early) = early.take_if(|_| number == 120) {
            reply.watch = Some(early);
        }
        let (wanted, found) = if let Some(events) = exchange.get("events") {
            (readable(events), followed(&mut reply))
        } else {
            let response = &exchange["response"];
            let warning = response["warning"].as_str().unwrap_or_default();
            let warnings: Vec<_> =
                reply.warnings.iter().map(|text| format!("299 - {}", crate::status::quote(text))).collect();
            learn(&response["body"], &reply.body, &mut known);
            (
                json!([response["status"], response["body"], warning]),
                json!([reply.code, reply.body, warnings.join(", ")]),
            )
        };
        if masked(&wanted) == masked(&found) {
            matched.push(number);
        } else {
            println!(
                "{number}: {method} {path} {}\n  wanted {}\n  found  {}",
                request["body"],
                masked(&wanted),
                masked(&found)
            );
            differ.push(number);
        }
    }
    println!("{} match, not {differ:?}", matched.len());
    (matched, differ)
}

fn translated(known: &BTreeMap<String, String>, text: &str) -> String {
    known.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Refusals of a watch were recorded as text.
fn readable(events: &Value) -> Value {
    let mut events = events.clone();
    for event in events.as_array_mut().unwrap() {
        if let Some(body) = event["body"].as_str() {
            event["body"] = serde_json::from_str(body).unwrap();
        }
    }
    events
}

fn followed(reply: &mut Reply) -> Value {
    let Some(watch) = &mut reply.watch else { return json!([{ "status": reply.code, "body": reply.body }]) };
    drain(watch).into_iter().map(|event| serde_json::from_slice::<Value>(&event.line()).unwrap()).collect()
}

/// The moment of an exchange: the order of managed fields depends on it.
fn moment(exchange: &Value) -> Option<jiff::Timestamp> {
    let text = exchange["response"]["body"].to_string();
    let times = Regex::new(r"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap();
    times.find_iter(&text).filter_map(|found| found.as_str().parse().ok()).max()
}

/// Pairs what differs from run to run: a resourceVersion or uid of the recording with ours.
fn learn(recorded: &Value, ours: &Value, known: &mut BTreeMap<String, String>) {
    match (recorded, ours) {
        (Value::Object(recorded), Value::Object(ours)) => {
            for (key, value) in recorded {
                let Some(other) = ours.get(key) else { continue };
                match (key.as_str(), value, other) {
                    ("resourceVersion", Value::String(from), Value::String(to)) if from.len() > 3 => {
                        known.insert(format!("\"{from}\""), format!("\"{to}\""));
                        known.insert(format!("resourceVersion={from}"), format!("resourceVersion={to}"));
                    }
                    ("uid" | "continue", Value::String(from), Value::String(to)) if !from.is_empty() => {
                        known.insert(from.clone(), to.clone());
                    }
                    _ => learn(value, other, known),
                }
            }
        }
        (Value::Array(recorded), Value::Array(ours)) => {
            for (recorded, ours) in recorded.iter().zip(ours) {
                learn(recorded, ours, known);
            }
        }
        _ => {}
    }
}

/// What differs from run to run.
static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
        (r#""resourceVersion":"\d+""#, "VERSION"),
        (r#""continue":"[A-Za-z0-9]+""#, "CONTINUE"),
        (r"too old resource version: 1 \(\d+\)", "OLD"),
        (r"current: \d+", "CURRENT"),
        (r"record \(\d+\)", "RECORD"),
        (r#"resourceVersion\\*":\\*"\d+"#, "VERSION"),
        (r"gen-[a-z0-9]{5}", "gen-NAME"),
    ]
    .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
    .to_vec()
});

fn masked(value: &Value) -> String {
    // An empty continuation is left out or not, depending on the encoder.
    let mut text = value.to_string().replace("\"continue\":\"\",", "");
    for (pattern, name) in RULES.iter() {
        text = pattern.replace_all(&text, *name).into_owned();
    }
    text
}
