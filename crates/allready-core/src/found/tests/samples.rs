//! Whole objects: the samples of published designs, objects in disorder, and real ones where they are at hand.

use serde_json::{Value, json};

use super::super::{FoundObject, IrregularityKind as Kind, of_object};
use super::time;
use crate::condition::ReasonProblem;
use crate::{Condition, Generation, Status, Time, condition_type, reason};

#[test]
fn the_published_sample_with_empty_reasons_and_a_letter_behind_a_time_is_read_in_full() {
    // KRO's proposal: the status as it was, and as it was to be.
    let was = json!({"status": {"conditions": [
        {"lastTransitionTime": "2025-03-24T21:31:02Z", "message": "micro controller is ready",
         "reason": "", "status": "True", "type": "ReconcilerReady"},
        {"lastTransitionTime": "2025-03-24T21:31:02Z", "message": "Directed Acyclic Graph is synced",
         "reason": "", "status": "True", "type": "GraphVerified"},
        {"lastTransitionTime": "2025-03-24T21:31:02Z", "message": "Custom Resource Definition is synced",
         "reason": "", "status": "True", "type": "CustomResourceDefinitionSynced"},
    ]}});
    let list = of_object(&was);
    assert!(list.conditions().iter().all(|condition| condition.status == Status::True));
    let noted: Vec<_> =
        list.irregularities().iter().map(|noted| (noted.path.to_string(), noted.kind.clone())).collect();
    let empty = || Kind::Reason { found: String::new(), problem: ReasonProblem::Empty };
    let expected = |index| (format!("status.conditions[{index}].reason"), empty());
    assert_eq!(noted, [expected(0), expected(1), expected(2)]);
    assert_eq!(list.to_conditions(Time::EPOCH)[1].reason, "Unspecified");

    let proposed = json!({"status": {"conditions": [
        {"lastTransitionTime": "2025-03-24T21:31:02Za", "message": "All resources are up to date and ready.",
         "observedGeneration": 1, "reason": "AllReady", "status": "True", "type": "ResourceGraphReady"},
    ]}});
    let list = of_object(&proposed);
    assert_eq!(list.conditions()[0].since, Some(time("2025-03-24T21:31:02Z")));
    assert_eq!(
        list.irregularities()[0].to_string(),
        "status.conditions[0].lastTransitionTime is the text \"2025-03-24T21:31:02Za\", which has something else \
         before or after the time; write \"2025-03-24T21:31:02Z\" (read as that)"
    );
}

#[test]
fn the_published_sample_with_an_unquoted_status_is_read_as_meant() {
    // Kuadrant's proposal: YAML makes a boolean of `status: True`.
    for found in [true, false] {
        let object = json!({"status": {"conditions": [
            {"type": "Ready", "status": found, "message": "All listeners are valid"},
        ]}});
        let list = of_object(&object);
        assert_eq!(list.find("Ready").unwrap().status, Status::from(found));
        let kinds: Vec<_> = list.irregularities().iter().map(|noted| noted.kind.clone()).collect();
        assert_eq!(
            kinds,
            [
                Kind::StatusBoolean { found },
                Kind::Missing { read_as: "empty" },
                Kind::Missing { read_as: "no time" }
            ]
        );
    }
}

#[test]
fn the_published_sample_without_a_time_is_read_in_full() {
    // MetalLB's proposal: of its four conditions, only Ready has no lastTransitionTime.
    let object = json!({"kind": "ConfigurationStatus", "status": {"conditions": [
        {"message": "", "observedGeneration": 1, "reason": "AllComponentsReady", "status": "True", "type": "Ready"},
        {"lastTransitionTime": "2025-10-10T09:13:47Z", "message": "", "reason": "SyncStateSuccess",
         "status": "True", "type": "speaker-kind-worker/frrk8sReconcilerValid"},
    ]}});
    let list = of_object(&object);
    let sentences: Vec<String> = list.irregularities().iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        [
            "status.conditions[0].lastTransitionTime is missing; every condition must have it (read as no time)"
        ]
    );
    let at = time("2025-10-10T09:14:00Z");
    let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("AllComponentsReady"), "", at)
        .observed(1);
    assert_eq!(list.to_conditions(at)[0], ready);
}

#[test]
fn an_object_in_disorder_is_read_as_far_as_it_goes() {
    let object = json!({
        "kind": ["Widget"],
        "metadata": {"name": 7, "generation": 2.0, "creationTimestamp": "soon", "deletionTimestamp": ""},
        "status": {"observedGeneration": -4, "conditions": {"Ready": true}},
    });
    let found = FoundObject::read(&object);
    assert_eq!((&*found.kind, &*found.namespace, &*found.name), (r#"["Widget"]"#, "", "7"));
    assert_eq!((found.generation, found.observed, found.created), (Some(Generation::from(2)), None, None));
    assert!(found.deleting);
    let places: Vec<String> = found.irregularities().map(|noted| noted.path.to_string()).collect();
    assert_eq!(
        places,
        [
            "kind",
            "metadata.name",
            "metadata.generation",
            "metadata.creationTimestamp",
            "metadata.deletionTimestamp",
            "status.observedGeneration",
            "status.conditions"
        ]
    );
}

#[test]
fn what_should_be_an_object_and_is_not_is_said_so() {
    for (object, sentence) in [
        (json!([1]), "the object is a list; write an object (nothing in it was read)"),
        (json!(null), "the object is null; write an object (nothing in it was read)"),
        (json!({"status": "ok"}), "status is the text \"ok\"; write an object (nothing in it was read)"),
    ] {
        assert_eq!(of_object(&object).irregularities()[0].to_string(), sentence);
        assert_eq!(FoundObject::read(&object).irregularities().next().unwrap().to_string(), sentence);
    }
    for nothing in [json!({}), json!({"metadata": null, "status": {"conditions": null}})] {
        let found = FoundObject::read(&nothing);
        assert_eq!(found.irregularities().count(), 0);
        assert_eq!((found.conditions.conditions().len(), found.deleting), (0, false));
    }
}

/// Real objects, one JSON line each with the object under `object`.
#[test]
#[ignore = "needs a file of real objects, which ALLREADY_HEALTH_CORPUS names"]
fn real_objects_are_read_as_the_strict_reader_does_wherever_nothing_is_irregular() {
    let path = std::env::var("ALLREADY_HEALTH_CORPUS").unwrap();
    let lines = std::fs::read_to_string(&path).unwrap();
    let mut regular = 0;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let found = FoundObject::read(&line["object"]);
        let list = &found.conditions;
        assert_eq!(*list, of_object(&line["object"]));
        for (index, condition) in list.conditions().iter().enumerate() {
            if list.irregularities().iter().all(|noted| noted.path.index != Some(index)) {
                regular += 1;
                let strict: Condition = serde_json::from_value(condition.raw.clone()).unwrap();
                assert_eq!(condition.to_condition(Time::EPOCH), strict);
            } else {
                serde_json::to_value(condition.to_condition(Time::EPOCH))
                    .and_then(serde_json::from_value::<Condition>)
                    .unwrap();
            }
        }
    }
    println!("{regular} regular conditions in {} objects", lines.lines().count());
    assert!(regular > 0, "{path} has no regular condition");
}
