//! A hub with two spokes and their Gateways, as a platform team runs it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready::kinds::{StatusAggregation, definitions};
use allready_apiserver::catalog;
use allready_controller::hub::{Hubbing, board::Options, inventory::SecretInventory};
use allready_e2e::{Server, Wire, eventually};
use futures::StreamExt as _;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::{Value, json};
use tokio::{sync::MutexGuard, task::JoinHandle};

allready_e2e::scenarios![
    the_hub_says_what_every_cluster_says,
    a_spoke_that_is_cut_off_is_unknown_and_keeps_its_last_values_until_it_returns,
    a_hub_that_restarts_while_a_spoke_is_cut_off_loses_nothing,
    a_spoke_that_is_removed_leaves_at_once,
    dns_follows_a_placement_that_moves_without_a_gap,
    an_object_that_is_not_chosen_any_more_is_given_back,
    what_an_aggregation_left_that_went_while_no_controller_ran_is_taken_away_by_the_next,
    rows_that_do_not_fit_are_told_and_stand_in_reports,
];
allready_e2e::kubectl_scenarios![the_platform_team_sees_it_with_kubectl];

struct Spoke {
    server: Server,
    wire: Wire,
}

struct Stage {
    hub: Server,
    namespace: String,
    aggregation: String,
    spokes: BTreeMap<&'static str, Spoke>,
    running: Option<JoinHandle<()>>,
    _turn: Option<MutexGuard<'static, ()>>,
}

fn gateways() -> ApiResource {
    resource("gateway.networking.k8s.io", "v1", "Gateway", "gateways")
}

fn resource(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: format!("{group}/{version}"),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

/// A Gateway as an implementation in a cluster leaves it.
struct Said<'a> {
    programmed: (&'a str, &'a str),
    addresses: &'a [&'a str],
    /// Attached routes of `api` and `web`.
    routes: (i64, i64),
}

const WELL: Said<'static> = Said { programmed: ("True", ""), addresses: &[], routes: (1, 1) };

impl Stage {
    async fn set(hub: Server) -> Self {
        let turn = hub.alone().await;
        let ours = definitions().into_iter().filter(|definition| definition.spec.group == "allready.dev");
        for definition in ours {
            hub.define(definition).await;
        }
        for definition in [catalog::gateway(), catalog::dns_endpoint()] {
            hub.define(serde_json::from_value(definition).unwrap()).await;
        }
        let namespace = hub.namespace("shop").await;
        let aggregation = hub.unique("gateways");
        let mut stage =
            Self { hub, namespace, aggregation, spokes: BTreeMap::new(), running: None, _turn: turn };
        for name in ["cluster-1", "cluster-2"] {
            stage.join(name).await;
        }
        stage.make_gateway(&stage.hub.client(), json!({ "aggregated": "yes" }), json!({})).await;
        stage
    }

