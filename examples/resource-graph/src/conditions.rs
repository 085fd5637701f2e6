//! What each fact about a graph does to its conditions.

use allready::{ConditionSet, Reason};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::graph::Problem;

/// The conditions of a resource graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(
    good_reason = "AllReady",
    prune("GraphVerified", "CustomResourceDefinitionSynced", "ReconcilerReady")
)]
pub enum ResourceGraphConditions {
    /// The graph makes sense: every reference leads somewhere, and nothing waits for itself.
    #[mark(resource_graph_sound: True, reason = "AllReady")]
    ResourceGraphReady,
    /// The API server has accepted the kind, as the graph describes it.
    #[mark(kind_accepted: True, reason = "Accepted")]
    #[mark(kind_taken: False, reason = "KindTaken")]
    #[mark(kind_refused: False, reason = "KindRefused")]
    #[mark(kind_pending: Unknown, reason = "AwaitingAcceptance")]
    #[mark(kind_terminating: Unknown, reason = "Terminating")]
    #[mark(kind_waiting: Unknown, reason = "AwaitingGraph")]
    #[mark(kind_unreached: Unknown, reason = "ServerUnavailable")]
    ResourceGraphKindReady,
}

impl ResourceGraphConditionsPass<'_> {
    /// The graph makes sense.
    pub fn mark_graph_ready(&mut self) {
        self.mark_resource_graph_sound("All resources are up to date and ready.");
    }

    /// The graph makes no sense, and nothing can be made of it until somebody changes it.
    pub fn mark_graph_broken(&mut self, kind: &str, problem: &Problem) {
        self.mark_not_resource_graph_ready(problem.reason(), problem.to_string());
        self.mark_kind_waiting(format!("{kind} is left as it is until the graph is right."));
    }

    /// The definition of the kind, as the API server has it now.
    pub fn propagate_definition(&mut self, kind: &str, definition: &CustomResourceDefinition) {
        if definition.metadata.deletion_timestamp.is_some() {
            self.mark_kind_terminating(format!("{kind} is being deleted, and comes back when it is gone."));
            return;
        }
        let condition = |type_: &str| {
            let conditions = definition.status.as_ref()?.conditions.as_ref()?;
            conditions.iter().find(|condition| condition.type_ == type_)
        };
        let status = |type_: &str| condition(type_).map_or("Unknown", |condition| condition.status.as_str());
        if status("NamesAccepted") == "False" {
            let said = condition("NamesAccepted");
            let reason = said.and_then(|said| said.reason.as_deref()).unwrap_or("NamesNotAccepted");
            let message = said.and_then(|said| said.message.as_deref()).unwrap_or_default();
            let message = format!("The names of {kind} are not accepted: {message}");
            self.mark_not_resource_graph_kind_ready(Reason::sanitized(reason), message);
        } else if status("Established") == "True" && status("NamesAccepted") == "True" {
            self.mark_kind_accepted(format!("{kind} is up to date and accepted."));
        } else {
            self.mark_kind_pending(format!("{kind} is not accepted yet."));
        }
    }
}

#[cfg(test)]
mod tests {
    use allready::{Condition, Time, kinds, set::At};
    use serde_json::{Value, json};

    use super::*;

    fn definition(conditions: &Value) -> CustomResourceDefinition {
        serde_json::from_value(json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": "mycustomkinds.example.com" },
            "spec": { "group": "", "names": { "kind": "", "plural": "" }, "scope": "", "versions": [] },
            "status": { "conditions": conditions },
        }))
        .unwrap()
    }

    fn accepted() -> CustomResourceDefinition {
        definition(&json!([
            { "type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found" },
            { "type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "accepted" },
        ]))
    }

    fn pass(conditions: &mut Vec<Condition>, marks: impl FnOnce(&mut ResourceGraphConditionsPass<'_>)) {
        let now: Time = "2025-03-24T21:31:02Z".parse().unwrap();
        let mut pass = ResourceGraphConditions::pass(conditions, At::new(1_u32, now));
        marks(&mut pass);
        pass.finish();
    }

    fn of(conditions: &[Condition], type_: &str) -> (String, String, String) {
        let found = allready::condition::find(conditions, type_).unwrap();
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
        let mut conditions = kinds::as_found(old).unwrap();
        assert_eq!(conditions.len(), 3);
        pass(&mut conditions, |pass| {
            pass.mark_graph_ready();
            pass.propagate_definition("MyCustomKind", &accepted());
        });
        assert_eq!(
            serde_json::to_value(&conditions).unwrap(),
            json!([
                { "type": "Ready", "status": "True", "reason": "AllReady", "message": "", "observedGeneration": 1,
                  "lastTransitionTime": "2025-03-24T21:31:02Z" },
                { "type": "ResourceGraphReady", "status": "True", "reason": "AllReady", "observedGeneration": 1,
                  "message": "All resources are up to date and ready.",
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
            let time = serde_json::from_value(json!("2025-03-24T21:31:02Z")).unwrap();
            definition.metadata.deletion_timestamp = Some(time);
            definition
        };
        let names = json!({ "type": "NamesAccepted", "status": "True" });
        let taken = json!({ "type": "NamesAccepted", "status": "False", "reason": "KindConflict",
            "message": "\"MyCustomKind\" is already in use" });
        let cases = [
            (accepted(), words("True", "Accepted", "MyCustomKind is up to date and accepted.")),
            (
                definition(&json!([])),
                words("Unknown", "AwaitingAcceptance", "MyCustomKind is not accepted yet."),
            ),
            (
                definition(&json!([names])),
                words("Unknown", "AwaitingAcceptance", "MyCustomKind is not accepted yet."),
            ),
            (
                being_deleted,
                words(
                    "Unknown",
                    "Terminating",
                    "MyCustomKind is being deleted, and comes back when it is gone.",
                ),
            ),
            (
                definition(&json!([taken])),
                words(
                    "False",
                    "KindConflict",
                    "The names of MyCustomKind are not accepted: \"MyCustomKind\" is already in use",
                ),
            ),
        ];
        for (definition, expected) in cases {
            let mut conditions = Vec::new();
            pass(&mut conditions, |pass| {
                pass.mark_graph_ready();
                pass.propagate_definition("MyCustomKind", &definition);
            });
            assert_eq!(of(&conditions, "ResourceGraphKindReady"), expected);
            let (status, _, _) = of(&conditions, "Ready");
            assert_eq!(status, expected.0, "Ready follows");
        }
    }

    #[test]
    fn a_broken_graph_is_false_with_its_cause_and_says_nothing_about_the_kind() {
        let problem = Problem::Cycle(vec!["a".to_owned(), "a".to_owned()]);
        let mut conditions = Vec::new();
        pass(&mut conditions, |pass| pass.mark_graph_broken("MyCustomKind", &problem));
        let cause = words("False", "CyclicGraph", "resources wait for each other: a -> a");
        assert_eq!(of(&conditions, "ResourceGraphReady"), cause);
        assert_eq!(of(&conditions, "Ready"), cause);
        assert_eq!(of(&conditions, "ResourceGraphKindReady").0, "Unknown");
    }
}
