//! Conditions that list errors and warnings.

use super::*;
use crate::{explain::What, graph::Relation, health::Health};

const API: &str = "projectcontour.io/v1";

fn proxy(conditions: &Value) -> Known {
    cluster([object(API, "HTTPProxy", "web", &json!({}), &json!({ "conditions": conditions }))])
}

fn error(type_: &str, reason: &str, message: &str) -> Value {
    json!({ "type": type_, "status": "True", "reason": reason, "message": message })
}

fn valid(status: &str, errors: &Value, warnings: &Value) -> Value {
    let (reason, message) = match status {
        "True" => ("Valid", "Valid HTTPProxy"),
        _ => ("ErrorPresent", "At least one error present, see Errors for details"),
    };
    let mut valid = condition("Valid", status, reason, message);
    valid["errors"] = errors.clone();
    valid["warnings"] = warnings.clone();
    valid
}

fn explained_proxy(known: &Known) -> Explanation {
    explained(known, "projectcontour.io", "HTTPProxy", "web")
}

/// What is told below a condition, as `what label reason: message`.
fn below(explanation: &Explanation, label: &str) -> Vec<String> {
    let children = &find(explanation, label).unwrap().children;
    let told = children.iter().map(|&child| &explanation.nodes[child]);
    told.map(|node| format!("{} {}: {}", node.label, node.reason, node.message)).collect()
}

#[test]
fn the_first_error_of_a_condition_is_the_cause_and_all_are_told_below_it() {
    let errors = json!([
        error("TLSError", "SecretNotValid", "Secret cert not found"),
        error("RouteError", "NoServices", "route /a has none"),
    ]);
    let warnings = json!([error("SpecError", "Deprecated", "use v1")]);
    let explanation = explained_proxy(&proxy(&json!([valid("False", &errors, &warnings)])));
    assert_eq!(cause(&explanation), "HTTPProxy shop/web error TLSError: SecretNotValid");
    assert_eq!(path(&explanation), ["HTTPProxy shop/web", "says Valid=False", "has error TLSError"]);
    let cause = cause_node(&explanation);
    assert_eq!(
        (cause.what, cause.health, cause.relation),
        (What::Error, Some(Health::Degraded), Relation::Has)
    );
    assert_eq!((cause.field.as_str(), cause.since), ("status.conditions[Valid]", Some(noon_minus_five())));
    assert_eq!(
        below(&explanation, "Valid=False"),
        [
            "error TLSError SecretNotValid: Secret cert not found",
            "error RouteError NoServices: route /a has none",
            "SpecError Deprecated: use v1",
        ]
    );
}

fn noon_minus_five() -> Time {
    "2026-11-15T11:55:00Z".parse().unwrap()
}

#[test]
fn a_condition_that_is_true_and_lists_an_error_is_shown_as_broken() {
    let errors = json!([error("TLSError", "SecretNotValid", "no")]);
    let explanation = explained_proxy(&proxy(&json!([valid("True", &errors, &json!([]))])));
    assert_eq!(explanation.health(), Health::Degraded);
    assert_eq!(find(&explanation, "Valid=True").unwrap().health, Some(Health::Degraded));
    assert_eq!(cause(&explanation), "HTTPProxy shop/web error TLSError: SecretNotValid");
}

#[test]
fn warnings_do_not_explain_what_is_wrong() {
    let warnings = json!([error("SpecError", "Deprecated", "use v1")]);
    let explanation = explained_proxy(&proxy(&json!([valid("False", &json!([]), &warnings)])));
    assert_eq!(cause(&explanation), "HTTPProxy shop/web Valid=False: ErrorPresent");
    let explanation = explained_proxy(&proxy(&json!([valid("True", &json!([]), &warnings)])));
    assert_eq!((explanation.health(), explanation.cause), (Health::Healthy, None));
}