    /// A new cluster with the Gateway in it joins.
    async fn join(&mut self, name: &'static str) {
        let server = Server::embedded().await;
        server.define(serde_json::from_value(catalog::gateway()).unwrap()).await;
        let namespace = json!({ "metadata": { "name": self.namespace } });
        let namespaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(server.client());
        namespaces.create(&PostParams::default(), &serde_json::from_value(namespace).unwrap()).await.unwrap();
        let address = server.address().unwrap();
        let wire = Wire::to(address).await;
        let kubeconfig = server.kubeconfig().replace(&address.to_string(), &wire.address().to_string());
        let mut secret = Secret::default();
        secret.metadata.name = Some(name.to_owned());
        secret.metadata.labels = Some(BTreeMap::from([("allready.dev/cluster".to_owned(), name.to_owned())]));
        secret.data = Some(BTreeMap::from([("kubeconfig".to_owned(), ByteString(kubeconfig.into_bytes()))]));
        self.make_gateway(&server.client(), json!({}), json!({})).await;
        self.secrets().create(&PostParams::default(), &secret).await.unwrap();
        self.spokes.insert(name, Spoke { server, wire });
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.hub.client(), &self.namespace)
    }

    async fn make_gateway(&self, client: &Client, labels: Value, annotations: Value) {
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "Gateway",
            "metadata": { "name": "web", "labels": labels, "annotations": annotations },
            "spec": {
                "gatewayClassName": "multi",
                "listeners": [
                    { "name": "api", "port": 80, "protocol": "HTTP", "hostname": "api.example.com" },
                    { "name": "web", "port": 80, "protocol": "HTTP", "hostname": "www.example.com" },
                ],
            },
        });
        let apply = PatchParams::apply("e2e").force();
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &self.namespace, &gateways());
        api.patch("web", &apply, &Patch::Apply(&gateway)).await.unwrap();
    }

    /// What the implementation in a cluster says of its Gateway.
    async fn says(&self, cluster: &str, said: Said<'_>) {
        let addresses: Vec<_> =
            said.addresses.iter().map(|value| json!({ "type": "IPAddress", "value": value })).collect();
        let condition = json!({
            "type": "Programmed", "status": said.programmed.0, "reason": "Because",
            "message": said.programmed.1, "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 1,
        });
        let listener = |name: &str, routes: i64| json!({ "name": name, "attachedRoutes": routes, "conditions": [], "supportedKinds": [] });
        let status = json!({
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "Gateway",
            "metadata": { "name": "web" },
            "status": {
                "conditions": [condition],
                "addresses": addresses,
                "listeners": [listener("api", said.routes.0), listener("web", said.routes.1)],
            },
        });
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.spokes[cluster].server.client(), &self.namespace, &gateways());
        let apply = PatchParams::apply("implementation").force();
        api.patch_status("web", &apply, &Patch::Apply(&status)).await.unwrap();
    }

    async fn aggregate(&self, more: Value) {
        let mut spec = json!({
            "target": {
                "apiVersion": "gateway.networking.k8s.io/v1",
                "kind": "Gateway",
                "namespaces": [self.namespace],
                "selector": { "matchLabels": { "aggregated": "yes" } },
            },
            "conditions": [{ "type": "Programmed" }],
            "addresses": true,
            "listeners": true,
            "dns": { "graceSeconds": 2 },
            "unreachableAfterSeconds": 2,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            spec[name] = value.clone();
        }
        let body = json!({
            "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation",
            "metadata": { "name": self.aggregation }, "spec": spec,
        });
        let api: Api<StatusAggregation> = Api::all(self.hub.client());
        let apply = PatchParams::apply("e2e").force();
        api.patch(&self.aggregation, &apply, &Patch::Apply(&body)).await.unwrap();
    }

    fn run(&mut self) {
        let client = self.hub.client();
        let inventory = SecretInventory::new(client.clone()).namespace(&self.namespace);
        let options = Options {
            patience: Duration::from_secs(3),
            namespace: self.namespace.clone(),
            ..Options::default()
        };
        let hubbing = Hubbing { options, ..Hubbing::new(client, Box::new(inventory)) };
        self.running = Some(tokio::spawn(hubbing.run()));
    }

    async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            drop(running.await);
        }
    }

    async fn gateway(&self) -> Value {
        let api: Api<DynamicObject> = Api::namespaced_with(self.hub.client(), &self.namespace, &gateways());
        serde_json::to_value(api.get("web").await.unwrap()).unwrap()
    }

    /// The hub's Gateway once a condition of it is as wanted.
    async fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, wanted, || self.gateway()).await
    }

    async fn endpoints(&self) -> BTreeMap<String, Vec<String>> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.hub.client(), &self.namespace, &dns_endpoints());
        let all = api.list(&kube::api::ListParams::default()).await.unwrap();
        all.items.iter().flat_map(targets).collect()
    }

    async fn until_dns(&self, name: &str, targets: &[&str]) {
        let wanted =
            |seen: &BTreeMap<String, Vec<String>>| seen.get(name).map_or(&[][..], Vec::as_slice) == targets;
        eventually(&format!("{name} to be {targets:?}"), wanted, || self.endpoints()).await;
    }
}

/// Every version of the targets of a name, one after the other.
struct Seen {
    versions: Arc<Mutex<Vec<Vec<String>>>>,
    task: JoinHandle<()>,
}

impl Seen {
    fn watch(stage: &Stage, name: &'static str) -> Self {
        let versions: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
        let api: Api<DynamicObject> =
            Api::namespaced_with(stage.hub.client(), &stage.namespace, &dns_endpoints());
        let seen = Arc::clone(&versions);
        let task = tokio::spawn(async move {
            let events = watcher(api, watcher::Config::default()).default_backoff().applied_objects();
            let mut events = std::pin::pin!(events);
            while let Some(event) = events.next().await {
                let Ok(object) = event else { continue };
                let targets = targets(&object).remove(name).unwrap_or_default();
                let mut seen = seen.lock().unwrap();
                if seen.last() != Some(&targets) {
                    seen.push(targets);
                }
            }
        });
        Self { versions, task }
    }

