//! What holds whatever the clusters say, in whatever order.

use std::collections::BTreeSet;

use allready_kube::kinds::{OnUnhealthy, OnUnreachable};
use proptest::prelude::*;

use super::*;

const LISTENERS: [(&str, &str); 3] = [("http", WEB), ("https", WEB), ("api", API)];
const ADDRESSES: [&str; 6] = ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "2001:db8::4", "10.0.0"];
const MIXED: [&str; 6] =
    ["10.0.0.0", "2001:db8::1", "a.example.net", "b.example.net", "c.example.net", "10.0.0"];
const CLUSTERS: [&str; 4] = ["cluster-1", "cluster-2", "cluster-3", "cluster-4"];

fn listener() -> impl Strategy<Value = Listener> {
    let programmed = prop_oneof![Just(None), Just(Some(Status::True)), Just(Some(Status::False))];
    (prop_oneof![1 => Just(None), 4 => (0..3_i64).prop_map(Some)], prop::bool::weighted(0.8), programmed)
        .prop_map(|(attached_routes, is_current, programmed)| Listener {
            name: "".into(),
            attached_routes,
            is_current,
            programmed,
        })
}

/// Addresses of a few that clusters may share, and sometimes none.
fn instance(texts: [&'static str; 6]) -> impl Strategy<Value = Instance> {
    let addresses = prop::collection::vec(0..6_u8, 0..3);
    let listeners = prop::collection::vec(prop::option::weighted(0.9, listener()), LISTENERS.len());
    (addresses, listeners).prop_map(move |(addresses, listeners)| {
        let addresses: Vec<_> = addresses.into_iter().map(|number| texts[usize::from(number)]).collect();
        let mut instance = gateway(&addresses, &[]);
        let named = LISTENERS.iter().zip(listeners);
        instance.listeners = named
            .filter_map(|((name, _), listener)| Some(Listener { name: (*name).into(), ..listener? }))
            .collect();
        instance
    })
}

fn presence() -> impl Strategy<Value = Presence> {
    prop_oneof![
        5 => Just(Presence::Here),
        1 => Just(Presence::Doubted),
        1 => prop::option::of(999_000..1_001_000_i64).prop_map(|since| Presence::Unreachable(since.map(at))),
        1 => Just(Presence::Displaced),
    ]
}

/// What each cluster says at one time: nothing where it is not in the inventory.
type Scene = Vec<Option<(Option<Instance>, Presence)>>;

fn scene(texts: [&'static str; 6]) -> impl Strategy<Value = Scene> {
    let cluster = (prop::option::weighted(0.9, instance(texts)), presence());
    prop::collection::vec(prop::option::weighted(0.9, cluster), CLUSTERS.len())
}

fn options() -> impl Strategy<Value = DnsOutput> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(leave, keep, has_sets)| DnsOutput {
        on_unreachable: if leave { OnUnreachable::Remove } else { OnUnreachable::Keep },
        on_unhealthy: if keep { OnUnhealthy::Keep } else { OnUnhealthy::Remove },
        ..if has_sets { weighted() } else { DnsOutput::default() }
    })
}

/// A world after some scenes, the last of which is not decided yet.
fn world(texts: [&'static str; 6]) -> impl Strategy<Value = World> {
    (options(), prop::collection::vec((scene(texts), 0..400_i64), 1..5)).prop_map(|(options, scenes)| {
        let mut world = World { options, ..World::new(&LISTENERS) };
        let last = scenes.len() - 1;
        for (number, (scene, seconds)) in scenes.into_iter().enumerate() {
            let said = CLUSTERS.iter().zip(scene);
            world.clusters = said.filter_map(|(cluster, said)| Some((named(cluster), said?))).collect();
            if number < last {
                world.after(seconds);
            } else {
                world.now += seconds;
            }
        }
        world
    })
}

/// The targets of a name, whatever the type of record, of this cluster or for all.
fn under(published: &Published, name: &str, cluster: &ClusterName) -> BTreeSet<Arc<str>> {
    let records = published.records.iter().filter(|(key, _)| {
        &*key.name == name && key.set.as_deref().is_none_or(|set| set == cluster.as_str())
    });
    records.flat_map(|(_, targets)| targets.iter().cloned()).collect()
}

fn listeners_of<'i>(instance: &'i Instance, name: &str) -> Vec<Option<&'i Listener>> {
    let wanted = LISTENERS.iter().filter(|(_, hostname)| *hostname == name);
    wanted.map(|(wanted, _)| instance.listeners.iter().find(|listener| &*listener.name == *wanted)).collect()
}

fn addresses(instance: &Instance) -> BTreeSet<Arc<str>> {
    let usable = instance.addresses.iter().filter(|address| &*address.value != "10.0.0");
    usable.map(|address| address.value.clone()).collect()
}

/// Returns true if it is not known what a cluster has under a name.
fn is_missing(world: &World, cluster: &ClusterName, name: &str) -> bool {
    let (instance, presence) = &world.clusters[cluster];
    let Some(instance) = instance.as_ref().filter(|_| *presence == Presence::Here) else {
        return *presence != Presence::Displaced;
    };
    let prunes = world.options.on_unhealthy == OnUnhealthy::Remove;
    let is_known = |listener: &Listener| listener.is_current && listener.attached_routes.is_some();
    let serves = |listener: &Listener| {
        is_known(listener)
            && listener.attached_routes != Some(0)
            && !(prunes && listener.programmed == Some(Status::False))
    };
    let listeners = listeners_of(instance, name);
    if listeners.iter().any(|listener| listener.is_some_and(serves)) {
        addresses(instance).is_empty()
    } else {
        !listeners.iter().all(|listener| listener.is_some_and(is_known))
    }
}

