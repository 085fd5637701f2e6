//! Requests that the admission policies refuse.

use allready_e2e::{Server, eventually};
use kube::{
    Client,
    api::{DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

use super::{STATUS, installed::Installed, objects};

allready_e2e::scenarios![
    a_reporter_writes_its_own_report_and_no_other,
    nobody_but_the_controller_writes_ready_and_a_reporter_only_what_is_its_own,
    a_thousand_conditions_in_one_object_are_not_too_many_for_the_policy
];

const REPORT: (&str, &str) = ("allready.dev/v1alpha1", "StatusReport");

/// A report as somebody tries to write it.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) target: &'a str,
    pub(super) name: &'a str,
    pub(super) component: &'a str,
    pub(super) instance: &'a str,
    pub(super) manager: &'a str,
    pub(super) condition: &'a str,
}

impl Attempt<'_> {
    pub(super) async fn by(&self, client: &Client, namespace: &str) -> Result<DynamicObject, String> {
        let api = objects(client, REPORT.0, REPORT.1, namespace);
        let head = json!({ "apiVersion": REPORT.0, "kind": REPORT.1, "metadata": { "name": self.name } });
        let (mut whole, mut said) = (head.clone(), head);
        whole["spec"] = json!({ "targetRef": { "name": self.target }, "component": self.component });
        if !self.instance.is_empty() {
            whole["spec"]["instance"] = self.instance.into();
        }
        said["status"] = json!({ "conditions": [condition(self.condition, "True")] });
        let parameters = PatchParams::apply(self.manager).force();
        api.patch(self.name, &parameters, &Patch::Apply(&whole)).await.map_err(words)?;
        api.patch_status(self.name, &parameters, &Patch::Apply(&said)).await.map_err(words)
    }
}

fn condition(type_: &str, status: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": "Said", "message": "",
            "lastTransitionTime": "2026-03-01T10:00:00Z" })
}

pub(super) fn words(error: kube::Error) -> String {
    match error {
        kube::Error::Api(status) if [403, 422].contains(&status.code) => status.message,
        other => panic!("no refusal but {other}"),
    }
}

pub(super) fn refused(result: Result<DynamicObject, String>, because: &str) {
    let message = result.map(|object| object.metadata.name).unwrap_err();
    assert!(message.contains(because), "{message}");
}

async fn a_reporter_writes_its_own_report_and_no_other(server: Server) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let a = installed.speaker(&server, "guarded-a").await;
    let b = installed.speaker(&server, "guarded-b").await;
    let own = Attempt {
        target: "guarded",
        name: "guarded.speaker.guarded-a",
        component: "speaker",
        instance: "guarded-a",
        manager: "speaker-guarded-a",
        condition: "configReconcilerValid",
    };
    let others = Attempt {
        name: "guarded.speaker.guarded-b",
        instance: "guarded-b",
        manager: "speaker-guarded-b",
        ..own
    };
    // Policies take effect some time after they were made.
    let is_guarded = |seen: &Result<_, _>| seen.is_err();
    let seen =
        eventually("the policy", is_guarded, || async { others.by(&a, namespace).await.map(drop) }).await;
    let about = "is that of node guarded-a, and this report is about guarded-b";
    assert!(seen.unwrap_err().contains(about), "before there is one");

    own.by(&a, namespace).await.unwrap();
    others.by(&b, namespace).await.unwrap();
    Attempt { condition: "Ready", ..own }.by(&a, namespace).await.unwrap();
    refused(others.by(&a, namespace).await, about);
    refused(own.by(&b, namespace).await, "is that of node guarded-b, and this report is about guarded-a");

    refused(
        Attempt { manager: "another", ..own }.by(&a, namespace).await,
        "by the field manager speaker-guarded-a",
    );
    refused(Attempt { condition: "poolReconcilerValid", ..own }.by(&a, namespace).await, "and nothing else");
    refused(
        Attempt { name: "guarded.speaker.guarded-c", ..own }.by(&a, namespace).await,
        "has to be guarded.speaker.guarded-a",
    );
    let component = Attempt { component: "controller", name: "guarded.controller.guarded-a", ..own };
    refused(component.by(&a, namespace).await, "reports for speaker, not for controller");
    let elsewhere = installed.account(&server, "speaker", None).await;
    refused(own.by(&elsewhere, namespace).await, "names no node");
    let controller = installed.account(&server, "controller", Some("guarded-a")).await;
    refused(own.by(&controller, namespace).await, "reports for controller, not for speaker");
}

/// Applies a status to the one object.
async fn say(
    client: &Client,
    namespace: &str,
    manager: &str,
    status: Value,
) -> Result<DynamicObject, String> {
    let api = objects(client, STATUS.0, STATUS.1, namespace);
    let body = json!({ "apiVersion": STATUS.0, "kind": STATUS.1, "metadata": { "name": "guarded" }, "status": status });
    let parameters = PatchParams::apply(manager).force();
    api.patch_status("guarded", &parameters, &Patch::Apply(&body)).await.map_err(words)
}