    async fn versions(self) -> Vec<Vec<String>> {
        // The last version is seen by others first, perhaps.
        tokio::time::sleep(Duration::from_millis(500)).await;
        self.task.abort();
        let versions = self.versions.lock().unwrap();
        versions.clone()
    }
}

/// Targets by name.
fn targets(endpoint: &DynamicObject) -> BTreeMap<String, Vec<String>> {
    let all = endpoint.data["spec"]["endpoints"].as_array().into_iter().flatten();
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    all.map(|record| (record["dnsName"].as_str().unwrap_or_default().to_owned(), texts(&record["targets"])))
        .collect()
}

fn dns_endpoints() -> ApiResource {
    resource("externaldns.k8s.io", "v1alpha1", "DNSEndpoint", "dnsendpoints")
}

fn condition<'a>(object: &'a Value, type_: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    all.and_then(|all| all.iter().find(|condition| condition["type"] == type_)).unwrap_or(&Value::Null)
}

fn is(type_: &'static str, status: &'static str) -> impl Fn(&Value) -> bool {
    move |object| condition(object, type_)["status"] == status
}

fn values(object: &Value, list: &str, field: &str) -> Vec<String> {
    let all = object["status"][list].as_array().into_iter().flatten();
    all.map(|item| item[field].as_str().unwrap_or_default().to_owned()).collect()
}

async fn both_are_well(stage: &Stage) {
    stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0"], ..WELL }).await;
}

/// A hub that says that all is well in both clusters.
async fn all_is_well(server: Server, more: Value) -> Stage {
    let mut stage = Stage::set(server).await;
    both_are_well(&stage).await;
    stage.aggregate(more).await;
    stage.run();
    stage.until("Programmed to be True", is("Programmed", "True")).await;
    stage
}

async fn the_hub_says_what_every_cluster_says(server: Server) {
    let mut stage = Stage::set(server).await;
    let expired = Said {
        programmed: ("False", "Listener certificate is expired"),
        addresses: &["172.31.200.0", "172.31.201.0"],
        routes: (0, 1),
    };
    stage.says("cluster-1", expired).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0", "172.31.203.0"], ..WELL }).await;
    stage.aggregate(json!({})).await;
    stage.run();

    // Bad news does not wait for the other one to be heard.
    let said = "cluster-1 Listener certificate is expired";
    let gateway = stage
        .until("what both of them say", |gateway| condition(gateway, "Programmed")["message"] == said)
        .await;
    let programmed = condition(&gateway, "Programmed");
    assert_eq!(
        (&programmed["status"], &programmed["reason"]),
        (&json!("False"), &json!("InstancesNotReady"))
    );
    assert_eq!(programmed["observedGeneration"], gateway["metadata"]["generation"]);
    assert_eq!(condition(&gateway, "Accepted")["reason"], "Pending", "what is not ours stays");
    assert_eq!(
        values(&gateway, "addresses", "value"),
        [
            "cluster-1/172.31.200.0",
            "cluster-1/172.31.201.0",
            "cluster-2/172.31.202.0",
            "cluster-2/172.31.203.0",
        ]
    );
    assert_eq!(
        values(&gateway, "listeners", "name"),
        ["cluster-1.api", "cluster-1.web", "cluster-2.api", "cluster-2.web"]
    );
    stage.until_dns("api.example.com", &["172.31.202.0", "172.31.203.0"]).await;
    stage
        .until_dns("www.example.com", &["172.31.200.0", "172.31.201.0", "172.31.202.0", "172.31.203.0"])
        .await;

    both_are_well(&stage).await;
    let gateway = stage.until("Programmed to be True", is("Programmed", "True")).await;
    assert_eq!(condition(&gateway, "Programmed")["reason"], "AllInstancesReady");
    stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
}

