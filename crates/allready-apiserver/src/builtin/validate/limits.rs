//! Quotas, limits, priorities, budgets, autoscalers and the like: kinds that are mostly numbers.
//!
//! Follows `pkg/apis/{autoscaling,core,flowcontrol,policy,scheduling}/validation` of Kubernetes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Errors, immutable, pod, rollout, scheduling, selector, spot::Spot};
use crate::{
    builtin::{
        path::{number_at, text_at},
        quantity::Quantity,
    },
    names,
    status::{FieldError, Mistake},
};

const QUOTA: [&str; 14] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
    "requests.storage",
    "storage",
];
const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

/// A quota.
pub(super) fn quota(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    for (name, amount) in spec.child("hard").entries() {
        let named = |why: String, errors: &mut Errors| {
            errors.push(FieldError::invalid(amount.place.as_str(), name.as_str(), why));
        };
        for problem in names::qualified(name) {
            named(problem, errors);
        }
        let bare = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits.")).unwrap_or(name);
        if !name.contains('/') && !QUOTA.contains(&bare) && !QUOTA.contains(&name.as_str()) {
            named("must be a standard resource for quota".to_owned(), errors);
        }
        let Ok(read) = Quantity::parse(amount.text()) else { continue };
        if read.is_negative() {
            amount.invalid("must be greater than or equal to 0", errors);
        }
        let counted = QUOTA[3..12].contains(&name.as_str()) || name.starts_with("count/");
        if counted && !read.is_whole() {
            amount.invalid("must be an integer", errors);
        }
    }
    let scopes = spec.child("scopes");
    let found: Vec<&str> = scopes.items().map(|scope| scope.text()).collect();
    if found.iter().any(|scope| !SCOPES.contains(scope)) {
        scopes.invalid("unsupported scope", errors);
    }
    for pair in [["Terminating", "NotTerminating"], ["BestEffort", "NotBestEffort"]] {
        if pair.iter().all(|scope| found.contains(scope)) {
            scopes.invalid("conflicting scopes", errors);
        }
    }
}

/// Limits for what is in a namespace.
pub(super) fn range(new: &Value, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for limit in Spot::root(new).at("spec.limits").items() {
        let kind = limit.child("type");
        if seen.contains(&kind.text()) {
            kind.duplicate(errors);
        }
        seen.push(kind.text());
        if kind.text() == "Pod" {
            for field in ["default", "defaultRequest"] {
                if !limit.child(field).is_empty() {
                    limit.child(field).forbidden("may not be specified when `type` is 'Pod'", errors);
                }
            }
        }
        let bounded = ["min", "max"].iter().any(|field| limit.child(field).has("storage"));
        if kind.text() == "PersistentVolumeClaim" && !bounded {
            let why = "either minimum or maximum storage value is required, but neither was provided";
            limit.child("limits").required(why, errors);
        }
        bounds(&limit, errors);
    }
}

fn bounds(limit: &Spot<'_>, errors: &mut Errors) {
    let lists = ["min", "max", "default", "defaultRequest"].map(|field| limit.child(field));
    let names: BTreeSet<&String> =
        lists.iter().flat_map(|list| list.entries().map(|(name, _)| name)).collect();
    for name in names {
        let [min, max, default, request] = lists.each_ref().map(|list| {
            let found = list.child(name);
            Quantity::parse(found.text()).ok().filter(|_| found.exists()).map(|read| (read, found))
        });
        // Which is larger than which, where it is told, and what both are called.
        for (larger, smaller, at, told, words) in [
            (&min, &max, &lists[0], &min, ["min", "max"]),
            (&min, &request, &lists[3], &request, ["min", "default request"]),
            (&min, &default, &lists[2], &min, ["min", "default"]),
            (&request, &max, &lists[3], &request, ["default request", "max"]),
            (&request, &default, &lists[3], &request, ["default request", "default limit"]),
            (&default, &max, &lists[2], &default, ["default", "max"]),
        ] {
            if let (Some((one, one_at)), Some((other, other_at)), Some((_, told))) = (larger, smaller, told)
                && one.exceeds(*other)
            {
                let why = format!(
                    "{} value {} is greater than {} value {}",
                    words[0],
                    one_at.text(),
                    words[1],
                    other_at.text()
                );
                errors.push(FieldError::invalid(format!("{}[{name}]", at.place), told.text(), why));
            }
        }
    }
}

