//! A hub and its clusters, all in one process and on a paused clock.

mod clusters;
mod faults;
mod hostile;
mod leaders;
mod placement;
mod writing;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_apiserver::{ApiServer, catalog};
use allready_controller::engine::{Leader, Running};
use allready_controller::hub::{
    ClusterName, HubController, Options,
    inventory::{Access, Cluster, ClusterInventory, Inventory},
};
use allready_kube::{
    backoff::Backoff,
    clock::Clock,
    kinds::{StatusAggregation, definitions},
};
use futures::{StreamExt, stream::BoxStream};
use http::{HeaderValue, Request};
use jiff::Timestamp;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    client::Body,
};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle, time::Instant};
use tower::{BoxError, ServiceExt, service_fn};

/// The user agent of the hub, to tell its calls from those of the test.
const AGENT: &str = "hub";

/// Clusters that join and leave as a test says.
struct Told(watch::Receiver<Inventory>);

impl ClusterInventory for Told {
    fn name(&self) -> String {
        "the test".to_owned()
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        let mut told = self.0.clone();
        told.mark_changed();
        futures::stream::unfold(told, |mut told| async move {
            told.changed().await.ok()?;
            let inventory = told.borrow_and_update().clone();
            Some((Ok(inventory), told))
        })
        .boxed()
    }
}

struct Stage {
    start: Instant,
    hub: ApiServer,
    spokes: BTreeMap<&'static str, ApiServer>,
    /// The clusters that nothing reaches.
    cut_off: Arc<Mutex<BTreeSet<String>>>,
    inventory: watch::Sender<Inventory>,
    options: Options,
    running: Option<JoinHandle<()>>,
}

const CLUSTERS: [&str; 3] = ["cluster-1", "cluster-2", "cluster-3"];

impl Stage {
    /// A hub with a Gateway, and three clusters with an instance of it in which all is well.
    async fn new(seed: u64) -> Self {
        let mut stage = Self::without_controller(seed).await;
        stage.run();
        stage
    }