async fn a_spoke_that_is_cut_off_is_unknown_and_keeps_its_last_values_until_it_returns(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;

    for cut in [Wire::silence, Wire::cut] {
        cut(&stage.spokes["cluster-2"].wire);
        let gateway = stage.until("Programmed to be Unknown", is("Programmed", "Unknown")).await;
        let programmed = condition(&gateway, "Programmed");
        assert_eq!(programmed["reason"], "ClusterUnreachable", "{programmed:#}");
        let message = programmed["message"].as_str().unwrap();
        assert!(message.starts_with("cluster-2 (unknown) ClusterUnreachable: no word since 20"), "{message}");
        assert_eq!(
            values(&gateway, "addresses", "value"),
            ["cluster-1/172.31.200.0", "cluster-2/172.31.202.0"]
        );
        // What the others say goes on being told.
        let expired = Said { programmed: ("False", "expired"), addresses: &["172.31.200.0"], ..WELL };
        stage.says("cluster-1", expired).await;
        let gateway = stage.until("Programmed to be False", is("Programmed", "False")).await;
        let message = condition(&gateway, "Programmed")["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("cluster-1 expired; cluster-2 (unknown) "), "{message}");
        stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;
        stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
        stage.until("Programmed to be Unknown again", is("Programmed", "Unknown")).await;

        stage.spokes["cluster-2"].wire.mend();
        stage.until("Programmed to be True again", is("Programmed", "True")).await;
    }
    stage.stop().await;
}

async fn a_hub_that_restarts_while_a_spoke_is_cut_off_loses_nothing(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("www.example.com", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
    stage.spokes["cluster-2"].wire.silence();
    stage.run();
    let gateway = stage.until("Programmed to be Unknown", is("Programmed", "Unknown")).await;
    assert_eq!(values(&gateway, "addresses", "value"), ["cluster-1/172.31.200.0", "cluster-2/172.31.202.0"]);
    assert_eq!(values(&gateway, "listeners", "name").len(), 4);
    stage.says("cluster-1", Said { addresses: &["172.31.201.0"], ..WELL }).await;
    stage.until_dns("www.example.com", &["172.31.201.0", "172.31.202.0"]).await;
    stage.spokes["cluster-2"].wire.mend();
    stage.until("Programmed to be True again", is("Programmed", "True")).await;
    stage.stop().await;
}

async fn a_spoke_that_is_removed_leaves_at_once(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({ "dns": { "graceSeconds": 3600 } }))).await;
    stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;
    stage.secrets().delete("cluster-2", &DeleteParams::default()).await.unwrap();
    let gateway =
        stage.until("its rows to leave", |gateway| values(gateway, "addresses", "value").len() == 1).await;
    assert_eq!(values(&gateway, "listeners", "name"), ["cluster-1.api", "cluster-1.web"]);
    assert_eq!(condition(&gateway, "Programmed")["status"], "True");
    stage.until_dns("api.example.com", &["172.31.200.0"]).await;
    stage.stop().await;
}

async fn dns_follows_a_placement_that_moves_without_a_gap(server: Server) {
    let mut stage = Stage::set(server).await;
    let labels = json!({ "aggregated": "yes" });
    let hub = stage.hub.client();
    stage.make_gateway(&hub, labels.clone(), json!({ "allready.dev/clusters": "cluster-1" })).await;
    stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
    stage.says("cluster-2", Said { routes: (0, 0), ..WELL }).await;
    stage.aggregate(json!({ "clusters": { "placement": "Annotated" } })).await;
    stage.run();
    stage.until("Programmed to be True", is("Programmed", "True")).await;
    stage.until_dns("api.example.com", &["172.31.200.0"]).await;
    let seen = Seen::watch(&stage, "api.example.com");

    stage.make_gateway(&hub, labels, json!({ "allready.dev/clusters": "cluster-2" })).await;
    stage
        .until("the rows to move", |gateway| {
            values(gateway, "listeners", "name") == ["cluster-2.api", "cluster-2.web"]
        })
        .await;
    stage.until_dns("api.example.com", &["172.31.200.0"]).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0"], ..WELL }).await;
    stage.until_dns("api.example.com", &["172.31.202.0"]).await;
    // From the first to both, and then to the second alone: at no time to none.
    assert_eq!(
        seen.versions().await,
        [vec!["172.31.200.0"], vec!["172.31.200.0", "172.31.202.0"], vec!["172.31.202.0"]]
    );
    stage.stop().await;
}

async fn an_object_that_is_not_chosen_any_more_is_given_back(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;
    let client = stage.hub.client();
    stage.make_gateway(&client, json!({ "aggregated": "no" }), json!({})).await;
    let gateway =
        stage.until("what was ours to go", |gateway| gateway["status"]["addresses"].is_null()).await;
    assert!(gateway["status"]["listeners"].is_null(), "{gateway:#}");
    assert!(condition(&gateway, "allready.dev/Aggregated").is_null(), "{gateway:#}");
    stage.until_dns("api.example.com", &[]).await;

    stage.make_gateway(&client, json!({ "aggregated": "yes" }), json!({})).await;
    stage.until("Programmed to be True again", is("Programmed", "True")).await;
    let aggregations: Api<StatusAggregation> = Api::all(client);
    aggregations.delete(&stage.aggregation, &DeleteParams::default()).await.unwrap();
    stage.until("what was ours to go again", |gateway| gateway["status"]["addresses"].is_null()).await;
    stage.stop().await;
}

