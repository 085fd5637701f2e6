use crate::{
    causes::{Causes, Digest, Found},
    explain::{Bounds, Explanation},
    graph::{Extent, ObjectId, Reference, Request},
    health::Health,
    judge::judge,
    registry::Registry,
};
use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use allready_core::Time;
use kube::{
    Client,
    api::{ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{Budget, find_causes, follow, together};
use allready_kube::resources::Catalog;

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

/// Makes an object with a status, and gives its uid.
async fn make(client: &Client, resource: &str, mut object: Value, status: &Value) -> Value {
    let catalog = Catalog::discover(client).await.unwrap();
    let resource = catalog.find(resource).unwrap();
    let api = resource.api(client.clone(), Some("default"));
    object["apiVersion"] = json!(resource.api_version());
    object["kind"] = json!(resource.kind);
    let name = object["metadata"]["name"].as_str().unwrap().to_owned();
    let made = api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
    if !status.is_null() {
        let patch = json!({ "status": status });
        api.patch_status(&name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    }
    json!(made.metadata.uid)
}

fn owned(name: &str, kind: &str, owner: &str, uid: &Value, labels: &Value) -> Value {
    json!({ "name": name, "labels": labels, "ownerReferences": [
        { "apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": uid, "controller": true }] })
}

/// A deployment, whose only pod cannot start because a secret is not there.
async fn shop(client: &Client) {
    let labels = json!({ "app": "web" });
    let spec = json!({ "containers": [{ "name": "app", "image": "web:1" }],
        "volumes": [{ "name": "password", "secret": { "secretName": "password" } }] });
    let workload = json!({ "replicas": 1, "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": spec } });
    let status = json!({ "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1,
        "conditions": [
            { "type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "not enough" },
            { "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out" },
        ] });
    let deployment = json!({ "metadata": { "name": "web" }, "spec": workload });
    let uid = make(client, "deploy", deployment, &status).await;
    let set = json!({ "metadata": owned("web-7", "Deployment", "web", &uid, &labels), "spec": workload });
    let uid = make(client, "rs", set, &json!({ "observedGeneration": 1, "replicas": 1 })).await;
    let pod = json!({ "metadata": owned("web-7-a", "ReplicaSet", "web-7", &uid, &labels), "spec": spec });
    let status = json!({ "phase": "Pending",
        "conditions": [{ "type": "Ready", "status": "False", "reason": "ContainersNotReady" }],
        "containerStatuses": [{ "name": "app", "image": "web:1", "imageID": "", "ready": false, "restartCount": 0,
            "state": { "waiting": { "reason": "ContainerCreating" } } }] });
    make(client, "po", pod, &status).await;
}

async fn explained(client: &Client, group: &str, kind: &str, name: &str, budget: Budget) -> Explanation {
    let catalog = Catalog::discover(client).await.unwrap();
    let root = Reference::to(&ObjectId::new(group, kind, "default", name));
    let now = Time::new(jiff::Timestamp::now());
    follow(client, &catalog, &root, Registry::builtin(), now, &Bounds::default(), budget).await
}

fn labels(explanation: &Explanation) -> Vec<&str> {
    let path = explanation.cause.iter().flat_map(|cause| &cause.path);
    path.map(|&index| explanation.nodes[index].label.as_str()).collect()
}

#[tokio::test]
async fn a_deployment_is_followed_to_the_secret_that_is_not_there() {
    let server = ApiServer::new();
    let client = client(&server);
    shop(&client).await;
    let explanation = explained(&client, "apps", "Deployment", "web", Budget::default()).await;
    assert_eq!(
        labels(&explanation),
        [
            "Deployment default/web",
            "ReplicaSet default/web-7",
            "Pod default/web-7-a",
            "Secret default/password"
        ]
    );
    assert_eq!(explanation.cause.unwrap().unseen, [] as [String; 0]);

    make(&client, "secrets", json!({ "metadata": { "name": "password" } }), &json!(null)).await;
    let explanation = explained(&client, "apps", "Deployment", "web", Budget::default()).await;
    assert_eq!(labels(&explanation).last(), Some(&"container app"));
}

#[tokio::test]
async fn what_may_not_be_read_is_said_and_no_cause() {
    let server = ApiServer::new();
    let client = client(&server);
    shop(&client).await;
    server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Get).resource("secrets"));
    server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::List).resource("events"));
    let explanation = explained(&client, "apps", "Deployment", "web", Budget::default()).await;
    assert_eq!(labels(&explanation).last(), Some(&"container app"));
    let unseen = explanation.cause.unwrap().unseen;
    assert!(unseen.contains(&"Secret default/password: not allowed to read it".to_owned()), "{unseen:?}");
    assert!(unseen.contains(&"not allowed to read events".to_owned()), "{unseen:?}");
}

#[tokio::test]
async fn no_more_is_asked_than_is_allowed_and_that_is_said() {
    let server = ApiServer::new();
    let client = client(&server);
    shop(&client).await;
    let budget = Budget { requests: 1, ..Budget::default() };
    let explanation = explained(&client, "apps", "Deployment", "web", budget).await;
    assert_eq!(explanation.health(), Health::Degraded);
    let unseen = explanation.cause.unwrap().unseen;
    let expected = "no request was left to read ReplicaSet objects in the namespace default";
    assert!(unseen.contains(&expected.to_owned()), "{unseen:?}");
}

