//! InstanceStatuses that somebody else made, or wrote to.

use serde_json::{Value, json};

use super::{
    samples::{addresses, calm, gateways, programmed, reports},
    store::What,
    world::{S, World, named, web},
};
use crate::hub::{ObjectName, Target};

/// The report of the second cluster.
fn report() -> ObjectName {
    ObjectName::new("shop", "web.gateway-gateways.cluster-2")
}

/// A hub with reports, of which the second cluster does not answer.
fn without_the_second() -> World {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(5));
    assert_eq!(reports(&world).len(), 3);
    world.spoke(2).is_up = false;
    world.pass(S(15));
    assert_eq!(programmed(&world), "Unknown");
    world
}

/// Somebody writes an address of his own to a report.
fn forge(world: &mut World, manager: &str, subresource: &str) {
    world.edit(What::InstanceStatus, &report(), |object| {
        let evil = json!({ "type": "IPAddress", "value": "203.0.113.66" });
        let addresses = object["status"]["addresses"].as_array().cloned().unwrap_or_default();
        object["status"]["addresses"] = [addresses, vec![evil]].concat().into();
        let record = json!({ "manager": manager, "subresource": subresource, "operation": "Update",
            "fieldsV1": { "f:status": { "f:addresses": {} } } });
        let mut records = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        records.push(record);
        object["metadata"]["managedFields"] = records.into();
    });
}

fn message(world: &World) -> String {
    let aggregation = world.store.get(What::Aggregation, &named("gateways")).unwrap();
    aggregation["status"]["conditions"][0]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_forged_instance_status_puts_no_address_into_a_gateway() {
    for (manager, subresource) in [("kubectl", "status"), ("allready-hub", ""), ("allready-hub/x", "status")]
    {
        let mut world = without_the_second();
        world.stalled = true;
        forge(&mut world, manager, subresource);
        world.stalled = false;
        world.restart();
        world.pass_and(S(12), |world| {
            let rows = addresses(world);
            assert!(!rows.iter().any(|row| row.contains("203.0.113.66")), "{rows:?}");
        });
        assert!(
            addresses(&world).contains(&"cluster-2/10.0.2.1".to_owned()),
            "what the hub wrote itself stays"
        );
    }
}

#[test]
fn a_forged_instance_status_that_nobody_wants_is_named_and_not_deleted() {
    let mut world = calm();
    let name = ObjectName::new("shop", "web.gateway-gateways.cluster-9");
    world.edit(What::InstanceStatus, &name, |object| {
        object["metadata"]["labels"] = json!({
            "allready.dev/aggregation": "gateways", "app.kubernetes.io/managed-by": "allready-hub",
        });
        object["spec"] = json!({ "aggregation": "gateways", "cluster": "cluster-9", "targetRef": {
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web" } });
        object["status"] = json!({ "addresses": [{ "type": "IPAddress", "value": "203.0.113.66" }] });
    });
    world.pass(S(10));
    assert!(world.store.get(What::InstanceStatus, &name).is_some(), "it is evidence");
    let is_deleted = |(_, target, body): &(_, Target, Option<Value>)| {
        *target == Target::InstanceStatus(name.clone()) && body.is_none()
    };
    assert!(!world.writes.iter().any(is_deleted));
    let message = message(&world);
    assert!(message.contains("somebody else than the hub has written to its status"), "{message}");
    assert!(message.contains("InstanceStatus shop/web.gateway-gateways.cluster-9"), "{message}");
    assert!(
        world.store.get(What::Gateway, &web()).is_some_and(|gateway| !gateway.to_string().contains("203.0"))
    );
}
