//! Objects in view of each other, while they come and go.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_inspect::{
    graph::{Extent, ObjectId},
    judge::judge,
    live::{self, Graph, Scope, Searched, no_facts},
    registry::Registry,
};
use serde_json::{Value, json};

use super::*;
use crate::{
    agreement::Said,
    watch::model::{Listing, Screen},
};

/// Something that happens to an object.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) object: Value,
    pub(crate) is_deleted: bool,
    /// Set where a search begins before it, and ends after it.
    pub(crate) is_searched: bool,
}

/// A state and its objects in view of each other, without a cluster.
struct World {
    model: Model,
    graph: Graph,
    scope: Scope,
    kinds: BTreeMap<(String, String), usize>,
}

impl World {
    fn new(registry: &Registry, now: Time) -> Self {
        let scope = Scope { registry: Arc::new(registry.clone()), ..Scope::default() };
        let model = Model::new("all namespaces".to_owned(), true, now);
        Self { model, graph: Graph::new(Extent::Everything), scope, kinds: BTreeMap::new() }
    }

    fn key(&mut self, object: &Value) -> Key {
        let id = ObjectId::of(object).unwrap();
        let next = self.kinds.len();
        let kind = *self.kinds.entry((id.group.clone(), id.kind.clone())).or_insert(next);
        if kind == next {
            let (group, kind) = (id.group.clone(), id.kind.clone());
            let plural = format!("{}s", kind.to_lowercase());
            update(&mut self.model, Event::Kind { group, kind, plural });
            for event in [Event::Listing(next), Event::Listed(next), Event::Watching(next)] {
                self.hear(event);
            }
        }
        Key::new(kind, &id.namespace, &id.name)
    }

    fn hear(&mut self, mut event: Event) {
        self.graph.hear(&mut event);
        update(&mut self.model, event);
    }

    fn put(&mut self, object: Value) {
        let (key, now) = (self.key(&object), self.model.live.now);
        let verdict = judge(&object, &self.scope.registry, now);
        let registry = Arc::clone(&self.scope.registry);
        self.hear(live::seen(key, object, verdict, &registry, now, no_facts));
    }

    fn delete(&mut self, object: &Value) {
        let key = self.key(object);
        self.hear(Event::Gone(key));
    }

    fn search(&mut self) {
        for event in self.graph.search(&self.scope, self.model.live.now) {
            update(&mut self.model, event);
        }
    }

    fn health(&mut self, object: &Value) -> Option<Health> {
        let key = self.key(object);
        self.model.live.record(&key).map(|record| record.health)
    }
}

/// Returns the rows of objects after everything that happened to them, and the causes.
pub(crate) fn said_together(
    changes: &[Change],
    registry: &Registry,
    now: Time,
) -> (BTreeMap<ObjectId, Said>, Vec<String>) {
    let mut world = World::new(registry, now);
    for change in changes {
        let causes = change.is_searched.then(|| world.graph.begin(&world.scope)).flatten();
        if change.is_deleted {
            world.delete(&change.object);
        } else {
            world.put(change.object.clone());
        }
        if let Some(causes) = causes {
            let found = causes.search(registry, now);
            for event in world.graph.end(Searched::new(causes, found)) {
                update(&mut world.model, event);
            }
        }
    }
    world.search();
    let mut said = BTreeMap::new();
    for ((group, kind), index) in &world.kinds {
        for (place, record) in world.model.live.kinds[*index].objects.iter() {
            let id = ObjectId::new(group, kind, &place.namespace, &place.name);
            let (reason, message) = (record.reason().to_owned(), record.message().to_owned());
            let (health, since) = (record.health, record.since);
            said.insert(id, Said { health, since, reason, message, field: String::new() });
        }
    }
    let causes = world.model.live.causes.iter().flatten().map(|cause| cause.text.clone());
    (said, causes.collect())
}

fn service(selected: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web", "namespace": "shop", "uid": "s" },
        "spec": { "selector": { "app": selected }, "clusterIP": "10.0.0.7", "ports": [{ "port": 80 }] } })
}