/// A class of priorities.
pub(super) fn priority(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let (name, value) = (text_at(new, &["metadata", "name"]), Spot::root(new).child("value"));
    if let Some(old) = old {
        if number_at(new, &["value"]) != number_at(old, &["value"]) {
            value.forbidden("may not be changed in an update.", errors);
        }
        return immutable(new, old, &["preemptionPolicy"], errors);
    }
    let system = matches!(name, "system-cluster-critical" | "system-node-critical");
    if name.starts_with("system-") && !system {
        let why = "priority class names with 'system-' prefix are reserved for system use only. error: only system-node-critical, system-cluster-critical are allowed";
        errors.push(FieldError::forbidden("metadata.name", why));
    } else if !system && value.number().is_some_and(|value| value > 1_000_000_000) {
        value.forbidden("maximum allowed value of a user defined priority is 1000000000", errors);
    }
    Spot::root(new).child("preemptionPolicy").one_of_if_any(&["PreemptLowerPriority", "Never"], errors);
}

/// A class of runtimes.
pub(super) fn runtime(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    root.child("handler").named(names::dns_label, errors);
    super::words::labels(&root.at("scheduling.nodeSelector"), errors);
    scheduling::tolerations(&root.at("scheduling.tolerations"), errors);
    if let Some(old) = old {
        immutable(new, old, &["handler"], errors);
    }
}

/// A budget for disruptions.
pub(super) fn budget(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let [least, most] = ["minAvailable", "maxUnavailable"].map(|field| spec.child(field));
    if least.exists() && most.exists() {
        let labels = spec.child("selector");
        let shown_selector = if labels.exists() {
            crate::builtin::written::text("meta.v1.LabelSelector", labels.value)
        } else {
            "null".to_owned()
        };
        let shown = format!(
            r#"{{"MinAvailable":{},"Selector":{shown_selector},"MaxUnavailable":{},"UnhealthyPodEvictionPolicy":{}}}"#,
            least.value,
            most.value,
            spec.child("unhealthyPodEvictionPolicy").value,
        );
        let why = "minAvailable and maxUnavailable cannot be both set";
        spec.shown(Mistake::Invalid, &shown, why, errors);
    }
    for bound in [&least, &most].into_iter().filter(|bound| bound.exists()) {
        rollout::share(bound, errors);
        rollout::at_most_all(bound, errors);
    }
    selector::check(&spec.child("selector"), errors);
    let policy = spec.child("unhealthyPodEvictionPolicy");
    policy.one_of_if_any(&["AlwaysAllow", "IfHealthyBudget"], errors);
}

/// A revision that a controller keeps.
pub(super) fn revision(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    if !root.has("data") {
        root.child("data").required("data is mandatory", errors);
    }
    root.child("revision").at_least_zero(errors);
    if let Some(old) = old {
        immutable(new, old, &["data"], errors);
    }
}

/// A template of pods that nobody uses yet.
pub(super) fn template(new: &Value, errors: &mut Errors) {
    pod::template(&Spot::root(new).child("template"), errors);
}

/// A replication controller.
pub(super) fn replication_controller(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    spec.child("minReadySeconds").at_least_zero(errors);
    let wanted = spec.child("selector");
    wanted.filled(errors);
    spec.child("replicas").at_least_zero(errors);
    let template = spec.child("template");
    if !template.exists() {
        return template.required("", errors);
    }
    let labels = template.at("metadata.labels");
    if !wanted.is_empty()
        && !selector::selects(Some(&json!({"matchLabels": wanted.value})), Some(labels.value))
    {
        labels.invalid("`selector` does not match template `labels`", errors);
    }
    pod::template(&template, errors);
    template.at("spec.restartPolicy").one_of(&["Always"], errors);
    let deadline = template.at("spec.activeDeadlineSeconds");
    if deadline.exists() {
        deadline.forbidden("activeDeadlineSeconds in ReplicationController is not Supported", errors);
    }
}

