//! Missing definitions and permissions: the workload goes on.

use allready_apiserver::User;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::DeleteParams;

use super::{lifecycle::until, *};
use crate::backoff::Backoff;

const QUICK: Backoff = Backoff { min: Duration::from_millis(1), max: Duration::from_millis(4) };

#[tokio::test]
async fn a_missing_definition_is_one_metric_until_it_is_there() {
    for (layout, kind) in [(shared_layout(), shared_kind()), (own_layout(), own_kind())] {
        let server = ApiServer::new();
        let metrics = ReportMetrics::default();
        let builder = Reporter::builder(client(&server), speaker(), layout.clone()).metrics(metrics.clone());
        let (reporter, running) = builder.backoff(QUICK).spawn();
        reporter.report("configReconciler", SyncState::Success);
        until(|| metrics.writes.retried.get() > 5).await;
        assert_eq!((reporter.trouble(), metrics.troubled.get()), (Some(Trouble::Missing), 1));

        server.define(kind).unwrap();
        if matches!(layout, Layout::Singleton { .. }) {
            make_shared(&server).await;
        }
        reporter.settled().await;
        assert_eq!((reporter.trouble(), metrics.troubled.get()), (None, 0));
        assert_eq!(running.stop(Duration::from_secs(5)).await, Ended { unwritten: 0 });
    }
}

/// What the documentation of the module says is needed.
fn role(layout: &Layout) -> Value {
    let rules = match layout {
        Layout::Singleton { .. } => json!([
            { "apiGroups": ["metallb.io"], "resources": ["configurationstatuses/status"],
              "resourceNames": ["config-status"], "verbs": ["get", "patch"] },
        ]),
        Layout::Sharded { .. } => json!([
            { "apiGroups": ["allready.dev"], "resources": ["statusreports"],
              "verbs": ["create", "patch", "list", "watch"] },
            { "apiGroups": ["allready.dev"], "resources": ["statusreports/status"], "verbs": ["get", "patch"] },
            { "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create", "patch"] },
        ]),
    };
    json!({ "metadata": { "name": "speaker" }, "rules": rules })
}

#[tokio::test]
async fn a_missing_permission_is_waited_for_and_the_documented_one_is_enough() {
    for layout in [shared_layout(), own_layout()] {
        let server = server().await;
        let user = User::service_account(NAMESPACE, "speaker");
        let limited = Client::new(server.service_as(user), NAMESPACE);
        let builder = Reporter::builder(limited, speaker(), layout.clone()).backoff(QUICK);
        let (reporter, _running) = builder.heartbeat(Duration::from_secs(1)).spawn();
        reporter.report("configReconciler", SyncState::Success);
        until(|| reporter.trouble() == Some(Trouble::Forbidden)).await;
        assert_eq!(stored(&server, &layout, &speaker()).await, [] as [Value; 0]);

        let roles: Api<Role> = Api::namespaced(client(&server), NAMESPACE);
        let bindings: Api<RoleBinding> = Api::namespaced(client(&server), NAMESPACE);
        let role: Role = serde_json::from_value(role(&layout)).unwrap();
        let binding: RoleBinding = serde_json::from_value(json!({
            "metadata": { "name": "speaker" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "speaker" },
            "subjects": [{ "kind": "ServiceAccount", "name": "speaker", "namespace": NAMESPACE }],
        }))
        .unwrap();
        roles.create(&PostParams::default(), &role).await.unwrap();
        bindings.create(&PostParams::default(), &binding).await.unwrap();
        reporter.settled().await;
        assert_eq!(stored(&server, &layout, &speaker()).await.len(), 1);
        if let Layout::Sharded { .. } = layout {
            super::heartbeats::until_lease(&server, |_| true).await;
        }
    }
}

#[tokio::test]
async fn a_name_that_somebody_else_has_taken_is_told_and_nothing_counts_as_written() {
    // Without the rules of the CRD it could be taken.
    let server = ApiServer::builder().crds([unruled(own_kind())]).build().unwrap();
    let taken = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
        "metadata": { "name": own_layout().object_name(&speaker()) },
        "spec": { "targetRef": { "name": "another" }, "component": "other" },
    });
    let taken: StatusReport = serde_json::from_value(taken).unwrap();
    own_api(&server).create(&PostParams::default(), &taken).await.unwrap();
    let (reporter, running) =
        Reporter::builder(client(&server), speaker(), own_layout()).backoff(QUICK).spawn();
    reporter.report("configReconciler", Outcome::config_error("pool overlaps"));
    until(|| reporter.trouble() == Some(Trouble::Taken)).await;
    let said = reporter.refusal().unwrap();
    assert_eq!(said, "it is the report of component other, instance none, for ConfigurationStatus another");
    assert_eq!(stored(&server, &own_layout(), &speaker()).await, [] as [Value; 0]);

    own_api(&server).delete(&own_layout().object_name(&speaker()), &DeleteParams::default()).await.unwrap();
    reporter.settled().await;
    assert_eq!(reporter.trouble(), None, "once it is gone, the report is made");
    assert_eq!(running.stop(Duration::from_secs(5)).await, Ended { unwritten: 0 });
}

fn unruled(mut kind: Value) -> Value {
    let schema = &mut kind["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema.as_object_mut().unwrap().remove("x-kubernetes-validations");
    kind
}
