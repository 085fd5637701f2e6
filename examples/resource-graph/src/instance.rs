//! The conditions of instances, and what each fact does to them. Pure.

use std::collections::BTreeMap;

use allready::{
    ConditionSet, Standing, Time, condition_type, reason,
    set::{ConditionSetBuilder, Declared, Mark, MarkError},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    SimpleSchema,
    definition::LABEL,
    finding::Finding,
    graph::Problem,
    render::{Scope, Unresolved},
};

/// The conditions of the instances of a kind: one for each large step, and those that the schema declares.
pub fn set(schema: &SimpleSchema) -> Result<ConditionSet, Problem> {
    let no = |error: &dyn ToString| Problem::Conditions(error.to_string());
    let declared = format!("Ready: {}", schema.conditions.as_deref().unwrap_or_default());
    let declared: ConditionSet = declared.parse().map_err(|error| no(&error))?;
    let steps = ConditionSet::living()
        .good_reason(reason!("AllReady"))
        .dependent(
            Declared::new(condition_type!("InstanceSynced"))
                .described("Everything that can be rendered now is rendered and applied."),
        )
        .dependent(
            Declared::new(condition_type!("GraphResolved"))
                .described("All templates are rendered: every reference leads to a value."),
        )
        .dependent(
            Declared::new(condition_type!("ResourcesApplied"))
                .described("The API server has accepted all resources."),
        )
        .dependent(
            Declared::new(condition_type!("ResourcesReady"))
                .described("All resources say that they are well."),
        );
    declared
        .declared()
        .iter()
        .cloned()
        .fold(steps, ConditionSetBuilder::declare)
        .build()
        .map_err(|error| no(&error))
}

/// The outcome of one resource of an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is applied; this is the object that the API server has.
    Applied(Value),
    /// It is not rendered, because of a reference.
    Unresolved(Unresolved),
    /// It is not applied.
    Failed(Finding),
}

/// One resource that was applied, as it stands in the status of its instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRef {
    /// The id in the graph.
    pub id: String,
    /// The API version of the object.
    pub api_version: String,
    /// The kind of the object.
    pub kind: String,
    /// The name of the object, in the namespace of the instance.
    pub name: String,
}

impl ResourceRef {
    fn of(id: &str, object: &Value) -> Self {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            id: id.to_owned(),
            api_version: text("/apiVersion"),
            kind: text("/kind"),
            name: text("/metadata/name"),
        }
    }

    fn is_same_object(&self, other: &Self) -> bool {
        (&self.api_version, &self.kind, &self.name) == (&other.api_version, &other.kind, &other.name)
    }
}

/// The resources of one instance, as far as they are known in a reconcile.
#[derive(Clone, Debug)]
pub struct Resources<'g> {
    instance: Value,
    order: &'g [String],
    outcomes: BTreeMap<&'g str, Outcome>,
}

impl<'g> Resources<'g> {
    /// Resources in this order of which nothing is known.
    pub fn new(instance: Value, order: &'g [String]) -> Self {
        Self { instance, order, outcomes: BTreeMap::new() }
    }

    /// Adds what came of a resource.
    pub fn add(&mut self, id: &'g str, outcome: Outcome) {
        self.outcomes.insert(id, outcome);
    }

