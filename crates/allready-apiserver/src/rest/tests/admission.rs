//! Policies: what holds at once, what an error comes to, and what is left alone.

use serde_json::{Value, json};

use super::harness::{Reply, engine, send};
use crate::rest::Engine;

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn post(engine: &Engine, path: &str, body: &Value) -> Reply {
    send(engine, "POST", path, "application/json", body.to_string())
}

fn map(name: &str) -> Value {
    json!({ "metadata": { "name": name } })
}

/// A policy for config maps, and its binding.
fn add_policy(engine: &Engine, kind: &str, spec: &Value) {
    let mut policy = json!({ "metadata": { "name": "a" }, "spec": spec });
    policy["spec"]["matchConstraints"]["resourceRules"] = json!([{
        "apiGroups": [""], "apiVersions": ["*"], "resources": ["configmaps"], "operations": ["*"],
    }]);
    let made = post(engine, &format!("{GROUP}/{kind}admissionpolicies"), &policy);
    assert_eq!((made.code, made.warnings), (201, vec![]), "{}", made.body);
    let mut binding = json!({ "metadata": { "name": "b" }, "spec": { "policyName": "a" } });
    if kind == "validating" {
        binding["spec"]["validationActions"] = json!(["Deny"]);
    }
    let bound = post(engine, &format!("{GROUP}/{kind}admissionpolicybindings"), &binding);
    assert_eq!(bound.code, 201, "{}", bound.body);
}

#[test]
fn a_policy_holds_from_the_next_request_on_and_until_its_binding_goes() {
    let engine = engine();
    assert_eq!(post(&engine, MAPS, &map("before")).code, 201);
    add_policy(
        &engine,
        "validating",
        &json!({ "validations": [{ "expression": "false", "message": "never" }] }),
    );
    let refused = post(&engine, MAPS, &map("x"));
    let message = "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: never";
    assert_eq!(refused.code, 422);
    assert_eq!(refused.body["message"], format!("configmaps \"x\" is forbidden: {message}"));
    assert_eq!(refused.body["details"]["causes"], json!([{ "message": message }]));
    assert_eq!(send(&engine, "DELETE", &format!("{MAPS}/before"), "", "").code, 422);

    let binding = format!("{GROUP}/validatingadmissionpolicybindings/b");
    assert_eq!(send(&engine, "DELETE", &binding, "", "").code, 200);
    assert_eq!(post(&engine, MAPS, &map("x")).code, 201);
}

#[test]
fn an_expression_that_does_not_compile_is_refused_with_its_policy() {
    let engine = engine();
    for expression in ["object.(", "nobody == 1", "object.nothing", "variables.lost"] {
        let rules =
            json!([{ "apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"], "operations": ["*"] }]);
        let policy = json!({ "metadata": { "name": "a" }, "spec": {
            "matchConstraints": { "resourceRules": rules }, "validations": [{ "expression": expression }],
        } });
        let refused = post(&engine, &format!("{GROUP}/validatingadmissionpolicies"), &policy);
        let field = &refused.body["details"]["causes"][0]["field"];
        assert_eq!((refused.code, field), (422, &json!("spec.validations[0].expression")), "{expression}");
    }
}

#[test]
fn an_expression_that_fails_follows_the_failure_policy_even_where_the_interpreter_would_go_on() {
    // The interpreter takes a field of what is no map for `false`.
    for expression in ["object.metadata.name.nothing != 'x'", "object.nothing == 'x'", "lost(object)"] {
        for (policy, code) in [("Fail", 422), ("Ignore", 201)] {
            let engine = engine();
            let validations = json!([{ "expression": expression }]);
            add_policy(
                &engine,
                "validating",
                &json!({ "failurePolicy": policy, "validations": validations }),
            );
            let answer = post(&engine, MAPS, &map("x"));
            assert_eq!(answer.code, code, "{policy}, {expression}: {}", answer.body);
        }
    }
}

