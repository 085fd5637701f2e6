//! Causes of hand-written clusters, and what holds for any.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::judge::judge;

fn noon() -> Time {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn found(objects: impl IntoIterator<Item = Value>) -> (Causes, Found) {
    let registry = Registry::builtin();
    let mut causes = Causes::new(Extent::Everything);
    for object in objects {
        let verdict = judge(&object, registry, noon());
        causes.add(Digest::of(object, verdict, registry, noon()).unwrap());
    }
    let found = causes.search(registry, noon());
    (causes, found)
}

fn owned(owner: (&str, &str, &str)) -> Value {
    let (api_version, kind, name) = owner;
    json!([{ "apiVersion": api_version, "kind": kind, "name": name, "controller": true }])
}

fn deployment(namespace: &str, replicas: u8) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": namespace },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "web" } } },
        "status": { "replicas": replicas, "updatedReplicas": replicas, "unavailableReplicas": replicas } })
}

fn replica_set(namespace: &str, revision: u8, replicas: u8, status: &Value) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": format!("web-{revision}"),
        "namespace": namespace, "ownerReferences": owned(("apps/v1", "Deployment", "web")),
        "annotations": { "deployment.kubernetes.io/revision": revision.to_string() } },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "web" } } }, "status": status })
}

fn pod(namespace: &str, set: &str, name: &str, status: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": namespace,
        "labels": { "app": "web" }, "ownerReferences": owned(("apps/v1", "ReplicaSet", set)) },
        "spec": { "containers": [{ "name": "app", "envFrom": [{ "secretRef": { "name": "web-env" } }] }] }, "status": status })
}

/// A kubelet names the pod, and tells for how long it waits.
fn crashing(pod: &str, seconds: u8, restarts: u8) -> Value {
    json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "False", "reason": "ContainersNotReady" }],
        "containerStatuses": [{ "name": "app", "ready": false, "restartCount": restarts,
            "state": { "waiting": { "reason": "CrashLoopBackOff",
                "message": format!("back-off {seconds}s restarting failed container=app pod={pod}_shop") } },
            "lastState": { "terminated": { "exitCode": 1, "reason": "Error" } } }] })
}

fn secret(namespace: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "web-env", "namespace": namespace } })
}

#[test]
fn many_crashing_pods_are_one_cause_and_their_deployment_is_degraded() {
    let pods = (0..120_u8).map(|number| {
        let name = format!("web-1-x{number}");
        pod("shop", "web-1", &name, &crashing(&name, number, number))
    });
    let above =
        [deployment("shop", 120), replica_set("shop", 1, 120, &json!({ "replicas": 120 })), secret("shop")];
    let (causes, found) = found(above.into_iter().chain(pods));
    let [cause] = found.causes.as_slice() else { panic!("{:#?}", found.causes) };
    assert_eq!(cause.text, "CrashLoopBackOff: container app last ended with Error (exit code 1), 0 restarts");
    assert_eq!((cause.health, cause.affected.len()), (Health::Degraded, 122));
    assert_eq!(cause.next, ObjectId::new("apps", "Deployment", "shop", "web"));
    assert_eq!(found.verdicts[&cause.next].health, Health::Degraded);
    assert_eq!(causes.top(&ObjectId::new("", "Pod", "shop", "web-1-x7")), cause.next);
}

#[test]
fn a_crash_loop_names_the_probe_for_which_the_kubelet_kills() {
    let event = json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "x.1", "namespace": "shop" },
        "involvedObject": { "apiVersion": "v1", "kind": "Pod", "name": "x", "namespace": "shop" }, "type": "Warning",
        "reason": "Unhealthy", "message": "Liveness probe failed: HTTP probe failed with statuscode: 500",
        "lastTimestamp": "2026-11-15T11:59:00Z", "source": { "component": "kubelet" } });
    let (_, found) = found([pod("shop", "web-1", "x", &crashing("x", 10, 3)), secret("shop"), event]);
    let text = &found.causes[0].text;
    assert!(text.contains("exit code 1") && text.contains("Liveness probe failed"), "{text}");
}

