//! Components that report how they are doing, as many writers of one object or each into a report of its own.

use std::{collections::BTreeMap, time::Duration};

use allready_e2e::{Server, eventually, within};
use allready_kube::{
    kinds::StatusReport,
    report::{Ended, Layout},
};
use example_speaker::{CONFIG, Component, ConfigurationStatus, NAME, install, run, sharded, singleton};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::{
    Api,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams},
};
use serde_json::Value;
use tokio::{
    sync::{MutexGuard, oneshot},
    task::JoinHandle,
};

allready_e2e::scenarios![
    every_reconciler_reports_into_the_one_object_that_all_share,
    every_component_reports_into_an_object_of_its_own,
];
allready_e2e::kubectl_scenarios![people_wait_for_a_reconciler_and_see_who_owns_what];

struct Stage {
    server: Server,
    namespace: String,
    node: String,
    layout: Layout,
    running: Vec<(oneshot::Sender<()>, JoinHandle<Ended>)>,
    /// Nodes are everybody's.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Stage {
    async fn set(server: Server, layout: impl Fn(&str) -> Layout) -> Self {
        let turn = server.alone().await;
        let namespace = server.namespace("speaker").await;
        install(&server.client(), &namespace).await.unwrap();
        let node = server.unique("node");
        let metadata = ObjectMeta { name: Some(node.clone()), ..ObjectMeta::default() };
        let nodes: Api<Node> = Api::all(server.client());
        nodes.create(&PostParams::default(), &Node { metadata, ..Node::default() }).await.unwrap();
        let layout = layout(&namespace);
        let mut stage = Self { server, namespace, node, layout, running: Vec::new(), _turn: turn };
        stage.configure("blue 10.0.0.0/24", "tor blue").await;
        stage.start(Component::Controller);
        stage.start(Component::Speaker { node: stage.node.clone() });
        stage
    }

    fn start(&mut self, component: Component) {
        let (stop, stopped) = oneshot::channel::<()>();
        let (client, namespace, layout) = (self.server.client(), self.namespace.clone(), self.layout.clone());
        let task = tokio::spawn(async move {
            run(client, &namespace, component, layout, async { drop(stopped.await) }).await
        });
        self.running.push((stop, task));
    }

    async fn configure(&self, pools: &str, peers: &str) {
        let data = [("pools", pools), ("peers", peers)].map(|(key, text)| (key.to_owned(), text.to_owned()));
        let metadata = ObjectMeta { name: Some(CONFIG.to_owned()), ..ObjectMeta::default() };
        let map = ConfigMap { metadata, data: Some(data.into()), ..ConfigMap::default() };
        let maps: Api<ConfigMap> = Api::namespaced(self.server.client(), &self.namespace);
        maps.patch(CONFIG, &PatchParams::apply("e2e").force(), &Patch::Apply(&map)).await.unwrap();
    }

    /// Status and reason of every reconciler, by `component/reconciler`.
    async fn said(&self) -> BTreeMap<String, String> {
        let mut said = BTreeMap::new();
        if matches!(self.layout, Layout::Singleton { .. }) {
            let objects: Api<ConfigurationStatus> = Api::namespaced(self.server.client(), &self.namespace);
            for condition in objects
                .get(NAME)
                .await
                .unwrap()
                .status
                .unwrap_or_default()
                .conditions
                .into_iter()
                .filter(|condition| condition.type_ != *"Ready")
            {
                let type_ = condition.type_.to_string();
                said.insert(type_, format!("{} {}", condition.status, condition.reason));
            }
            return said;
        }
        let reports: Api<StatusReport> = Api::namespaced(self.server.client(), &self.namespace);
        for report in reports.list(&ListParams::default()).await.unwrap() {
            let who = [Some(report.spec.component), report.spec.instance];
            let who = who.into_iter().flatten().collect::<Vec<_>>().join("-");
            for condition in report
                .status
                .unwrap_or_default()
                .conditions
                .into_iter()
                .filter(|condition| condition.type_ != *"Ready")
            {
                let type_ = format!("{who}/{}", condition.type_);
                said.insert(type_, format!("{} {}", condition.status, condition.reason));
            }
        }
        said
    }

