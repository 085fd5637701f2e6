//! A tenant who may annotate his objects, and nothing else.

use std::time::Instant;

use serde_json::json;

use super::{
    samples::{addresses, calm, endpoint, gateway, gateways, programmed, unwell, well},
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

#[test]
fn an_object_of_the_hub_without_room_is_unknown_and_its_rows_and_records_are_as_they_were() {
    let mut world = calm();
    world.is_checked = true;
    let (rows, records) = (addresses(&world), endpoint(&world).unwrap()["spec"].clone());
    assert_eq!((programmed(&world), rows.len()), ("True".to_owned(), 3));
    // Somebody else has objects that are listed first, and take nearly all of the room.
    let greedy: Vec<_> = (0..20).map(|number| ObjectName::new("a", &format!("greedy-{number}"))).collect();
    for name in &greedy {
        world.edit(What::Gateway, name, gateway);
    }
    world.options.object_limit = 100_000;
    world.restart();
    world.pass(S(10));
    assert_eq!(programmed(&world), "Unknown");
    let status = world.store.get(What::Gateway, &web()).unwrap()["status"].to_string();
    assert!(status.contains("more objects on the hub than there is memory for"), "{status}");
    assert_eq!((addresses(&world), &endpoint(&world).unwrap()["spec"]), (rows.clone(), &records));
    let told = || {
        world.store.get(What::Aggregation, &named("gateways")).unwrap()["status"]["conditions"].to_string()
    };
    assert!(told().contains("HubUnreadable"), "{}", told());
    // Neither good news nor bad ones of a cluster are believed while nobody can keep them.
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(S(5));
    assert_eq!(programmed(&world), "Unknown");
    // There is room again, and a list shows it.
    for name in &greedy {
        world.store.delete(What::Gateway, name);
    }
    world.pass(S(5));
    world.relist();
    world.pass(S(10));
    assert_eq!(programmed(&world), "False");
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.pass(S(10));
    assert_eq!((programmed(&world), addresses(&world)), ("True".to_owned(), rows));
    let ready = world.status(What::Aggregation, &named("gateways"), "Ready");
    assert_eq!(ready.as_deref(), Some("True"));
}

#[test]
fn instance_statuses_for_which_there_is_no_room_are_told() {
    let mut world = calm();
    world.options.object_limit = 30_000;
    for number in 0..20 {
        let name = ObjectName::new("tenant", &format!("forged-{number}"));
        world.edit(What::InstanceStatus, &name, |object| {
            object["metadata"]["labels"] = json!({ "app.kubernetes.io/managed-by": "allready-hub" });
        });
    }
    world.restart();
    world.pass(S(10));
    let told =
        world.store.get(What::Aggregation, &named("gateways")).unwrap()["status"]["conditions"].to_string();
    assert!(
        told.contains("InstanceStatuses cannot be seen: there are more objects than there is memory for"),
        "{told}"
    );
}
