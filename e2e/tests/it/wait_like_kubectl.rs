//! `allready wait` beside `kubectl wait`: what people expect who know the one, and where the other differs on purpose.

use allready_e2e::{Server, eventually};
use futures::{StreamExt as _, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use crate::wait::{says, stage, waiter};

allready_e2e::kubectl_scenarios![
    both_wait_alike_but_where_the_manual_says_otherwise,
    what_comes_true_later_is_met_for_both,
    an_object_made_anew_is_another_one_for_us_alone,
    a_kind_that_is_not_served_yet_is_waited_for,
    a_kind_that_goes_while_it_is_waited_is_told,
];

/// So many pairs of programs run at a time.
const PARALLEL: usize = 3;

async fn create(waiters: &Api<DynamicObject>, object: Value) {
    waiters.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
}

async fn status(waiters: &Api<DynamicObject>, name: &str, status: Value) {
    let patch = Patch::Merge(json!({ "status": status }));
    waiters.patch_status(name, &PatchParams::default(), &patch).await.unwrap();
}

/// `good` and `fine` are as wished, `bad` is not; of `late` the conditions, of `stale` the whole status are about an older
/// generation.
async fn cast(waiters: &Api<DynamicObject>) {
    for name in ["good", "fine", "bad", "late", "stale"] {
        create(waiters, waiter(name, 1)).await;
        says(waiters, name, 1, if name == "bad" { "Unknown" } else { "True" }).await;
        let more = json!({ "phase": "Running", "replicas": 3, "addresses": ["a", "b"], "empty": [] });
        status(waiters, name, more).await;
    }
    status(waiters, "stale", json!({ "observedGeneration": 1 })).await;
    let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
    for name in ["late", "stale"] {
        waiters.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }
}

/// What is waited for, how kubectl ends, and how we do. A time is for what does not come true; what does may take longer.
const CASES: &[(&str, i32, i32)] = &[
    // As kubectl has it.
    ("wtr/good --for condition=Ready", 0, 0),
    ("wtr/good --for condition=ready=TRUE", 0, 0),
    ("wtr/good --for condition=Ready --timeout 0", 0, 0),
    ("wtr/good --for condition=Ready --timeout=-1s", 0, 0),
    ("wtr/good wtr/fine --for condition=Ready", 0, 0),
    ("wtr good fine --for condition=Ready", 0, 0),
    ("wtr/bad --for condition=Ready=unknown", 0, 0),
    ("wtr/good --for jsonpath={.status.phase}=Running", 0, 0),
    ("wtr/good --for jsonpath={status.phase}=Running", 0, 0),
    ("wtr/good --for jsonpath=.status.phase=Running", 0, 0),
    ("wtr/good --for jsonpath=status.phase='Running'", 0, 0),
    ("wtr/good --for jsonpath={.status.replicas}=3", 0, 0),
    ("wtr/good --for jsonpath={.status.addresses[1]}=b", 0, 0),
    ("wtr/good --for jsonpath={.status.addresses}", 0, 0),
    (r#"wtr/good --for jsonpath={.status.conditions[?(@.type=="Ready")].status}=True"#, 0, 0),
    ("wtr/good --for jsonpath={.status.phase}=Running --for condition=Ready --for create", 0, 0),
    ("wtr/good --for create", 0, 0),
    ("wtr/none --for delete", 0, 0),
    ("wtr -l app=none --for delete", 0, 0),
    ("wtr/bad --for condition=Ready --timeout 1s", 1, 2),
    ("wtr/bad --for condition=Ready --timeout 0", 1, 2),
    ("wtr/good wtr/bad --for condition=Ready --timeout 1s", 1, 2),
    ("wtr --all --for condition=Ready --timeout 1s", 1, 2),
    ("wtr/late --for condition=Ready --timeout 1s", 1, 2),
    ("wtr/good --for jsonpath={.status.phase}=running --timeout 1s", 1, 2),
    ("wtr/good --for jsonpath={.status.none} --timeout 1s", 1, 2),
    ("wtr/good --for delete --timeout 1s", 1, 2),
    ("wtr/none --for create --timeout 1s", 1, 2),
    ("wtr -l app=none --for create --timeout 1s", 1, 2),
    ("wtr/none --for condition=Ready", 1, 3),
    ("wtr -l app=none --for condition=Ready", 1, 1),
    ("wtr/good --for jsonpath={.status.addresses[*]}=a", 1, 1),
    ("wtr/good --for jsonpath={.status.addresses}=a", 1, 1),
    ("wtr/good --for jsonpath={.status.conditions[Ready]}=a", 1, 64),
    ("wtr/good --for jsonpath={.status.phase}=", 1, 64),
    ("wtr/good --for=", 1, 64),
    ("nonesuch/a --for condition=Ready", 1, 69),
    // We wait until the kind is served; kubectl does not.
    ("nonesuch/a --for create --timeout 1s", 1, 2),
    // Lists grow, so we wait; kubectl ends at once.
    ("wtr/good --for jsonpath={.status.empty[0]}=a --timeout 1s", 1, 2),
    // A status about an older generation and an empty list are taken by kubectl.
    ("wtr/stale --for jsonpath={.status.phase}=Running --timeout 5s", 0, 2),
    ("wtr/good --for jsonpath={.status.empty} --timeout 5s", 0, 2),
    // kubectl has no default, takes any text for a status, and cannot compare with other signs.
    ("wtr/good", 1, 0),
    ("wtr/good --for condition=Ready=maybe --timeout 1s", 1, 64),
    (r#"wtr/good --for jsonpath={.status.conditions[?(@.type!="Synced")].status}=True"#, 1, 0),
];

async fn both_wait_alike_but_where_the_manual_says_otherwise(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    cast(&waiters).await;
    let pairs = stream::iter(CASES).map(|(case, theirs, ours)| {
        let (server, namespace) = (&server, namespace.as_str());
        async move {
            let arguments: Vec<&str> = ["wait", "-n", namespace].into_iter().chain(case.split(' ')).collect();
            // What does not fit ends it after the grace.
            let graceless = [&arguments[..], &["--grace", "0"]].concat();
            let (by_kubectl, by_us) = tokio::join!(server.kubectl(&arguments), server.allready(&graceless));
            let is_right = (by_kubectl.code, by_us.code) == (Some(*theirs), Some(*ours));
            println!("kubectl {:?} allready {:?}: wait {case}", by_kubectl.code, by_us.code);
            (!is_right).then(|| format!("{case}: wanted {theirs} and {ours}: {by_kubectl:?} {by_us:?}"))
        }
    });
    let wrong: Vec<String> = pairs.buffered(PARALLEL).filter_map(|wrong| async { wrong }).collect().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn what_comes_true_later_is_met_for_both(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    create(&waiters, waiter("a", 1)).await;
    let wishes =
        ["--for", "condition=Ready", "--for", "jsonpath={.status.phase}=Running", "--timeout", "40s"];
    let arguments = [&["wait", "wtr/a", "-n", &namespace], &wishes[..]].concat();
    let mut ours = server.begin_allready(&arguments);
    let (by_kubectl, by_us) = tokio::join!(server.kubectl(&arguments), async {
        ours.until("Ready is not reported; {.status.phase} is not there").await;
        says(&waiters, "a", 1, "True").await;
        ours.until("waiting: {.status.phase} is not there").await;
        status(&waiters, "a", json!({ "phase": "Running" })).await;
        ours.end().await
    });
    assert_eq!((by_kubectl.code, by_us.code), (Some(0), Some(0)), "{by_kubectl:?} {by_us:?}");
}

async fn an_object_made_anew_is_another_one_for_us_alone(server: Server) {
    let (namespace, waiters) = stage(&server).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("applied.yaml").to_str().unwrap().to_owned();
    create(&waiters, waiter("a", 1)).await;
    let printed = server.kubectl(&["get", "wtr/a", "-n", &namespace, "-o", "yaml"]).await.ok();
    std::fs::write(&file, printed).unwrap();
    let mut meanwhile =
        server.begin_allready(&["wait", "wtr/a", "-n", &namespace, "--for", "Ready", "--timeout", "40s"]);
    meanwhile.until("waiting: Ready is not reported").await;
    let _ = waiters.delete("a", &DeleteParams::default()).await.unwrap();
    let meanwhile = meanwhile.end().await;
    assert_eq!(meanwhile.code, Some(3), "{meanwhile:?}");
    assert!(meanwhile.out.contains("it was deleted meanwhile"), "{meanwhile:?}");

    create(&waiters, waiter("a", 1)).await;
    says(&waiters, "a", 1, "True").await;
    // What was applied is gone, and somebody else has taken its name. kubectl looks at names alone.
    let ready = ["wait", "-f", &file, "--for", "condition=Ready"];
    let (by_kubectl, by_us) = tokio::join!(server.kubectl(&ready), server.allready(&ready));
    assert_eq!((by_kubectl.code, by_us.code), (Some(0), Some(3)), "{by_kubectl:?} {by_us:?}");
    assert!(by_us.out.contains("another of the same name is there"), "{by_us:?}");
    let gone = ["wait", "-f", &file, "--for", "delete", "--timeout", "1s"];
    let (by_kubectl, by_us) = tokio::join!(server.kubectl(&gone), server.allready(&gone));
    assert_eq!((by_kubectl.code, by_us.code), (Some(1), Some(0)), "{by_kubectl:?} {by_us:?}");
}

/// A kind in a group of its own, which is not defined yet.
fn gizmos(server: &Server, namespace: &str) -> (CustomResourceDefinition, Api<DynamicObject>, String) {
    let group = format!("{}.example.com", server.unique("gizmos"));
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("gizmos.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": { "kind": "Gizmo", "plural": "gizmos", "singular": "gizmo" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    let resource = ApiResource {
        group: group.clone(),
        version: "v1".into(),
        api_version: format!("{group}/v1"),
        kind: "Gizmo".into(),
        plural: "gizmos".into(),
    };
    let gizmos = Api::namespaced_with(server.client(), namespace, &resource);
    (serde_json::from_value(definition).unwrap(), gizmos, format!("gizmos.{group}"))
}

/// A kind that was just defined may take a moment.
async fn create_gizmo(gizmos: &Api<DynamicObject>, kind: &str) {
    let group = kind.trim_start_matches("gizmos.");
    let gizmo: DynamicObject =
        serde_json::from_value(json!({ "apiVersion": format!("{group}/v1"), "kind": "Gizmo",
        "metadata": { "name": "a" }, "spec": { "size": 1 } }))
        .unwrap();
    eventually("an object to be made", Result::is_ok, || async {
        gizmos.create(&PostParams::default(), &gizmo).await.map(|_| ()).map_err(|error| error.to_string())
    })
    .await
    .unwrap();
}

async fn a_kind_that_is_not_served_yet_is_waited_for(server: Server) {
    let namespace = server.namespace("wait").await;
    let (definition, gizmos, kind) = gizmos(&server, &namespace);
    let object = format!("{kind}/a");
    let wishes = ["--for", "create", "--for", "jsonpath={.spec.size}=1", "--timeout", "40s"];
    let mut waiting = server.begin_allready(&[&["wait", &object, "-n", &namespace], &wishes[..]].concat());
    waiting.until(&format!("waiting: the server has no resource {kind:?}")).await;
    server.define(definition).await;
    waiting.until(&format!("{object} in namespace {namespace}: waiting: it is not there")).await;
    create_gizmo(&gizmos, &kind).await;
    let waited = waiting.end().await;
    assert_eq!(waited.code, Some(0), "{waited:?}");
}

async fn a_kind_that_goes_while_it_is_waited_is_told(server: Server) {
    let namespace = server.namespace("wait").await;
    let (definition, gizmos, kind) = gizmos(&server, &namespace);
    server.define(definition.clone()).await;
    create_gizmo(&gizmos, &kind).await;
    let object = format!("{kind}/a");
    let wait = ["wait", &object, "-n", &namespace, "--timeout", "50s", "--for"];
    let mut ready = server.begin_allready(&[&wait[..], &["Ready"]].concat());
    let mut patient = server.begin_allready(&[&wait[..], &["Ready", "--for", "create"]].concat());
    let mut gone = server.begin_allready(&[&wait[..], &["delete"]].concat());
    ready.until("waiting: Ready is not reported").await;
    patient.until("waiting: Ready is not reported").await;
    gone.until("waiting: it exists, and is not being deleted").await;
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    let _ = definitions.delete(&kind, &DeleteParams::default()).await.unwrap();
    let ready = ready.end().await;
    assert_eq!(ready.code, Some(3), "{ready:?}");
    assert!(
        ready.err.contains(&format!("the server does not serve {kind} any more"))
            || ready.err.contains(&format!("the CRD of {kind} is being deleted")),
        "{ready:?}"
    );
    let gone = gone.end().await;
    assert_eq!(gone.code, Some(0), "{gone:?}");
    patient.until(&format!("the server does not serve {kind} any more; waiting until it does")).await;
    server.define(definition).await;
    create_gizmo(&gizmos, &kind).await;
    status(&gizmos, "a", json!({ "conditions": [{ "type": "Ready", "status": "True", "reason": "Told" }] }))
        .await;
    let patient = patient.end().await;
    assert_eq!(patient.code, Some(0), "{patient:?}");
}
