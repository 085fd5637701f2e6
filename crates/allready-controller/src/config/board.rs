//! Everything that is known of the reporters of one object, kept up to date one fact at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use allready_core::{
    Condition, Time,
    fleet::{FleetIndex, FleetOptions},
    rollup::Grouped,
};
use allready_kube::{kinds::ConfigurationStatusSpec, report::Identity};
use kube::core::SelectorExt;

use super::{
    judge,
    plan::{Plan, PlannedComponent, PlannedInstances},
};

/// The reporters of one object.
///
/// Facts come in any order, as watches deliver them; what they come to depends on the facts alone. A fact about one
/// reporter or node costs a few tree operations, whatever their number.
#[derive(Debug)]
pub struct Board {
    pub(super) plan: Plan,
    pub(super) fleet: FleetIndex,
    reports: BTreeMap<Origin, Held>,
    reporters: BTreeMap<Member, BTreeSet<Origin>>,
    pub(super) nodes: BTreeMap<String, NodeFacts>,
    pods: BTreeMap<String, PodFacts>,
    pub(super) places: Places,
    pub(super) daemon_sets: BTreeMap<String, DaemonSetFacts>,
    /// By the name of the Lease, which is that of the StatusReport.
    heartbeats: BTreeMap<String, Time>,
    gaps: BTreeMap<String, String>,
    now: Time,
}

/// Which object a report was found in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    kind: String,
    name: String,
}

impl Origin {
    /// An object of this kind and name.
    pub fn new(kind: &str, name: &str) -> Self {
        Self { kind: kind.to_owned(), name: name.to_owned() }
    }

    /// A StatusReport.
    pub fn status_report(name: &str) -> Self {
        Self::new("StatusReport", name)
    }

    /// The kind of the object.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The name of the object.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What an object says about one instance of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The component.
    pub component: String,
    /// The instance, where there are several.
    pub instance: Option<String>,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The revision of the configuration that it has digested.
    pub revision: Option<String>,
}

/// What matters about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Whether its `Ready` is `True`.
    pub ready: bool,
}

/// What matters about a pod of a DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFacts {
    /// The DaemonSet that owns it.
    pub daemon_set: String,
    /// The node it runs on.
    pub node: String,
    /// Whether its `Ready` is `True`.
    pub ready: bool,
}

/// What matters about a DaemonSet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaemonSetFacts {
    /// On how many nodes it should run.
    pub desired: i32,
    /// Whether that number is about its current generation.
    pub current: bool,
}

/// DaemonSet → node → pod → whether it is ready.
pub(super) type Places = BTreeMap<String, BTreeMap<String, BTreeMap<String, bool>>>;

#[derive(Debug)]
struct Held {
    member: Member,
    conditions: Vec<Condition>,
    revision: Option<String>,
}

/// One instance of one component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) component: String,
    pub(super) instance: Option<String>,
}

impl Member {
    pub(super) fn new(component: &str, instance: Option<&str>) -> Self {
        Self { component: component.to_owned(), instance: instance.map(str::to_owned) }
    }
}

/// As it stands before the slash of a condition type: `speaker-node-a`.
impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instance {
            Some(instance) => write!(f, "{}-{instance}", self.component),
            None => f.write_str(&self.component),
        }
    }
}

impl Board {
    /// Nothing is known yet but what is expected.
    pub fn new(spec: &ConfigurationStatusSpec) -> Self {
        let mut board = Self {
            plan: Plan::default(),
            fleet: FleetIndex::default(),
            reports: BTreeMap::new(),
            reporters: BTreeMap::new(),
            nodes: BTreeMap::new(),
            pods: BTreeMap::new(),
            places: Places::new(),
            daemon_sets: BTreeMap::new(),
            heartbeats: BTreeMap::new(),
            gaps: BTreeMap::new(),
            now: Time::EPOCH,
        };
        board.set_spec(spec);
        board
    }

