//! A hub, its clusters, and what is said in them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_apiserver::catalog;
use allready_controller::hub::{HubController, Options, inventory::SecretInventory};
use allready_e2e::{Server, Wire, eventually};
use allready_kube::kinds::{StatusAggregation, definitions};
use futures::StreamExt as _;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::{Value, json};
use tokio::{sync::MutexGuard, task::JoinHandle};

pub(super) struct Spoke {
    pub(super) server: Server,
    pub(super) wire: Wire,
}

pub(super) struct Stage {
    pub(super) hub: Server,
    pub(super) namespace: String,
    pub(super) aggregation: String,
    pub(super) spokes: BTreeMap<&'static str, Spoke>,
    pub(super) running: Option<JoinHandle<()>>,
    _turn: Option<MutexGuard<'static, ()>>,
}

pub(super) fn gateways() -> ApiResource {
    resource("gateway.networking.k8s.io", "v1", "Gateway", "gateways")
}

pub(super) fn resource(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: format!("{group}/{version}"),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

/// A Gateway as an implementation in a cluster leaves it.
pub(super) struct Said<'a> {
    pub(super) programmed: (&'a str, &'a str),
    pub(super) addresses: &'a [&'a str],
    /// Attached routes of `api` and `web`.
    pub(super) routes: (i64, i64),
}

pub(super) const WELL: Said<'static> = Said { programmed: ("True", ""), addresses: &[], routes: (1, 1) };

impl Stage {
    pub(super) async fn set(hub: Server) -> Self {
        let turn = hub.alone().await;
        let ours = definitions().into_iter();
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
    pub(super) async fn join(&mut self, name: &'static str) {
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

    pub(super) fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.hub.client(), &self.namespace)
    }

    pub(super) async fn make_gateway(&self, client: &Client, labels: Value, annotations: Value) {
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "Gateway",
            "metadata": { "name": "web", "labels": labels, "annotations": annotations },
            "spec": {
                "gatewayClassName": "multi",
                "listeners": [
                    { "name": "api", "port": 80, "protocol": "HTTP", "hostname": self.hostname("api") },
                    { "name": "web", "port": 80, "protocol": "HTTP", "hostname": self.hostname("www") },
                ],
            },
        });
        let apply = PatchParams::apply("e2e").force();
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &self.namespace, &gateways());
        api.patch("web", &apply, &Patch::Apply(&gateway)).await.unwrap();
    }

    /// What the implementation in a cluster says of its Gateway.
    pub(super) async fn says(&self, cluster: &str, said: Said<'_>) {
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

    pub(super) async fn aggregate(&self, more: Value) {
        let mut spec = json!({
            "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
            "namespaces": [self.namespace],
            "selector": { "matchLabels": { "aggregated": "yes" } },
            "conditions": [{ "type": "Programmed" }],
            "rows": ["Addresses", "Listeners"],
            "dns": { "graceSeconds": 2 },
            "clusterTimeoutSeconds": 2,
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

    /// Says that these clusters have left for good.
    pub(super) async fn remove_clusters(&self, names: &str) {
        let body = json!({ "metadata": { "annotations": { "allready.dev/remove-clusters": names } } });
        let api: Api<StatusAggregation> = Api::all(self.hub.client());
        api.patch(&self.aggregation, &PatchParams::default(), &Patch::Merge(&body)).await.unwrap();
    }

    pub(super) fn run(&mut self) {
        let client = self.hub.client();
        let inventory = SecretInventory::new(client.clone()).namespace(&self.namespace);
        let options = Options {
            patience: Duration::from_secs(3),
            namespace: self.namespace.clone(),
            ..Options::default()
        };
        let controller = HubController { options, ..HubController::new(client, Box::new(inventory)) };
        self.running = Some(tokio::spawn(controller.run()));
    }

    pub(super) async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            drop(running.await);
        }
    }

    pub(super) async fn gateway(&self) -> Value {
        let api: Api<DynamicObject> = Api::namespaced_with(self.hub.client(), &self.namespace, &gateways());
        serde_json::to_value(api.get("web").await.unwrap()).unwrap()
    }

    /// The hub's Gateway once a condition of it is as wanted.
    pub(super) async fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, wanted, || self.gateway()).await
    }

    pub(super) async fn endpoints(&self) -> BTreeMap<String, Vec<String>> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.hub.client(), &self.namespace, &dns_endpoints());
        let all = api.list(&kube::api::ListParams::default()).await.unwrap();
        all.items.iter().flat_map(targets).collect()
    }

    /// A hostname that no other test has: of Gateways in several namespaces the oldest gets the records.
    fn hostname(&self, label: &str) -> String {
        format!("{label}.{}.example.com", self.namespace)
    }

    pub(super) async fn until_dns(&self, label: &str, targets: &[&str]) {
        let name = self.hostname(label);
        let wanted =
            |seen: &BTreeMap<String, Vec<String>>| seen.get(&name).map_or(&[][..], Vec::as_slice) == targets;
        eventually(&format!("{name} to be {targets:?}"), wanted, || self.endpoints()).await;
    }
}

