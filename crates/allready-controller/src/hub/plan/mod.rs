//! The plan that the spec of a `StatusAggregation` comes to.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::{ConditionType, Polarity};
use allready_kube::kinds::{
    AggregatedCondition, AggregatedField, AggregatedRows, ClusterChoice, ConditionPolarity, DnsOutput,
    InstanceStatuses, Placement, StatusAggregationSpec, TargetKind, UnknownInstances,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::{Expression as Requirement, Selector};

use super::{ClusterName, Expression};
use crate::polarity;

/// The condition on a hub object that says how the aggregation itself fares.
pub const AGGREGATED: &str = "allready.dev/Aggregated";

/// The most bytes of the path of a field.
const MAX_PATH_BYTES: usize = 253;

/// A spec that can be acted on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kind of the hub objects.
    pub target: TargetKind,
    /// Their namespaces; all where it is empty.
    pub namespaces: Vec<String>,
    /// Which of them.
    pub objects: Selector,
    /// Which clusters, by label; none where it names them alone. All of them where there are no names either.
    pub clusters: Option<Selector>,
    /// Which clusters, by name.
    pub names: Vec<ClusterName>,
    /// On which of them an instance is expected.
    pub placement: Placement,
    /// Which objects of the clusters, as a selector is written in a request.
    pub instances: Option<String>,
    /// The conditions, in order of importance.
    pub conditions: Vec<PlannedCondition>,
    /// The worth of Unknown.
    pub unknown: UnknownInstances,
    /// True if addresses are aggregated.
    pub addresses: bool,
    /// True if listeners are aggregated.
    pub listeners: bool,
    /// Numbers that are aggregated, by their paths without the leading dot.
    pub fields: Vec<AggregatedField>,
    /// The DNS records that are wanted.
    pub dns: Option<DnsOutput>,
    /// When each cluster gets an InstanceStatus of its own.
    pub instance_statuses: InstanceStatuses,
    /// After how long without an answer a cluster is unreachable.
    pub cluster_timeout: Duration,
    /// The parts of the spec that cannot be acted on, in words for its reader. While there is any, nothing is good.
    pub problems: Vec<String>,
}

/// A condition that is aggregated.
#[derive(Clone, Debug)]
pub struct PlannedCondition {
    /// Its type.
    pub type_: ConditionType,
    /// The status that is good.
    pub polarity: Polarity,
    /// The expression that says whether it holds, for instances that do not have it. Where one has it too, the worse of both
    /// counts.
    pub expression: Option<Arc<str>>,
    /// Why that expression can be evaluated nowhere. The condition is then bad on every instance.
    pub broken: Option<Arc<str>>,
}

impl Plan {
    /// Makes the plan of a spec.
    ///
    /// Where a choice cannot be understood, nothing is chosen instead of everything, and it is among the problems.
    ///
    /// ```
    /// use allready_controller::hub::Plan;
    /// use allready_core::Polarity;
    /// use allready_kube::kinds::StatusAggregationSpec;
    ///
    /// let spec: StatusAggregationSpec = serde_json::from_value(serde_json::json!({
    ///     "targetRef": { "apiVersion": "apps/v1", "kind": "DaemonSet" },
    ///     "clusters": { "names": ["cluster-1", "cluster_2"] },
    ///     "conditions": [{ "type": "Available" }, { "type": "Degraded" }],
    ///     "rows": ["Addresses"],
    /// })).unwrap();
    /// let plan = Plan::of(&spec);
    /// assert_eq!(plan.names, ["cluster-1".parse().unwrap()]);
    /// assert_eq!(plan.conditions[1].polarity, Polarity::AbnormalTrue);
    /// assert_eq!(plan.cluster_timeout.as_secs(), 30);
    /// assert_eq!(plan.problems, [
    ///     "spec.clusters.names: \"cluster_2\" cannot name a cluster: a name has 1 to 63 small letters, digits and hyphens, \
    ///      and no hyphen at an end",
    ///     "spec.rows: only a Gateway of gateway.networking.k8s.io has addresses, and the target is a DaemonSet of apps/v1",
    /// ]);
    /// ```
    pub fn of(spec: &StatusAggregationSpec) -> Self {
        let problems = &mut Vec::new();
        let target = spec.target_ref.clone();
        if target.api_version.is_empty() || target.kind.is_empty() {
            problems.push("spec.targetRef: say apiVersion and kind of the objects".to_owned());
        }
        let objects = selector("spec.selector", spec.selector.as_ref(), problems);
        let (names, clusters) = clusters(&spec.clusters, problems);
        let instances = selector("spec.clusters.instances", spec.clusters.instances.as_ref(), problems);
        let instances =
            instances.filter(|selector| !selector.selects_all()).map(|selector| selector.to_string());
        let conditions = conditions(&spec.conditions, &target, problems);
        let mut of_gateways = |name: &str, what: &str, wanted: bool| {
            let granted = wanted && is_gateway(&target);
            if wanted && !granted {
                problems.push(format!(
                    "spec.{name}: only a Gateway of {GATEWAYS} has {what}, and the target is a {kind} of {api_version}",
                    kind = target.kind,
                    api_version = target.api_version,
                ));
            }
            granted
        };
        let addresses = of_gateways("rows", "addresses", spec.rows.contains(&AggregatedRows::Addresses));
        let listeners = of_gateways("rows", "listeners", spec.rows.contains(&AggregatedRows::Listeners));
        let dns = of_gateways("dns", "hostnames to publish", spec.dns.is_some());
        Self {
            objects: objects.unwrap_or_default(),
            clusters,
            names,
            placement: spec.placement.type_,
            instances,
            conditions,
            unknown: spec.unknown,
            namespaces: spec.namespaces.clone(),
            addresses,
            listeners,
            fields: fields(&spec.fields, &target, problems),
            dns: spec.dns.clone().filter(|_| dns),
            instance_statuses: spec.instance_statuses,
            cluster_timeout: Duration::from_secs(spec.cluster_timeout_seconds.max(1).into()),
            problems: std::mem::take(problems),
            target,
        }
    }
}

