//! Random cases: few names and short texts make ties and coincidences.

use allready_peers::wire::{Case, Member, NOW, Said};
use serde_json::{Value, json};

use crate::conformance::random::Random;

/// The dependent that is good before and after: its mark makes a set compute its top condition from what is stored.
pub(super) const TRIGGER: &str = "Trigger";
/// A time long before the call.
pub(super) const EARLY: i64 = 1_000_000_000;

const STATUSES: &[&str] = &["True", "True", "False", "Unknown"];
const REASONS: &[&str] = &["Ok", "Broken", "Waiting", "Part:Other", "AwaitingReconciliation"];
const MESSAGES: &[&str] =
    &["", "m", "n", "two\nlines", "same\nsame", "* a\n* b", "* a\nb", "2 * 3", "ü", "a; b", "  * deep"];
const TYPES: &[&str] = &["A", "B", "C", "D", "E"];

/// Returns true for peers whose conditions are marked one by one.
pub(super) fn is_set(peer: &str) -> bool {
    matches!(peer, "knative" | "operatorpkg" | "kro")
}

/// The case of this number.
pub(super) fn case(peer: &str, seed: u64, index: u64) -> Case {
    let mut random = Random::of(seed, index);
    let random = &mut random;
    match peer {
        "kstatus" => Case { object: object(random), ..Case::default() },
        "apimachinery" | "openmcp" => list(random, peer == "openmcp"),
        "library-go" => union(random),
        "cluster-api-aggregate" => aggregate(random),
        "cluster-api" => Case { generation: 0, ..summary(random, 5) },
        "flux" => flux(random),
        _ => set(random),
    }
}

fn said(random: &mut Random, type_: &str, generation: i64) -> Said {
    let observed = match random.below(10) {
        0 => 0,
        1 => generation + 1,
        2 | 3 => (generation - 1).max(0),
        _ => generation,
    };
    Said {
        type_: type_.to_owned(),
        status: random.one(STATUSES).to_owned(),
        reason: random.one(REASONS).to_owned(),
        message: random.one(MESSAGES).to_owned(),
        time: EARLY + number(random, 15),
        generation: observed,
    }
}

fn number(random: &mut Random, bound: usize) -> i64 {
    i64::try_from(random.below(bound)).unwrap_or(0)
}

/// Some of these, in their order.
fn some<'a>(random: &mut Random, of: &[&'a str], chance: usize) -> Vec<&'a str> {
    of.iter().copied().filter(|_| random.percent(chance)).collect()
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| (*text).to_owned()).collect()
}

fn generation(random: &mut Random) -> i64 {
    1 + number(random, 3)
}

fn all_said(random: &mut Random, types: &[&str], generation: i64) -> Vec<Said> {
    let mut conditions: Vec<Said> = types.iter().map(|type_| said(random, type_, generation)).collect();
    // In any order.
    for index in (1..conditions.len()).rev() {
        conditions.swap(index, random.below(index + 1));
    }
    conditions
}

fn set(random: &mut Random) -> Case {
    let generation = generation(random);
    let mut dependents = some(random, TYPES, 60);
    let mut stored = some(random, &dependents, 85);
    if random.percent(70) {
        stored.push("Ready");
    }
    if random.percent(20) {
        stored.push("Foreign");
    }
    dependents.push(TRIGGER);
    let trigger = |reason: &str, time| Said {
        type_: TRIGGER.to_owned(),
        status: "True".to_owned(),
        reason: reason.to_owned(),
        generation,
        time,
        ..Said::default()
    };
    let mut conditions = all_said(random, &stored, generation);
    conditions.push(trigger("Before", EARLY));
    Case {
        target: "Ready".to_owned(),
        dependents: texts(&dependents),
        conditions,
        marks: vec![trigger("Done", NOW)],
        generation,
        ..Case::default()
    }
}

