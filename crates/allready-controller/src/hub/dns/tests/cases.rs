//! Routes and health: who is a target.

use allready_core::Status;
use allready_kube::kinds::OnUnhealthy;

use super::*;

#[test]
fn mc16_no_routes_anywhere_removes_the_record() {
    let mut world = two_names();
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 0), ("web", 2)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 0), ("web", 0)]));
    assert_eq!(world.after(1), Decision::default());
    assert!(world.published.is_empty());
}

#[test]
fn mc16_routes_in_one_cluster_make_its_addresses_the_only_ones() {
    let mut world = two_names();
    world
        .hears("cluster-1", gateway(&["172.31.200.0", "172.31.201.0"], &[("api", 0), ("web", 1)]))
        .hears("cluster-2", gateway(&["172.31.202.0", "172.31.203.0"], &[("api", 1), ("web", 1)]))
        .after(1);
    assert_eq!(world.targets(API), ["A 172.31.202.0", "A 172.31.203.0"]);
    assert_eq!(world.targets(WEB), ["A 172.31.200.0", "A 172.31.201.0", "A 172.31.202.0", "A 172.31.203.0"]);
}

#[test]
fn mc16_a_name_without_routes_does_not_hold_up_the_names_after_it() {
    let mut world = World::new(&[("a", "a.example.com"), ("b", "b.example.com"), ("c", "c.example.com")]);
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("a", 0), ("b", 0), ("c", 1)])).after(1);
    assert!(world.targets("a.example.com").is_empty());
    assert_eq!(world.targets("c.example.com"), ["A 10.0.0.1"]);
}

#[test]
fn mc16_a_listener_without_a_hostname_has_no_record() {
    let mut world = World::new(&[("web", WEB), ("empty", "")]);
    let instance = gateway(&["10.0.0.1"], &[("web", 1), ("empty", 1), ("not-in-the-list", 1)]);
    let decision = world.hears("cluster-1", instance).after(1);
    assert_eq!(decision.publish.records.len(), 1);
    assert!(decision.notes.is_empty());
}

#[test]
fn mc17_an_unhealthy_cluster_is_no_target_while_another_serves() {
    let mut world = World::new(&[("web", WEB)]);
    let (one, two) = (gateway(&["10.0.0.1"], &[("web", 1)]), gateway(&["10.0.0.2"], &[("web", 1)]));
    world.hears("cluster-1", one.clone()).hears("cluster-2", two).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);

    let decision = world.hears("cluster-1", programmed(one.clone(), Status::False)).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.2"]);
    assert_eq!(
        decision.notes,
        ["web.example.com: the listener in cluster-1 is not programmed: it is no target"]
    );

    world.hears("cluster-1", programmed(one, Status::Unknown)).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"], "only an explicit False is unhealthy");
}

#[test]
fn mc17_what_is_published_stays_when_all_are_unhealthy() {
    let mut world = World::new(&[("web", WEB)]);
    let (one, two) = (gateway(&["10.0.0.1"], &[("web", 1)]), gateway(&["10.0.0.2"], &[("web", 1)]));
    world.hears("cluster-1", one.clone()).after(1);
    world
        .hears("cluster-1", programmed(one, Status::False))
        .hears("cluster-2", programmed(two, Status::False));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"], "and who was no target does not become one");
    assert_eq!(
        decision.notes[0],
        "web.example.com: the listener in cluster-1 is not programmed: as nobody else serves it, what is published stays"
    );
}

#[test]
fn mc17_what_was_never_published_stays_unpublished_when_all_are_unhealthy() {
    let mut world = World::new(&[("web", WEB)]);
    let down = programmed(gateway(&["10.0.0.1"], &[("web", 1)]), Status::False);
    world.hears("cluster-1", down).after(1);
    assert!(world.published.is_empty());
}

#[test]
fn mc17_nothing_is_pruned_for_a_cluster_that_is_not_heard() {
    let mut world = World::new(&[("web", WEB)]);
    let (one, two) = (gateway(&["10.0.0.1"], &[("web", 1)]), gateway(&["10.0.0.2"], &[("web", 1)]));
    world.hears("cluster-1", one.clone()).hears("cluster-2", two).after(1);
    world.hears("cluster-1", programmed(one, Status::False)).turns("cluster-2", Presence::Doubted).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
}

#[test]
fn mc17_unhealthy_clusters_are_targets_where_that_is_wanted() {
    let mut world = World::new(&[("web", WEB)]);
    world.options.on_unhealthy = OnUnhealthy::Keep;
    let down = programmed(gateway(&["10.0.0.1"], &[("web", 1)]), Status::False);
    world.hears("cluster-1", down).hears("cluster-2", gateway(&["10.0.0.2"], &[("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "A 10.0.0.2"]);
}

#[test]
fn k11_a_record_is_there_exactly_while_some_listener_of_its_name_has_a_route() {
    let mut world = World::new(&[("http", "Web.Example.com"), ("https", "web.example.com.")]);
    for (http, https, is_there) in [(0, 0, false), (1, 0, true), (0, 1, true), (2, 3, true), (0, 0, false)] {
        world.hears("cluster-1", gateway(&["10.0.0.1"], &[("http", http), ("https", https)])).after(1);
        assert_eq!(world.targets(WEB) == ["A 10.0.0.1"], is_there, "{http} {https}");
        assert_eq!(world.published.is_empty(), !is_there);
    }
}

#[test]
fn k11_one_listener_that_is_programmed_is_enough_for_a_name() {
    let mut world = World::new(&[("http", WEB), ("https", WEB)]);
    let mut instance = gateway(&["10.0.0.1"], &[("http", 1), ("https", 1)]);
    instance.listeners[1].programmed = Some(Status::False);
    let decision = world.hears("cluster-1", instance).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
    assert!(decision.notes.is_empty());
}

#[test]
fn k11_new_addresses_take_the_place_of_old_ones() {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("cluster-1", gateway(&["10.0.0.1", "2001:db8::1"], &[("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "AAAA 2001:db8::1"]);
    world.hears("cluster-1", gateway(&["10.0.0.7"], &[("web", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.7"]);
}

#[test]
fn k11_a_name_that_leaves_the_spec_leaves_at_once() {
    let mut world = two_names();
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 1), ("web", 1)])).after(1);
    world.turns("cluster-1", Presence::Doubted);
    world.hostnames = hostnames(&[("web", WEB)]);
    world.after(1);
    assert!(world.targets(API).is_empty());
    assert_eq!(world.targets(WEB), ["A 10.0.0.1"]);
}

#[test]
fn k11_a_wildcard_is_published_as_it_is_and_an_illegal_name_is_told() {
    let mut world = World::new(&[("all", "*.example.com"), ("odd", "no name")]);
    let decision = world.hears("cluster-1", gateway(&["10.0.0.1"], &[("all", 1), ("odd", 1)])).after(1);
    assert_eq!(world.targets("*.example.com"), ["A 10.0.0.1"]);
    assert_eq!(decision.publish.records.len(), 1);
    assert_eq!(decision.notes, ["\"no name\" of listener \"odd\" is no name for a record"]);
}