#[test]
fn a_job_that_tries_again_is_under_way_and_tells_how_its_pods_ended() {
    let job = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "migrate", "namespace": "shop" },
        "spec": { "backoffLimit": 6 }, "status": { "active": 0, "failed": 1 } });
    let failed = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "migrate-x", "namespace": "shop",
        "ownerReferences": owned(("batch/v1", "Job", "migrate")) }, "spec": { "restartPolicy": "Never" },
        "status": { "phase": "Failed", "containerStatuses": [{ "name": "app",
            "state": { "terminated": { "exitCode": 1, "reason": "Error" } } }] } });
    let (causes, found) = found([job, failed]);
    let id = ObjectId::new("batch", "Job", "shop", "migrate");
    let verdict = found.verdicts.get(&id).cloned().or_else(|| causes.known.verdict(&id).cloned());
    assert_eq!(verdict.map(|verdict| verdict.health), Some(Health::Progressing));
    assert_eq!(found.causes.len(), 1);
    assert!(found.causes[0].text.contains("exit code 1"), "{}", found.causes[0].text);
}

#[test]
fn an_init_container_that_does_not_end_is_named_and_a_sidecar_is_not() {
    let pod = |policy: &str| {
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "initContainers": [{ "name": "wait-for-db", "restartPolicy": policy }], "containers": [{ "name": "app" }] },
            "status": { "phase": "Pending", "initContainerStatuses": [{ "name": "wait-for-db", "ready": false,
                "state": { "running": { "startedAt": "2026-11-15T11:30:00Z" } } }] } })
    };
    let said = |policy| judge(&pod(policy), Registry::builtin(), noon());
    let waits = said("");
    assert_eq!((waits.health, &*waits.reason), (Health::Progressing, "PodInitializing"));
    assert_eq!(waits.message, "init container wait-for-db: it runs, and has not ended");
    assert_eq!(said("Always").reason, "Pending");
}

#[test]
fn one_quota_in_several_namespaces_names_each() {
    let namespaces = ["a", "b", "c", "d", "e"];
    let sets = namespaces.iter().map(|namespace| {
        let message = format!("pods \"web-1-{namespace}zzzz\" is forbidden: exceeded quota: small");
        let failure = json!([{ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message }]);
        replica_set(namespace, 1, 3, &json!({ "replicas": 0, "conditions": failure }))
    });
    let (_, found) = found(sets);
    assert_eq!(found.causes.len(), 1);
    assert_eq!(found.causes[0].text, "FailedCreate: exceeded quota: small");
    assert!(found.causes[0].namespaces.iter().map(String::as_str).eq(namespaces));
}

#[test]
fn what_a_pod_needs_and_is_not_there_is_the_cause_of_all_above() {
    let pending = json!({ "phase": "Pending", "conditions": [] });
    let set = replica_set("shop", 1, 1, &json!({ "replicas": 1 }));
    let (_, found) = found([deployment("shop", 1), set, pod("shop", "web-1", "web-1-a", &pending)]);
    assert_eq!(found.causes.len(), 1);
    assert_eq!(
        (found.causes[0].text.as_str(), found.causes[0].affected.len()),
        ("Secret web-env not found", 3)
    );
    assert!(found.verdicts.values().all(|verdict| verdict.health == Health::Degraded));
}

#[test]
fn a_pod_of_an_older_revision_does_not_break_a_rollout() {
    let old = replica_set("shop", 1, 1, &json!({ "replicas": 1 }));
    let new = replica_set("shop", 2, 1, &json!({ "replicas": 1 }));
    let starting = json!({ "phase": "Pending", "conditions": [] });
    let pods = [
        pod("shop", "web-1", "web-1-a", &crashing("web-1-a", 10, 9)),
        pod("shop", "web-2", "web-2-a", &starting),
        secret("shop"),
    ];
    let (_, found) = found([deployment("shop", 1), old, new].into_iter().chain(pods));
    let deployment = ObjectId::new("apps", "Deployment", "shop", "web");
    assert!(!found.verdicts.contains_key(&deployment), "{:?}", found.verdicts);
}

