//! `check`, `explain`, `watch` and `wait --for Healthy` agree on any object: on its health, since when, and why.
//!
//! Each command is asked through the code by which it reads an object itself: `check` from text, of which it leaves out what no rule
//! needs; `explain` from the objects of its files; `watch` and `wait` from what a watch brings.

use allready_core::Time;
use allready_inspect::{
    explain::{Bounds, explain},
    graph::{Extent, Known, ObjectId, Reference},
    health::Health,
    judge::Verdict,
    registry::Registry,
};
use kube::api::DynamicObject;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{
    check,
    declared::{self, Declared},
    wait, watch,
};
use std::collections::BTreeMap;

/// The answer of a command for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) health: Health,
    pub(crate) since: Option<Time>,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) field: String,
}

impl Said {
    pub(crate) fn of(verdict: &Verdict) -> Self {
        Self {
            health: verdict.health,
            since: verdict.since,
            reason: verdict.reason.clone(),
            message: verdict.message.clone(),
            field: verdict.field.clone(),
        }
    }
}

const KINDS: &[(&str, &str)] = &[
    ("example.com/v1", "Widget"),
    ("example.com/v1", "WidgetJob"),
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Service"),
    ("v1", "Secret"),
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolumeClaim"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("gateway.networking.k8s.io/v1", "Gateway"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"),
    ("cert-manager.io/v1", "Certificate"),
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("argoproj.io/v1alpha1", "Application"),
    ("longhorn.io/v1beta2", "Volume"),
    ("projectcontour.io/v1", "HTTPProxy"),
];
const WORDS: &[&str] = &[
    "",
    "Ready",
    "True",
    "False",
    "Unknown",
    "true",
    "Healthy",
    "Degraded",
    "Failed",
    "Error",
    "Progressing",
    "Pending",
    "Running",
    "Succeeded",
    "Active",
    "Stalled",
    "Reconciling",
    "Available",
    "Synced",
    "Accepted",
    "Programmed",
    "NotReady",
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ProgressDeadlineExceeded",
    "Complete",
    "2 errors occurred",
    "Bound",
    "Paused",
];
const TIMES: &[&str] = &[
    "",
    "1970-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01T11:59:59Z",
    "2027-01-01T00:00:00Z",
    "soon",
];
const KEYS: &[&str] = &[
    "phase",
    "state",
    "health",
    "status",
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "updatedReplicas",
    "ready",
    "observedGeneration",
    "conditions",
    "reason",
    "message",
    "error",
    "suspend",
    "paused",
    "template",
    "listeners",
    "parents",
    "name",
    "instanceConditions",
    "nodes",
    "succeeded",
    "failed",
    "active",
    "containerStatuses",
    "waiting",
    "restartCount",
];

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS)
}

fn now() -> Time {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..5_i64).prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            conditions(),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(KEYS), inner), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

/// A list of conditions, of which some have no time, a generation of their own, or a status that is none.
fn conditions() -> impl Strategy<Value = Value> {
    let time = prop::sample::select(TIMES);
    let condition = (word(), word(), word(), word(), time, prop::option::of(0..4_i64));
    let condition = condition.prop_map(|(type_, status, reason, message, time, generation)| {
        let mut condition = json!({ "type": type_, "status": status, "reason": reason, "message": message });
        if !time.is_empty() {
            condition["lastTransitionTime"] = json!(time);
        }
        if let Some(generation) = generation {
            condition["observedGeneration"] = json!(generation);
        }
        condition
    });
    prop::collection::vec(condition, 0..5).prop_map(Value::from)
}

fn fields() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((prop::sample::select(KEYS), value()), 0..7)
        .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn metadata() -> impl Strategy<Value = Value> {
    let time = || prop::sample::select(&TIMES[1..5]);
    let parts =
        (prop::option::of(1..4_i64), prop::option::of(time()), prop::option::of(time()), any::<bool>());
    parts.prop_map(|(generation, created, deleted, is_kept)| {
        let mut metadata = json!({ "name": "a", "namespace": "shop", "uid": "1" });
        for (key, value) in [
            ("generation", generation.map(Value::from)),
            ("creationTimestamp", created.map(Value::from)),
            ("deletionTimestamp", deleted.map(Value::from)),
            ("finalizers", is_kept.then(|| json!(["example.com/a"]))),
        ] {
            if let Some(value) = value {
                metadata[key] = value;
            }
        }
        metadata["managedFields"] = json!([{ "manager": "writer", "operation": "Update", "subresource": "status",
            "time": "2026-01-01T11:00:00Z", "fieldsV1": { "f:status": { "f:phase": {} } } }]);
        metadata
    })
}

fn object() -> impl Strategy<Value = Value> {
    let status = (fields(), prop::option::of(conditions())).prop_map(|(mut status, conditions)| {
        if let Some(conditions) = conditions {
            status.insert("conditions".to_owned(), conditions);
        }
        status
    });
    let parts = (prop::sample::select(KINDS), metadata(), fields(), prop::option::of(status));
    parts.prop_map(|((version, kind), metadata, spec, status)| {
        let mut object = json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec });
        if let Some(status) = status {
            object["status"] = status.into();
        }
        object
    })
}

