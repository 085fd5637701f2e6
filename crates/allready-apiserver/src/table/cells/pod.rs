//! Pods: one word for what all their containers do.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    NONE, age,
    age::{human, instant},
    name,
    text::{at, items, number, or, value},
};

pub(super) fn pod(object: &Value, now: Timestamp) -> Vec<Value> {
    let summary = Summary::of(object);
    let restarts = match summary.restarts.last {
        Some(last) if summary.restarts.count != 0 => {
            format!("{} ({} ago)", summary.restarts.count, human(now.duration_since(last)))
        }
        _ => summary.restarts.count.to_string(),
    };
    let address = items(object, &["status", "podIPs"]).first().map_or("", |one| at(one, &["ip"]));
    vec![
        name(object),
        format!("{}/{}", summary.ready, summary.containers).into(),
        summary.reason.into(),
        restarts.into(),
        age(object, now),
        or(address, NONE).into(),
        or(at(object, &["spec", "nodeName"]), NONE).into(),
        or(at(object, &["status", "nominatedNodeName"]), NONE).into(),
        gates(object).into(),
    ]
}

struct Summary {
    reason: String,
    ready: usize,
    containers: usize,
    restarts: Restarts,
}

#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, container: &Value) {
        self.count = self.count.saturating_add(number(container, &["restartCount"]));
        let ended = instant(value(container, &["lastState", "terminated", "finishedAt"]));
        self.last = self.last.max(ended);
    }
}

impl Summary {
    fn of(pod: &Value) -> Self {
        let sidecars: Vec<&str> = items(pod, &["spec", "initContainers"])
            .iter()
            .filter(|container| at(container, &["restartPolicy"]) == "Always")
            .map(|container| at(container, &["name"]))
            .collect();
        let mut reason = or(at(pod, &["status", "reason"]), at(pod, &["status", "phase"])).to_owned();
        if conditions(pod, "PodScheduled").any(|one| at(one, &["reason"]) == "SchedulingGated") {
            reason = "SchedulingGated".into();
        }
        let mut summary = Self {
            reason,
            ready: 0,
            containers: items(pod, &["spec", "containers"]).len() + sidecars.len(),
            restarts: Restarts::default(),
        };
        let (initializing, of_sidecars) = summary.initialize(pod, &sidecars);
        if !initializing || conditions(pod, "Initialized").next().is_some_and(is_true) {
            summary.restarts = of_sidecars;
            summary.run(pod);
        }
        if pod["metadata"]["deletionTimestamp"].is_string() {
            if at(pod, &["status", "reason"]) == "NodeLost" {
                summary.reason = "Unknown".into();
            } else if !matches!(at(pod, &["status", "phase"]), "Failed" | "Succeeded") {
                summary.reason = "Terminating".into();
            }
        }
        summary
    }

    /// Looks at the init containers, up to the first that is not through: whether there is one, and what the sidecars among
    /// them restarted.
    fn initialize(&mut self, pod: &Value, sidecars: &[&str]) -> (bool, Restarts) {
        let mut of_sidecars = Restarts::default();
        for (position, container) in items(pod, &["status", "initContainerStatuses"]).iter().enumerate() {
            let sidecar = sidecars.contains(&at(container, &["name"]));
            self.restarts.add(container);
            if sidecar {
                of_sidecars.add(container);
            }
            let terminated = &container["state"]["terminated"];
            let waiting = at(container, &["state", "waiting", "reason"]);
            if terminated.is_object() && number(terminated, &["exitCode"]) == 0 {
                continue;
            }
            if sidecar && container["started"] == true {
                self.ready += usize::from(container["ready"] == true);
                continue;
            }
            self.reason = if terminated.is_object() {
                format!("Init:{}", end(terminated))
            } else if !waiting.is_empty() && waiting != "PodInitializing" {
                format!("Init:{waiting}")
            } else {
                format!("Init:{position}/{}", items(pod, &["spec", "initContainers"]).len())
            };
            return (true, of_sidecars);
        }
        (false, of_sidecars)
    }

    /// Looks at the containers themselves: the first one has the last word.
    fn run(&mut self, pod: &Value) {
        let (mut running, mut failure) = (false, String::new());
        for container in items(pod, &["status", "containerStatuses"]).iter().rev() {
            self.restarts.add(container);
            let terminated = &container["state"]["terminated"];
            let waiting = at(container, &["state", "waiting", "reason"]);
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if terminated.is_object() {
                self.reason = end(terminated);
                if number(terminated, &["exitCode"]) != 0 {
                    failure.clone_from(&self.reason);
                }
            } else if container["ready"] == true && container["state"]["running"].is_object() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if running && conditions(pod, "Ready").any(is_true) {
                self.reason = "Running".into();
            } else if !failure.is_empty() {
                self.reason = failure;
            } else if running {
                self.reason = "NotReady".into();
            }
        }
    }
}

fn end(terminated: &Value) -> String {
    match (at(terminated, &["reason"]), number(terminated, &["signal"])) {
        ("", 0) => format!("ExitCode:{}", number(terminated, &["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn conditions<'a>(pod: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    items(pod, &["status", "conditions"]).iter().filter(move |condition| at(condition, &["type"]) == kind)
}

fn is_true(condition: &Value) -> bool {
    at(condition, &["status"]) == "True"
}

fn gates(pod: &Value) -> String {
    let gates = items(pod, &["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.into();
    }
    let open =
        gates.iter().filter(|gate| conditions(pod, at(gate, &["conditionType"])).next().is_some_and(is_true));
    format!("{}/{}", open.count(), gates.len())
}