async fn nobody_but_the_controller_writes_ready_and_a_reporter_only_what_is_its_own(server: Server) {
    let installed = Installed::singleton(&server).await;
    let namespace = installed.namespace;
    let admin = server.client();
    let object = json!({ "apiVersion": STATUS.0, "kind": STATUS.1, "metadata": { "name": "guarded" } });
    let statuses = objects(&admin, STATUS.0, STATUS.1, namespace);
    statuses.patch("guarded", &PatchParams::apply("e2e").force(), &Patch::Apply(&object)).await.unwrap();
    let one = |type_: &str, status: &str| json!({ "conditions": [condition(type_, status)] });
    let (a, b) =
        (installed.speaker(&server, "guarded-a").await, installed.speaker(&server, "guarded-b").await);
    let controller = installed.controller(&server).await;

    let is_guarded = |seen: &Result<_, _>| seen.is_err();
    // Before the policy holds, the administrator gets through; writing the same again changes nothing, and is never refused.
    let ready = || async {
        say(&controller, namespace, "allready-controller", one("Ready", "False")).await.unwrap();
        say(&admin, namespace, "admin", one("Ready", "True")).await.map(drop)
    };
    let seen = eventually("the policy", is_guarded, ready).await;
    assert!(seen.unwrap_err().contains("nobody but the controller of allready writes it"));
    refused(
        say(&a, namespace, "speaker-guarded-a/configReconciler", one("Ready", "True")).await,
        "nobody but the controller of allready writes it",
    );

    let (mine, theirs) =
        ("speaker-guarded-a/configReconcilerValid", "speaker-guarded-b/configReconcilerValid");
    say(&a, namespace, "speaker-guarded-a/configReconciler", one(mine, "True")).await.unwrap();
    say(&b, namespace, "speaker-guarded-b/configReconciler", one(theirs, "False")).await.unwrap();
    refused(
        say(&a, namespace, "speaker-guarded-a/configReconciler", one(theirs, "True")).await,
        "may write the conditions of speaker-guarded-a and no others",
    );
    refused(
        say(&a, namespace, "another/configReconciler", one(mine, "False")).await,
        "begins with speaker-guarded-a/",
    );
    let other = one("speaker-guarded-a/poolReconcilerValid", "True");
    refused(say(&a, namespace, "speaker-guarded-a/poolReconciler", other).await, "and nothing else");
    let mut counted = one(mine, "True");
    counted["reporters"] = json!({ "display": "9/9" });
    refused(
        say(&a, namespace, "speaker-guarded-a/configReconciler", counted).await,
        "all of the status but the conditions is computed",
    );
    let unbound = installed.account(&server, "speaker", None).await;
    refused(say(&unbound, namespace, "speaker/x", one(mine, "False")).await, "may write no condition");
    let wiped = objects(&a, STATUS.0, STATUS.1, namespace);
    let parameters =
        PatchParams { field_manager: Some("speaker-guarded-a/x".to_owned()), ..Default::default() };
    let wiped = wiped.patch_status("guarded", &parameters, &Patch::Merge(json!({ "status": null }))).await;
    refused(wiped.map_err(words), "nobody but the controller of allready writes it");

    let stands = statuses.get("guarded").await.unwrap().data["status"]["conditions"].clone();
    let found: Vec<_> = stands.as_array().unwrap().iter().map(|one| (&one["type"], &one["status"])).collect();
    assert_eq!(
        found,
        [
            (&json!("Ready"), &json!("False")),
            (&json!(mine), &json!("True")),
            (&json!(theirs), &json!("False"))
        ]
    );
}

async fn a_thousand_conditions_in_one_object_are_not_too_many_for_the_policy(server: Server) {
    let installed = Installed::singleton(&server).await;
    let namespace = installed.namespace;
    let name = server.unique("thousand");
    let object = json!({ "apiVersion": STATUS.0, "kind": STATUS.1, "metadata": { "name": name } });
    let statuses = objects(&server.client(), STATUS.0, STATUS.1, namespace);
    let parameters = PatchParams::apply("e2e").force();
    statuses.patch(&name, &parameters, &Patch::Apply(&object)).await.unwrap();
    let many = (0..1000).map(|n| condition(&format!("speaker-n{n}/configReconcilerValid"), "True"));
    let mut all = object.clone();
    all["status"] = json!({ "conditions": many.collect::<Vec<_>>() });
    let controller = objects(&installed.controller(&server).await, STATUS.0, STATUS.1, namespace);
    let written = controller.patch_status(&name, &parameters, &Patch::Apply(&all)).await;
    // Ready is there from the beginning.
    assert_eq!(written.unwrap().data["status"]["conditions"].as_array().map(Vec::len), Some(1001));

    let speaker = objects(&installed.speaker(&server, "guarded-a").await, STATUS.0, STATUS.1, namespace);
    let mut own = object;
    own["status"] = json!({ "conditions": [condition("speaker-guarded-a/configReconcilerValid", "True")] });
    let manager = PatchParams::apply("speaker-guarded-a/configReconciler").force();
    let written = speaker.patch_status(&name, &manager, &Patch::Apply(&own)).await;
    assert_eq!(written.unwrap().data["status"]["conditions"].as_array().map(Vec::len), Some(1002));
}
