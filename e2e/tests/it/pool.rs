//! A kind whose conditions are declared with the library: what its author declared is what everybody sees.

use allready::{Time, events::EventSeverity, events::MemorySink, prelude::*};
use allready_e2e::Server;
use kube::{
    Api, CustomResource,
    api::{Patch, PatchParams, PostParams},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

allready_e2e::scenarios![
    a_new_object_is_unknown_since_its_creation_until_the_controller_has_looked,
    what_a_pass_says_is_stored_and_told_and_what_it_does_not_say_is_left_alone,
];
allready_e2e::kubectl_scenarios![people_see_the_same_as_the_controller_means];

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "e2e.allready.dev", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
struct PoolSpec {
    addresses: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
struct PoolStatus {
    conditions: Conditions<PoolCondition>,
}

#[derive(Clone, Copy, Debug, ConditionSet)]
#[conditions(prune("Obsolete"))]
enum PoolCondition {
    /// Every address is one.
    AddressesValid,
    /// A peer is lost.
    #[condition(abnormal_true)]
    Degraded,
    /// The addresses are in the cache.
    #[condition(informational)]
    Cached,
}

async fn pool(server: &Server) -> (Api<Pool>, Pool) {
    server.define(allready::crd::<Pool>()).await;
    let namespace = server.namespace("pool").await;
    let api: Api<Pool> = Api::namespaced(server.client(), &namespace);
    let spec = PoolSpec { addresses: vec!["192.0.2.1".to_owned()] };
    let pool = api.create(&PostParams::default(), &Pool::new("web", spec)).await.unwrap();
    (api, pool)
}

async fn a_new_object_is_unknown_since_its_creation_until_the_controller_has_looked(server: Server) {
    let (api, new) = pool(&server).await;
    let conditions = new.status.clone().unwrap().conditions;
    assert_eq!(conditions.len(), 4);
    assert!(
        conditions
            .iter()
            .all(|condition| condition.status == Status::Unknown && condition.reason == "Pending")
    );

    let status = StatusUpdater::<Pool>::new(server.client(), "pool-controller").without_events();
    status.reconcile(&new, async |_| Ok(())).await.unwrap();
    let stored = api.get("web").await.unwrap().status.unwrap().conditions;
    let created = Time::new(new.metadata.creation_timestamp.unwrap().0);
    assert!(stored.iter().all(|condition| condition.last_transition_time == created), "{stored:?}");
}

async fn what_a_pass_says_is_stored_and_told_and_what_it_does_not_say_is_left_alone(server: Server) {
    let (api, _) = pool(&server).await;
    let entry = |type_: &str| json!({ "type": type_, "status": "True", "reason": "Theirs", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" });
    let theirs = json!({
        "apiVersion": "e2e.allready.dev/v1", "kind": "Pool", "metadata": { "name": "web" },
        "status": { "conditions": [entry("Obsolete"), entry("Theirs")] },
    });
    let before = api
        .patch_status("web", &PatchParams::apply("somebody").force(), &Patch::Apply(theirs))
        .await
        .unwrap();

    let sink = MemorySink::default();
    let status = StatusUpdater::<Pool>::new(server.client(), "pool-controller").events(sink.clone());
    let work = status.reconcile(&before, async |c| {
        c.mark_addresses_valid(reason!("AllValid"), "1 address");
        c.mark_not_degraded(reason!("AllUp"), "2 of 2 peers");
        c.mark_not_cached(reason!("CacheCold"), "");
        Ok(())
    });
    work.await.unwrap();
    let stored = api.get("web").await.unwrap();
    let conditions = stored.status.clone().unwrap().conditions;
    assert!(conditions.is_good(stored.metadata.generation), "what informs does not count: {conditions:?}");
    assert!(conditions.find("Obsolete").is_none() && conditions.find("Theirs").is_some(), "{conditions:?}");
    let managers: Vec<_> =
        stored.metadata.managed_fields.iter().flatten().filter_map(|f| f.manager.as_deref()).collect();
    assert!(managers.contains(&"pool-controller"), "{managers:?}");
    let notes = sink.recorded();
    assert!(
        notes.iter().all(
            |event| event.note.severity == EventSeverity::Normal || event.note.note.starts_with("Cached")
        ),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|event| event.note.note == "Degraded is False (was Unknown): AllUp: 2 of 2 peers"),
        "{notes:?}"
    );

    let version = stored.metadata.resource_version.clone();
    let again = status.reconcile(&stored, async |c| {
        c.mark_addresses_valid(reason!("AllValid"), "1 address");
        Ok(())
    });
    again.await.unwrap();
    assert_eq!(api.get("web").await.unwrap().metadata.resource_version, version, "nothing had changed");
}

async fn people_see_the_same_as_the_controller_means(server: Server) {
    let (api, new) = pool(&server).await;
    let namespace = new.metadata.namespace.clone().unwrap();
    let kubectl = async |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().copied().chain(["-n", &namespace]).collect();
        server.kubectl(&all).await.ok()
    };
    let columns = async || {
        let row = kubectl(&["get", "pool", "web", "--no-headers"]).await;
        row.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    let check = async || server.allready(&["check", "pool/web", "-n", &namespace]).await;

    assert_eq!(columns().await, ["web", "Unknown", "Pending"]);
    kubectl(&["wait", "pool/web", "--for=condition=Ready=Unknown", "--timeout=20s"]).await;
    let checked = check().await;
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.out.contains("1 progressing") && !checked.out.contains("20773d"), "{checked:?}");

    let status = StatusUpdater::<Pool>::new(server.client(), "pool-controller");
    let work = status.reconcile(&new, async |c| {
        c.mark_addresses_valid(reason!("AllValid"), "").mark_not_degraded(reason!("AllUp"), "");
        c.mark_not_cached(reason!("CacheCold"), "");
        Ok(())
    });
    work.await.unwrap();
    assert_eq!(columns().await, ["web", "True", "Ready"]);
    kubectl(&["wait", "pool/web", "--for=condition=Ready", "--timeout=20s"]).await;
    let checked = check().await;
    assert_eq!(checked.code, Some(0), "Cached only informs: {checked:?}");

    let pool = api.get("web").await.unwrap();
    let work = status.reconcile(&pool, async |c| {
        c.mark_degraded(reason!("PeerLost"), "1 of 2 peers");
        Ok(())
    });
    work.await.unwrap();
    status.shutdown(std::time::Duration::from_secs(10)).await.unwrap();
    assert_eq!(columns().await, ["web", "False", "PeerLost"]);
    let wide = kubectl(&["get", "pool", "web", "-o", "wide"]).await;
    assert!(wide.contains("1 of 2 peers"), "{wide}");
    let checked = check().await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.out.contains("PeerLost"), "{checked:?}");
    let events = kubectl(&["get", "events", "--no-headers"]).await;
    let degraded = events.lines().find(|line| line.contains("Degraded is True")).unwrap_or_default();
    assert!(
        degraded.contains("Warning") && degraded.contains("PeerLost") && degraded.contains("1 of 2 peers"),
        "{events}"
    );
}
