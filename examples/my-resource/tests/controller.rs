//! The controller on the embedded server.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::{sync::Arc, time::Duration};

use allready::{Condition, Status, condition, events::MemorySink};
use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use example_my_resource::{MyResource, MyResourcePhase, MyResourceSpec, MyResourceStatus, run_with_events};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResourceExt,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::json;
use tokio::sync::oneshot;

/// Looks until the status is as it should be; for half a minute.
async fn until(
    api: &Api<MyResource>,
    name: &str,
    expected: impl Fn(&MyResourceStatus) -> bool,
) -> MyResourceStatus {
    let mut last = None;
    for _ in 0..600 {
        last = api.get(name).await.unwrap().status;
        if let Some(status) = last.take_if(|status| expected(status)) {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the last status was {last:?}");
}

fn said<'a>(conditions: &'a [Condition], type_: &str) -> (Status, &'a str) {
    let condition = condition::find(conditions, type_).unwrap();
    (condition.status, condition.reason.as_str())
}

#[tokio::test]
async fn the_status_follows_the_settings_and_a_quiet_resource_costs_no_writes() {
    let crd = serde_json::to_value(MyResource::crd()).unwrap();
    let server = ApiServer::builder().crds([crd]).build().unwrap();
    let client = Client::new(server.service(), "default");
    let (stop, stopped) = oneshot::channel::<()>();
    let sink = MemorySink::default();
    let running = tokio::spawn(run_with_events(client.clone(), Arc::new(sink.clone()), async {
        let _ = stopped.await;
    }));
    let api: Api<MyResource> = Api::default_namespaced(client.clone());

    let spec = |settings: &str| MyResourceSpec { settings: settings.to_owned() };
    api.create(&PostParams::default(), &MyResource::new("a", spec("colour=blue"))).await.unwrap();
    let status = until(&api, "a", |status| status.phase == MyResourcePhase::Succeeded).await;
    assert_eq!((status.observed_generation, &status.reason, &status.message), (1, &None, &None));
    assert_eq!(said(&status.conditions, "Applied"), (Status::True, "UpToDate"));
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    assert_eq!(maps.get("a").await.unwrap().data.unwrap()["colour"], "blue");

    let change = |settings: &str| Patch::Merge(json!({ "spec": { "settings": settings } }));
    api.patch("a", &PatchParams::default(), &change("colour")).await.unwrap();
    let status = until(&api, "a", |status| status.observed_generation == 2).await;
    assert_eq!((status.phase, status.reason.as_deref()), (MyResourcePhase::Failed, Some("BadSettings")));
    assert_eq!(status.message.as_deref(), Some("line 1 is \"colour\": write name=value"));
    assert_eq!(said(&status.conditions, "Valid"), (Status::False, "BadSettings"));
    assert_eq!(
        said(&status.conditions, "Applied"),
        (Status::True, "UpToDate"),
        "the reconcile never got there"
    );

    api.patch("a", &PatchParams::default(), &change("colour=red")).await.unwrap();
    let status = until(&api, "a", |status| status.observed_generation == 3).await;
    assert_eq!((status.phase, status.reason), (MyResourcePhase::Succeeded, None));

    let notes: Vec<_> = sink.recorded().into_iter().map(|recorded| recorded.note.note).collect();
    assert_eq!(
        notes,
        [
            "Applied is True: UpToDate: the ConfigMap has the settings",
            "Valid is True: Accepted: 1 settings",
            "Valid is False (was True): BadSettings: line 1 is \"colour\": write name=value",
            "Valid is True (was False): Accepted: 1 settings",
        ]
    );

    // Waking the controller without a change of the spec makes it reconcile, and write nothing.
    let writes = server
        .faults()
        .add(Rule::new(Effect::InternalError).verb(Verb::Patch).subresource("status").rate(0.0));
    let applies =
        server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Patch).kind("ConfigMap").rate(0.0));
    let label = Patch::Merge(json!({ "metadata": { "labels": { "touched": "yes" } } }));
    api.patch("a", &PatchParams::default(), &label).await.unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while server.faults().matched(applies) == 0 && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(server.faults().matched(applies) > 0, "it was reconciled");

    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(30), running).await.unwrap().unwrap();
    assert_eq!(server.faults().matched(writes), 0, "nothing had changed");
}
