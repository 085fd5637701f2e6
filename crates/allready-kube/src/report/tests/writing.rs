//! What is written, and what it costs.

use k8s_openapi::api::core::v1::Node;
use kube::{Resource, ResourceExt, api::ObjectMeta};

use super::*;

#[tokio::test]
async fn a_shared_object_has_a_condition_and_a_manager_for_each_reconciler() {
    let server = server().await;
    let hand = Hand::default();
    hand.set(1_760_087_627);
    let report = |identity: Identity| {
        Reporter::builder(client(&server), identity, shared_layout()).clock(hand.clock()).spawn()
    };
    let (speaker, speaking) = report(speaker());
    let (controller, controlling) = report(Identity::of("controller"));
    speaker.report("frrk8sReconciler", SyncState::Success);
    speaker.report("configReconciler", Outcome::config_error("peer \"a\" has no address"));
    controller.report("poolReconciler", SyncState::ReprocessAll);
    speaking.stop(Duration::from_secs(5)).await;
    controlling.stop(Duration::from_secs(5)).await;

    let object = shared_api(&server).get("config-status").await.unwrap();
    let mut conditions = object.data["status"]["conditions"].as_array().unwrap().clone();
    conditions.sort_by_key(|condition| condition["type"].as_str().unwrap().to_owned());
    let condition = |type_: &str, status: &str, reason: &str, message: &str| {
        json!({ "type": type_, "status": status, "reason": reason, "message": message,
                "lastTransitionTime": "2025-10-10T09:13:47Z" })
    };
    let peer = "peer \"a\" has no address";
    assert_eq!(
        conditions,
        [
            condition("controller/poolReconcilerValid", "True", "SyncStateReprocessAll", ""),
            condition("speaker-kind-worker/configReconcilerValid", "False", "ConfigError", peer),
            condition("speaker-kind-worker/frrk8sReconcilerValid", "True", "SyncStateSuccess", ""),
        ]
    );
    let entries =
        object.managed_fields().iter().filter(|entry| entry.subresource.as_deref() == Some("status"));
    let mut managers: Vec<_> = entries.map(|entry| entry.manager.as_deref().unwrap()).collect();
    managers.sort_unstable();
    let expected = [
        "controller/poolReconciler",
        "speaker-kind-worker/configReconciler",
        "speaker-kind-worker/frrk8sReconciler",
    ];
    assert_eq!(managers, expected);
}

#[tokio::test]
async fn a_report_of_its_own_is_made_with_labels_owners_and_spec() {
    let server = server().await;
    let node = Node {
        metadata: ObjectMeta { name: Some("kind-worker".to_owned()), ..ObjectMeta::default() },
        ..Node::default()
    };
    let node = Api::<Node>::all(client(&server)).create(&PostParams::default(), &node).await.unwrap();
    let owner = node.owner_ref(&()).unwrap();
    let layout = own_layout().owned_by(owner.clone());
    let (reporter, running) = Reporter::builder(client(&server), speaker(), layout).spawn();
    reporter.report("configReconciler", Outcome::success().observed("sha256:6f1e"));
    reporter.report("nodeReconciler", Outcome::error("no such node"));
    assert_eq!(running.stop(Duration::from_secs(5)).await, Ended { unwritten: 0 });

    let report = own_api(&server).get("config-status.speaker.kind-worker").await.unwrap();
    let labels: Vec<_> = report.labels().iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let expected = [
        (labels::COMPONENT, "speaker"),
        (labels::INSTANCE, "kind-worker"),
        (labels::TARGET, "config-status"),
    ];
    assert_eq!(labels, expected);
    assert_eq!(report.owner_references(), [owner]);
    assert_eq!(
        (report.spec.target_ref.name.as_str(), report.spec.component.as_str()),
        ("config-status", "speaker")
    );
    let status = report.status.unwrap();
    assert_eq!(status.observed_revision.as_deref(), Some("sha256:6f1e"));
    let said: Vec<_> = status.conditions.iter().map(|c| (c.type_.as_str(), c.reason.as_str())).collect();
    assert_eq!(
        said,
        [
            ("configReconcilerValid", "SyncStateSuccess"),
            ("nodeReconcilerValid", "SyncStateError"),
            ("Ready", "SyncStateError"),
        ]
    );
}

#[tokio::test]
async fn a_report_is_stored_in_one_round_trip_and_the_same_again_in_none() {
    for layout in [shared_layout(), own_layout()] {
        let server = server().await;
        let (reporter, _running) = Reporter::builder(client(&server), speaker(), layout.clone()).spawn();
        reporter.report("configReconciler", SyncState::Success);
        reporter.settled().await;

        let (patches, gets) = (count(&server, Verb::Patch), count(&server, Verb::Get));
        for turn in 0..20 {
            reporter.report("configReconciler", Outcome::error(format_args!("attempt {turn}")));
            reporter.settled().await;
            for _ in 0..5 {
                reporter.report("configReconciler", Outcome::error(format_args!("attempt {turn}")));
            }
            reporter.settled().await;
        }
        let asked = (server.faults().matched(patches), server.faults().matched(gets));
        assert_eq!(asked, (20, 0), "{layout:?}");
        assert_eq!(stored(&server, &layout, &speaker()).await[0]["message"], "attempt 19");
    }
}

#[tokio::test]
async fn of_many_reports_while_a_write_is_under_way_only_the_last_is_written() {
    let server = server().await;
    let (reporter, _running) = Reporter::builder(client(&server), speaker(), shared_layout()).spawn();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    let patches = count(&server, Verb::Patch);
    server.faults().add(Rule::new(Effect::Latency(Duration::from_millis(50))).verb(Verb::Patch));
    for number in 0..1000 {
        reporter.report("configReconciler", Outcome::error(number));
        if number == 0 {
            tokio::task::yield_now().await;
        }
    }
    reporter.settled().await;
    assert!(server.faults().matched(patches) <= 2);
    assert_eq!(stored(&server, &shared_layout(), &speaker()).await[0]["message"], "999");
}

#[tokio::test]
async fn the_longest_names_are_accepted() {
    let server = server().await;
    let node = format!("{}.{}", ["a".repeat(63), "b".repeat(63), "c".repeat(63)].join("."), "d".repeat(61));
    let identity = Identity::of("speaker").on(node.clone());
    for layout in [shared_layout(), own_layout()] {
        let (reporter, running) =
            Reporter::builder(client(&server), identity.clone(), layout.clone()).spawn();
        reporter.report("configReconciler", SyncState::Success);
        assert_eq!(running.stop(Duration::from_secs(5)).await, Ended { unwritten: 0 }, "{layout:?}");
    }
    let report = own_api(&server).get(&own_layout().object_name(&identity)).await.unwrap();
    assert_eq!(report.spec.instance, Some(node), "the whole name is kept");
}

#[tokio::test]
async fn names_that_are_not_allowed_are_made_so() {
    let server = server().await;
    let identity = Identity::of("My Speaker!").on("Node/1");
    for layout in [shared_layout(), own_layout()] {
        let (reporter, running) =
            Reporter::builder(client(&server), identity.clone(), layout.clone()).spawn();
        reporter.report("config/Reconciler\n", SyncState::Success);
        assert_eq!(running.stop(Duration::from_secs(5)).await, Ended { unwritten: 0 }, "{layout:?}");
        assert_eq!(stored(&server, &layout, &identity).await[0]["status"], "True");
    }
}