#[test]
fn a_service_that_selects_nothing_is_degraded_and_one_without_ready_pods_tells_why() {
    let service = |name: &str, app: &str| {
        json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": name, "namespace": "shop" },
            "spec": { "selector": { "app": app } } })
    };
    let slice = json!({ "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
        "metadata": { "name": "web-1", "namespace": "shop", "labels": { "kubernetes.io/service-name": "web" } },
        "endpoints": [{ "conditions": { "ready": false }, "targetRef": { "kind": "Pod", "name": "web-1-a" } }] });
    let crashing = pod("shop", "web-1", "web-1-a", &crashing("web-1-a", 10, 9));
    let (_, found) = found([service("web", "web"), service("typo", "wbe"), slice, crashing, secret("shop")]);
    let texts: Vec<&str> = found.causes.iter().map(|cause| cause.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "CrashLoopBackOff: container app last ended with Error (exit code 1), 9 restarts",
            "NoReadyEndpoints: no pod has the labels app=wbe"
        ]
    );
    assert_eq!(found.causes[0].affected.len(), 2);
}

#[test]
fn a_service_of_a_workload_that_is_scaled_to_zero_rests() {
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "selector": { "app": "web" } } });
    let mut resting = deployment("shop", 0);
    resting["spec"]["template"] = json!({ "metadata": { "labels": { "app": "web", "tier": "a" } } });
    let id = ObjectId::new("", "Service", "shop", "web");
    let (_, rests) = found([service.clone(), resting.clone()]);
    assert_eq!(
        (rests.verdicts[&id].health, &*rests.verdicts[&id].reason),
        (Health::Suspended, "ScaledToZero")
    );
    assert!(rests.causes.iter().all(|cause| !cause.affected.contains(&id)), "{:#?}", rests.causes);
    resting["spec"]["template"]["metadata"]["labels"] = json!({ "app": "other" });
    let (_, empty) = found([service, resting]);
    assert_eq!(empty.verdicts[&id].health, Health::Degraded, "another workload");
}

#[test]
fn a_webhook_configuration_and_an_api_service_without_their_service_are_degraded() {
    let webhook = json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "guard" }, "webhooks": [{ "name": "guard.example.dev",
            "clientConfig": { "service": { "namespace": "guard", "name": "guard" } } }] });
    let served = json!({ "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": { "name": "v1.metrics.example.dev" }, "spec": { "service": { "namespace": "guard", "name": "metrics" } },
        "status": { "conditions": [{ "type": "Available", "status": "True", "reason": "Passed" }] } });
    let (_, found) = found([webhook, served]);
    let texts: Vec<&str> = found.causes.iter().map(|cause| cause.text.as_str()).collect();
    assert_eq!(texts, ["Service guard not found", "Service metrics not found"]);
}

#[test]
fn a_service_whose_port_no_pod_has_is_degraded_although_its_endpoints_are_ready() {
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "selector": { "app": "web" }, "ports": [
            { "name": "web", "port": 80, "targetPort": "http" }, { "name": "metrics", "port": 81, "targetPort": 9090 }] } });
    let slice = |ports: Value| {
        json!({ "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": { "name": "web-1", "namespace": "shop", "labels": { "kubernetes.io/service-name": "web" } },
            "endpoints": [{ "conditions": { "ready": true } }], "ports": ports })
    };
    for ports in [json!(null), json!([{ "name": "metrics", "port": 9090 }])] {
        let (_, found) = found([service.clone(), slice(ports)]);
        assert_eq!(found.causes[0].text, "PortNotFound: no ready pod has a port named http");
    }
    let (_, found) = found([
        service,
        slice(json!([{ "name": "web", "port": 8080 }, { "name": "metrics", "port": 9090 }])),
    ]);
    assert!(found.causes.is_empty(), "{:?}", found.causes);
}