#[test]
fn a_message_that_lists_findings_is_told_line_by_line() {
    let message = "3 errors, 1 warning\nerror path/spec.rules[0] UnsupportedValue\n\
        error listener/https InvalidCertificateRef: Secret default/cert not found\n1 error, 1 warning not shown";
    let accepted = condition("Accepted", "False", "MultipleReasons", message);
    let explanation = explained_proxy(&proxy(&json!([accepted])));
    assert_eq!(cause(&explanation), "HTTPProxy shop/web error FieldError: UnsupportedValue");
    let accepted = find(&explanation, "Accepted=False").unwrap();
    assert_eq!(accepted.message, "3 errors, 1 warning");
    let left: Vec<_> = accepted.folded.iter().map(|folded| (folded.what, folded.count)).collect();
    assert_eq!(left, [(What::Error, 1), (What::Warning, 1)]);
    assert_eq!(
        below(&explanation, "Accepted=False"),
        [
            "error FieldError UnsupportedValue: path/spec.rules[0]",
            "error ListenerError InvalidCertificateRef: listener/https: Secret default/cert not found",
        ]
    );
}

#[test]
fn a_dependent_with_errors_is_nearer_to_the_cause_than_the_errors_of_the_whole() {
    let with_error = |mut condition: Value, error: Value| {
        condition["errors"] = json!([error]);
        condition
    };
    let said = |conditions: Value| {
        let widget =
            object("example.com/v1", "Widget", "a", &json!({}), &json!({ "conditions": conditions }));
        cause(&explained(&cluster([widget]), "example.com", "Widget", "a"))
    };
    let ready =
        with_error(condition("Ready", "False", "NotSynced", "not synced"), error("Whole", "NotSynced", "no"));
    let plain = condition("DatabaseReady", "False", "Invalid", "no");
    assert_eq!(said(json!([ready, plain])), "Widget shop/a error Whole: NotSynced");
    let database = with_error(plain, error("TLSError", "SecretNotValid", "no"));
    assert_eq!(said(json!([ready, database])), "Widget shop/a error TLSError: SecretNotValid");
}

#[test]
fn errors_of_a_part_are_told_too() {
    let errors = json!([error("TLSError", "SecretNotValid", "no")]);
    let status = json!({ "conditions": [condition("Valid", "False", "NotValid", "")],
        "listeners": [{ "name": "https", "conditions": [valid("False", &errors, &json!([]))] }] });
    let known = cluster([object(API, "HTTPProxy", "web", &json!({}), &status)]);
    let explanation = explained_proxy(&known);
    assert_eq!(cause(&explanation), "HTTPProxy shop/web error TLSError: SecretNotValid");
    assert_eq!(cause_node(&explanation).field, "status.listeners[https].conditions[Valid]");
}

#[test]
fn of_ten_thousand_errors_as_many_are_shown_as_of_any_list_and_the_rest_is_counted() {
    let errors: Vec<Value> =
        (0..10_000).map(|number| error("TLSError", "Bad", &number.to_string())).collect();
    let known = proxy(&json!([valid("False", &json!(errors), &json!(errors))]));
    let explanation = explained_proxy(&known);
    let valid = find(&explanation, "Valid=False").unwrap();
    assert_eq!(valid.children.len(), Bounds::default().children);
    let left: Vec<_> = valid.folded.iter().map(|folded| (folded.what, folded.count)).collect();
    assert_eq!(left, [(What::Error, 9_990), (What::Warning, 10_000)]);
    assert_eq!(cause_node(&explanation).message, "0");
    let few = Bounds { children: 2, ..Bounds::default() };
    let explanation = explained_within(&known, "projectcontour.io", "HTTPProxy", "web", &few);
    assert_eq!(find(&explanation, "Valid=False").unwrap().children.len(), 2);
}

#[test]
fn errors_of_any_shape_are_told_as_they_are() {
    let errors = json!([7, "boom", { "code": "2009" }, null, { "reason": ["a"], "message": 3 }]);
    let explanation = explained_proxy(&proxy(&json!([valid("False", &errors, &json!("careful"))])));
    assert_eq!(
        below(&explanation, "Valid=False"),
        [
            "error : 7",
            "error : boom",
            "error : {\"code\":\"2009\"}",
            "error : null",
            "error [\"a\"]: 3",
            "warning : careful",
        ]
    );
}
