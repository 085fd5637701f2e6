//! What should stand, found out the simple way: from the facts, all of them, each time.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_kube::kinds::{InstanceStatuses, Placement};
use serde_json::Value;

use super::{
    store::{What, managers},
    world::{Fate, S, World},
};
use crate::hub::{
    ClusterName, Decisions, Doubt, HubFacts, ObjectName, Plan, Reader, Subject, Target, dns::Published,
    manager, reports::recalled,
};

/// How long something may be red or unknown before the hub must not say anything else: as long as a cluster may be silent, and
/// a little for asking, gathering and trying again.
const LAG: Duration = Duration::from_secs(18);

/// An aggregation, and what it comes to.
pub(super) struct Wish {
    pub(super) name: String,
    pub(super) what: What,
    pub(super) plan: Plan,
}

impl World {
    pub(super) fn wishes(&self) -> Vec<Wish> {
        let found = self.store.objects.iter().filter(|((what, _), _)| *what == What::Aggregation);
        let wishes = found.map(|((_, name), object)| {
            let plan = Plan::of(&serde_json::from_value(object["spec"].clone()).unwrap());
            Wish { name: name.name.to_string(), what: What::of_kind(&plan.target.kind), plan }
        });
        wishes.collect()
    }

    /// The aggregation that gives an object its status.
    fn wish<'w>(wishes: &'w [Wish], what: What, object: &Value) -> Option<&'w Wish> {
        wishes.iter().find(|wish| wish.what == what && wish.plan.is_chosen(object))
    }

    fn facts(&self, wish: &Wish, object: &Value) -> HubFacts {
        let mut facts = HubFacts::read(object, &wish.plan, &manager(&wish.name));
        if wish.plan.placement == Placement::Decided {
            let mut decisions = Decisions::default();
            for (_, decision) in self.store.objects.iter().filter(|((what, _), _)| *what == What::Decision) {
                decisions.there(decision);
            }
            decisions.place(object["metadata"]["namespace"].as_str().unwrap_or_default(), &mut facts);
        }
        facts
    }

    /// The clusters that an aggregation chooses, as far as the hub has been told.
    fn chosen(&self, wish: &Wish) -> BTreeSet<ClusterName> {
        let told = self.told.iter().flatten();
        told.filter(|cluster| wish.plan.chooses(cluster, &BTreeMap::new())).cloned().collect()
    }

    /// Clusters that are asked for by name and are not there.
    fn missed(&self, wish: &Wish) -> BTreeSet<ClusterName> {
        let Some(told) = &self.told else { return BTreeSet::new() };
        wish.plan.names.iter().filter(|name| !told.contains(*name)).cloned().collect()
    }

    pub(super) fn hub_objects(&self) -> impl Iterator<Item = (What, &ObjectName, &Value)> {
        let objects = self.store.objects.iter();
        let objects = objects.filter(|((what, _), _)| matches!(what, What::Gateway | What::DaemonSet));
        objects.map(|((what, name), object)| (*what, name, object))
    }

    /// Returns true if the hub can act at all.
    fn is_able(&self) -> bool {
        self.is_leading && self.fate == Fate::Well && self.failing.is_empty() && !self.stalled
    }
}

/// Returns true if a cluster freshly says that all is well.
fn is_well(world: &World, wish: &Wish, facts: &HubFacts, cluster: &ClusterName, name: &ObjectName) -> bool {
    let spoke = &world.spokes[cluster];
    let is_listed = spoke.is_whole || world.has_listed(cluster, &wish.name);
    let is_heard = spoke.is_up && spoke.is_readable && is_listed;
    is_heard
        && spoke.objects.get(&(wish.what, name.clone())).is_some_and(|object| {
            let annotation = object["metadata"]["annotations"]["allready.dev/hub-generation"].as_str();
            let generation: i64 = annotation.unwrap().parse().unwrap();
            object["status"]["conditions"][0]["status"] == "True"
                && generation >= facts.generation.get()
                && object["metadata"].get("deletionTimestamp").is_none()
        })
}

