use std::time::Duration;

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{ListParams, Patch, PatchParams, PostParams},
    core::DynamicObject,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    kinds::StatusReport,
    metrics::WriteMetrics,
    report::{
        Identity, Layout, Outcome, Reporter,
        tests::{shared_kind, shared_resource},
    },
};

struct World {
    server: ApiServer,
    layout: Layout,
}

impl World {
    /// The layouts, each with an empty cluster.
    async fn both() -> [Self; 2] {
        let layouts = [
            Layout::singleton(shared_resource(), "default", "config-status"),
            Layout::sharded("default", "config-status"),
        ];
        let mut worlds = Vec::new();
        for layout in layouts {
            let report = serde_json::to_value(StatusReport::crd()).unwrap();
            let world =
                Self { server: ApiServer::builder().crds([shared_kind(), report]).build().unwrap(), layout };
            let object = DynamicObject::new("config-status", &shared_resource());
            world.shared().create(&PostParams::default(), &object).await.unwrap();
            worlds.push(world);
        }
        worlds.try_into().ok().unwrap()
    }

    async fn shared_only() -> Self {
        let [shared, _] = Self::both().await;
        shared
    }

    fn client(&self) -> Client {
        Client::new(self.server.service(), "default")
    }

    fn shared(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client(), "default", &shared_resource())
    }

    async fn object(&self) -> DynamicObject {
        self.shared().get("config-status").await.unwrap()
    }

    async fn report(&self, identity: Identity) {
        let (reporter, running) = Reporter::builder(self.client(), identity, self.layout.clone()).spawn();
        reporter.report("configReconciler", Outcome::success());
        reporter.report("nodeReconciler", Outcome::success());
        assert_eq!(running.stop(Duration::from_secs(5)).await.unwritten, 0);
    }

    fn sweeper(&self) -> Sweeper {
        Sweeper::new(self.client(), self.layout.clone(), speakers())
    }

    /// Everything that is stored: condition types and managers, or the names of reports.
    async fn remains(&self) -> Vec<String> {
        let mut remains = match &self.layout {
            Layout::Singleton { .. } => {
                let object = self.object().await;
                let managers = object.managed_fields().iter().filter(|entry| entry.subresource.is_some());
                let managers = managers.map(|entry| entry.manager.clone().unwrap());
                managers.chain(types(&object)).collect::<Vec<_>>()
            }
            Layout::Sharded { .. } => {
                let reports: Api<StatusReport> = Api::namespaced(self.client(), "default");
                let reports = reports.list(&ListParams::default()).await.unwrap();
                reports.items.iter().map(ResourceExt::name_any).collect()
            }
        };
        remains.sort();
        remains
    }

    async fn apply(&self, manager: &str, status: Option<Value>) {
        let mut body = json!({
            "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationStatus", "metadata": { "name": "config-status" },
        });
        if let Some(status) = status {
            body["status"] = status;
        }
        let params = PatchParams::apply(manager).force();
        self.shared().patch_status("config-status", &params, &Patch::Apply(body)).await.unwrap();
    }
}

fn types(object: &DynamicObject) -> Vec<String> {
    let conditions = object.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.iter().map(|condition| condition["type"].as_str().unwrap().to_owned()).collect()
}

