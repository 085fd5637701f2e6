//! What the shipped roles and policies allow, and what they do not.

mod attacks;
mod guarded;
mod installed;

use std::time::Duration;

use allready_controller::config::{ConfigController, StatusKey};
use allready_e2e::{Server, eventually, within};
use allready_kube::{
    lease::Candidate,
    report::{Identity, Layout, Outcome, Reporter},
};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams},
};
use serde_json::{Value, json};

use installed::Installed;

allready_e2e::scenarios![
    the_controller_does_all_its_work_with_the_permissions_of_its_role,
    a_role_gives_no_more_than_its_work_takes
];

fn kind(api_version: &str, kind: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

fn objects(client: &Client, api_version: &str, of: &str, namespace: &str) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), namespace, &kind(api_version, of))
}

const STATUS: (&str, &str) = ("metallb.io/v1beta1", "ConfigurationStatus");

/// The Ready condition of an object.
async fn ready(client: &Client, namespace: &str, name: &str) -> Value {
    let object = objects(client, STATUS.0, STATUS.1, namespace).get_opt(name).await.unwrap();
    let conditions = object.map(|object| object.data["status"]["conditions"].clone()).unwrap_or_default();
    let conditions = conditions.as_array().cloned().unwrap_or_default();
    conditions.into_iter().find(|condition| condition["type"] == "Ready").unwrap_or_default()
}

