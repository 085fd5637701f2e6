use serde_json::json;

use super::{bounds::measure, values::misfit};
use crate::schema::parse;

#[test]
fn nothing_hides_from_the_measure_behind_a_quote() {
    let many = "(".repeat(300);
    for hidden in
        ["'\n", "\"", "'''", "'\\q", "'\\x'", "r'\n", "\"\"\"a\"\"", "`", "// a\n", "'a' + \"b\" + "]
    {
        assert!(measure(&format!("{hidden}{many}")).is_err(), "{hidden}");
    }
    for shown in ["'{}'", "\"\\\"{}\"", "'''\n'{}'''", "r'\\{}'", "// {}", "b'{}'"] {
        assert!(measure(&shown.replace("{}", &many)).is_ok(), "{shown}");
    }
}

#[test]
fn pairs_of_signs_are_no_signs() {
    let plain = |source: &str| measure(source).unwrap().1;
    assert_eq!(plain("!!a && ! !b"), "  a &&    b");
    assert_eq!(plain("a - --1 != !!!b"), "a -   1 !=   !b");
    assert_eq!(plain("'!!' == '--'"), "'!!' == '--'");
}

#[test]
fn brackets_and_operators_that_alternate_are_measured_together() {
    let layered = (0..200).fold("1".to_owned(), |inner, _| format!("({inner}{})", "+1".repeat(200)));
    assert_eq!(measure(&layered).unwrap_err(), "ERROR: <input>:-1:0: max recursion depth exceeded");
}

#[test]
fn a_property_that_is_null_is_absent_to_a_rule_and_a_null_item_is_not() {
    let schema = parse(&json!({ "type": "object", "properties": {
        "pairs": { "type": "array", "items": { "type": "object", "properties": { "left": { "type": "integer" } } } },
        "map": { "type": "object", "additionalProperties": { "type": "integer" } },
    } }))
    .unwrap();
    let found = |object| misfit(&schema, &object, "").map(|(name, _)| name.to_owned());
    assert_eq!(found(json!({ "pairs": [{ "left": null }], "map": null })), None);
    assert_eq!(found(json!({ "pairs": [null] })).as_deref(), Some("pairs"));
    assert_eq!(found(json!({ "map": { "a": null } })).as_deref(), Some("a"));
    assert_eq!(found(json!({ "pairs": [{ "left": 1.5 }] })).as_deref(), Some("left"));
}