fn list(random: &mut Random, is_updater: bool) -> Case {
    let stored = some(random, TYPES, 50);
    let marks = (0..random.below(5))
        .map(|_| {
            let type_ = random.one(TYPES);
            let mut mark = said(random, type_, 2);
            mark.time = NOW;
            if random.percent(25) {
                mark.status.clear();
            } else if is_updater && random.percent(20) {
                mark.reason.clear();
            }
            mark
        })
        .collect();
    Case {
        conditions: all_said(random, &stored, 2),
        marks,
        remove_untouched: is_updater && random.percent(50),
        ..Case::default()
    }
}

fn summary(random: &mut Random, itself: usize) -> Case {
    let mut dependents = some(random, TYPES, 60);
    if random.percent(itself) {
        dependents.push("Ready");
    }
    let mut stored = some(random, TYPES, 70);
    if random.percent(30) {
        stored.push("Ready");
    }
    let generation = generation(random);
    Case {
        target: "Ready".to_owned(),
        negative: texts(&some(random, TYPES, 25)),
        optional: texts(&some(random, TYPES, 25)),
        dependents: texts(&dependents),
        conditions: all_said(random, &stored, generation),
        generation,
        ..Case::default()
    }
}

fn flux(random: &mut Random) -> Case {
    const TYPES: &[&str] = &["A", "B", "C", "Stalled", "Reconciling", "Ready"];
    let generation = generation(random);
    let stored = some(random, TYPES, 50);
    let requested = if random.percent(50) { some(random, &TYPES[..5], 60) } else { Vec::new() };
    Case {
        target: "Ready".to_owned(),
        negative: texts(&some(random, &["B", "Stalled", "Reconciling"], 70)),
        dependents: texts(&requested),
        conditions: all_said(random, &stored, generation),
        generation,
        latest_only: random.percent(30),
        step_counter: random.percent(30),
        ..Case::default()
    }
}

fn union(random: &mut Random) -> Case {
    const TYPES: &[&str] =
        &["PoolDegraded", "NodeDegraded", "Degraded", "PoolAvailable", "NodeAvailable", "Other"];
    let target = random.one(&["Degraded", "Available"]);
    let stored = some(random, TYPES, 50);
    let mut conditions = all_said(random, &stored, 0);
    for said in &mut conditions {
        said.generation = 0;
        // Young ones are what inertia is about.
        if random.percent(40) {
            said.time = NOW - [30, 90, 300][random.below(3)];
        }
    }
    let negative = if target == "Degraded" { vec![target.to_owned()] } else { Vec::new() };
    Case { target: target.to_owned(), negative, conditions, ..Case::default() }
}

fn aggregate(random: &mut Random) -> Case {
    const KINDS: &[&str] = &["Machine", "Cluster", "MachinePool"];
    let target = "Up";
    // Two messages of one kind, each of several members, in some of the cases.
    let is_shared = random.percent(30);
    let members = (0..random.below(9))
        .map(|index| {
            let mut conditions = if random.percent(85) { vec![said(random, target, 0)] } else { Vec::new() };
            for said in conditions.iter_mut().filter(|_| is_shared) {
                random.one(&["m", "n"]).clone_into(&mut said.message);
            }
            Member {
                kind: random.one(if is_shared { &KINDS[..1] } else { KINDS }).to_owned(),
                name: format!("{}{index}", random.one(&["x", "y", "z"])),
                conditions,
            }
        })
        .collect();
    let negative = if random.percent(30) { vec![target.to_owned()] } else { Vec::new() };
    Case { target: target.to_owned(), negative, members, ..Case::default() }
}

/// The kinds that kstatus has rules for, and one that it has none for.
const KINDS: &[(&str, &str)] = &[
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "ConfigMap"),
    ("policy/v1", "PodDisruptionBudget"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("example.com/v1", "Widget"),
];