#[test]
fn an_optional_field_that_is_absent_is_none_however_deep() {
    let engine = engine();
    let validations = json!([
        { "expression": "object.?data.?x == oldObject.?data.?x", "message": "x changed" },
        { "expression": "object.?data.?x.orValue('none') != 'bad' && !object.?nothing.hasValue()", "message": "bad" },
    ]);
    assert_eq!(post(&engine, MAPS, &map("x")).code, 201);
    add_policy(&engine, "validating", &json!({ "validations": validations }));
    let path = format!("{MAPS}/x");
    let merge = "application/merge-patch+json";
    let change = |data: Value| send(&engine, "PATCH", &path, merge, json!({ "data": data }).to_string());
    assert_eq!(change(json!({ "y": "1" })).code, 200);
    assert_eq!(change(json!({ "x": "1" })).code, 422);
}

#[test]
fn a_policy_without_end_is_stopped() {
    let engine = engine();
    let list = format!("[{}]", vec!["1"; 200].join(","));
    let expression = format!("{list}.all(a, {list}.all(b, {list}.all(c, {list}.all(d, a + b + c + d > 0))))");
    add_policy(&engine, "validating", &json!({ "validations": [{ "expression": expression }] }));
    let answer = post(&engine, MAPS, &map("x"));
    assert_eq!(answer.code, 422);
    assert!(answer.body["message"].as_str().unwrap().contains("cost"), "{}", answer.body);
}

#[test]
fn policies_and_bindings_are_not_asked_about() {
    let engine = engine();
    add_policy(&engine, "validating", &json!({ "validations": [{ "expression": "false" }] }));
    let policy = format!("{GROUP}/validatingadmissionpolicies/a");
    let rules =
        json!([{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"] }]);
    let everything = json!({ "spec": { "matchConstraints": { "resourceRules": rules } } }).to_string();
    assert_eq!(send(&engine, "PATCH", &policy, "application/merge-patch+json", everything).code, 200);
    assert_eq!(post(&engine, "/api/v1/namespaces", &map("x")).code, 422);
    assert_eq!(send(&engine, "DELETE", &policy, "", "").code, 200);
    assert_eq!(post(&engine, "/api/v1/namespaces", &map("x")).code, 201);
}

#[test]
fn the_generation_of_a_policy_is_observed() {
    let engine = engine();
    add_policy(&engine, "validating", &json!({ "validations": [{ "expression": "true" }] }));
    let policy = format!("{GROUP}/validatingadmissionpolicies/a");
    let change = json!({ "spec": { "failurePolicy": "Ignore" } }).to_string();
    assert_eq!(send(&engine, "PATCH", &policy, "application/merge-patch+json", change).code, 200);
    let read = send(&engine, "GET", &policy, "", "").body;
    assert_eq!(
        (&read["metadata"]["generation"], &read["status"]["observedGeneration"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn mutations_follow_one_another_and_what_they_make_is_validated() {
    let engine = engine();
    let mutations = json!([
        { "patchType": "ApplyConfiguration",
          "applyConfiguration": { "expression": "Object{metadata: Object.metadata{labels: {'one': 'made'}}}" } },
        { "patchType": "JSONPatch", "jsonPatch": { "expression":
            "[JSONPatch{op: 'add', path: '/data', value: {'two': object.metadata.labels.one + ' again'}}]" } },
    ]);
    add_policy(&engine, "mutating", &json!({ "reinvocationPolicy": "Never", "mutations": mutations }));
    let made = post(&engine, MAPS, &map("x")).body;
    assert_eq!(
        (&made["metadata"]["labels"]["one"], &made["data"]["two"]),
        (&json!("made"), &json!("made again"))
    );

    add_policy(
        &engine,
        "validating",
        &json!({ "validations": [{ "expression": "!has(object.data.two)", "message": "as it was sent" }] }),
    );
    let refused = post(&engine, MAPS, &map("y"));
    assert_eq!(refused.code, 422, "{}", refused.body);
}
