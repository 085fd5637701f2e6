//! Hints: trouble to come, of objects that are well as they are.

use std::cmp::Ordering;

use allready_core::{Time, found};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Rule;
use super::quantity::compare;
use crate::view::{Listed, Path, Said, Step, View, item, number};

/// The restarts of a container that are a habit.
const RESTARTS: i64 = 5;
/// The seconds after its last end in which a container that runs again is not trusted.
const RESTARTED: i64 = 3600;
/// The seconds before its end in which a certificate should have been renewed, if it is valid for three times as long.
const EXPIRES: i64 = 7 * 24 * 3600;
/// The containers, and resources of a quota, that are looked at.
const MAX: usize = 100;
/// The resources of a quota that are named.
const MAX_NAMES: usize = 5;

/// Trouble to come: a level below `Degraded`, because nothing is wrong yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// The rule that found it.
    pub rule: Rule,
    /// The field or condition that it is about, such as `status.used`.
    pub field: String,
    /// Why, in one word.
    pub reason: String,
    /// Why, in full.
    pub message: String,
    /// Since when, where the object says so.
    pub since: Option<Time>,
}

impl Hint {
    fn at(rule: Rule, field: impl Into<String>, reason: &str, message: String) -> Self {
        Self { rule, field: field.into(), reason: reason.to_owned(), message, since: None }
    }
}

type Find = fn(&View<'_>, Time, &mut Vec<Hint>);

/// The rules of hints, in the order in which they are asked.
pub(super) const HINTS: &[(Rule, Find)] = &[
    (Rule::RestartsOften, restarts_often),
    (Rule::QuotaExhausted, quota_exhausted),
    (Rule::BlocksEviction, blocks_eviction),
    (Rule::AtMaximum, at_maximum),
    (Rule::Expires, expires),
];

/// Finds what is not wrong with an object yet, and will be. An object that is being deleted has no future.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::judge::hints;
/// use serde_json::json;
///
/// let quota = json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "default" },
///     "status": { "hard": { "pods": "10" }, "used": { "pods": "10" } } });
/// let hints = hints(&quota, Time::EPOCH);
/// assert_eq!(hints[0].message, "pods 10/10: the next one is refused");
/// ```
pub fn hints(object: &Value, now: Time) -> Vec<Hint> {
    let view = View::new(object);
    let mut found = Vec::new();
    let is_leaving = view.metadata.and_then(|metadata| metadata.get("deletionTimestamp")).is_some();
    if !is_leaving {
        for (_, find) in HINTS {
            find(&view, now, &mut found);
        }
    }
    found
}

fn is(view: &View<'_>, group: &str, kind: &str) -> bool {
    view.group == group && view.kind == kind
}

fn map<'a>(view: &View<'a>, key: &str) -> Option<&'a Map<String, Value>> {
    view.status?.get(key)?.as_object()
}

fn status_number(view: &View<'_>, key: &str) -> Option<i64> {
    number(view.status?.get(key)?)
}

fn time(value: Option<&Value>) -> Option<Time> {
    found::began(found::time(value?.as_str()?), None)
}

fn restarts_often(view: &View<'_>, now: Time, hints: &mut Vec<Hint>) {
    if !is(view, "", "Pod") {
        return;
    }
    for list in ["initContainerStatuses", "containerStatuses"] {
        let entries = view.status.and_then(|status| status.get(list)?.as_array());
        for (index, entry) in entries.into_iter().flatten().take(MAX).enumerate() {
            let mut path = view.status_path().join(Step::Field(list));
            path.push(item(entry, index));
            hints.extend(restarted(entry, path, now));
        }
    }
}

/// The hint of a container that runs, as it did before it was restarted.
fn restarted(entry: &Value, mut path: Path<'_>, now: Time) -> Option<Hint> {
    entry.get("state")?.get("running")?.as_object()?;
    let count = entry.get("restartCount").and_then(number).filter(|count| *count >= RESTARTS)?;
    let ended = entry.get("lastState")?.get("terminated")?;
    let reason = ended.get("reason")?.as_str().filter(|reason| matches!(*reason, "OOMKilled" | "Error"))?;
    let since = time(ended.get("finishedAt")).filter(|since| now.since(*since).as_secs() <= RESTARTED)?;
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    path.push(Step::Field("lastState"));
    path.push(Step::Field("terminated"));
    let message = format!("container {name} was restarted {count} times, last by {reason}");
    Some(Hint { since: Some(since), ..Hint::at(Rule::RestartsOften, path.to_string(), reason, message) })
}