    async fn without_controller(seed: u64) -> Self {
        let start = Instant::now();
        let server = |crds: Vec<Value>| {
            ApiServer::builder().crds(crds).seed(seed).clock(move || day(start)).build().unwrap()
        };
        let ours = definitions();
        let ours = ours.into_iter().map(|definition| serde_json::to_value(definition).unwrap());
        let hub = server(ours.chain([catalog::gateway(), catalog::dns_endpoint()]).collect());
        let spokes = CLUSTERS.map(|name| (name, server(vec![catalog::gateway()])));
        let inventory = watch::Sender::new(Inventory::default());
        let options = Options {
            patience: Duration::from_secs(3),
            namespace: "default".to_owned(),
            backoff: Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) },
            ..Options::default()
        };
        let (spokes, cut_off) = (spokes.into(), Arc::default());
        let stage = Self { start, hub, spokes, cut_off, inventory, options, running: None };
        stage.make_gateway(&stage.hub).await;
        for (index, name) in CLUSTERS.into_iter().enumerate() {
            stage.make_gateway(&stage.spokes[name]).await;
            stage.say(name, index, "True", "").await;
            stage.join(name);
        }
        stage.aggregate(json!({})).await;
        stage
    }

    fn controller(&self, client: Client, leader: Leader) -> HubController {
        let start = self.start;
        HubController {
            options: self.options.clone(),
            running: Running { clock: Clock::new(move || day(start)), leader, ..Running::default() },
            ..HubController::new(client, Box::new(Told(self.inventory.subscribe())))
        }
    }

    fn run(&mut self) {
        let controller = self.controller(as_hub(&self.hub), Leader::always());
        if let Some(before) = self.running.replace(tokio::spawn(controller.run())) {
            before.abort();
        }
    }

    /// The controller ends.
    async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            drop(running.await);
        }
    }

    /// A cluster joins, or is connected to anew.
    fn join(&self, name: &str) {
        let (service, cut_off, of) =
            (self.spokes[name].service(), Arc::clone(&self.cut_off), name.to_owned());
        let cable = service_fn(move |request: Request<Body>| {
            let is_cut = cut_off.lock().unwrap().contains(&of);
            let answer = service.clone().oneshot(named(request));
            async move {
                if is_cut {
                    Err(BoxError::from("connection refused"))
                } else {
                    answer.await.map_err(Into::into)
                }
            }
        });
        self.enlist(name, Access::Client(Arc::new(Client::new(cable, "default"))));
    }

    /// Nothing reaches a cluster any more, not even a question for its version.
    fn cut_off(&self, name: &str) {
        self.cut_off.lock().unwrap().insert(name.to_owned());
        self.spokes[name].close_watches();
    }

    fn reconnect(&self, name: &str) {
        self.cut_off.lock().unwrap().remove(name);
    }

    fn enlist(&self, name: &str, access: Access) {
        let cluster = Cluster { labels: BTreeMap::new(), source: "the test".into(), access };
        let name: ClusterName = name.parse().unwrap();
        self.inventory.send_modify(|inventory| drop(inventory.clusters.insert(name, cluster)));
    }

    fn leave(&self, name: &str) {
        self.inventory.send_modify(|inventory| drop(inventory.clusters.remove(name)));
    }

    async fn make_gateway(&self, server: &ApiServer) {
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "name": "web" },
            "spec": { "gatewayClassName": "multi", "listeners": [
                { "name": "web", "port": 80, "protocol": "HTTP", "hostname": "www.example.com" },
            ] },
        });
        let apply = PatchParams::apply("test").force();
        gateways(server).patch("web", &apply, &Patch::Apply(&gateway)).await.unwrap();
    }

    async fn aggregate(&self, more: Value) {
        let mut spec = json!({
            "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
            "conditions": [{ "type": "Programmed" }],
            "rows": ["Addresses", "Listeners"],
            "dns": { "graceSeconds": 2 },
            "clusterTimeoutSeconds": 5,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            spec[name] = value.clone();
        }
        if let Some(fields) = spec.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        let body = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusAggregation",
            "metadata": { "name": "gateways" }, "spec": spec });
        let api: Api<StatusAggregation> = Api::all(Client::new(self.hub.service(), "default"));
        let apply = PatchParams::apply("test").force();
        api.patch("gateways", &apply, &Patch::Apply(&body)).await.unwrap();
    }

    /// What the implementation in a cluster says of its Gateway.
    async fn say(&self, cluster: &str, number: usize, status: &str, message: &str) {
        let body = json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "name": "web" },
            "status": {
                "conditions": [{ "type": "Programmed", "status": status, "reason": "Said", "message": message,
                    "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 1 }],
                "addresses": [{ "type": "IPAddress", "value": format!("10.0.0.{number}") }],
                "listeners": [{ "name": "web", "attachedRoutes": 1, "conditions": [], "supportedKinds": [] }],
            },
        });
        let apply = PatchParams::apply("implementation").force();
        gateways(&self.spokes[cluster]).patch_status("web", &apply, &Patch::Apply(&body)).await.unwrap();
    }

    async fn object(&self) -> Value {
        serde_json::to_value(gateways(&self.hub).get("web").await.unwrap()).unwrap()
    }

    /// The status and the message of the condition on the hub.
    async fn programmed(&self) -> (String, String) {
        let object = self.object().await;
        let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found = conditions.iter().find(|condition| condition["type"] == "Programmed");
        let text = |field: &str| found.and_then(|found| found[field].as_str()).unwrap_or_default().to_owned();
        (text("status"), text("message"))
    }

    /// Waits until the hub says so, and no longer than this.
    async fn says_within(&self, status: &str, time: Duration) {
        let until = Instant::now() + time;
        loop {
            let said = self.programmed().await;
            if said.0 == status {
                return;
            }
            assert!(Instant::now() < until, "the hub says {said:?} after {time:?}, and not {status}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn gateways(server: &ApiServer) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: "gateway.networking.k8s.io".to_owned(),
        version: "v1".to_owned(),
        api_version: "gateway.networking.k8s.io/v1".to_owned(),
        kind: "Gateway".to_owned(),
        plural: "gateways".to_owned(),
    };
    Api::default_namespaced_with(Client::new(server.service(), "default"), &resource)
}

fn as_hub(server: &ApiServer) -> Client {
    Client::new(server.service().map_request(named), "default")
}

fn named(mut request: Request<Body>) -> Request<Body> {
    request.headers_mut().insert(http::header::USER_AGENT, HeaderValue::from_static(AGENT));
    request
}

fn day(start: Instant) -> Timestamp {
    Timestamp::UNIX_EPOCH + Duration::from_secs(1_000_000) + start.elapsed()
}
