//! The conditions of a graph, and what each fact does to them. Pure.

use allready::{ConditionSet, Polarity, Standing, reason};
use serde::Serialize;

use crate::{finding::Finding, graph::Problem};

/// The conditions of a resource graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(
    good_reason = "AllReady",
    prune("GraphVerified", "CustomResourceDefinitionSynced", "ReconcilerReady")
)]
pub enum ResourceGraphCondition {
    /// The graph is valid: every reference leads somewhere, and nothing waits for itself.
    #[mark(graph_valid: True, reason = "AllReady")]
    ResourceGraphReady,
    /// The API server has accepted the kind, as the graph describes it.
    ResourceGraphKindReady,
}

impl ResourceGraphConditionPass<'_> {
    /// Nothing can be made of the graph until somebody changes it.
    pub fn mark_graph_broken(&mut self, kind: &str, problem: &Problem) {
        self.mark_not_resource_graph_ready(problem.reason(), problem.to_string());
        let message = format!("{kind} is left as it is until the graph is valid.");
        self.mark_resource_graph_kind_ready_unknown(reason!("AwaitingGraph"), message);
    }

    /// Takes over what the API server says of the CRD; tells whether it serves the kind.
    pub fn propagate_definition(&mut self, kind: &str, definition: &impl Serialize) -> bool {
        let found = Finding::of(definition, self.at().now);
        let is_served = found.standing == Standing::Good;
        let accepted = || Finding::good(reason!("Accepted"), format!("{kind} is up to date and accepted."));
        self.mark_kind(if is_served { accepted() } else { found });
        is_served
    }

    /// Marks the kind with what was found of it.
    pub fn mark_kind(&mut self, Finding { standing, reason, message }: Finding) {
        let status = Polarity::NormalTrue.status(standing);
        self.mark(ResourceGraphCondition::ResourceGraphKindReady, status, reason, message);
    }
}

#[cfg(test)]
mod tests {
    use allready::{Conditions, Time, set::At};
    use serde_json::{Value, json};

    use super::*;

    fn definition(conditions: &Value) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": "mycustomkinds.example.com" },
            "status": { "conditions": conditions },
        })
    }

    fn accepted() -> Value {
        definition(&json!([
            { "type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found" },
            { "type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "accepted" },
        ]))
    }

    fn now() -> Time {
        "2025-03-24T21:31:02Z".parse().unwrap()
    }

    type Graph = Conditions<ResourceGraphCondition>;

    fn pass(conditions: &mut Graph, marks: impl FnOnce(&mut ResourceGraphConditionPass<'_>)) {
        let mut pass = conditions.pass(At::new(1_u32, now()));
        marks(&mut pass);
        pass.finish();
    }

    fn of(conditions: &Graph, type_: &str) -> (String, String, String) {
        let found = conditions.find(type_).unwrap();
        (found.status.to_string(), found.reason.to_string(), found.message.to_string())
    }

    fn words(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.to_owned(), reason.to_owned(), message.to_owned())
    }

    #[test]
    fn the_old_status_becomes_the_proposed_one() {
        let old = json!([
            { "type": "ReconcilerReady", "status": "True", "reason": "", "message": "micro controller is ready",
              "lastTransitionTime": "2025-03-24T21:31:02Z" },
            { "type": "GraphVerified", "status": "True", "reason": "", "message": "Directed Acyclic Graph is synced",
              "lastTransitionTime": "2025-03-24T21:31:02Z" },
            { "type": "CustomResourceDefinitionSynced", "status": "True", "reason": "",
              "message": "Custom Resource Definition is synced", "lastTransitionTime": "2025-03-24T21:31:02Z" },
        ]);
        let mut conditions: Graph = serde_json::from_value(old).unwrap();
        assert_eq!(conditions.len(), 3);
        pass(&mut conditions, |pass| {
            pass.mark_graph_valid("The graph is valid; its resources in order: config, web.");
            assert!(pass.propagate_definition("MyCustomKind", &accepted()));
        });
        assert_eq!(
            serde_json::to_value(&conditions).unwrap(),
            json!([
                { "type": "Ready", "status": "True", "reason": "AllReady", "message": "", "observedGeneration": 1,
                  "lastTransitionTime": "2025-03-24T21:31:02Z" },
                { "type": "ResourceGraphReady", "status": "True", "reason": "AllReady", "observedGeneration": 1,
                  "message": "The graph is valid; its resources in order: config, web.",
                  "lastTransitionTime": "2025-03-24T21:31:02Z" },
                { "type": "ResourceGraphKindReady", "status": "True", "reason": "Accepted", "observedGeneration": 1,
                  "message": "MyCustomKind is up to date and accepted.",
                  "lastTransitionTime": "2025-03-24T21:31:02Z" },
            ])
        );
    }

    #[test]
    fn a_definition_on_its_way_is_progress_and_a_refused_name_is_not() {
        let being_deleted = {
            let mut definition = accepted();
            definition["metadata"]["deletionTimestamp"] = json!("2025-03-24T21:31:02Z");
            definition["metadata"]["finalizers"] = json!(["customresourcecleanup.apiextensions.k8s.io"]);
            definition
        };
        let names = json!({ "type": "NamesAccepted", "status": "True" });
        let taken = json!({ "type": "NamesAccepted", "status": "False", "reason": "KindConflict",
            "message": "\"MyCustomKind\" is already in use" });
        let of_definition =
            |message: &str| format!("CustomResourceDefinition mycustomkinds.example.com: {message}");
        let cases = [
            (accepted(), words("True", "Accepted", "MyCustomKind is up to date and accepted.")),
            (definition(&json!([])), words("Unknown", "Progressing", &of_definition("no conditions yet"))),
            (
                definition(&json!([names])),
                words("Unknown", "Progressing", &of_definition("not established yet")),
            ),
            (
                being_deleted,
                words(
                    "Unknown",
                    "Terminating",
                    &of_definition("waits for the finalizer customresourcecleanup.apiextensions.k8s.io"),
                ),
            ),
            (
                definition(&json!([taken])),
                words("False", "KindConflict", &of_definition("\"MyCustomKind\" is already in use")),
            ),
        ];
        for (definition, expected) in cases {
            let mut conditions = Graph::default();
            pass(&mut conditions, |pass| {
                pass.mark_graph_valid("The graph is valid; its resources in order: config, web.");
                let is_served = pass.propagate_definition("MyCustomKind", &definition);
                assert_eq!(is_served, expected.0 == "True");
            });
            assert_eq!(of(&conditions, "ResourceGraphKindReady"), expected);
            let (status, _, _) = of(&conditions, "Ready");
            assert_eq!(status, expected.0, "Ready follows");
        }
    }

    #[test]
    fn a_broken_graph_is_false_with_its_cause_and_says_nothing_about_the_kind() {
        let problem = Problem::Cycle(vec!["a".to_owned(), "a".to_owned()]);
        let mut conditions = Graph::default();
        pass(&mut conditions, |pass| pass.mark_graph_broken("MyCustomKind", &problem));
        let cause = words("False", "CyclicGraph", "resources wait for each other: a -> a");
        assert_eq!(of(&conditions, "ResourceGraphReady"), cause);
        assert_eq!(of(&conditions, "Ready"), cause);
        assert_eq!(of(&conditions, "ResourceGraphKindReady").0, "Unknown");
    }
}
