//! The word of one cluster, judged at one instant.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{Status, Time};
use allready_kube::kinds::{DnsOutput, OnUnhealthy, OnUnreachable};

use super::{
    Contribution, Presence, Published, RecordType,
    target::{self, Target},
    words::Notes,
};
use crate::hub::{ClusterName, Instance, Listener};

/// The fate of the targets of a cluster under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has routes: its addresses are targets, and no others.
    Serves,
    /// It has routes, and says that it does not serve them.
    Unhealthy,
    /// It is no target.
    Gone,
    /// Its published targets stay: it is not known better.
    Kept,
    /// Its published targets stay for a while.
    Leaving,
    /// Its published targets go, unless nothing else would be left.
    Expired,
}

/// One cluster.
#[derive(Debug)]
pub(super) struct Member<'a> {
    instance: Option<&'a Instance>,
    /// The fate under every name; none where it depends on the listeners.
    verdict: Option<Verdict>,
    /// When that changes by itself.
    pub(super) ends: Option<Time>,
    /// Since when it is leaving, unless it has routes.
    pub(super) leaving: Option<Time>,
    /// True if it is a target of some name with the addresses that it has now.
    pub(super) serves: bool,
    /// Its addresses as targets in DNS.
    pub(super) usable: BTreeSet<Target>,
    /// The published targets that are its own.
    pub(super) own: BTreeSet<Arc<str>>,
}

/// All clusters that contribute.
#[derive(Debug)]
pub(super) struct Members<'a> {
    /// By name.
    pub(super) by_name: BTreeMap<&'a ClusterName, Member<'a>>,
    /// Published targets of which it is known whose they are, be it a cluster's that does not contribute any more.
    pub(super) claimed: BTreeSet<Arc<str>>,
}

impl<'a> Members<'a> {
    /// Judges these contributions, given the listeners of each name.
    pub(super) fn new(
        contributions: impl IntoIterator<Item = Contribution<'a>>,
        names: &BTreeMap<Arc<str>, BTreeSet<&str>>,
        published: &Published,
        options: &DnsOutput,
        now: Time,
        notes: &mut Notes,
    ) -> Self {
        let recorded: BTreeSet<_> =
            published.clusters.values().flat_map(|cluster| cluster.targets.iter().cloned()).collect();
        let mut claimed = recorded.clone();
        let mut by_name = BTreeMap::new();
        for contribution in contributions {
            let mut member = Member::new(&contribution, published, options, now, notes);
            // An alias of itself, or of a name that is an alias too, leads nowhere.
            let is_circle = |(type_, text): &Target| *type_ == RecordType::Cname && names.contains_key(text);
            let circles: BTreeSet<Target>;
            (circles, member.usable) = std::mem::take(&mut member.usable).into_iter().partition(is_circle);
            for (_, text) in circles {
                if member.verdict.is_none() {
                    let cluster = contribution.cluster;
                    notes.add(format!("{cluster}: {text} is no target, as it is to be published itself"));
                }
            }
            let serves = |listeners| member.verdict(listeners, options) == Verdict::Serves;
            member.serves = names.values().any(serves);
            for (_, text) in &member.usable {
                // Where it serves, its addresses are its own from now on; else they are where nobody else is named for them.
                if member.serves || !recorded.contains(text) {
                    member.own.insert(text.clone());
                    claimed.insert(text.clone());
                }
            }
            by_name.insert(contribution.cluster, member);
        }
        Self { by_name, claimed }
    }
}

