//! A tenant who may annotate his objects, and nothing else.

use std::time::Instant;

use serde_json::json;

use super::{
    samples::{calm, gateway, gateways, programmed},
    store::What,
    world::{S, web},
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
