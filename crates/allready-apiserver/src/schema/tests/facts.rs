//! What kube-apiserver 1.36.4 answered to hundreds of objects, good and bad.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    json::whole_numbers,
    schema::{Validator, default, parse, prune},
};

#[test]
fn updates_are_forgiven_what_was_wrong_before_as_the_real_server_forgives_it() {
    let groups: Vec<Value> = serde_json::from_str(include_str!("updates.json")).unwrap();
    let mut wrong = Vec::new();
    for group in &groups {
        let validator = Validator::new(Arc::new(parse(&group["schema"]).unwrap()));
        for case in group["cases"].as_array().unwrap() {
            let (new, old) = (&case["new"], &case["old"]);
            let mut warned = Vec::new();
            let errors = match case.get("status") {
                Some(_) => validator.validate_status_with(new, old, Vec::new(), &mut warned),
                None => validator.validate_with(new, Some(old), Vec::new(), &mut warned),
            };
            let ours = causes(errors.iter().map(cause));
            let theirs = theirs(&case["causes"]);
            if ours != theirs {
                wrong.push(json!({"ours": ours, "theirs": theirs, "new": new, "old": old}).to_string());
            }
            if let Some(warnings) = case.get("warnings").and_then(Value::as_array) {
                let ours: Vec<_> =
                    warned.iter().map(|text| format!("299 - {}", crate::status::quote(text))).collect();
                assert_eq!(json!(ours), json!(warnings), "{new}");
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn cause(error: &crate::status::FieldError) -> (String, String, String) {
    let failure = crate::status::Failure::invalid("", "K", "n", std::slice::from_ref(error));
    let cause = failure.details.unwrap().causes.remove(0);
    (cause.field, cause.reason, cause.message)
}

fn theirs(list: &Value) -> Vec<(String, String, String)> {
    causes(serde_json::from_value::<Vec<_>>(list.clone()).unwrap_or_default().into_iter())
}

/// Errors as (field, reason, message), sorted: the real server walks maps in no order.
fn causes(list: impl Iterator<Item = (String, String, String)>) -> Vec<(String, String, String)> {
    let mut list: Vec<_> = list.collect();
    list.sort();
    list
}

#[test]
fn objects_are_defaulted_pruned_and_refused_as_the_real_server_does_it() {
    let groups: Vec<Value> = serde_json::from_str(include_str!("facts.json")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for group in &groups {
        let schema = parse(&group["schema"]).unwrap();
        let validator = Validator::new(Arc::new(schema.clone()));
        for case in group["cases"].as_array().unwrap() {
            count += 1;
            let mut object = case["object"].clone();
            default(&schema, &mut object);
            prune(&schema, &mut object);
            let ours = causes(validator.validate(&object, None).iter().map(cause));
            let theirs = theirs(&case["causes"]);
            if ours != theirs {
                let only = |these: &[_], those: &[_]| -> Vec<_> {
                    these
                        .iter()
                        .filter(|it| !those.contains(*it))
                        .cloned()
                        .collect::<Vec<(String, String, String)>>()
                };
                let (ours, theirs) = (only(&ours, &theirs), only(&theirs, &ours));
                wrong.push(json!({"ours": ours, "theirs": theirs, "object": case["object"]}));
            } else if let Some(stored) = case.get("stored") {
                whole_numbers(&mut object);
                object.as_object_mut().unwrap().remove("metadata");
                if *stored != object {
                    wrong.push(json!({"object": case["object"], "ours": object, "theirs": stored}));
                }
            }
        }
    }
    let shown: Vec<_> = wrong.iter().take(25).map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), shown.join("\n"));
}