fn expected(world: &World, wish: &Wish, facts: &HubFacts, name: &ObjectName) -> BTreeSet<ClusterName> {
    let chosen: BTreeSet<_> = world.chosen(wish).union(&world.missed(wish)).cloned().collect();
    match wish.plan.placement {
        Placement::Everywhere => chosen,
        Placement::Annotated | Placement::Decided => facts.placed.iter().flatten().cloned().collect(),
        Placement::Found => {
            // Of who has never been heard it is not known that it has none; of who cannot be heard any more its last word counts.
            let has = |cluster: &ClusterName| {
                let is_there = world.spokes[cluster].objects.contains_key(&(wish.what, name.clone()));
                if world.has_listed(cluster, &wish.name) {
                    is_there
                } else {
                    !world.has_heard_of_none(cluster, &wish.name, name)
                }
            };
            chosen.into_iter().filter(has).collect()
        }
    }
}

/// Watches over what must never happen.
#[derive(Default)]
pub(super) struct Guard {
    /// Since when a cluster has not been well, by the uid of the object and the plan.
    pub(super) unwell: BTreeMap<(String, String, ClusterName), Duration>,
    /// The rows of clusters that cannot be heard.
    rows: BTreeMap<(String, String, ClusterName), BTreeSet<String>>,
    seen: usize,
    pub(super) has_restarted: bool,
}

impl Guard {
    pub(super) fn watch(&mut self, world: &World) {
        let wishes = world.wishes();
        let mut unwell = BTreeMap::new();
        let mut rows = BTreeMap::new();
        for (what, name, object) in world.hub_objects() {
            let Some(wish) = World::wish(&wishes, what, object) else { continue };
            let facts = world.facts(wish, object);
            for cluster in expected(world, wish, &facts, name) {
                let known = world.spokes.contains_key(&cluster) && world.chosen(wish).contains(&cluster);
                if known && is_well(world, wish, &facts, &cluster, name) {
                    continue;
                }
                let plan = format!("{}{:?}", wish.name, wish.plan);
                let key = (facts.uid.to_string(), plan, cluster.clone());
                let since = self.unwell.get(&key).copied().filter(|_| world.is_able()).unwrap_or(world.now);
                if world.now > since + LAG {
                    let says = world.status(what, name, "Programmed");
                    assert_ne!(
                        says.as_deref(),
                        Some("True"),
                        "{cluster} has not been well since {since:?}: now {:?}",
                        world.now
                    );
                }
                let is_lost = known
                    && (!world.spokes[&cluster].is_up || !world.spokes[&cluster].is_readable)
                    && !world.has_heard_of_none(&cluster, &wish.name, name);
                if is_lost && world.now > since + LAG && wish.plan.addresses {
                    let stand = standing_rows(world, wish, name, object, &cluster);
                    let had = self.rows.get(&key).cloned().unwrap_or_else(|| stand.clone());
                    assert!(
                        had.is_subset(&stand),
                        "{cluster} had {had:?} and has {stand:?} at {:?}",
                        world.now
                    );
                    rows.insert(key.clone(), stand);
                }
                unwell.insert(key, since);
            }
        }
        (self.unwell, self.rows) = (unwell, rows);
        for (_, place, body) in &world.writes[self.seen..] {
            if let (Target::InstanceStatus(name), None) = (place, body) {
                Self::may_delete(world, &wishes, name);
            }
        }
        self.seen = world.writes.len();
    }

    /// A report is taken away only when nobody wants it.
    fn may_delete(world: &World, wishes: &[Wish], name: &ObjectName) {
        let Some(report) = world.store.get(What::InstanceStatus, name).filter(|_| !world.stalled) else {
            return;
        };
        let Some((about, cluster, _)) = recalled(report) else { return };
        let label = report["metadata"]["labels"]["allready.dev/aggregation"].as_str().unwrap();
        let Some(wish) = wishes.iter().find(|wish| wish.name == label) else { return };
        if report["spec"]["targetRef"]["kind"] != *wish.plan.target.kind {
            return;
        }
        let Some(object) = world.store.get(wish.what, &about) else { return };
        let is_theirs = World::wish(wishes, wish.what, object).is_some_and(|first| first.name == wish.name);
        assert!(
            !(is_theirs
                && wish.plan.instance_statuses == InstanceStatuses::Always
                && world.chosen(wish).contains(&cluster)
                && world.has_inventory
                && world.failing.is_empty()),
            "{name} is wanted"
        );
    }