/// Targets that might be another cluster's as well.
fn shared(world: &World, cluster: &ClusterName) -> BTreeSet<Arc<str>> {
    let others = world.clusters.iter().filter(|(other, _)| *other != cluster);
    let known = others.filter_map(|(_, (other, _))| other.as_ref()).flat_map(addresses);
    let recorded = world.published.clusters.iter().filter(|(other, _)| *other != cluster);
    known.chain(recorded.flat_map(|(_, other)| other.targets.iter().cloned())).collect()
}

proptest! {
    #[test]
    fn nothing_is_taken_away_while_it_is_not_known_what_its_cluster_has(mut world in world(ADDRESSES)) {
        world.options.on_unreachable = OnUnreachable::Keep;
        let decision = world.decide();
        for cluster in world.clusters.keys() {
            let own = world.published.clusters.get(cluster).map(|own| own.targets.clone()).unwrap_or_default();
            for name in [WEB, API] {
                if is_missing(&world, cluster, name) {
                    let before = under(&world.published, name, cluster);
                    let after = under(&decision.publish, name, cluster);
                    prop_assert!(before.intersection(&own).all(|target| after.contains(target)), "{cluster} {name}");
                }
            }
        }
    }

    #[test]
    fn a_cluster_that_freshly_says_it_has_no_routes_is_no_target(world in world(ADDRESSES)) {
        let decision = world.decide();
        for (cluster, (instance, presence)) in &world.clusters {
            let Some(instance) = instance.as_ref().filter(|_| *presence == Presence::Here) else { continue };
            for name in [WEB, API] {
                let is_zero = |listener: &Listener| listener.is_current && listener.attached_routes == Some(0);
                if !listeners_of(instance, name).into_iter().all(|listener| listener.is_some_and(is_zero)) {
                    continue;
                }
                let published = under(&decision.publish, name, cluster);
                let own = addresses(instance);
                prop_assert!(own.difference(&shared(&world, cluster)).all(|target| !published.contains(target)), "{cluster} {name}");
            }
        }
    }

    #[test]
    fn a_cluster_that_freshly_says_it_serves_is_a_target_with_just_its_addresses(world in world(ADDRESSES)) {
        let decision = world.decide();
        for (cluster, (instance, presence)) in &world.clusters {
            let Some(instance) = instance.as_ref().filter(|_| *presence == Presence::Here) else { continue };
            for name in [WEB, API] {
                let serves = |listener: &Listener| {
                    listener.is_current && listener.attached_routes > Some(0) && listener.programmed != Some(Status::False)
                };
                if listeners_of(instance, name).into_iter().any(|listener| listener.is_some_and(serves)) {
                    let own = addresses(instance);
                    let published = under(&decision.publish, name, cluster);
                    prop_assert!(own.is_subset(&published), "{cluster} {name}");
                    if !world.options.provider_specific.is_empty() && !own.is_empty() {
                        prop_assert_eq!(&own, &published, "{} {}", cluster, name);
                    }
                }
            }
        }
    }

    #[test]
    fn deciding_again_changes_nothing(mut world in world(MIXED)) {
        let first = world.after(0);
        let second = world.decide();
        prop_assert_eq!(first.publish, second.publish);
        prop_assert_eq!(first.look_again, second.look_again);
    }

    #[test]
    fn the_order_of_what_is_heard_does_not_matter(world in world(MIXED), seed in any::<u64>()) {
        let mut contributions: Vec<_> = world.clusters.iter().map(|(cluster, (instance, presence))| Contribution {
            cluster,
            instance: instance.as_ref(),
            presence: *presence,
        }).collect();
        let mut hostnames = world.hostnames.clone();
        let mut random = fastrand::Rng::with_seed(seed);
        random.shuffle(&mut contributions);
        random.shuffle(&mut hostnames);
        let shuffled = decide(&hostnames, contributions, &world.published, &world.options, at(world.now));
        prop_assert_eq!(shuffled, world.decide());
    }

    #[test]
    fn what_is_written_is_what_is_read(world in world(MIXED)) {
        let publish = world.decide().publish;
        let endpoint = publish.endpoint(&gateway_name(), &OWNER, &world.options);
        prop_assert_eq!(Published::read(&endpoint), publish);
    }

    #[test]
    fn without_the_annotation_nothing_more_is_taken_away(mut world in world(ADDRESSES)) {
        world.options.on_unreachable = OnUnreachable::Keep;
        let decision = world.decide();
        let mut forgetful = world.clone();
        forgetful.published.clusters.clear();
        let forgetful = forgetful.decide();
        for (cluster, own) in &decision.publish.clusters {
            for name in [WEB, API] {
                if is_missing(&world, cluster, name) {
                    let kept = under(&decision.publish, name, cluster);
                    let own: BTreeSet<_> = own.targets.difference(&shared(&world, cluster)).cloned().collect();
                    let records = forgetful.publish.records.iter().filter(|(key, _)| &*key.name == name);
                    let still: BTreeSet<_> = records.flat_map(|(_, targets)| targets.iter().cloned()).collect();
                    prop_assert!(own.intersection(&kept).all(|target| still.contains(target)), "{cluster} {name}");
                }
            }
        }
    }
}