const GATEWAYS: &str = "gateway.networking.k8s.io";

/// Returns true if the target are Gateways of the Gateway API.
fn is_gateway(target: &TargetKind) -> bool {
    target.kind == "Gateway" && group(target) == GATEWAYS
}

fn group(target: &TargetKind) -> &str {
    target.api_version.split_once('/').map_or("", |(group, _)| group)
}

fn selector(at: &str, given: Option<&LabelSelector>, problems: &mut Vec<String>) -> Option<Selector> {
    match Selector::try_from(given?.clone()) {
        Ok(selector) => Some(selector),
        Err(error) => {
            problems.push(format!("{at}: {error}"));
            Some(nothing())
        }
    }
}

/// A selector that nothing matches, and that can be written in a request.
fn nothing() -> Selector {
    let label = || "allready.dev/nothing".to_owned();
    [Requirement::Exists(label()), Requirement::DoesNotExist(label())].into_iter().collect()
}

fn clusters(choice: &ClusterChoice, problems: &mut Vec<String>) -> (Vec<ClusterName>, Option<Selector>) {
    let mut names = BTreeSet::new();
    for name in &choice.names {
        match ClusterName::new(name) {
            Ok(name) => drop(names.insert(name)),
            Err(error) => problems.push(format!("spec.clusters.names: {error}")),
        }
    }
    let selector = selector("spec.clusters.selector", choice.selector.as_ref(), problems);
    // Without any name left, no selector would mean all clusters.
    let selector = selector.or_else(|| (names.is_empty() && !choice.names.is_empty()).then(nothing));
    (names.into_iter().collect(), selector)
}

fn conditions(
    given: &[AggregatedCondition],
    target: &TargetKind,
    problems: &mut Vec<String>,
) -> Vec<PlannedCondition> {
    let mut planned: Vec<PlannedCondition> = Vec::with_capacity(given.len());
    for condition in given {
        let type_ = match ConditionType::new(condition.type_.clone()) {
            Ok(type_) => type_,
            Err(error) => {
                problems.push(format!("spec.conditions: {error}"));
                continue;
            }
        };
        if type_ == *AGGREGATED {
            problems.push(format!("spec.conditions: {AGGREGATED} is made here: instances cannot have it"));
            continue;
        }
        if planned.iter().any(|earlier| earlier.type_ == type_) {
            problems.push(format!("spec.conditions: {type_} is listed twice"));
            continue;
        }
        let broken = condition.expression.as_deref().and_then(|source| Expression::compile(source).err());
        if let Some(error) = &broken {
            problems.push(format!("spec.conditions {type_}: {error}"));
        }
        planned.push(PlannedCondition {
            polarity: match condition.polarity {
                Some(ConditionPolarity::Positive) => Polarity::NormalTrue,
                Some(ConditionPolarity::Negative) => Polarity::AbnormalTrue,
                None => polarity::of_instances(group(target), &target.kind, type_.as_str()),
            },
            type_,
            expression: condition.expression.as_deref().map(Into::into),
            broken: broken.map(|error| error.to_string().into()),
        });
    }
    planned
}

fn fields(
    given: &[AggregatedField],
    target: &TargetKind,
    problems: &mut Vec<String>,
) -> Vec<AggregatedField> {
    let mut planned: Vec<AggregatedField> = Vec::with_capacity(given.len());
    for field in given {
        // The leading dot is for the reader: a path begins at the object.
        let path = field.path.strip_prefix('.').unwrap_or_default();
        let within = |whole: &str, part: &str| {
            part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_made = |name: &str| within(&format!("status.{name}"), path);
        let clash = planned.iter().find(|other| within(&other.path, path) || within(path, &other.path));
        let problem = if !is_path(path) {
            Some(
                "a path is `.status.` and names with letters, digits, `_` and `-`, separated by dots"
                    .to_owned(),
            )
        } else if ["conditions", "observedGeneration"].into_iter().any(is_made)
            || is_gateway(target) && ["addresses", "listeners"].into_iter().any(is_made)
        {
            Some("that is made in another way, and is no number to be combined".to_owned())
        } else {
            clash.map(|other| format!("it cannot stand beside .{}", other.path))
        };
        match problem {
            Some(problem) => {
                let path = allready_core::condition::cut(&field.path, MAX_PATH_BYTES);
                problems.push(format!("spec.fields {path:?}: {problem}"));
            }
            None => planned.push(AggregatedField { path: path.to_owned(), combine: field.combine }),
        }
    }
    planned
}

fn is_path(path: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    path.len() <= MAX_PATH_BYTES
        && path.strip_prefix("status.").is_some_and(|names| names.split('.').all(is_name))
}

#[cfg(test)]
mod tests;
