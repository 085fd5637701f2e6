//! A graph of resources becomes a kind, and says how that goes.

use std::time::Duration;

use allready_e2e::{Server, eventually, within};
use allready_inspect::{
    health::Health,
    judge::judge,
    registry::{Entry, Registry},
};
use example_resource_graph::{ResourceGraphDefinition, run};
use k8s_openapi::{
    api::core::v1::ConfigMap,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition, jiff::Timestamp,
};
use kube::{
    Api, CustomResourceExt as _, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

allready_e2e::scenarios![
    a_graph_becomes_a_kind_with_the_proposed_status,
    the_old_conditions_give_way_to_the_proposed_ones,
    a_deleted_definition_comes_back,
    a_broken_graph_is_false_with_its_cause_and_recovers,
    a_kind_that_is_taken_or_refused_is_false,
    an_instance_is_ready_when_its_resources_are,
    conditions_that_the_schema_declares_count_as_declared,
    resources_follow_the_graph_and_come_back,
    a_field_that_is_not_set_and_a_resource_of_somebody_else_are_false,
    a_kind_of_resource_that_comes_late_is_waited_for,
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
        server.define(allready::crd::<ResourceGraphDefinition>()).await;
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

    fn resource(&self) -> ApiResource {
        let kind = GroupVersionKind::gvk(&self.group, "v1alpha1", "MyCustomKind");
        ApiResource::from_gvk_with_plural(&kind, "mycustomkinds")
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
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "${schema.spec.name}" },
        "data": { "greeting": "hello from ${schema.metadata.name}" },
    });
    let labels = json!({ "app": "${schema.spec.name}" });
    let web = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "${schema.spec.name}-web" },
        "spec": {
            "replicas": "${schema.spec.replicas}",
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{
                    "name": "web", "image": "web:1", "envFrom": [{ "configMapRef": { "name": "${config.metadata.name}" } }],
                }] },
            },
        },
    });
    json!([{ "id": "web", "template": web }, { "id": "config", "template": config }])
}

/// The same with a resource that needs a value of another's status.
fn sound_with_report() -> Value {
    let report = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "${schema.spec.name}-report" },
        "data": { "ready": "${web.status.readyReplicas} of ${schema.spec.replicas}" },
    });
    let mut resources = sound();
    resources.as_array_mut().unwrap().push(json!({ "id": "report", "template": report }));
    resources
}

fn proposed(generation: i64) -> Value {
    proposed_for(generation, "The graph is valid; its resources in order: config, web.")
}

fn proposed_for(generation: i64, graph: &str) -> Value {
    json!([
        { "type": "Ready", "status": "True", "reason": "AllReady", "message": "", "observedGeneration": generation },
        { "type": "ResourceGraphReady", "status": "True", "reason": "AllReady",
          "message": graph, "observedGeneration": generation },
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
    let objects: Api<DynamicObject> =
        Api::namespaced_with(stage.server.client(), &namespace, &stage.resource());
    let mut object = DynamicObject::new("one", &stage.resource());
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
    let mut definition = serde_json::to_value(allready::crd::<ResourceGraphDefinition>()).unwrap();
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
        let graphs: Api<DynamicObject> =
            Api::all_with(stage.server.client(), &ResourceGraphDefinition::api_resource());
        let (name, status) = (stage.name.clone(), status.clone());
        async move { graphs.patch_status(&name, &PatchParams::default(), &Patch::Merge(&status)).await }
    })
    .await;
    assert_eq!(written.unwrap().data["status"]["conditions"][2]["reason"], "");

    stage.server.define(allready::crd::<ResourceGraphDefinition>()).await;
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

    // The objects of the kind that came back are reconciled as well.
    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    instance.until(&[("InstanceSynced", "True", "Synced")]).await;
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
              "message": "MyCustomKind is left as it is until the graph is valid.", "observedGeneration": 1 },
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
    let mut foreign = serde_json::to_value(allready::crd::<ResourceGraphDefinition>()).unwrap();
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
            "{}: it belongs to somebody else: give the kind another name, or delete that",
            stage.definition()
        )
    );

    for (generation, plural) in [(2, "wrong_words"), (3, "wrong words")] {
        stage.change(json!({ "schema": { "plural": plural } })).await;
        let ready = stage.until_ready_is("False", generation).await;
        assert_eq!(ready["reason"], "KindRefused");
        let message = ready["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{plural}.{}: ", stage.group)), "{message}");
    }
    stage.end().await;
}

