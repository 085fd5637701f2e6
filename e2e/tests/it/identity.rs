//! Attacks on the identity of a report, without any policy: the CRD and the controller have to hold.

use allready_controller::config::{ConfigController, StatusKey};
use allready_e2e::{Server, eventually};
use allready_kube::{
    kinds::{Component, ConfigurationStatus, ConfigurationStatusSpec, Instances, StatusReport, definitions},
    report::{Identity, Layout, Outcome, Reporter, Running},
};
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

allready_e2e::scenarios![
    the_name_that_another_reporter_needs_cannot_be_taken,
    a_report_in_the_digest_form_of_a_name_is_not_believed,
    a_component_named_like_an_instance_does_not_vouch_for_it,
    a_status_that_another_manager_has_written_is_not_believed,
];

pub(super) const NAME: &str = "config-status";

pub(super) struct Stage {
    pub(super) server: Server,
    pub(super) namespace: String,
    controller: JoinHandle<()>,
}

impl Stage {
    /// A controller that expects the speakers `n1` and `n2`.
    async fn set(server: Server) -> Self {
        Self::with(server, json!({})).await
    }

    /// The same with more fields of the spec.
    pub(super) async fn with(server: Server, more: Value) -> Self {
        for definition in definitions() {
            server.define(definition).await;
        }
        let namespace = server.namespace("identity").await;
        let speaker = Component {
            name: "speaker".to_owned(),
            instances: Some(Instances::names(["n1", "n2"])),
            ..Component::default()
        };
        let more = serde_json::from_value(more).unwrap();
        let spec = ConfigurationStatusSpec { components: vec![speaker], ..more };
        let api_version = "allready.dev/v1alpha1".to_owned();
        let key = StatusKey { api_version, namespace: namespace.clone(), name: NAME.to_owned() };
        let controller = ConfigController {
            namespaces: vec![namespace.clone()],
            ensure: vec![(key, spec)],
            ..ConfigController::new(server.client())
        };
        let controller = tokio::spawn(controller.run());
        Self { server, namespace, controller }
    }

    /// Another controller takes the place of the one that runs, which has no time to say anything.
    pub(super) async fn restart(&mut self) {
        self.controller.abort();
        drop((&mut self.controller).await);
        let namespaces = vec![self.namespace.clone()];
        let controller = ConfigController { namespaces, ..ConfigController::new(self.server.client()) };
        self.controller = tokio::spawn(controller.run());
    }

    fn reporter(&self, identity: Identity) -> (Reporter, Running) {
        let layout = Layout::sharded(&self.namespace, NAME);
        Reporter::builder(self.server.client(), identity, layout).spawn()
    }

    pub(super) fn speaker(&self, node: &str) -> (Reporter, Running) {
        self.reporter(Identity::of("speaker").on(node))
    }

