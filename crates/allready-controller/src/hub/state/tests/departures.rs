//! Clusters that leave the inventory, whether that is meant or not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    samples::{addresses, calm, endpoint, gateways, programmed, unwell},
    store::What,
    world::{MS, S, World, named, web},
};
use crate::hub::ObjectName;

/// The targets of a name that are published.
fn targets(world: &World) -> BTreeSet<String> {
    let records = endpoint(world).map(|endpoint| endpoint["spec"]["endpoints"].clone()).unwrap_or_default();
    let records = records.as_array().cloned().unwrap_or_default();
    let own = records.iter().filter(|record| record["dnsName"] == "api.example.com");
    own.flat_map(|record| record["targets"].as_array().cloned().unwrap_or_default())
        .map(|target| target.as_str().unwrap().to_owned())
        .collect()
}

fn all() -> BTreeSet<String> {
    (1..=3).map(|number| format!("10.0.{number}.1")).collect()
}

fn reason(world: &World) -> String {
    let object = world.store.get(What::Gateway, &web()).unwrap();
    let conditions = object["status"]["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|condition| condition["type"] == "Programmed").unwrap();
    found["reason"].as_str().unwrap().to_owned()
}

fn leave(world: &mut World, numbers: impl IntoIterator<Item = usize>) {
    for number in numbers {
        world.spoke(number).is_joined = false;
    }
}

fn join(world: &mut World, numbers: impl IntoIterator<Item = usize>) {
    for number in numbers {
        world.spoke(number).is_joined = true;
    }
}

fn remove(world: &mut World, names: &str) {
    world.edit(What::Aggregation, &named("gateways"), |object| {
        object["metadata"]["annotations"] = json!({ "allready.dev/remove-clusters": names });
    });
}

#[test]
fn secrets_that_are_rotated_take_no_target_away_and_show_nothing_green_meanwhile() {
    for pause in [0, 100, 3_000] {
        let mut world = calm();
        world.say(2, What::Gateway, &web(), Some(unwell(2, "False")));
        world.pass(S(2));
        assert_eq!(programmed(&world), "False");
        let check = |world: &mut World| {
            assert_eq!(targets(world), all());
            assert_ne!(programmed(world), "True");
        };
        leave(&mut world, 1..=3);
        world.pass_and(MS(pause), check);
        join(&mut world, 1..=3);
        world.pass_and(S(15), check);
        assert_eq!(programmed(&world), "False");
    }
}

#[test]
fn a_prune_of_all_secrets_empties_no_record_however_long_it_lasts() {
    let mut world = calm();
    leave(&mut world, 1..=3);
    world.pass_and(S(4), |world| assert_eq!(targets(world), all()));
    assert_eq!((programmed(&world), reason(&world)), ("Unknown".to_owned(), "ClusterGone".to_owned()));
    assert_eq!(addresses(&world).len(), 3, "what they said last stays");
    world.pass_and(S(100), |world| {
        assert_eq!(targets(world), all());
        assert_eq!(programmed(world), "Unknown");
    });
    join(&mut world, 1..=3);
    world.pass_and(S(15), |world| assert_eq!(targets(world), all()));
    assert_eq!(programmed(&world), "True");
}

#[test]
fn a_cluster_that_leaves_while_it_is_red_does_not_make_the_whole_green() {
    let mut world = calm();
    world.say(2, What::Gateway, &web(), Some(unwell(2, "False")));
    world.pass(S(2));
    leave(&mut world, [2]);
    // The grace period of the sample is five seconds.
    world.pass_and(S(4), |world| assert_ne!(programmed(world), "True"));
    assert_eq!((programmed(&world), reason(&world)), ("Unknown".to_owned(), "ClusterGone".to_owned()));
    assert_eq!(targets(&world), all());
    world.pass(S(4));
    assert_eq!(programmed(&world), "True", "it has been waited for");
    assert_eq!(targets(&world), BTreeSet::from(["10.0.1.1".to_owned(), "10.0.3.1".to_owned()]));
}

#[test]
fn a_restart_neither_forgets_a_cluster_that_has_left_nor_begins_its_grace_anew() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "dns": { "graceSeconds": 30 } })));
    world.pass(S(5));
    leave(&mut world, [2]);
    world.pass(S(10));
    for _ in 0..3 {
        world.restart();
        world.pass_and(S(5), |world| {
            assert_eq!(targets(world), all());
            assert_eq!(programmed(world), "Unknown");
        });
    }
    assert_eq!(reason(&world), "ClusterGone");
    world.pass(S(10));
    assert_eq!(programmed(&world), "True");
    assert_eq!(targets(&world).len(), 2);
}

