//! One object that answers for a controller and its speakers, as its administrator uses it.

use std::{collections::BTreeMap, time::Duration};

use allready_controller::{
    config::{ConfigController, Options, StatusKey},
    engine::{self, Leader},
};
use allready_e2e::{Server, eventually};
use allready_kube::{
    kinds::{Component, ConfigurationStatusSpec, Instances, Preset, definitions, metallb_definition},
    lease::{Candidate, Timing},
    report::{Identity, Layout, Outcome, Reporter, Running},
};
use k8s_openapi::{
    api::core::v1::{Node, Pod},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams,
    },
};
use serde_json::{Value, json};
use tokio::{sync::MutexGuard, task::JoinHandle};

allready_e2e::scenarios![
    a_lost_node_leaves_and_is_then_swept,
    a_standby_takes_over_where_the_leader_left_off,
    metallb_as_it_ships_gets_a_ready,
    reports_into_the_object_itself_are_answered_for_too,
];
allready_e2e::kubectl_scenarios![the_administrator_sees_what_is_wrong_and_waits_until_it_is_mended];

const NAME: &str = "config-status";
const GROUP: &str = "metallb.io/v1beta1";

struct Stage {
    server: Server,
    namespace: String,
    reporters: BTreeMap<String, (Reporter, Running)>,
    aggregator: Option<JoinHandle<()>>,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Stage {
    async fn set(server: Server) -> Self {
        let turn = server.alone().await;
        let mut played: Vec<_> = definitions().into_iter().filter(is_played).collect();
        played.push(metallb_definition());
        for definition in played {
            server.define(definition).await;
        }
        let namespace = server.namespace("metallb-system").await;
        Self { server, namespace, reporters: BTreeMap::new(), aggregator: None, _turn: turn }
    }

    fn key(&self) -> StatusKey {
        StatusKey { api_version: GROUP.to_owned(), namespace: self.namespace.clone(), name: NAME.to_owned() }
    }

    fn controller(&self, spec: ConfigurationStatusSpec) -> ConfigController {
        ConfigController {
            api_versions: vec![GROUP.to_owned()],
            namespaces: vec![self.namespace.clone()],
            ensure: vec![(self.key(), spec)],
            ..ConfigController::new(self.server.client())
        }
    }

    fn answer(&mut self, spec: ConfigurationStatusSpec) {
        let options = Options { sweep_after: Duration::from_secs(1), ..Options::default() };
        let controller = ConfigController { options, ..self.controller(spec) };
        self.aggregator = Some(tokio::spawn(controller.run()));
    }

    fn report(&mut self, identity: Identity, layout: &Layout, reconciler: &str, outcome: Outcome) {
        let client = self.server.client();
        let (reporter, _) = self
            .reporters
            .entry(identity.to_string())
            .or_insert_with(|| Reporter::builder(client, identity, layout.clone()).spawn());
        reporter.report(reconciler, outcome);
    }

    async fn object(&self) -> Value {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.server.client(), &self.namespace, &self.key().resource());
        let object = api.get_opt(NAME).await.unwrap();
        object.map(|object| serde_json::to_value(object).unwrap()).unwrap_or_default()
    }

    /// Waits until Ready is as asked, and gives the object.
    async fn until(&self, status: &str, message: &str) -> Value {
        let wanted = |object: &Value| {
            let ready = ready(object);
            ready["status"] == status && ready["message"].as_str().is_some_and(|said| said.contains(message))
        };
        eventually(&format!("Ready to be {status} with {message:?}"), wanted, || self.object()).await
    }

    async fn end(self) {
        if let Some(aggregator) = self.aggregator {
            aggregator.abort();
        }
        for (_, running) in self.reporters.into_values() {
            running.stop(Duration::from_secs(5)).await;
        }
    }

    async fn make_node(&self, name: &str) {
        let conditions = json!([{ "type": "Ready", "status": "True", "reason": "KubeletReady" }]);
        let labels = json!({ "allready.dev/e2e": self.namespace });
        let node =
            json!({ "metadata": { "name": name, "labels": labels }, "status": { "conditions": conditions } });
        let nodes: Api<Node> = Api::all(self.server.client());
        nodes.create(&PostParams::default(), &serde_json::from_value(node.clone()).unwrap()).await.unwrap();
        nodes.patch_status(name, &PatchParams::default(), &Patch::Merge(node)).await.unwrap();
    }
}

fn is_played(definition: &CustomResourceDefinition) -> bool {
    definition.name_any() != "configurationstatuses.allready.dev"
}

fn ready(object: &Value) -> Value {
    let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.into_iter().find(|condition| condition["type"] == "Ready").unwrap_or_default()
}

fn component(name: &str, reconcilers: &[&str], instances: Option<Instances>) -> Component {
    let reconcilers = reconcilers.iter().map(|name| (*name).to_owned()).collect();
    Component { name: name.to_owned(), reconcilers, instances, ..Component::default() }
}

