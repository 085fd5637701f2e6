//! Objects of a kind: one that is well by all that is declared of it, and what can be otherwise with it, one thing or two at a time.

use std::rc::Rc;

use allready_core::Polarity;
use allready_inspect::registry::export::Wanted;
use allready_inspect::registry::{ConditionRole, Entry, Registry, StateMeaning};
use serde_json::{Value, json};

use super::strangers;

/// How many objects have two things that are otherwise.
const PAIRS: usize = 60;
/// How many values of one thing are tried, where a kind declares many.
const MANY: usize = 24;

/// Something that can be otherwise.
pub(super) type Change = Rc<dyn Fn(&mut Value)>;

pub(super) fn change(of: impl Fn(&mut Value) + 'static) -> Change {
    Rc::new(of)
}

/// The objects, each with its version of the API.
pub(super) fn objects(registry: &Registry, wanted: &Wanted, version: &str) -> Vec<Value> {
    let kind = registry.kind(&wanted.group, &wanted.kind);
    let declared = kind.declared();
    let types: Vec<Told> = types(registry, wanted, declared);
    let well = well(wanted, version, declared, &types);
    let mut changes = of_conditions(declared, &types);
    changes.extend(of_states(declared));
    changes.extend(of_fields(declared));
    changes.extend(strangers::changes());
    let mut all = vec![well.clone()];
    // What nothing but one condition, or nothing but words, speaks for.
    let bare = with(
        &well,
        &change(|object| drop(object["status"].as_object_mut().map(|it| it.remove("conditions")))),
    );
    let starts: Vec<Value> = [well, bare.clone()].into_iter().chain(alone(&bare, &types)).collect();
    for start in starts.iter().take(3) {
        all.push(start.clone());
        all.extend(changes.iter().map(|change| with(start, change)));
    }
    all.extend(starts.into_iter().skip(3));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..PAIRS {
        let start = &all[0];
        let (one, other) = (dice.of(changes.len()), dice.of(changes.len()));
        all.push(with(&with(start, &changes[one]), &changes[other]));
    }
    all
}

pub(super) fn with(object: &Value, change: &Change) -> Value {
    let mut object = object.clone();
    change(&mut object);
    object
}

/// A condition type that is declared; a pattern is told by one type that it stands for.
struct Told {
    type_: String,
    good: &'static str,
    counts: bool,
    rests: bool,
}

fn types(registry: &Registry, wanted: &Wanted, declared: &Entry) -> Vec<Told> {
    let named = declared.conditions.keys().chain(declared.requires.iter().flatten());
    let mut types: Vec<String> = named.map(|type_| type_.replace('*', "Some")).collect();
    types.sort();
    types.dedup();
    types
        .into_iter()
        .map(|type_| {
            let meaning = registry.condition(&wanted.group, &wanted.kind, &type_);
            let is_normal = meaning.polarity == Polarity::NormalTrue;
            let is_counted = matches!(meaning.role, ConditionRole::Summary | ConditionRole::Dependent);
            let is_good = is_normal && is_counted;
            Told {
                type_,
                good: if is_good { "True" } else { "False" },
                counts: is_counted,
                rests: !is_counted && meaning.role != ConditionRole::Informational,
            }
        })
        .collect()
}

fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": reason, "observedGeneration": 2,
        "lastTransitionTime": "2026-01-01T00:00:00Z" })
}

fn well(wanted: &Wanted, version: &str, declared: &Entry, types: &[Told]) -> Value {
    let group = if wanted.group.is_empty() { String::new() } else { format!("{}/", wanted.group) };
    let conditions: Vec<Value> = types
        .iter()
        .filter(|one| one.counts || one.rests)
        .map(|one| condition(&one.type_, one.good, "AsExpected"))
        .collect();
    let mut object = json!({
        "apiVersion": format!("{group}{version}"), "kind": wanted.kind,
        "metadata": { "name": "a", "namespace": "b", "generation": 2 },
        "spec": { "colour": "red" },
        "status": { "observedGeneration": 2 },
    });
    if !conditions.is_empty() {
        object["status"]["conditions"] = conditions.into();
    }
    for (path, words) in &declared.states {
        let good = words.iter().find(|&(word, &meaning)| word != "*" && meaning == StateMeaning::Healthy);
        if let Some((word, _)) = good {
            put(&mut object, path, word.as_str().into());
        }
    }
    for count in declared.counts.iter().flatten() {
        put(&mut object, &count.want, 3.into());
        put(&mut object, &count.have, 3.into());
    }
    object
}

