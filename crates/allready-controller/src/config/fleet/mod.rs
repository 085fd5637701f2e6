//! Everything that is known of the reporters of one object, kept up to date one fact at a time.

mod expected;
mod facts;
mod members;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{
    Time,
    fleet::{FleetIndex, FleetOptions},
    rollup::Grouped,
};
use allready_kube::kinds::{CauseSeen, ComponentRole, ConfigurationStatusSpec};

pub use self::facts::{DaemonSetFacts, NodeFacts, Origin, PodFacts, Report};
pub(super) use self::facts::{Member, Places};
use super::{answer::shown, judge, plan::Plan, status::NODE_GRACE};

/// The reporters of one object.
///
/// Facts come in any order, as watches deliver them; what they come to depends on the facts alone. A fact about one
/// reporter or node costs a few tree operations, whatever their number.
#[derive(Debug)]
pub struct Fleet {
    pub(super) plan: Plan,
    /// Those that decide Ready.
    pub(super) required: FleetIndex,
    /// Those that do not.
    pub(super) informational: FleetIndex,
    /// The role in which a member is counted, and its label there.
    counted: BTreeMap<Member, (ComponentRole, String)>,
    reports: BTreeMap<Origin, Held>,
    /// By component and instance, never by the two joined: `speaker-a` is nobody but itself, and does not vouch for `speaker` on `a`.
    reporters: BTreeMap<Member, BTreeSet<Origin>>,
    pub(super) nodes: BTreeMap<String, NodeFacts>,
    pods: BTreeMap<String, PodFacts>,
    pub(super) places: Places,
    pub(super) daemon_sets: BTreeMap<String, DaemonSetFacts>,
    /// By the name of the Lease, which is that of the StatusReport.
    heartbeats: BTreeMap<String, Heartbeat>,
    /// The reporters that were taken for silent before a restart: their labels as a status shows them, and the components of which not
    /// all could be named.
    doubted: BTreeSet<String>,
    doubted_components: BTreeSet<String>,
    /// The time of day, by which a Lease that is seen for the first time may be old.
    wall: Option<Time>,
    /// Reporters of components that are bound to nodes, which are not expected.
    strangers: BTreeSet<Origin>,
    /// Since when nodes are not there that somebody reports from.
    absent: BTreeMap<String, Duration>,
    are_nodes_listed: bool,
    gaps: BTreeMap<String, String>,
    /// The heartbeats by when they were last seen to be renewed.
    by_seen: BTreeSet<(Duration, String)>,
    /// The time up to which everything is judged, as a duration since any fixed instant.
    now: Duration,
    /// The time of what is being taken.
    clock: Duration,
    /// The number of reports that have been taken so far.
    taken: u64,
}

#[derive(Debug)]
struct Held {
    report: Arc<Report>,
    /// The sequence number of the report.
    serial: u64,
}

/// A Lease as it has been seen. By which clock it was renewed does not matter, only when *we* saw that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heartbeat {
    renewed: Option<Time>,
    seen: Duration,
    gone: bool,
    /// True once it was seen to be renewed.
    is_news: bool,
    /// True if it was old by the time of day when it was first seen.
    was_old: bool,
}

impl Fleet {
    /// Nothing is known yet but what is expected.
    pub fn new(spec: &ConfigurationStatusSpec) -> Self {
        let mut fleet = Self {
            plan: Plan::default(),
            required: FleetIndex::default(),
            informational: FleetIndex::default(),
            counted: BTreeMap::new(),
            reports: BTreeMap::new(),
            reporters: BTreeMap::new(),
            nodes: BTreeMap::new(),
            pods: BTreeMap::new(),
            places: Places::new(),
            daemon_sets: BTreeMap::new(),
            heartbeats: BTreeMap::new(),
            doubted: BTreeSet::new(),
            doubted_components: BTreeSet::new(),
            wall: None,
            strangers: BTreeSet::new(),
            absent: BTreeMap::new(),
            are_nodes_listed: true,
            gaps: BTreeMap::new(),
            by_seen: BTreeSet::new(),
            now: Duration::ZERO,
            clock: Duration::ZERO,
            taken: 0,
        };
        fleet.set_spec(spec);
        fleet
    }