    /// When all has come to rest, what stands is what follows from the facts.
    pub(super) fn at_rest(&self, world: &mut World) {
        let from = world.writes.len();
        world.pass(S(20));
        let is_roll_call = |target: &Target| matches!(target, Target::ClusterStatus(_) | Target::Lease(_));
        let late: Vec<_> = world.writes[from..].iter().filter(|(_, place, _)| !is_roll_call(place)).collect();
        assert!(late.is_empty(), "it is at rest, and writes {late:?}");
        let wishes = world.wishes();
        let mut wanted_reports = BTreeSet::new();
        let mut wanted_endpoints = BTreeSet::new();
        for (what, name, object) in world.hub_objects() {
            let wish = World::wish(&wishes, what, object);
            let theirs: BTreeSet<String> = wish.iter().map(|wish| manager(&wish.name)).collect();
            let strangers: Vec<_> =
                managers(object).into_iter().filter(|who| !theirs.contains(who)).collect();
            assert!(strangers.is_empty(), "{name} still has something of {strangers:?}: {object}");
            let Some(wish) = wish else { continue };
            Self::is_right(world, wish, what, name, object);
            let plan = std::sync::Arc::new(wish.plan.clone());
            let subject = subject(world, wish, &plan, name, object);
            let answer = subject.answer(world.time());
            assert!(!answer.differs, "{name} should have {} and has {}", answer.status, object["status"]);
            if answer.is_short || wish.plan.instance_statuses == InstanceStatuses::Always {
                let clusters = world.chosen(wish).into_iter().chain(world.missed(wish));
                wanted_reports.extend(clusters.map(|cluster| (wish.name.clone(), name.clone(), cluster)));
            }
            if wish.plan.dns.is_some() {
                wanted_endpoints.insert(name.clone());
                has_targets(world, wish, name, object);
            }
        }
        for ((what, name), object) in &world.store.objects {
            // Where nobody wants records, nobody looks for them: a controller that begins later does not see them.
            let are_seen = !self.has_restarted || wishes.iter().any(|wish| wish.plan.dns.is_some());
            if *what == What::Endpoint && are_seen {
                let is_wanted =
                    wanted_endpoints.iter().any(|of| *name.name == format!("gateway-{}", of.name));
                assert!(is_wanted, "nobody wants {name}");
            }
            if *what == What::InstanceStatus
                && let Some((about, cluster, _)) = recalled(object)
            {
                let label = object["metadata"]["labels"]["allready.dev/aggregation"].as_str().unwrap();
                let is_wanted = wanted_reports.remove(&(label.to_owned(), about, cluster));
                assert!(is_wanted, "nobody wants {name}");
            }
        }
        assert!(wanted_reports.is_empty(), "there are no reports of {wanted_reports:?}");
    }

    fn is_right(world: &World, wish: &Wish, what: What, name: &ObjectName, object: &Value) {
        let facts = world.facts(wish, object);
        let expected = expected(world, wish, &facts, name);
        let says = |cluster: &ClusterName| match world.chosen(wish).contains(cluster) {
            true if is_well(world, wish, &facts, cluster, name) => "True",
            true => {
                let object = world.spokes[cluster].objects.get(&(wish.what, name.clone()));
                let is_behind = |object: &Value| {
                    let annotation =
                        object["metadata"]["annotations"]["allready.dev/hub-generation"].as_str();
                    annotation.unwrap().parse::<i64>().unwrap() < facts.generation.get()
                };
                let is_bad = |object: &Value| {
                    !is_behind(object) && object["status"]["conditions"][0]["status"] == "False"
                };
                if object.is_some_and(is_bad) { "False" } else { "Unknown" }
            }
            false => "Unknown",
        };
        let all: BTreeSet<&str> = expected.iter().map(says).collect();
        let due = if all.contains("False") {
            "False"
        } else if all.contains("Unknown") || all.is_empty() {
            "Unknown"
        } else {
            "True"
        };
        assert_eq!(world.status(what, name, "Programmed").as_deref(), Some(due), "{name} {object}");
    }
}

