//! What is exported to Flux, evaluated.

use std::collections::BTreeMap;

use allready::registry::{
    self, Registry,
    export::{Format, Wanted, declared, export},
};
use kube_cel::cel::{Context, Program, Value as Cel, to_value};
use serde_json::{Value, json};

/// The expressions for a kind, by declarations of our own.
fn expressions(entry: &Value) -> Value {
    let registry = Registry::empty().with(registry::read(&json!([entry])).unwrap());
    let kind =
        Wanted { group: "example.com".to_owned(), version: Some("v1".to_owned()), kind: "Widget".to_owned() };
    let told = export(&registry, &[kind], Format::FluxCel);
    assert_eq!(told.left_out, [], "{entry}");
    told.document["healthCheckExprs"][0].clone()
}

/// What an expression says of an object. One that fails is none that holds, as Flux has it. Long expressions go deep, in a debug build
/// deeper than the stack of a test.
fn holds(expression: &Value, object: &Value) -> bool {
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(256 << 20);
        deep.spawn_scoped(scope, || holds_here(expression, object)).unwrap().join().unwrap()
    })
}

fn holds_here(expression: &Value, object: &Value) -> bool {
    let Some(source) = expression.as_str() else { return false };
    let program = Program::compile(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let mut context = Context::default();
    for field in ["metadata", "spec", "status"] {
        let value = object.get(field).cloned().unwrap_or_else(|| json!({}));
        context.add_variable_from_value(field, to_value(value).unwrap());
    }
    matches!(program.execute(&context), Ok(Cel::Bool(true)))
}

/// `current`, `failed` or `waits`.
fn said(expressions: &Value, object: &Value) -> &'static str {
    match (holds(&expressions["failed"], object), holds(&expressions["current"], object)) {
        (true, _) => "failed",
        (false, true) => "current",
        (false, false) => "waits",
    }
}

fn widget() -> Value {
    json!({
        "group": "example.com", "kind": "Widget",
        "conditions": {
            "Ready": { "role": "summary" }, "Broken": "abnormal", "*Synced": "dependent", "Moving": "activity",
        },
        "reasons": { "Ready": { "NoSuchThing": "Degraded" } },
        "states": { "status.mood": { "Cheerful": "Healthy", "Cross": "Degraded", "Sleepy": "Progressing" } },
        "suspendedIf": ["spec.off=true"],
        "counts": [{ "have": "status.have", "want": "spec.want", "short": "Progressing" }],
    })
}

fn with(conditions: &[(&str, &str, &str)]) -> Value {
    let conditions = conditions
        .iter()
        .map(|(type_, status, reason)| json!({ "type": type_, "status": status, "reason": reason }));
    json!({ "metadata": { "generation": 2 }, "spec": {}, "status": { "conditions": conditions.collect::<Vec<_>>() } })
}

#[test]
fn flux_is_told_that_something_is_current_only_where_something_says_so() {
    let told = expressions(&widget());
    assert_eq!(said(&told, &json!({ "metadata": { "generation": 1 } })), "waits");
    assert_eq!(said(&told, &with(&[])), "waits");
    assert_eq!(said(&told, &with(&[("Other", "True", "")])), "waits");
    assert_eq!(said(&told, &with(&[("Ready", "True", "")])), "current");
    assert_eq!(said(&told, &with(&[("Ready", "Unknown", "")])), "waits");
    assert_eq!(said(&told, &with(&[("Ready", "False", "Soon")])), "waits");
    assert_eq!(said(&told, &with(&[("Ready", "False", "NoSuchThing")])), "failed");
    assert_eq!(said(&told, &with(&[("Ready", "True", ""), ("Broken", "True", "")])), "failed");
    assert_eq!(said(&told, &with(&[("Ready", "True", ""), ("Broken", "False", "")])), "current");
    assert_eq!(said(&told, &with(&[("Ready", "True", ""), ("DiskSynced", "False", "")])), "waits");
    assert_eq!(said(&told, &with(&[("Ready", "True", ""), ("Moving", "True", "")])), "waits");
    assert_eq!(
        said(&told, &with(&[("Ready", "True", ""), ("Failed", "True", "")])),
        "failed",
        "undeclared bad news"
    );
}

#[test]
fn older_generations_states_counts_and_wishes_to_rest_count() {
    let told = expressions(&widget());
    let good = with(&[("Ready", "True", "")]);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut object = good.clone();
        change(&mut object);
        said(&told, &object)
    };
    assert_eq!(changed(&|object| object["status"]["observedGeneration"] = 1.into()), "waits");
    assert_eq!(changed(&|object| object["status"]["observedGeneration"] = 2.into()), "current");
    assert_eq!(
        changed(&|object| object["status"]["conditions"][0]["observedGeneration"] = 1.into()),
        "waits"
    );
    assert_eq!(
        changed(&|object| object["metadata"]["deletionTimestamp"] = "2026-03-01T10:00:00Z".into()),
        "waits"
    );
    assert_eq!(changed(&|object| object["status"]["mood"] = "Cheerful".into()), "current");
    assert_eq!(changed(&|object| object["status"]["mood"] = "Cross".into()), "failed");
    assert_eq!(changed(&|object| object["status"]["mood"] = "Odd".into()), "waits");
    assert_eq!(changed(&|object| object["status"]["phase"] = "Failed".into()), "waits");
    assert_eq!(changed(&|object| object["status"]["phase"] = "Running".into()), "current");
    assert_eq!(changed(&|object| object["spec"]["off"] = true.into()), "waits");
    assert_eq!(changed(&|object| object["spec"]["paused"] = true.into()), "waits");
    assert_eq!(changed(&|object| object["spec"]["want"] = 2.into()), "waits");
    let enough =
        |object: &mut Value| (object["spec"]["want"], object["status"]["have"]) = (2.into(), 2.into());
    assert_eq!(changed(&enough), "current");
    let listener = json!([{ "name": "web", "conditions": [{ "type": "Ready", "status": "False" }] }]);
    assert_eq!(changed(&|object| object["status"]["listeners"] = listener.clone()), "waits");
}

#[test]
fn nothing_that_is_built_in_is_current_without_a_status() {
    let mut kinds = declared(Registry::builtin());
    for kind in &mut kinds {
        kind.version = Some("v1".to_owned());
    }
    let told = export(Registry::builtin(), &kinds, Format::FluxCel);
    assert!(told.kinds > 100, "{}", told.kinds);
    // Many kinds are told alike, and each expression takes its time.
    let alike: BTreeMap<String, &Value> = told.document["healthCheckExprs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (format!("{} {}", one["current"], one["failed"]), one))
        .collect();
    for one in alike.into_values() {
        let is_always = one["current"] == "true";
        let empty = json!({ "metadata": { "generation": 1 }, "spec": {}, "status": {} });
        assert_eq!(holds(&one["current"], &empty), is_always, "{one}");
        assert!(!holds(&one["failed"], &empty), "{one}");
    }
}