/// One instance of the kind of a graph, in a namespace of its own.
struct Instance<'s> {
    stage: &'s Stage,
    namespace: String,
    objects: Api<DynamicObject>,
}

impl<'s> Instance<'s> {
    /// Creates an instance called `shop`.
    async fn create(stage: &'s Stage, spec: Value) -> Self {
        let namespace = stage.server.namespace("instances").await;
        let objects = Api::namespaced_with(stage.server.client(), &namespace, &stage.resource());
        let mut object = DynamicObject::new("shop", &stage.resource());
        object.data = json!({ "spec": spec });
        let created = eventually("the kind to be served", Result::is_ok, || {
            let (objects, object) = (objects.clone(), object.clone());
            async move { objects.create(&PostParams::default(), &object).await }
        });
        created.await.unwrap();
        Self { stage, namespace, objects }
    }

    async fn get(&self) -> Value {
        serde_json::to_value(self.objects.get("shop").await.unwrap()).unwrap()
    }

    /// Waits until all of these conditions are so, and checks that whoever reads the declaration of the kind agrees.
    async fn until(&self, expected: &[(&str, &str, &str)]) -> Value {
        let is_so = |object: &Value| {
            let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
            expected.iter().all(|(type_, status, reason)| {
                let found = conditions.iter().find(|condition| condition["type"] == *type_);
                found.is_some_and(|found| found["status"] == *status && found["reason"] == *reason)
            })
        };
        let object = eventually(&format!("{expected:?}"), is_so, || self.get()).await;
        self.check_verdict(&object).await;
        object
    }

    async fn check_verdict(&self, object: &Value) {
        let definition = self.stage.definitions().get(&self.stage.definition()).await.unwrap();
        let entry = Entry::of_definition(&serde_json::to_value(definition).unwrap()).unwrap().unwrap();
        let registry = Registry::builtin().clone().with([entry]);
        let verdict = judge(object, &registry, Timestamp::now().to_string().parse().unwrap());
        let agrees = match condition(object, "Ready")["status"].as_str().unwrap() {
            "True" => verdict.health == Health::Healthy,
            "False" => verdict.health == Health::Degraded,
            _ => matches!(verdict.health, Health::Progressing | Health::Unknown),
        };
        assert!(agrees, "{verdict:?} of {object:#}");
    }

    fn config_maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.stage.server.client(), &self.namespace)
    }

    /// Says what a controller of Deployments would say.
    async fn report_deployment(&self, is_available: bool, progressing: (&str, &str, &str)) {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment"));
        let deployments: Api<DynamicObject> =
            Api::namespaced_with(self.stage.server.client(), &self.namespace, &resource);
        let web = eventually("the deployment", Option::is_some, || async {
            deployments.get_opt("shop-web").await.unwrap()
        })
        .await
        .unwrap();
        let condition = |type_: &str, status: &str, reason: &str, message: &str| {
            let time = "2025-03-24T21:31:02Z";
            json!({ "type": type_, "status": status, "reason": reason, "message": message,
                    "lastTransitionTime": time, "lastUpdateTime": time })
        };
        let (status, reason, message) = progressing;
        let replicas = web.data["spec"]["replicas"].as_u64().unwrap();
        let (available, ready) = if is_available { ("True", replicas) } else { ("False", 0) };
        let status = json!({ "status": {
            "observedGeneration": web.metadata.generation,
            "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": ready, "availableReplicas": ready,
            "conditions": [
                condition("Available", available, "MinimumReplicas", ""),
                condition("Progressing", status, reason, message),
            ],
        } });
        deployments.patch_status("shop-web", &PatchParams::default(), &Patch::Merge(&status)).await.unwrap();
    }

    async fn deploy(&self) {
        self.report_deployment(true, ("True", "NewReplicaSetAvailable", "")).await;
    }

    /// Writes a condition that the controller does not write, as a manager that writes no other.
    async fn report(&self, type_: &str, status: &str, reason: &str) {
        let resource = self.stage.resource();
        let patch = json!({
            "apiVersion": resource.api_version, "kind": resource.kind,
            "status": { "conditions": [{ "type": type_, "status": status, "reason": reason, "message": "",
                "lastTransitionTime": "2025-03-24T21:31:02Z" }] },
        });
        let parameters = PatchParams::apply(&format!("{type_}-reporter")).force();
        self.objects.patch_status("shop", &parameters, &Patch::Apply(&patch)).await.unwrap();
    }
}

