//! The status that a hub would write, from files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use allready_controller::hub::{
    ClusterName, Doubt, Plan,
    offline::{self, Offline, OnHub, Spoke, is_instance},
};
use allready_core::Time;
use allready_kube::kinds::{
    AggregatedCondition, ConditionPolarity, DnsOutput, StatusAggregation, StatusAggregationSpec,
};
use serde_json::Value;

use super::OfflineArgs;
use crate::{
    failure::Failure,
    objects::{FileArgs, read_all},
    printer::tame,
};

/// The objects that are wanted besides that of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// DNS records only if something is said about them.
    Status,
    /// DNS records in any case.
    Records,
}

/// The name that an aggregation has that nobody has named.
const UNNAMED: &str = "offline";

/// Reads the files, and decides.
pub(crate) fn gather(args: &OfflineArgs, want: Want, now: Time) -> Result<Offline, Failure> {
    args.check()?;
    let Some(path) = &args.filename else {
        return Err(Failure::usage("give the object of the hub with -f FILE"));
    };
    let aggregation = args.aggregation.as_deref().map(aggregation).transpose()?;
    let hub = hub(path, aggregation.as_ref())?;
    let spokes = args.spokes(&hub)?;
    let mut aggregation = match aggregation {
        Some(aggregation) => aggregation,
        None => StatusAggregation::new(UNNAMED, args.spec(&hub, &spokes)),
    };
    let endpoint = args.endpoint.as_ref().map(|path| only(path, "DNSEndpoint")).transpose()?;
    if (want == Want::Records || endpoint.is_some()) && aggregation.spec.dns.is_none() {
        aggregation.spec.dns = Some(DnsOutput::default());
        if Plan::of(&aggregation.spec).dns.is_none() {
            return Err(Failure::data(format_args!(
                "DNS records are made for Gateways of gateway.networking.k8s.io, and the object is a {}",
                tame(aggregation.spec.target_ref.kind.as_str())
            )));
        }
    }
    let decisions = args.decisions.as_deref().map(decisions).transpose()?.unwrap_or_default();
    let beside = OnHub { endpoint: endpoint.as_ref(), decisions: &decisions };
    offline::aggregate(&hub, &aggregation, &spokes, &beside, now)
        .map_err(|unfit| Failure::data(tame(&unfit.to_string())))
}

impl OfflineArgs {
    /// Refuses what cannot be meant.
    fn check(&self) -> Result<(), Failure> {
        let mut clusters = BTreeSet::new();
        if let Some((twice, _)) = self.spoke.iter().find(|(cluster, _)| !clusters.insert(cluster)) {
            return Err(Failure::usage(format_args!(
                "--spoke {twice} is said twice: put all objects of a cluster into one file"
            )));
        }
        if self.spoke.is_empty() && self.unreachable.is_empty() {
            return Err(Failure::usage("there are no clusters: give at least one --spoke CLUSTER=FILE"));
        }
        let spokes = self.spoke.iter().map(|(_, path)| path);
        let files = spokes.chain(&self.filename).chain(&self.aggregation).chain(&self.endpoint);
        let files = files.chain(&self.decisions);
        if files.filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            return Err(Failure::usage("standard input can be only one of the files"));
        }
        Ok(())
    }

    /// The clusters, each with no more than its instance.
    fn spokes(&self, hub: &Value) -> Result<BTreeMap<ClusterName, Spoke>, Failure> {
        let mut spokes = BTreeMap::new();
        for (cluster, path) in &self.spoke {
            let mut objects = objects(path)?;
            objects.retain(|object| is_instance(object, hub));
            spokes.insert(cluster.clone(), Spoke::heard(objects));
        }
        for cluster in &self.unreachable {
            let spoke = spokes.entry(cluster.clone()).or_default();
            let why = "it does not answer".into();
            spoke.doubt = Some(Doubt::Unreachable { since: None, why });
        }
        Ok(spokes)
    }

    /// The aggregation that is meant where none is given.
    fn spec(&self, hub: &Value, spokes: &BTreeMap<ClusterName, Spoke>) -> StatusAggregationSpec {
        let instances = spokes.values().flat_map(|spoke| spoke.objects.iter().flatten());
        let mut spec = offline::spec_for(hub, instances);
        let named = |type_: &str| AggregatedCondition { type_: type_.to_owned(), ..Default::default() };
        if !self.conditions.is_empty() {
            spec.conditions = self.conditions.iter().map(|type_| named(type_.as_str())).collect();
        }
        for type_ in &self.negative {
            if !spec.conditions.iter().any(|condition| *type_ == *condition.type_) {
                spec.conditions.push(named(type_.as_str()));
            }
        }
        for condition in &mut spec.conditions {
            if self.negative.iter().any(|type_| *type_ == *condition.type_) {
                condition.polarity = Some(ConditionPolarity::Negative);
            }
        }
        if let Some(unknown) = self.unknown {
            spec.unknown = unknown.into();
        }
        spec
    }
}

