//! Declarations of definitions and files that change while somebody watches.

use std::time::Duration;

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect as Fault, Rule},
};
use allready_inspect::health::Health;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use allready_kube::resources::{Resource, Selection};

use super::*;
use crate::declared::DeclaredArgs;

fn definition(says: &str) -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.lab.example", "annotations": { "allready.dev/conditions": says } },
        "spec": {
            "group": "lab.example", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

/// A server with a widget that is ready and shiny, and somebody who watches it.
struct Scene {
    server: ApiServer,
    cluster: Cluster,
    widgets: Resource,
    shell: Shell,
}

impl Scene {
    async fn new() -> Self {
        let server = ApiServer::new();
        server.define(definition("Ready: Shiny")).unwrap();
        let client = Client::new(server.service(), "default");
        let condition = |type_: &str| json!({ "type": type_, "status": "True", "reason": "R" });
        let widget = json!({
            "apiVersion": "lab.example/v1", "kind": "Widget", "metadata": { "name": "a" },
            "status": { "conditions": [condition("Ready"), condition("Shiny")] },
        });
        let widgets = Catalog::discover(&client).await.unwrap().find("widgets").unwrap().clone();
        let api = widgets.api(client.clone(), Some("default"));
        api.create(&PostParams::default(), &serde_json::from_value(widget).unwrap()).await.unwrap();
        let shell = Shell::new(client.clone(), Model::new(String::new(), false, clock()));
        let namespace = "default".to_owned();
        let cluster = Cluster { client, namespace, server: String::new(), context: None };
        Self { server, cluster, widgets, shell }
    }

    /// The definition says this from now on, or nothing any more.
    async fn declare(&self, says: Option<&str>) {
        let patch = json!({ "metadata": { "annotations": { "allready.dev/conditions": says } } });
        let catalog = Catalog::discover(&self.cluster.client).await.unwrap();
        let definitions = catalog.find("customresourcedefinitions").unwrap();
        let api = definitions.api(self.cluster.client.clone(), None);
        api.patch("widgets.lab.example", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    /// Asks again, as is done every half a minute, with what is declared in files.
    async fn ask(&mut self, files: &Declared) {
        let catalog = Catalog::discover(&self.cluster.client).await.unwrap();
        let known = Discovered::of(&self.cluster.client, catalog, files).await;
        let resources = vec![(self.widgets.clone(), Selection::default())];
        self.shell.learn(Chosen { resources, ..Chosen::default() }, known);
    }

    async fn until_widget_is(&mut self, health: Health) {
        let shell = &mut self.shell;
        let heard = async {
            let mut heard = Vec::new();
            while shell.model.live.tally.of(health) == 0 {
                shell.follower.hear(&mut heard).await.unwrap();
                for event in heard.drain(..) {
                    update(&mut shell.model, event);
                }
            }
        };
        let heard = tokio::time::timeout(Duration::from_secs(20), heard).await;
        assert!(heard.is_ok(), "{health:?}: {:?}", self.shell.model);
    }
}

#[tokio::test]
async fn what_a_definition_says_later_counts_from_then_on_until_it_does_not_any_more() {
    let mut scene = Scene::new().await;
    for (says, health) in [
        (Some("Ready: Shiny"), Health::Healthy),
        (Some("Ready: !Shiny"), Health::Degraded),
        (Some("Ready: ["), Health::Unknown),
        (None, Health::Healthy),
    ] {
        scene.declare(says).await;
        scene.ask(&Declared::default()).await;
        scene.until_widget_is(health).await;
        assert_eq!(scene.shell.model.live.heard.problems.len(), usize::from(health == Health::Unknown));
    }
    assert_eq!(scene.shell.model.live.tally.all(), 1, "it is still one object");
}

#[tokio::test]
async fn a_list_of_definitions_that_fails_is_told_and_takes_no_declaration_away() {
    let mut scene = Scene::new().await;
    let refuse =
        || Rule::new(Fault::Forbidden).verb(Verb::List).kind("CustomResourceDefinition").next_calls(1);
    scene.server.faults().add(refuse());
    scene.ask(&Declared::default()).await;
    let told = "declarations in CRDs are not known: cannot list customresourcedefinitions";
    let coverage = scene.shell.model.live.coverage();
    assert!(coverage.text().contains(told) && coverage.has_gaps(), "{}", coverage.text());

    scene.declare(Some("Ready: !Shiny")).await;
    scene.ask(&Declared::default()).await;
    scene.until_widget_is(Health::Degraded).await;
    assert_eq!(scene.shell.model.live.coverage().undeclared, None);
    let before = scene.shell.follower.discovered().registry.entries().to_vec();
    scene.server.faults().add(refuse());
    scene.ask(&Declared::default()).await;
    assert!(scene.shell.model.live.coverage().has_gaps());
    assert_eq!(scene.shell.follower.discovered().registry.entries(), before);
}

#[tokio::test]
async fn what_a_file_declares_goes_before_what_a_definition_says() {
    let mut scene = Scene::new().await;
    scene.declare(Some("Ready: !Shiny")).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("declared.yaml");
    let entry =
        json!([{ "group": "lab.example", "kind": "Widget", "conditions": { "Shiny": "informational" } }]);
    std::fs::write(&file, entry.to_string()).unwrap();
    let files = DeclaredArgs { files: vec![file] }.read().unwrap();
    scene.ask(&files).await;
    scene.until_widget_is(Health::Healthy).await;
}
