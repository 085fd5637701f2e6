//! KRO's proposal for the conditions of a `ResourceGraphDefinition`, from its current status to the proposed one.

use allready::{
    Condition, ConditionSet, ConditionType, Polarity, Reason, Status, Time, condition, condition_type,
    reason,
    set::{At, TypedSet},
};
use serde_json::{json, to_value};

/// What a `ResourceGraphDefinition` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(
    good_reason = "AllReady",
    prune("ReconcilerReady", "GraphVerified", "CustomResourceDefinitionSynced")
)]
enum GraphConditions {
    /// The resources are what the graph says.
    #[mark(failed_resource_update: False, reason = "ResourceUpdateFailed")]
    ResourceGraphReady,
    /// The custom resource definition is up to date and accepted.
    #[condition(type = "ResourceGraphKindReady")]
    #[mark(crd_accepted: True, reason = "Accepted")]
    #[mark(crd_failed: False, reason = "CRDFailed")]
    KindReady,
}

fn at(text: &str) -> Time {
    text.parse().unwrap()
}

/// A condition as the controller wrote it before: without a reason, which the API server no longer takes.
fn old(type_: ConditionType, message: &'static str) -> Condition {
    Condition::new(type_, Status::True, Reason::sanitized(""), message, at("2025-03-20T08:00:00Z"))
}

fn before() -> Vec<Condition> {
    vec![
        old(condition_type!("ReconcilerReady"), "micro controller is ready"),
        old(condition_type!("GraphVerified"), "Directed Acyclic Graph is synced"),
        old(condition_type!("CustomResourceDefinitionSynced"), "Custom Resource Definition is synced"),
    ]
}

#[test]
fn the_current_status_becomes_the_proposed_one() {
    let mut conditions = before();
    let mut pass = GraphConditions::pass(&mut conditions, At::new(1u32, at("2025-03-24T21:31:02Z")));
    pass.mark_resource_graph_ready(reason!("AllReady"), "All resources are up to date and ready.");
    pass.mark_crd_accepted("MyCustomKind is up to date and accepted.");
    let finished = pass.finish();

    assert!(finished.changed);
    assert_eq!(
        to_value(&conditions).unwrap(),
        json!([
            {
                "lastTransitionTime": "2025-03-24T21:31:02Z",
                "message": "",
                "observedGeneration": 1,
                "reason": "AllReady",
                "status": "True",
                "type": "Ready",
            },
            {
                "lastTransitionTime": "2025-03-24T21:31:02Z",
                "message": "All resources are up to date and ready.",
                "observedGeneration": 1,
                "reason": "AllReady",
                "status": "True",
                "type": "ResourceGraphReady",
            },
            {
                "lastTransitionTime": "2025-03-24T21:31:02Z",
                "message": "MyCustomKind is up to date and accepted.",
                "observedGeneration": 1,
                "reason": "Accepted",
                "status": "True",
                "type": "ResourceGraphKindReady",
            },
        ])
    );
}

#[test]
fn the_most_important_and_then_most_recent_change_is_on_top() {
    let mut conditions = before();
    let mut pass = GraphConditions::pass(&mut conditions, At::new(1u32, at("2025-03-24T21:31:02Z")));
    pass.mark_failed_resource_update("the quota is used up");
    pass.mark_crd_accepted("");
    pass.finish();
    let mut pass = GraphConditions::pass(&mut conditions, At::new(1u32, at("2025-03-24T21:40:00Z")));
    pass.mark_crd_failed("the schema is not structural");
    pass.finish();

    let ready = condition::find(&conditions, "Ready").unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "CRDFailed"));
    assert_eq!(ready.message, "the schema is not structural");
    assert_eq!(ready.last_transition_time, at("2025-03-24T21:31:02Z"), "it was False before");
}

#[test]
fn the_custom_resource_definition_speaks_for_itself() {
    let established = |status| {
        let since = at("2025-03-24T21:30:00Z");
        Condition::new(condition_type!("Established"), status, reason!("InitialNamesAccepted"), "", since)
    };
    let mut conditions = vec![];
    for (status, expected) in [(Status::True, Status::True), (Status::False, Status::False)] {
        let mut pass = GraphConditions::pass(&mut conditions, At::new(1u32, at("2025-03-24T21:31:02Z")));
        pass.mark_resource_graph_ready(reason!("AllReady"), "")
            .propagate_kind_ready(&established(status), Polarity::NormalTrue);
        pass.finish();
        assert_eq!(condition::find(&conditions, "Ready").unwrap().status, expected);
    }
}

#[test]
fn the_table_for_the_documentation_is_that_of_the_set() {
    assert_eq!(
        GraphConditions::TABLE,
        "| condition | role | good when | meaning |\n\
         |---|---|---|---|\n\
         | `Ready` | top | True | Computed from the dependents by `newest-cause`. |\n\
         | `ResourceGraphReady` | dependent | True | The resources are what the graph says. |\n\
         | `ResourceGraphKindReady` | dependent | True | The custom resource definition is up to date and accepted. |\n"
    );
    assert_eq!(GraphConditions::TABLE, GraphConditions::set().table());
}
