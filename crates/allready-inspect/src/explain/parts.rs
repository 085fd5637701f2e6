//! The parts of an object, line by line: conditions at the top and further in, containers, warnings.

use allready_core::{
    Time,
    findings::{Severity, Told},
    found,
};
use serde_json::Value;

use super::{
    Bounds,
    node::{Folded, Node, What},
};
use crate::{
    graph::{ObjectId, Relation, text},
    health::Health,
    judge::{Rule, Verdict, containers, parts as judged},
    registry::{ConditionRole, Registry, gateway},
    view::{ConditionList, Said, Step, View},
    writers,
};

/// More conditions than a person would look through.
const MAX_CONDITIONS: usize = 64;

/// A part, and the part that it stands below.
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) below: Option<usize>,
    /// Set if it is a condition of the object itself.
    pub(super) is_top: bool,
}

/// The parts of an object that are not good; and those that are, where everything is wanted.
pub(super) fn of_object(
    id: &ObjectId,
    object: &Value,
    verdict: &Verdict,
    (registry, now): (&Registry, Time),
    bounds: &Bounds,
) -> Vec<Part> {
    let view = View::new(object);
    let created = view.created().and_then(found::time);
    let reader = Reader { id, view, created, verdict, bounds };
    let mut parts = Vec::new();
    judged::conditions(object, registry, now, &mut |list, conditions| {
        if parts.len() <= MAX_CONDITIONS {
            reader.list(list, conditions, &mut parts);
        }
    });
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

/// The part of an object that says most about why it is not well.
pub(crate) fn worst(
    id: &ObjectId,
    object: &Value,
    verdict: &Verdict,
    registry: &Registry,
    now: Time,
) -> Option<Node> {
    let parts = of_object(id, object, verdict, (registry, now), &Bounds::default());
    let is_cause = |part: &Part| part.node.step() > 0 && part.node.what != What::Warning;
    // The first of equals is taken.
    let parts = parts.into_iter().filter(is_cause).rev();
    parts.max_by_key(|part| (part.node.step(), part.node.weight)).map(|part| part.node)
}

struct Reader<'a> {
    id: &'a ObjectId,
    view: View<'a>,
    created: Option<Time>,
    verdict: &'a Verdict,
    bounds: &'a Bounds,
}