fn condition(type_: &str) -> Value {
    json!({ "type": type_, "status": "True", "reason": "Ok", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" })
}

fn speakers() -> OwnedPrefix {
    OwnedPrefix::new("speaker-").unwrap()
}

fn speaker(node: &str) -> Identity {
    Identity::of("speaker").on(node)
}

#[tokio::test]
async fn what_a_gone_writer_left_behind_goes_and_nothing_else() {
    for world in World::both().await {
        world.report(Identity::of("controller")).await;
        world.report(speaker("a")).await;
        let before = world.remains().await;
        world.report(speaker("b")).await;

        let inventory = Inventory::synced([speaker("a")]);
        let removals = world.sweeper().plan(&inventory).await.unwrap();
        assert!(removals.iter().all(|removal| removal.writer == "speaker-b" && removal.kept.is_empty()));
        let mut gone: Vec<_> = removals.iter().flat_map(|removal| removal.conditions.clone()).collect();
        gone.retain(|type_| type_ != "Ready");
        gone.sort();
        assert_eq!(gone.len(), 2, "{gone:?}");
        assert!(gone[0].ends_with("configReconcilerValid"), "{gone:?}");

        let metrics = WriteMetrics::default();
        let count = removals.len();
        let swept = world.sweeper().metrics(metrics.clone()).execute(removals).await;
        assert_eq!((swept.done.len(), swept.spared.len(), swept.failed.len()), (count, 0, 0));
        assert_eq!(metrics.sent.get(), u64::try_from(count).unwrap());
        assert_eq!(world.remains().await, before);
        assert_eq!(world.sweeper().plan(&inventory).await.unwrap(), []);
    }
}

#[tokio::test]
async fn planning_changes_nothing_and_an_unknown_inventory_is_not_even_looked_up() {
    for world in World::both().await {
        world.report(speaker("a")).await;
        let before = world.remains().await;
        let inventory = Inventory::synced([speaker("b")]);
        assert!(!world.sweeper().plan(&inventory).await.unwrap().is_empty());
        assert_eq!(world.remains().await, before);

        world.server.faults().add(Rule::new(Effect::InternalError));
        for unknown in [Inventory::Unsynced, Inventory::synced([])] {
            assert_eq!(world.sweeper().plan(&unknown).await.unwrap(), []);
        }
        let error = world.sweeper().plan(&inventory).await.unwrap_err();
        assert!(error.to_string().contains("config-status"), "{error}");
    }
}

#[tokio::test]
async fn the_bytes_that_a_plan_promises_are_the_bytes_that_are_freed() {
    let world = World::shared_only().await;
    world.report(speaker("a")).await;
    let size = async || serde_json::to_vec(&world.object().await).unwrap().len();
    let before = size().await;
    world.report(speaker("b")).await;
    let after = size().await;
    let removals = world.sweeper().plan(&Inventory::synced([speaker("a")])).await.unwrap();
    let promised: usize = removals.iter().map(|removal| removal.bytes).sum();
    // Commas between entries, and a longer resource version, are not counted.
    assert!((after - before).abs_diff(promised) < 16, "{promised} of {}", after - before);
}

#[tokio::test]
async fn a_ghost_that_owns_nothing_any_more_is_swept_too() {
    let world = World::shared_only().await;
    world.report(speaker("a")).await;
    let before = world.remains().await;
    world
        .apply(
            "speaker-b/configReconciler",
            Some(json!({ "conditions": [condition("speaker-b/configReconcilerValid")] })),
        )
        .await;
    world.apply("speaker-b/configReconciler", Some(json!({}))).await;
    assert_eq!(world.remains().await.len(), before.len() + 1, "an empty status leaves the manager behind");
    let removals = world.sweeper().plan(&Inventory::synced([speaker("a")])).await.unwrap();
    assert_eq!(removals[0].conditions, [] as [String; 0]);
    world.sweeper().execute(removals).await;
    assert_eq!(world.remains().await, before);
}

#[tokio::test]
async fn a_condition_that_somebody_else_owns_too_stays() {
    let world = World::shared_only().await;
    let shared = "speaker-b/configReconcilerValid";
    world.apply("speaker-b/configReconciler", Some(json!({ "conditions": [condition(shared)] }))).await;
    world.apply("somebody", Some(json!({ "conditions": [condition(shared)] }))).await;
    let removals = world.sweeper().plan(&Inventory::synced([speaker("a")])).await.unwrap();
    assert_eq!((removals[0].conditions.len(), &*removals[0].kept), (0, &[shared.to_owned()][..]));
    world.sweeper().execute(removals).await;
    assert_eq!(world.remains().await, ["somebody", shared]);
}

#[tokio::test]
async fn a_manager_with_conditions_that_are_not_its_own_is_left_alone() {
    let world = World::shared_only().await;
    let foreign = [condition("speaker-b/configReconcilerValid"), condition("Ready")];
    world.apply("speaker-b/configReconciler", Some(json!({ "conditions": foreign }))).await;
    world
        .apply("a-tool", Some(json!({ "conditions": [condition("speaker-c/configReconcilerValid")] })))
        .await;
    assert_eq!(world.sweeper().plan(&Inventory::synced([speaker("a")])).await.unwrap(), []);
}

#[tokio::test]
async fn names_that_had_to_be_shortened_are_told_apart() {
    let long = |end: &str| speaker(&format!("{}{end}", "n".repeat(200)));
    for world in World::both().await {
        world.report(long("a")).await;
        let before = world.remains().await;
        world.report(long("b")).await;
        let removals = world.sweeper().plan(&Inventory::synced([long("a")])).await.unwrap();
        assert!(
            !removals.is_empty() && removals.iter().all(|removal| removal.writer == long("b").to_string())
        );
        world.sweeper().execute(removals).await;
        assert_eq!(world.remains().await, before);
    }
}

#[tokio::test]
async fn a_writer_that_is_back_since_it_was_looked_for_keeps_what_it_says() {
    for world in World::both().await {
        world.report(speaker("b")).await;
        let inventory = Inventory::synced([speaker("a")]);
        let removals = world.sweeper().plan(&inventory).await.unwrap();
        let count = removals.len();
        let (reporter, running) =
            Reporter::builder(world.client(), speaker("b"), world.layout.clone()).spawn();
        reporter.report("configReconciler", Outcome::error("back again"));
        running.stop(Duration::from_secs(5)).await;
        let before = world.remains().await;
        let swept = world.sweeper().execute(removals).await;
        assert_eq!((swept.done.len(), swept.spared.len(), swept.failed.len()), (0, count, 0));
        assert_eq!(world.remains().await, before);

        let removals = world.sweeper().plan(&inventory).await.unwrap();
        assert_eq!(world.sweeper().execute(removals).await.done.len(), count, "the next sweep looks again");
    }
}

#[tokio::test]
async fn what_cannot_be_removed_is_said_and_found_again() {
    for world in World::both().await {
        world.report(speaker("b")).await;
        let inventory = Inventory::synced([speaker("a")]);
        let removals = world.sweeper().plan(&inventory).await.unwrap();
        world.server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Patch));
        world.server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Delete));
        let swept = world.sweeper().execute(removals.clone()).await;
        assert_eq!((swept.done.len(), swept.failed.len()), (0, removals.len()));
        assert_eq!(world.sweeper().plan(&inventory).await.unwrap(), removals);
    }
}