/// Returns the first line of `explain`.
fn explained(object: &Value, registry: &Registry) -> Said {
    let mut known = Known::new(Extent::Part);
    known.add(object.clone());
    let root = Reference::to(&ObjectId::of(object).unwrap());
    let explanation = explain(&known, &root, registry, now(), &Bounds::default());
    let health = explanation.health();
    let root = explanation.root().unwrap();
    Said {
        health,
        since: root.since,
        reason: root.reason.clone(),
        message: root.message.clone(),
        field: root.field.clone(),
    }
}

/// Objects of a few kinds, which name, own and select each other as it comes.
fn related() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec![
        ("v1", "Pod"),
        ("v1", "Service"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("discovery.k8s.io/v1", "EndpointSlice"),
        ("networking.k8s.io/v1", "Ingress"),
        ("example.com/v1", "Widget"),
    ]);
    let owners = prop::sample::select(vec![("apps/v1", "Deployment"), ("apps/v1", "ReplicaSet")]);
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    let status = prop::sample::select(vec!["True", "False", "Unknown"]);
    (kinds, names(), owners, names(), names(), status, 0..4_u8).prop_map(
        |((version, kind), name, (owner_version, owner), owner_name, other, status, number)| {
            let mut object = json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name, "namespace": "shop",
                "labels": { "app": other, "kubernetes.io/service-name": other },
                "ownerReferences": [{ "apiVersion": owner_version, "kind": owner, "name": owner_name, "controller": true }] },
                "spec": { "replicas": number, "selector": { "app": name }, "secretRef": { "name": other },
                    "defaultBackend": { "service": { "name": other } } },
                "status": { "phase": if number > 1 { "Running" } else { "Pending" }, "replicas": number,
                    "conditions": [{ "type": "Ready", "status": status, "reason": "Told", "message": other }] } });
            match kind {
                "Pod" => object["spec"]["volumes"] = json!([{ "persistentVolumeClaim": { "claimName": other } }]),
                "EndpointSlice" => {
                    let target = json!({ "kind": "Pod", "name": other });
                    object["endpoints"] = json!([{ "targetRef": target, "conditions": { "ready": number > 1 } }]);
                }
                _ => {}
            }
            object
        },
    )
}

fn change() -> impl Strategy<Value = watch::Change> {
    (related(), prop::bool::weighted(0.2), prop::bool::weighted(0.3))
        .prop_map(|(object, is_deleted, is_searched)| watch::Change { object, is_deleted, is_searched })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happened_before_watch_says_what_check_says_of_all_objects_together(
        changes in prop::collection::vec(change(), 1..30)
    ) {
        let known = declared::Known::of(&Declared::default());
        let mut there: BTreeMap<ObjectId, &Value> = BTreeMap::new();
        for change in &changes {
            let id = ObjectId::of(&change.object).unwrap();
            if change.is_deleted {
                there.remove(&id);
            } else {
                there.insert(id, &change.object);
            }
        }
        let text = there.values().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let (checked, causes_of_check) = check::said_together(&text, &known, now());
        let (watched, causes) = watch::said_together(&changes, &known.registry, now());
        prop_assert_eq!(watched.keys().collect::<Vec<_>>(), checked.keys().collect::<Vec<_>>());
        for (id, checked) in &checked {
            let watched = &watched[id];
            prop_assert_eq!((watched.health, watched.since), (checked.health, checked.since), "{}", id);
            if checked.health != Health::Healthy {
                prop_assert_eq!((&watched.reason, &watched.message), (&checked.reason, &checked.message));
            }
        }
        prop_assert_eq!(causes, causes_of_check);
    }
}