    /// What is said when these reconcilers find the configuration wrong.
    fn expected(&self, wrong: &[&str]) -> BTreeMap<String, String> {
        let speaker = format!("speaker-{}", self.node);
        let all = [
            ("controller", "poolReconciler", "True SyncStateSuccess"),
            ("controller", "serviceReconciler", "True SyncStateReprocessAll"),
            (&speaker, "configReconciler", "True SyncStateSuccess"),
            (&speaker, "nodeReconciler", "True SyncStateSuccess"),
            (&speaker, "serviceReconciler", "True SyncStateSuccess"),
            (&speaker, "frrk8sReconciler", "True SyncStateSuccess"),
        ];
        let told = |(who, reconciler, fine): (&str, &str, &str)| {
            let text = if wrong.contains(&reconciler) { "False ConfigError" } else { fine };
            (format!("{who}/{reconciler}Valid"), text.to_owned())
        };
        all.map(told).into()
    }

    async fn until_said(&self, wrong: &[&str]) {
        let expected = self.expected(wrong);
        eventually("the reports", |seen| *seen == expected, || self.said()).await;
    }

    async fn play(self) {
        self.until_said(&[]).await;
        let green = format!("tor blue\nspine green {}", self.node);
        self.configure("blue 10.0.0.0/24", &green).await;
        self.until_said(&["configReconciler", "frrk8sReconciler"]).await;
        self.configure("blue 10.0.0.0/24\ngreen 10.0.0.0/25", "tor blue").await;
        self.until_said(&["poolReconciler", "configReconciler", "frrk8sReconciler"]).await;
        self.configure("blue 10.0.0.0/24\ngreen 10.0.1.0/24", &green).await;
        self.until_said(&[]).await;
        self.end().await;
    }

    async fn end(self) {
        for (stop, task) in self.running {
            drop(stop);
            let ended = within(Duration::from_secs(20), "a component to stop", task).await.unwrap();
            assert_eq!(ended.unwritten, 0);
        }
        let nodes: Api<Node> = Api::all(self.server.client());
        let _ = nodes.delete(&self.node, &DeleteParams::default()).await;
    }
}

async fn every_reconciler_reports_into_the_one_object_that_all_share(server: Server) {
    Stage::set(server, singleton).await.play().await;
}

async fn every_component_reports_into_an_object_of_its_own(server: Server) {
    Stage::set(server, sharded).await.play().await;
}

async fn people_wait_for_a_reconciler_and_see_who_owns_what(server: Server) {
    let stage = Stage::set(server, singleton).await;
    stage.until_said(&[]).await;
    let condition = format!("--for=condition=speaker-{}/configReconcilerValid", stage.node);
    let object = "configurationstatus.metallb.io/config-status";
    stage.server.kubectl(&["wait", object, &condition, "--timeout=20s", "-n", &stage.namespace]).await.ok();

    let shown = ["get", object, "--show-managed-fields", "-o", "json", "-n", &stage.namespace];
    let shown: Value = serde_json::from_str(&stage.server.kubectl(&shown).await.ok()).unwrap();
    let entries = shown["metadata"]["managedFields"].as_array().unwrap();
    let owned = |type_: &str| {
        let key = format!("k:{}", serde_json::json!({ "type": type_ }));
        let owners = entries.iter().filter(|entry| {
            entry["subresource"] == "status"
                && entry["fieldsV1"]["f:status"]["f:conditions"].get(&key).is_some()
        });
        owners.map(|entry| entry["manager"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for type_ in stage.expected(&[]).keys() {
        let reconciler = type_.strip_suffix("Valid").unwrap();
        assert_eq!(owned(type_), [reconciler], "the owners of {type_}");
    }
    stage.end().await;
}
