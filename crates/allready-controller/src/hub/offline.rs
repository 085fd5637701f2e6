//! The writes of a hub, without a hub: objects in, objects out. By the same steps, on facts that are all there at once.

mod applied;

use std::{collections::BTreeMap, sync::Arc};

use allready_core::{Polarity, Status, Time, found};
use allready_kube::kinds::{
    AggregatedCondition, AggregatedRows, InstanceStatuses, Placement, StatusAggregation,
    StatusAggregationSpec, TargetKind,
};
use kube::core::{Selector, SelectorExt as _};
use serde_json::Value;

use self::applied::{applied, without_record};
use super::{
    AGGREGATED, ClusterName, Decisions, Doubt, HubFacts, ObjectName, Plan, Reader, Share, Subject,
    dns::{self, Contribution, Owner, Presence, Published},
    manager,
    reports::{recalled_rows, reports},
    state::{AGGREGATION_LABEL, MADE_BY, Options, presence},
};

/// One cluster, as far as it is known.
///
/// ```
/// use allready_controller::hub::offline::Spoke;
///
/// assert!(Spoke::default().objects.is_none(), "never heard");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Spoke {
    /// Its objects, of which those that are not meant are passed over; none where it has never been heard.
    pub objects: Option<Vec<Value>>,
    /// Why they are not taken at their word.
    pub doubt: Option<Doubt>,
}

impl Spoke {
    /// A cluster that answers, with these objects.
    ///
    /// ```
    /// use allready_controller::hub::offline::Spoke;
    ///
    /// assert_eq!(Spoke::heard(Vec::new()).doubt, None);
    /// ```
    pub fn heard(objects: Vec<Value>) -> Self {
        Self { objects: Some(objects), doubt: None }
    }

    /// A cluster that does not answer, and of which nothing is known but what stands on the hub.
    ///
    /// ```
    /// use allready_controller::hub::{Doubt, offline::Spoke};
    ///
    /// assert!(matches!(Spoke::unreachable("no route").doubt, Some(Doubt::Unreachable { .. })));
    /// ```
    pub fn unreachable(why: &str) -> Self {
        Self { objects: None, doubt: Some(Doubt::Unreachable { since: None, why: why.into() }) }
    }
}

/// The objects that stand on the hub besides the object.
///
/// ```
/// use allready_controller::hub::offline::OnHub;
///
/// assert!(OnHub::default().decisions.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct OnHub<'a> {
    /// The DNSEndpoint that is published now.
    pub endpoint: Option<&'a Value>,
    /// PlacementDecisions of Open Cluster Management, for an aggregation whose placement is `Decided`.
    pub decisions: &'a [Value],
}

/// The writes of a hub.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use allready_controller::hub::offline::{OnHub, Unfit, aggregate, spec_for};
/// # use allready_core::Time;
/// # use allready_kube::kinds::StatusAggregation;
/// # use serde_json::json;
/// let hub = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
/// let aggregation = StatusAggregation::new("webs", spec_for(&hub, []));
/// let offline = aggregate(&hub, &aggregation, &BTreeMap::new(), &OnHub::default(), Time::EPOCH).unwrap();
/// assert_eq!(offline.object["metadata"]["name"], "web");
/// assert_eq!(offline.endpoint, None, "no records are wanted");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Offline {
    /// The object with its new status: what others wrote in it is kept, and the record of who wrote what is left out.
    pub object: Value,
    /// The worst of what was aggregated: True good, False bad. It is not good where something had to be left out.
    pub worst: Status,
    /// The DNSEndpoint; none where no records are wanted, or there would be none.
    pub endpoint: Option<Value>,
    /// An InstanceStatus for each cluster, where they are wanted, or where something had to be left out.
    pub reports: Vec<Value>,
    /// Notes for its reader: clusters without an instance, clusters that count for nothing, targets that cannot be published.
    pub notes: Vec<String>,
    /// When the DNS records have to be decided again even if nothing happens: the end of a grace period.
    pub look_again: Option<Time>,
}

