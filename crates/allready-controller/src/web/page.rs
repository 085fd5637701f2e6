//! From what is known of a cluster to what the page shows: one function without side effects, within bounds of size.

use std::collections::HashMap;

use allready_core::Time;
use allready_inspect::{
    graph::ObjectId,
    health::Health,
    live::{Group, Key, Kind, Place, Record, Stage, State, counted},
    words,
};
use serde::Serialize;
use serde_json::Value;

use super::{facts::Listener, text, timeline::Change};

/// The most causes, and names of affected objects of one.
const MAX_CAUSES: usize = 200;
const MAX_AFFECTED: usize = 50;
/// The most cells of one map.
const MAX_CELLS: usize = 20_000;
/// The most Gateways, and routes of one.
const MAX_GATEWAYS: usize = 200;
const MAX_ROUTES: usize = 200;
/// The most kinds.
const MAX_KINDS: usize = 500;
/// The longest text.
const MAX_TEXT: usize = 400;

/// The objects that a viewer may see.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    /// Tells whether objects of a kind, by its group and name, in a namespace may be shown; of a kind that is in no namespace, that is
    /// empty.
    pub(super) sees: &'a dyn Fn(&str, &str, &str) -> bool,
    /// Set where that is everything. To anybody else no text is shown that may have been found in what they may not see.
    pub(super) is_whole: bool,
    /// Set where it is not known of everything whether it may be shown.
    pub(super) is_unsure: bool,
}

impl Sight<'_> {
    /// Everything may be seen.
    pub(super) const EVERYTHING: Self = Self { sees: &|_, _, _| true, is_whole: true, is_unsure: false };

    pub(super) fn sees(&self, kind: &Kind, namespace: &str) -> bool {
        self.is_whole || (self.sees)(&kind.group, &kind.name, namespace)
    }

    pub(super) fn sees_object(&self, id: &ObjectId) -> bool {
        self.is_whole || (self.sees)(&id.group, &id.kind, &id.namespace)
    }

    /// The reason and the message of an object that may be seen, without what others of its neighbours say.
    pub(super) fn told<'a>(&self, record: &'a Record) -> (&'a str, &'a str) {
        match &record.told {
            Some(told) if told.is_related && !self.is_whole => ("", RELATED),
            _ => (record.reason(), record.message()),
        }
    }
}

/// Says that the reason may not be shown.
pub(super) const RELATED: &str = "an object that it depends on is not well";

/// Everything that is shown at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Page {
    pub(super) summary: Summary,
    pub(super) causes: Vec<CauseRow>,
    pub(super) maps: Vec<Map>,
    pub(super) gateways: Vec<GatewayRow>,
    pub(super) kinds: Vec<KindRow>,
    pub(super) timeline: Vec<Change>,
}

/// The one sentence, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    /// The worst health; nothing until something is known.
    pub(super) health: Option<Health>,
    pub(super) sentence: String,
    /// The object that says so.
    pub(super) object: Option<ObjectId>,
    /// `25 objects: 3 degraded, 22 healthy; 1 cause`.
    pub(super) counts: String,
    /// `watching 41 kinds`, or what cannot be seen.
    pub(super) coverage: String,
    pub(super) is_complete: bool,
    pub(super) has_gaps: bool,
    /// Causes, Gateways and kinds that are not shown: there are too many.
    pub(super) more_causes: usize,
    pub(super) more_gateways: usize,
    pub(super) more_kinds: usize,
}

/// A cause, and what is not well because of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct CauseRow {
    pub(super) health: Health,
    pub(super) text: String,
    pub(super) namespaces: String,
    pub(super) since: Option<Time>,
    pub(super) writer: String,
    pub(super) affects: String,
    pub(super) objects: Vec<ObjectId>,
    pub(super) count: usize,
    pub(super) next: Option<ObjectId>,
}

/// A heat map: one cell for each node, reporter, cluster or workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Map {
    pub(super) title: &'static str,
    pub(super) one: &'static str,
    pub(super) many: String,
    pub(super) cells: Vec<Cell>,
    /// Those that are not shown: there are too many.
    pub(super) more: usize,
}

/// A cell of a heat map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Cell {
    #[serde(rename = "n")]
    pub(super) name: String,
    #[serde(rename = "h")]
    pub(super) health: Health,
    /// Why, in a few words; empty for what is healthy.
    #[serde(rename = "t", skip_serializing_if = "String::is_empty")]
    pub(super) note: String,
    /// The object to look at: the worst of those that the cell stands for.
    #[serde(rename = "o")]
    pub(super) object: ObjectId,
}

