//! From files to what a hub would write.

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
use crate::{failure::Failure, input, printer::tame};

/// What is wanted besides the object.
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
        return Err(Failure::usage("say with -f which object of the hub is meant"));
    };
    let aggregation = args.aggregation.as_deref().map(aggregation).transpose()?;
    let hub = hub(path, aggregation.as_ref())?;
    let spokes = args.spokes(&hub)?;
    let mut aggregation = match aggregation {
        Some(aggregation) => aggregation,
        None => StatusAggregation::new(UNNAMED, args.spec(&hub, &spokes)),
    };
    let endpoint = args.endpoint.as_deref().map(endpoint).transpose()?;
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
    /// What cannot be meant.
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
        if !self.conditions.is_empty() {
            let named = |type_: &str| AggregatedCondition { type_: type_.to_owned(), ..Default::default() };
            spec.conditions = self.conditions.iter().map(|type_| named(type_.as_str())).collect();
        }
        for type_ in &self.negative {
            match spec.conditions.iter_mut().find(|condition| *type_ == *condition.type_) {
                Some(condition) => condition.polarity = Some(ConditionPolarity::Negative),
                None => spec.conditions.push(AggregatedCondition {
                    type_: type_.as_str().to_owned(),
                    polarity: Some(ConditionPolarity::Negative),
                    ..Default::default()
                }),
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
    let is_meant = |object: &Value| {
        let Some(aggregation) = aggregation else { return true };
        let plan = Plan::of(&aggregation.spec);
        object["kind"] == *plan.target.kind && plan.is_chosen(object)
    };
    if objects.len() > 1 {
        objects.retain(is_meant);
    }
    let name = tame(&path.display().to_string());
    let count = objects.len();
    match (objects.pop(), count) {
        (Some(object), 1) if has_name(&object) => Ok(object),
        (Some(_), 1) => Err(Failure::data(format_args!(
            "{name}: there has to be an object with apiVersion, kind and metadata.name"
        ))),
        (None, _) => Err(Failure::data(format_args!("{name}: there is no object of the hub in it"))),
        (Some(_), count) => Err(Failure::data(format_args!(
            "{name}: it has {count} objects that could be meant: give one object of the hub"
        ))),
    }
}

fn has_name(object: &Value) -> bool {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    is_text(&object["apiVersion"]) && is_text(&object["kind"]) && is_text(&object["metadata"]["name"])
}

fn aggregation(path: &Path) -> Result<StatusAggregation, Failure> {
    let name = tame(&path.display().to_string());
    let object = only(path, "StatusAggregation")?;
    let mut aggregation: StatusAggregation = serde_json::from_value(object)
        .map_err(|error| Failure::data(format_args!("{name}: {}", tame(&error.to_string()))))?;
    aggregation.metadata.name.get_or_insert_with(|| UNNAMED.to_owned());
    Ok(aggregation)
}

fn endpoint(path: &Path) -> Result<Value, Failure> {
    only(path, "DNSEndpoint")
}

/// The PlacementDecisions in a file: also none, which is what a Placement has before it is decided.
fn decisions(path: &Path) -> Result<Vec<Value>, Failure> {
    let mut decisions = objects(path)?;
    let count = decisions.len();
    decisions.retain(|object| object["kind"] == *"PlacementDecision");
    if decisions.is_empty() && count > 0 {
        return Err(Failure::data(format_args!(
            "{}: there is no PlacementDecision in it",
            tame(&path.display().to_string())
        )));
    }
    Ok(decisions)
}

/// The only object of this kind in a file.
fn only(path: &Path, kind: &str) -> Result<Value, Failure> {
    let mut objects = objects(path)?;
    objects.retain(|object| object["kind"] == *kind);
    match (objects.pop(), objects.len()) {
        (Some(object), 0) => Ok(object),
        (None, _) => Err(Failure::data(format_args!(
            "{}: there is no {kind} in it",
            tame(&path.display().to_string())
        ))),
        (Some(_), more) => Err(Failure::data(format_args!(
            "{}: it has {} objects of kind {kind}: give one of them",
            tame(&path.display().to_string()),
            more + 1
        ))),
    }
}

/// Every object of a file: of all documents, and of lists.
fn objects(path: &Path) -> Result<Vec<Value>, Failure> {
    let mut objects = Vec::new();
    for document in input::read_all(path)? {
        unroll(document, &mut objects);
    }
    Ok(objects)
}

/// An object, or the objects of a list: they need not say of what kind they are, the list does.
fn unroll(document: Value, objects: &mut Vec<Value>) {
    let Value::Object(mut document) = document else { return };
    let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(of) = kind.strip_suffix("List").filter(|_| document.get("items").is_some_and(Value::is_array))
    else {
        return objects.push(Value::Object(document));
    };
    let Some(Value::Array(items)) = document.remove("items") else { return };
    for mut item in items {
        if let (false, Some(fields)) = (of.is_empty(), item.as_object_mut()) {
            fields.entry("kind").or_insert_with(|| of.into());
            if let Some(api_version) = document.get("apiVersion") {
                fields.entry("apiVersion").or_insert_with(|| api_version.clone());
            }
        }
        if item.get("items").is_some() {
            // A list in a list is nobody's: it would be possible to nest them for ever.
            continue;
        }
        objects.push(item);
    }
}
