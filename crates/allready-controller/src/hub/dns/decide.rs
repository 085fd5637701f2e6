//! From what is published and what the clusters say to what should be published.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_core::Time;
use allready_kube::kinds::DnsOutput;

use super::{
    Contribution, Decision, Published, RecordKey, Targets,
    choose::choose,
    member::Members,
    share::{NOBODY, Share, shares},
    target::{folded, is_record_name},
    words::{Notes, quoted},
};
use crate::hub::ClusterName;

/// The most records of one `DNSEndpoint`, and the most targets of one record, that its schema allows.
pub(super) const MAX_ITEMS: usize = 1000;

/// Decides what to publish, given the listeners of the hub object that have a hostname, with that.
///
/// A cluster is a target of a name where a listener with that hostname has at least one route. It stops being one
/// - at once when each of these listeners freshly says that it has none, when the cluster does not contribute any more, or
///   when no listener of the hub object has the hostname;
/// - after the grace period when the instance is not there any more;
/// - after the grace period, if others are left, when the cluster is not in the inventory any more, or, where that is wanted,
///   cannot be reached.
///
/// Whatever is not known leaves the name as it is.
///
/// ```
/// use allready_controller::hub::{
///     Address, Instance, Listener,
///     dns::{Contribution, Presence, Published, decide},
/// };
/// use allready_core::Time;
///
/// let instance = Instance {
///     addresses: vec![Address { type_: "IPAddress".into(), value: "172.31.200.0".into() }],
///     listeners: vec![Listener {
///         name: "web".into(),
///         attached_routes: Some(1),
///         is_current: true,
///         programmed: None,
///     }],
///     ..Instance::default()
/// };
/// let cluster = "cluster-1".parse().unwrap();
/// let here = Contribution { cluster: &cluster, instance: Some(&instance), presence: Presence::Here };
/// let hostnames = [("web".into(), "web.example.com".into())];
/// let now = Time::from_second(0).unwrap();
/// let decision = decide(&hostnames, [here], &Published::default(), &Default::default(), now);
///
/// let (record, targets) = decision.publish.records.first_key_value().unwrap();
/// assert_eq!((&*record.name, record.type_.as_str()), ("web.example.com", "A"));
/// assert!(targets.contains("172.31.200.0"));
/// ```
pub fn decide<'a>(
    hostnames: &[(Arc<str>, Arc<str>)],
    contributions: impl IntoIterator<Item = Contribution<'a>>,
    published: &Published,
    options: &DnsOutput,
    now: Time,
) -> Decision {
    let mut notes = Notes::default();
    let names = listeners_by_name(hostnames, &mut notes);
    let members = Members::new(contributions, &names, published, options, now, &mut notes);
    let has_sets = !options.provider_specific.is_empty();
    let mut records = BTreeMap::new();
    let mut targets: BTreeMap<&ClusterName, BTreeSet<Arc<str>>> = BTreeMap::new();
    let mut returned = BTreeSet::new();
    for (name, listeners) in &names {
        let has_routes = members.by_name.iter().filter(|(_, member)| member.has_routes(listeners));
        returned.extend(has_routes.map(|(cluster, _)| *cluster));
        let mut shares = shares(name, listeners, &members, published, options, &mut notes);
        choose(name, &mut shares, published, has_sets, &mut notes);
        for share in &shares {
            if let Some(cluster) = share.cluster {
                targets
                    .entry(cluster)
                    .or_default()
                    .extend(share.targets.iter().map(|(_, text)| text.clone()));
            }
            record(name, share, has_sets, &mut records);
        }
    }
    bound(&mut records, published, &mut notes);

    let mut decision = Decision::default();
    for (cluster, member) in members.by_name {
        let mut targets = targets.remove(cluster).unwrap_or_default();
        if member.serves {
            // Also those that cannot be published: whose they are must not depend on what others have.
            targets.extend(member.usable.into_iter().map(|(_, text)| text));
        }
        if targets.is_empty() {
            continue;
        }
        let leaving = member.leaving.filter(|_| !returned.contains(cluster));
        decision.look_again = earliest(decision.look_again, member.ends);
        decision.publish.clusters.insert(cluster.clone(), Targets { targets, leaving });
    }
    decision.publish.records = records;
    decision.notes = notes.told();
    decision
}

/// The names that may be published, each with the listeners that have it.
fn listeners_by_name<'h>(
    hostnames: &'h [(Arc<str>, Arc<str>)],
    notes: &mut Notes,
) -> BTreeMap<Arc<str>, BTreeSet<&'h str>> {
    let mut by_name: BTreeMap<Arc<str>, BTreeSet<&str>> = BTreeMap::new();
    for (listener, hostname) in hostnames.iter().filter(|(_, hostname)| !hostname.is_empty()) {
        let name = folded(hostname);
        if is_record_name(&name) {
            by_name.entry(name.into()).or_default().insert(listener);
        } else {
            // The server would refuse all records because of this one.
            notes.add(format!(
                "{} of listener {} is no name for a record",
                quoted(hostname),
                quoted(listener)
            ));
        }
    }
    by_name
}

fn record(
    name: &Arc<str>,
    share: &Share<'_>,
    has_sets: bool,
    records: &mut BTreeMap<RecordKey, BTreeSet<Arc<str>>>,
) {
    let set: Option<Arc<str>> = has_sets.then(|| share.cluster.map_or(NOBODY, ClusterName::as_str).into());
    for (type_, text) in &share.targets {
        let key = RecordKey { name: name.clone(), type_: *type_, set: set.clone() };
        records.entry(key).or_default().insert(text.clone());
    }
}

/// Keeps the records within what a server takes. What is published goes first: it must not be lost to a newcomer.
fn bound(records: &mut BTreeMap<RecordKey, BTreeSet<Arc<str>>>, published: &Published, notes: &mut Notes) {
    for (key, targets) in records.iter_mut() {
        let standing = published.records.get(key);
        let left_out = limit(targets, |text| standing.is_some_and(|standing| standing.contains(text)));
        if left_out > 0 {
            notes.add(format!("{}: {left_out} targets have no room: a record has {MAX_ITEMS}", key.name));
        }
    }
    let mut keys: BTreeSet<_> = records.keys().cloned().collect();
    let left_out = limit(&mut keys, |key| published.records.contains_key(key));
    if left_out > 0 {
        records.retain(|key, _| keys.contains(key));
        notes.add(format!("{left_out} records have no room: a DNSEndpoint has {MAX_ITEMS}"));
    }
}

/// Leaves as many as there may be, and says how many went.
fn limit<T: Ord + Clone>(items: &mut BTreeSet<T>, is_standing: impl Fn(&T) -> bool) -> usize {
    let left_out = items.len().saturating_sub(MAX_ITEMS);
    if left_out > 0 {
        let (standing, new): (Vec<_>, Vec<_>) = items.iter().cloned().partition(is_standing);
        *items = standing.into_iter().chain(new).take(MAX_ITEMS).collect();
    }
    left_out
}

fn earliest(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    one.into_iter().chain(other).min()
}
