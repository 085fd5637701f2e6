//! The whole example on the embedded server.

use std::{collections::BTreeMap, time::Duration};

use allready::report::labels;
use allready_apiserver::ApiServer;
use k8s_openapi::api::core::v1::Node;
use kube::api::{ListParams, ObjectMeta, PostParams};
use tokio::sync::oneshot;

use super::*;

const NAMESPACE: &str = "default";

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

async fn configure(client: &Client, pools: &str, peers: &str) {
    let data = [("pools", pools), ("peers", peers)].map(|(key, text)| (key.to_owned(), text.to_owned()));
    let map = ConfigMap { metadata: named(CONFIG), data: Some(data.into()), ..ConfigMap::default() };
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    maps.patch(CONFIG, &PatchParams::apply("test").force(), &Patch::Apply(&map)).await.unwrap();
}

/// Status and reason by type, with the name of the reporter before it in both layouts.
async fn said(client: &Client, layout: &Layout) -> BTreeMap<String, String> {
    let mut said = BTreeMap::new();
    if let Layout::Singleton { .. } = layout {
        let objects: Api<ConfigurationStatus> = Api::namespaced(client.clone(), NAMESPACE);
        for condition in objects
            .get(NAME)
            .await
            .unwrap()
            .status
            .unwrap_or_default()
            .conditions
            .into_iter()
            .filter(|condition| condition.type_ != *"Ready")
        {
            said.insert(condition.type_.to_string(), format!("{} {}", condition.status, condition.reason));
        }
        return said;
    }
    let reports: Api<StatusReport> = Api::namespaced(client.clone(), NAMESPACE);
    let about = ListParams::default().labels(&format!("{}={NAME}", labels::TARGET));
    for report in reports.list(&about).await.unwrap() {
        let who = [Some(report.spec.component), report.spec.instance];
        let who = who.into_iter().flatten().collect::<Vec<_>>().join("-");
        for condition in report
            .status
            .unwrap_or_default()
            .conditions
            .into_iter()
            .filter(|condition| condition.type_ != *"Ready")
        {
            said.insert(
                format!("{who}/{}", condition.type_),
                format!("{} {}", condition.status, condition.reason),
            );
        }
    }
    said
}

/// Waits until exactly this is said.
async fn until_said(client: &Client, layout: &Layout, expected: &[(&str, &str)]) {
    let expected: BTreeMap<_, _> =
        expected.iter().map(|(type_, text)| ((*type_).to_owned(), (*text).to_owned())).collect();
    for _ in 0..2000 {
        if said(client, layout).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(said(client, layout).await, expected);
}

#[tokio::test]
async fn every_reconciler_reports_what_the_configuration_is_to_it() {
    for layout in [singleton(NAMESPACE), sharded(NAMESPACE)] {
        let server = ApiServer::new();
        let client = Client::new(server.service(), NAMESPACE);
        install(&client, NAMESPACE).await.unwrap();
        let nodes: Api<Node> = Api::all(client.clone());
        let node = Node { metadata: named("kind-worker"), ..Node::default() };
        nodes.create(&PostParams::default(), &node).await.unwrap();
        configure(&client, "blue 10.0.0.0/24", "tor blue").await;

        let start = |component: Component| {
            let (stop, stopped) = oneshot::channel::<()>();
            let (client, layout) = (client.clone(), layout.clone());
            let task = tokio::spawn(async move {
                run(client, NAMESPACE, component, layout, async { drop(stopped.await) }).await
            });
            (stop, task)
        };
        let speaker = |node: &str| Component::Speaker { node: node.to_owned() };
        let running = [Component::Controller, speaker("kind-worker"), speaker("lost")].map(start);

        let fine = "True SyncStateSuccess";
        let mut expected = [
            ("controller/poolReconcilerValid", fine),
            ("controller/serviceReconcilerValid", "True SyncStateReprocessAll"),
            ("speaker-kind-worker/configReconcilerValid", fine),
            ("speaker-kind-worker/nodeReconcilerValid", fine),
            ("speaker-kind-worker/serviceReconcilerValid", fine),
            ("speaker-kind-worker/frrk8sReconcilerValid", fine),
            ("speaker-lost/configReconcilerValid", fine),
            ("speaker-lost/nodeReconcilerValid", "False SyncStateErrorNoRetry"),
            ("speaker-lost/serviceReconcilerValid", fine),
            ("speaker-lost/frrk8sReconcilerValid", fine),
        ];
        until_said(&client, &layout, &expected).await;

        // A peer of one node is wrong: only that speaker says so.
        configure(&client, "blue 10.0.0.0/24", "tor blue\nspine green kind-worker").await;
        for type_ in [2, 5] {
            expected[type_].1 = "False ConfigError";
        }
        until_said(&client, &layout, &expected).await;

        // And healed.
        configure(&client, "blue 10.0.0.0/24\ngreen 10.0.1.0/24", "tor blue\nspine green kind-worker").await;
        for type_ in [2, 5] {
            expected[type_].1 = fine;
        }
        until_said(&client, &layout, &expected).await;

        // Pools that overlap are wrong for everybody.
        configure(&client, "blue 10.0.0.0/24\ngreen 10.0.0.0/25", "").await;
        for type_ in [0, 2, 5, 6, 9] {
            expected[type_].1 = "False ConfigError";
        }
        until_said(&client, &layout, &expected).await;
        for (stop, task) in running {
            stop.send(()).unwrap();
            assert_eq!(task.await.unwrap().unwritten, 0);
        }
    }
}