fn object(random: &mut Random) -> Value {
    let (version, kind) = KINDS[random.below(KINDS.len())];
    let mut object =
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "y"}});
    if random.percent(85) {
        object["metadata"]["generation"] = json!(1);
    }
    if random.percent(3) {
        object["metadata"]["deletionTimestamp"] = json!("2001-01-01T00:00:00Z");
    }
    if random.percent(50) {
        object["metadata"]["creationTimestamp"] = json!("2001-01-01T00:00:00Z");
    }
    let mut count = |object: &mut Value, part: &str, key: &str, chance: usize| {
        if random.percent(chance) {
            // Here and there what no number is.
            object[part][key] = match random.below(40) {
                0 => json!("1"),
                1 => json!(1.5),
                2 => Value::Null,
                more => json!(1 + more % 2),
            };
        }
    };
    for key in ["replicas", "progressDeadlineSeconds"] {
        count(&mut object, "spec", key, 60);
    }
    for key in [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "currentReplicas",
        "fullyLabeledReplicas",
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberReady",
        "succeeded",
        "failed",
        "active",
    ] {
        count(&mut object, "status", key, 80);
    }
    if random.percent(70) {
        object["status"]["phase"] =
            json!(random.one(&["Running", "Pending", "Succeeded", "Failed", "Bound", "", "Odd"]));
    }
    if random.percent(20) {
        object["spec"]["updateStrategy"] = json!({"type": random.one(&["OnDelete", "RollingUpdate"]),
            "rollingUpdate": {"partition": random.below(3)}});
    }
    if random.percent(20) {
        object["spec"]["type"] = json!(random.one(&["LoadBalancer", "ClusterIP"]));
    }
    if random.percent(20) {
        object["spec"]["suspend"] = json!(random.percent(50));
    }
    if random.percent(50) {
        object["status"]["startTime"] = json!("2001-01-01T00:00:00Z");
    }
    for key in ["currentRevision", "updateRevision"] {
        object["status"][key] = json!(random.one(&["a", "b", "b", "b"]));
    }
    if random.percent(30) {
        let reason = random.one(&["CrashLoopBackOff", "ContainerCreating"]);
        object["status"]["containerStatuses"] =
            json!([{"name": "main", "state": {"waiting": {"reason": reason}}}]);
    }
    add_conditions(random, kind, &mut object);
    object
}

fn add_conditions(random: &mut Random, kind: &str, object: &mut Value) {
    const CONDITIONS: &[&str] = &[
        "Ready",
        "Available",
        "Progressing",
        "Stalled",
        "Reconciling",
        "Complete",
        "Failed",
        "Suspended",
        "ReplicaFailure",
        "PodScheduled",
        "Established",
        "NamesAccepted",
    ];
    const WORDS: &[&str] =
        &["ProgressDeadlineExceeded", "NewReplicaSetAvailable", "Unschedulable", "Installing", "Broken", ""];
    let mut types = some(random, CONDITIONS, 18);
    if kind == "Job" && random.percent(30) {
        // As its controller has it.
        types = vec!["Suspended"];
        object["spec"]["suspend"] = json!(true);
    }
    let conditions: Vec<Value> = types
        .iter()
        .map(|type_| {
            json!({"type": type_, "status": random.one(STATUSES), "reason": random.one(WORDS),
                "message": random.one(MESSAGES)})
        })
        .collect();
    if !conditions.is_empty() {
        object["status"]["conditions"] = json!(conditions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_number_give_the_same_case_again() {
        for peer in crate::peers::PEERS {
            let cases = |seed| (0..50).map(|index| case(peer.name, seed, index)).collect::<Vec<_>>();
            assert_eq!(cases(1), cases(1));
            assert_ne!(cases(1), cases(2), "{}", peer.name);
        }
    }

    #[test]
    fn every_case_is_one_that_we_can_answer() {
        for peer in crate::peers::PEERS {
            for index in 0..200 {
                let answer = allready_peers::answer(peer.name, &case(peer.name, 1, index));
                assert_eq!(answer.error, "", "{} {index}", peer.name);
            }
        }
    }
}
