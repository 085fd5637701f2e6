//! A graph of resources becomes a kind, and says how that goes.

use std::time::Duration;

use allready_e2e::{Server, eventually, within};
use example_resource_graph::{ResourceGraphDefinition, run};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, CustomResourceExt as _, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

allready_e2e::scenarios![
    a_graph_becomes_a_kind_with_the_proposed_status,
    the_old_conditions_give_way_to_the_proposed_ones,
    a_deleted_definition_comes_back,
    a_broken_graph_is_false_with_its_cause_and_recovers,
    a_kind_that_is_taken_or_refused_is_false,
];
allready_e2e::kubectl_scenarios![people_wait_for_a_graph_and_see_why_it_is_not_ready];

/// The controller, and one graph of its own.
struct Stage {
    server: Server,
    name: String,
    group: String,
    controller: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    /// One controller at a time on a shared server, or two would write one status.
    _turn: Option<tokio::sync::MutexGuard<'static, ()>>,
}

impl Stage {
    async fn set(server: Server) -> Self {
        let mut stage = Self::without_controller(server).await;
        stage.start();
        stage
    }

    async fn without_controller(server: Server) -> Self {
        let turn = server.alone().await;
        server.define(ResourceGraphDefinition::crd()).await;
        let name = server.unique("graph");
        let group = format!("{name}.example.com");
        Self { server, name, group, controller: None, _turn: turn }
    }

    fn start(&mut self) {
        let (stop, stopped) = oneshot::channel::<()>();
        let client = self.server.client();
        let controller = tokio::spawn(run(client, async {
            // Stopped by a message, or by a test that ended.
            let _ = stopped.await;
        }));
        self.controller = Some((stop, controller));
    }

    async fn stop(&mut self) {
        if let Some((stop, controller)) = self.controller.take() {
            drop(stop);
            within(Duration::from_secs(10), "the controller to stop", controller).await.unwrap();
        }
    }

    /// Leaves nothing behind on a server that others use.
    async fn end(mut self) {
        let _ = self.graphs().delete(&self.name, &DeleteParams::default()).await;
        self.stop().await;
        let _ = self.definitions().delete(&self.definition(), &DeleteParams::default()).await;
    }

    fn graphs(&self) -> Api<ResourceGraphDefinition> {
        Api::all(self.server.client())
    }