    /// Makes a StatusReport with this spec, and writes that all is well into it, as this manager.
    async fn forge(&self, name: &str, spec: Value, manager: &str) -> Result<(), u16> {
        let reports: Api<StatusReport> = Api::namespaced(self.server.client(), &self.namespace);
        let head = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "metadata": { "name": name } });
        let (mut whole, mut said) = (head.clone(), head);
        whole["spec"] = spec;
        // Ready too: a red one of the reporter's own would still count.
        let well = ["configReconcilerValid", "Ready"].map(|type_| {
            json!({ "type": type_, "status": "True", "reason": "Said", "message": "",
                "lastTransitionTime": "2026-03-01T10:00:00Z" })
        });
        said["status"] = json!({ "conditions": well });
        let parameters = PatchParams::apply(manager).force();
        let code = |error| match error {
            kube::Error::Api(status) => status.code,
            other => panic!("no refusal but {other}"),
        };
        reports.patch(name, &parameters, &Patch::Apply(&whole)).await.map_err(code)?;
        reports.patch_status(name, &parameters, &Patch::Apply(&said)).await.map(drop).map_err(code)
    }

    /// Waits until Ready is as asked.
    pub(super) async fn until(&self, status: &str, message: &str) {
        let wanted = |ready: &Value| {
            ready["status"] == status && ready["message"].as_str().is_some_and(|said| said.contains(message))
        };
        eventually(&format!("Ready to be {status} with {message:?}"), wanted, || self.ready()).await;
    }

    /// The condition Ready.
    pub(super) async fn ready(&self) -> Value {
        let api: Api<ConfigurationStatus> = Api::namespaced(self.server.client(), &self.namespace);
        let status = api.get_opt(NAME).await.unwrap().and_then(|object| object.status).unwrap_or_default();
        let ready = status.conditions.iter().find(|condition| condition.type_ == *"Ready");
        serde_json::to_value(ready).unwrap()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

fn to(target: &str, component: &str, instance: &str) -> Value {
    json!({ "targetRef": { "name": target }, "component": component, "instance": instance })
}

async fn the_name_that_another_reporter_needs_cannot_be_taken(server: Server) {
    let stage = Stage::set(server).await;
    let needed = "config-status.speaker.n2";
    for spec in
        [to("another", "speaker", "n2"), to(NAME, "speaker", "n1"), to("config-status.speaker", "n2", "x")]
    {
        assert_eq!(stage.forge(needed, spec.clone(), "speaker-n1").await, Err(422), "{spec}");
    }
    // The name of a node with dots can be made of other parts, too.
    let dotted = to("config-status.speaker", "n2", "internal");
    assert_eq!(stage.forge("config-status.speaker.n2.internal", dotted, "n2-internal").await, Err(422));
    let reports = [stage.speaker("n1"), stage.speaker("n2")];
    reports[0].0.report("configReconciler", Outcome::success());
    reports[1].0.report("configReconciler", Outcome::config_error("pool overlaps"));
    stage.until("False", "pool overlaps").await;
}

async fn a_report_in_the_digest_form_of_a_name_is_not_believed(server: Server) {
    let stage = Stage::set(server).await;
    let reports = [stage.speaker("n1"), stage.speaker("n2")];
    for (reporter, _) in &reports {
        reporter.report("configReconciler", Outcome::success());
    }
    stage.until("True", "2 of 2 ready").await;
    let forged = "config-status.any.n2-0123456789abcdef";
    stage.forge(forged, to(NAME, "any.component", "n2"), "any.component-n2").await.unwrap();
    stage.until("Unknown", "ReportNameMismatch").await;
    reports[1].0.report("configReconciler", Outcome::config_error("pool overlaps"));
    stage.until("False", "pool overlaps").await;
}

async fn a_component_named_like_an_instance_does_not_vouch_for_it(server: Server) {
    let stage = Stage::set(server).await;
    let reports = [stage.reporter(Identity::of("speaker-n1")), stage.speaker("n2")];
    for (reporter, _) in &reports {
        reporter.report("configReconciler", Outcome::success());
    }
    stage.until("Unknown", "speaker/n1").await;
    let real = stage.speaker("n1");
    real.0.report("configReconciler", Outcome::config_error("pool overlaps"));
    stage.until("False", "pool overlaps").await;
}

async fn a_status_that_another_manager_has_written_is_not_believed(server: Server) {
    let stage = Stage::set(server).await;
    let reports = [stage.speaker("n1"), stage.speaker("n2")];
    reports[0].0.report("configReconciler", Outcome::success());
    reports[1].0.report("configReconciler", Outcome::config_error("pool overlaps"));
    stage.until("False", "pool overlaps").await;
    let [_, (second, running)] = reports;
    running.stop(std::time::Duration::from_secs(5)).await;
    drop(second);
    stage.forge("config-status.speaker.n2", to(NAME, "speaker", "n2"), "speaker-n1").await.unwrap();
    stage.until("Unknown", "ForeignWriter").await;
    let (again, _running) = stage.speaker("n2");
    again.report("configReconciler", Outcome::config_error("pool overlaps"));
    stage.until("False", "pool overlaps").await;
}
