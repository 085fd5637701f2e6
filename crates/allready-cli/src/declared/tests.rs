//! The kinds that a definition may speak of.

use allready_core::set::ANNOTATION;
use serde_json::{Value, json};

use super::*;

fn definition(group: &str, kind: &str, annotation: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{}s.{group}", kind.to_lowercase()), "annotations": { ANNOTATION: annotation } },
        "spec": { "group": group, "names": { "kind": kind } },
    })
}

fn widget(conditions: &[(&str, &str)]) -> Value {
    let conditions = conditions.iter().map(|(type_, status)| json!({ "type": type_, "status": status }));
    json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
        "status": { "conditions": conditions.collect::<Vec<_>>() } })
}

fn health(declared: &Declared, object: &Value) -> (Health, bool) {
    let (verdict, is_excused) = Known::of(declared).judge(object, Time::EPOCH);
    (verdict.health, is_excused)
}

#[test]
fn a_file_goes_before_a_definition_and_a_definition_before_what_is_built_in() {
    let shiny = widget(&[("Ready", "True"), ("Shiny", "True")]);
    let learnt = |mut declared: Declared| {
        let problems = declared.learn_all([&definition("example.com", "Widget", "Ready: !Shiny")]);
        assert_eq!(problems, [] as [String; 0]);
        declared
    };
    assert_eq!(health(&Declared::default(), &shiny).0, Health::Healthy);
    assert_eq!(health(&learnt(Declared::default()), &shiny).0, Health::Degraded);
    let file =
        json!([{ "group": "example.com", "kind": "Widget", "conditions": { "Shiny": "informational" } }]);
    let declared = learnt(Declared::of_files(registry::read(&file).unwrap()));
    assert_eq!(health(&declared, &shiny), (Health::Healthy, false), "what a file says is nobody's excuse");
}

#[test]
fn a_definition_that_makes_red_green_is_noticed_and_one_that_explains_what_nobody_knew_is_not() {
    let mut declared = Declared::default();
    declared.learn(&definition("example.com", "Widget", "Purring: (Degraded)"));
    assert_eq!(
        health(&declared, &widget(&[("Purring", "True"), ("Degraded", "True")])),
        (Health::Healthy, true)
    );
    assert_eq!(health(&declared, &widget(&[("Purring", "True")])), (Health::Healthy, false));
    assert!(!health(&declared, &widget(&[("Purring", "False")])).1);
}

#[test]
fn a_declaration_that_cannot_be_read_is_told_and_makes_nothing_greener() {
    let mut declared = Declared::default();
    let problems = declared.learn_all([&definition("example.com", "Widget", "Ready: [")]);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("annotation allready.dev/conditions of widgets.example.com: "),
        "{problems:?}"
    );
    assert_eq!(health(&declared, &widget(&[("Ready", "True")])).0, Health::Unknown);
    assert_eq!(
        health(&declared, &widget(&[("Ready", "False")])),
        health(&Declared::default(), &widget(&[("Ready", "False")]))
    );
}

#[test]
fn a_definition_cannot_speak_of_the_kinds_of_others() {
    let always = r#"{"always": "Healthy"}"#;
    for (group, kind) in
        [("apps", "Deployment"), ("networking.k8s.io", "Ingress"), ("*.com", "Widget"), ("example.com", "*")]
    {
        let mut declared = Declared::default();
        let problems = declared.learn_all([&definition(group, kind, always)]);
        assert_eq!((problems.len(), declared.definitions().len()), (1, 0), "{group} {kind}");
        assert!(problems[0].ends_with("not for a definition to say: give --registry"), "{problems:?}");
    }
    let mut other = definition("example.com", "Widget", always);
    other["apiVersion"] = json!("example.com/v1");
    assert_eq!(Declared::default().learn(&other), None, "only the definitions of Kubernetes are definitions");
}
