//! Hides what must differ between two servers, and nothing else.
//!
//! Values that only one server can know (uids, resource versions, generated names) become names of where they were first
//! seen, so that *equal* and *different* are still compared; the order of resource versions is kept beside them.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::run::{Record, Transcript};

/// A transcript that can be compared with another server's.
#[derive(Clone, Debug, Default)]
pub struct Masked {
    /// One entry per step.
    pub records: Vec<Record>,
    /// The names of all resource versions, oldest first.
    pub order: Vec<String>,
}

static UID: LazyLock<Regex> =
    LazyLock::new(|| pattern("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)"));
static AGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\d+[smhdy]){1,2}$"));
static YAML_AGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^( +- )(?:\d+[smhdy]){1,2}$"));
static HASH: LazyLock<Regex> = LazyLock::new(|| pattern("hash=[0-9A-Fa-f]+"));
static CLUSTER_IP: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b10\.0\.0\.\d{1,3}\b"));
/// Sentences of the server that name a resource version of its own.
static SAID_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(current: |ResourceVersion in record \(|in precondition: |in object meta: |too old resource version: |\d \()(\d+)",
    )
});
/// An object that the server quotes in a sentence.
static QUOTED_VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(resourceVersion\\?":\\?")(\d+)"#));
/// An object that the server quotes whole.
static QUOTED_OBJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r#""\{(?:[^"\\]|\\.)*\}"|'\{[^']*\}'"#));
/// A struct of the server's own, in its own words: the difference between two of them, or one that may not change.
static INTERNAL_DIFF: LazyLock<Regex> = LazyLock::new(|| pattern(r"\n@@ (?s:.*)$"));
static INTERNAL_STRUCT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(Invalid value: )\{.*"(?i:containers|devices)":.*\}(: field is immutable)"#));
static YAML_VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?m)^( *)resourceVersion: "(\d+)"$"#));
static YAML_CONTINUE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^  continue: (\S+)$"));

fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants of this file, and its tests use each")]
    Regex::new(text).expect("a pattern of this file is right")
}

#[derive(Default)]
struct Names {
    uids: HashMap<String, String>,
    versions: BTreeMap<u64, String>,
    generated: Vec<(String, String)>,
}

/// Masks a whole transcript; `now` is when it was taken.
pub fn mask(transcript: &Transcript, now: Timestamp) -> Masked {
    let mut names = Names::default();
    let mut masked = Masked::default();
    for (index, record) in transcript.records.iter().enumerate() {
        let mut answer = record.answer.clone();
        names.learn(&answer, index + 1);
        names.rewrite(&mut answer, now, false);
        masked.records.push(Record { step: record.step.clone(), answer });
    }
    masked.order = names.versions.into_values().collect();
    masked
}

impl Names {
    /// Gives a name to everything that this step shows for the first time.
    fn learn(&mut self, answer: &Value, step: usize) {
        let mut fresh = (0, 0);
        self.learn_in(answer, step, &mut fresh, false);
    }

