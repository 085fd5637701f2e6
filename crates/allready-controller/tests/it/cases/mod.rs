//! What many writers of one status must come to, one case a test: `r…` are the rules of a status with one writer per component,
//! `mw…` what other systems with many writers do, or get wrong.

mod layouts;
mod reporters;
mod rules;
mod sweeping;
mod verdicts;

use std::{collections::BTreeMap, time::Duration};

use allready_apiserver::ApiServer;
use allready_controller::{
    config::{ConfigController, Options, StatusKey},
    engine,
};
use allready_core::Time;
use allready_kube::{
    clock::Clock,
    kinds::{Component, ConfigurationStatusSpec, Instances, StatusReport},
    report::{Identity, Layout, Outcome, Reporter, Running},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::Instant};

use crate::config::definitions;

const NAME: &str = "config-status";
const NAMESPACE: &str = "default";

/// A server, an aggregator and reporters, on a clock that stands still while nobody waits.
struct World {
    server: ApiServer,
    client: Client,
    start: Instant,
    spec: ConfigurationStatusSpec,
    layout: Layout,
    aggregator: Option<JoinHandle<()>>,
    reporters: BTreeMap<String, (Reporter, Running)>,
}

impl World {
    /// Components that report in objects of their own.
    fn sharded(spec: ConfigurationStatusSpec) -> Self {
        Self::new(spec, Layout::sharded(NAMESPACE, NAME))
    }

    /// Components that report into the one object.
    fn singleton(spec: ConfigurationStatusSpec) -> Self {
        Self::new(spec, Layout::singleton(subject().resource(), NAMESPACE, NAME))
    }

    fn new(spec: ConfigurationStatusSpec, layout: Layout) -> Self {
        let start = Instant::now();
        let server = ApiServer::builder().crds(definitions()).clock(move || day(start)).build().unwrap();
        let client = Client::new(server.service(), NAMESPACE);
        Self { server, client, start, spec, layout, aggregator: None, reporters: BTreeMap::new() }
    }

    /// Starts the aggregator, in place of one that runs.
    fn answer(&mut self) {
        let start = self.start;
        let options = Options { sweep_after: Duration::from_secs(2), ..Options::default() };
        let running = engine::Running { clock: Clock::new(move || day(start)), ..Default::default() };
        let ensure = vec![(subject(), self.spec.clone())];
        let controller =
            ConfigController { ensure, options, running, ..ConfigController::new(self.client.clone()) };
        self.stop_answering();
        self.aggregator = Some(tokio::spawn(controller.run()));
    }

    fn stop_answering(&mut self) {
        if let Some(before) = self.aggregator.take() {
            before.abort();
        }
    }

    fn reporter(&mut self, who: Identity) -> Reporter {
        let (client, layout, start) = (self.client.clone(), self.layout.clone(), self.start);
        let (reporter, _) = self.reporters.entry(who.to_string()).or_insert_with(|| {
            let builder =
                Reporter::builder(client, who, layout.clone()).clock(Clock::new(move || day(start)));
            // Only an object of one's own is worth watching.
            if matches!(layout, Layout::Sharded { .. }) { builder.watch() } else { builder }.spawn()
        });
        reporter.clone()
    }

    fn says(&mut self, who: Identity, reconciler: &str, outcome: Outcome) {
        self.reporter(who).report(reconciler, outcome);
    }

    /// The controller and these speakers say that all is well.
    fn all_well(&mut self, nodes: &[&str]) {
        self.says(controller(), "poolReconciler", Outcome::success());
        for node in nodes {
            self.says(speaker(node), "configReconciler", Outcome::success());
        }
    }

    async fn silence(&mut self, who: &Identity) {
        if let Some((_, running)) = self.reporters.remove(&who.to_string()) {
            running.stop(Duration::from_secs(5)).await;
        }
    }

    fn objects(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), NAMESPACE, &subject().resource())
    }

    fn reports(&self) -> Api<StatusReport> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    /// The name of the object that a speaker reports in.
    fn report_of(&self, node: &str) -> String {
        self.layout.object_name(&speaker(node))
    }

    async fn object(&self) -> Value {
        let object = self.objects().get_opt(NAME).await.unwrap();
        object.map(|object| serde_json::to_value(object).unwrap()).unwrap_or_default()
    }

    /// Waits until Ready is so, and gives the object.
    async fn until(&self, status: &str, message: &str) -> Value {
        let deadline = Instant::now() + Duration::from_mins(2);
        loop {
            let object = self.object().await;
            let ready = condition(&object, "Ready");
            if ready["status"] == status
                && ready["message"].as_str().is_some_and(|said| said.contains(message))
            {
                return object;
            }
            assert!(Instant::now() < deadline, "wanted {status} {message:?}, found {:#}", object["status"]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The object once nothing has moved for some seconds.
    async fn settled(&self) -> Value {
        tokio::time::sleep(Duration::from_secs(5)).await;
        self.object().await
    }

    async fn apply_as(&self, manager: &str, conditions: &Value) {
        let body = json!({ "apiVersion": subject().api_version, "kind": "ConfigurationStatus",
            "status": { "conditions": conditions } });
        let params = PatchParams::apply(manager).force();
        self.objects().patch_status(NAME, &params, &Patch::Apply(body)).await.unwrap();
    }

    async fn make_node(&self, name: &str, labels: Value) {
        let ready = json!([{ "type": "Ready", "status": "True" }]);
        let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels },
            "status": { "conditions": ready } });
        let nodes: Api<Node> = Api::all(self.client.clone());
        nodes.create(&PostParams::default(), &serde_json::from_value(node).unwrap()).await.unwrap();
    }

    async fn remove_node(&self, name: &str) {
        Api::<Node>::all(self.client.clone()).delete(name, &DeleteParams::default()).await.unwrap();
    }
}

fn day(start: Instant) -> Timestamp {
    Timestamp::UNIX_EPOCH + Duration::from_secs(1_000_000) + start.elapsed()
}

fn subject() -> StatusKey {
    StatusKey {
        api_version: "allready.dev/v1alpha1".to_owned(),
        namespace: NAMESPACE.to_owned(),
        name: NAME.to_owned(),
    }
}

fn controller() -> Identity {
    Identity::of("controller")
}

fn speaker(node: &str) -> Identity {
    Identity::of("speaker").on(node)
}

fn expecting(instances: Instances) -> ConfigurationStatusSpec {
    let component = |name: &str, reconciler: &str, instances| Component {
        name: name.to_owned(),
        reconcilers: vec![reconciler.to_owned()],
        instances,
        ..Component::default()
    };
    let components = vec![
        component("controller", "poolReconciler", None),
        component("speaker", "configReconciler", Some(instances)),
    ];
    ConfigurationStatusSpec { components, ..Default::default() }
}

fn on(nodes: &[&str]) -> ConfigurationStatusSpec {
    expecting(Instances::names(nodes.iter().copied()))
}

fn on_nodes() -> ConfigurationStatusSpec {
    let selector = json!({ "matchLabels": { "speaker": "yes" } });
    expecting(Instances::nodes(serde_json::from_value(selector).unwrap()))
}

/// The condition of this type; null where there is none.
fn condition(object: &Value, type_: &str) -> Value {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().find(|condition| condition["type"] == type_).cloned().unwrap_or_default()
}

fn managers(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.filter_map(|entry| entry["manager"].as_str().map(str::to_owned)).collect()
}

fn time_of(condition: &Value) -> Time {
    condition["lastTransitionTime"].as_str().unwrap().parse().unwrap()
}
