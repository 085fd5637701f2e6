//! What an object says of itself, line by line: conditions at the top and further in, containers, warnings.

use serde_json::Value;

use super::{
    Bounds,
    id::{ObjectId, text},
    node::{Folded, Lag, Node, Relation, What},
};
use crate::{
    health::Health,
    judge::Verdict,
    registry::{ConditionRole, Registry, gateway},
    writers,
};
use allready_core::{
    Standing, Status, Time,
    findings::{Severity, Told},
    found::{self, FoundCondition},
};

/// More conditions than a person would look through.
const MAX_CONDITIONS: usize = 64;
/// Deeper than any status has a list of conditions.
const MAX_DEPTH: usize = 4;

/// A part, and the part that it stands below.
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) below: Option<usize>,
}

/// What an object says of itself that is not good; and what is, where everything is wanted.
pub(super) fn of_object(
    id: &ObjectId,
    object: &Value,
    verdict: &Verdict,
    registry: &Registry,
    bounds: &Bounds,
) -> Vec<Part> {
    let created = found::FoundObject::read(object).created;
    let reader = Reader { id, object, created, verdict, registry, bounds };
    let mut parts = reader.top();
    if let Some(status) = object["status"].as_object() {
        for (field, value) in status.iter().filter(|(field, _)| *field != "conditions") {
            reader.nested(field, &format!("status.{field}"), value, 0, &mut parts);
        }
    }
    if id.kind == "Pod" && id.group.is_empty() {
        let containers = reader.containers();
        if !containers.is_empty() && !bounds.all {
            // That they are not ready is said by themselves.
            let is_told = |part: &Part| part.node.reason.starts_with("ContainersNot");
            parts.retain(|part| part.node.what != What::Condition || !is_told(part));
            for part in &mut parts {
                part.below = None;
            }
        }
        parts.extend(containers);
    }
    parts.truncate(MAX_CONDITIONS);
    parts
}

struct Reader<'a> {
    id: &'a ObjectId,
    object: &'a Value,
    created: Option<Time>,
    verdict: &'a Verdict,
    registry: &'a Registry,
    bounds: &'a Bounds,
}