fn subject(
    world: &World,
    wish: &Wish,
    plan: &std::sync::Arc<Plan>,
    name: &ObjectName,
    object: &Value,
) -> Subject {
    let reader = Reader::new(plan);
    let mut subject = Subject::new(std::sync::Arc::clone(plan));
    subject.hub(Some(world.facts(wish, object)));
    for cluster in world.chosen(wish) {
        let instance = world.spokes[&cluster].objects.get(&(wish.what, name.clone()));
        subject.choose(&cluster);
        subject.heard(&cluster, instance.map(|object| reader.read(object).1));
    }
    for cluster in world.missed(wish) {
        subject.choose(&cluster);
        let why = "it is not among the clusters that this hub knows".into();
        subject.doubt(&cluster, Some(Doubt::Unreachable { since: None, why }));
    }
    subject
}

/// The addresses of a cluster that stand, in the object or in its report, and what of them is published.
fn standing_rows(
    world: &World,
    wish: &Wish,
    name: &ObjectName,
    object: &Value,
    cluster: &ClusterName,
) -> BTreeSet<String> {
    let rows = |list: &Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().map(|row| row["value"].as_str().unwrap().to_owned()).collect()
    };
    let mut stand: BTreeSet<String> = rows(&object["status"]["addresses"])
        .iter()
        .filter_map(|row| Some(row.strip_prefix(cluster.as_str())?.strip_prefix('/')?.to_owned()))
        .collect();
    let endpoint = ObjectName::new(&name.namespace, &format!("gateway-{}", name.name));
    let published = world.store.get(What::Endpoint, &endpoint).map(Published::read).unwrap_or_default();
    let targets = published.clusters.get(cluster).map(|of| of.targets.clone()).unwrap_or_default();
    let records = published.records.iter().filter(|_| wish.plan.dns.is_some());
    for (key, record) in records {
        let own = record.intersection(&targets);
        stand.extend(own.map(|target| format!("{} {target}", key.name)));
    }
    for ((what, _), report) in &world.store.objects {
        let is_meant = *what == What::InstanceStatus
            && report["metadata"]["labels"]["allready.dev/aggregation"] == *wish.name
            && recalled(report).is_some_and(|(about, of, _)| about == *name && of == *cluster);
        if is_meant {
            stand.extend(rows(&report["status"]["addresses"]));
        }
    }
    stand
}

/// The targets of a name are the addresses of those clusters where its listener has routes.
fn has_targets(world: &World, wish: &Wish, name: &ObjectName, object: &Value) {
    let facts = world.facts(wish, object);
    let expected = expected(world, wish, &facts, name);
    let mut due: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (index, host) in ["api.example.com", "www.example.com"].into_iter().enumerate() {
        for cluster in expected.intersection(&world.chosen(wish)) {
            let Some(object) = world.spokes[cluster].objects.get(&(wish.what, name.clone())) else {
                continue;
            };
            let annotation = object["metadata"]["annotations"]["allready.dev/hub-generation"].as_str();
            if annotation.unwrap().parse::<i64>().unwrap() < facts.generation.get() {
                return; // what is published before stays
            }
            if object["status"]["listeners"][index]["attachedRoutes"] != 0 {
                let addresses = object["status"]["addresses"].as_array().unwrap().iter();
                due.entry(host)
                    .or_default()
                    .extend(addresses.map(|row| row["value"].as_str().unwrap().to_owned()));
            }
        }
    }
    let endpoint = ObjectName::new(&name.namespace, &format!("gateway-{}", name.name));
    let endpoint = world.store.get(What::Endpoint, &endpoint);
    let records =
        endpoint.map(|endpoint| endpoint["spec"]["endpoints"].as_array().cloned().unwrap_or_default());
    let mut published: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let records = records.unwrap_or_default();
    for record in &records {
        let targets =
            record["targets"].as_array().unwrap().iter().map(|target| target.as_str().unwrap().to_owned());
        published.insert(record["dnsName"].as_str().unwrap(), targets.collect());
    }
    // Where nobody is left who serves a name, those that have left the inventory stay its targets.
    published.retain(|name, _| due.contains_key(name));
    assert_eq!(published, due, "{name}");
}