async fn what_an_aggregation_left_that_went_while_no_controller_ran_is_taken_away_by_the_next(
    server: Server,
) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api.example.com", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
    let aggregations: Api<StatusAggregation> = Api::all(stage.hub.client());
    aggregations.delete(&stage.aggregation, &DeleteParams::default()).await.unwrap();
    let gateway = stage.gateway().await;
    assert_eq!(condition(&gateway, "Programmed")["status"], "True", "green, and nobody behind it");

    stage.run();
    let gateway =
        stage.until("what was ours to go", |gateway| gateway["status"]["addresses"].is_null()).await;
    assert!(gateway["status"]["listeners"].is_null(), "{gateway:#}");
    assert!(condition(&gateway, "allready.dev/Aggregated").is_null(), "{gateway:#}");
    assert_ne!(condition(&gateway, "Programmed")["status"], "True", "{gateway:#}");
    assert_eq!(condition(&gateway, "Accepted")["reason"], "Pending", "what is not ours stays");
    stage.until_dns("api.example.com", &[]).await;
    stage.stop().await;
}

async fn rows_that_do_not_fit_are_told_and_stand_in_reports(server: Server) {
    let mut stage = Stage::set(server).await;
    let many: Vec<String> = (0..10).map(|n| format!("172.31.200.{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for cluster in ["cluster-1", "cluster-2"] {
        stage.says(cluster, Said { addresses: &many, ..WELL }).await;
    }
    stage.aggregate(json!({})).await;
    stage.run();
    let aggregated = "allready.dev/Aggregated";
    let gateway = stage.until("that rows are left out", is("allready.dev/Aggregated", "False")).await;
    assert_eq!(condition(&gateway, aggregated)["reason"], "RowsLeftOut");
    assert_eq!(values(&gateway, "addresses", "value").len(), 16);
    assert_eq!(condition(&gateway, "Programmed")["status"], "True");
    let resource = resource("allready.dev", "v1alpha1", "StatusReport", "statusreports");
    let reports: Api<DynamicObject> = Api::namespaced_with(stage.hub.client(), &stage.namespace, &resource);
    let look = || async {
        let all = reports.list(&kube::api::ListParams::default()).await.unwrap().items;
        let full = all.iter().filter(|report| {
            report.data["status"]["addresses"].as_array().is_some_and(|all| all.len() == 10)
        });
        full.count()
    };
    eventually("a full report for each cluster", |full| *full == 2, look).await;

    both_are_well(&stage).await;
    stage.until("that nothing is left out", is("allready.dev/Aggregated", "True")).await;
    eventually("the reports to go", |full| *full == 0, look).await;
    stage.stop().await;
}

async fn the_platform_team_sees_it_with_kubectl(server: Server) {
    let mut stage = Stage::set(server).await;
    both_are_well(&stage).await;
    stage.aggregate(json!({})).await;
    stage.run();
    let namespace = stage.namespace.clone();
    let wait = ["wait", "gateway/web", "-n", &namespace, "--for=condition=Programmed", "--timeout=30s"];
    assert!(stage.hub.kubectl(&wait).await.ok().contains("condition met"));
    let expired = Said {
        programmed: ("False", "Listener certificate is expired"),
        addresses: &["172.31.200.0"],
        ..WELL
    };
    stage.says("cluster-1", expired).await;
    let wait = ["wait", "gateway/web", "-n", &namespace, "--for=condition=Programmed=False", "--timeout=30s"];
    stage.hub.kubectl(&wait).await.ok();
    let message = r#"jsonpath={.status.conditions[?(@.type=="Programmed")].message}"#;
    let seen = stage.hub.kubectl(&["get", "gateway", "web", "-n", &namespace, "-o", message]).await.ok();
    assert_eq!(seen, "cluster-1 Listener certificate is expired");
    let wait = ["wait", "statusagg", &stage.aggregation, "--for=condition=Ready", "--timeout=30s"];
    stage.hub.kubectl(&wait).await.ok();
    let table = stage.hub.kubectl(&["get", "statusagg", &stage.aggregation]).await.ok();
    let row: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[1..6], ["True", "AllClustersHeard", "Gateway", "1", "2/2"], "{table}");
    stage.stop().await;
}