impl Reader<'_> {
    /// The conditions of a list. In that of the object itself the summary stands first, and below it what it is computed from.
    fn list(&self, list: &ConditionList<'_>, conditions: &[judged::Judged<'_>], parts: &mut Vec<Part>) {
        let place = self.called(list);
        if !list.is_top {
            for condition in conditions {
                self.add(condition, &place, list, None, parts);
            }
            return;
        }
        let summaries = conditions.iter().enumerate().filter(|(_, it)| it.role == ConditionRole::Summary);
        let top = summaries.min_by_key(|(_, it)| it.rank).map(|(index, _)| index);
        let above = parts.len();
        if let Some(top) = top {
            self.add(&conditions[top], "", list, None, parts);
        }
        let below = (parts.len() > above).then_some(above);
        for (index, judged) in conditions.iter().enumerate() {
            let says_something =
                || judged.role != ConditionRole::Informational || judged.health != Health::Healthy;
            if Some(index) != top
                && (self.bounds.all || says_something() && !self.is_consequence(judged, list))
            {
                let below = below.filter(|_| !self.is_consequence(judged, list));
                self.add(judged, "", list, below, parts);
            }
        }
    }

    /// Tells whether a condition of a node is Unknown beside Ready, which decided. They stand side by side, and all of them turn Unknown when
    /// its kubelet is not heard: Ready is not computed from the others.
    fn is_consequence(&self, judged: &judged::Judged<'_>, list: &ConditionList<'_>) -> bool {
        self.verdict.rule == Rule::Node
            && judged.condition.said() == Said::Unknown
            && judged.condition.type_ != "Ready"
            && self.verdict.field == condition_path(list, "Ready")
    }

    /// The part that a list is of: `listener web`, `parent edge/https`; nothing for the object itself.
    fn called(&self, list: &ConditionList<'_>) -> String {
        match list.path.steps() {
            _ if list.is_top => String::new(),
            [.., Step::Field(field), Step::Item { index, name }, Step::Field(_)] => {
                let mut entry = list.path.clone();
                entry.pop();
                let named = entry.find(self.view.object).and_then(entry_name);
                let name = named.or_else(|| name.map(str::to_owned)).unwrap_or_else(|| index.to_string());
                format!("{} {name}", field.strip_suffix('s').unwrap_or(field))
            }
            // `status.certificates.conditions` is of the certificates, and `status.instanceConditions` are of themselves.
            [.., Step::Field(part), Step::Field("conditions")] | [.., Step::Field(part)] => {
                (*part).to_owned()
            }
            _ => String::new(),
        }
    }

    /// Adds a condition that has something to tell, and below it the errors and warnings that it lists.
    fn add(
        &self,
        judged: &judged::Judged<'_>,
        place: &str,
        list: &ConditionList<'_>,
        below: Option<usize>,
        parts: &mut Vec<Part>,
    ) {
        let mut node = self.condition(judged, place, list);
        if below.is_some() {
            node.relation = Relation::DependsOn;
        }
        if !self.is_shown(&node) {
            return;
        }
        let (errors, warnings) = (judged.condition.errors(), judged.condition.warnings());
        let has_lists = !errors.is_empty() || !warnings.is_empty();
        let message = judged.condition.message();
        let told = Told::read(errors, warnings, &message, self.bounds.children);
        if !has_lists && !told.problems.is_empty() {
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
        parts.push(Part { node, below, is_top: list.is_top });
        parts.extend(problems.into_iter().map(|node| Part { node, below: Some(above), is_top: false }));
    }

    fn condition(&self, judged: &judged::Judged<'_>, place: &str, list: &ConditionList<'_>) -> Node {
        let condition = &judged.condition;
        let early = gateway::early(&self.id.group, condition.type_).map(gateway::OldCondition::successors);
        let today = match early.as_deref() {
            None => String::new(),
            Some("") => " (no longer in the Gateway API)".to_owned(),
            Some(today) => format!(" (early name of {today})"),
        };
        let status = match condition.said() {
            Said::True => "True",
            Said::False => "False",
            Said::Unknown => "Unknown",
            Said::Other(other) => other,
        };
        let said = format!("{}={status}{today}", condition.type_);
        let label = if place.is_empty() { said } else { format!("{place}: {said}") };
        let mut node = Node::new(What::Condition, self.id.clone(), label, self.within(judged.health));
        node.relation = Relation::Says;
        node.field = condition_path(list, condition.type_);
        node.reason = condition.reason().into_owned();
        node.message = condition.message().into_owned();
        node.since = found::began(condition.since().and_then(found::time), self.created);
        node.lag = judged.lag;
        node.writer = writers::of_condition(self.view.object, &list.path, condition.type_);
        // A part says more than the whole, a dependent more than what is computed from it, and words more than none.
        let is_dependent = judged.role != ConditionRole::Summary;
        node.weight = if self.is_consequence(judged, list) {
            0
        } else {
            4 * u8::from(!place.is_empty()) + 2 * u8::from(is_dependent) + u8::from(!node.message.is_empty())
        };
        // Of several that are bad the one that decided comes first, unless it is computed from the others.
        if is_dependent && node.field == self.verdict.field {
            node.weight += 8;
        }
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
        let phase = self.view.status.and_then(|status| status.get("phase")?.as_str());
        if phase == Some("Succeeded") {
            return Vec::new();
        }
        let parts = containers(&self.view).take(MAX_CONDITIONS).map(|container| {
            let word = if container.is_init { "init container" } else { "container" };
            let label = format!("{word} {}", container.name);
            let mut node = Node::new(What::Container, self.id.clone(), label, self.within(container.health));
            node.relation = Relation::Has;
            node.field = container.path.to_string();
            node.since = container.since.or(self.verdict.since);
            node.writer = writers::of_field(self.view.object, &container.path);
            container.reason.clone_into(&mut node.reason);
            node.message = container.message.into_owned();
            node.weight = u8::MAX;
            Part { node, below: None, is_top: false }
        });
        parts.collect()
    }
}

/// The path of a condition, such as `status.conditions[Ready]`.
fn condition_path(list: &ConditionList<'_>, type_: &str) -> String {
    list.path.join(Step::Item { index: 0, name: Some(type_) }).to_string()
}

/// The name of an entry of a list in a status.
fn entry_name(entry: &Value) -> Option<String> {
    if let Some(name) = entry.get("name").and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    let reference = ["parentRef", "ancestorRef", "targetRef"].iter().find_map(|&field| entry.get(field))?;
    let section = text(reference, "sectionName");
    let name = reference.get("name")?.as_str()?;
    Some(if section.is_empty() { name.to_owned() } else { format!("{name}/{section}") })
}