/// Only one condition speaks; the first that counts comes first.
fn alone(bare: &Value, types: &[Told]) -> Vec<Value> {
    let mut types: Vec<&Told> = types.iter().collect();
    types.sort_by_key(|one| !(one.counts && one.good == "True"));
    let only = |one: &&Told| {
        let mut object = bare.clone();
        object["status"]["conditions"] = json!([condition(&one.type_, one.good, "AsExpected")]);
        object
    };
    types.iter().take(MANY).map(only).collect()
}

fn of_conditions(declared: &Entry, types: &[Told]) -> Vec<Change> {
    let mut changes = Vec::new();
    for one in types.iter().take(MANY) {
        let own = declared.reasons.get(&one.type_).into_iter().chain(declared.reasons.get("*")).flatten();
        let mut reasons: Vec<String> = own.map(|(reason, _)| reason.clone()).take(MANY / 2).collect();
        reasons.extend(["", "InstallFailed", "Progressing"].map(str::to_owned));
        for reason in &reasons {
            for status in ["True", "False"] {
                changes.push(setting(condition(&one.type_, status, reason)));
            }
        }
        changes.push(setting(condition(&one.type_, "Unknown", "")));
        changes.push(setting(condition(&one.type_, "Maybe", "")));
        let mut stale = condition(&one.type_, one.good, "AsExpected");
        stale["observedGeneration"] = 1.into();
        changes.push(setting(stale));
        let gone = one.type_.clone();
        changes.push(change(move |object| {
            if let Some(list) = object["status"]["conditions"].as_array_mut() {
                list.retain(|found| found["type"] != gone.as_str());
            }
        }));
    }
    changes
}

/// A condition in place of the one of its type.
pub(super) fn setting(condition: Value) -> Change {
    change(move |object| {
        if !object["status"].is_object() {
            object["status"] = json!({});
        }
        if !object["status"]["conditions"].is_array() {
            object["status"]["conditions"] = json!([]);
        }
        let Some(list) = object["status"]["conditions"].as_array_mut() else { return };
        list.retain(|found| found["type"] != condition["type"]);
        list.push(condition.clone());
    })
}

fn of_states(declared: &Entry) -> Vec<Change> {
    let mut changes = Vec::new();
    for (path, words) in &declared.states {
        let own = words.keys().filter(|word| *word != "*").take(MANY).map(String::as_str);
        for word in own.chain(["Failed", "Pending", "Ready", "Paused", "Wobbly", ""]) {
            changes.push(putting(path, word.into()));
        }
        changes.push(putting(path, true.into()));
        changes.push(putting(path, false.into()));
    }
    changes
}

fn of_fields(declared: &Entry) -> Vec<Change> {
    let mut changes = Vec::new();
    let tests = [
        &declared.suspended_if[..],
        declared.no_status_if.as_deref().unwrap_or_default(),
        declared.healthy_if.as_deref().unwrap_or_default(),
    ];
    for test in tests.into_iter().flatten() {
        let (path, value) = test.split_once('=').unwrap_or((test, "something"));
        changes.push(putting(path, value.into()));
        match value.to_ascii_lowercase().as_str() {
            "true" => changes.push(putting(path, true.into())),
            "false" => changes.push(putting(path, false.into())),
            _ => changes.push(putting(path, value.to_ascii_lowercase().into())),
        }
    }
    for count in declared.counts.iter().flatten() {
        changes.extend([1, 0, 5].map(|number| putting(&count.have, number.into())));
        changes.push(putting(&count.want, 0.into()));
    }
    changes
}

pub(super) fn putting(path: &str, value: Value) -> Change {
    let path = path.to_owned();
    change(move |object| put(object, &path, value.clone()))
}

/// Puts a value where a path leads; not within lists.
fn put(object: &mut Value, path: &str, value: Value) {
    if path.contains(['[', '|', '*']) {
        return;
    }
    let of_a_map = ["metadata.annotations.", "metadata.labels."]
        .into_iter()
        .find_map(|map| path.strip_prefix(map).map(|key| (map.trim_end_matches('.'), key)));
    let names: Vec<&str> = match of_a_map {
        Some((map, key)) => map.split('.').chain([key]).collect(),
        None => path.split('.').collect(),
    };
    let mut at = object;
    for name in names {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = value;
}

/// The same throws every time: a failure is of the change and not of luck.
struct Dice(u64);

impl Dice {
    fn of(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}