#[test]
fn circles_and_long_chains_of_owners_end() {
    for (kind, count) in [("ReplicaSet", 3_u32), ("ReplicaSet", 2_000), ("Widget", 2_000)] {
        let version = if kind == "Widget" { "example.com/v1" } else { "apps/v1" };
        let objects = (0..count).map(|number| {
            let owner = format!("w{}", (number + 1) % count);
            json!({ "apiVersion": version, "kind": kind, "metadata": { "name": format!("w{number}"), "namespace": "shop",
                "ownerReferences": owned((version, kind, &owner)) }, "spec": { "replicas": 1 },
                "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "Told" }] } })
        });
        let (causes, found) = found(objects);
        assert_eq!(found.causes.iter().map(|cause| cause.affected.len()).sum::<usize>(), count as usize);
        assert_eq!(causes.application(&found.causes[0].next), None);
    }
}

#[test]
fn a_verdict_in_a_circle_of_owners_does_not_depend_on_which_object_comes_first() {
    let part = |(version, kind): (&str, &str), name: &str, owner: &str, spec: Value| {
        json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name, "namespace": "shop",
            "ownerReferences": owned(("apps/v1", "Deployment", owner)) }, "spec": spec, "status": { "replicas": 1 } })
    };
    let deployment = ("apps/v1", "Deployment");
    let service = json!({ "defaultBackend": { "service": { "name": "gone" } } });
    for (first, second) in [("a", "b"), ("b", "a")] {
        let (_, found) = found([
            part(deployment, first, second, json!({ "replicas": 1 })),
            part(deployment, second, first, json!({ "replicas": 1 })),
            part(("networking.k8s.io/v1", "Ingress"), "i", first, service.clone()),
        ]);
        for name in ["a", "b"] {
            let verdict = &found.verdicts[&ObjectId::new("apps", "Deployment", "shop", name)];
            assert_eq!(verdict.health, Health::Degraded, "{name}: {}", verdict.message);
            assert!(verdict.message.ends_with("Ingress i: Service gone not found"), "{}", verdict.message);
        }
    }
}

/// Some objects of a few kinds, which name, own and select each other as it comes.
fn some_object() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec![
        ("v1", "Pod"),
        ("v1", "Service"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("batch/v1", "Job"),
        ("discovery.k8s.io/v1", "EndpointSlice"),
        ("networking.k8s.io/v1", "Ingress"),
        ("example.com/v1", "Widget"),
    ]);
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    let status = prop::sample::select(vec!["True", "False", "Unknown"]);
    (kinds, names(), kinds_of_owner(), names(), names(), status, 0..4_u8).prop_map(
        |((version, kind), name, owner, owner_name, other, status, number)| {
            json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name, "namespace": "shop",
                "labels": { "app": other, "kubernetes.io/service-name": other },
                "ownerReferences": owned((owner.0, owner.1, owner_name)) },
                "spec": { "replicas": number, "selector": { "app": name }, "secretRef": { "name": other },
                    "volumes": [{ "persistentVolumeClaim": { "claimName": other } }], "service": { "name": other } },
                "endpoints": [{ "targetRef": { "kind": "Pod", "name": other }, "conditions": { "ready": number > 1 } }],
                "status": { "phase": if number > 1 { "Running" } else { "Pending" }, "replicas": number,
                    "conditions": [{ "type": "Ready", "status": status, "reason": "Told", "message": other }] } })
        },
    )
}

fn kinds_of_owner() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("batch/v1", "Job"),
        ("example.com/v1", "Widget"),
    ])
}

proptest! {
    #[test]
    fn others_never_make_an_object_better_and_everything_that_is_not_well_has_one_cause(
        objects in prop::collection::vec(some_object(), 1..14)
    ) {
        let registry = Registry::builtin();
        let (_, found) = found(objects.clone());
        let mut alone: BTreeMap<ObjectId, Health> = BTreeMap::new();
        for object in &objects {
            alone.insert(ObjectId::of(object).unwrap(), judge(object, registry, noon()).health);
        }
        let in_view = |id: &ObjectId| found.verdicts.get(id).map_or(alone[id], |verdict| verdict.health);
        for (id, health) in &alone {
            prop_assert!(in_view(id) >= *health, "{id}: {health} became {}", in_view(id));
        }
        let bad: BTreeSet<ObjectId> =
            alone.keys().filter(|id| in_view(id) > Health::Suspended).cloned().collect();
        let told: Vec<ObjectId> = found.causes.iter().flat_map(|cause| cause.affected.clone()).collect();
        prop_assert_eq!(told.len(), bad.len());
        prop_assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), bad);
        for cause in &found.causes {
            let worst = cause.affected.iter().map(in_view).max();
            prop_assert_eq!(Some(cause.health), worst);
        }
    }
}