    fn learn_in(&mut self, value: &Value, step: usize, fresh: &mut (usize, usize), bookmark: bool) {
        match value {
            Value::String(text) => {
                self.learn_uids(text, step, fresh);
                let list = is_yaml_list(text);
                for found in YAML_VERSION.captures_iter(text) {
                    if !(list && &found[1] == "  ") {
                        self.learn_version(&found[2], step, fresh);
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.learn_in(item, step, fresh, false);
                }
            }
            Value::Object(fields) => {
                if let Some(metadata) = fields.get("metadata") {
                    self.learn_generated(metadata, step);
                    let version = metadata["resourceVersion"].as_str().unwrap_or_default();
                    if !bookmark && !is_collection(fields) {
                        self.learn_version(version, step, fresh);
                    }
                }
                for (name, field) in sorted(fields) {
                    self.learn_uids(name, step, fresh);
                    self.learn_in(
                        field,
                        step,
                        fresh,
                        name == "object" && fields.get("type").is_some_and(|t| t == "BOOKMARK"),
                    );
                }
            }
            _ => {}
        }
    }

    fn learn_uids(&mut self, text: &str, step: usize, fresh: &mut (usize, usize)) {
        for uid in UID.find_iter(text) {
            if !self.uids.contains_key(uid.as_str()) {
                fresh.0 += 1;
                self.uids.insert(uid.as_str().to_owned(), format!("<uid {step}.{}>", fresh.0));
            }
        }
    }

    fn learn_version(&mut self, text: &str, step: usize, fresh: &mut (usize, usize)) {
        if let Ok(version) = text.parse::<u64>()
            && version > 0
            && !self.versions.contains_key(&version)
        {
            fresh.1 += 1;
            self.versions.insert(version, format!("<rv {step}.{}>", fresh.1));
        }
    }

    fn learn_generated(&mut self, metadata: &Value, step: usize) {
        if let (Some(prefix), Some(name)) = (metadata["generateName"].as_str(), metadata["name"].as_str())
            && name.strip_prefix(prefix).is_some_and(|suffix| suffix.len() == 5)
            && !self.generated.iter().any(|(known, _)| known == name)
        {
            self.generated.push((name.to_owned(), format!("{prefix}<generated {step}>")));
        }
    }

    fn rewrite(&self, value: &mut Value, now: Timestamp, bookmark: bool) {
        match value {
            Value::String(text) => *text = self.rewrite_text(text, now),
            Value::Array(items) => items.iter_mut().for_each(|item| self.rewrite(item, now, false)),
            Value::Object(fields) => self.rewrite_object(fields, now, bookmark),
            _ => {}
        }
    }

    fn rewrite_object(&self, fields: &mut Map<String, Value>, now: Timestamp, bookmark: bool) {
        settle_causes(fields);
        let collection = bookmark || is_collection(fields);
        let is_bookmark = fields.get("type").is_some_and(|kind| kind == "BOOKMARK");
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            if let Some(Value::String(version)) = metadata.get_mut("resourceVersion") {
                *version = self.version_name(version, collection);
            }
            if let Some(Value::String(token)) = metadata.get_mut("continue")
                && !token.is_empty()
            {
                "<continue>".clone_into(token);
            }
            if let Some(Value::Array(entries)) = metadata.get_mut("managedFields") {
                settle_managed_fields(entries);
            }
        }
        // A list of owners is a map by uid in managed fields.
        if fields.keys().any(|name| UID.is_match(name)) {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, field)| (self.rewrite_text(&name, now), field))
                .collect();
        }
        for (name, field) in fields.iter_mut() {
            match (name.as_str(), &mut *field) {
                ("serverAddress", Value::String(address)) => "<address>".clone_into(address),
                ("nodePort" | "healthCheckNodePort", Value::Number(port))
                    if port.as_u64().is_some_and(|port| port >= 30_000) =>
                {
                    *field = "<node port>".into();
                }
                ("cells", Value::Array(cells)) => {
                    for cell in cells.iter_mut() {
                        match cell.as_str() {
                            Some(text) if AGE.is_match(text) => *cell = "<age>".into(),
                            _ => self.rewrite(cell, now, false),
                        }
                    }
                }
                _ => self.rewrite(field, now, is_bookmark && name == "object"),
            }
        }
    }

    fn rewrite_text(&self, text: &str, now: Timestamp) -> String {
        let mut text = text.to_owned();
        for (name, masked) in &self.generated {
            if text.contains(name.as_str()) {
                text = text.replace(name.as_str(), masked);
            }
        }
        if text.contains("{\\\"") || text.contains("'{\"") {
            text = QUOTED_OBJECT
                .replace_all(&text, |found: &Captures<'_>| {
                    settle_quoted(&found[0]).unwrap_or_else(|| found[0].to_owned())
                })
                .into_owned();
        }
        if text.contains("\n@@ ") {
            text = INTERNAL_DIFF.replace(&text, "").into_owned();
        }
        if text.contains("field is immutable") {
            text = INTERNAL_STRUCT.replace(&text, "$1<struct>$2").into_owned();
        }
        let list = is_yaml_list(&text);
        let text = YAML_VERSION.replace_all(&text, |found: &Captures<'_>| {
            let collection = list && &found[1] == "  ";
            format!("{}resourceVersion: {}", &found[1], self.version_name(&found[2], collection))
        });
        let text = YAML_AGE.replace_all(&text, "$1<age>");
        let text = if list { YAML_CONTINUE.replace_all(&text, "  continue: <continue>") } else { text };
        let text = QUOTED_VERSION.replace_all(&text, |found: &Captures<'_>| {
            format!("{}{}", &found[1], self.version_name(&found[2], false))
        });
        let text = UID.replace_all(&text, |found: &Captures<'_>| {
            self.uids.get(&found[0]).cloned().unwrap_or_else(|| found[0].to_owned())
        });
        let text = TIME.replace_all(&text, |found: &Captures<'_>| mask_time(found, now));
        let text = HASH.replace_all(&text, "hash=<hash>");
        let text = CLUSTER_IP.replace_all(&text, "<cluster ip>");
        let text = SAID_VERSION.replace_all(&text, |found: &Captures<'_>| {
            format!(
                "{}{}",
                &found[1],
                self.version_name(&found[2], &found[1] == "current: " || !self.knows(&found[2]))
            )
        });
        text.into_owned()
    }

    fn knows(&self, version: &str) -> bool {
        version.parse().is_ok_and(|version: u64| self.versions.contains_key(&version))
    }

    /// An object's version by its name; a collection's by the newest object version it is not older than, for the server
    /// writes things of its own in between.
    fn version_name(&self, text: &str, collection: bool) -> String {
        let Ok(version) = text.parse::<u64>() else { return text.to_owned() };
        match (self.versions.get(&version), collection) {
            (Some(name), false) => name.clone(),
            _ if version == 0 => text.to_owned(),
            _ => match self.versions.range(..=version).next_back() {
                Some((_, name)) => format!("<rv since {name}>"),
                None => "<rv>".to_owned(),
            },
        }
    }
}

