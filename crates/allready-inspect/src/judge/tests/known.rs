//! Objects of many projects, written by hand, and what they come to.

use serde_json::{Map, Value, json};

use crate::registry::Registry;
use crate::{
    health::Health,
    judge::{Verdict, judge},
};
use allready_core::Time;

/// A condition in short: `Type=Status Reason: message`.
fn condition(short: &str) -> Value {
    let (type_, rest) = short.split_once('=').unwrap();
    let (status, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (reason, message) = rest.split_once(": ").unwrap_or((rest, ""));
    let mut condition = json!({"type": type_, "status": status});
    if !reason.is_empty() {
        condition["reason"] = reason.into();
    }
    if !message.is_empty() {
        condition["message"] = message.into();
    }
    condition
}

/// Writes out every list of conditions in short.
fn write_out(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match value {
                    Value::Array(list) if key == "conditions" => {
                        for entry in list.iter_mut() {
                            match entry {
                                Value::String(short) => *entry = condition(short),
                                other => write_out(other),
                            }
                        }
                    }
                    other => write_out(other),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(write_out),
        _ => {}
    }
}

pub(super) fn object(version: &str, kind: &str, parts: &Value) -> Value {
    let mut object = Map::new();
    object.insert("apiVersion".to_owned(), version.into());
    object.insert("kind".to_owned(), kind.into());
    object.insert("metadata".to_owned(), json!({"name": "x"}));
    for (key, value) in parts.as_object().into_iter().flatten() {
        object.insert(key.clone(), value.clone());
    }
    let mut object = Value::Object(object);
    write_out(&mut object);
    object
}

pub(super) fn now() -> Time {
    "2026-03-01T10:00:00Z".parse().unwrap()
}

/// What a widget of nobody's project comes to.
pub(super) fn widget(parts: &Value) -> Verdict {
    judge(&object("example.com/v1", "Widget", parts), Registry::builtin(), now())
}

fn check(name: &str, file: &str) {
    let rows: Vec<(Health, String, String, Value)> = serde_json::from_str(file).unwrap();
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(expected, version, kind, parts)| {
            let verdict = judge(&object(version, kind, parts), Registry::builtin(), now());
            let Verdict { health, rule, field, reason, .. } = verdict;
            let said = format!(
                "{version} {kind} {parts}: is {expected:?}, said {health:?} by {rule} {field} {reason}"
            );
            (health != *expected).then_some(said)
        })
        .collect();
    assert!(wrong.is_empty(), "{name}: {} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn objects_come_to_what_people_say_of_them() {
    check("objects.json", include_str!("objects.json"));
}

#[test]
fn objects_come_to_what_stands_beside_the_declarations_of_their_kinds() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/registry/data");
    let mut checked = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(family) = name.strip_suffix(".tests.json") else { continue };
        assert!(path.with_file_name(format!("{family}.json")).exists(), "{name} is beside no declarations");
        check(name, &std::fs::read_to_string(&path).unwrap());
        checked += 1;
    }
    assert!(checked > 100, "only {checked} files of examples");
}