    /// Takes another spec. What was reported stays known; everything is judged anew.
    pub fn set_spec(&mut self, spec: &ConfigurationStatusSpec) {
        self.plan = Plan::of(spec);
        let options = FleetOptions {
            wording: Grouped { always_types: true, ..Grouped::new() },
            polarities: self.plan.polarities().clone(),
            ..FleetOptions::default()
        };
        self.required = FleetIndex::new(options.clone());
        self.informational = FleetIndex::new(options);
        self.counted.clear();
        let mut members: BTreeSet<Member> = self.reporters.keys().cloned().collect();
        for component in &self.plan.components {
            members.extend(self.expected_of(component));
        }
        for member in &members {
            self.judge(member);
        }
    }

    /// The spec, spelt out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes a report in place of the last one from the same object.
    pub fn report(&mut self, origin: Origin, report: impl Into<Arc<Report>>) {
        let report = report.into();
        // Reports in an object that many share are shown again with every change of it.
        if self.reports.get(&origin).is_some_and(|held| held.report == report) {
            return;
        }
        let member = Member::of(&report);
        if self.reports.get(&origin).is_some_and(|held| Member::of(&held.report) != member) {
            self.unreport(&origin);
        }
        self.taken += 1;
        // Whoever still reports is there, whatever is said of its node.
        if let Some(since) = member.instance.as_ref().and_then(|node| self.absent.get_mut(node)) {
            *since = self.clock;
        }
        self.reporters.entry(member.clone()).or_default().insert(origin.clone());
        self.reports.insert(origin, Held { report, serial: self.taken });
        self.judge(&member);
    }

    /// Takes the report of an object away.
    pub fn unreport(&mut self, origin: &Origin) {
        let Some(Held { report, .. }) = self.reports.remove(origin) else { return };
        self.strangers.remove(origin);
        let member = Member::of(&report);
        self.doubted.remove(&*shown(&member.label()));
        if let Some(origins) = self.reporters.get_mut(&member) {
            origins.remove(origin);
            if origins.is_empty() {
                self.reporters.remove(&member);
            }
        }
        // A Lease that is there outlives its report: the next one is judged by it.
        if origin.kind() == Origin::STATUS_REPORT
            && let Some(heartbeat) = self.heartbeats.get(origin.name()).copied().filter(|lease| lease.gone)
        {
            self.heartbeats.remove(origin.name());
            self.by_seen.remove(&(heartbeat.seen, origin.name().to_owned()));
        }
        self.judge(&member);
    }

    /// Takes what is known of a node; none when it is gone.
    pub fn node(&mut self, name: &str, facts: Option<NodeFacts>) {
        let same = match &facts {
            Some(facts) => self.nodes.get(name) == Some(facts),
            None => !self.nodes.contains_key(name),
        };
        if same {
            return;
        }
        let were_none = self.nodes.is_empty();
        if let Some(facts) = facts {
            self.nodes.insert(name.to_owned(), facts);
            self.absent.remove(name);
        } else {
            self.nodes.remove(name);
        }
        if self.nodes.is_empty() != were_none {
            self.judge_absent();
        }
        self.judge_node(name);
    }

    /// Says whether the nodes are known completely: only then is one that is not among them gone.
    pub fn nodes_listed(&mut self, are_listed: bool) {
        if std::mem::replace(&mut self.are_nodes_listed, are_listed) != are_listed {
            self.judge_absent();
        }
    }

    fn judge_absent(&mut self) {
        let absent: Vec<String> = self.absent.keys().cloned().collect();
        for node in &absent {
            self.judge_node(node);
        }
    }

    /// Returns true if a node is gone for certain that somebody reports from, or runs on.
    pub(super) fn is_gone(&self, node: &str) -> bool {
        // A cluster without any node is one that is not seen.
        self.are_nodes_listed && !self.nodes.is_empty() && self.absent.contains_key(node)
    }

    /// Returns true if a node has been gone for so long that nobody is expected to report from it.
    pub(super) fn has_left(&self, node: &str) -> bool {
        self.is_gone(node) && self.absent.get(node).is_some_and(|since| *since + NODE_GRACE <= self.now)
    }