fn quota_exhausted(view: &View<'_>, _: Time, hints: &mut Vec<Hint>) {
    if !is(view, "", "ResourceQuota") {
        return;
    }
    let Some((hard, used)) = map(view, "hard").zip(map(view, "used")) else { return };
    let full: Vec<(&String, &str, &str)> = hard
        .iter()
        .take(MAX)
        .filter_map(|(name, hard)| Some((name, used.get(name)?.as_str()?, hard.as_str()?)))
        // Nothing at all is a ban, and no limit that was reached.
        .filter(|(_, used, hard)| compare(hard, "0") == Some(Ordering::Greater) && is_full(used, hard))
        .collect();
    let refused = match full.as_slice() {
        [] => return,
        [(name, ..)] if is_counted(name) => "the next one is refused",
        _ => "what asks for more is refused",
    };
    let mut names: Vec<String> =
        full.iter().take(MAX_NAMES).map(|(name, used, hard)| format!("{name} {used}/{hard}")).collect();
    if full.len() > MAX_NAMES {
        names.push(format!("{} more", full.len() - MAX_NAMES));
    }
    let message = format!("{}: {refused}", names.join(", "));
    hints.push(Hint::at(Rule::QuotaExhausted, "status.used", "QuotaExhausted", message));
}

fn is_full(used: &str, hard: &str) -> bool {
    matches!(compare(used, hard), Some(Ordering::Equal | Ordering::Greater))
}

/// Tells whether a resource of a quota is a number of objects, and not an amount that they share.
fn is_counted(resource: &str) -> bool {
    !["cpu", "memory", "storage"].iter().any(|amount| resource.ends_with(amount))
}

fn blocks_eviction(view: &View<'_>, _: Time, hints: &mut Vec<Hint>) {
    let is_none = is(view, "policy", "PodDisruptionBudget")
        && status_number(view, "disruptionsAllowed") == Some(0)
        && status_number(view, "expectedPods").is_some_and(|expected| expected > 0);
    let healthy = status_number(view, "currentHealthy").zip(status_number(view, "desiredHealthy"));
    if is_none && healthy.is_some_and(|(current, desired)| current >= desired) {
        let message = "no disruption is allowed: a drain of its nodes will wait".to_owned();
        let hint =
            Hint::at(Rule::BlocksEviction, "status.disruptionsAllowed", "NoDisruptionsAllowed", message);
        let since =
            condition(view, "DisruptionAllowed").and_then(|allowed| allowed.since().and_then(found::time));
        hints.push(Hint { since, ..hint });
    }
}

fn condition<'a>(view: &View<'a>, type_: &str) -> Option<Listed<'a>> {
    let list = view.status?.get("conditions").map(Listed::list)?;
    list.into_iter().find(|condition| condition.type_ == type_)
}

fn at_maximum(view: &View<'_>, _: Time, hints: &mut Vec<Hint>) {
    if !is(view, "autoscaling", "HorizontalPodAutoscaler") {
        return;
    }
    let Some(limited) = condition(view, "ScalingLimited")
        .filter(|limited| limited.said() == Said::True && limited.reason() == "TooManyReplicas")
    else {
        return;
    };
    let most = view.spec.and_then(|spec| number(spec.get("maxReplicas")?));
    let has_most = most.zip(status_number(view, "currentReplicas")).filter(|(most, current)| current >= most);
    if let Some((most, _)) = has_most {
        let message =
            format!("more than its maximum of {most} replicas are needed, so that it does not scale up");
        let hint = Hint::at(Rule::AtMaximum, "status.conditions[ScalingLimited]", &limited.reason(), message);
        hints.push(Hint { since: limited.since().and_then(found::time), ..hint });
    }
}

fn expires(view: &View<'_>, now: Time, hints: &mut Vec<Hint>) {
    let at = |key: &str| time(view.status?.get(key));
    let Some(end) = at("notAfter") else { return };
    let left = end.since(now).as_secs();
    if left < 0 {
        let message = format!("it expired at {end}");
        let hint = Hint::at(Rule::Expires, "status.notAfter", "Expired", message);
        hints.push(Hint { since: Some(end), ..hint });
        return;
    }
    // A certificate for a day is renewed in the last third of it.
    let life = at("notBefore").map_or(i64::MAX, |start| end.since(start).as_secs());
    let is_due = at("renewalTime").is_none_or(|renewal| renewal < now);
    if is_due && left < EXPIRES.min(life / 3) {
        let message = format!("it expires at {end}, and has not been renewed");
        hints.push(Hint::at(Rule::Expires, "status.notAfter", "Expires", message));
    }
}
