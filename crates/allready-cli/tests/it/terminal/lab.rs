//! An API server in this process that can go away and come back, with Widgets that are as the test says.

use allready_apiserver::{ApiServer, server::Listening};
use kube::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::screen::{Screen, Start};

const WIDGETS: &str = "/apis/lab.example/v1/namespaces/shop/widgets";

/// The server, and what a command needs to reach it.
pub(super) struct Lab {
    runtime: Runtime,
    pub(super) server: ApiServer,
    listening: Option<Listening>,
    directory: TempDir,
    client: Client,
}

impl Lab {
    pub(super) fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = ApiServer::new();
        server.define(definition()).unwrap();
        let listening = runtime.block_on(server.listen_http("127.0.0.1:0".parse().unwrap())).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("kubeconfig"), listening.kubeconfig()).unwrap();
        let client = {
            let _inside = runtime.enter();
            Client::new(server.service(), "default")
        };
        let lab = Self { runtime, server, listening: Some(listening), directory, client };
        lab.send("POST", "/api/v1/namespaces", &json!({ "metadata": { "name": "shop" } }));
        lab
    }

    pub(super) fn kubeconfig(&self) -> String {
        self.directory.path().join("kubeconfig").to_str().unwrap().to_owned()
    }

    /// Runs a command in a terminal.
    pub(super) fn screen(&self, arguments: &[&str]) -> Screen {
        self.screen_in(arguments, &[])
    }

    /// Runs a command in a terminal, and presses nothing.
    pub(super) fn untouched_screen(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Screen {
        let kubeconfig = self.kubeconfig();
        let mut start = Start::new(&[arguments, &["--kubeconfig", &kubeconfig]].concat());
        start.environment = environment.to_vec();
        Screen::start(start)
    }

    pub(super) fn screen_in(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Screen {
        let screen = self.untouched_screen(arguments, environment);
        if arguments.first() == Some(&"watch") {
            // Objects instead of their causes.
            screen.press("c");
        }
        screen
    }

    /// Makes a widget of which nothing is said yet.
    pub(super) fn create(&self, name: &str) {
        let widget = json!({ "apiVersion": "lab.example/v1", "kind": "Widget", "metadata": { "name": name }, "spec": { "size": 1 } });
        self.send("POST", WIDGETS, &widget);
    }

    /// Says how a widget is from now on, as its controller does.
    pub(super) fn report(&self, name: &str, ready: &str, reason: &str, message: &str) {
        self.report_since(0, name, [ready, reason, message]);
    }

    fn report_since(&self, seconds: i64, name: &str, [ready, reason, message]: [&str; 3]) {
        let since = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(seconds);
        let condition = json!({
            "type": "Ready", "status": ready, "reason": reason, "message": message,
            "lastTransitionTime": since.to_string(),
        });
        let status = json!({ "status": { "observedGeneration": 1, "conditions": [condition] } });
        self.send("PATCH", &format!("{WIDGETS}/{name}/status?fieldManager=widget-controller"), &status);
    }

    /// Makes a widget that has been like this for five minutes.
    pub(super) fn put(&self, name: &str, ready: &str, reason: &str, message: &str) {
        self.create(name);
        self.report_since(300, name, [ready, reason, message]);
    }

    pub(super) fn delete(&self, name: &str) {
        self.send("DELETE", &format!("{WIDGETS}/{name}"), &Value::Null);
    }

    pub(super) fn send(&self, method: &str, path: &str, body: &Value) {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = http::Request::builder().method(method).uri(path).header("content-type", kind);
        self.runtime.block_on(self.client.request_text(request.body(body).unwrap())).unwrap();
    }

    /// The server goes away, with its data.
    pub(super) fn go_away(&mut self) -> String {
        let listening = self.listening.take().unwrap();
        let address = listening.address().to_string();
        self.runtime.block_on(listening.shutdown());
        address
    }

    /// It is back where it was.
    pub(super) fn come_back(&mut self, address: &str) {
        let listening = self.runtime.block_on(self.server.listen_http(address.parse().unwrap()));
        self.listening = Some(listening.unwrap());
    }
}

fn definition() -> Value {
    // A list by type, so that the server knows who wrote which.
    let text = json!({ "type": "string" });
    let condition = json!({
        "type": "object", "required": ["type", "status"],
        "properties": {
            "type": text, "status": text, "reason": text, "message": text, "lastTransitionTime": text,
        },
    });
    let conditions = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        "items": condition,
    });
    let spec = json!({ "type": "object", "properties": { "size": { "type": "integer" } } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "widgets.lab.example",
            // What nobody could know by the name of the condition.
            "annotations": { "allready.dev/conditions": "Ready: !Shiny" },
        },
        "spec": {
            "group": "lab.example", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "shortNames": ["wd"] },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec, "status": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": { "conditions": conditions },
                } } } },
            }],
        },
    })
}