    /// Takes what is known of a pod; none when it is gone.
    pub fn pod(&mut self, name: &str, facts: Option<&PodFacts>) {
        if self.pods.get(name) == facts {
            return;
        }
        let before = match facts {
            Some(facts) => self.pods.insert(name.to_owned(), facts.clone()),
            None => self.pods.remove(name),
        };
        // A pod has one place: it is taken from where it was before it is put where it is.
        if let Some(before) = &before
            && let Some(nodes) = self.places.get_mut(&before.daemon_set)
        {
            let pods = nodes.entry(before.node.clone()).or_default();
            pods.remove(name);
            if pods.is_empty() {
                nodes.remove(&before.node);
            }
        }
        if let Some(facts) = facts {
            let nodes = self.places.entry(facts.daemon_set.clone()).or_default();
            nodes.entry(facts.node.clone()).or_default().insert(name.to_owned(), facts.ready);
        }
        for node in [before.as_ref(), facts].into_iter().flatten().map(|facts| facts.node.as_str()) {
            self.judge_node(node);
        }
    }

    /// Takes what is known of a DaemonSet; none when it is gone.
    pub fn daemon_set(&mut self, name: &str, facts: Option<DaemonSetFacts>) {
        match facts {
            Some(facts) => self.daemon_sets.insert(name.to_owned(), facts),
            None => self.daemon_sets.remove(name),
        };
    }

    /// Takes the Lease of the reporter whose StatusReport has this name: the heartbeat is as old as the last change of
    /// `renewed`, whatever that says, because the clocks of nodes differ. A Lease that was there and is gone (none) is a
    /// heartbeat that was lost; who never had one is not judged by it.
    pub fn heartbeat(&mut self, report: &str, lease: Option<Option<Time>>) {
        let before = self.heartbeats.get(report).copied();
        let after = match (lease, before) {
            (None, None) => return,
            (None, Some(before)) => Heartbeat { gone: true, ..before },
            (Some(renewed), Some(before)) if renewed == before.renewed && !before.gone => return,
            (Some(renewed), Some(before)) => {
                let is_news = before.is_news || renewed != before.renewed;
                Heartbeat { renewed, seen: self.clock, gone: false, is_news, ..before }
            }
            (Some(renewed), None) => {
                let was_old = judge::is_old(renewed, self.wall, self.plan.silent_after);
                Heartbeat { renewed, seen: self.clock, gone: false, is_news: false, was_old }
            }
        };
        if let Some(before) = self.heartbeats.insert(report.to_owned(), after) {
            self.by_seen.remove(&(before.seen, report.to_owned()));
        }
        self.by_seen.insert((after.seen, report.to_owned()));
        self.judge_origin(&Origin::status_report(report));
    }

    /// Takes over who was silent before a restart, from the causes of the status that stands: whoever is among them is silent until its
    /// Lease is seen to be renewed. Where not all are named, all reporters of these components are doubted.
    pub(super) fn doubt_heartbeats(&mut self, causes: &[CauseSeen]) {
        for cause in causes.iter().filter(|cause| cause.reason == judge::HEARTBEAT_LOST) {
            self.doubted.extend(cause.reporters.iter().cloned());
            if usize::try_from(cause.count).unwrap_or(usize::MAX) > cause.reporters.len() {
                let component =
                    |label: &String| label.rsplit_once('/').map_or(&**label, |(it, _)| it).to_owned();
                self.doubted_components.extend(cause.reporters.iter().map(component));
            }
        }
    }

    /// Returns true if a reporter was taken for silent before a restart.
    fn was_silent(&self, member: &Member) -> bool {
        self.doubted.contains(&*shown(&member.label()))
            || self.doubted_components.contains(&*shown(&member.component))
    }

    /// Says what time of day it is.
    pub(super) fn wall(&mut self, time: Time) {
        self.wall = Some(time);
    }

