//! The targets of each cluster under one name.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_kube::kinds::DnsOutput;

use super::{
    Published, RecordKey, RecordType,
    member::{Member, Members, Verdict},
    target::Target,
    words::Notes,
};
use crate::hub::ClusterName;

/// In place of a cluster's name where each has a record of its own and nobody knows whose a target is. A cluster cannot
/// be called so.
pub(super) const NOBODY: &str = "unknown_cluster";

/// The share of one cluster in one name.
#[derive(Debug)]
pub(super) struct Share<'a> {
    /// The cluster; none where nobody knows whose the targets are.
    pub(super) cluster: Option<&'a ClusterName>,
    /// The fate of it.
    pub(super) verdict: Verdict,
    /// Its targets.
    pub(super) targets: BTreeSet<Target>,
}

/// The shares of all clusters in a name, by cluster; what nobody knows the owner of is the last.
pub(super) fn shares<'a>(
    name: &Arc<str>,
    listeners: &BTreeSet<&str>,
    members: &Members<'a>,
    published: &Published,
    options: &DnsOutput,
    notes: &mut Notes,
) -> Vec<Share<'a>> {
    let mut verdicts: BTreeMap<_, _> = members
        .by_name
        .iter()
        .map(|(cluster, member)| (*cluster, member.verdict(listeners, options)))
        .collect();
    prune(name, &mut verdicts, notes);

    let mut shares = Vec::with_capacity(verdicts.len() + 1);
    for (cluster, member) in &members.by_name {
        let verdict = verdicts[cluster];
        if member.usable.is_empty() && member.has_routes(listeners) {
            notes.add(format!("{name}: {cluster} has routes for it, but no address that could be published"));
        }
        let targets = match verdict {
            Verdict::Serves => member.usable.clone(),
            Verdict::Gone | Verdict::Unhealthy => BTreeSet::new(),
            Verdict::Kept | Verdict::Leaving | Verdict::Expired => standing(name, cluster, member, published),
        };
        shares.push(Share { cluster: Some(cluster), verdict, targets });
    }
    shares.push(nobodys(name, &verdicts, members, published));
    expire(&mut shares);
    shares
}

/// Whoever says that it does not serve is no target, unless nobody says that it does: then the name stays as it is.
fn prune(name: &str, verdicts: &mut BTreeMap<&ClusterName, Verdict>, notes: &mut Notes) {
    let is_served = verdicts.values().any(|verdict| *verdict == Verdict::Serves);
    for (cluster, verdict) in verdicts {
        if *verdict != Verdict::Unhealthy {
            continue;
        }
        let (becomes, what) = if is_served {
            (Verdict::Gone, "it is no target")
        } else {
            (Verdict::Kept, "as nobody else serves it, what is published stays")
        };
        *verdict = becomes;
        notes.add(format!("{name}: the listener in {cluster} is not programmed: {what}"));
    }
}

/// The targets that are published under the name and are this cluster's own.
fn standing(
    name: &Arc<str>,
    cluster: &ClusterName,
    member: &Member<'_>,
    published: &Published,
) -> BTreeSet<Target> {
    let mut targets = BTreeSet::new();
    for type_ in RecordType::ALL {
        for set in [None, Some(cluster.as_str()), Some(NOBODY)] {
            let key = RecordKey { name: name.clone(), type_, set: set.map(Arc::from) };
            let Some(record) = published.records.get(&key) else { continue };
            let own = member.own.iter().filter(|text| record.contains(*text));
            targets.extend(own.map(|text| (type_, text.clone())));
        }
    }
    targets
}

/// The targets that are published under the name and might be anybody's: they stay until there is nobody left whose they could be.
fn nobodys<'a>(
    name: &Arc<str>,
    verdicts: &BTreeMap<&ClusterName, Verdict>,
    members: &Members<'_>,
    published: &Published,
) -> Share<'a> {
    let has = |wanted| verdicts.values().any(|verdict| *verdict == wanted);
    let verdict = if has(Verdict::Kept) {
        Verdict::Kept
    } else if has(Verdict::Expired) || verdicts.is_empty() {
        Verdict::Expired
    } else {
        Verdict::Gone
    };
    let mut targets = BTreeSet::new();
    if verdict != Verdict::Gone {
        for (key, record) in published.of_name(name) {
            let unclaimed = record.iter().filter(|text| !members.claimed.contains(*text));
            targets.extend(unclaimed.map(|text| (key.type_, text.clone())));
        }
    }
    Share { cluster: None, verdict, targets }
}

/// Takes away what has expired, if somebody else stays.
fn expire(shares: &mut [Share<'_>]) {
    let is_staying = |share: &Share<'_>| {
        matches!(share.verdict, Verdict::Serves | Verdict::Kept) && !share.targets.is_empty()
    };
    if shares.iter().any(is_staying) {
        for share in shares.iter_mut().filter(|share| share.verdict == Verdict::Expired) {
            share.targets.clear();
        }
    }
}

impl Published {
    /// The records of a name.
    pub(super) fn of_name(&self, name: &Arc<str>) -> impl Iterator<Item = (&RecordKey, &BTreeSet<Arc<str>>)> {
        let first = RecordKey { name: name.clone(), type_: RecordType::A, set: None };
        self.records.range(first..).take_while(move |(key, _)| key.name == *name)
    }
}
