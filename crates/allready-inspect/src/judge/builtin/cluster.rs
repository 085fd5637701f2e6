//! Autoscalers, definitions, disruption budgets, nodes and namespaces.

use std::borrow::Cow;

use crate::judge::Rule;
use crate::view::{number, text};
use serde_json::Value;

use super::super::case::{Case, is_truthy};
use super::super::listed::{Listed, Said, find};
use super::super::signal::{Place, Signal};
use super::{conditions, unseen};
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended};
use crate::registry::{Builtin, ConditionRole};

/// The annotation in which the first version of the autoscaler keeps its conditions.
const ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/conditions";
/// The greatest length of that annotation.
const MAX_ANNOTATION: usize = 64 << 10;

pub(super) fn autoscaler<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::Autoscaler;
    if let Some(behind) = case.lagging() {
        return behind;
    }
    let mut fine = None;
    let mut unknown = None;
    for condition in conditions(case) {
        match (condition.type_, condition.said()) {
            ("AbleToScale" | "ScalingActive", Said::False) if condition.reason() != "ScalingDisabled" => {
                return condition.signal(Degraded, RULE);
            }
            ("AbleToScale" | "ScalingActive", Said::Unknown | Said::Other(_)) => {
                unknown.get_or_insert_with(|| condition.signal(Progressing, RULE));
            }
            ("AbleToScale" | "ScalingLimited", Said::True) => {
                fine.get_or_insert_with(|| condition.signal(Healthy, RULE));
            }
            _ => {}
        }
    }
    unknown
        .or(fine)
        .or_else(|| by_annotation(case))
        .unwrap_or_else(|| Signal::at(Progressing, RULE, "status.conditions").message("has not scaled yet"))
}

fn by_annotation<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let written = case.metadata?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    if written.len() > MAX_ANNOTATION {
        return None;
    }
    let list: Vec<Value> = serde_json::from_str(written).ok()?;
    let mut fine = None;
    for condition in &list {
        let of = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or_default();
        let signal = |health| {
            let message = text(condition.get("message")).into_owned();
            Signal::at(
                health,
                Rule::Autoscaler,
                "metadata.annotations[autoscaling.alpha.kubernetes.io/conditions]",
            )
            .reason(of("reason").to_owned())
            .message(message)
        };
        match (of("type"), of("status")) {
            ("AbleToScale" | "ScalingActive", "False") if of("reason") != "ScalingDisabled" => {
                return Some(signal(Degraded));
            }
            ("AbleToScale" | "ScalingLimited", "True") => {
                fine.get_or_insert_with(|| signal(Healthy));
            }
            _ => {}
        }
    }
    fine
}

pub(super) fn definition<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::CustomResourceDefinition;
    let list = conditions(case);
    let is = |type_: &str, said: Said<'_>| find(&list, type_).filter(|found| found.said() == said);
    if list.is_empty() {
        return Signal::at(Progressing, RULE, "status.conditions").message("no conditions yet");
    }
    if let Some(ending) = is("Terminating", Said::True) {
        return ending.signal(Progressing, RULE);
    }
    if let Some(taken) = is("NamesAccepted", Said::False) {
        return taken.signal(Degraded, RULE);
    }
    if let Some(names) = find(&list, "NamesAccepted")
        && names.said() != Said::True
    {
        return names.signal(Progressing, RULE);
    }
    let Some(established) = find(&list, "Established") else {
        return Signal::new(Progressing, RULE, Place::Condition("Established"))
            .message("not established yet");
    };
    if established.said() != Said::True {
        let health = if established.reason() == "Installing" { Progressing } else { Degraded };
        return established.signal(health, RULE);
    }
    let wrong = is("NonStructuralSchema", Said::True)
        .or_else(|| is("KubernetesAPIApprovalPolicyConformant", Said::False));
    wrong.map_or_else(|| established.signal(Healthy, RULE), |wrong| wrong.signal(Degraded, RULE))
}

pub(super) fn disruption_budget<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::DisruptionBudget;
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    if let Some(allowed) = find(&conditions(case), "DisruptionAllowed")
        && allowed.said() != Said::True
        && allowed.reason() == "SyncFailed"
    {
        return allowed.signal(Degraded, RULE);
    }
    let have = case.status("currentHealthy").and_then(number);
    let want = case.status("desiredHealthy").and_then(number);
    let signal = |health| Signal::key(health, RULE, "currentHealthy");
    match (have, want) {
        (Some(have), Some(want)) => {
            let health = if have < want { Progressing } else { Healthy };
            signal(health).message(format!("{have} of {want} healthy"))
        }
        _ => signal(Progressing).message("nothing is counted yet"),
    }
}

pub(super) fn node<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::Node;
    let list = conditions(case);
    let Some(ready) = find(&list, "Ready") else {
        return Signal::new(Progressing, RULE, Place::Condition("Ready")).message("has not reported yet");
    };
    if ready.said() != Said::True {
        return ready.signal(Degraded, RULE);
    }
    let others = list.iter().filter(|one| one.type_ != "Ready");
    if let Some(trouble) = others.into_iter().find(|one| is_trouble(case, one)) {
        return trouble.signal(Degraded, RULE);
    }
    if case.spec("unschedulable").is_some_and(is_truthy) {
        return Signal::at(Suspended, Rule::SuspendedInSpec, "spec.unschedulable").reason("Cordoned");
    }
    ready.signal(Healthy, RULE)
}

/// Most conditions of a node are trouble when True; agents add some of which True is good, such as `StorageReady`.
fn is_trouble(case: &Case<'_>, condition: &Listed<'_>) -> bool {
    let semantics = case.kind.condition(condition.type_);
    let is_information = semantics.is_declared && semantics.role == ConditionRole::Informational;
    let is_good_when_true = condition.type_.ends_with("Ready") || condition.type_.ends_with("Healthy");
    let trouble = if is_good_when_true { Said::False } else { Said::True };
    !is_information && condition.said() == trouble
}

pub(super) fn namespace<'a>(case: &Case<'a>) -> Signal<'a> {
    let is_failure = |one: &&Listed<'_>| namespace_rank(one.type_) == Some(0) && one.said() == Said::True;
    if let Some(failure) = conditions(case).iter().find(is_failure) {
        return failure.signal(Degraded, Rule::Namespace);
    }
    let phase = case.status_text("phase");
    let health = if phase == "Active" { Healthy } else { Progressing };
    Signal::key(health, Rule::Namespace, "phase").reason(phase)
}

/// The place of a condition about the deletion of a namespace: failures, the finalizers that remain, and the kinds.
fn namespace_rank(type_: &str) -> Option<u8> {
    match type_ {
        "NamespaceFinalizersRemaining" => Some(1),
        "NamespaceContentRemaining" => Some(2),
        failure => failure.ends_with("Failure").then_some(0),
    }
}

/// The content of a namespace that is being deleted, by the conditions that name it.
pub(in super::super) fn namespace_remains<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    if case.kind.builtin() != Some(Builtin::Namespace) {
        return None;
    }
    let mut remaining = conditions(case);
    remaining.retain(|one| one.said() == Said::True && namespace_rank(one.type_).is_some());
    remaining.sort_by_key(|one| namespace_rank(one.type_));
    let messages: Vec<Cow<'a, str>> = remaining.iter().map(Listed::message).collect();
    Some(remaining.first()?.signal(Progressing, Rule::Deleting).message(messages.join("; ")))
}