fn spec(instances: Instances) -> ConfigurationStatusSpec {
    let components = vec![
        component("controller", &["poolReconciler"], None),
        component("speaker", &["configReconciler"], Some(instances)),
    ];
    ConfigurationStatusSpec { components, ..Default::default() }
}

fn named(names: &[&str]) -> Instances {
    Instances::names(names.iter().copied())
}

async fn the_administrator_sees_what_is_wrong_and_waits_until_it_is_mended(server: Server) {
    let mut stage = Stage::set(server).await;
    let namespace = stage.namespace.clone();
    let layout = Layout::sharded(&namespace, NAME);
    stage.answer(spec(named(&["a", "b"])));
    let (controller, speaker) = (Identity::of("controller"), |node: &str| Identity::of("speaker").on(node));
    stage.report(controller.clone(), &layout, "poolReconciler", Outcome::success());
    for node in ["a", "b"] {
        stage.report(speaker(node), &layout, "configReconciler", Outcome::success());
    }
    // On a server that scenarios share, another one may have installed the kind of the other group too.
    let kind = if stage.server.faulty().is_some() {
        "configurationstatus"
    } else {
        "configurationstatus.metallb.io"
    };
    let object = format!("{kind}/{NAME}");
    let wait = |condition: &'static str| {
        ["wait", condition, &object, "-n", &namespace, "--timeout=60s"].map(str::to_owned)
    };
    let kubectl = async |arguments: &[&str]| stage.server.kubectl(arguments).await.ok();
    let waits = async |condition| {
        let arguments = wait(condition);
        kubectl(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await
    };
    stage.until("True", "").await;
    waits("--for=condition=Ready").await;
    let shown = kubectl(&["get", kind, NAME, "-n", &namespace]).await;
    let words: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["NAME", "READY", "REASON", "REPORTERS", "SUMMARY", "AGE"], "{shown}");
    assert_eq!(
        words[1][..7],
        ["config-status", "True", "AllComponentsReady", "3/3", "all", "3", "ready"],
        "{shown}"
    );
    let wide = kubectl(&["get", kind, NAME, "-n", &namespace, "-o", "wide"]).await;
    assert!(wide.contains("MESSAGE") && wide.contains("3 of 3 ready"), "{wide}");
    let reports = kubectl(&["get", "statusreports", "-n", &namespace]).await;
    let words: Vec<Vec<&str>> = reports.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["NAME", "COMPONENT", "INSTANCE", "READY", "REASON", "AGE"], "{reports}");
    assert_eq!(
        words[2][..5],
        ["config-status.speaker.a", "speaker", "a", "True", "AllReconcilersValid"],
        "{reports}"
    );
    let about = ["get", "statusreports", "-n", &namespace, "-o", "name", "--field-selector"];
    let selected = kubectl(&[&about[..], &["spec.targetRef.name=config-status"]].concat()).await;
    assert_eq!(selected.lines().count(), 3, "{selected}");
    let selected = kubectl(&[&about[..], &["spec.targetRef.name=another"]].concat()).await;
    assert_eq!(selected.lines().count(), 0, "{selected}");

    for node in ["a", "b"] {
        let broken = Outcome::config_error("pool \"production\" overlaps pool \"staging\"");
        stage.reporters[&speaker(node).to_string()].0.report("configReconciler", broken);
    }
    waits("--for=condition=Ready=False").await;
    stage.until("False", "2 of 3 failing").await;
    let shown = kubectl(&["get", kind, NAME, "-n", &namespace]).await;
    assert!(shown.contains("False") && shown.contains("ComponentFailing"), "{shown}");
    let yaml = kubectl(&["get", kind, NAME, "-n", &namespace, "-o", "yaml"]).await;
    assert!(yaml.contains("overlaps pool \"staging\""), "{yaml}");
    let message = ready(&stage.object().await)["message"].as_str().unwrap().to_owned();
    assert_eq!(message.matches("overlaps").count(), 1, "the cause is told once: {message}");
    assert!(message.contains("configReconcilerValid on 2 (speaker/a, speaker/b)"), "{message}");

    // A second fault does not hide the first.
    stage.reporters["controller"].0.report("poolReconciler", Outcome::config_error("no pool is left"));
    let object = stage.until("False", "no pool is left").await;
    assert!(ready(&object)["message"].as_str().unwrap().contains("overlaps"), "{object:#}");

    stage.reporters["controller"].0.report("poolReconciler", Outcome::success());
    for node in ["a", "b"] {
        stage.reporters[&speaker(node).to_string()].0.report("configReconciler", Outcome::success());
    }
    waits("--for=condition=Ready").await;
    let owned = ["get", kind, NAME, "-n", &namespace, "--show-managed-fields", "-o", "yaml"];
    assert!(kubectl(&owned).await.contains("manager: allready-controller"));
    stage.end().await;
}