impl Reader<'_> {
    /// The conditions of the object itself: the top one, and below it what it is computed from.
    fn top(&self) -> Vec<Part> {
        let found = found::of_object(self.object);
        let conditions = found.conditions();
        let role = |condition: &FoundCondition<'_>| {
            self.registry.condition(&self.id.group, &self.id.kind, &condition.type_).role
        };
        let top = conditions.iter().position(|condition| role(condition) == ConditionRole::Summary);
        let mut parts = Vec::new();
        if let Some(top) = top {
            self.add(&conditions[top], "", "status.conditions", None, &mut parts);
        }
        let below = (!parts.is_empty()).then_some(0);
        for (index, condition) in conditions.iter().enumerate() {
            let says_something =
                || role(condition) != ConditionRole::Informational || !condition.errors.is_empty();
            if Some(index) != top && (self.bounds.all || says_something()) {
                self.add(condition, "", "status.conditions", below, &mut parts);
            }
        }
        parts
    }

    /// Conditions further in: of listeners, parents, ancestors and whatever else has some.
    fn nested(&self, field: &str, path: &str, value: &Value, depth: usize, parts: &mut Vec<Part>) {
        if depth > MAX_DEPTH || parts.len() > MAX_CONDITIONS {
            return;
        }
        match value {
            Value::Array(entries) => {
                for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_object()) {
                    let name = entry_name(entry).unwrap_or_else(|| index.to_string());
                    let place = format!("{} {name}", field.strip_suffix('s').unwrap_or(field));
                    // Those without a name are told apart by their place.
                    let item =
                        entry.get("name").and_then(Value::as_str).map_or(index.to_string(), str::to_owned);
                    let path = format!("{path}[{item}]");
                    self.entry(&place, &path, entry, depth, parts);
                }
            }
            Value::Object(_) => self.entry(field, path, value, depth, parts),
            _ => {}
        }
    }

    fn entry(&self, place: &str, path: &str, entry: &Value, depth: usize, parts: &mut Vec<Part>) {
        for (field, value) in entry.as_object().into_iter().flatten() {
            let path = format!("{path}.{field}");
            if field == "conditions" {
                for condition in found::read(value).conditions() {
                    self.add(condition, place, &path, None, parts);
                }
            } else {
                self.nested(field, &path, value, depth + 1, parts);
            }
        }
    }

    /// Adds a condition that has something to tell, and below it the errors and warnings that it lists.
    fn add(
        &self,
        condition: &FoundCondition<'_>,
        place: &str,
        list: &str,
        below: Option<usize>,
        parts: &mut Vec<Part>,
    ) {
        let mut node = self.condition(condition, place, list);
        if below.is_some() {
            node.relation = Relation::DependsOn;
        }
        if !self.is_shown(&node) {
            return;
        }
        let told = Told::read(condition.errors, condition.warnings, &condition.message, self.bounds.children);
        if condition.errors.is_empty() && condition.warnings.is_empty() && !told.problems.is_empty() {
            // The rest of the message is what follows.
            node.message = told.counts.to_string();
        }
        let omitted = told.omitted();
        for (what, health, count) in [
            (What::Error, Health::Degraded, omitted.errors),
            (What::Warning, Health::Healthy, omitted.warnings),
        ] {
            if count > 0 {
                node.folded.push(Folded { health: self.within(health), what, kind: String::new(), count });
            }
        }
        let problems = told.problems.into_iter().map(|problem| {
            let (what, health) = match problem.severity {
                Severity::Error => (What::Error, Some(self.within(Health::Degraded))),
                Severity::Warning => (What::Warning, None),
            };
            let label = match (problem.severity, &*problem.type_) {
                (severity, "") => severity.to_string(),
                (Severity::Error, type_) => format!("error {type_}"),
                // That it is a warning is said for its health.
                (Severity::Warning, type_) => type_.to_owned(),
            };
            let mut below = Node::new(what, self.id.clone(), label, Health::Healthy);
            (below.health, below.relation) = (health, Relation::Has);
            below.field.clone_from(&node.field);
            (below.reason, below.message) = (problem.reason.into_owned(), problem.message.into_owned());
            (below.since, below.lag) = (node.since, node.lag);
            below.writer.clone_from(&node.writer);
            // As much as a dependent that has words; but not more, because that one may list errors too.
            below.weight = 3;
            below
        });
        let problems: Vec<Node> = problems.collect();
        let above = parts.len();
        parts.push(Part { node, below });
        parts.extend(problems.into_iter().map(|node| Part { node, below: Some(above) }));
    }

    fn condition(&self, condition: &FoundCondition<'_>, place: &str, list: &str) -> Node {
        let semantics = self.registry.condition(&self.id.group, &self.id.kind, &condition.type_);
        let generation = self.object["metadata"]["generation"].as_i64();
        let lag = condition
            .observed
            .map(allready_core::Generation::get)
            .and_then(|observed| lag(observed, generation));
        let early = gateway::early(&self.id.group, &condition.type_).map(gateway::OldCondition::successors);
        let today = match early.as_deref() {
            None => String::new(),
            Some("") => " (no longer in the Gateway API)".to_owned(),
            Some(today) => format!(" (early name of {today})"),
        };
        let said = format!("{}={}{today}", condition.type_, condition.status);
        let label = if place.is_empty() { said } else { format!("{place}: {said}") };
        let is_bad_rollout = self.id.kind == "Deployment"
            && condition.type_ == "Progressing"
            && condition.status == Status::False;
        let health = match (semantics.role, semantics.polarity.standing(condition.status)) {
            // It is no longer under way, and has not arrived.
            _ if is_bad_rollout => Health::Degraded,
            _ if !condition.errors.is_empty() => Health::Degraded,
            (ConditionRole::Suspension, _) if condition.status == Status::True => Health::Suspended,
            (ConditionRole::Activity, _) if condition.status == Status::True => Health::Progressing,
            (ConditionRole::Suspension | ConditionRole::Activity | ConditionRole::Informational, _) => {
                Health::Healthy
            }
            // What was good about an older spec need not be any more.
            (_, Standing::Good) if lag.is_some() => Health::Progressing,
            (_, Standing::Good) => Health::Healthy,
            (_, Standing::Bad) => semantics.on_bad.unwrap_or(Health::Degraded),
            (_, Standing::Unknown) => semantics.on_unknown,
        };
        let mut node = Node::new(What::Condition, self.id.clone(), label, self.within(health));
        node.relation = Relation::Says;
        node.field = format!("{list}[{}]", condition.type_);
        node.reason = condition.reason.clone().into_owned();
        node.message = condition.message.clone().into_owned();
        node.since = condition.began(self.created);
        node.lag = lag;
        node.writer = writers::of_condition(self.object, list, &condition.type_);
        // A part says more than the whole, a dependent more than what is computed from it, and words more than none.
        let is_dependent = semantics.role != ConditionRole::Summary;
        node.weight = 4 * u8::from(!place.is_empty())
            + 2 * u8::from(is_dependent)
            + u8::from(!condition.message.is_empty());
        node
    }

    /// A part is no worse than the whole, which has been judged with more in view.
    fn within(&self, health: Health) -> Health {
        health.min(self.verdict.health)
    }

    fn is_shown(&self, node: &Node) -> bool {
        self.bounds.all || node.health != Some(Health::Healthy)
    }

    /// The containers of a pod that do not run as they should.
    fn containers(&self) -> Vec<Part> {
        let status = &self.object["status"];
        if text(status, "phase") == "Succeeded" {
            return Vec::new();
        }
        let lists = [("initContainerStatuses", "init container"), ("containerStatuses", "container")];
        let entries = lists.into_iter().flat_map(|(list, word)| {
            let listed = status[list].as_array().into_iter().flatten();
            listed.take(MAX_CONDITIONS).map(move |entry| (list, word, entry))
        });
        let parts = entries.filter_map(|(list, word, entry)| {
            let (health, reason, message, since) = container_state(entry, word == "init container")?;
            let label = format!("{word} {}", text(entry, "name"));
            let mut node = Node::new(What::Container, self.id.clone(), label, self.within(health));
            node.relation = Relation::Has;
            node.field = format!("status.{list}[{}]", text(entry, "name"));
            node.since = since.or_else(|| self.not_ready_since());
            node.writer = writers::of_field(self.object, &format!("status.{list}"));
            (node.reason, node.message, node.weight) = (reason, message, u8::MAX);
            Some(Part { node, below: None })
        });
        parts.collect()
    }

    /// Since when the containers of a pod are not all ready.
    fn not_ready_since(&self) -> Option<Time> {
        let conditions = found::of_object(self.object);
        ["ContainersReady", "Ready"].into_iter().find_map(|type_| conditions.find(type_)?.began(self.created))
    }
}