/// Why an aggregation does not give an object a status.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use allready_controller::hub::offline::{OnHub, Unfit, aggregate, spec_for};
/// # use allready_core::Time;
/// # use allready_kube::kinds::StatusAggregation;
/// # use serde_json::json;
/// let hub = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
/// let aggregation = StatusAggregation::new("webs", spec_for(&hub, []));
/// let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web" } });
/// let unfit = aggregate(&pod, &aggregation, &BTreeMap::new(), &OnHub::default(), Time::EPOCH).unwrap_err();
/// assert!(matches!(unfit, Unfit::Kind { .. }), "{unfit}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is about another kind.
    #[error(
        "the aggregation {aggregation} is about a {wanted}, and the object is a {found}: give an object of that kind"
    )]
    Kind {
        /// The name of the aggregation.
        aggregation: String,
        /// The kind that it is about.
        wanted: String,
        /// The kind of the object.
        found: String,
    },
    /// It does not choose the object.
    #[error(
        "the aggregation {aggregation} does not choose {object}: look at spec.namespaces and spec.selector"
    )]
    NotChosen {
        /// The name of the aggregation.
        aggregation: String,
        /// The object.
        object: ObjectName,
    },
}

/// Returns what a hub would write for one object, given what each cluster has and what else stands on the hub.
///
/// The labels of the clusters are not known here: a selector of clusters chooses all of them. A cluster that is not given
/// is one that the hub does not know: its rows and its DNS targets go.
///
/// ```
/// use allready_controller::hub::offline::{OnHub, Spoke, aggregate, spec_for};
/// use allready_core::{Status, Time};
/// use allready_kube::kinds::StatusAggregation;
/// use serde_json::json;
///
/// let hub = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "name": "gateway" } });
/// let mut instance = hub.clone();
/// instance["status"] = json!({
///     "addresses": [{ "type": "IPAddress", "value": "172.31.200.0" }],
///     "listeners": [{ "name": "api", "attachedRoutes": 1 }],
/// });
/// let aggregation = StatusAggregation::new("gateways", spec_for(&hub, [&instance]));
/// let spokes = [("cluster-1".parse().unwrap(), Spoke::heard(vec![instance]))].into();
/// let offline = aggregate(&hub, &aggregation, &spokes, &OnHub::default(), Time::EPOCH).unwrap();
/// assert_eq!(offline.object["status"]["addresses"][0]["value"], "cluster-1/172.31.200.0");
/// assert_eq!(offline.object["status"]["listeners"][0]["name"], "cluster-1.api");
/// assert_eq!(offline.worst, Status::True);
/// ```
pub fn aggregate(
    hub: &Value,
    aggregation: &StatusAggregation,
    spokes: &BTreeMap<ClusterName, Spoke>,
    beside: &OnHub<'_>,
    now: Time,
) -> Result<Offline, Unfit> {
    let name = aggregation.metadata.name.as_deref().unwrap_or_default();
    let plan = Arc::new(Plan::of(&aggregation.spec));
    let object = named(hub);
    is_fit(hub, &object, name, &plan)?;
    let mut facts = HubFacts::read(hub, &plan, &manager(name));
    if plan.placement == Placement::Decided {
        let mut decisions = Decisions::default();
        for decision in beside.decisions {
            decisions.there(decision);
        }
        decisions.place(&object.namespace, &mut facts);
    }
    let mut notes = Vec::new();
    let subject = subject(hub, &facts, &plan, &aggregation.spec, spokes, &mut notes);
    let answer = subject.answer(now);

    let (object_after, worst) = if facts.is_leaving {
        notes.push(format!("{object} is being deleted: its status stays as it is"));
        (without_record(hub), answer.standing.unwrap_or(Status::Unknown))
    } else {
        let is_missing =
            |(cluster, share): (&ClusterName, &Share)| share.last.is_none() && subject.is_expected(cluster);
        // An instance that is not there has no rows that could be missed, and is not good for all that.
        let missing = if subject.shares().iter().any(is_missing) { Status::Unknown } else { Status::True };
        let worst = worse(answer.worst, worse(aggregated(&answer.status), missing));
        (applied(hub, &facts, &answer.status), worst)
    };
    let mut offline =
        Offline { object: object_after, worst, endpoint: None, reports: Vec::new(), notes, look_again: None };
    let owner = Owner { api_version: &plan.target.api_version, kind: &plan.target.kind, uid: &facts.uid };
    if answer.is_short || plan.instance_statuses == InstanceStatuses::Always {
        offline.reports = reports(&subject, name, &object, &owner).into_values().collect();
    }
    offline.decide_records(&subject, &object, &owner, name, spokes, beside.endpoint, now);
    for made in offline.reports.iter_mut().chain(&mut offline.endpoint) {
        finish(made, &facts);
    }
    for report in &mut offline.reports {
        report["metadata"]["labels"][MADE_BY.0] = MADE_BY.1.into();
        if object.namespace.is_empty() {
            report["metadata"]["namespace"] = Options::default().namespace.into();
        }
    }
    Ok(offline)
}