/// A Deployment with its ReplicaSet, Pods, Service, `EndpointSlice` and claim, of which some are missing, and a Secret that is
/// not there: everything names what belongs to it.
fn application() -> impl Strategy<Value = Vec<Value>> {
    let pod = || {
        let reasons = [
            "Running",
            "ContainerCreating",
            "ImagePullBackOff",
            "CrashLoopBackOff",
            "CreateContainerConfigError",
        ];
        (prop::sample::select(reasons.to_vec()), any::<bool>())
    };
    let kept = prop::collection::vec(prop::bool::weighted(0.8), 6);
    (kept, prop::collection::vec(pod(), 0..4), any::<bool>(), 0..4_u8).prop_map(|(kept, pods, needs_secret, ready)| {
        let labels = json!({ "app": "web" });
        let owned = |mut object: Value, kind: &str, name: &str| {
            object["metadata"]["ownerReferences"] =
                json!([{ "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true }]);
            object
        };
        let object = |version: &str, kind: &str, name: &str, spec: Value, status: Value| {
            json!({ "apiVersion": version, "kind": kind, "spec": spec, "status": status,
                "metadata": { "name": name, "namespace": "shop", "uid": name, "labels": labels,
                    "creationTimestamp": "2026-01-01T11:00:00Z" } })
        };
        let spec = || json!({ "replicas": 3, "selector": { "matchLabels": labels } });
        let status = || json!({ "replicas": pods.len(), "readyReplicas": ready, "updatedReplicas": pods.len() });
        let mut objects = vec![
            object("apps/v1", "Deployment", "web", spec(), status()),
            owned(object("apps/v1", "ReplicaSet", "web-1", spec(), status()), "Deployment", "web"),
            object("v1", "Service", "web", json!({ "selector": labels, "clusterIP": "10.0.0.1" }), json!({})),
            object("v1", "PersistentVolumeClaim", "data", json!({}), json!({ "phase": if ready > 1 { "Bound" } else { "Lost" } })),
            object("networking.k8s.io/v1", "Ingress", "web",
                json!({ "defaultBackend": { "service": { "name": "web" } } }), json!({})),
        ];
        let mut slice = object("discovery.k8s.io/v1", "EndpointSlice", "web-1", json!({}), json!({}));
        slice["metadata"]["labels"] = json!({ "kubernetes.io/service-name": "web" });
        slice["endpoints"] = (0..pods.len())
            .map(|number| json!({ "targetRef": { "kind": "Pod", "name": format!("web-1-{number}") },
                "conditions": { "ready": pods[number].0 == "Running" } }))
            .collect();
        objects.push(slice);
        let mut kept = kept.into_iter();
        objects.retain(|_| kept.next().unwrap_or(true));
        for (number, (reason, has_claim)) in pods.iter().enumerate() {
            let is_running = *reason == "Running";
            let state = if is_running { json!({ "running": {} }) } else { json!({ "waiting": { "reason": reason, "message": "said" } }) };
            let mut spec = json!({ "containers": [{ "name": "app", "image": "web:2" }] });
            if *has_claim {
                spec["volumes"] = json!([{ "name": "data", "persistentVolumeClaim": { "claimName": "data" } }]);
            }
            if needs_secret {
                spec["containers"][0]["envFrom"] = json!([{ "secretRef": { "name": "missing" } }]);
            }
            let condition = json!({ "type": "Ready", "status": if is_running { "True" } else { "False" }, "reason": "Told",
                "lastTransitionTime": "2026-01-01T11:30:00Z" });
            let status = json!({ "phase": if is_running { "Running" } else { "Pending" }, "conditions": [condition],
                "containerStatuses": [{ "name": "app", "ready": is_running, "restartCount": number * 2, "state": state }] });
            objects.push(owned(object("v1", "Pod", &format!("web-1-{number}"), spec, status), "ReplicaSet", "web-1"));
        }
        objects
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn all_commands_say_the_same_of_objects_that_belong_together(
        objects in prop_oneof![application(), prop::collection::vec(related(), 1..12)]
    ) {
        let known = declared::Known::of(&Declared::default());
        let there: BTreeMap<ObjectId, Value> =
            objects.into_iter().map(|object| (ObjectId::of(&object).unwrap(), object)).collect();
        let text = there.values().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let (checked, causes) = check::said_together(&text, &known, now());
        let changes: Vec<watch::Change> = there.values()
            .map(|object| watch::Change { object: object.clone(), is_deleted: false, is_searched: false })
            .collect();
        let (watched, watched_causes) = watch::said_together(&changes, &known.registry, now());
        prop_assert_eq!(causes, watched_causes);
        let mut graph = Known::new(Extent::Everything);
        for object in there.values() {
            graph.add(object.clone());
        }
        for (id, checked) in &checked {
            let explanation = explain(&graph, &Reference::to(id), &known.registry, now(), &Bounds::default());
            let root = explanation.root().unwrap();
            let explained = (explanation.health(), root.since, root.reason.as_str(), root.message.as_str());
            let said = (checked.health, checked.since, checked.reason.as_str(), checked.message.as_str());
            prop_assert_eq!(explained, said, "explain of {}", id);
            prop_assert_eq!((watched[id].health, watched[id].since), (checked.health, checked.since), "watch of {}", id);
            let is_well = matches!(checked.health, Health::Healthy | Health::Suspended);
            let is_met = wait::said_in_view(there[id].clone(), &explanation, &known.registry, now());
            prop_assert_eq!(is_met, is_well, "wait for {}", id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn all_commands_say_the_same_of_an_object(object in object()) {
        let known = declared::Known::of(&Declared::default());
        let checked = check::said(&object.to_string(), &known, now());
        prop_assert_eq!(&explained(&object, &known.registry), &checked);
        let waited = wait::said_of(object.clone(), &known.registry, now());
        let is_well = matches!(checked.health, Health::Healthy | Health::Suspended);
        prop_assert_eq!(waited, (is_well, checked.clone()));
        // A watch and a list bring what Kubernetes' own types have room for.
        let brought: DynamicObject = serde_json::from_value(object).unwrap();
        let watched = watch::said(&brought, &known.registry, now());
        prop_assert_eq!((watched.health, watched.since), (checked.health, checked.since));
        if checked.health != Health::Healthy {
            prop_assert_eq!((watched.reason, watched.message), (checked.reason, checked.message));
        }
    }
}
