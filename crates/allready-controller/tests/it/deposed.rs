//! A leader that was deposed while its write was on its way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use allready_controller::{
    config::{ConfigController, Options},
    engine::{Leader, Running, Term},
};
use allready_core::found;
use allready_kube::kinds::ConfigurationStatus;
use http::{HeaderValue, Request};
use kube::{Api, Client, client::Body};
use tower::{ServiceExt, service_fn};

use crate::config::{controller, definitions, report, spec};

/// A client whose requests can be told from those of others, and reach the server also when it has hung up meanwhile, as through
/// a proxy.
pub(crate) fn proxied(server: &ApiServer, name: &'static str) -> Client {
    let service = server.service();
    let proxy = service_fn(move |mut request: Request<Body>| {
        request.headers_mut().insert(http::header::USER_AGENT, HeaderValue::from_static(name));
        let answer = tokio::spawn(service.clone().oneshot(request));
        async move { answer.await.unwrap() }
    });
    Client::new(proxy, "default")
}

/// Leads in this term while it is not zero.
pub(crate) fn leads_in(term: &Arc<AtomicU64>) -> Leader {
    let term = Arc::clone(term);
    Leader::new(move |_| {
        let number = Some(term.load(Ordering::SeqCst)).filter(|number| *number > 0);
        number.map(|number| Term { number: Some(number), remaining: Duration::from_secs(4) })
    })
}

fn replica(server: &ApiServer, name: &'static str, term: &Arc<AtomicU64>) -> ConfigController {
    ConfigController {
        options: Options { lease: Some("allready-system/allready-controller".into()), ..Options::default() },
        running: Running { leader: leads_in(term), ..Running::default() },
        ..controller(proxied(server, name), spec(&["a"]))
    }
}

async fn ready(client: &Client) -> (String, i64) {
    let objects: Api<ConfigurationStatus> = Api::namespaced(client.clone(), "default");
    let Some(object) = objects.get_opt("config-status").await.unwrap() else { return Default::default() };
    let object = serde_json::to_value(object).unwrap();
    let status = found::of_object(&object)
        .find("Ready")
        .map(|ready| ready.to_condition(allready_core::Time::EPOCH).status);
    let status = status.map(|status| status.to_string()).unwrap_or_default();
    (status, object["status"]["controller"]["term"].as_i64().unwrap_or_default())
}

async fn until(client: &Client, wanted: (&str, i64)) {
    for _ in 0..2_000 {
        let (status, term) = ready(client).await;
        if (status.as_str(), term) == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("wanted {wanted:?}, found {:?}", ready(client).await);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_was_decided_by_a_deposed_leader_is_refused() {
    let server = ApiServer::builder().crds(definitions()).build().unwrap();
    let client = Client::new(server.service(), "default");
    let (first, second) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(0)));
    let _replicas = [("first", &first), ("second", &second)].map(|(name, term)| {
        let controller = replica(&server, name, term);
        tokio::spawn(controller.run())
    });
    report(&client, "a", "False", "no pool").await;
    until(&client, ("False", 1)).await;

    // The first one says True, and that is on its way for as long as it takes to elect another.
    let delayed = Rule::new(Effect::Latency(Duration::from_secs(20))).agent("first").verb(Verb::Patch);
    let delayed = server.faults().add(delayed.kind("ConfigurationStatus").next_calls(1));
    report(&client, "a", "True", "").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    report(&client, "a", "False", "no pool").await;
    first.store(0, Ordering::SeqCst);
    second.store(2, Ordering::SeqCst);
    // Nothing but the term differs from what stands.
    until(&client, ("False", 2)).await;
    for _ in 0..3_000 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(ready(&client).await, ("False".to_owned(), 2), "never green while red");
    }
    assert_eq!(server.faults().fired(delayed), 1, "it was on its way");
}

#[tokio::test(start_paused = true)]
async fn nobody_locks_the_controller_out_by_forging_a_later_term() {
    let server = ApiServer::builder().crds(definitions()).build().unwrap();
    let client = Client::new(server.service(), "default");
    let term = Arc::new(AtomicU64::new(1));
    let _replica = tokio::spawn(replica(&server, "only", &term).run());
    report(&client, "a", "False", "no pool").await;
    until(&client, ("False", 1)).await;
    let forged = serde_json::json!({ "status": {
        "controller": { "lease": "allready-system/allready-controller", "term": i64::MAX },
        "conditions": [{ "type": "Ready", "status": "True", "reason": "Forged", "message": "",
            "lastTransitionTime": "2026-03-01T10:00:00Z" }],
    } });
    let objects: Api<ConfigurationStatus> = Api::namespaced(client.clone(), "default");
    let params = kube::api::PatchParams::default();
    objects.patch_status("config-status", &params, &kube::api::Patch::Merge(&forged)).await.unwrap();
    until(&client, ("False", i64::MAX)).await;
}