/// What the state of a container comes to; nothing for one that is well.
fn container_state(entry: &Value, is_init: bool) -> Option<(Health, String, String, Option<Time>)> {
    let time = |value: &Value, field: &str| text(value, field).parse::<Time>().ok();
    let (state, last) = (&entry["state"], &entry["lastState"]["terminated"]);
    let restarts = entry["restartCount"].as_i64().unwrap_or(0);
    if let Some(waiting) = state.get("waiting") {
        let reason = text(waiting, "reason");
        let is_on_its_way = matches!(reason, "" | "ContainerCreating" | "PodInitializing");
        let health = if is_on_its_way { Health::Progressing } else { Health::Degraded };
        let mut message = text(waiting, "message").to_owned();
        if last.is_object() {
            let ended = format!("it last ended with {}, {restarts} restarts", ending(last));
            message = if message.is_empty() { ended } else { format!("{message}; {ended}") };
        }
        return Some((health, reason.to_owned(), message, None));
    }
    if let Some(ended) = state.get("terminated") {
        let is_done =
            ended["exitCode"].as_i64() == Some(0) && (is_init || text(ended, "reason") == "Completed");
        let reason = match text(ended, "reason") {
            "" => "Terminated",
            reason => reason,
        };
        let message = match text(ended, "message") {
            "" => format!("it ended with {}", ending(ended)),
            message => format!("it ended with {}: {message}", ending(ended)),
        };
        return (!is_done).then(|| (Health::Degraded, reason.to_owned(), message, time(ended, "finishedAt")));
    }
    let is_ready = entry["ready"] == Value::Bool(true) || is_init;
    (!is_ready && state.get("running").is_some()).then(|| {
        let mut message = "it runs, and is not ready".to_owned();
        if last.is_object() {
            message = format!("{message}; before, it ended with {}, {restarts} restarts", ending(last));
        }
        (Health::Progressing, "NotReady".to_owned(), message, time(&state["running"], "startedAt"))
    })
}

/// `OOMKilled (exit code 137)`.
fn ending(terminated: &Value) -> String {
    let code = terminated["exitCode"]
        .as_i64()
        .map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
    match text(terminated, "reason") {
        "" => code,
        reason => format!("{reason} ({code})"),
    }
}

/// What an entry of a list in a status is called.
fn entry_name(entry: &Value) -> Option<String> {
    if let Some(name) = entry.get("name").and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    let reference = ["parentRef", "ancestorRef", "targetRef"].iter().find_map(|&field| entry.get(field))?;
    let section = text(reference, "sectionName");
    let name = reference.get("name")?.as_str()?;
    Some(if section.is_empty() { name.to_owned() } else { format!("{name}/{section}") })
}

/// How far a status is behind, if it is.
pub(super) fn lag(observed: i64, generation: Option<i64>) -> Option<Lag> {
    generation.filter(|&generation| observed < generation).map(|generation| Lag { observed, generation })
}