#[test]
fn a_cluster_that_left_while_no_controller_ran_is_waited_for_too() {
    let mut world = calm();
    world.is_leading = false;
    leave(&mut world, [2]);
    world.restart();
    world.pass(S(1));
    world.is_leading = true;
    world.pass_and(S(3), |world| assert_eq!(targets(world), all()));
    assert_eq!((programmed(&world), reason(&world)), ("Unknown".to_owned(), "ClusterGone".to_owned()));
}

#[test]
fn a_cluster_that_is_removed_on_purpose_leaves_at_once() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "dns": { "graceSeconds": 3600 } })));
    world.pass(S(5));
    leave(&mut world, [2]);
    world.pass(S(2));
    assert_eq!(programmed(&world), "Unknown");
    remove(&mut world, "cluster-2");
    world.pass(S(2));
    assert_eq!(programmed(&world), "True");
    assert_eq!(targets(&world).len(), 2);
    let status = ObjectName::new(&world.options.namespace, "cluster-2");
    assert!(world.store.get(What::ClusterStatus, &status).is_none(), "nobody waits for it");
    remove(&mut world, "cluster-1, cluster-2,cluster-3");
    world.pass_and(S(2), |world| assert_eq!(programmed(world), "True"));
    assert_eq!(targets(&world).len(), 2, "who is there is not removed");
    leave(&mut world, [1, 3]);
    world.pass(S(2));
    assert_eq!(programmed(&world), "Unknown", "nobody vouches for it");
    assert_eq!(targets(&world), BTreeSet::new(), "even the last one, as somebody said so");
}

#[test]
fn whoever_misspells_a_cluster_that_is_to_be_removed_is_told() {
    let ready = |world: &World| {
        let object = world.store.get(What::Aggregation, &named("gateways")).unwrap();
        object["status"]["conditions"][0]["message"].as_str().unwrap().to_owned()
    };
    let mut world = calm();
    leave(&mut world, [2]);
    remove(&mut world, "clutser-2, No Cluster");
    world.pass(S(5));
    assert_eq!(programmed(&world), "Unknown", "it is waited for");
    let told = ready(&world);
    for part in ["annotation allready.dev/remove-clusters: clutser-2 is no cluster", "No Cluster"] {
        assert!(told.contains(part), "{told}");
    }
    remove(&mut world, "cluster-1");
    world.pass(S(5));
    assert!(!ready(&world).contains("remove-clusters"), "{}", ready(&world));
}

#[test]
fn an_edit_of_the_aggregation_does_not_make_it_forget_who_has_left() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "dns": { "graceSeconds": 3600 } })));
    world.pass(S(5));
    leave(&mut world, [2]);
    world.pass(S(2));
    let spec = gateways(&json!({ "dns": { "graceSeconds": 3600, "ttlSeconds": 5 } }));
    world.aggregate("gateways", spec);
    world.pass_and(S(8), |world| {
        assert_eq!(programmed(world), "Unknown");
        assert_eq!(targets(world), all());
    });
}

#[test]
fn a_cluster_that_never_had_an_object_is_not_missed_where_objects_are_found() {
    let mut world = calm();
    let found = json!({ "placement": { "type": "Found" }, "dns": null });
    world.aggregate("gateways", gateways(&found));
    world.say(3, What::Gateway, &web(), None);
    world.pass(S(5));
    assert_eq!(programmed(&world), "True");
    leave(&mut world, [3]);
    world.pass_and(S(10), |world| assert_eq!(programmed(world), "True"));
    leave(&mut world, [2]);
    world.pass(S(2));
    assert_eq!(programmed(&world), "Unknown");
}

#[test]
fn the_cluster_status_says_that_its_cluster_has_left_and_goes_when_nobody_waits_for_it() {
    let mut world = calm();
    leave(&mut world, [2]);
    world.pass(S(2));
    let name = ObjectName::new(&world.options.namespace, "cluster-2");
    let status = world.store.get(What::ClusterStatus, &name).cloned().unwrap_or(Value::Null);
    assert_eq!(status["status"]["conditions"][0]["reason"], "ClusterGone");
    assert_eq!(status["status"]["conditions"][0]["status"], "Unknown");
    world.pass(S(6));
    assert!(world.store.get(What::ClusterStatus, &name).is_none());
}