#[tokio::test]
async fn reports_about_another_target_are_left_alone() {
    let [_, world] = World::both().await;
    let other = Layout::sharded("default", "other-status");
    let (reporter, running) = Reporter::builder(world.client(), speaker("b"), other).spawn();
    reporter.report("configReconciler", Outcome::success());
    running.stop(Duration::from_secs(5)).await;
    assert_eq!(world.sweeper().plan(&Inventory::synced([speaker("a")])).await.unwrap(), []);
}

proptest! {
    #[test]
    fn a_plan_names_nobody_who_is_there_and_nothing_that_is_not_owned(
        nodes in proptest::collection::vec(("(speaker|controller|other)", "[a-d]{1,2}", "[a-z]{1,3}"), 0..12),
        there in proptest::collection::btree_set("[a-d]{1,2}", 0..4),
    ) {
        let entries = nodes.iter().map(|(component, node, reconciler)| {
            let identity = Identity::of(component).on(node);
            let type_ = identity.condition_type(reconciler);
            let key = format!("k:{}", json!({ "type": type_ }));
            json!({
                "manager": identity.manager(reconciler).as_str(), "operation": "Apply", "subresource": "status",
                "fieldsType": "FieldsV1", "fieldsV1": { "f:status": { "f:conditions": { key: {} } } },
            })
        });
        let object = json!({ "metadata": { "managedFields": entries.collect::<Vec<_>>() } });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let inventory = Inventory::synced(there.iter().map(|node| speaker(node)));
        let removals = plan(&object, &speakers(), &inventory);
        for removal in &removals {
            prop_assert!(removal.writer.starts_with("speaker-"));
            prop_assert!(!there.contains(&removal.writer["speaker-".len()..]));
        }
        let gone = nodes.iter().filter(|(component, node, _)| component == "speaker" && !there.contains(node)).count();
        prop_assert_eq!(removals.len(), if there.is_empty() { 0 } else { gone });
    }
}
