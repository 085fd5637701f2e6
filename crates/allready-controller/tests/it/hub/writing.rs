//! What is written, as a server takes it.

use std::time::Duration;

use allready_apiserver::{
    Verb,
    fault::{Effect, Rule},
};
use allready_kube::kinds::{InstanceStatus, StatusAggregation};
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{AGENT, Stage, gateways};

async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> Result<(), String>) {
    let until = Instant::now() + Duration::from_secs(20);
    while let Err(why) = is_so().await {
        assert!(Instant::now() < until, "{what}: {why}");
        sleep(Duration::from_millis(100)).await;
    }
}

/// The objects that the Gateway owns.
async fn owned(stage: &Stage) -> Vec<Value> {
    let client = Client::new(stage.hub.service(), "default");
    let reports: Api<InstanceStatus> = Api::default_namespaced(client.clone());
    let endpoint = ApiResource {
        group: "externaldns.k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "externaldns.k8s.io/v1alpha1".to_owned(),
        kind: "DNSEndpoint".to_owned(),
        plural: "dnsendpoints".to_owned(),
    };
    let endpoints: Api<DynamicObject> = Api::default_namespaced_with(client, &endpoint);
    let reports = reports.list(&ListParams::default()).await.unwrap();
    let reports = reports.items.iter().map(|report| serde_json::to_value(report).unwrap());
    let endpoints = endpoints.list(&ListParams::default()).await.unwrap();
    let endpoints = endpoints.items.iter().map(|endpoint| serde_json::to_value(endpoint).unwrap());
    let all = reports.chain(endpoints);
    all.filter(|object| object["metadata"]["ownerReferences"].is_array()).collect()
}

#[tokio::test(start_paused = true)]
async fn reports_and_records_belong_to_the_object_that_is_there_now() {
    let stage = Stage::new(1).await;
    stage.aggregate(json!({ "instanceStatuses": "Always" })).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    let belong = async || {
        let uid = stage.object().await["metadata"]["uid"].clone();
        let owned = owned(&stage).await;
        if owned.len() != 4 {
            return Err(format!("there are {} of them", owned.len()));
        }
        let other = owned.iter().find(|object| object["metadata"]["ownerReferences"][0]["uid"] != uid);
        other.map_or(Ok(()), |other| Err(format!("not {uid}: {other}")))
    };
    eventually("a report for each cluster, and the records", belong).await;
    gateways(&stage.hub).delete("web", &DeleteParams::default()).await.unwrap();
    stage.make_gateway(&stage.hub).await;
    eventually("the owner is the new one", belong).await;
    stage.says_within("True", Duration::from_secs(10)).await;
}

#[tokio::test(start_paused = true)]
async fn an_aggregation_that_chooses_another_kind_gives_the_objects_of_the_first_one_back() {
    let stage = Stage::new(2).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    stage
        .aggregate(json!({
            "targetRef": { "apiVersion": "apps/v1", "kind": "DaemonSet" },
            "rows": [], "dns": null,
        }))
        .await;
    let is_given_back = async || {
        let object = stage.object().await;
        let managers = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let is_ours =
            |entry: &Value| entry["manager"].as_str().is_some_and(|who| who.starts_with("allready"));
        match (managers.iter().find(|entry| is_ours(entry)), owned(&stage).await.first()) {
            (None, None) => Ok(()),
            (Some(entry), _) => Err(entry.to_string()),
            (None, Some(owned)) => Err(owned.to_string()),
        }
    };
    eventually("nothing of it stays, nor of its records", is_given_back).await;
    let (status, _) = stage.programmed().await;
    assert_eq!(status, "Unknown", "as its definition has it by default");
    assert!(stage.object().await["status"].get("addresses").is_none());
}

#[tokio::test(start_paused = true)]
async fn what_stands_for_an_aggregation_that_was_deleted_while_no_controller_ran_goes_when_one_runs() {
    let mut stage = Stage::new(3).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    stage.stop().await;
    let api: Api<StatusAggregation> = Api::all(Client::new(stage.hub.service(), "default"));
    api.delete("gateways", &DeleteParams::default()).await.unwrap();
    // A list that fails is read again.
    let fails =
        Rule::new(Effect::Unavailable).agent(AGENT).verb(Verb::List).resource("gateways").next_calls(2);
    let fails = stage.hub.faults().add(fails);
    stage.run();
    let is_clear = async || {
        let object = stage.object().await;
        let managers = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let ours = managers
            .iter()
            .find(|entry| entry["manager"].as_str().is_some_and(|who| who.starts_with("allready")));
        ours.map_or(Ok(()), |entry| Err(format!("{entry} stands")))
    };
    eventually("nothing of it is left", is_clear).await;
    assert_eq!(stage.programmed().await, ("Unknown".to_owned(), "Waiting for controller".to_owned()));
    assert_eq!(stage.hub.faults().fired(fails), 2);
}

#[tokio::test(start_paused = true)]
async fn somebody_who_writes_the_object_all_the_time_does_not_keep_the_hub_from_writing_its_status() {
    let stage = Stage::new(4).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    // The object has changed before a write of the hub arrives.
    let late = Rule::new(Effect::Latency(Duration::from_millis(30))).agent(AGENT).verb(Verb::Patch);
    let late = stage.hub.faults().add(late.kind("Gateway"));
    let others = gateways(&stage.hub);
    let writing = tokio::spawn(async move {
        for number in 0_u64.. {
            let label = json!({ "metadata": { "labels": { "number": number.to_string() } } });
            others.patch("web", &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
            sleep(Duration::from_millis(20)).await;
        }
    });
    for status in ["False", "True", "Unknown", "False", "True"] {
        let (before, began) = (stage.hub.faults().fired(late), Instant::now());
        stage.say("cluster-1", 0, status, "Listener certificate is expired").await;
        stage.says_within(status, Duration::from_secs(2)).await;
        let (sent, took) = (stage.hub.faults().fired(late) - before, began.elapsed());
        assert!(sent <= 5, "{status}: {sent} requests in {took:?}");
        let settled = stage.hub.faults().fired(late);
        sleep(Duration::from_secs(5)).await;
        let more = stage.hub.faults().fired(late) - settled;
        assert!(more <= 1, "{status}: {more} requests after it stood");
    }
    writing.abort();
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_keeps_no_records_says_so_and_neither_watches_nor_writes_them() {
    let mut stage = Stage::new(4).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    stage.stop().await;
    // Lists are made of every kind whose status it may write, once, to find what aggregations have left.
    let [watches, writes] = [Verb::Watch, Verb::Patch].map(|verb| {
        let rule = Rule::new(Effect::Unavailable).agent(AGENT).verb(verb).resource("dnsendpoints");
        stage.hub.faults().add(rule)
    });
    stage.options.dns = false;
    stage.run();
    let api: Api<StatusAggregation> = Api::all(Client::new(stage.hub.service(), "default"));
    let is_told = async || {
        let said = serde_json::to_string(&api.get("gateways").await.unwrap().status).unwrap();
        if said.contains("this hub keeps no DNS records") { Ok(()) } else { Err(said) }
    };
    eventually("the aggregation, which asks for records", is_told).await;
    stage.say("cluster-1", 0, "False", "no").await;
    stage.says_within("False", Duration::from_secs(10)).await;
    assert_eq!((stage.hub.faults().matched(watches), stage.hub.faults().matched(writes)), (0, 0));
}