async fn a_lost_node_leaves_and_is_then_swept(server: Server) {
    let mut stage = Stage::set(server).await;
    let layout = Layout::sharded(&stage.namespace, NAME);
    let (first, second) = (stage.server.unique("node"), stage.server.unique("node"));
    for node in [&first, &second] {
        stage.make_node(node).await;
        stage.report(Identity::of("speaker").on(node), &layout, "configReconciler", Outcome::success());
    }
    stage.report(Identity::of("controller"), &layout, "poolReconciler", Outcome::success());
    let selector = json!({ "matchLabels": { "allready.dev/e2e": stage.namespace } });
    stage.answer(spec(Instances::nodes(serde_json::from_value(selector).unwrap())));
    stage.until("True", "3 of 3 ready").await;

    let (_, running) = stage.reporters.remove(&format!("speaker-{second}")).unwrap();
    running.stop(Duration::from_secs(5)).await;
    let nodes: Api<Node> = Api::all(stage.server.client());
    nodes.delete(&second, &DeleteParams::default()).await.unwrap();
    stage.until("True", "2 of 2 ready").await;
    let reports: Api<allready_kube::kinds::StatusReport> =
        Api::namespaced(stage.server.client(), &stage.namespace);
    let is_left = async || {
        let left = reports.list(&ListParams::default()).await.unwrap();
        left.iter().any(|report| report.spec.instance.as_ref() == Some(&second))
    };
    let removed = tokio::time::timeout(Duration::from_mins(2), async {
        while is_left().await {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    })
    .await;
    assert!(removed.is_ok(), "its report is still there");
    nodes.delete(&first, &DeleteParams::default()).await.unwrap();
    stage.end().await;
}

async fn reports_into_the_object_itself_are_answered_for_too(server: Server) {
    let mut stage = Stage::set(server).await;
    let layout = Layout::singleton(stage.key().resource(), &stage.namespace, NAME);
    stage.answer(spec(named(&["a"])));
    let speaker = Identity::of("speaker").on("a");
    stage.report(Identity::of("controller"), &layout, "poolReconciler", Outcome::success());
    // What is red is written at once, also while the other is still silent.
    stage.until("Unknown", "1 of 2 unknown").await;
    stage.report(speaker.clone(), &layout, "configReconciler", Outcome::config_error("no such peer"));
    let object = stage.until("False", "no such peer").await;
    let own = "speaker-a/configReconcilerValid";
    let types: Vec<_> =
        object["status"]["conditions"].as_array().unwrap().iter().map(|it| it["type"].clone()).collect();
    assert!(types.contains(&json!(own)), "what was reported stays: {types:?}");
    let managers = object["metadata"]["managedFields"].as_array().unwrap();
    let manager = |name: &str| managers.iter().any(|entry| entry["manager"] == name);
    assert!(manager("speaker-a/configReconciler") && manager("controller/poolReconciler"), "{managers:?}");
    stage.report(speaker, &layout, "configReconciler", Outcome::success());
    stage.until("True", "2 of 2 ready").await;
    stage.end().await;
}

async fn a_standby_takes_over_where_the_leader_left_off(server: Server) {
    let mut stage = Stage::set(server).await;
    let layout = Layout::sharded(&stage.namespace, NAME);
    let milliseconds = Duration::from_millis;
    let timing = Timing {
        lease_duration: milliseconds(2000),
        renew_deadline: milliseconds(1300),
        retry_period: milliseconds(200),
    };
    let spec = spec(named(&["a"]));
    let mut replicas = Vec::new();
    for replica in ["first", "second"] {
        let candidacy = Candidate::new(stage.server.client(), &stage.namespace, "aggregator", replica);
        let candidacy = candidacy.timing(timing).start().unwrap();
        if replicas.is_empty() {
            candidacy.elected().await.unwrap();
        }
        let leader = Leader::elected(candidacy.clone());
        let running = engine::Running { leader, ..Default::default() };
        let controller = ConfigController { running, ..stage.controller(spec.clone()) };
        replicas.push((candidacy, tokio::spawn(controller.run())));
    }
    stage.report(Identity::of("controller"), &layout, "poolReconciler", Outcome::success());
    stage.report(Identity::of("speaker").on("a"), &layout, "configReconciler", Outcome::success());
    let before = ready(&stage.until("True", "2 of 2 ready").await);

    // The leader vanishes without a word, and a speaker fails.
    let (candidacy, task) = replicas.remove(0);
    task.abort();
    drop(candidacy);
    let after = ready(&stage.object().await);
    assert_eq!(after, before, "nothing is written that is not known");
    stage.reporters["speaker-a"].0.report("configReconciler", Outcome::error("the peer is away"));
    stage.until("False", "the peer is away").await;
    stage.reporters["speaker-a"].0.report("configReconciler", Outcome::success());
    stage.until("True", "2 of 2 ready").await;
    for (candidacy, task) in replicas {
        task.abort();
        candidacy.release().await;
    }
    stage.end().await;
}

async fn metallb_as_it_ships_gets_a_ready(server: Server) {
    let mut stage = Stage::set(server).await;
    stage.server.define(serde_json::from_value(configuration_state()).unwrap()).await;
    let node = stage.server.unique("node");
    stage.make_node(&node).await;
    let set = daemon_set();
    let sets: Api<k8s_openapi::api::apps::v1::DaemonSet> =
        Api::namespaced(stage.server.client(), &stage.namespace);
    let made = sets.create(&PostParams::default(), &serde_json::from_value(set).unwrap()).await.unwrap();
    let scheduled = json!({ "status": { "observedGeneration": 1, "desiredNumberScheduled": 1,
        "currentNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": 1 } });
    sets.patch_status("speaker", &PatchParams::default(), &Patch::Merge(scheduled)).await.unwrap();
    let pods: Api<Pod> = Api::namespaced(stage.server.client(), &stage.namespace);
    let owner = json!([{ "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "speaker",
        "uid": made.uid().unwrap(), "controller": true }]);
    let pod = json!({ "metadata": { "name": "speaker-x", "ownerReferences": owner },
        "spec": { "nodeName": node, "containers": [{ "name": "speaker", "image": "speaker" }] } });
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    let running = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    pods.patch_status("speaker-x", &PatchParams::default(), &Patch::Merge(running)).await.unwrap();

    stage.answer(ConfigurationStatusSpec { preset: Some(Preset::MetalLB), ..Default::default() });
    stage.until("Unknown", "controller").await;
    let labels = json!({ "metallb.io/component-type": "controller" });
    state(&stage, "controller", &labels, "poolReconcilerValid", None).await;
    let labels = json!({ "metallb.io/component-type": "speaker", "metallb.io/node-name": node });
    let name = format!("speaker-{node}");
    state(&stage, &name, &labels, "configReconcilerValid", None).await;
    stage.until("True", "2 of 2 ready").await;
    state(&stage, &name, &labels, "configReconcilerValid", Some("configuration error: no such peer")).await;
    stage.until("False", &format!("ConfigurationError in configReconcilerValid on speaker/{node}")).await;
    state(&stage, &name, &labels, "configReconcilerValid", None).await;
    stage.until("True", "2 of 2 ready").await;
    Api::<Node>::all(stage.server.client()).delete(&node, &DeleteParams::default()).await.unwrap();
    stage.end().await;
}

/// Writes a `ConfigurationState` as MetalLB does.
async fn state(stage: &Stage, name: &str, labels: &Value, type_: &str, error: Option<&str>) {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("metallb.io", "v1beta1", "ConfigurationState"));
    let api: Api<DynamicObject> = Api::namespaced_with(stage.server.client(), &stage.namespace, &kind);
    let head = json!({ "apiVersion": GROUP, "kind": "ConfigurationState", "metadata": { "name": name, "labels": labels } });
    let params = PatchParams::apply("configReconciler").force();
    api.patch(name, &params, &Patch::Apply(&head)).await.unwrap();
    let (status, reason) =
        if error.is_some() { ("False", "ConfigurationError") } else { ("True", "Reconciled") };
    let body = json!({ "apiVersion": GROUP, "kind": "ConfigurationState", "status": { "conditions": [{ "type": type_,
        "status": status, "reason": reason, "message": error.unwrap_or(""), "lastTransitionTime": "2026-03-01T10:00:00Z" }] } });
    api.patch_status(name, &params, &Patch::Apply(&body)).await.unwrap();
}

pub(crate) fn configuration_state() -> Value {
    let text = json!({ "type": "string" });
    let condition = json!({ "type": "object", "required": ["type", "status"], "properties": {
        "type": text, "status": text, "reason": text, "message": text,
        "lastTransitionTime": { "type": "string", "format": "date-time" } } });
    let conditions = json!({ "type": "array", "items": condition, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"] });
    let status = json!({ "type": "object", "properties": { "result": text, "errorSummary": text, "conditions": conditions } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "configurationstates.metallb.io" },
        "spec": { "group": "metallb.io", "scope": "Namespaced",
            "names": { "kind": "ConfigurationState", "plural": "configurationstates" },
            "versions": [{ "name": "v1beta1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": status } } } }] },
    })
}

fn daemon_set() -> Value {
    let labels = json!({ "app": "speaker" });
    json!({ "metadata": { "name": "speaker" }, "spec": { "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels },
            "spec": { "containers": [{ "name": "speaker", "image": "speaker" }] } } } })
}