fn condition(object: &Value, type_: &str) -> Value {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    conditions.iter().find(|condition| condition["type"] == type_).cloned().unwrap_or_default()
}

async fn an_instance_is_ready_when_its_resources_are(server: Server) {
    let mut stage = Stage::set(server).await;
    stage.create(&sound_with_report()).await;
    stage
        .until_conditions_are(&proposed_for(
            1,
            "The graph is valid; its resources in order: config, web, report.",
        ))
        .await;

    // Before any controller has seen it, it is not ambiguous.
    stage.stop().await;
    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    let new = instance.get().await;
    for type_ in ["Ready", "InstanceSynced", "GraphResolved", "ResourcesApplied", "ResourcesReady"] {
        let condition = condition(&new, type_);
        assert_eq!(
            (&condition["status"], &condition["reason"]),
            (&json!("Unknown"), &json!("Pending")),
            "{type_}"
        );
    }
    instance.check_verdict(&new).await;
    let Instance { namespace, objects, .. } = instance;
    stage.start();
    let instance = Instance { stage: &stage, namespace, objects };

    // What can be applied is, in the order of the graph; what cannot is waited for.
    let waiting = instance
        .until(&[
            ("InstanceSynced", "True", "Synced"),
            ("GraphResolved", "Unknown", "AwaitingReference"),
            ("ResourcesApplied", "Unknown", "AwaitingReference"),
            ("Ready", "Unknown", "AwaitingReference"),
        ])
        .await;
    let message = "report: ${web.status.readyReplicas} is not there yet";
    assert_eq!(condition(&waiting, "GraphResolved")["message"], message);
    assert_eq!(waiting["status"]["observedGeneration"], 1);
    let config = instance.config_maps().get("shop").await.unwrap();
    assert_eq!(config.data.as_ref().unwrap()["greeting"], "hello from shop");
    assert_eq!(config.owner_references()[0].kind, "MyCustomKind");
    assert!(instance.config_maps().get_opt("shop-report").await.unwrap().is_none());

    instance.deploy().await;
    let ready = instance
        .until(&[
            ("Ready", "True", "AllReady"),
            ("InstanceSynced", "True", "Synced"),
            ("GraphResolved", "True", "Resolved"),
            ("ResourcesApplied", "True", "Applied"),
            ("ResourcesReady", "True", "AllReady"),
        ])
        .await;
    assert_eq!(condition(&ready, "ResourcesReady")["message"], "3 of 3 resources are ready.");
    let report = instance.config_maps().get("shop-report").await.unwrap();
    assert_eq!(report.data.unwrap()["ready"], "2 of 2");

    // A resource that breaks gives its own cause.
    let broken = ("False", "ProgressDeadlineExceeded", "the image cannot be pulled");
    instance.report_deployment(false, broken).await;
    let broken = instance
        .until(&[
            ("ResourcesReady", "False", "ProgressDeadlineExceeded"),
            ("Ready", "False", "ProgressDeadlineExceeded"),
            ("InstanceSynced", "True", "Synced"),
        ])
        .await;
    assert_eq!(condition(&broken, "Ready")["message"], "Deployment shop-web: the image cannot be pulled");
    instance.deploy().await;
    instance.until(&[("Ready", "True", "AllReady")]).await;
    stage.end().await;
}

async fn conditions_that_the_schema_declares_count_as_declared(server: Server) {
    let stage = Stage::set(server).await;
    let mut graph = stage.graph(&sound());
    graph.spec.schema.conditions = Some("!Degraded, (Cached)".to_owned());
    stage.graphs().create(&PostParams::default(), &graph).await.unwrap();
    stage.until_conditions_are(&proposed(1)).await;
    let definition = stage.definitions().get(&stage.definition()).await.unwrap();
    assert_eq!(
        definition.annotations()[allready::set::ANNOTATION],
        "Ready: InstanceSynced, GraphResolved, ResourcesApplied, ResourcesReady, !Degraded, (Cached)"
    );

    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    instance.deploy().await;
    // Nobody has said yet that it is not degraded.
    let pending =
        instance.until(&[("ResourcesReady", "True", "AllReady"), ("Degraded", "Unknown", "Pending")]).await;
    assert_eq!(condition(&pending, "Ready")["status"], "Unknown");

    instance.report("Degraded", "False", "Fine").await;
    instance.until(&[("Ready", "True", "AllReady")]).await;
    instance.report("Degraded", "True", "Slow").await;
    instance.until(&[("Ready", "False", "Slow"), ("ResourcesReady", "True", "AllReady")]).await;
    instance.report("Degraded", "False", "Fine").await;
    instance.until(&[("Ready", "True", "AllReady")]).await;

    // What only informs does not turn it, not even in the next reconcile.
    instance.report("Cached", "False", "Cold").await;
    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    instance.objects.patch("shop", &PatchParams::default(), &patch).await.unwrap();
    instance.until(&[("ResourcesReady", "Unknown", "GenerationNotObserved")]).await;
    instance.deploy().await;
    instance.until(&[("Cached", "False", "Cold"), ("Ready", "True", "AllReady")]).await;
    assert_eq!(instance.get().await["status"]["observedGeneration"], 2);
    stage.end().await;
}

