//! A tenant who may annotate his objects, and nothing else.

use std::time::Instant;

use serde_json::json;

use super::{
    samples::{calm, gateway, gateways, programmed, well},
    store::What,
    world::{S, World, named, web},
};
use crate::hub::ObjectName;

#[test]
fn a_tenant_who_names_forty_thousand_clusters_is_told_so_and_delays_nobody() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "placement": { "type": "Annotated" } })));
    world.edit(What::Gateway, &web(), |object| {
        object["metadata"]["annotations"] =
            json!({ "allready.dev/clusters": "cluster-1,cluster-2,cluster-3" });
    });
    world.pass(S(5));
    assert_eq!(programmed(&world), "True");
    let many: Vec<String> = (0..40_000).map(|number| format!("c{number}")).collect();
    let many = many.join(",");
    let tenants: Vec<_> = (0..30).map(|number| ObjectName::new("tenant", &format!("web-{number}"))).collect();
    let began = Instant::now();
    for name in &tenants {
        world.edit(What::Gateway, name, |object| {
            gateway(object);
            object["metadata"]["annotations"] = json!({ "allready.dev/clusters": many });
        });
    }
    world.pass(S(2));
    let took = began.elapsed();
    for name in &tenants {
        let subject = &world.hub().aggregations["gateways"].subjects[name];
        assert_eq!(subject.expected().count(), 1000);
        let status = world.store.get(What::Gateway, name).unwrap()["status"].to_string();
        assert!(status.contains("39000 names are left out, as 1000 clusters are at most"), "{status}");
        assert!(!status.contains("\"True\""), "{status}");
    }
    assert_eq!(programmed(&world), "True");
    eprintln!("30 objects with 40,000 names: {took:?}");
}

#[test]
fn a_tenant_who_names_the_hostname_of_another_gets_no_records_for_it_and_takes_none_away() {
    let mut world = calm();
    world.edit(What::Gateway, &web(), |object| {
        object["metadata"]["creationTimestamp"] = "2026-03-01T10:00:00Z".into();
    });
    let evil = ObjectName::new("evil", "web");
    world.edit(What::Gateway, &evil, |object| {
        gateway(object);
        object["metadata"]["creationTimestamp"] = "2026-03-01T10:00:01Z".into();
        object["spec"]["listeners"][1]["hostname"] = "evil.example.com".into();
    });
    for number in 1..=3 {
        world.say(number, What::Gateway, &evil, Some(well(number + 5)));
    }
    world.pass(S(5));
    let names = |world: &World, namespace: &str| {
        let endpoint = world.store.get(What::Endpoint, &ObjectName::new(namespace, "gateway-web"));
        let records = endpoint.and_then(|endpoint| endpoint["spec"]["endpoints"].as_array());
        let names =
            records.into_iter().flatten().map(|record| record["dnsName"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&world, "shop"), ["api.example.com", "www.example.com"]);
    assert_eq!(names(&world, "evil"), ["evil.example.com"]);
    let said = world.store.get(What::Aggregation, &named("gateways")).unwrap()["status"].to_string();
    assert!(said.contains("belongs to namespace shop, whose Gateway with it"), "{said}");

    world.restart();
    let mut published = Vec::new();
    world.pass_and(S(5), |world| published.extend(names(world, "evil")));
    assert!(!published.contains(&"api.example.com".to_owned()), "not even while a new controller is listing");

    world.store.delete(What::Gateway, &web());
    world.pass(S(5));
    assert_eq!(names(&world, "evil"), ["api.example.com", "evil.example.com"], "the name is free now");
}
