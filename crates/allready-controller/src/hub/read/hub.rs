//! The facts about an object of the hub that matter.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use allready_core::{Condition, Generation, Time, found::FoundObject};
use serde_json::Value;

use super::{
    super::{Address, ClusterName, PLACEMENT_LABEL, Plan},
    Cuts, MAX_SPEC, fields,
    fields::FieldPath,
    managers::Managers,
    rows, text,
};

/// The facts about an object of the hub that matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HubFacts {
    /// Its uid, for what it owns.
    pub uid: Arc<str>,
    /// When it was created, where it says so.
    pub created: Option<Time>,
    /// Its version, where it is a number.
    pub version: Option<u64>,
    /// Its generation.
    pub generation: Generation,
    /// Its spec, as compact JSON with sorted keys. Empty where it was too large to keep.
    pub spec: Arc<str>,
    /// True if it is being deleted.
    pub is_leaving: bool,
    /// The clusters that it is placed on, sorted: by an annotation, or by a Placement; none where nothing places it.
    pub placed: Option<Vec<ClusterName>>,
    /// The Placement that places it, by its label.
    pub placement: Option<Arc<str>>,
    /// The reason why it is not known where it is placed.
    pub misplaced: Vec<String>,
    /// The listeners of its spec that have a hostname, with that.
    pub hostnames: Vec<(Arc<str>, Arc<str>)>,
    /// The conditions as they stand, everybody's.
    pub conditions: Vec<Condition>,
    /// The types of the conditions that we wrote, by the record of who wrote what.
    pub ours: Vec<Arc<str>>,
    /// Those of them whose status was last set by us.
    pub held: Vec<Arc<str>>,
    /// The types of the conditions whose status was set by somebody else, with who.
    pub foreign_conditions: Vec<(Arc<str>, Arc<str>)>,
    /// The addresses as they stand.
    pub addresses: Vec<Address>,
    /// The names of the listeners as they stand, with their attached routes.
    pub listeners: Vec<(Arc<str>, Option<i64>)>,
    /// The planned numbers as they stand, in the order of the plan.
    pub fields: Vec<Option<i64>>,
    /// The field manager of the addresses, where that is somebody else.
    pub foreign_addresses: Option<Arc<str>>,
    /// The names of listeners that somebody else wrote, with who.
    pub foreign_listeners: Vec<(Arc<str>, Arc<str>)>,
}

/// The annotation that places an object, as names that are separated by commas.
const CLUSTERS: &str = "allready.dev/clusters";
/// The same as a JSON list, as Kuadrant writes it. The other one goes before it.
const GATEWAY_CLUSTERS: &str = "kuadrant.io/gateway-clusters";
/// The most mistakes of an annotation that are told.
const MAX_MISPLACED: usize = 8;
/// The most clusters that an annotation can name: each costs memory and time, whether it is known or not.
const MAX_PLACED: usize = 1000;
/// The most bytes that are read of a JSON list: as many as that many names can have.
const MAX_ANNOTATION: usize = MAX_PLACED * (ClusterName::MAX_BYTES + 4);

impl HubFacts {
    /// Reads an object of the hub, given who we are in the record of who wrote what.
    ///
    /// ```
    /// use allready_controller::hub::{HubFacts, MANAGER, Plan};
    /// use serde_json::json;
    ///
    /// let spec = serde_json::from_value(json!({
    ///     "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
    /// })).unwrap();
    /// let facts = HubFacts::read(&json!({
    ///     "metadata": { "uid": "u", "resourceVersion": "7", "annotations": { "allready.dev/clusters": "cluster-2, cluster-1" } },
    ///     "spec": { "listeners": [{ "name": "api", "hostname": "api.example.com" }, { "name": "web" }] },
    /// }), &Plan::of(&spec), MANAGER);
    /// assert_eq!(facts.version, Some(7));
    /// assert_eq!(facts.placed, Some(vec!["cluster-1".parse().unwrap(), "cluster-2".parse().unwrap()]));
    /// assert_eq!(facts.hostnames, [("api".into(), "api.example.com".into())]);
    /// ```
    pub fn read(object: &Value, plan: &Plan, manager: &str) -> Self {
        let found = FoundObject::read(object);
        let metadata = &object["metadata"];
        let status = &object["status"];
        let managers = Managers::read(object, manager);
        let (placed, misplaced) = placement(&metadata["annotations"]);
        let created = found.created.unwrap_or(Time::EPOCH);
        Self {
            uid: metadata["uid"].as_str().unwrap_or_default().into(),
            created: found.created,
            version: metadata["resourceVersion"].as_str().and_then(|version| version.parse().ok()),
            generation: found.generation.unwrap_or_default(),
            spec: text::canonical(&object["spec"], MAX_SPEC).unwrap_or_default().into(),
            is_leaving: found.deleting,
            placed,
            placement: metadata["labels"].get(PLACEMENT_LABEL).and_then(word),
            misplaced,
            hostnames: entries(&object["spec"]["listeners"])
                .filter_map(|listener| Some((word(&listener["name"])?, word(&listener["hostname"])?)))
                .collect(),
            conditions: found.conditions.to_conditions(created),
            ours: managers.ours,
            held: managers.held,
            foreign_conditions: managers.conditions,
            addresses: rows::addresses(&status["addresses"], &mut Cuts::default()),
            listeners: entries(&status["listeners"])
                .filter_map(|listener| {
                    Some((word(&listener["name"])?, fields::whole(&listener["attachedRoutes"])))
                })
                .collect(),
            fields: plan.fields.iter().map(|field| FieldPath::new(&field.path).standing(object)).collect(),
            foreign_addresses: managers.addresses,
            foreign_listeners: managers.listeners,
        }
    }
}