async fn resources_follow_the_graph_and_come_back(server: Server) {
    let stage = Stage::set(server).await;
    stage.create(&sound_with_report()).await;
    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    instance.deploy().await;
    instance.until(&[("Ready", "True", "AllReady")]).await;

    let config = || async { instance.config_maps().get_opt("shop").await.unwrap() };
    let before = config().await.unwrap().uid();
    instance.config_maps().delete("shop", &DeleteParams::default()).await.unwrap();
    let is_another = |seen: &Option<ConfigMap>| {
        seen.as_ref().is_some_and(|seen| seen.uid().is_some() && seen.uid() != before)
    };
    eventually("another config map", is_another, config).await;

    let patch = Patch::Merge(json!({ "data": { "greeting": "goodbye" } }));
    instance.config_maps().patch("shop", &PatchParams::default(), &patch).await.unwrap();
    let is_right = |seen: &Option<ConfigMap>| {
        seen.as_ref()
            .and_then(|seen| seen.data.as_ref())
            .is_some_and(|data| data["greeting"] == "hello from shop")
    };
    eventually("the config map to be right", is_right, config).await;

    // What leaves the graph goes, and the new graph holds for instances that are there.
    stage.change(json!({ "resources": sound() })).await;
    eventually("the report to go", Option::is_none, || async {
        instance.config_maps().get_opt("shop-report").await.unwrap()
    })
    .await;
    let ids = |object: &Value| -> Vec<Value> {
        object["status"]["resources"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
    };
    eventually("the list of resources", |seen| ids(seen) == ["config", "web"], || instance.get()).await;
    let ready = instance.until(&[("Ready", "True", "AllReady")]).await;
    assert_eq!(condition(&ready, "ResourcesReady")["message"], "2 of 2 resources are ready.");

    // Nobody reconciles the instances of a graph that is gone.
    stage.graphs().delete(&stage.name, &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    instance.config_maps().delete("shop", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(config().await.is_none());
    stage.end().await;
}

async fn a_field_that_is_not_set_and_a_resource_of_somebody_else_are_false(server: Server) {
    let stage = Stage::set(server).await;
    let zone = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "zone" }, "data": { "zone": "${schema.spec.zone}" },
    });
    let mut graph = stage.graph(&json!([{ "id": "zone", "template": zone }]));
    graph.spec.schema.spec.insert("zone".to_owned(), "string".to_owned());
    stage.graphs().create(&PostParams::default(), &graph).await.unwrap();
    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    let unset =
        instance.until(&[("Ready", "False", "FieldNotSet"), ("GraphResolved", "False", "FieldNotSet")]).await;
    assert_eq!(condition(&unset, "Ready")["message"], "zone: ${schema.spec.zone} is not set");

    let mut foreign = ConfigMap::default();
    foreign.metadata.name = Some("zone".to_owned());
    instance.config_maps().create(&PostParams::default(), &foreign).await.unwrap();
    let patch = Patch::Merge(json!({ "spec": { "zone": "eu" } }));
    instance.objects.patch("shop", &PatchParams::default(), &patch).await.unwrap();
    let taken =
        instance.until(&[("Ready", "False", "ResourceTaken"), ("GraphResolved", "True", "Resolved")]).await;
    assert_eq!(
        condition(&taken, "ResourcesApplied")["message"],
        "zone: ConfigMap zone exists and does not belong to this instance"
    );
    instance.config_maps().delete("zone", &DeleteParams::default()).await.unwrap();
    instance.until(&[("Ready", "True", "AllReady")]).await;
    stage.end().await;
}