/// The plainest aggregation for an object: of every condition that its instances have, in the order in which they have them,
/// and of the addresses and listeners of a Gateway.
///
/// ```
/// use allready_controller::hub::offline::spec_for;
/// use serde_json::json;
///
/// let hub = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
/// let instance = json!({ "status": { "conditions": [{ "type": "Progressing" }, { "type": "Available" }] } });
/// let spec = spec_for(&hub, [&instance, &instance]);
/// assert_eq!(spec.conditions.iter().map(|one| one.type_.as_str()).collect::<Vec<_>>(), ["Progressing", "Available"]);
/// assert!(spec.rows.is_empty());
/// ```
pub fn spec_for<'a>(hub: &Value, instances: impl IntoIterator<Item = &'a Value>) -> StatusAggregationSpec {
    let mut conditions: Vec<AggregatedCondition> = Vec::new();
    for instance in instances {
        for found in found::of_object(instance).conditions() {
            let type_ = &*found.type_;
            if type_ != AGGREGATED && !conditions.iter().any(|known| known.type_ == type_) {
                conditions.push(AggregatedCondition { type_: type_.to_owned(), ..Default::default() });
            }
        }
    }
    let target_ref = TargetKind { api_version: text(&hub["apiVersion"]), kind: text(&hub["kind"]) };
    let rows = vec![AggregatedRows::Addresses, AggregatedRows::Listeners];
    let asked = StatusAggregationSpec { target_ref, conditions, rows, ..Default::default() };
    // What a kind cannot have, its plan does not grant.
    if Plan::of(&asked).addresses {
        return asked;
    }
    StatusAggregationSpec { rows: Vec::new(), ..asked }
}

/// Returns true if an object of a cluster is the instance of an object of the hub: of its group, kind, namespace and name. A namespace
/// that is not told is the same.
pub fn is_instance(object: &Value, hub: &Value) -> bool {
    let (one, other) = (named(object), named(hub));
    let is_there = one.namespace == other.namespace || one.namespace.is_empty() || other.namespace.is_empty();
    is_there && one.name == other.name && kind_of(object) == kind_of(hub)
}

fn is_fit(hub: &Value, object: &ObjectName, name: &str, plan: &Plan) -> Result<(), Unfit> {
    let target = &plan.target;
    if kind_of(hub) != (group(&target.api_version), &target.kind) {
        return Err(Unfit::Kind {
            aggregation: name.to_owned(),
            wanted: format!("{} of {}", target.kind, target.api_version),
            found: format!("{} of {}", text(&hub["kind"]), text(&hub["apiVersion"])),
        });
    }
    if !plan.is_chosen(hub) {
        return Err(Unfit::NotChosen { aggregation: name.to_owned(), object: object.clone() });
    }
    Ok(())
}