/// Times near the run are the server's own; any other was sent by the script and is compared.
fn mask_time(found: &Captures<'_>, now: Timestamp) -> String {
    let near = found[0]
        .parse::<Timestamp>()
        .is_ok_and(|time| now.duration_since(time).abs() < SignedDuration::from_hours(48));
    match (near, found.get(1)) {
        (false, _) => found[0].to_owned(),
        (true, None) => "<time>".to_owned(),
        (true, Some(fraction)) => format!("<time with {} digits>", fraction.len()),
    }
}

/// Managers are sorted by time to the second, which depends on when the second changed. Where a server keeps that rule its
/// entries are put in an order without time; where it does not, it shows.
fn settle_managed_fields(entries: &mut Vec<Value>) {
    if !entries.is_sorted_by_key(|entry| manager_key(entry, true)) {
        entries.push("<managedFields out of order>".into());
        return;
    }
    entries.sort_by_key(|entry| manager_key(entry, false));
}

fn manager_key(entry: &Value, timed: bool) -> [String; 5] {
    let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let time = if timed { text("time") } else { String::new() };
    [text("operation"), time, text("manager"), text("apiVersion"), text("subresource")]
}

/// As [`settle_managed_fields`] for an object in quotes, if it is written just as we would write it.
fn settle_quoted(quoted: &str) -> Option<String> {
    if let Some(text) = quoted.strip_prefix('\'') {
        return Some(format!("'{}'", settle_text(text.strip_suffix('\'')?)));
    }
    let text: String = serde_json::from_str(quoted).ok()?;
    serde_json::to_string(&settle_text(&text)).ok()
}

fn settle_text(text: &str) -> String {
    settle_entries(text).unwrap_or_else(|| text.to_owned())
}

/// As [`settle_managed_fields`], in a text.
fn settle_entries(text: &str) -> Option<String> {
    const BEFORE: &str = "\"managedFields\":[";
    let start = text.find(BEFORE)? + BEFORE.len();
    let (mut entries, mut end) = (Vec::new(), start);
    loop {
        let rest = text.get(end..)?;
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let entry = stream.next()?.ok()?;
        let length = stream.byte_offset();
        entries.push((entry, rest.get(..length)?));
        end += length + 1;
        match rest.as_bytes().get(length) {
            Some(b',') => {}
            Some(b']') => break,
            _ => return None,
        }
    }
    if !entries.is_sorted_by_key(|(entry, _)| manager_key(entry, true)) {
        return None;
    }
    entries.sort_by_key(|(entry, _)| manager_key(entry, false));
    let settled: Vec<&str> = entries.iter().map(|(_, text)| *text).collect();
    Some(format!("{}{}]{}", text.get(..start)?, settled.join(","), text.get(end..)?))
}

/// The real server goes through conflicts, and through the fields of a custom object, in no order of its own. For built-in
/// kinds the order is fixed and compared.
fn settle_causes(fields: &mut Map<String, Value>) {
    let group = fields.get("details").and_then(|details| details["group"].as_str()).unwrap_or_default();
    let custom = group.ends_with("example.com") || group == "apiextensions.k8s.io";
    let unordered = match fields.get("reason").and_then(Value::as_str) {
        Some("Conflict") => true,
        Some("Invalid") => custom,
        _ => false,
    };
    if let Some(Value::String(message)) = fields.get_mut("message") {
        sort_lines(message);
    }
    let Some(Value::Array(causes)) = fields.get_mut("details").and_then(|details| details.get_mut("causes"))
    else {
        return;
    };
    if !unordered || causes.len() < 2 {
        return;
    }
    causes.sort_by_key(|cause| [cause["field"].to_string(), cause["message"].to_string()]);
    if let Some(Value::String(message)) = fields.get_mut("message")
        && let Some((before, list)) = message.split_once(" is invalid: [")
    {
        let mut parts: Vec<&str> = list.strip_suffix(']').unwrap_or(list).split(", ").collect();
        parts.sort_unstable();
        *message = format!("{before} is invalid, in any order: [{}]", parts.join(", "));
    }
}

/// Mistakes in what is applied, a line each, are told in no order of their own.
fn sort_lines(message: &mut String) {
    if let Some((before, lines)) = message.split_once("errors:\n  ") {
        let mut lines: Vec<&str> = lines.split("\n  ").collect();
        lines.sort_unstable();
        *message = format!("{before}errors, in any order:\n  {}", lines.join("\n  "));
    }
}

fn is_collection(fields: &Map<String, Value>) -> bool {
    fields.contains_key("items")
        || fields.contains_key("rows")
        || fields
            .get("kind")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("List") || kind == "Table")
}

fn is_yaml_list(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("kind: ") && line.ends_with("List"))
}

fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    fields
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