/// An autoscaler.
pub(super) fn autoscaler(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let (least, most) = (spec.child("minReplicas"), spec.child("maxReplicas"));
    let floor = least.number().unwrap_or(1);
    if floor < 1 {
        least.invalid("must be greater than or equal to 1", errors);
    }
    if most.number().unwrap_or(0) < 1 {
        most.required("must be set and greater than 0", errors);
    }
    if most.number().unwrap_or(0) < floor {
        most.invalid("must be greater than or equal to `minReplicas`", errors);
    }
    let target = spec.child("scaleTargetRef");
    for field in ["kind", "name"] {
        target.child(field).named(names::path_segment, errors);
    }
    let metrics = spec.child("metrics");
    for metric in metrics.items() {
        self::metric(&metric, errors);
    }
    let outside = |metric: Spot<'_>| matches!(metric.child("type").text(), "Object" | "External");
    if floor == 0 && !metrics.items().any(outside) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        metrics.forbidden(why, errors);
    }
    for direction in ["scaleUp", "scaleDown"] {
        rules(&spec.child("behavior").child(direction), errors);
    }
    let version = target.child("apiVersion");
    if !version.text().contains('/')
        && (version.text(), target.child("kind").text()) != ("v1", "ReplicationController")
    {
        version.problems(["apiVersion must specify API group".to_owned()], errors);
    }
}

fn metric(metric: &Spot<'_>, errors: &mut Errors) {
    let kind = metric.child("type");
    if kind.is_empty() {
        kind.required("must specify a metric source type", errors);
    }
    kind.one_of(&["ContainerResource", "External", "Object", "Pods", "Resource"], errors);
    let field = match kind.text() {
        "ContainerResource" => "containerResource",
        "External" => "external",
        "Object" => "object",
        "Pods" => "pods",
        "Resource" => "resource",
        // The real server says so twice.
        _ => return kind.one_of(&["ContainerResource", "External", "Object", "Pods", "Resource"], errors),
    };
    let source = metric.child(field);
    if !source.exists() {
        return source.required("must populate information for the given metric source", errors);
    }
    let target = source.child("target");
    if matches!(field, "resource" | "containerResource") && source.child("name").is_empty() {
        source.child("name").required("must specify a resource name", errors);
    }
    self::target(&target, errors);
    match field {
        "resource" | "containerResource" => {
            match (target.has("averageUtilization"), target.has("averageValue")) {
                (false, false) => target
                    .child("averageUtilization")
                    .required("must set either a target raw value or a target utilization", errors),
                (true, true) => target
                    .child("averageValue")
                    .forbidden("may not set both a target raw value and a target utilization", errors),
                _ => {}
            }
        }
        "pods" if !target.has("averageValue") => {
            target.child("averageValue").required("must specify a positive target averageValue", errors);
        }
        _ => {}
    }
}

fn target(target: &Spot<'_>, errors: &mut Errors) {
    let kind = target.child("type");
    if kind.is_empty() {
        kind.required("must specify a metric target type", errors);
    }
    if !matches!(kind.text(), "Utilization" | "Value" | "AverageValue") {
        kind.problems(["must be either Utilization, Value, or AverageValue".to_owned()], errors);
    }
    for amount in ["value", "averageValue"].map(|field| target.child(field)) {
        let read = Quantity::parse(amount.text());
        if amount.exists() && read.is_ok_and(|it| it.is_zero() || it.is_negative()) {
            amount.invalid("must be positive", errors);
        }
    }
    let percent = target.child("averageUtilization");
    if percent.number().is_some_and(|percent| percent < 1) {
        percent.invalid("must be greater than 0", errors);
    }
}