/// The object and the shares of the clusters in it, once everything has been told.
fn subject(
    hub: &Value,
    facts: &HubFacts,
    plan: &Arc<Plan>,
    spec: &StatusAggregationSpec,
    spokes: &BTreeMap<ClusterName, Spoke>,
    notes: &mut Vec<String>,
) -> Subject {
    let reader = Reader::new(plan);
    let wanted = spec.clusters.instances.clone().map(Selector::try_from);
    let is_looked_at = |object: &&Value| match &wanted {
        None => true,
        Some(Ok(selector)) => selector.matches(&labels(object)),
        // It is among the problems of the plan.
        Some(Err(_)) => false,
    };
    let mut subject = Subject::new(Arc::clone(plan));
    subject.hub(Some(facts.clone()));
    for (cluster, spoke) in spokes {
        if plan.clusters.is_none() && !plan.names.is_empty() && !plan.names.contains(cluster) {
            notes.push(format!("{cluster} is not among spec.clusters.names, and counts for nothing"));
            continue;
        }
        subject.choose(cluster);
        if let Some(objects) = &spoke.objects {
            let instances: Vec<&Value> =
                objects.iter().filter(|object| is_instance(object, hub)).filter(is_looked_at).collect();
            match instances.len() {
                0 => notes.push(format!("{cluster} has no {} {}", text(&hub["kind"]), named(hub))),
                1 => {}
                count => {
                    notes.push(format!("{cluster} has {} {count} times: the last one counts", named(hub)));
                }
            }
            // As if they had been applied in turn.
            let instance = instances.last();
            subject.heard(cluster, instance.map(|instance| reader.read(instance).1));
        }
        subject.doubt(cluster, spoke.doubt.clone());
    }
    for (cluster, instance) in recalled_rows(facts) {
        if subject.shares().contains_key(&cluster) {
            subject.recall(&cluster, instance);
        }
    }
    subject
}

impl Offline {
    #[expect(
        clippy::too_many_arguments,
        reason = "all of them are what is known, and nothing is kept between calls"
    )]
    fn decide_records(
        &mut self,
        subject: &Subject,
        object: &ObjectName,
        owner: &Owner<'_>,
        aggregation: &str,
        spokes: &BTreeMap<ClusterName, Spoke>,
        endpoint: Option<&Value>,
        now: Time,
    ) {
        let (Some(options), Some(facts)) = (&subject.plan().dns, subject.facts()) else { return };
        let published = endpoint.map(Published::read).unwrap_or_default();
        let shares = subject.shares();
        let strangers = published.clusters.keys().filter(|cluster| !shares.contains_key(*cluster));
        let (displaced, gone): (Vec<_>, Vec<_>) =
            strangers.partition(|cluster| spokes.contains_key(*cluster));
        let gone = gone.iter().map(|cluster| {
            format!(
                "{cluster} is published and was not given: its targets go, as those of a cluster that left"
            )
        });
        self.notes.extend(gone);
        let displaced = displaced.into_iter().map(|cluster| Contribution {
            cluster,
            instance: None,
            presence: Presence::Displaced,
        });
        let contributions = shares.iter().map(|(cluster, share)| Contribution {
            cluster,
            instance: share.last.as_ref(),
            presence: presence(subject, cluster, share),
        });
        let decision =
            dns::decide(&facts.hostnames, contributions.chain(displaced), &published, options, now);
        self.notes.extend(decision.notes);
        self.look_again = decision.look_again;
        if endpoint.is_none() && decision.publish.is_empty() {
            return;
        }
        let mut body = decision.publish.endpoint(object, owner, options);
        body["metadata"]["labels"][AGGREGATION_LABEL] = aggregation.into();
        self.endpoint = Some(body);
    }
}

/// An object that has not been created owns nothing.
fn finish(made: &mut Value, facts: &HubFacts) {
    if let Some(metadata) = made["metadata"].as_object_mut().filter(|_| facts.uid.is_empty()) {
        metadata.remove("ownerReferences");
    }
}

/// The status of the condition that everything is there. Where there was no room even for that condition, it is not known.
fn aggregated(status: &Value) -> Status {
    let conditions = found::read(&status["conditions"]);
    conditions.find(AGGREGATED).map_or(Status::Unknown, |condition| condition.status)
}

fn worse(one: Status, other: Status) -> Status {
    let standing = |status| Polarity::NormalTrue.standing(status);
    if standing(one) >= standing(other) { one } else { other }
}

fn named(object: &Value) -> ObjectName {
    let metadata = &object["metadata"];
    ObjectName::new(
        metadata["namespace"].as_str().unwrap_or_default(),
        metadata["name"].as_str().unwrap_or_default(),
    )
}

fn labels(object: &Value) -> BTreeMap<String, String> {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn kind_of(object: &Value) -> (&str, &str) {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    (group(api_version), object["kind"].as_str().unwrap_or_default())
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
