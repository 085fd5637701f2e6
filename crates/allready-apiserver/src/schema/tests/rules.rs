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

/// The real server lets 400 through and stops 450.
#[test]
fn a_rule_that_costs_too_much_is_stopped_and_no_other_is_run() {
    let rule = "self.all(x, self.all(y, x != y || x == y))";
    let schema = json!({"type": "object", "properties": {"a": {
        "type": "array",
        "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": rule}, {"rule": "false"}],
    }}});
    let validator = Validator::new(Arc::new(parse(&schema).unwrap()));
    let told = |length: i64| {
        let object = json!({"a": (0..length).collect::<Vec<_>>()});
        let errors = validator.validate_with(&object, None, Vec::new(), &mut Vec::new());
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(told(400), ["a: Invalid value: failed rule: false"]);
    let stopped = format!(
        "a: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules will \
         be run due to call cost exceeds limit for rule: {rule}"
    );
    assert_eq!(told(500), [stopped]);
}

#[test]
fn the_rules_of_an_object_have_one_budget() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {
        "type": "array",
        "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x != y || x == y))"}],
    }}}});
    let validator = Validator::new(Arc::new(parse(&schema).unwrap()));
    let numbers: Vec<i64> = (0..300).collect();
    let errors = validator.validate_with(&json!({"a": vec![numbers; 40]}), None, Vec::new(), &mut Vec::new());
    let told: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].ends_with(
        "validation failed due to running out of cost budget, no further validation rules will be run"
    ));
}

#[test]
fn a_literal_of_a_type_does_not_bring_the_server_down() {
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "Pod{name: 'a'} == self"}]});
    let validator = Validator::new(Arc::new(parse(&schema).unwrap()));
    assert_eq!(validator.validate_with(&json!({}), None, Vec::new(), &mut Vec::new()).len(), 1);
}

/// The first number is the last that the real server takes, the second the first that it refuses.
#[test]
fn a_rule_may_nest_as_deep_as_on_the_real_server_and_no_deeper() {
    type Rule<'a> = &'a dyn Fn(usize) -> String;
    const LEVELS: &str = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
    const LEANING: &str = "ERROR: <input>:-1:0: max recursion depth exceeded";
    let around = |open: &str, inner: &str, close: &str, times: usize| {
        format!("{}{inner}{}", open.repeat(times), close.repeat(times))
    };
    let cases: [(&str, Rule<'_>, usize, usize, &str); 11] = [
        ("parentheses", &|n| around("(", "self.a", ")", n) + " == 1", 249, 250, LEVELS),
        ("signs", &|n| around("-(", "1", ")", n) + " != 2", 249, 250, LEVELS),
        ("lists", &|n| around("[", "", "]", n) + " != [1]", 250, 251, LEVELS),
        ("maps", &|n| around("{'a':", "1", "}", n) + " != {}", 249, 250, LEVELS),
        ("conditions", &|n| "self.a == 2 ? false : ".repeat(n) + "true", 249, 250, LEVELS),
        ("calls", &|n| around("size(string(", "'a'", "))", n) + " == 1", 124, 125, LEVELS),
        ("macros", &|n| around("[1].all(x, ", "true", ")", n), 249, 250, LEVELS),
        ("sums", &|n| format!("self.a{} == {}", "+1".repeat(n), n + 1), 248, 249, LEANING),
        ("conjunctions", &|n| "self.a == 1 && ".repeat(n) + "true", 4096, 9000, "code point size"),
        ("negations", &|n| "!!".repeat(n) + "(self.a == 1)", 4096, 60_000, "code point size"),
        ("texts", &|n| format!("self.a == 1 || '{}' == ''", "(".repeat(n)), 4096, 100_000, "code point size"),
    ];
    for (name, rule, last, first, why) in cases {
        let told = |times: usize| {
            let rule = rule(times);
            let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}},
                "x-kubernetes-validations": [{"rule": rule}]});
            let validator = Validator::new(Arc::new(parse(&schema).unwrap()));
            let errors = validator.validate_with(&json!({"a": 1}), None, Vec::new(), &mut Vec::new());
            errors.first().map(ToString::to_string)
        };
        assert_eq!(told(last), None, "{name}: {last}");
        assert!(told(first).is_some_and(|told| told.contains(why)), "{name}: {first}");
        assert!(told(first * 20).is_some(), "{name}: {}", first * 20);
    }
}