fn rules(rules: &Spot<'_>, errors: &mut Errors) {
    if !rules.exists() {
        return;
    }
    let bounded = |seconds: &Spot<'_>, most: i64, errors: &mut Errors| {
        if seconds.number().is_some_and(|seconds| seconds > most) {
            seconds.invalid(format!("must be less than or equal to {most}"), errors);
        }
    };
    let window = rules.child("stabilizationWindowSeconds");
    if window.number().is_some_and(|seconds| seconds < 0) {
        window.invalid("must be greater than or equal to zero", errors);
    }
    bounded(&window, 3600, errors);
    rules.child("selectPolicy").one_of_if_any(&["Disabled", "Max", "Min"], errors);
    let policies = rules.child("policies");
    if policies.is_empty() {
        policies.required("must specify at least one Policy", errors);
    }
    for policy in policies.items() {
        policy.child("type").one_of(&["Percent", "Pods"], errors);
        for field in ["value", "periodSeconds"] {
            let number = policy.child(field);
            if number.number().unwrap_or(0) <= 0 {
                number.invalid("must be greater than zero", errors);
            }
        }
        bounded(&policy.child("periodSeconds"), 1800, errors);
    }
}

/// The number of requests of a level that run at once, and that wait.
pub(super) fn priority_level(new: &Value, errors: &mut Errors) {
    let root = Spot::root(new);
    let spec = root.child("spec");
    let (kind, limited, exempt) = (spec.child("type"), spec.child("limited"), spec.child("exempt"));
    if (root.at("metadata.name").text() == "exempt") != (kind.text() == "Exempt") {
        kind.problems(["must be 'Exempt' if and only if `name` is 'exempt'".to_owned()], errors);
    }
    match kind.text() {
        "Exempt" => {
            if limited.exists() {
                limited.forbidden("must be nil if the type is not Limited", errors);
            }
            shares(&exempt, errors);
            lent(&exempt, errors);
        }
        "Limited" => {
            if exempt.exists() {
                exempt.forbidden("must be nil if the type is Limited", errors);
            }
            if !limited.exists() {
                return limited.required("must not be empty when type is Limited", errors);
            }
            shares(&limited, errors);
            response(&limited.child("limitResponse"), errors);
            lent(&limited, errors);
            let borrowed = limited.child("borrowingLimitPercent");
            if borrowed.number().is_some_and(|number| number < 0) {
                borrowed.invalid("if specified, must be a non-negative integer", errors);
            }
        }
        "" => kind.required("", errors),
        _ => kind.one_of(&["Exempt", "Limited"], errors),
    }
}

fn shares(level: &Spot<'_>, errors: &mut Errors) {
    let shares = level.child("nominalConcurrencyShares");
    if shares.number().is_some_and(|number| number < 0) {
        shares.invalid("must be a non-negative integer", errors);
    }
}

fn lent(level: &Spot<'_>, errors: &mut Errors) {
    level.child("lendablePercent").within(0, 100, errors);
}

/// What happens to requests beyond the limit.
fn response(response: &Spot<'_>, errors: &mut Errors) {
    let (kind, queues) = (response.child("type"), response.child("queuing"));
    match kind.text() {
        "Reject" if queues.exists() => {
            queues.forbidden("must be nil if limited.limitResponse.type is not Limited", errors);
        }
        "Queue" if !queues.exists() => {
            queues.required("must not be empty if limited.limitResponse.type is Limited", errors);
        }
        "Queue" => {
            let [length, count, hand] =
                ["queueLengthLimit", "queues", "handSize"].map(|field| queues.child(field));
            let of = |spot: &Spot<'_>| spot.number().unwrap_or(0);
            let mut refuse = |spot: &Spot<'_>, why: &str| {
                errors.push(FieldError::invalid(spot.place.as_str(), of(spot), why));
            };
            if of(&length) <= 0 {
                refuse(&length, "must be positive");
            }
            if of(&count) <= 0 {
                refuse(&count, "must be positive");
            } else if of(&count) > 10_000_000 {
                refuse(&count, "must not be greater than 10000000");
            }
            if of(&hand) <= 0 {
                refuse(&hand, "must be positive");
            } else if of(&hand) > of(&count) {
                refuse(&hand, &format!("should not be greater than queues ({})", of(&count)));
            }
        }
        "Reject" => {}
        "" => kind.required("", errors),
        _ => kind.one_of(&["Queue", "Reject"], errors),
    }
}