impl HubFacts {
    /// The bytes that they take, roughly.
    pub(in crate::hub) fn bytes(&self) -> usize {
        const NAME: usize = 32;
        let words = |words: &[Arc<str>]| words.iter().map(|word| NAME + word.len()).sum::<usize>();
        let pairs = |pairs: &[(Arc<str>, Arc<str>)]| {
            pairs.iter().map(|(one, other)| 2 * NAME + one.len() + other.len()).sum::<usize>()
        };
        let condition = |one: &Condition| {
            size_of::<Condition>()
                + one.type_.as_str().len()
                + one.reason.as_str().len()
                + one.message.as_str().len()
        };
        let placed = self.placed.iter().flatten().map(|cluster| 3 * NAME + cluster.as_str().len());
        let addresses = self.addresses.iter().map(|one| 2 * NAME + one.type_.len() + one.value.len());
        let listeners = self.listeners.iter().map(|(name, _)| 2 * NAME + name.len());
        size_of::<Self>()
            + self.spec.len()
            + placed.chain(addresses).chain(listeners).sum::<usize>()
            + self.misplaced.iter().map(|why| NAME + why.len()).sum::<usize>()
            + self.conditions.iter().map(condition).sum::<usize>()
            + words(&self.ours)
            + words(&self.held)
            + pairs(&self.hostnames)
            + pairs(&self.foreign_conditions)
            + pairs(&self.foreign_listeners)
            + 2 * NAME * self.fields.len()
    }
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn word(value: &Value) -> Option<Arc<str>> {
    value.as_str().filter(|text| !text.is_empty()).map(Into::into)
}

/// The clusters that annotations name, sorted, and what cannot be understood of them. An annotation that cannot be read places
/// the object nowhere, which is told, and not everywhere.
fn placement(annotations: &Value) -> (Option<Vec<ClusterName>>, Vec<String>) {
    let own = annotations[CLUSTERS].as_str();
    let (at, (placed, misplaced)) = match (own, annotations[GATEWAY_CLUSTERS].as_str()) {
        (Some(list), _) => (CLUSTERS, cluster_names(list)),
        (None, Some(list)) if list.len() > MAX_ANNOTATION => {
            let why = format!("{} bytes are not read, as {MAX_ANNOTATION} are at most", list.len());
            (GATEWAY_CLUSTERS, (BTreeSet::new(), vec![why]))
        }
        (None, Some(list)) => {
            let names = serde_json::from_str::<Vec<Cow<'_, str>>>(list);
            let why = || (BTreeSet::new(), vec!["no JSON list of names, such as [\"cluster-1\"]".to_owned()]);
            (
                GATEWAY_CLUSTERS,
                names.map_or_else(|_| why(), |names| clusters_of(names.iter().map(|name| &**name))),
            )
        }
        (None, None) => return (None, Vec::new()),
    };
    let told = misplaced.into_iter().map(|why| format!("annotation {at}: {why}"));
    (Some(placed.into_iter().collect()), told.collect())
}

/// The clusters that a list with commas names, and what cannot be understood of it.
pub(in crate::hub) fn cluster_names(list: &str) -> (BTreeSet<ClusterName>, Vec<String>) {
    clusters_of(list.split(',').map(str::trim))
}

/// The first clusters of these names, and what is wrong with the names. Whoever may annotate an object may write a quarter of a
/// megabyte: what is kept of it is bounded.
fn clusters_of<'a>(names: impl Iterator<Item = &'a str>) -> (BTreeSet<ClusterName>, Vec<String>) {
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    let (mut more_wrong, mut more) = (0_usize, 0_usize);
    for name in names.filter(|name| !name.is_empty()) {
        if found.len() >= MAX_PLACED {
            more += usize::from(!found.contains(name));
            continue;
        }
        match ClusterName::new(name) {
            Ok(name) => drop(found.insert(name)),
            Err(error) if wrong.len() < MAX_MISPLACED => wrong.push(error.to_string()),
            Err(_) => more_wrong += 1,
        }
    }
    if more_wrong > 0 {
        wrong.push(format!("{more_wrong} more names are no names of clusters"));
    }
    if more > 0 {
        wrong.push(format!("{more} names are left out, as {MAX_PLACED} clusters are at most"));
    }
    (found, wrong)
}