/// Every version of the targets of a name, one after the other.
pub(super) struct Seen {
    pub(super) versions: Arc<Mutex<Vec<Vec<String>>>>,
    pub(super) task: JoinHandle<()>,
}

impl Seen {
    pub(super) fn watch(stage: &Stage, label: &str) -> Self {
        let name = stage.hostname(label);
        let versions: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
        let api: Api<DynamicObject> =
            Api::namespaced_with(stage.hub.client(), &stage.namespace, &dns_endpoints());
        let seen = Arc::clone(&versions);
        let task = tokio::spawn(async move {
            let events = watcher(api, watcher::Config::default()).default_backoff().applied_objects();
            let mut events = std::pin::pin!(events);
            while let Some(event) = events.next().await {
                let Ok(object) = event else { continue };
                let targets = targets(&object).remove(&name).unwrap_or_default();
                let mut seen = seen.lock().unwrap();
                if seen.last() != Some(&targets) {
                    seen.push(targets);
                }
            }
        });
        Self { versions, task }
    }

    pub(super) async fn versions(self) -> Vec<Vec<String>> {
        // The last version is seen by others first, perhaps.
        tokio::time::sleep(Duration::from_millis(500)).await;
        self.task.abort();
        let versions = self.versions.lock().unwrap();
        versions.clone()
    }
}

/// Targets by name.
pub(super) fn targets(endpoint: &DynamicObject) -> BTreeMap<String, Vec<String>> {
    let all = endpoint.data["spec"]["endpoints"].as_array().into_iter().flatten();
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    all.map(|record| (record["dnsName"].as_str().unwrap_or_default().to_owned(), texts(&record["targets"])))
        .collect()
}

pub(super) fn dns_endpoints() -> ApiResource {
    resource("externaldns.k8s.io", "v1alpha1", "DNSEndpoint", "dnsendpoints")
}

pub(super) fn condition<'a>(object: &'a Value, type_: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    all.and_then(|all| all.iter().find(|condition| condition["type"] == type_)).unwrap_or(&Value::Null)
}

pub(super) fn is(type_: &'static str, status: &'static str) -> impl Fn(&Value) -> bool {
    move |object| condition(object, type_)["status"] == status
}

pub(super) fn values(object: &Value, list: &str, field: &str) -> Vec<String> {
    let all = object["status"][list].as_array().into_iter().flatten();
    all.map(|item| item[field].as_str().unwrap_or_default().to_owned()).collect()
}

pub(super) async fn both_are_well(stage: &Stage) {
    stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0"], ..WELL }).await;
}

/// A hub that says that all is well in both clusters.
pub(super) async fn all_is_well(server: Server, more: Value) -> Stage {
    let mut stage = Stage::set(server).await;
    both_are_well(&stage).await;
    stage.aggregate(more).await;
    stage.run();
    stage.until("Programmed to be True", is("Programmed", "True")).await;
    stage
}