    /// Renders a template to the object to be applied, as far as references can be resolved by now.
    pub fn render(&self, graph: &str, template: &Value) -> Result<Value, Outcome> {
        let rendered = Scope::new(&self.instance, self.applied()).render(template);
        let mut object = rendered.map_err(Outcome::Unresolved)?;
        let metadata = |name: &str| self.instance["metadata"][name].clone();
        let wrong = |message| Err(Outcome::Failed(Finding::bad(reason!("InvalidTemplate"), message)));
        if !object["metadata"]["name"].is_string() {
            return wrong("the name is not a text");
        }
        let namespace = object["metadata"]["namespace"].take();
        if !namespace.is_null() && namespace != metadata("namespace") {
            return wrong("the namespace is not that of the instance, which could not own it");
        }
        object["metadata"]["namespace"] = metadata("namespace");
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": self.instance["apiVersion"], "kind": self.instance["kind"],
            "name": metadata("name"), "uid": metadata("uid"), "controller": true, "blockOwnerDeletion": true,
        }]);
        let labels = &mut object["metadata"]["labels"];
        if !labels.is_object() {
            *labels = Map::new().into();
        }
        labels[LABEL] = graph.into();
        Ok(object)
    }

    fn applied(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.outcomes.iter().filter_map(|(id, outcome)| match outcome {
            Outcome::Applied(object) => Some((*id, object)),
            _ => None,
        })
    }

    /// The resources for the status of the instance: those that are applied, and of the others those that were before.
    pub fn references(&self, before: &[ResourceRef]) -> Vec<ResourceRef> {
        let reference = |id: &String| match self.outcomes.get(id.as_str()) {
            Some(Outcome::Applied(object)) => Some(ResourceRef::of(id, object)),
            _ => before.iter().find(|old| old.id == *id).cloned(),
        };
        self.order.iter().filter_map(reference).collect()
    }

    /// The resources that were applied before and that nothing in the graph stands for any more.
    pub fn leftovers(&self, before: &[ResourceRef]) -> Vec<ResourceRef> {
        let now = self.references(before);
        before.iter().filter(|old| !now.iter().any(|new| new.is_same_object(old))).cloned().collect()
    }

    /// Marks the condition of each step.
    pub fn mark(&self, pass: &mut impl for<'t> Mark<&'t str>, now: Time) -> Result<(), MarkError> {
        let steps = [
            ("InstanceSynced", self.synced()),
            ("GraphResolved", self.resolved()),
            ("ResourcesApplied", self.accepted()),
            ("ResourcesReady", self.ready(now)),
        ];
        steps.into_iter().try_for_each(|(type_, Finding { standing, reason, message })| {
            pass.mark_standing(type_, standing, reason, &message)
        })
    }

    /// Tells whether there is nothing to do until something changes.
    pub fn is_settled(&self, now: Time) -> bool {
        self.accepted().standing == Standing::Good && self.ready(now).standing == Standing::Good
    }

    fn synced(&self) -> Finding {
        let resolved = Some(self.resolved()).filter(|resolved| resolved.standing == Standing::Bad);
        let good = || Finding::good(reason!("Synced"), format!("{} applied.", self.count()));
        resolved.or_else(|| self.failure()).unwrap_or_else(good)
    }

    fn resolved(&self) -> Finding {
        let texts = |is: fn(&Unresolved) -> bool| -> Vec<String> {
            let unresolved = self.outcomes().filter_map(|(id, outcome)| match outcome {
                Outcome::Unresolved(unresolved) if is(unresolved) => Some(format!("{id}: {unresolved}")),
                _ => None,
            });
            unresolved.collect()
        };
        let not_set = texts(|unresolved| matches!(unresolved, Unresolved::NotSet(_)));
        let awaited = texts(|unresolved| matches!(unresolved, Unresolved::NotYet(_)));
        if !not_set.is_empty() {
            Finding::bad(reason!("FieldNotSet"), not_set.join("; "))
        } else if !awaited.is_empty() {
            Finding::unknown(reason!("AwaitingReference"), awaited.join("; "))
        } else {
            Finding::good(reason!("Resolved"), "All references lead to values.")
        }
    }

    fn accepted(&self) -> Finding {
        let count = format!("{} applied.", self.count());
        match self.failure() {
            Some(failure) => failure,
            None if self.applied().count() < self.order.len() => {
                Finding::unknown(reason!("AwaitingReference"), count)
            }
            None => Finding::good(reason!("Applied"), count),
        }
    }

    /// The first of the worst failures.
    fn failure(&self) -> Option<Finding> {
        let failures = self.outcomes().filter_map(|(id, outcome)| match outcome {
            Outcome::Failed(failure) => Some(failure.clone().about(id)),
            _ => None,
        });
        Finding::worst(failures)
    }

    fn ready(&self, now: Time) -> Finding {
        let objects = self.outcomes().filter_map(|(_, outcome)| match outcome {
            Outcome::Applied(object) => Some(object),
            _ => None,
        });
        match Finding::worst(objects.map(|object| Finding::of(object, now))) {
            Some(worst) if worst.standing != Standing::Good => worst,
            _ if self.applied().count() < self.order.len() => {
                Finding::unknown(reason!("AwaitingResources"), format!("{} applied.", self.count()))
            }
            _ => Finding::good(reason!("AllReady"), format!("{} ready.", self.count())),
        }
    }

    fn outcomes(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        self.order.iter().filter_map(|id| Some((id.as_str(), self.outcomes.get(id.as_str())?)))
    }

    fn count(&self) -> String {
        format!("{} of {} resources are", self.applied().count(), self.order.len())
    }
}

