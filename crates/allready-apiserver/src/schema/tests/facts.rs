//! What kube-apiserver 1.36.4 answered to hundreds of objects, good and bad.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::schema::{Validator, default, parse, prune, whole_numbers};

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
            let ours = causes(validator.validate(&object, None).into_iter().map(|error| {
                let failure = crate::status::Failure::invalid("", "K", "n", std::slice::from_ref(&error));
                let cause = failure.details.unwrap().causes.remove(0);
                (cause.field, cause.reason, cause.message)
            }));
            let text = |value: &Value, index: usize| value[index].as_str().unwrap().to_owned();
            let theirs = causes(
                case["causes"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|cause| (text(cause, 0), text(cause, 1), text(cause, 2))),
            );
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
