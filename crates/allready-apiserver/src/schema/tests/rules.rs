//! What rules come to: one object, every rule of a long list alone.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::schema::{Validator, parse};

/// Rules that come to something else here; the documentation of the rules says why. When one of them comes right, it goes.
const GAPS: [&str; 7] = [
    "self.set == self.set2",
    "self.set == ['b','a']",
    "(self.set + self.set2).size() == 2",
    "self.m.transformList(k, v, v).size() == 2",
    "self.li.sortBy(x, -x) == [3,2,1]",
    "self.ml.all(i, v, i < 5)",
    "self.?o.?z.orValue('d') == 'd'",
];

#[test]
fn rules_come_to_what_they_come_to_on_the_real_server() {
    let facts: Value = serde_json::from_str(include_str!("rules.json")).unwrap();
    let object = json!({"spec": facts["spec"], "metadata": {"name": "x"}});
    let mut wrong = Vec::new();
    for fact in facts["rules"].as_array().unwrap() {
        let rule = fact[0].as_str().unwrap();
        let schema = json!({"type": "object", "properties": {"spec": {
            "type": "object", "properties": facts["properties"], "x-kubernetes-validations": [{"rule": rule}],
        }}});
        let errors = Validator::new(Arc::new(parse(&schema).unwrap())).validate(&object, None);
        let ours = errors.first().map(crate::status::FieldError::body).unwrap_or_default();
        let same = ours == fact[1].as_str().unwrap();
        if same == GAPS.contains(&rule) {
            wrong.push(format!("{rule}\n    ours {ours:?}\n  theirs {}", fact[1]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