/// A Gateway or ListenerSet with its listeners and routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct GatewayRow {
    pub(super) object: ObjectId,
    pub(super) health: Health,
    pub(super) reason: String,
    pub(super) class: String,
    /// The Gateway that a ListenerSet is of.
    pub(super) of: String,
    pub(super) addresses: Vec<String>,
    pub(super) listeners: Vec<Listener>,
    pub(super) routes: Vec<RouteRow>,
    /// Routes that are not shown: there are too many.
    pub(super) more: usize,
}

/// A route.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct RouteRow {
    pub(super) object: ObjectId,
    pub(super) health: Health,
    pub(super) reason: String,
    pub(super) hostnames: Vec<String>,
    pub(super) listener: String,
}

/// A kind, and how its objects are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct KindRow {
    pub(super) kind: String,
    pub(super) group: String,
    pub(super) plural: String,
    /// Several of them, for people: `Analyses`.
    pub(super) many: String,
    /// The number of objects of each health, worst first as in [`Health::WORST_FIRST`].
    pub(super) counts: [usize; 6],
    /// Why nothing is seen of it; empty where it is.
    pub(super) gap: String,
    #[serde(rename = "isListed")]
    pub(super) is_listed: bool,
}

impl Page {
    /// The page for somebody with this sight.
    pub(super) fn of(state: &State, timeline: &[Change], sight: Sight<'_>) -> Self {
        let view = View { state, sight };
        let (mut causes, mut gateways, mut kinds) = (view.causes(), view.gateways(), view.kinds());
        // It counts all of them, those that are not shown too.
        let summary = view.summary(&causes, &kinds);
        let summary = Summary {
            more_causes: cut(&mut causes, MAX_CAUSES),
            more_gateways: cut(&mut gateways, MAX_GATEWAYS),
            more_kinds: cut(&mut kinds, MAX_KINDS),
            ..summary
        };
        Self { summary, causes, maps: view.maps(), gateways, kinds, timeline: timeline.to_vec() }
    }
}

/// Cuts a list that is too long. Returns the number of items that are not shown.
fn cut<T>(list: &mut Vec<T>, most: usize) -> usize {
    let more = list.len().saturating_sub(most);
    list.truncate(most);
    more
}

struct View<'a> {
    state: &'a State,
    sight: Sight<'a>,
}

impl<'a> View<'a> {
    /// The objects of a kind that may be seen.
    fn of_kind(&self, is_kind: impl Fn(&Kind) -> bool + 'a) -> impl Iterator<Item = (ObjectId, &'a Record)> {
        self.each(is_kind).map(|(kind, place, record)| (name_of(kind, place), record))
    }

    /// The same without their names, of which there may be many that nobody reads.
    fn each(
        &self,
        is_kind: impl Fn(&Kind) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a Kind, &'a Place, &'a Record)> {
        let (state, sight) = (self.state, self.sight);
        let kinds = state.kinds.iter().filter(move |kind| kind.stage != Stage::Retired && is_kind(kind));
        kinds.flat_map(move |kind| {
            let seen = kind.objects.iter().filter(move |(place, _)| sight.sees(kind, &place.namespace));
            seen.map(move |(place, record)| (kind, &**place, record))
        })
    }

    fn is_seen(&self, key: &Key) -> bool {
        let kind = self.state.kinds.get(key.kind);
        kind.is_some_and(|kind| self.sight.sees(kind, &key.place.namespace))
    }

