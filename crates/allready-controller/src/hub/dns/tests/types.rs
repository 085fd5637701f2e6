//! Addresses, hostnames, and what can stand beside each other.

use super::*;

fn serving(addresses: &[&str]) -> Instance {
    gateway(addresses, &[("web", 1)])
}

#[test]
fn addresses_win_over_hostnames_and_the_hostnames_are_told() {
    let mut world = World::new(&[("web", WEB)]);
    world
        .hears("cluster-1", serving(&["10.0.0.1", "2001:db8::1"]))
        .hears("cluster-2", serving(&["lb.example.net"]));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["A 10.0.0.1", "AAAA 2001:db8::1"]);
    assert_eq!(
        decision.notes,
        [
            "web.example.com: the hostname lb.example.net of cluster-2 is no target: a name that has addresses cannot be an alias"
        ]
    );
}

#[test]
fn of_several_hostnames_the_published_one_stays_and_otherwise_the_first_by_cluster_is_taken() {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("cluster-2", serving(&["b.example.net"])).hears("cluster-3", serving(&["a.example.net"]));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["CNAME b.example.net"]);
    assert_eq!(
        decision.notes,
        [
            "web.example.com: a.example.net of cluster-3 is no target: a name can be an alias of one other alone, and is of b.example.net"
        ]
    );
    world.hears("cluster-1", serving(&["0.example.net"])).after(1);
    assert_eq!(world.targets(WEB), ["CNAME b.example.net"], "a newcomer does not take its place");
    world.turns("cluster-2", Presence::Doubted).after(1);
    assert_eq!(world.targets(WEB), ["CNAME b.example.net"], "nor does doubt");
    world.hears("cluster-2", gateway(&["b.example.net"], &[("web", 0)])).after(1);
    assert_eq!(world.targets(WEB), ["CNAME 0.example.net"]);
}

#[test]
fn a_name_is_never_an_alias_of_itself_nor_of_another_one_that_is_published_with_it() {
    let (mut world, circle) = (two_names(), ["WEB.example.com.", "api.example.com"]);
    world.hears("cluster-1", gateway(&circle, &[("web", 1), ("api", 1)]));
    let decision = world.after(1);
    assert_eq!((world.targets(WEB), world.targets("api.example.com")), (vec![], vec![]));
    assert!(
        decision
            .notes
            .iter()
            .any(|note| note == "cluster-1: web.example.com is no target, as it is to be published itself"),
        "{:?}",
        decision.notes
    );
    world.hears("cluster-2", gateway(&["lb.example.net"], &[("web", 1), ("api", 1)])).after(1);
    assert_eq!(world.targets(WEB), ["CNAME lb.example.net"]);
}

#[test]
fn one_hostname_of_two_clusters_is_one_target() {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("cluster-1", serving(&["lb.example.net"])).hears("cluster-2", serving(&["LB.example.net."]));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["CNAME lb.example.net"]);
    assert!(decision.notes.is_empty());
}

#[test]
fn with_words_for_the_provider_each_cluster_has_a_record_of_its_own() {
    let mut world = two_names();
    world.options = weighted();
    world
        .hears("cluster-1", gateway(&["a.example.net"], &[("web", 1), ("api", 0)]))
        .hears("cluster-2", gateway(&["b.example.net", "c.example.net"], &[("web", 1), ("api", 0)]));
    let decision = world.after(1);
    assert_eq!(world.targets(WEB), ["cluster-1: CNAME a.example.net", "cluster-2: CNAME b.example.net"]);
    assert_eq!(decision.notes.len(), 1, "one record can be one alias");

    world
        .hears("cluster-1", gateway(&["10.0.0.1", "10.0.0.2"], &[("web", 1), ("api", 0)]))
        .hears("cluster-2", gateway(&["10.0.0.1"], &[("web", 1), ("api", 0)]))
        .after(1);
    assert_eq!(
        world.targets(WEB),
        ["cluster-1: A 10.0.0.1", "cluster-1: A 10.0.0.2", "cluster-2: A 10.0.0.1"]
    );
    world.turns("cluster-1", Presence::Doubted).turns("cluster-2", Presence::Displaced).after(1);
    world.after(600);
    assert_eq!(world.targets(WEB), ["cluster-1: A 10.0.0.1", "cluster-1: A 10.0.0.2"]);
}

#[test]
fn nothing_is_lost_when_records_are_split_by_cluster_and_joined_again() {
    let mut world = World::new(&[("web", WEB)]);
    world.hears("cluster-1", serving(&["10.0.0.1"])).hears("cluster-2", serving(&["10.0.0.2"])).after(1);
    world.turns("cluster-1", Presence::Doubted).turns("cluster-2", Presence::Doubted);
    let joined = world.targets(WEB);
    world.options = weighted();
    world.after(1);
    assert_eq!(world.targets(WEB), ["cluster-1: A 10.0.0.1", "cluster-2: A 10.0.0.2"]);
    world.options = DnsOutput::default();
    world.after(1);
    assert_eq!(world.targets(WEB), joined);
}

#[test]
fn more_than_a_server_takes_is_left_out_and_what_is_published_stays() {
    let mut world = World::new(&[("web", WEB)]);
    let many: Vec<String> =
        (0..1002).map(|number| format!("10.0.{}.{}", number / 250, number % 250 + 1)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    world.hears("z", serving(&["192.168.0.1"])).after(1);
    let decision = world.hears("a", serving(&many)).after(1);
    assert_eq!(world.targets(WEB).len(), 1000);
    assert!(world.targets(WEB).contains(&"A 192.168.0.1".to_owned()));
    assert_eq!(decision.notes, ["web.example.com: 3 targets have no room: a record has 1000"]);
    assert_eq!(world.after(1), decision);
}

#[test]
fn more_records_than_one_object_holds_are_left_out_and_told() {
    let names: Vec<_> =
        (10..74).map(|number| (format!("l{number}"), format!("n{number}.example.com"))).collect();
    let names: Vec<_> = names.iter().map(|(listener, name)| (listener.as_str(), name.as_str())).collect();
    let routes: Vec<_> = names.iter().map(|(listener, _)| (*listener, 1)).collect();
    let mut world = World::new(&names);
    world.options = weighted();
    world.hears("last", gateway(&["10.0.0.1"], &routes)).after(1);
    for number in 0..19 {
        world.hears(&format!("cluster-{number}"), gateway(&["10.0.0.1"], &routes));
    }
    let decision = world.after(1);
    assert_eq!(decision.publish.records.len(), 1000);
    assert_eq!(decision.notes, ["280 records have no room: a DNSEndpoint has 1000"]);
    assert!(world.targets("n73.example.com").contains(&"last: A 10.0.0.1".to_owned()), "it was published");
    assert_eq!(world.after(1), decision);
}