#[cfg(test)]
mod tests {
    use allready::{Condition, condition, set::At};

    use super::*;

    fn now() -> Time {
        "2025-03-24T21:31:02Z".parse().unwrap()
    }

    fn instance() -> Value {
        json!({
            "apiVersion": "example.com/v1", "kind": "Shop",
            "metadata": { "name": "one", "namespace": "here", "uid": "u-1" }, "spec": { "size": 2 },
        })
    }

    fn config() -> Value {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "settings" } })
    }

    fn widget(status: &str) -> Value {
        json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w", "generation": 1 },
            "status": { "observedGeneration": 1, "conditions": [
                { "type": "Ready", "status": status, "reason": "DiskFull", "message": "sda is full" }] } })
    }

    fn order() -> Vec<String> {
        vec!["config".to_owned(), "web".to_owned()]
    }

    /// The status and reason of each condition, and the message of `Ready`.
    fn told(outcomes: [Outcome; 2], before: &mut Vec<Condition>) -> (Vec<String>, String) {
        let order = order();
        let mut resources = Resources::new(instance(), &order);
        for (id, outcome) in order.iter().zip(outcomes) {
            resources.add(id, outcome);
        }
        let schema = SimpleSchema { conditions: Some("(Cached)".to_owned()), ..SimpleSchema::default() };
        let set = set(&schema).unwrap();
        let mut pass = set.pass(before, At::new(1_u32, now()));
        resources.mark(&mut pass, now()).unwrap();
        pass.finish();
        let words = before.iter().map(|one| format!("{}={} {}", one.type_, one.status, one.reason)).collect();
        (words, condition::find(before, "Ready").unwrap().message.to_string())
    }

    #[test]
    fn the_documentation_of_the_crate_names_every_step() {
        let set = set(&SimpleSchema::default()).unwrap();
        for step in set.declared() {
            let row = format!("//! | `{}` | dependent |", step.type_);
            assert!(include_str!("lib.rs").contains(&row), "{row}");
        }
    }

    #[test]
    fn an_instance_is_ready_when_its_resources_are() {
        let (words, message) =
            told([Outcome::Applied(config()), Outcome::Applied(widget("True"))], &mut Vec::new());
        assert_eq!(
            words,
            [
                "Ready=True AllReady",
                "InstanceSynced=True Synced",
                "GraphResolved=True Resolved",
                "ResourcesApplied=True Applied",
                "ResourcesReady=True AllReady",
                "Cached=Unknown AwaitingReconciliation",
            ]
        );
        assert_eq!(message, "");
    }

    #[test]
    fn a_resource_that_is_broken_gives_its_own_cause() {
        let (words, message) =
            told([Outcome::Applied(config()), Outcome::Applied(widget("False"))], &mut Vec::new());
        assert_eq!(words[0], "Ready=False DiskFull");
        assert_eq!(
            words[1..4],
            ["InstanceSynced=True Synced", "GraphResolved=True Resolved", "ResourcesApplied=True Applied"]
        );
        assert_eq!(words[4], "ResourcesReady=False DiskFull");
        assert_eq!(message, "Widget w: sda is full");
    }

    #[test]
    fn a_reference_that_is_not_there_yet_is_progress_and_a_field_that_is_not_set_is_not() {
        let waits = Outcome::Unresolved(Unresolved::NotYet("config.status.id".to_owned()));
        let (words, message) = told([Outcome::Applied(config()), waits], &mut Vec::new());
        assert_eq!(
            words[..5],
            [
                "Ready=Unknown AwaitingReference",
                "InstanceSynced=True Synced",
                "GraphResolved=Unknown AwaitingReference",
                "ResourcesApplied=Unknown AwaitingReference",
                "ResourcesReady=Unknown AwaitingResources",
            ]
        );
        assert_eq!(message, "web: ${config.status.id} is not there yet");

        let not_set = Outcome::Unresolved(Unresolved::NotSet("schema.spec.zone".to_owned()));
        let (words, message) = told([Outcome::Applied(config()), not_set], &mut Vec::new());
        assert_eq!(
            words[..3],
            [
                "Ready=False FieldNotSet",
                "InstanceSynced=False FieldNotSet",
                "GraphResolved=False FieldNotSet"
            ]
        );
        assert_eq!(message, "web: ${schema.spec.zone} is not set");
    }

    #[test]
    fn a_refused_resource_is_false_and_one_that_is_tried_again_unknown() {
        let refused = Outcome::Failed(Finding::bad(reason!("Refused"), "spec.x is no number"));
        let (words, message) = told([Outcome::Applied(config()), refused], &mut Vec::new());
        assert_eq!(words[..2], ["Ready=False Refused", "InstanceSynced=False Refused"]);
        assert_eq!(
            (words[3].as_str(), message.as_str()),
            ("ResourcesApplied=False Refused", "web: spec.x is no number")
        );

        let delayed = Outcome::Failed(Finding::unknown(reason!("ServerUnavailable"), "timeout"));
        let (words, message) = told([Outcome::Applied(config()), delayed], &mut Vec::new());
        assert_eq!(
            words[..2],
            ["Ready=Unknown ServerUnavailable", "InstanceSynced=Unknown ServerUnavailable"]
        );
        assert_eq!(message, "web: timeout");
    }

    #[test]
    fn an_informational_condition_does_not_count_for_ready() {
        let cached =
            Condition::new(condition_type!("Cached"), allready::Status::False, reason!("Cold"), "", now());
        let (words, _) =
            told([Outcome::Applied(config()), Outcome::Applied(widget("True"))], &mut vec![cached]);
        assert!(
            words.contains(&"Ready=True AllReady".to_owned())
                && words.contains(&"Cached=False Cold".to_owned()),
            "{words:?}"
        );
    }

    #[test]
    fn an_object_is_owned_by_its_instance_in_its_namespace() {
        let order = order();
        let resources = Resources::new(instance(), &order);
        let object = resources.render("shops", &json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "${schema.metadata.name}", "labels": { "a": "b" } },
        }));
        let expected = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "one", "namespace": "here", "labels": { "a": "b", LABEL: "shops" },
            "ownerReferences": [{ "apiVersion": "example.com/v1", "kind": "Shop", "name": "one", "uid": "u-1",
                "controller": true, "blockOwnerDeletion": true }],
        } });
        assert_eq!(object, Ok(expected));

        for (metadata, message) in [
            (json!({ "name": "${schema.spec.size}" }), "the name is not a text"),
            (
                json!({ "name": "x", "namespace": "there" }),
                "the namespace is not that of the instance, which could not own it",
            ),
        ] {
            let refused = resources.render("shops", &json!({ "kind": "ConfigMap", "metadata": metadata }));
            assert_eq!(refused, Err(Outcome::Failed(Finding::bad(reason!("InvalidTemplate"), message))));
        }
    }

    #[test]
    fn what_the_graph_does_not_stand_for_any_more_is_left_over() {
        let order = order();
        let reference = |id: &str, name: &str| {
            ResourceRef::of(
                id,
                &json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name },
                }),
            )
        };
        let before = [
            reference("config", "old-name"),
            reference("web", "web"),
            reference("gone", "gone"),
            reference("old-id", "settings"),
        ];
        let mut resources = Resources::new(instance(), &order);
        resources.add("config", Outcome::Applied(config()));
        resources.add("web", Outcome::Unresolved(Unresolved::NotYet("config.status.id".to_owned())));
        assert_eq!(resources.references(&before), [reference("config", "settings"), reference("web", "web")]);
        assert_eq!(
            resources.leftovers(&before),
            [reference("config", "old-name"), reference("gone", "gone")]
        );
    }
}
