//! What is not known: it takes nothing away and adds nothing.

use allready_kube::kinds::OnUnreachable;
use serde_json::json;

use super::*;

/// A world in which one cluster is a target of two names.
fn published() -> World {
    let mut world = two_names();
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 1), ("web", 1)])).after(1);
    world
}

#[test]
fn k12_a_listener_that_does_not_say_how_many_routes_it_has_keeps_its_targets() {
    let mut world = published();
    let mut instance = gateway(&["10.0.0.1"], &[("api", 0), ("web", 0)]);
    instance.listeners[1].attached_routes = None;
    world.hears("cluster-1", instance).after(100_000);
    assert!(world.targets(API).is_empty());
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
}

#[test]
fn k12_a_listener_that_is_not_there_or_behind_or_absurd_keeps_its_targets() {
    for change in [
        (|listener: &mut Listener| listener.is_current = false) as fn(&mut Listener),
        |listener| listener.name = "other".into(),
        |listener| listener.attached_routes = Some(-1),
    ] {
        let mut world = published();
        let mut instance = gateway(&["10.0.0.1"], &[("api", 1), ("web", 0)]);
        change(&mut instance.listeners[1]);
        world.hears("cluster-1", instance).after(100_000);
        assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    }
}

#[test]
fn k12_routes_without_an_address_keep_the_old_targets_and_are_told() {
    let mut world = published();
    let decision = world.hears("cluster-1", gateway(&["10.0.0"], &[("api", 0), ("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    assert!(world.targets(API).is_empty(), "a fresh zero holds whatever the addresses are");
    assert_eq!(
        decision.notes,
        [
            "cluster-1: \"10.0.0\" is no IP address to point to",
            "web.example.com: cluster-1 has routes for it, but no address that could be published",
        ]
    );
}

#[test]
fn k12_doubt_takes_nothing_away_and_adds_nothing() {
    let mut world = published();
    world.hears("cluster-1", gateway(&["10.0.0.9"], &[("api", 0), ("web", 1)]));
    world.hears("cluster-2", gateway(&["10.0.0.2"], &[("api", 1), ("web", 1)]));
    world.turns("cluster-1", Presence::Doubted).turns("cluster-2", Presence::Doubted).after(100_000);
    assert_eq!(world.targets(API), ["A 10.0.0.1"]);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
}

#[test]
fn k12_a_cluster_that_was_never_heard_keeps_what_is_published_for_it() {
    let mut world = published();
    world.clusters.clear();
    world.turns("cluster-1", Presence::Doubted).turns("cluster-2", Presence::Here).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
}

#[test]
fn k12_a_target_that_two_clusters_share_stays_while_one_of_them_keeps_it() {
    let mut world = World::new(&[("web", WEB)]);
    let shared = |routes| gateway(&["10.0.0.1"], &[("web", routes)]);
    world.hears("cluster-1", shared(1)).hears("cluster-2", shared(1)).after(1);
    world.hears("cluster-1", shared(0)).turns("cluster-2", Presence::Doubted).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    world.hears("cluster-2", shared(0)).after(1);
    assert!(world.published.is_empty());
}

#[test]
fn mc19_an_unreachable_cluster_stays_a_target() {
    let mut world = published();
    let decision = world.turns("cluster-1", Presence::Unreachable(Some(at(world.now)))).after(1_000_000);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    assert_eq!(decision.look_again, None);
}

#[test]
fn mc19_an_unreachable_cluster_leaves_after_the_grace_period_where_that_is_wanted() {
    let mut world = published();
    world.options.on_unreachable = OnUnreachable::Remove;
    world.hears("cluster-2", gateway(&["10.0.0.2"], &[("api", 0), ("web", 1)])).after(1);
    let since = at(world.now);
    world.turns("cluster-1", Presence::Unreachable(Some(since)));
    let decision = world.after(599);
    assert_eq!(decision.look_again, Some(at(world.now + 1)));
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);

    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
    assert_eq!(world.targets(API), ["A 10.0.0.1"], "there is no other target of this name");
    assert_eq!(decision.look_again, None);
}

#[test]
fn mc19_the_last_targets_never_leave_because_their_clusters_cannot_be_reached() {
    let mut world = published();
    world.options.on_unreachable = OnUnreachable::Remove;
    world.hears("cluster-2", gateway(&["10.0.0.2"], &[("api", 0), ("web", 1)])).after(1);
    let since = Presence::Unreachable(Some(at(world.now)));
    world.turns("cluster-1", since).turns("cluster-2", Presence::Displaced).after(600);
    world.after(100_000);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"], "who was about to leave was no other");
}

#[test]
fn mc19_where_nobody_knows_since_when_the_grace_period_begins_now_and_outlives_a_restart() {
    let mut world = published();
    world.options.on_unreachable = OnUnreachable::Remove;
    world.hears("cluster-2", gateway(&["10.0.0.2"], &[("api", 1), ("web", 1)])).after(1);
    world.turns("cluster-1", Presence::Unreachable(None)).after(1);
    assert_eq!(world.after(599).look_again, Some(at(world.now + 1)));
    world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 1), ("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"], "and it comes back");
}

/// What is published as somebody left it who does not know the annotation.
fn without_annotation(targets: &[&str]) -> Published {
    Published::read(&json!({ "spec": { "endpoints": [
        { "dnsName": WEB, "recordType": "A", "targets": targets },
    ] } }))
}

#[test]
fn a_target_of_nobody_belongs_to_the_cluster_that_has_the_address() {
    let mut world = World::new(&[("web", WEB)]);
    world.published = without_annotation(&["10.0.0.1", "10.0.0.2"]);
    world
        .hears("cluster-1", gateway(&["10.0.0.1"], &[("web", 1)]))
        .turns("cluster-1", Presence::Displaced)
        .hears("cluster-2", gateway(&["10.0.0.2"], &[("web", 0)]));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    assert_eq!(decision.publish.clusters[&named("cluster-1")].leaving, Some(at(world.now)));
    world.after(600);
    assert!(world.published.is_empty());
}

#[test]
fn a_target_of_nobody_stays_until_every_cluster_has_said_what_it_has() {
    let mut world = World::new(&[("web", WEB)]);
    world.published = without_annotation(&["10.0.0.9"]);
    world
        .hears("cluster-1", gateway(&["10.0.0.1"], &[("web", 1)]))
        .turns("cluster-2", Presence::Doubted)
        .turns("cluster-3", Presence::Displaced)
        .after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.9"]);
    world.turns("cluster-2", Presence::Unreachable(None)).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.9"]);
    world.hears("cluster-2", gateway(&[], &[("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.9"], "no address is no answer");
    world.hears("cluster-2", gateway(&["10.0.0.2"], &[("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
}
