//! The calls that are measured, and their inputs of any size: everything is good but for a few.

use allready_peers::wire::{Case, Member, NOW, Said};
use serde_json::json;

use super::generate::{EARLY, TRIGGER};

/// A call at several sizes.
pub(super) struct Workload {
    pub(super) peer: &'static str,
    /// The name under which the programs know the call.
    pub(super) question: &'static str,
    /// The name of the row.
    pub(super) name: &'static str,
    pub(super) sizes: &'static [usize],
    pub(super) case: fn(usize) -> Case,
}

const SIZES: &[usize] = &[1, 8, 50, 500, 5_000];
/// For calls that cost the peer the square of it.
const FEW: &[usize] = &[1, 8, 50, 500];

const fn workload(
    peer: &'static str,
    name: &'static str,
    sizes: &'static [usize],
    case: fn(usize) -> Case,
) -> Workload {
    Workload { peer, question: peer, name, sizes, case }
}

pub(super) const WORKLOADS: &[Workload] = &[
    workload("apimachinery", "apimachinery, set every condition", FEW, every_update),
    workload("kstatus", "kstatus, compute", &[1, 8, 50], pod),
    Workload {
        question: "kstatus-decode",
        ..workload("kstatus", "kstatus, decode and compute", &[1, 8, 50], pod)
    },
    workload("knative", "Knative, one mark", SIZES, one_mark),
    workload("knative", "Knative, a pass", FEW, a_pass),
    workload("operatorpkg", "operatorpkg, one mark", SIZES, one_mark),
    workload("operatorpkg", "operatorpkg, a pass", FEW, a_pass),
    workload("kro", "kro, one mark", SIZES, one_mark),
    workload("kro", "kro, a pass", FEW, a_pass),
    workload("cluster-api", "Cluster API, summary", SIZES, summary),
    workload("cluster-api-aggregate", "Cluster API, aggregate", SIZES, aggregate),
    workload("flux", "Flux, summary", SIZES, summary),
    workload("openmcp", "openmcp, update every condition", SIZES, every_update),
    workload("library-go", "library-go, union", &[1, 8, 50, 500, 5_000, 20_000], union),
];

fn type_(index: usize) -> String {
    format!("Part{index}Ready")
}

/// One of twenty has a problem, and the first.
fn said(index: usize) -> Said {
    let (status, reason, message) = match index % 20 {
        0 => ("False", "Broken", "dial tcp 10.0.0.1:443: connect: connection refused"),
        _ => ("True", "Accepted", "the resource is as it was asked for"),
    };
    Said {
        type_: type_(index),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        time: EARLY + i64::try_from(index).unwrap_or(0),
        generation: 1,
    }
}

fn all(size: usize) -> Vec<Said> {
    (0..size).map(said).collect()
}

fn every_update(size: usize) -> Case {
    let marks = (0..size).map(|index| Said { time: NOW, ..said(index) }).collect();
    Case { conditions: all(size), marks, ..Case::default() }
}

fn trigger() -> Said {
    Said { type_: TRIGGER.to_owned(), status: "True".to_owned(), reason: "Done".to_owned(), ..said(1) }
}

fn set(size: usize, marks: Vec<Said>) -> Case {
    let dependents = (0..size).map(type_).chain([TRIGGER.to_owned()]).collect();
    Case {
        target: "Ready".to_owned(),
        dependents,
        conditions: all(size),
        marks,
        generation: 1,
        ..Case::default()
    }
}

fn one_mark(size: usize) -> Case {
    set(size, vec![trigger()])
}

fn a_pass(size: usize) -> Case {
    let marks = all(size).into_iter().chain([trigger()]).collect();
    set(size, marks)
}

fn summary(size: usize) -> Case {
    let dependents = (0..size).map(type_).collect();
    Case { target: "Ready".to_owned(), dependents, conditions: all(size), generation: 1, ..Case::default() }
}

fn aggregate(size: usize) -> Case {
    let member = |index: usize| Member {
        kind: "Machine".to_owned(),
        name: format!("machine-{index:05}"),
        conditions: vec![Said { type_: "Ready".to_owned(), ..said(index) }],
    };
    Case { target: "Ready".to_owned(), members: (0..size).map(member).collect(), ..Case::default() }
}

/// Everything is bad.
fn union(size: usize) -> Case {
    let bad = |index: usize| Said {
        type_: format!("Part{index}Degraded"),
        status: "True".to_owned(),
        reason: "Broken".to_owned(),
        message: "dial tcp 10.0.0.1:443: connect: connection refused".to_owned(),
        ..said(index)
    };
    Case {
        target: "Degraded".to_owned(),
        negative: vec!["Degraded".to_owned()],
        conditions: (0..size).map(bad).collect(),
        ..Case::default()
    }
}

/// A pod with so many containers, as a server gives it.
fn pod(size: usize) -> Case {
    let name = |index: usize| format!("container-{index}");
    let containers: Vec<_> = (0..size)
        .map(|index| {
            json!({"name": name(index), "image": "registry.example.com/shop/app:1.2.3", "imagePullPolicy": "IfNotPresent",
                "env": [{"name": "LOG_LEVEL", "value": "info"}],
                "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                "resources": {"limits": {"memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
        })
        .collect();
    let statuses: Vec<_> = (0..size)
        .map(|index| {
            json!({"name": name(index), "image": "registry.example.com/shop/app:1.2.3", "ready": true, "restartCount": 0,
                "started": true, "state": {"running": {"startedAt": "2001-11-01T08:00:05Z"}}})
        })
        .collect();
    let condition = |type_: &str| json!({"type": type_, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2001-11-01T08:00:00Z"});
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition);
    let object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "app-7d4b9c", "namespace": "shop", "uid": "11111111-1111-4222-8333-000000000000",
            "resourceVersion": "100000", "generation": 1, "creationTimestamp": "2001-10-01T08:00:00Z",
            "labels": {"app.kubernetes.io/name": "app", "app.kubernetes.io/part-of": "shop", "pod-template-hash": "7d4b9c"}},
        "spec": {"containers": containers, "dnsPolicy": "ClusterFirst", "nodeName": "worker-1", "restartPolicy": "Always",
            "schedulerName": "default-scheduler", "serviceAccountName": "default"},
        "status": {"phase": "Running", "hostIP": "10.1.0.1", "podIP": "10.2.0.1", "qosClass": "Burstable",
            "startTime": "2001-11-01T08:00:00Z", "conditions": conditions, "containerStatuses": statuses},
    });
    Case { object, ..Case::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_that_is_measured_has_an_answer() {
        for workload in WORKLOADS {
            let answer = allready_peers::answer(workload.question, &(workload.case)(8));
            assert_eq!(answer.error, "", "{}", workload.name);
            assert!(!answer.said().is_empty(), "{}", workload.name);
        }
    }
}