async fn a_kind_of_resource_that_comes_late_is_waited_for(server: Server) {
    let stage = Stage::set(server).await;
    let (group, version) = (format!("late.{}", stage.group), format!("late.{}/v1", stage.group));
    let widget =
        json!({ "apiVersion": version, "kind": "Widget", "metadata": { "name": "${schema.spec.name}" } });
    stage.create(&json!([{ "id": "widget", "template": widget }])).await;
    stage.until_conditions_are(&proposed_for(1, "The graph is valid; its resources in order: widget.")).await;
    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    let waiting = instance
        .until(&[("Ready", "Unknown", "KindNotFound"), ("ResourcesApplied", "Unknown", "KindNotFound")])
        .await;
    let message = format!("widget: the API server knows no kind Widget of {version}");
    assert_eq!(condition(&waiting, "Ready")["message"], message);

    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "kind": "Widget", "plural": "widgets" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        },
    });
    stage.server.define(serde_json::from_value(definition).unwrap()).await;
    instance.until(&[("ResourcesApplied", "True", "Applied")]).await;
    let widgets = ApiResource::from_gvk(&GroupVersionKind::gvk(&group, "v1", "Widget"));
    let widgets: Api<DynamicObject> =
        Api::namespaced_with(stage.server.client(), &instance.namespace, &widgets);
    let report = async |status: &str, reason: &str, message: &str| {
        let condition = json!({ "type": "Ready", "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "2025-03-24T21:31:02Z" });
        let patch = Patch::Merge(json!({ "status": { "observedGeneration": 1, "conditions": [condition] } }));
        widgets.patch_status("shop", &PatchParams::default(), &patch).await.unwrap();
    };
    report("True", "Purring", "").await;
    instance.until(&[("Ready", "True", "AllReady")]).await;
    report("False", "DiskFull", "sda is full").await;
    let broken =
        instance.until(&[("Ready", "False", "DiskFull"), ("ResourcesReady", "False", "DiskFull")]).await;
    assert_eq!(condition(&broken, "Ready")["message"], "Widget shop: sda is full");
    report("True", "Purring", "").await;
    instance.until(&[("Ready", "True", "AllReady")]).await;
    let name = format!("widgets.{group}");
    let _ = stage.definitions().delete(&name, &DeleteParams::default()).await;
    stage.end().await;
}

async fn people_wait_for_a_graph_and_see_why_it_is_not_ready(server: Server) {
    let stage = Stage::set(server).await;
    stage.create(&json!([{ "id": "a", "template": { "x": "${a.y}" } }])).await;
    let graph = format!("rgd/{}", stage.name);
    stage.server.kubectl(&["wait", &graph, "--for=condition=Ready=False", "--timeout=20s"]).await.ok();
    let row = stage.server.kubectl(&["get", "rgd", &stage.name, "--no-headers"]).await.ok();
    let columns: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(columns[..4], [&stage.name, "False", "CyclicGraph", "MyCustomKind"]);

    let patch = json!({ "spec": { "resources": sound() } }).to_string();
    stage.server.kubectl(&["patch", &graph, "--type=merge", "-p", &patch]).await.ok();
    let waited = stage.server.kubectl(&["wait", &graph, "--for=condition=Ready", "--timeout=20s"]).await.ok();
    assert!(waited.contains("condition met"), "{waited}");

    let described = stage.server.kubectl(&["describe", "rgd", &stage.name]).await.ok();
    assert!(described.contains("Ready is False (was Unknown): CyclicGraph"), "{described}");

    let instance = Instance::create(&stage, json!({ "name": "shop" })).await;
    let (object, namespace) = (format!("{}/shop", stage.definition()), format!("-n={}", instance.namespace));
    let synced = ["wait", &object, &namespace, "--for=condition=InstanceSynced", "--timeout=20s"];
    stage.server.kubectl(&synced).await.ok();
    let row = stage.server.kubectl(&["get", &object, &namespace, "--no-headers"]).await.ok();
    let columns: Vec<&str> = row.split_whitespace().collect();
    // Nobody runs deployments here.
    assert_eq!(columns[..2], ["shop", "Unknown"], "{row}");
    instance.deploy().await;
    let ready = ["wait", &object, &namespace, "--for=condition=Ready", "--timeout=20s"];
    stage.server.kubectl(&ready).await.ok();
    let row = stage.server.kubectl(&["get", &object, &namespace, "--no-headers"]).await.ok();
    let columns: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(columns[..3], ["shop", "True", "AllReady"], "{row}");

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