async fn the_controller_does_all_its_work_with_the_permissions_of_its_role(server: Server) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let controller = installed.controller(&server).await;

    let lease = "allready-e2e-sharded-controller";
    let candidate =
        Candidate::new(controller.clone(), "allready-e2e-system", lease, server.unique("replica"));
    let candidacy = candidate.start().unwrap();
    within(Duration::from_secs(30), "an election", candidacy.elected()).await.unwrap();

    let name = server.unique("answer");
    let key =
        StatusKey { api_version: STATUS.0.to_owned(), namespace: namespace.to_owned(), name: name.clone() };
    let mut answers = ConfigController::new(controller.clone());
    answers.api_versions = vec![STATUS.0.to_owned()];
    answers.namespaces = vec![namespace.to_owned()];
    answers.ensure = vec![(key, allready_kube::kinds::ConfigurationStatusSpec::default())];
    // Objects that cannot be seen are told soon, so that a permission that is missing shows.
    answers.options.patience = Duration::from_millis(500);
    answers.options.sweep_after = Duration::from_millis(500);
    let running = tokio::spawn(answers.run());
    let admin = server.client();

    let (leaves, stays) = (server.unique("leaves"), server.unique("stays"));
    for node in [&leaves, &stays] {
        installed::node(&server, node).await;
    }
    let speaker = installed.speaker(&server, &leaves).await;
    let identity = Identity::of("speaker").on(&leaves);
    let layout = Layout::sharded(namespace, &name);
    let lease = layout.object_name(&identity);
    let reporter = Reporter::builder(speaker, identity, layout).heartbeat(Duration::from_secs(5));
    let (reporter, reporting) = reporter.spawn();
    reporter.report("configReconciler", Outcome::config_error("pool \"a\" overlaps"));
    let is = |status: &'static str, text: &'static str| {
        move |ready: &Value| {
            ready["status"] == status
                && ready["message"].as_str().is_some_and(|message| message.contains(text))
        }
    };
    eventually("the fault", is("False", "pool \"a\" overlaps"), || ready(&admin, namespace, &name)).await;
    reporter.report("configReconciler", Outcome::success());
    eventually("the mend", is("True", "1 of 1 ready"), || ready(&admin, namespace, &name)).await;
    let signs = objects(&admin, "coordination.k8s.io/v1", "Lease", namespace);
    let lives = || async { signs.get_opt(&lease).await.unwrap().is_some() };
    eventually("a sign of life", |lives: &bool| *lives, lives).await;

    // Everything that a spec can ask it to watch.
    let spec = json!({ "spec": {
        "components": [{ "name": "agent", "instances": { "type": "DaemonSet", "daemonSet": { "name": "agent" } } },
                       { "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } }],
        "heartbeat": { "timeoutSeconds": 3600 },
    } });
    let statuses = objects(&admin, STATUS.0, STATUS.1, namespace);
    statuses.patch(&name, &PatchParams::default(), &Patch::Merge(&spec)).await.unwrap();
    eventually("the DaemonSet to be missed", is("Unknown", "DaemonSet agent is not there"), || {
        ready(&admin, namespace, &name)
    })
    .await;
    for (version, of) in [("apps/v1", "DaemonSet"), ("v1", "Pod"), ("coordination.k8s.io/v1", "Lease")] {
        objects(&controller, version, of, namespace).list(&ListParams::default()).await.unwrap();
    }
    let nodes: Api<DynamicObject> = Api::all_with(controller.clone(), &kind("v1", "Node"));
    nodes.list(&ListParams::default()).await.unwrap();
    let after = ready(&admin, namespace, &name).await;
    assert!(!after["message"].as_str().unwrap().contains("cannot be seen"), "{after:#}");

    // What a node leaves behind is taken away.
    objects(&controller, STATUS.0, STATUS.1, namespace).get(&name).await.unwrap();
    reporting.stop(Duration::from_secs(5)).await;
    Api::<DynamicObject>::all_with(admin.clone(), &kind("v1", "Node"))
        .delete(&leaves, &DeleteParams::default())
        .await
        .unwrap();
    let reports = objects(&admin, "allready.dev/v1alpha1", "StatusReport", namespace);
    let report = format!("{name}.speaker.{leaves}");
    eventually(
        "the sweep",
        |left: &bool| !left,
        || async { reports.get_opt(&report).await.unwrap().is_some() },
    )
    .await;
    running.abort();
    candidacy.release().await;
}

async fn a_role_gives_no_more_than_its_work_takes(server: Server) {
    let installed = Installed::sharded(&server).await;
    let namespace = installed.namespace;
    let controller = installed.controller(&server).await;
    let speaker = installed.speaker(&server, "permissions-a").await;
    let list = ListParams::default();
    for (who, client) in [("the controller", &controller), ("a speaker", &speaker)] {
        for (version, of) in [("v1", "Secret"), ("v1", "ConfigMap"), ("v1", "Service")] {
            let refused = objects(client, version, of, namespace).list(&list).await;
            assert_eq!(code(&refused), Some(403), "{who} may list {of}s: {refused:?}");
        }
        let elsewhere = objects(client, STATUS.0, STATUS.1, "default").list(&list).await;
        assert_eq!(code(&elsewhere), Some(403), "{who} may look into another namespace");
        let spec = json!({ "spec": {} });
        let statuses = objects(client, STATUS.0, STATUS.1, namespace);
        let changed = statuses.patch("any", &PatchParams::default(), &Patch::Merge(&spec)).await;
        assert_eq!(code(&changed), Some(403), "{who} may change what is expected");
        let deleted = statuses.delete("any", &DeleteParams::default()).await;
        assert_eq!(code(&deleted.map(drop)), Some(403), "{who} may delete a status");
    }
    let reports = objects(&speaker, "allready.dev/v1alpha1", "StatusReport", namespace);
    assert_eq!(
        code(&reports.list(&list).await),
        Some(403),
        "a speaker may read the reports of others at once"
    );
    let deleted = reports.delete("any", &DeleteParams::default()).await;
    assert_eq!(code(&deleted.map(drop)), Some(403), "a speaker may delete a report");
    let nodes: Api<DynamicObject> = Api::all_with(speaker.clone(), &kind("v1", "Node"));
    assert_eq!(code(&nodes.list(&list).await), Some(403), "a speaker may list nodes");
    let stranger = installed.account(&server, "stranger", None).await;
    let statuses = objects(&stranger, STATUS.0, STATUS.1, namespace);
    let written = statuses.patch_status("any", &PatchParams::default(), &Patch::Merge(json!({}))).await;
    assert_eq!(code(&written), Some(403), "a stranger may write a status");
}

/// The code of a refusal.
fn code<T>(result: &Result<T, kube::Error>) -> Option<u16> {
    match result {
        Err(kube::Error::Api(status)) => Some(status.code),
        _ => None,
    }
}