/// The object of the hub: the only one of its file, or the only one that the aggregation is about.
fn hub(path: &Path, aggregation: Option<&StatusAggregation>) -> Result<Value, Failure> {
    let mut objects = objects(path)?;
    if objects.len() > 1
        && let Some(aggregation) = aggregation
    {
        let plan = Plan::of(&aggregation.spec);
        objects.retain(|object| object["kind"] == *plan.target.kind && plan.is_chosen(object));
    }
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    match &objects[..] {
        [one] if [&one["apiVersion"], &one["kind"], &one["metadata"]["name"]].into_iter().all(is_text) => {
            Ok(one.clone())
        }
        [_] => Err(unfit(path, "there has to be an object with apiVersion, kind and metadata.name")),
        [] => Err(unfit(path, "there is no object of the hub in it")),
        many => Err(unfit(
            path,
            format_args!("it has {} objects that could be meant: give one object of the hub", many.len()),
        )),
    }
}

fn aggregation(path: &Path) -> Result<StatusAggregation, Failure> {
    let object = only(path, "StatusAggregation")?;
    let mut aggregation: StatusAggregation =
        serde_json::from_value(object).map_err(|error| unfit(path, tame(&error.to_string())))?;
    aggregation.metadata.name.get_or_insert_with(|| UNNAMED.to_owned());
    Ok(aggregation)
}

/// The PlacementDecisions in a file: also none, which is what a Placement has before it is decided.
fn decisions(path: &Path) -> Result<Vec<Value>, Failure> {
    let all = objects(path)?;
    let decisions = of_kind(all.clone(), "PlacementDecision");
    if decisions.is_empty() && !all.is_empty() {
        return Err(unfit(path, "there is no PlacementDecision in it"));
    }
    Ok(decisions)
}

/// The only object of this kind in a file.
fn only(path: &Path, kind: &str) -> Result<Value, Failure> {
    let mut objects = of_kind(objects(path)?, kind);
    match (objects.pop(), objects.len()) {
        (Some(object), 0) => Ok(object),
        (None, _) => Err(unfit(path, format_args!("there is no {kind} in it"))),
        (Some(_), more) => {
            Err(unfit(path, format_args!("it has {} objects of kind {kind}: give one of them", more + 1)))
        }
    }
}

fn of_kind(mut objects: Vec<Value>, kind: &str) -> Vec<Value> {
    objects.retain(|object| object["kind"] == *kind);
    objects
}

fn unfit(path: &Path, problem: impl std::fmt::Display) -> Failure {
    Failure::data(format_args!("{}: {problem}", tame(&path.display().to_string())))
}

/// Every object of a file: of all documents, and of lists.
fn objects(path: &Path) -> Result<Vec<Value>, Failure> {
    let mut all = Vec::new();
    let files = FileArgs { filename: vec![path.to_owned()], recursive: true };
    for source in files.find()?.files {
        all.extend(read_all(&source)?);
    }
    Ok(all)
}