/// A search that asks for what it wants, and is answered from these objects.
fn searched(asked: &Value, others: &[Value]) -> Found {
    let registry = Registry::builtin();
    let mut causes = Causes::new(Extent::Asked);
    let verdict = judge(asked, registry, noon());
    causes.add(Digest::of(asked.clone(), verdict, registry, noon()).unwrap());
    for _ in 0..10 {
        let found = causes.search(registry, noon());
        if found.wanted.is_empty() {
            return found;
        }
        for request in found.wanted {
            let is_it = |object: &&Value| {
                let id = ObjectId::of(object).unwrap();
                match &request {
                    Request::Get(reference) => {
                        (&id.kind, &id.namespace, &id.name)
                            == (&reference.kind, &reference.namespace, &reference.name)
                    }
                    Request::List { group, kind, .. } => (&id.group, &id.kind) == (group, kind),
                    _ => false,
                }
            };
            let objects = others.iter().filter(is_it).cloned().collect();
            causes.answer(request, Answer::Objects(objects), registry, noon());
        }
    }
    panic!("the search does not end");
}

#[test]
fn a_webhook_without_a_service_is_a_hint_in_the_namespaces_that_it_selects() {
    let asked =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "shop" } });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop", "labels": { "team": "a" } } });
    let webhook = |policy: &str, team: &str, operation: &str| {
        json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "guard" }, "webhooks": [{ "name": "guard.example.dev", "failurePolicy": policy,
                "clientConfig": { "service": { "namespace": "guard", "name": "guard" } },
                "namespaceSelector": { "matchLabels": { "team": team } },
                "rules": [{ "operations": [operation], "resources": ["secrets"] }] }] })
    };
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "guard", "namespace": "guard" },
        "spec": { "type": "ExternalName", "externalName": "guard.example.dev" } });
    let texts = |others: &[Value]| {
        let hints = searched(&asked, others).hints;
        hints.into_iter().map(|hint| (hint.text, hint.affected[0].to_string())).collect::<Vec<_>>()
    };
    let text = "WebhookUnavailable: ValidatingWebhookConfiguration guard refuses CREATE of secrets: Service guard/guard not found";
    let expected = vec![(text.to_owned(), "Namespace shop".to_owned())];
    assert_eq!(texts(&[namespace.clone(), webhook("Fail", "a", "CREATE")]), expected);
    assert_eq!(texts(&[namespace.clone(), webhook("Ignore", "a", "CREATE")]), [], "it refuses nothing");
    assert_eq!(texts(&[namespace.clone(), webhook("Fail", "b", "CREATE")]), [], "another namespace");
    assert_eq!(texts(&[namespace, webhook("Fail", "a", "CREATE"), service]), [], "it is there");
}

#[test]
fn a_status_from_a_hub_whose_controller_is_gone_is_not_known_here_either() {
    let aggregation = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation", "metadata": { "name": "all" },
        "status": { "controller": { "lease": "hub/allready-controller" },
            "conditions": [{ "type": "Ready", "status": "True", "reason": "Told" }] } });
    let lease = |time: &str| {
        json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "name": "allready-controller", "namespace": "hub" },
            "spec": { "leaseDurationSeconds": 15, "renewTime": time } })
    };
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web", "namespace": "shop",
            "managedFields": [{ "manager": "allready-hub/all", "operation": "Apply", "subresource": "status",
                "fieldsV1": { "f:status": {} } }] },
        "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Told" }] } });
    let id = ObjectId::of(&widget).unwrap();
    let health = |time: &str| {
        let (_, found) = found([aggregation.clone(), lease(time), widget.clone()]);
        found.verdicts.get(&id).map(|verdict| (verdict.health, verdict.reason.clone()))
    };
    assert_eq!(health("2026-11-15T11:00:00Z"), Some((Health::Unknown, "ControllerNotRunning".to_owned())));
    assert_eq!(health("2026-11-15T11:59:55Z"), None, "it is as it says");
}
