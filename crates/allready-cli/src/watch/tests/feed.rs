//! The watches on the embedded server, also when it forgets, refuses and goes away.

use std::{sync::Arc, time::Duration};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect as Fault, Rule},
    server::Keep,
};
use allready_inspect::{
    judge::judge,
    live::{self, Aging, Feed, Wanted, no_facts, whole},
    registry::Registry,
};
use allready_kube::resources::{Catalog, Resource, Selection};
use kube::{
    Api, Client,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::json;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use super::*;
use crate::watch::model::Looked;

/// Returns the row of an object that a list brings.
pub(crate) fn said(object: &DynamicObject, registry: &Registry, now: Time) -> crate::agreement::Said {
    let types = object.types.clone().unwrap_or_default();
    let (group, version) = types.api_version.split_once('/').unwrap_or(("", &types.api_version));
    let resource = Resource {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: types.kind,
        ..Resource::default()
    };
    let mut model = Model::new(String::new(), false, now);
    let (kind, plural) = (resource.kind.clone(), String::new());
    update(&mut model, Event::Kind { group: resource.group.clone(), kind, plural });
    let key = Key::new(0, "shop", "a");
    let object = whole(&resource, object);
    let judged = registry.clone();
    let verdict = Aging::new(move |object, now| judge(object, &judged, now)).judge(&key, &object, now);
    let field = verdict.field.clone();
    update(&mut model, live::seen(key.clone(), object, verdict, registry, now, no_facts));
    let record = model.live.record(&key).unwrap();
    crate::agreement::Said {
        health: record.health,
        since: record.begin(),
        reason: record.reason().to_owned(),
        message: record.message().to_owned(),
        field,
    }
}

/// A server with widgets, and somebody who watches them.
struct Scene {
    server: ApiServer,
    client: Client,
    feed: Feed,
    widgets: Resource,
    model: Model,
    events: mpsc::Receiver<Event>,
}

impl Scene {
    async fn new() -> Self {
        let server = ApiServer::new();
        server
            .define(json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": { "name": "widgets.example.com" },
                "spec": {
                    "group": "example.com", "scope": "Namespaced",
                    "names": { "kind": "Widget", "plural": "widgets", "singular": "widget" },
                    "versions": [{
                        "name": "v1", "served": true, "storage": true,
                        "schema": { "openAPIV3Schema": {
                            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                        } },
                    }],
                },
            }))
            .unwrap();
        let client = Client::new(server.service(), "default");
        let catalog = Catalog::discover(&client).await.unwrap();
        let widgets = catalog.find("widgets").unwrap().clone();
        let (sender, events) = mpsc::channel(16);
        let feed = Feed::new(client.clone(), sender, || at(0), no_facts);
        let mut model = Model::new("namespace default".to_owned(), false, at(0));
        let (group, kind, plural) = ("example.com".to_owned(), "Widget".to_owned(), "widgets".to_owned());
        update(&mut model, Event::Kind { group, kind, plural });
        Self { server, client, feed, widgets, model, events }
    }

    fn follow(&self) {
        self.follow_by(Registry::builtin().clone());
    }

    fn follow_by(&self, registry: Registry) {
        let selection = Selection { namespace: Some("default".to_owned()), ..Selection::default() };
        let follow = self.feed.clone().follow(0, self.widgets.clone(), selection, Arc::new(registry));
        tokio::spawn(follow);
    }

    fn api(&self) -> Api<DynamicObject> {
        self.widgets.api(self.client.clone(), Some("default"))
    }

    async fn create(&self, name: &str, ready: &str) {
        let widget = json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name },
            "status": { "conditions": [{
                "type": "Ready", "status": ready, "reason": "Said", "message": "so it is",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }] },
        });
        self.api().create(&PostParams::default(), &serde_json::from_value(widget).unwrap()).await.unwrap();
    }

    /// Takes events in until something holds of the state.
    async fn until(&mut self, what: &str, holds: impl Fn(&Model) -> bool) {
        let waiting = async {
            while !holds(&self.model) {
                let event = self.events.recv().await.unwrap();
                update(&mut self.model, event);
            }
        };
        let done = timeout(Duration::from_secs(20), waiting).await;
        assert!(done.is_ok(), "{what}: {:?}", self.model);
    }
}

fn healths(model: &Model) -> Vec<(String, Health)> {
    let objects = model.live.kinds[0].objects.iter();
    let mut healths: Vec<_> =
        objects.map(|(place, record)| (place.name.to_string(), record.health)).collect();
    healths.sort();
    healths
}

#[tokio::test]
async fn what_is_declared_of_a_kind_decides_what_its_objects_look_like() {
    let mut scene = Scene::new().await;
    scene.create("a", "True").await;
    let declared =
        json!([{ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "abnormal" } }]);
    let registry = Registry::builtin().clone().with(allready_inspect::registry::read(&declared).unwrap());
    scene.follow_by(registry);
    scene.until("it is degraded", |model| model.live.tally.of(Health::Degraded) == 1).await;
}