fn pod(name: &str, waiting: Option<&str>) -> Value {
    let state = waiting.map_or_else(
        || json!({ "running": {} }),
        |reason| json!({ "waiting": { "reason": reason, "message": "no such image web:2" } }),
    );
    let ready = if waiting.is_some() { "False" } else { "True" };
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "shop", "uid": name,
            "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "app" }] },
        "status": { "phase": if waiting.is_some() { "Pending" } else { "Running" },
            "conditions": [{ "type": "Ready", "status": ready, "reason": "Told" }],
            "containerStatuses": [{ "name": "app", "ready": waiting.is_none(), "restartCount": 0, "state": state }] } })
}

fn slice(is_ready: bool) -> Value {
    json!({ "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": { "name": "web-1", "namespace": "shop", "labels": { "kubernetes.io/service-name": "web" } },
        "endpoints": [{ "addresses": ["10.0.0.2"], "conditions": { "ready": is_ready },
            "targetRef": { "kind": "Pod", "name": "web-1", "namespace": "shop" } }] })
}

/// A Service with one pod, which cannot start.
fn broken() -> World {
    let mut world = World::new(Registry::builtin(), at(0));
    for object in [service("web"), pod("web-1", Some("ImagePullBackOff")), slice(false)] {
        world.put(object);
    }
    world.search();
    world
}

#[test]
fn a_service_without_ready_endpoints_is_as_bad_as_check_says_and_well_when_they_are_ready() {
    let mut world = broken();
    assert!(world.health(&service("web")) > Some(Health::Suspended));
    assert_eq!(world.model.live.causes.as_ref().unwrap().len(), 1, "{:?}", world.model.live.causes);
    world.put(pod("web-1", None));
    world.put(slice(true));
    assert!(world.health(&service("web")) > Some(Health::Suspended), "not before it was compared again");
    world.search();
    assert_eq!(world.health(&service("web")), Some(Health::Healthy));
    assert!(world.model.live.causes.as_ref().unwrap().is_empty());
    world.delete(&slice(true));
    world.delete(&pod("web-1", None));
    world.search();
    assert!(world.health(&service("web")) > Some(Health::Suspended));
}

#[test]
fn an_object_that_is_seen_again_as_it_was_does_not_flicker() {
    let mut world = broken();
    let before = world.model.live.history.transitions().len();
    for _ in 0..3 {
        world.put(service("web"));
        assert!(world.health(&service("web")) > Some(Health::Suspended), "alone it would be healthy");
        world.search();
    }
    assert_eq!(world.model.live.history.transitions().len(), before);
}

#[test]
fn what_is_new_is_not_called_healthy_before_it_was_compared_with_others() {
    let mut world = World::new(Registry::builtin(), at(0));
    world.search();
    world.put(service("web"));
    assert_eq!(world.health(&service("web")), None);
    world.search();
    assert!(world.health(&service("web")) > Some(Health::Suspended));
    world.put(pod("other", Some("ImagePullBackOff")));
    assert_eq!(world.health(&pod("other", None)), Some(Health::Degraded), "bad news are not held back");
}

#[test]
fn a_list_that_brings_the_same_objects_again_loses_none() {
    let mut world = broken();
    let key = world.key(&service("web"));
    world.hear(Event::Listing(key.kind));
    world.put(service("web"));
    world.hear(Event::Listed(key.kind));
    assert!(world.health(&service("web")) > Some(Health::Suspended));
    world.hear(Event::Listing(key.kind));
    world.hear(Event::Listed(key.kind));
    world.search();
    assert_eq!(world.health(&service("web")), None);
    let affected = world.model.live.causes.iter().flatten().flat_map(|cause| &cause.objects);
    assert!(affected.into_iter().all(|object| *object != key));
}

#[test]
fn a_cause_leads_to_its_objects_and_they_lead_back() {
    let mut world = broken();
    let model = &mut world.model;
    insta::assert_snapshot!("causes", screen(model, 80, 24));
    press(model, "\n");
    assert_eq!((model.screen, matches!(model.listing, Listing::Cause(_))), (Screen::Table, true));
    insta::assert_snapshot!("objects_of_a_cause", screen(model, 80, 24));
    assert!(matches!(press(model, "j\n"), Some(Effect::Look(_))));
    assert_eq!(model.screen, Screen::Details);
    press(model, "\u{1b}");
    assert!(matches!(model.listing, Listing::Cause(_)));
    press(model, "\u{1b}");
    assert!(model.shows_causes() && model.looked.is_none());
    assert_eq!(press(model, "\u{1b}"), Some(Effect::Quit));
}

