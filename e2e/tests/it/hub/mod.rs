//! A hub with two spokes and their Gateways, as a platform team runs it.

mod stage;

use std::time::Duration;

use allready_e2e::{Server, Wire, eventually};
use allready_kube::kinds::StatusAggregation;
use kube::{
    Api,
    api::{DeleteParams, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use self::stage::{
    Said, Seen, Stage, WELL, all_is_well, both_are_well, condition, gateways, is, resource, values,
};

allready_e2e::scenarios![
    the_hub_says_what_every_cluster_says,
    a_spoke_that_is_cut_off_is_unknown_and_keeps_its_last_values_until_it_returns,
    a_hub_that_restarts_while_a_spoke_is_cut_off_loses_nothing,
    a_spoke_that_is_removed_on_purpose_leaves_at_once,
    secrets_that_are_rotated_empty_no_record,
    dns_follows_a_placement_that_moves_without_a_gap,
    an_object_that_is_not_chosen_any_more_is_given_back,
    what_an_aggregation_left_that_went_while_no_controller_ran_is_taken_away_by_the_next,
    rows_that_do_not_fit_are_told_and_stand_in_reports,
    somebody_else_who_keeps_writing_the_same_condition_is_told_and_does_not_win,
    an_instance_status_that_a_tenant_forges_puts_no_address_into_a_gateway,
    tenants_who_name_forty_thousand_clusters_delay_nobody_and_are_not_green,
];
allready_e2e::kubectl_scenarios![the_platform_team_sees_it_with_kubectl];

async fn the_hub_says_what_every_cluster_says(server: Server) {
    let mut stage = Stage::set(server).await;
    let expired = Said {
        programmed: ("False", "Listener certificate is expired"),
        addresses: &["172.31.200.0", "172.31.201.0"],
        routes: (0, 1),
    };
    stage.says("cluster-1", expired).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0", "172.31.203.0"], ..WELL }).await;
    stage.aggregate(json!({})).await;
    stage.run();

    // Bad news does not wait for the other one to be heard.
    let said = "cluster-1 Listener certificate is expired";
    let gateway = stage
        .until("what both of them say", |gateway| condition(gateway, "Programmed")["message"] == said)
        .await;
    let programmed = condition(&gateway, "Programmed");
    assert_eq!(
        (&programmed["status"], &programmed["reason"]),
        (&json!("False"), &json!("InstancesNotReady"))
    );
    assert_eq!(programmed["observedGeneration"], gateway["metadata"]["generation"]);
    assert_eq!(condition(&gateway, "Accepted")["reason"], "Pending", "what is not ours stays");
    assert_eq!(
        values(&gateway, "addresses", "value"),
        [
            "cluster-1/172.31.200.0",
            "cluster-1/172.31.201.0",
            "cluster-2/172.31.202.0",
            "cluster-2/172.31.203.0",
        ]
    );
    assert_eq!(
        values(&gateway, "listeners", "name"),
        ["cluster-1.api", "cluster-1.web", "cluster-2.api", "cluster-2.web"]
    );
    stage.until_dns("api", &["172.31.202.0", "172.31.203.0"]).await;
    stage.until_dns("www", &["172.31.200.0", "172.31.201.0", "172.31.202.0", "172.31.203.0"]).await;

    both_are_well(&stage).await;
    let gateway = stage.until("Programmed to be True", is("Programmed", "True")).await;
    assert_eq!(condition(&gateway, "Programmed")["reason"], "AllInstancesReady");
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
}

async fn a_spoke_that_is_cut_off_is_unknown_and_keeps_its_last_values_until_it_returns(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;

    for cut in [Wire::silence, Wire::cut] {
        cut(&stage.spokes["cluster-2"].wire);
        let gateway = stage.until("Programmed to be Unknown", is("Programmed", "Unknown")).await;
        let programmed = condition(&gateway, "Programmed");
        assert_eq!(programmed["reason"], "ClusterUnreachable", "{programmed:#}");
        let message = programmed["message"].as_str().unwrap();
        assert!(message.starts_with("cluster-2 (unknown) ClusterUnreachable: no word since 20"), "{message}");
        assert_eq!(
            values(&gateway, "addresses", "value"),
            ["cluster-1/172.31.200.0", "cluster-2/172.31.202.0"]
        );
        // What the others say goes on being told.
        let expired = Said { programmed: ("False", "expired"), addresses: &["172.31.200.0"], ..WELL };
        stage.says("cluster-1", expired).await;
        let gateway = stage.until("Programmed to be False", is("Programmed", "False")).await;
        let message = condition(&gateway, "Programmed")["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("cluster-1 expired; cluster-2 (unknown) "), "{message}");
        stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
        stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
        stage.until("Programmed to be Unknown again", is("Programmed", "Unknown")).await;

        stage.spokes["cluster-2"].wire.mend();
        stage.until("Programmed to be True again", is("Programmed", "True")).await;
    }
    stage.stop().await;
}

async fn a_hub_that_restarts_while_a_spoke_is_cut_off_loses_nothing(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("www", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
    stage.spokes["cluster-2"].wire.silence();
    stage.run();
    let gateway = stage.until("Programmed to be Unknown", is("Programmed", "Unknown")).await;
    assert_eq!(values(&gateway, "addresses", "value"), ["cluster-1/172.31.200.0", "cluster-2/172.31.202.0"]);
    assert_eq!(values(&gateway, "listeners", "name").len(), 4);
    stage.says("cluster-1", Said { addresses: &["172.31.201.0"], ..WELL }).await;
    stage.until_dns("www", &["172.31.201.0", "172.31.202.0"]).await;
    stage.spokes["cluster-2"].wire.mend();
    stage.until("Programmed to be True again", is("Programmed", "True")).await;
    stage.stop().await;
}

async fn a_spoke_that_is_removed_on_purpose_leaves_at_once(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({ "dns": { "graceSeconds": 3600 } }))).await;
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    stage.secrets().delete("cluster-2", &DeleteParams::default()).await.unwrap();
    let gateway = stage.until("Programmed to be Unknown", is("Programmed", "Unknown")).await;
    assert_eq!(condition(&gateway, "Programmed")["reason"], "ClusterGone");
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    stage.remove_clusters("cluster-2").await;
    let gateway =
        stage.until("its rows to leave", |gateway| values(gateway, "addresses", "value").len() == 1).await;
    assert_eq!(values(&gateway, "listeners", "name"), ["cluster-1.api", "cluster-1.web"]);
    assert_eq!(condition(&gateway, "Programmed")["status"], "True");
    stage.until_dns("api", &["172.31.200.0"]).await;
    stage.stop().await;
}

async fn secrets_that_are_rotated_empty_no_record(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    let seen = Seen::watch(&stage, "api");
    let mut rotated = Vec::new();
    for name in ["cluster-1", "cluster-2"] {
        let mut secret = stage.secrets().get(name).await.unwrap();
        stage.secrets().delete(name, &DeleteParams::default()).await.unwrap();
        (secret.metadata.resource_version, secret.metadata.uid) = (None, None);
        secret.metadata.managed_fields = None;
        rotated.push(secret);
    }
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    for secret in &rotated {
        stage.secrets().create(&kube::api::PostParams::default(), secret).await.unwrap();
    }
    // Longer than the grace period, and until both are heard again.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    stage.until("Programmed to be True", is("Programmed", "True")).await;
    assert_eq!(seen.versions().await, [vec!["172.31.200.0", "172.31.202.0"]]);
    stage.stop().await;
}

async fn dns_follows_a_placement_that_moves_without_a_gap(server: Server) {
    let mut stage = Stage::set(server).await;
    let labels = json!({ "aggregated": "yes" });
    let hub = stage.hub.client();
    stage.make_gateway(&hub, labels.clone(), json!({ "allready.dev/clusters": "cluster-1" })).await;
    stage.says("cluster-1", Said { addresses: &["172.31.200.0"], ..WELL }).await;
    stage.says("cluster-2", Said { routes: (0, 0), ..WELL }).await;
    stage.aggregate(json!({ "placement": { "type": "Annotated" } })).await;
    stage.run();
    stage.until("Programmed to be True", is("Programmed", "True")).await;
    stage.until_dns("api", &["172.31.200.0"]).await;
    let seen = Seen::watch(&stage, "api");

    stage.make_gateway(&hub, labels, json!({ "allready.dev/clusters": "cluster-2" })).await;
    stage
        .until("the rows to move", |gateway| {
            values(gateway, "listeners", "name") == ["cluster-2.api", "cluster-2.web"]
        })
        .await;
    stage.until_dns("api", &["172.31.200.0"]).await;
    stage.says("cluster-2", Said { addresses: &["172.31.202.0"], ..WELL }).await;
    stage.until_dns("api", &["172.31.202.0"]).await;
    // From the first to both, and then to the second alone: at no time to none.
    assert_eq!(
        seen.versions().await,
        [vec!["172.31.200.0"], vec!["172.31.200.0", "172.31.202.0"], vec!["172.31.202.0"]]
    );
    stage.stop().await;
}

async fn an_object_that_is_not_chosen_any_more_is_given_back(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    let client = stage.hub.client();
    stage.make_gateway(&client, json!({ "aggregated": "no" }), json!({})).await;
    let gateway =
        stage.until("what was ours to go", |gateway| gateway["status"]["addresses"].is_null()).await;
    assert!(gateway["status"]["listeners"].is_null(), "{gateway:#}");
    assert!(condition(&gateway, "allready.dev/Aggregated").is_null(), "{gateway:#}");
    stage.until_dns("api", &[]).await;

    stage.make_gateway(&client, json!({ "aggregated": "yes" }), json!({})).await;
    stage.until("Programmed to be True again", is("Programmed", "True")).await;
    let aggregations: Api<StatusAggregation> = Api::all(client);
    aggregations.delete(&stage.aggregation, &DeleteParams::default()).await.unwrap();
    stage.until("what was ours to go again", |gateway| gateway["status"]["addresses"].is_null()).await;
    stage.stop().await;
}

async fn what_an_aggregation_left_that_went_while_no_controller_ran_is_taken_away_by_the_next(
    server: Server,
) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    stage.until_dns("api", &["172.31.200.0", "172.31.202.0"]).await;
    stage.stop().await;
    let aggregations: Api<StatusAggregation> = Api::all(stage.hub.client());
    aggregations.delete(&stage.aggregation, &DeleteParams::default()).await.unwrap();
    let gateway = stage.gateway().await;
    assert_eq!(condition(&gateway, "Programmed")["status"], "True", "green, and nobody behind it");

    stage.run();
    let gateway =
        stage.until("what was ours to go", |gateway| gateway["status"]["addresses"].is_null()).await;
    assert!(gateway["status"]["listeners"].is_null(), "{gateway:#}");
    assert!(condition(&gateway, "allready.dev/Aggregated").is_null(), "{gateway:#}");
    assert_ne!(condition(&gateway, "Programmed")["status"], "True", "{gateway:#}");
    assert_eq!(condition(&gateway, "Accepted")["reason"], "Pending", "what is not ours stays");
    stage.until_dns("api", &[]).await;
    stage.stop().await;
}

async fn rows_that_do_not_fit_are_told_and_stand_in_reports(server: Server) {
    let mut stage = Stage::set(server).await;
    let many: Vec<String> = (0..10).map(|n| format!("172.31.200.{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for cluster in ["cluster-1", "cluster-2"] {
        stage.says(cluster, Said { addresses: &many, ..WELL }).await;
    }
    stage.aggregate(json!({})).await;
    stage.run();
    let aggregated = "allready.dev/Aggregated";
    let gateway = stage.until("that rows are left out", is("allready.dev/Aggregated", "False")).await;
    assert_eq!(condition(&gateway, aggregated)["reason"], "RowsLeftOut");
    assert_eq!(values(&gateway, "addresses", "value").len(), 16);
    assert_eq!(condition(&gateway, "Programmed")["status"], "True");
    let resource = resource("allready.dev", "v1alpha1", "InstanceStatus", "instancestatuses");
    let reports: Api<DynamicObject> = Api::namespaced_with(stage.hub.client(), &stage.namespace, &resource);
    let look = || async {
        let all = reports.list(&kube::api::ListParams::default()).await.unwrap().items;
        let full = all.iter().filter(|report| {
            report.data["status"]["addresses"].as_array().is_some_and(|all| all.len() == 10)
        });
        full.count()
    };
    eventually("a full report for each cluster", |full| *full == 2, look).await;

    both_are_well(&stage).await;
    stage.until("that nothing is left out", is("allready.dev/Aggregated", "True")).await;
    eventually("the reports to go", |full| *full == 0, look).await;
    stage.stop().await;
}

/// Somebody who says that all is well whenever the hub says something else.
fn meddle(stage: &Stage) -> JoinHandle<()> {
    let api: Api<DynamicObject> = Api::namespaced_with(stage.hub.client(), &stage.namespace, &gateways());
    tokio::spawn(async move {
        let meddler = PatchParams { field_manager: Some("meddler".to_owned()), ..PatchParams::default() };
        loop {
            let gateway = serde_json::to_value(api.get("web").await.unwrap()).unwrap();
            if condition(&gateway, "Programmed")["status"] != "True" {
                let mut conditions = gateway["status"]["conditions"].clone();
                let all = conditions.as_array_mut().unwrap().iter_mut();
                for programmed in all.filter(|condition| condition["type"] == "Programmed") {
                    programmed["status"] = "True".into();
                    programmed["message"] = "trust me".into();
                }
                // Who is late is refused, and looks again.
                let version = &gateway["metadata"]["resourceVersion"];
                let body = json!({ "metadata": { "resourceVersion": version }, "status": { "conditions": conditions } });
                drop(api.patch_status("web", &meddler, &Patch::Merge(&body)).await);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
}

async fn somebody_else_who_keeps_writing_the_same_condition_is_told_and_does_not_win(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    let meddling = meddle(&stage);
    stage
        .says("cluster-1", Said { programmed: ("False", "expired"), addresses: &["172.31.200.0"], ..WELL })
        .await;
    let is_told =
        |gateway: &Value| condition(gateway, "allready.dev/Aggregated")["reason"] == "ForeignWriter";
    let gateway = stage.until("that somebody else writes", is_told).await;
    let message = condition(&gateway, "allready.dev/Aggregated")["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("meddler writes the condition Programmed of this object too"), "{message}");
    meddling.abort();
    let gateway = stage.until("Programmed to be False", is("Programmed", "False")).await;
    assert_eq!(condition(&gateway, "Programmed")["message"], "cluster-1 expired");
    stage.stop().await;
}

async fn an_instance_status_that_a_tenant_forges_puts_no_address_into_a_gateway(server: Server) {
    let mut stage = Box::pin(all_is_well(server, json!({}))).await;
    let kind = resource("allready.dev", "v1alpha1", "InstanceStatus", "instancestatuses");
    let api: Api<DynamicObject> = Api::namespaced_with(stage.hub.client(), &stage.namespace, &kind);
    let (aggregation, tenant) = (&stage.aggregation, PatchParams::apply("tenant").force());
    let name = format!("web.gateway-{aggregation}.cluster-9");
    let mut forged = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "InstanceStatus",
        "metadata": { "name": name, "labels": {
            "allready.dev/aggregation": aggregation, "app.kubernetes.io/managed-by": "allready-hub",
        } },
        "spec": { "aggregation": aggregation, "cluster": "cluster-9", "targetRef": {
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web",
        } },
    });
    api.patch(&name, &tenant, &Patch::Apply(&forged)).await.unwrap();
    forged["status"] = json!({ "addresses": [{ "type": "IPAddress", "value": "203.0.113.66" }] });
    api.patch_status(&name, &tenant, &Patch::Apply(&forged)).await.unwrap();
    for is_restarted in [false, true] {
        if is_restarted {
            stage.stop().await;
            stage.run();
        }
        for _ in 0..30 {
            let gateway = stage.gateway().await.to_string();
            assert!(!gateway.contains("203.0.113.66"), "restarted: {is_restarted}: {gateway}");
            assert!(!format!("{:?}", stage.endpoints().await).contains("203.0.113.66"));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    let evidence = api.get(&name).await.unwrap();
    assert!(evidence.data.to_string().contains("203.0.113.66"), "it is kept: {}", evidence.data);
    stage.stop().await;
}

async fn tenants_who_name_forty_thousand_clusters_delay_nobody_and_are_not_green(server: Server) {
    let mut stage = Stage::set(server).await;
    both_are_well(&stage).await;
    let client = stage.hub.client();
    let labels = json!({ "aggregated": "yes" });
    stage.make_gateway(&client, labels, json!({ "allready.dev/clusters": "cluster-1,cluster-2" })).await;
    let tenant = stage.hub.namespace("tenant").await;
    let namespaces = [&stage.namespace, &tenant];
    stage.aggregate(json!({ "placement": { "type": "Annotated" }, "namespaces": namespaces })).await;
    stage.run();
    stage.until("Programmed to be True", is("Programmed", "True")).await;

    let theirs: Api<DynamicObject> = Api::namespaced_with(client, &tenant, &gateways());
    let names: Vec<String> = (0..40_000).map(|name| format!("{name:05}")).collect();
    for number in 0..8 {
        let name = format!("greedy-{number}");
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": { "name": name, "labels": { "aggregated": "yes" },
                "annotations": { "allready.dev/clusters": names.join(",") } },
            "spec": { "gatewayClassName": "multi", "listeners": [{ "name": "web", "port": 80, "protocol": "HTTP" }] },
        });
        let gateway = serde_json::from_value(gateway).unwrap();
        theirs.create(&kube::api::PostParams::default(), &gateway).await.unwrap();
    }
    let expired = Said { programmed: ("False", "expired"), addresses: &["172.31.200.0"], ..WELL };
    stage.says("cluster-1", expired).await;
    let told = std::time::Instant::now();
    stage.until("Programmed to be False", is("Programmed", "False")).await;
    println!("others are told after {:?}", told.elapsed());
    assert!(told.elapsed() < Duration::from_secs(2), "{:?}", told.elapsed());
    let look = || async { serde_json::to_value(theirs.get("greedy-7").await.unwrap()).unwrap() };
    let is_told = |gateway: &Value| {
        gateway["status"].to_string().contains("39000 names are left out, as 1000 clusters")
    };
    let gateway = eventually("the tenant to be told", is_told, look).await;
    assert_eq!(condition(&gateway, "Programmed")["status"], "Unknown", "{}", gateway["status"]);
    stage.stop().await;
}

async fn the_platform_team_sees_it_with_kubectl(server: Server) {
    let mut stage = Stage::set(server).await;
    both_are_well(&stage).await;
    stage.aggregate(json!({})).await;
    stage.run();
    let namespace = stage.namespace.clone();
    let wait = ["wait", "gateway/web", "-n", &namespace, "--for=condition=Programmed", "--timeout=30s"];
    assert!(stage.hub.kubectl(&wait).await.ok().contains("condition met"));
    let expired = Said {
        programmed: ("False", "Listener certificate is expired"),
        addresses: &["172.31.200.0"],
        ..WELL
    };
    stage.says("cluster-1", expired).await;
    let wait = ["wait", "gateway/web", "-n", &namespace, "--for=condition=Programmed=False", "--timeout=30s"];
    stage.hub.kubectl(&wait).await.ok();
    let message = r#"jsonpath={.status.conditions[?(@.type=="Programmed")].message}"#;
    let seen = stage.hub.kubectl(&["get", "gateway", "web", "-n", &namespace, "-o", message]).await.ok();
    assert_eq!(seen, "cluster-1 Listener certificate is expired");
    let wait = ["wait", "statusagg", &stage.aggregation, "--for=condition=Ready", "--timeout=30s"];
    stage.hub.kubectl(&wait).await.ok();
    let table = stage.hub.kubectl(&["get", "statusagg", &stage.aggregation]).await.ok();
    let row: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[1..6], ["True", "AllClustersHeard", "Gateway", "1", "2/2"], "{table}");
    stage.stop().await;
}