#[tokio::test]
async fn objects_are_listed_page_by_page_and_then_watched() {
    let mut scene = Scene::new().await;
    for number in 0..600 {
        scene.create(&format!("w-{number:03}"), if number == 7 { "False" } else { "True" }).await;
    }
    scene.follow();
    scene.until("everything is watched", |model| model.live.coverage().is_complete()).await;
    assert_eq!((scene.model.live.tally.all(), scene.model.live.tally.of(Health::Healthy)), (600, 599));
    assert_eq!(rows(&mut scene.model), [">w-007"]);
    assert!(scene.model.live.history.transitions().is_empty());
    let patch =
        json!({ "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Said" }] } });
    let patched = scene.api().patch("w-007", &PatchParams::default(), &Patch::Merge(patch)).await;
    patched.unwrap();
    scene.until("it is well", |model| model.live.tally.of(Health::Healthy) == 600).await;
    scene.api().delete("w-000", &DeleteParams::default()).await.unwrap();
    scene.until("it is gone", |model| model.live.tally.all() == 599).await;
    let told: Vec<_> =
        scene.model.live.history.transitions().iter().map(|seen| (seen.from, seen.to)).collect();
    assert_eq!(told, [(Some(Health::Healthy), None), (Some(Health::Degraded), Some(Health::Healthy))]);
}

#[tokio::test]
async fn who_is_refused_is_failing_until_it_works_again() {
    let mut scene = Scene::new().await;
    scene.create("a", "True").await;
    for verb in [Verb::List, Verb::Watch] {
        scene.server.faults().add(Rule::new(Fault::Forbidden).verb(verb).kind("Widget").next_calls(1));
    }
    scene.follow();
    scene.until("the list is refused", |model| model.live.coverage().failing == 1).await;
    assert!(
        scene.model.live.coverage().text().contains("widgets.example.com: forbidden: a fault was injected")
    );
    scene.until("the watch is refused", |model| model.live.kinds[0].objects.is_synced()).await;
    assert_eq!(scene.model.live.coverage().failing, 1, "to be listed is not to be watched");
    scene.until("everything is watched", |model| model.live.coverage().is_complete()).await;
    assert_eq!(healths(&scene.model), [("a".to_owned(), Health::Healthy)]);
}

#[tokio::test]
async fn what_happened_while_the_server_was_away_is_seen_afterwards() {
    let mut scene = Scene::new().await;
    scene.create("a", "True").await;
    scene.create("b", "True").await;
    scene.follow();
    scene.until("everything is watched", |model| model.live.coverage().is_complete()).await;
    scene.server.faults().add(Rule::new(Fault::Unavailable).verb(Verb::List).kind("Widget").next_calls(1));
    scene.api().delete("a", &DeleteParams::default()).await.unwrap();
    scene.until("one is gone", |model| model.live.tally.all() == 1).await;
    scene.server.restart(Keep::Data);
    scene.api().delete("b", &DeleteParams::default()).await.unwrap();
    scene.create("c", "False").await;
    scene.until("it is failing", |model| model.live.coverage().failing == 1).await;
    scene.until("everything is watched", |model| model.live.coverage().is_complete()).await;
    assert_eq!(healths(&scene.model), [("c".to_owned(), Health::Degraded)]);
}

#[tokio::test]
async fn an_object_is_read_whole_for_who_looks_at_it() {
    let mut scene = Scene::new().await;
    scene.create("a", "False").await;
    scene.follow();
    scene.until("everything is watched", |model| model.live.coverage().is_complete()).await;
    scene.model.arrange();
    let Some(Effect::Look(key)) = press(&mut scene.model, "\n") else { panic!("nobody looks") };
    let (looker, wanted) = watch::channel(None);
    tokio::spawn(scene.feed.clone().look(wanted));
    let catalog = Arc::new(Catalog::discover(&scene.client).await.unwrap());
    let registry = Arc::new(Registry::builtin().clone());
    looker.send_replace(Some(Wanted { key, resource: scene.widgets.clone(), catalog, registry }));
    let is_found = |model: &Model| matches!(model.looked, Some((_, Looked::Found(_))));
    scene.until("it is read", is_found).await;
    scene.until("it is explained", |model| model.explanation.is_some()).await;
    let root = scene.model.explanation.as_ref().unwrap().root().unwrap();
    assert_eq!((root.label.as_str(), root.health), ("Widget default/a", Some(Health::Degraded)));
    let shown = screen(&mut scene.model, 80, 12);
    assert!(shown.contains("Widget/a in default"), "{shown}");
    assert!(shown.contains("Ready=False Said for 0s"), "{shown}");
    assert!(shown.contains("  so it is"), "{shown}");
}