    /// Takes another spec. What was reported stays known; everything is judged anew.
    pub fn set_spec(&mut self, spec: &ConfigurationStatusSpec) {
        self.plan = Plan::of(spec);
        self.fleet = FleetIndex::new(FleetOptions {
            wording: Grouped { always_types: true, ..Grouped::new() },
            ..FleetOptions::default()
        });
        let reporters: Vec<_> = self.reporters.keys().cloned().collect();
        for member in &reporters {
            self.judge(member);
        }
        for component in self.plan.components.clone() {
            for member in self.expected_of(&component) {
                self.judge(&member);
            }
        }
    }

    /// The spec, spelt out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes a report in place of the last one from the same object.
    pub fn report(&mut self, origin: Origin, report: Report) {
        let Report { component, instance, conditions, revision } = report;
        let member = Member { component, instance };
        if self.reports.get(&origin).is_some_and(|held| held.member != member) {
            self.unreport(&origin);
        }
        self.reporters.entry(member.clone()).or_default().insert(origin.clone());
        self.reports.insert(origin, Held { member: member.clone(), conditions, revision });
        self.judge(&member);
    }

    /// Takes the report of an object away.
    pub fn unreport(&mut self, origin: &Origin) {
        let Some(Held { member, .. }) = self.reports.remove(origin) else { return };
        if let Some(origins) = self.reporters.get_mut(&member) {
            origins.remove(origin);
            if origins.is_empty() {
                self.reporters.remove(&member);
            }
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
        match facts {
            Some(facts) => self.nodes.insert(name.to_owned(), facts),
            None => self.nodes.remove(name),
        };
        self.judge_node(name);
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

    /// Takes the last heartbeat of the reporter whose StatusReport has this name; none when it has no Lease any more.
    pub fn heartbeat(&mut self, report: &str, renewed: Option<Time>) {
        let before = match renewed {
            Some(renewed) => self.heartbeats.insert(report.to_owned(), renewed),
            None => self.heartbeats.remove(report),
        };
        if before != renewed {
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
        self.plan.problems.iter().cloned().chain(judge::unscheduled(self)).chain(seen)
    }

    /// Lets time pass: who has not been heard of for too long is not believed any more. Looks at all heartbeats.
    pub fn tick(&mut self, now: Time) {
        let before = std::mem::replace(&mut self.now, now);
        let Some(limit) = self.plan.silent_after else { return };
        let turned =
            |renewed: Time| judge::is_old(renewed, limit, before) != judge::is_old(renewed, limit, now);
        let turned: Vec<_> = self
            .heartbeats
            .iter()
            .filter(|(_, renewed)| turned(**renewed))
            .map(|(report, _)| Origin::status_report(report))
            .collect();
        for origin in &turned {
            self.judge_origin(origin);
        }
    }

    /// How many reporters have digested the expected revision, and how many state one.
    pub(super) fn digested(&self) -> (usize, usize) {
        let stated = self.reports.values().filter_map(|held| held.revision.as_deref());
        let expected = self.plan.revision.as_deref();
        stated.fold((0, 0), |(digested, of), revision| {
            (digested + usize::from(Some(revision) == expected), of + 1)
        })
    }

    /// The names of the objects of one kind that hold a report.
    pub fn reporting_in(&self, kind: &str) -> Vec<String> {
        self.reports.keys().filter(|origin| origin.kind == kind).map(|origin| origin.name.clone()).collect()
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

    /// Who is expected to report for a component.
    pub fn living(&self, component: &str) -> Vec<Identity> {
        let expected =
            self.plan.component(component).map(|planned| self.expected_of(planned)).unwrap_or_default();
        let expected = expected.into_iter().filter(|member| {
            self.plan
                .component(component)
                .is_some_and(|planned| self.expects(planned, member.instance.as_deref()))
        });
        expected
            .map(|member| match member.instance {
                Some(instance) => Identity::of(member.component).on(instance),
                None => Identity::of(member.component),
            })
            .collect()
    }

    /// Every reporter of a component that is not expected, by instance: what a sweep may take away once it is sure.
    pub fn strangers<'a>(
        &'a self,
        component: &'a str,
    ) -> impl Iterator<Item = (&'a Origin, Option<&'a str>)> {
        let planned = self.plan.component(component);
        self.reports.iter().filter(move |(_, held)| held.member.component == component).filter_map(
            move |(origin, held)| {
                let expected =
                    planned.is_none_or(|planned| self.expects(planned, held.member.instance.as_deref()));
                (!expected).then_some((origin, held.member.instance.as_deref()))
            },
        )
    }

    fn judge_origin(&mut self, origin: &Origin) {
        if let Some(member) = self.reports.get(origin).map(|held| held.member.clone()) {
            self.judge(&member);
        }
    }

    fn judge_node(&mut self, node: &str) {
        let members: Vec<_> = self
            .plan
            .components
            .iter()
            .filter(|component| component.instances.are_nodes())
            .map(|component| Member::new(&component.name, Some(node)))
            .collect();
        for member in &members {
            self.judge(member);
        }
    }

    /// Judges one member anew, from everything that is known of it.
    fn judge(&mut self, member: &Member) {
        let name = member.to_string();
        let component = self.plan.component(&member.component);
        let expected = component.filter(|component| self.expects(component, member.instance.as_deref()));
        match expected {
            Some(component) if component.types.is_empty() => self.fleet.expect(&name),
            Some(component) => self.fleet.expect_types(&name, component.types.iter().cloned()),
            None => self.fleet.unexpect(&name),
        };
        let held: Vec<&Held> =
            self.reporters.get(member).into_iter().flatten().filter_map(|o| self.reports.get(o)).collect();
        if held.is_empty() {
            self.fleet.remove(&name);
        } else {
            self.fleet.apply(&name, held.iter().flat_map(|held| &held.conditions));
        }
        let revisions = held.iter().filter_map(|held| held.revision.as_deref());
        let doubt = component
            .and_then(|component| judge::place(self, component, member.instance.as_deref()))
            .or_else(|| judge::heartbeat(self.renewed(member), self.plan.silent_after, self.now))
            .or_else(|| judge::revision(revisions, self.plan.revision.as_deref()));
        match doubt {
            Some((reason, message)) => self.fleet.silence(&name, reason, message),
            None => self.fleet.unsilence(&name),
        };
    }

    /// The last heartbeat of a member, where it has any.
    fn renewed(&self, member: &Member) -> Option<Time> {
        let origins = self.reporters.get(member).into_iter().flatten();
        origins.filter_map(|origin| self.heartbeats.get(origin.name())).max().copied()
    }

    /// Whether a component should have this instance.
    fn expects(&self, component: &PlannedComponent, instance: Option<&str>) -> bool {
        match (&component.instances, instance) {
            (PlannedInstances::One, instance) => instance.is_none(),
            (PlannedInstances::Names(names), Some(instance)) => names.iter().any(|name| name == instance),
            (PlannedInstances::Nodes(selector), Some(node)) => {
                self.nodes.get(node).is_some_and(|facts| selector.matches(&facts.labels))
            }
            (PlannedInstances::DaemonSet(name), Some(node)) => {
                self.places.get(name).is_some_and(|nodes| nodes.contains_key(node))
            }
            _ => false,
        }
    }

    fn expected_of(&self, component: &PlannedComponent) -> Vec<Member> {
        let members = |names: &mut dyn Iterator<Item = &String>| -> Vec<Member> {
            names.map(|name| Member::new(&component.name, Some(name))).collect()
        };
        match &component.instances {
            PlannedInstances::One => vec![Member::new(&component.name, None)],
            PlannedInstances::Names(names) => members(&mut names.iter()),
            PlannedInstances::Nodes(_) => members(&mut self.nodes.keys()),
            PlannedInstances::DaemonSet(name) => {
                members(&mut self.places.get(name).into_iter().flat_map(BTreeMap::keys))
            }
            PlannedInstances::Discovered => Vec::new(),
        }
    }
}