#[test]
fn a_key_leads_from_causes_to_objects_and_back() {
    let mut world = broken();
    let model = &mut world.model;
    model.arrange();
    assert_eq!((model.shown.len(), model.rows.len()), (1, 0));
    press(model, "c");
    assert_eq!(rows(model).len(), 2);
    press(model, "c");
    model.arrange();
    assert_eq!((model.shown.len(), model.rows.len()), (1, 0));
    press(model, "a");
    assert_eq!((rows(model).len(), model.shows_all), (3, true), "of what is healthy there are no causes");
}

#[test]
fn a_filter_keeps_the_causes_of_what_it_matches() {
    let mut world = broken();
    let mut widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": { "name": "a", "namespace": "lab" },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoQuota" }] } });
    world.put(widget.clone());
    world.search();
    let model = &mut world.model;
    let mut causes = |keys: &str| {
        press(model, keys);
        model.arrange();
        let causes = (0..model.length()).filter_map(|row| model.cause(row));
        causes.map(|cause| cause.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(causes("").len(), 2);
    assert_eq!(causes("/ns:lab"), ["NoQuota"]);
    assert_eq!(causes("\u{1b}/kind:service\n").len(), 1);
    assert_eq!(causes("\u{1b}/image\n").len(), 1, "what the cause says counts too");
    assert_eq!(causes("\u{1b}").len(), 2);
    // The selection stays with its cause, and a cause that is gone says so.
    causes("/ns:lab\n");
    press(&mut world.model, "\n");
    assert_eq!(rows(&mut world.model), [">a"]);
    widget["status"]["conditions"][0]["status"] = json!("True");
    world.put(widget);
    world.search();
    press(&mut world.model, "\u{1b}\u{1b}");
    assert_eq!(rows(&mut world.model), [] as [&str; 0]);
}

#[test]
fn from_an_object_one_goes_on_to_those_behind_it() {
    use allready_inspect::{
        explain::{Bounds, explain},
        graph::{Known, Reference},
    };
    let mut world = broken();
    let (service_key, pod_key) = (world.key(&service("web")), world.key(&pod("web-1", None)));
    let mut known = Known::new(Extent::Everything);
    for object in [service("web"), pod("web-1", Some("ImagePullBackOff")), slice(false)] {
        known.add(object);
    }
    let root = Reference::to(&ObjectId::new("", "Service", "shop", "web"));
    let explanation = explain(&known, &root, Registry::builtin(), at(0), &Bounds::default());
    let model = &mut world.model;
    press(model, "c/kind:service\n");
    assert_eq!(press(model, "\n"), Some(Effect::Look(service_key.clone())));
    press(model, "\n");
    assert_eq!(model.screen, Screen::Details, "nothing is known of what is behind it");
    let details = allready_inspect::live::Details::of(&service("web"), Registry::builtin(), at(0));
    update(model, Event::Looked(service_key.clone(), Ok(Box::new(details))));
    update(model, Event::Explained(service_key.clone(), Box::new(explanation)));
    insta::assert_snapshot!("details_in_view_of_others", screen(model, 80, 24));
    press(model, "\n");
    press(model, "/kind:pod\n");
    assert_eq!(rows(model), [">web-1"]);
    assert_eq!(press(model, "\n"), Some(Effect::Look(pod_key)));
    assert_eq!(press(model, "\u{1b}"), Some(Effect::Look(service_key)));
    assert_eq!(rows(model), [">web-1"], "back to those behind the Service");
    assert_eq!(press(model, "\u{1b}"), None);
    assert_eq!(model.screen, Screen::Details);
    press(model, "\u{1b}");
    assert_eq!((model.screen, &model.listing), (Screen::Table, &Listing::Objects));
}

#[test]
fn no_size_is_too_small_for_causes() {
    let mut world = broken();
    let evil = "evil\u{1b}[2J\u{202e}\u{7}\u{200b}";
    world.put(json!({ "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": { "name": evil, "namespace": evil },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": evil, "message": evil }] } }));
    world.search();
    for keys in ["", "\n", "G\n"] {
        press(&mut world.model, keys);
        for columns in [0, 1, 2, 3, 8, 20, 40, 79, 200] {
            for lines in 0..20 {
                let shown = screen(&mut world.model, columns, lines);
                assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{200b}']), "{columns}x{lines}");
            }
        }
    }
}

#[test]
fn twenty_thousand_objects_are_compared_within_seconds() {
    let mut world = World::new(Registry::builtin(), at(0));
    for number in 0..20_000 {
        let waiting = (number % 20 == 0).then_some("ImagePullBackOff");
        world.put(pod(&format!("web-{number}"), waiting));
    }
    world.put(service("web"));
    let began = std::time::Instant::now();
    world.search();
    let first = began.elapsed();
    world.put(pod("web-7", Some("ImagePullBackOff")));
    world.search();
    println!("a search over 20,000 objects took {first:?}, with the next one {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(world.model.live.tally.all(), 20_001);
    let shown = screen(&mut world.model, 80, 24);
    assert!(shown.contains("ImagePullBackOff"), "{shown}");
}

/// Troubles of an afternoon, as the docs show them.
fn afternoon() -> Vec<Value> {
    let since = |hour: &str| format!("2026-11-15T{hour}:00Z");
    let owned = |mut object: Value, kind: &str, name: &str| {
        object["metadata"]["ownerReferences"] =
            json!([{ "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true }]);
        object
    };
    let workload = |kind: &str, namespace: &str, name: &str, replicas: u8, status: &Value| {
        json!({ "apiVersion": "apps/v1", "kind": kind, "status": status,
            "metadata": { "name": name, "namespace": namespace, "uid": name, "creationTimestamp": since("11:32") },
            "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": name } } } })
    };
    let pod = |name: &str| {
        let mut pod = pod(name, Some("ImagePullBackOff"));
        pod["status"]["conditions"][0]["lastTransitionTime"] = json!(since("11:32"));
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"] =
            json!("Back-off pulling image \"web:2\"");
        owned(pod, "ReplicaSet", "web-7d9f8b6c4")
    };
    let set = workload("ReplicaSet", "shop", "web-7d9f8b6c4", 2, &json!({ "replicas": 2 }));
    let lost = json!({ "type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.", "lastTransitionTime": since("05:00") });
    let failed = json!({ "type": "Failed", "status": "True", "reason": "BackoffLimitExceeded",
        "message": "Job has reached the specified backoff limit", "lastTransitionTime": since("11:55") });
    vec![
        workload(
            "Deployment",
            "shop",
            "web",
            2,
            &json!({ "replicas": 2, "updatedReplicas": 2, "unavailableReplicas": 2 }),
        ),
        owned(set, "Deployment", "web"),
        pod("web-7d9f8b6c4-x2x1z"),
        pod("web-7d9f8b6c4-q8kfp"),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1" }, "status": { "conditions": [lost] } }),
        json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "migrate", "namespace": "payments" },
            "spec": {}, "status": { "failed": 7, "conditions": [failed] } }),
        workload(
            "StatefulSet",
            "payments",
            "ledger",
            3,
            &json!({ "replicas": 3, "readyReplicas": 1, "updatedReplicas": 3 }),
        ),
    ]
}

#[test]
fn the_screen_in_the_docs_is_the_one_that_watch_shows() {
    let mut world = World::new(Registry::builtin(), "2026-11-15T12:00:00Z".parse().unwrap());
    for object in afternoon() {
        world.put(object);
    }
    world.search();
    let screen = screen(&mut world.model, 100, 24);
    let lines = screen.lines().map(|line| line.trim_matches('"').trim_end()).filter(|line| !line.is_empty());
    let shown = lines.collect::<Vec<_>>().join("\n");
    let page = include_str!("../../../../../docs/cli.md");
    assert!(page.contains(&format!("```console\n{shown}\n```\n")), "docs/cli.md needs this screen:\n{shown}");
}