    /// The causes that affect something that may be seen, with that alone.
    fn causes(&self) -> Vec<CauseRow> {
        let row = |group: &Group| {
            let seen: Vec<&Key> = group.objects.iter().filter(|key| self.is_seen(key)).collect();
            let is_whole = seen.len() == group.objects.len();
            // A cause that affects nothing is found at an object all the same.
            if seen.is_empty() && !(is_whole && self.sight.sees_object(&group.object)) {
                return None;
            }
            let id = |key: &Key| self.state.id_of(key);
            let objects: Vec<ObjectId> = seen.iter().take(MAX_AFFECTED).filter_map(|key| id(key)).collect();
            let mut namespaces: Vec<&str> = group.namespaces.iter().map(String::as_str).collect();
            if !is_whole {
                namespaces.retain(|namespace| seen.iter().any(|key| *key.place.namespace == **namespace));
            }
            let affects = if is_whole { group.affects.clone() } else { counted(seen.len(), "object") };
            let next = group.next.as_ref().filter(|key| self.is_seen(key)).and_then(id);
            // The words of a cause are those of the object that it was found at, and of all that it affects.
            let is_told = self.sight.is_whole || (is_whole && self.sight.sees_object(&group.object));
            let worst =
                seen.iter().filter_map(|key| self.state.record(key)).max_by_key(|record| record.health);
            let health = worst.filter(|_| !is_whole).map_or(group.health, |record| record.health);
            let said = match worst {
                _ if is_told => text(&group.text, MAX_TEXT),
                Some(record) => said(record, self.sight),
                None => RELATED.to_owned(),
            };
            Some(CauseRow {
                health,
                text: said,
                namespaces: text(&namespaces.join(", "), 120),
                since: group.since.filter(|_| is_told),
                writer: text(group.writer.as_deref().filter(|_| is_told).unwrap_or_default(), 120),
                affects: text(&affects, MAX_TEXT),
                next: next.or_else(|| objects.first().cloned()),
                count: seen.len(),
                objects,
            })
        };
        self.state.causes.iter().flatten().filter_map(row).collect()
    }

    fn kinds(&self) -> Vec<KindRow> {
        let served = self.state.kinds.iter().filter(|kind| kind.stage != Stage::Retired);
        let rows = served.map(|kind| {
            let mut counts = [0; 6];
            for (place, record) in kind.objects.iter() {
                if self.sight.sees(kind, &place.namespace) {
                    counts[Health::Degraded as usize - record.health as usize] += 1;
                }
            }
            let gap = match &kind.stage {
                Stage::Failing { .. } if !self.sight.is_whole => "it cannot be read".to_owned(),
                Stage::Failing { why, .. } => text(why, 200),
                _ => String::new(),
            };
            let [group, plural, name] = [&kind.group, &kind.plural, &kind.name].map(|name| text(name, 120));
            let many = words::plural(&name, 2).into_owned();
            KindRow { kind: name, group, plural, many, counts, gap, is_listed: kind.is_seen() }
        });
        let mut rows: Vec<KindRow> =
            rows.filter(|row| row.counts.iter().sum::<usize>() > 0 || !row.gap.is_empty()).collect();
        let trouble =
            |row: &KindRow| std::cmp::Reverse((row.counts[0] + row.counts[1], row.counts[2] + row.counts[3]));
        rows.sort_by(|a, b| {
            (trouble(a), a.gap.is_empty(), &a.kind, &a.group).cmp(&(
                trouble(b),
                b.gap.is_empty(),
                &b.kind,
                &b.group,
            ))
        });
        rows
    }