impl<'a> Member<'a> {
    fn new(
        contribution: &Contribution<'a>,
        published: &Published,
        options: &DnsOutput,
        now: Time,
        notes: &mut Notes,
    ) -> Self {
        let recorded = published.clusters.get(contribution.cluster);
        // A time to come would hold a target back for as long as somebody pleases.
        let leaving = recorded.and_then(|recorded| recorded.leaving).map(|since| since.min(now));
        let mut member = Self {
            instance: contribution.instance,
            verdict: Some(Verdict::Kept),
            ends: None,
            leaving,
            serves: false,
            usable: BTreeSet::new(),
            own: recorded.map(|recorded| recorded.targets.clone()).unwrap_or_default(),
        };
        let is_deleted = contribution.instance.is_some_and(|instance| instance.is_leaving);
        match contribution.presence {
            Presence::Here if !is_deleted => member.verdict = None,
            Presence::Here | Presence::Displaced => {
                let since = *member.leaving.get_or_insert(now);
                member.until(since, Verdict::Leaving, Verdict::Gone, options, now);
            }
            Presence::Unreachable(since) if options.on_unreachable == OnUnreachable::Remove => {
                let since = since.map(|since| since.min(now)).or(leaving).unwrap_or(now);
                member.leaving = leaving.max(Some(since));
                member.until(since, Verdict::Kept, Verdict::Expired, options, now);
            }
            // Its Secret may be on its way back: a missing cluster is an outage.
            Presence::Gone => {
                let since = *member.leaving.get_or_insert(now);
                member.until(since, Verdict::Kept, Verdict::Expired, options, now);
            }
            Presence::Doubted | Presence::Unreachable(_) => {}
        }
        for address in contribution.instance.iter().flat_map(|instance| &instance.addresses) {
            match target::of_address(address) {
                Ok(target) => _ = member.usable.insert(target),
                Err(why) if member.verdict.is_none() => notes.add(format!("{}: {why}", contribution.cluster)),
                Err(_) => {}
            }
        }
        member
    }

    /// One verdict until the grace period is over, the other from then on.
    fn until(&mut self, since: Time, before: Verdict, after: Verdict, options: &DnsOutput, now: Time) {
        let end = grace_end(since, options);
        let is_over = now >= end;
        self.verdict = Some(if is_over { after } else { before });
        self.ends = (!is_over).then_some(end);
    }

    /// The fate of its targets under a name that these listeners have.
    pub(super) fn verdict(&self, listeners: &BTreeSet<&str>, options: &DnsOutput) -> Verdict {
        if let Some(verdict) = self.verdict {
            return verdict;
        }
        let (mut has_routes, mut is_unhealthy, mut is_missing) = (false, false, false);
        for name in listeners {
            match self.listener(name) {
                Some(Listener { attached_routes: Some(0), is_current: true, .. }) => {}
                Some(Listener { attached_routes: Some(1..), is_current: true, programmed, .. }) => {
                    let is_down =
                        *programmed == Some(Status::False) && options.on_unhealthy == OnUnhealthy::Remove;
                    is_unhealthy |= is_down;
                    has_routes |= !is_down;
                }
                _ => is_missing = true,
            }
        }
        match (has_routes, is_missing, is_unhealthy) {
            // An instance that has no address yet has not said what it has.
            (true, ..) if self.usable.is_empty() => Verdict::Kept,
            (true, ..) => Verdict::Serves,
            (false, true, _) => Verdict::Kept,
            (false, false, true) => Verdict::Unhealthy,
            (false, false, false) => Verdict::Gone,
        }
    }

    /// Returns true if it freshly says that one of these listeners has routes.
    pub(super) fn has_routes(&self, listeners: &BTreeSet<&str>) -> bool {
        let has_routes = |listener: &Listener| listener.is_current && listener.attached_routes > Some(0);
        self.verdict.is_none() && listeners.iter().any(|name| self.listener(name).is_some_and(has_routes))
    }

    fn listener(&self, name: &str) -> Option<&'a Listener> {
        self.instance?.listeners.iter().find(|listener| &*listener.name == name)
    }
}

/// When a grace period ends that began at this time.
fn grace_end(since: Time, options: &DnsOutput) -> Time {
    let grace = Duration::from_secs(options.grace_seconds.into());
    grace.try_into().map_or(since, |grace| since.saturating_add(grace))
}