#[tokio::test]
async fn a_name_that_would_lead_elsewhere_is_not_sent() {
    let server = ApiServer::new();
    let client = client(&server);
    let volumes = json!([{ "name": "a", "configMap": { "name": "../secrets/password" } }]);
    let spec = json!({ "containers": [{ "name": "app", "image": "web:1" }], "volumes": volumes });
    make(&client, "secrets", json!({ "metadata": { "name": "password" } }), &json!(null)).await;
    // A server would not take such a name: what it says is made by hand.
    let mut known = crate::graph::Known::new(crate::graph::Extent::Asked);
    let pod = ObjectId::new("", "Pod", "default", "web");
    known.add(
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "default" },
        "spec": spec, "status": { "phase": "Pending" } }),
    );
    let root = Reference::to(&pod);
    let wanted =
        crate::explain::explain(&known, &root, Registry::builtin(), Time::EPOCH, &Bounds::default()).wanted;
    let catalog = Catalog::discover(&client).await.unwrap();
    let asking = super::Asking { client: &client, catalog: &catalog };
    let mut asked = 0;
    for request in wanted {
        if matches!(&request, crate::graph::Request::Get(reference) if reference.kind == "ConfigMap") {
            assert_eq!(asking.answer(&request).await, crate::graph::Answer::Objects(Vec::new()));
            asked += 1;
        }
    }
    assert_eq!(asked, 1);
}

/// Services with a ready endpoint each, but for the last one.
async fn services(client: &Client, count: usize) {
    for number in 0..count {
        let (name, app) = (format!("web-{number}"), format!("app-{number}"));
        let spec = json!({ "selector": { "app": app }, "ports": [{ "port": 80 }] });
        make(client, "services", json!({ "metadata": { "name": name }, "spec": spec }), &json!(null)).await;
        let labels = json!({ "kubernetes.io/service-name": name });
        let endpoints = if number + 1 < count { json!([{ "addresses": ["10.0.0.1"] }]) } else { json!([]) };
        let slice = json!({ "metadata": { "name": name, "labels": labels }, "addressType": "IPv4", "endpoints": endpoints });
        make(client, "endpointslices", slice, &json!(null)).await;
    }
}

/// The causes of what is wrong with all Services, as `check services` finds them.
async fn of_services(client: &Client, budget: Budget) -> Found {
    let (catalog, registry) = (Catalog::discover(client).await.unwrap(), Registry::builtin());
    let now = Time::new(jiff::Timestamp::now());
    let api = catalog.find("services").unwrap().api(client.clone(), Some("default"));
    let mut causes = Causes::new(Extent::Asked);
    for service in api.list(&ListParams::default()).await.unwrap() {
        let mut service = serde_json::to_value(service).unwrap();
        (service["apiVersion"], service["kind"]) = (json!("v1"), json!("Service"));
        let verdict = judge(&service, registry, now);
        causes.add(Digest::of(service, verdict, registry, now).unwrap());
    }
    causes.listed("", "Service", Some("default"), None);
    find_causes(client, &catalog, &mut causes, registry, now, budget).await
}

#[tokio::test]
async fn endpoints_of_many_services_are_asked_for_together() {
    let server = ApiServer::new();
    let client = client(&server);
    services(&client, 40).await;
    let found = of_services(&client, Budget { requests: 6, ..Budget::default() }).await;
    let [cause] = found.causes.as_slice() else { panic!("{:#?}", found.causes) };
    assert_eq!(cause.text, "NoReadyEndpoints: no pod has the labels app=app-39");
    assert_eq!(cause.affected, [ObjectId::new("", "Service", "default", "web-39")]);
}

#[tokio::test]
async fn services_whose_endpoints_cannot_be_seen_are_not_healthy() {
    let server = ApiServer::new();
    let client = client(&server);
    services(&client, 12).await;
    let found = of_services(&client, Budget { requests: 0, ..Budget::default() }).await;
    let unknown = |found: &Found| {
        let [cause] = found.causes.as_slice() else { panic!("{:#?}", found.causes) };
        let count = cause.affected.iter().filter(|id| id.name != "kubernetes").count();
        (cause.health, cause.text.clone(), count)
    };
    let text = "NotSeen: no request was left to read its EndpointSlices".to_owned();
    assert_eq!(unknown(&found), (Health::Unknown, text, 12));

    server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::List).resource("endpointslices"));
    let found = of_services(&client, Budget::default()).await;
    let text = "NotSeen: not allowed to read its EndpointSlices".to_owned();
    assert_eq!(unknown(&found), (Health::Unknown, text, 12));
    let explanation = explained(&client, "", "Service", "web-0", Budget::default()).await;
    assert_eq!(explanation.health(), Health::Unknown, "explain and wait say the same");
}

#[test]
fn many_requests_about_one_kind_are_few_lists() {
    let get = |kind: &str, namespace: &str, number: usize| {
        Request::Get(Reference::to(&ObjectId::new("", kind, namespace, &number.to_string())))
    };
    let few: Vec<Request> = (0..8).map(|number| get("Pod", "a", number)).collect();
    assert_eq!(together(&few, |_| false), few);
    let many: Vec<Request> = (0..9).map(|number| get("Pod", "a", number)).collect();
    assert_eq!(together(&many, |_| false), [Request::all("", "Pod", "a")]);
    assert_eq!(together(&many, |_| true), many, "the list was not allowed");
    let everywhere: Vec<Request> = (0..9).map(|number| get("Pod", &number.to_string(), 0)).collect();
    assert_eq!(together(&everywhere, |_| false), [Request::all("", "Pod", "")]);
    let secrets: Vec<Request> = (0..9).map(|number| get("Secret", "a", number)).collect();
    assert_eq!(together(&secrets, |_| false), secrets, "nobody reads the contents of all");
}