    fn summary(&self, causes: &[CauseRow], kinds: &[KindRow]) -> Summary {
        let coverage = self.state.coverage();
        let has_gaps = coverage.has_gaps() || self.sight.is_unsure;
        let mut counts = [0; 6];
        for row in kinds {
            for (sum, count) in counts.iter_mut().zip(row.counts) {
                *sum += count;
            }
        }
        let all: usize = counts.iter().sum();
        let told: Vec<String> = Health::WORST_FIRST
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(health, count)| format!("{} {}", thousands(count), health.as_str().to_lowercase()))
            .collect();
        let worst = Health::WORST_FIRST
            .into_iter()
            .zip(counts)
            .find(|(_, count)| *count > 0)
            .map(|(health, _)| health);
        let in_words = if all == 0 {
            "no objects yet".to_owned()
        } else {
            let mut text = format!("{}: {}", objects(all), told.join(", "));
            if !causes.is_empty() {
                text.push_str("; ");
                text.push_str(&counted(causes.len(), "cause"));
            }
            text
        };
        // Whoever has one object that answers for all reads that.
        let mut answers: Vec<(ObjectId, &Record, String)> = self
            .of_kind(|kind| kind.name == "ConfigurationStatus")
            .filter_map(|(id, record)| {
                let message = record.facts.as_ref()?["message"].as_str().unwrap_or_default();
                let said = if message.is_empty() { self.sight.told(record).0 } else { message };
                (!said.is_empty()).then(|| (id, record, said.to_owned()))
            })
            .collect();
        answers.sort_by(|a, b| b.1.health.cmp(&a.1.health).then_with(|| a.0.cmp(&b.0)));
        let is_comparing = self.state.causes.is_none();
        // It answers for no more than its reporters: what is worse elsewhere comes first, and so does what cannot be seen.
        let worst_known = worst.max(causes.first().map(|first| first.health));
        let is_whole_truth = coverage.is_complete() && !has_gaps && !is_comparing;
        let answer = answers.first().filter(|(_, record, _)| match record.health {
            Health::Healthy | Health::Suspended => is_whole_truth && worst_known <= Some(Health::Suspended),
            health => worst_known <= Some(health),
        });
        let (health, sentence, object) = if let Some((id, record, said)) = answer {
            let others = match answers.len() {
                1 => String::new(),
                2 => ", and 1 more ConfigurationStatus".to_owned(),
                count => format!(", and {} more ConfigurationStatuses", count - 1),
            };
            (Some(record.health), format!("{}: {said}{others}", id.name), Some(id.clone()))
        } else if all == 0 && !coverage.is_complete() {
            (None, "Reading the cluster".to_owned(), None)
        } else if all == 0 && !self.sight.is_whole {
            (None, "There is nothing here that you may see".to_owned(), None)
        } else if let Some(first) = causes.first().filter(|first| first.health > Health::Suspended) {
            let others = match causes.len() {
                1 => String::new(),
                2 => ", and 1 more cause".to_owned(),
                count => format!(", and {} more causes", count - 1),
            };
            (Some(first.health), format!("{}: {}{others}", first.affects, first.text), first.next.clone())
        } else if worst.is_some_and(|worst| worst > Health::Suspended) {
            (worst, in_words.clone(), None)
        } else if has_gaps {
            (
                Some(Health::Unknown),
                "Nothing unhealthy is seen, but not everything can be seen".to_owned(),
                None,
            )
        } else if !coverage.is_complete() || is_comparing {
            (None, "Nothing unhealthy so far; not everything is read yet".to_owned(), None)
        } else if self.sight.is_whole {
            let kinds = counted(coverage.kinds, "kind");
            (worst, format!("Everything is healthy: {} of {kinds}", objects(all)), None)
        } else {
            (worst, format!("Everything that you may see is healthy: {}", objects(all)), None)
        };
        let covered = match (self.sight.is_whole, has_gaps) {
            (true, _) => text(&coverage.text(), MAX_TEXT),
            (false, true) => "only what you may see; not everything can be read".to_owned(),
            (false, false) => "only what you may see".to_owned(),
        };
        Summary {
            health,
            sentence: text(&sentence, 600),
            object,
            counts: in_words,
            coverage: covered,
            is_complete: coverage.is_complete() && !has_gaps,
            has_gaps,
            ..Summary::default()
        }
    }

    fn maps(&self) -> Vec<Map> {
        let nodes = self.of_kind(|kind| kind.name == "Node" && kind.group.is_empty());
        let mut nodes: Vec<Cell> =
            nodes.map(|(id, record)| cell(&id.name.clone(), id, record, self.sight)).collect();
        let by_name: HashMap<String, usize> =
            nodes.iter().enumerate().map(|(index, node)| (node.object.name.clone(), index)).collect();
        let mut reporters: Vec<Cell> = Vec::new();
        let reports = self.each(|kind| kind.name == "StatusReport" && kind.group == "allready.dev");
        for (kind, place, record) in reports {
            let field =
                |name: &str| record.facts.as_ref().and_then(|facts| facts[name].as_str()).unwrap_or_default();
            let (component, instance) = (field("component"), field("instance"));
            // A reporter of a node is a part of that node's cell.
            if let Some(node) = by_name.get(instance).and_then(|index| nodes.get_mut(*index)) {
                if record.health > node.health {
                    node.note = text(&format!("{component}: {}", said(record, self.sight)), 160);
                    (node.health, node.object) = (record.health, name_of(kind, place));
                }
                continue;
            }
            let id = name_of(kind, place);
            let name = match (component, instance) {
                ("", "") => id.name.clone(),
                (component, "") => component.to_owned(),
                (component, instance) => format!("{component}/{instance}"),
            };
            reporters.push(cell(&name, id, record, self.sight));
        }
        // A hub writes them into its own namespace, and names them as its clusters.
        let clusters = self.of_kind(|kind| kind.name == "ClusterStatus" && kind.group == "allready.dev");
        let clusters = clusters.map(|(id, record)| cell(&id.name.clone(), id, record, self.sight)).collect();
        let workloads = self.of_kind(|kind| {
            kind.group == "apps" && matches!(kind.name.as_str(), "Deployment" | "StatefulSet" | "DaemonSet")
        });
        let workloads = workloads.map(|(id, record)| {
            let name = format!("{}/{}", id.namespace, id.name);
            cell(&name, id, record, self.sight)
        });
        let workloads = workloads.collect();
        let maps = [
            map("Clusters", "cluster", clusters),
            map("Nodes", "node", nodes),
            map("Reporters", "reporter", reporters),
            map("Workloads", "workload", workloads),
        ];
        maps.into_iter().filter(|map| !map.cells.is_empty()).collect()
    }

    fn gateways(&self) -> Vec<GatewayRow> {
        const GROUP: &str = "gateway.networking.k8s.io";
        let mut routes: HashMap<(String, String, String), Vec<RouteRow>> = HashMap::new();
        for (id, record) in self.of_kind(|kind| kind.group == GROUP && kind.name.ends_with("Route")) {
            let Some(facts) = &record.facts else { continue };
            let hostnames: Vec<String> = strings(&facts["hostnames"]);
            for parent in facts["parents"].as_array().into_iter().flatten() {
                let field = |name: &str| parent[name].as_str().unwrap_or_default().to_owned();
                routes.entry((field("kind"), field("namespace"), field("name"))).or_default().push(
                    RouteRow {
                        object: id.clone(),
                        health: record.health,
                        reason: said(record, self.sight),
                        hostnames: hostnames.clone(),
                        listener: field("listener"),
                    },
                );
            }
        }
        let mut rows: Vec<GatewayRow> = self
            .of_kind(|kind| kind.group == GROUP && matches!(&*kind.name, "Gateway" | "ListenerSet"))
            .filter_map(|(id, record)| {
                let facts = record.facts.as_ref()?;
                let listeners: Vec<Listener> =
                    serde_json::from_value(facts["listeners"].clone()).unwrap_or_default();
                let mut routes = routes
                    .remove(&(id.kind.clone(), id.namespace.clone(), id.name.clone()))
                    .unwrap_or_default();
                routes.sort_by(|a, b| b.health.cmp(&a.health).then_with(|| a.object.cmp(&b.object)));
                let more = cut(&mut routes, MAX_ROUTES);
                Some(GatewayRow {
                    health: record.health,
                    reason: said(record, self.sight),
                    class: facts["class"].as_str().unwrap_or_default().to_owned(),
                    of: facts["of"].as_str().unwrap_or_default().to_owned(),
                    addresses: strings(&facts["addresses"]),
                    listeners,
                    routes,
                    more,
                    object: id,
                })
            })
            .collect();
        rows.sort_by(|a, b| b.health.cmp(&a.health).then_with(|| a.object.cmp(&b.object)));
        rows
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn name_of(kind: &Kind, place: &Place) -> ObjectId {
    ObjectId::new(&kind.group, &kind.name, &place.namespace, &place.name)
}

/// `ConfigError: pools overlap`; nothing for what is healthy.
fn said(record: &Record, sight: Sight<'_>) -> String {
    let (reason, message) = sight.told(record);
    let both = match (reason, message) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    };
    text(&both, 160)
}

fn cell(name: &str, object: ObjectId, record: &Record, sight: Sight<'_>) -> Cell {
    Cell { name: text(name, 320), health: record.health, note: said(record, sight), object }
}

fn map(title: &'static str, one: &'static str, mut cells: Vec<Cell>) -> Map {
    cells.sort_by_cached_key(|cell| (Natural::of(&cell.name), cell.object.clone()));
    let more = cut(&mut cells, MAX_CELLS);
    Map { title, one, many: words::plural(one, 2).into_owned(), cells, more }
}

/// `5,004 objects`.
fn objects(count: usize) -> String {
    format!("{} {}", thousands(count), if count == 1 { "object" } else { "objects" })
}

/// `5,004`.
pub(super) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A name in the order in which people count: `node-2` before `node-10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Natural(Vec<(String, u64)>);

impl Natural {
    fn of(name: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = name;
        while !rest.is_empty() {
            let (word, number) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
            let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            let (number, after) = number.split_at(end);
            parts.push((word.to_owned(), number.parse().unwrap_or(0)));
            rest = after;
        }
        Self(parts)
    }
}
