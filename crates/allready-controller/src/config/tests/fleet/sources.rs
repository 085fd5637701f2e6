//! What others say in objects of their own.

use allready_core::Status;
use allready_kube::kinds::{
    ConditionPolarity, ConfigurationStatusSpec, NameFrom, Preset, Source, SourceCondition,
};
use serde_json::json;

use super::{super::super::*, on_nodes, pod_on, ready, ready_node};

#[test]
fn the_objects_of_others_are_read_with_their_polarity_their_generation_and_without_a_name() {
    let source = Source {
        api_version: "example.com/v1".to_owned(),
        kind: "Engine".to_owned(),
        component: NameFrom::label("role"),
        conditions: ["Ready", "Degraded", "Overheated"]
            .map(|type_| SourceCondition {
                type_: type_.to_owned(),
                polarity: (type_ == "Overheated").then_some(ConditionPolarity::Negative),
            })
            .into(),
        ..Default::default()
    };
    let mut fleet =
        Fleet::new(&ConfigurationStatusSpec { sources: vec![source.clone()], ..Default::default() });
    let object = |type_: &str, status: &str, observed: i64| {
        json!({ "metadata": { "name": "v8", "generation": 2 }, "status": { "conditions": [{ "type": type_,
            "status": status, "reason": "Said", "message": "", "observedGeneration": observed,
            "lastTransitionTime": "2026-03-01T10:00:00Z" }] } })
    };
    for (type_, status, observed, expected) in [
        ("Ready", "True", 2, Status::True),
        ("Ready", "True", 1, Status::Unknown),
        ("Degraded", "True", 2, Status::False),
        ("Degraded", "False", 2, Status::True),
        ("Overheated", "True", 2, Status::False),
    ] {
        let report = of_source(&object(type_, status, observed), &source).unwrap();
        assert_eq!(report.component, "v8", "without a label it goes by its own name");
        fleet.report(Origin::new("engines", "v8"), report);
        assert_eq!(ready(&fleet).0, expected, "{type_}={status} about generation {observed} of 2");
    }
}

#[test]
fn metallb_as_it_ships_is_read_through_its_preset() {
    let mut fleet =
        Fleet::new(&ConfigurationStatusSpec { preset: Some(Preset::MetalLB), ..Default::default() });
    let source = fleet.plan().sources[0].clone();
    let state = |name: &str,
                 labels: serde_json::Value,
                 type_: &str,
                 status: &str,
                 reason: &str,
                 message: &str| {
        let object = json!({
            "apiVersion": "metallb.io/v1beta1", "kind": "ConfigurationState",
            "metadata": { "name": name, "labels": labels },
            "status": { "result": "Valid", "conditions": [{ "type": type_, "status": status, "reason": reason,
                "message": message, "lastTransitionTime": "2026-03-01T10:00:00Z" }] },
        });
        (Origin::new("ConfigurationState", name), of_source(&object, &source).unwrap())
    };
    fleet.daemon_set("speaker", Some(DaemonSetFacts { desired: 1, current: true }));
    fleet.node("kind-worker", Some(ready_node()));
    fleet.pod("speaker-x", Some(&pod_on("kind-worker")));
    let labels = json!({ "metallb.io/component-type": "controller" });
    let (origin, report) = state("controller", labels, "poolReconcilerValid", "True", "Reconciled", "");
    fleet.report(origin, report);
    let labels = json!({ "metallb.io/component-type": "speaker", "metallb.io/node-name": "kind-worker" });
    let with = |status, reason, message| {
        state("speaker-kind-worker", labels.clone(), "configReconcilerValid", status, reason, message)
    };
    let (origin, report) = with("True", "Reconciled", "");
    fleet.report(origin, report);
    assert_eq!(ready(&fleet).2, "2 of 2 ready");
    let (origin, report) = with("False", "UnknownError", "boom");
    fleet.report(origin, report);
    assert_eq!(ready(&fleet).0, Status::False, "also an error that MetalLB itself does not count");
}

#[test]
fn reports_in_the_object_itself_are_read_by_what_stands_before_the_slash() {
    let plan = Plan::of(&on_nodes());
    let condition = |type_: &str| {
        json!({ "type": type_, "status": "True", "reason": "SyncStateSuccess", "message": "",
            "lastTransitionTime": "2025-10-10T09:13:47Z" })
    };
    let object = json!({ "status": { "conditions": [
        condition("Ready"), condition("speaker-kind-worker/configReconcilerValid"),
        condition("speaker-kind-worker/frrk8sReconcilerValid"), condition("controller/poolReconcilerValid"),
    ] } });
    let nodes = |_: &str, instance: Option<&str>| instance == Some("kind-worker");
    let reports = own_reports(&object, |prefix, types| plan.split(prefix, types, nodes));
    assert_eq!(reports.keys().collect::<Vec<_>>(), ["controller", "speaker-kind-worker"]);
    let speaker = &reports["speaker-kind-worker"];
    assert_eq!((speaker.instance.as_deref(), speaker.conditions.len()), (Some("kind-worker"), 2));
}