    /// Forgets all heartbeats, as when nobody is judged by them any more.
    pub fn forget_heartbeats(&mut self) {
        self.by_seen.clear();
        self.doubted.clear();
        self.doubted_components.clear();
        let known: Vec<_> = std::mem::take(&mut self.heartbeats).into_keys().collect();
        for report in &known {
            self.judge_origin(&Origin::status_report(report));
        }
    }

    /// Says that something cannot be seen, and why; while there is any such gap, nothing is good.
    pub fn gap(&mut self, what: &str, why: Option<String>) {
        match why {
            Some(why) => self.gaps.insert(what.to_owned(), why),
            None => self.gaps.remove(what),
        };
    }

    /// Everything that cannot be seen or acted on, as whole sentences without their full stop.
    pub(super) fn gaps(&self) -> impl Iterator<Item = String> {
        let seen = self.gaps.iter().map(|(what, why)| format!("{what} cannot be seen: {why}"));
        let unscheduled = judge::unscheduled(self, ComponentRole::Required);
        self.plan.problems.iter().cloned().chain(unscheduled).chain(seen)
    }

    /// Says when what comes next is taken.
    pub fn at(&mut self, now: Duration) {
        self.clock = self.clock.max(now);
    }

    /// Lets time pass: a reporter that has not been heard of for too long is not believed any more, and one whose node has been gone for
    /// a while is not expected. Returns the time at which the next one turns.
    pub fn tick(&mut self, now: Duration) -> Option<Duration> {
        self.at(now);
        let before = std::mem::replace(&mut self.now, now);
        let has_turned = |at: &Duration| before < *at && *at <= now;
        let left = self.absent.iter().map(|(node, since)| (node, *since + NODE_GRACE));
        let left: Vec<String> = left.filter(|(_, at)| has_turned(at)).map(|(node, _)| node.clone()).collect();
        for node in &left {
            self.judge_node(node);
        }
        let mut next = self.absent.values().map(|since| *since + NODE_GRACE).filter(|at| *at > now).min();
        if let Some(limit) = self.plan.silent_after {
            let is_later = |at: Duration| {
                let seen = at.saturating_sub(Duration::from_secs(limit.into()));
                self.by_seen
                    .range((seen, String::new())..)
                    .filter(move |(seen, _)| judge::silent_at(*seen, limit) > at)
            };
            let turned = is_later(before).take_while(|(seen, _)| judge::silent_at(*seen, limit) <= now);
            let turned: Vec<Origin> = turned.map(|(_, report)| Origin::status_report(report)).collect();
            next = next
                .into_iter()
                .chain(is_later(now).next().map(|(seen, _)| judge::silent_at(*seen, limit)))
                .min();
            for origin in &turned {
                self.judge_origin(origin);
            }
        }
        next
    }

    /// Counts the members that decide Ready and have observed the expected revision. Looks at all reports.
    pub(super) fn observed(&self) -> usize {
        let has = |origin: &Origin| {
            self.reports
                .get(origin)
                .is_some_and(|held| held.report.revision.as_deref() == self.plan.revision.as_deref())
        };
        let decides =
            |member: &Member| matches!(self.counted.get(member), Some((ComponentRole::Required, _)));
        let observed =
            |(member, origins): &(&Member, &BTreeSet<Origin>)| decides(member) && origins.iter().all(has);
        self.reporters.iter().filter(observed).count()
    }

    /// The names of the objects of one kind that hold a report.
    pub fn reporting_in(&self, kind: &str) -> Vec<String> {
        self.reports
            .keys()
            .filter(|origin| origin.kind() == kind)
            .map(|origin| origin.name().to_owned())
            .collect()
    }

    /// The nodes that are there.
    pub fn known_nodes(&self) -> Vec<String> {
        self.nodes.keys().cloned().collect()
    }

    /// The pods that are there.
    pub fn known_pods(&self) -> Vec<String> {
        self.pods.keys().cloned().collect()
    }

    /// The DaemonSets that are there.
    pub fn known_daemon_sets(&self) -> Vec<String> {
        self.daemon_sets.keys().cloned().collect()
    }

    /// The Leases that are there.
    pub fn known_heartbeats(&self) -> Vec<String> {
        self.heartbeats.keys().cloned().collect()
    }
}
