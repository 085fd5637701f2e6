//! Clusters that come and go.

use super::*;

fn serving(address: &str) -> Instance {
    gateway(&[address], &[("web", 1)])
}

fn two_clusters() -> World {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("cluster-1", serving("10.0.0.1")).hears("cluster-2", serving("10.0.0.2")).after(1);
    world
}

#[test]
fn mc18_a_displaced_cluster_leaves_after_the_grace_period() {
    let mut world = two_clusters();
    world.options.grace_seconds = 90;
    let decision = world.turns("cluster-1", Presence::Displaced).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    assert_eq!(decision.look_again, Some(at(world.now + 90)));
    assert_eq!(world.after(89).look_again, Some(at(world.now + 1)), "a restart does not begin it anew");
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    assert_eq!(world.after(1).look_again, None);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
}

#[test]
fn mc18_without_a_word_about_it_the_grace_period_is_ten_minutes_whatever_the_ttl() {
    for ttl in [60, 5] {
        let mut world = two_clusters();
        world.options.ttl_seconds = ttl;
        let decision = world.turns("cluster-1", Presence::Displaced).after(1);
        assert_eq!(decision.look_again, Some(at(world.now + 600)));
    }
}

#[test]
fn mc18_an_instance_that_is_being_deleted_is_displaced() {
    let mut world = two_clusters();
    world.hears("cluster-1", Instance { is_leaving: true, ..serving("10.0.0.1") }).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    world.after(600);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
}

#[test]
fn mc18_a_cluster_that_is_said_to_be_removed_leaves_at_once() {
    let mut world = two_clusters();
    world.clusters.remove(&named("cluster-1"));
    world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
    world.clusters.clear();
    world.after(1);
    assert!(world.published.is_empty());
}

#[test]
fn a_cluster_that_is_gone_from_the_inventory_leaves_after_the_grace_period_if_another_serves() {
    let mut world = two_clusters();
    world.turns("cluster-1", Presence::Gone).after(599);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    world.after(600);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
}

#[test]
fn a_name_whose_clusters_are_all_gone_from_the_inventory_keeps_its_targets() {
    let mut world = two_clusters();
    world.turns("cluster-1", Presence::Gone).turns("cluster-2", Presence::Gone).after(1);
    assert_eq!(world.after(100_000).look_again, None);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    world.hears("cluster-2", serving("10.0.0.2")).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"], "somebody is back, and the other one has had its time");
}

#[test]
fn targets_that_nobody_is_known_for_stay_when_the_last_cluster_is_gone() {
    let mut world = two_clusters();
    world.published.clusters.clear();
    world.clusters.clear();
    world.after(100_000);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
}

#[test]
fn mc18_who_comes_back_within_the_grace_period_is_not_leaving_any_more() {
    let mut world = two_clusters();
    world.turns("cluster-1", Presence::Displaced).after(500);
    let decision = world.hears("cluster-1", serving("10.0.0.1")).after(1);
    assert_eq!(decision.look_again, None);
    assert_eq!(decision.publish.clusters[&named("cluster-1")].leaving, None);
    world.turns("cluster-1", Presence::Displaced).after(500);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"], "the second grace period is a new one");
}

#[test]
fn mc18_doubt_stops_the_leaving_but_does_not_forget_when_it_began() {
    let mut world = two_clusters();
    world.turns("cluster-1", Presence::Displaced).after(1);
    world.turns("cluster-1", Presence::Doubted);
    assert_eq!(world.after(10_000).look_again, None);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
    world.turns("cluster-1", Presence::Displaced).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
}

#[test]
fn mc18_a_time_to_come_in_the_annotation_does_not_hold_a_target_for_ever() {
    let mut world = two_clusters();
    world.turns("cluster-1", Presence::Displaced);
    world.published.clusters.get_mut("cluster-1").unwrap().leaving = Some(at(world.now * 1000));
    world.after(1);
    world.after(600);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
}

#[test]
fn placement_moves_to_another_cluster_without_a_gap() {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("old", serving("10.0.0.1")).after(1);
    let mut seen = vec![world.targets(WEB)];
    let moves: [fn(&mut World); 5] = [
        |world| _ = world.turns("old", Presence::Displaced).turns("new", Presence::Doubted),
        |world| _ = world.hears("new", gateway(&[], &[])),
        |world| _ = world.hears("new", gateway(&["10.0.0.2"], &[("web", 0)])),
        |world| _ = world.hears("new", serving("10.0.0.2")),
        |world| world.now += 600,
    ];
    for happen in moves {
        happen(&mut world);
        world.after(10);
        seen.push(world.targets(WEB));
    }
    let (old, both, new) = (vec!["A 10.0.0.1"], vec!["A 10.0.0.1", "A 10.0.0.2"], vec!["A 10.0.0.2"]);
    assert_eq!(seen, [old.clone(), old.clone(), old.clone(), old, both, new]);
}

#[test]
fn who_leaves_does_not_keep_out_who_stays_where_only_one_can_be_published() {
    let moves =
        [("a.example.net", "b.example.net"), ("10.0.0.1", "b.example.net"), ("a.example.net", "10.0.0.2")];
    for (old, new) in moves {
        let mut world = World::new(&[("web", WEB)]);
        world.hears("old", serving(old)).after(1);
        world.turns("old", Presence::Displaced).after(1);
        assert!(world.targets(WEB)[0].ends_with(old), "nobody else is there yet");
        world.hears("young", serving(new)).after(1);
        assert_eq!(world.targets(WEB).len(), 1);
        assert!(world.targets(WEB)[0].ends_with(new), "{old} {new} {:?}", world.targets(WEB));
    }
}