    fn definitions(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.server.client())
    }

    fn definition(&self) -> String {
        format!("mycustomkinds.{}", self.group)
    }

    fn graph(&self, resources: &Value) -> ResourceGraphDefinition {
        let graph = json!({
            "apiVersion": "example.allready.dev/v1alpha1",
            "kind": "ResourceGraphDefinition",
            "metadata": { "name": self.name },
            "spec": {
                "schema": {
                    "group": self.group, "version": "v1alpha1", "kind": "MyCustomKind",
                    "spec": { "name": "string | required", "replicas": "integer | default=2" },
                },
                "resources": resources,
            },
        });
        serde_json::from_value(graph).unwrap()
    }

    async fn create(&self, resources: &Value) {
        self.graphs().create(&PostParams::default(), &self.graph(resources)).await.unwrap();
    }

    async fn change(&self, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.graphs().patch(&self.name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// The conditions, without their times and in the order of their types.
    async fn conditions(&self) -> Vec<Value> {
        let graph = self.graphs().get(&self.name).await.unwrap();
        let conditions = serde_json::to_value(graph.status.unwrap_or_default().conditions).unwrap();
        let mut conditions = conditions.as_array().cloned().unwrap_or_default();
        for condition in &mut conditions {
            condition.as_object_mut().unwrap().remove("lastTransitionTime");
        }
        in_order(&mut conditions);
        conditions
    }

    async fn until_conditions_are(&self, expected: &Value) {
        let mut expected = expected.as_array().cloned().unwrap();
        in_order(&mut expected);
        eventually("the conditions", |seen| *seen == expected, || self.conditions()).await;
    }

    async fn until_ready_is(&self, status: &str, generation: i64) -> Value {
        let ready = |seen: &Vec<Value>| {
            seen.iter()
                .find(|condition| condition["type"] == "Ready")
                .filter(|ready| ready["status"] == status && ready["observedGeneration"] == generation)
                .cloned()
        };
        let seen = eventually("Ready", |seen| ready(seen).is_some(), || self.conditions()).await;
        ready(&seen).unwrap()
    }
}

fn in_order(conditions: &mut [Value]) {
    conditions.sort_by_key(|condition| condition["type"].as_str().unwrap_or_default().to_owned());
}

fn sound() -> Value {
    json!([
        { "id": "config", "template": { "kind": "ConfigMap", "metadata": { "name": "${schema.spec.name}" } } },
        { "id": "web", "template": { "kind": "Deployment", "spec": { "config": "${config.metadata.name}" } } },
    ])
}

fn proposed(generation: i64) -> Value {
    json!([
        { "type": "Ready", "status": "True", "reason": "AllReady", "message": "", "observedGeneration": generation },
        { "type": "ResourceGraphReady", "status": "True", "reason": "AllReady",
          "message": "All resources are up to date and ready.", "observedGeneration": generation },
        { "type": "ResourceGraphKindReady", "status": "True", "reason": "Accepted",
          "message": "MyCustomKind is up to date and accepted.", "observedGeneration": generation },
    ])
}

async fn a_graph_becomes_a_kind_with_the_proposed_status(server: Server) {
    let stage = Stage::set(server).await;
    stage.create(&sound()).await;
    stage.until_conditions_are(&proposed(1)).await;
    let graph = stage.graphs().get(&stage.name).await.unwrap();
    assert_eq!(graph.status.unwrap().observed_generation, Some(1));

    // The kind is there: its objects are checked and filled in.
    let namespace = stage.server.namespace("kinds").await;
    let resource = kube::api::ApiResource {
        group: stage.group.clone(),
        version: "v1alpha1".to_owned(),
        api_version: format!("{}/v1alpha1", stage.group),
        kind: "MyCustomKind".to_owned(),
        plural: "mycustomkinds".to_owned(),
    };
    let objects: Api<kube::api::DynamicObject> =
        Api::namespaced_with(stage.server.client(), &namespace, &resource);
    let mut object = kube::api::DynamicObject::new("one", &resource);
    object.data = json!({ "spec": { "name": "one" } });
    let made = objects.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(made.data["spec"]["replicas"], 2);

    // A changed graph is about its new generation, and the kind follows.
    stage.change(json!({ "schema": { "spec": { "zone": "string" } } })).await;
    stage.until_conditions_are(&proposed(2)).await;
    let definition = stage.definitions().get(&stage.definition()).await.unwrap();
    let definition = serde_json::to_value(definition).unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(schema["properties"]["spec"]["properties"]["zone"]["type"], "string");
    stage.end().await;
}

async fn the_old_conditions_give_way_to_the_proposed_ones(server: Server) {
    let mut stage = Stage::without_controller(server).await;
    // An earlier version had no rules for its conditions.
    let mut definition = serde_json::to_value(ResourceGraphDefinition::crd()).unwrap();
    let status = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = status;
    stage.server.define(serde_json::from_value(definition).unwrap()).await;
    stage.create(&sound()).await;
    let old = |type_: &str, message: &str| {
        json!({ "type": type_, "status": "True", "reason": "", "message": message,
                "lastTransitionTime": "2025-03-24T21:31:02Z" })
    };
    let status = json!({ "status": { "conditions": [
        old("ReconcilerReady", "micro controller is ready"),
        old("GraphVerified", "Directed Acyclic Graph is synced"),
        old("CustomResourceDefinitionSynced", "Custom Resource Definition is synced"),
    ] } });
    let written = eventually("the older definition to hold", Result::is_ok, || {
        let graphs: Api<kube::api::DynamicObject> =
            Api::all_with(stage.server.client(), &ResourceGraphDefinition::api_resource());
        let (name, status) = (stage.name.clone(), status.clone());
        async move { graphs.patch_status(&name, &PatchParams::default(), &Patch::Merge(&status)).await }
    })
    .await;
    assert_eq!(written.unwrap().data["status"]["conditions"][2]["reason"], "");

    stage.server.define(ResourceGraphDefinition::crd()).await;
    stage.start();
    stage.until_conditions_are(&proposed(1)).await;
    stage.end().await;
}

async fn a_deleted_definition_comes_back(server: Server) {
    let stage = Stage::set(server).await;
    stage.create(&sound()).await;
    stage.until_conditions_are(&proposed(1)).await;
    let before = stage.definitions().get(&stage.definition()).await.unwrap().uid();
    stage.definitions().delete(&stage.definition(), &DeleteParams::default()).await.unwrap();
    eventually(
        "another definition",
        |seen: &Option<CustomResourceDefinition>| seen.as_ref().is_some_and(|seen| seen.uid() != before),
        || async { stage.definitions().get_opt(&stage.definition()).await.unwrap() },
    )
    .await;
    stage.until_conditions_are(&proposed(1)).await;

    // So does one that was changed by somebody else.
    let patch = Patch::Json::<()>(
        serde_json::from_value(json!([{ "op": "remove",
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/replicas" }]))
        .unwrap(),
    );
    stage.definitions().patch(&stage.definition(), &PatchParams::default(), &patch).await.unwrap();
    let replicas = || async {
        let definition = stage.definitions().get(&stage.definition()).await.unwrap();
        let definition = serde_json::to_value(definition).unwrap();
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            ["replicas"]["type"]
            .clone()
    };
    eventually("the field to come back", |seen: &Value| seen == "integer", replicas).await;
    stage.end().await;
}

async fn a_broken_graph_is_false_with_its_cause_and_recovers(server: Server) {
    let stage = Stage::set(server).await;
    stage
        .create(&json!([
            { "id": "a", "template": { "spec": { "b": "${b.status.id}" } } },
            { "id": "b", "template": { "spec": { "a": "${a.status.id}" } } },
        ]))
        .await;
    let cause = "resources wait for each other: a -> b -> a";
    stage
        .until_conditions_are(&json!([
            { "type": "Ready", "status": "False", "reason": "CyclicGraph", "message": cause,
              "observedGeneration": 1 },
            { "type": "ResourceGraphReady", "status": "False", "reason": "CyclicGraph", "message": cause,
              "observedGeneration": 1 },
            { "type": "ResourceGraphKindReady", "status": "Unknown", "reason": "AwaitingGraph",
              "message": "MyCustomKind is left as it is until the graph is right.", "observedGeneration": 1 },
        ]))
        .await;
    assert!(
        stage.definitions().get_opt(&stage.definition()).await.unwrap().is_none(),
        "nothing was made of it"
    );

    stage.change(json!({ "resources": sound() })).await;
    stage.until_conditions_are(&proposed(2)).await;

    // A kind that works is not taken away because the next graph is broken.
    stage.change(json!({ "schema": { "spec": { "name": "text" } } })).await;
    let ready = stage.until_ready_is("False", 3).await;
    assert_eq!(ready["reason"], "InvalidSchema");
    assert!(stage.definitions().get_opt(&stage.definition()).await.unwrap().is_some());
    stage.end().await;
}

async fn a_kind_that_is_taken_or_refused_is_false(server: Server) {
    let stage = Stage::set(server).await;
    let mut foreign = serde_json::to_value(ResourceGraphDefinition::crd()).unwrap();
    foreign["metadata"]["name"] = stage.definition().into();
    foreign["spec"]["group"] = stage.group.clone().into();
    foreign["spec"]["names"] =
        json!({ "kind": "MyCustomKind", "plural": "mycustomkinds", "singular": "mycustomkind" });
    stage.server.define(serde_json::from_value(foreign).unwrap()).await;
    stage.create(&sound()).await;
    let ready = stage.until_ready_is("False", 1).await;
    assert_eq!(ready["reason"], "KindTaken");
    assert_eq!(
        ready["message"],
        format!(
            "{} exists and belongs to somebody else: give the kind another name, or delete that.",
            stage.definition()
        )
    );

    for (generation, plural) in [(2, "wrong_words"), (3, "wrong words")] {
        stage.change(json!({ "schema": { "plural": plural } })).await;
        let ready = stage.until_ready_is("False", generation).await;
        assert_eq!(ready["reason"], "KindRefused");
        let message = ready["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{plural}.{} is refused: ", stage.group)), "{message}");
    }
    stage.end().await;
}

async fn people_wait_for_a_graph_and_see_why_it_is_not_ready(server: Server) {
    let stage = Stage::set(server).await;
    stage.create(&json!([{ "id": "a", "template": { "x": "${a.y}" } }])).await;
    let graph = format!("rgd/{}", stage.name);
    stage.server.kubectl(&["wait", &graph, "--for=condition=Ready=False", "--timeout=20s"]).await.ok();
    let row = stage.server.kubectl(&["get", "rgd", &stage.name, "--no-headers"]).await.ok();
    let columns: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(columns[..4], [&stage.name, "MyCustomKind", "False", "CyclicGraph"]);

    let patch = json!({ "spec": { "resources": sound() } }).to_string();
    stage.server.kubectl(&["patch", &graph, "--type=merge", "-p", &patch]).await.ok();
    let waited = stage.server.kubectl(&["wait", &graph, "--for=condition=Ready", "--timeout=20s"]).await.ok();
    assert!(waited.contains("condition met"), "{waited}");

    let described = stage.server.kubectl(&["describe", "rgd", &stage.name]).await.ok();
    assert!(described.contains("Condition 'Ready' changed from 'False' to"), "{described}");

    stage.server.kubectl(&["delete", "crd", &stage.definition(), "--wait=true", "--timeout=20s"]).await.ok();
    stage.until_conditions_are(&proposed(2)).await;
    let definition = stage.definition();
    let again = ["wait", &format!("crd/{definition}"), "--for=condition=Established", "--timeout=20s"];
    eventually(
        "the kind to be back",
        |seen: &allready_e2e::Output| seen.code == Some(0),
        || stage.server.kubectl(&again),
    )
    .await;
    stage.end().await;
}
