use std::fmt::Write as _;

use serde_json::{Value, json};

use super::parse;

fn value(text: &str) -> Value {
    parse(text.as_bytes()).map_or_else(Value::from, |parsed| parsed.value)
}

#[test]
fn words_mean_what_they_mean_in_yaml_1_1() {
    for (text, expected) in [
        ("a: yes", json!({ "a": true })),
        ("a: 'yes'", json!({ "a": "yes" })),
        ("a: off", json!({ "a": false })),
        ("a: 1_000", json!({ "a": 1000 })),
        ("a: 017", json!({ "a": 15 })),
        ("a: 0o17", json!({ "a": 15 })),
        ("a: 08", json!({ "a": 8 })),
        ("a: 0x10", json!({ "a": 16 })),
        ("a: -0b11", json!({ "a": -3 })),
        ("a: 1.0", json!({ "a": 1 })),
        ("a: .5", json!({ "a": 0.5 })),
        ("a: 1e3", json!({ "a": 1000 })),
        ("a: 2020-01-01", json!({ "a": "2020-01-01" })),
        ("a: ~\nb:\n", json!({ "a": null, "b": null })),
        ("a: !!str 1", json!({ "a": "1" })),
        ("a: !!binary aGFsbG8=", json!({ "a": "hallo" })),
        ("a: !!foo b", json!({ "a": "b" })),
        ("1: a\n1.5: b\nyes: c", json!({ "1": "a", "1.5": "b", "true": "c" })),
        ("a: &x {b: c}\nd: *x", json!({ "a": { "b": "c" }, "d": { "b": "c" } })),
        ("a: {<<: {q: r}, s: t}", json!({ "a": { "q": "r", "s": "t" } })),
        ("---\na: b\n---\nc: d", json!({ "a": "b" })),
        ("? a\n: b", json!({ "a": "b" })),
        ("a: |\n  b\n  c\n", json!({ "a": "b\nc\n" })),
        ("- a\n - b\n- c", json!(["a - b", "c"])),
        ("{\"a\": 2.0}", json!({ "a": 2 })),
        ("# nothing\n", Value::Null),
        ("", Value::Null),
    ] {
        assert_eq!(value(text), expected, "{text:?}");
    }
}

#[test]
fn mistakes_are_told_in_the_words_of_the_real_server() {
    let mut different = Vec::new();
    for (text, expected) in [
        ("a: [", "line 1: did not find expected node content"),
        ("a:\n\tb: c", "line 2: found character that cannot start any token"),
        ("\ta: b", "found character that cannot start any token"),
        ("a: {b: c", "line 1: did not find expected ',' or '}'"),
        ("a: \"b", "found unexpected end of stream"),
        ("a: 'b", "found unexpected end of stream"),
        ("a: b\n c: d", "line 2: mapping values are not allowed in this context"),
        ("a: b: c", "mapping values are not allowed in this context"),
        ("- a\nb: c", "line 1: did not find expected '-' indicator"),
        ("a: *x", "unknown anchor 'x' referenced"),
        ("a: @b", "found character that cannot start any token"),
        ("a: `b", "found character that cannot start any token"),
        ("a: %b", "found character that cannot start any token"),
        ("a: &x b\nc: *x\n- d", "line 2: did not find expected key"),
        ("a: |b", "did not find expected comment or line break"),
        ("a: b\na:\n - c\n  d: e", "line 4: mapping values are not allowed in this context"),
        ("x: y\n  z: 1\nq: r", "line 2: mapping values are not allowed in this context"),
        ("kind: X\nmetadata:\n  name: x\n data:\n  a: b", "line 3: did not find expected key"),
        ("a: ]", "did not find expected node content"),
        ("\"a\nb", "line 2: found unexpected end of stream"),
        ("a: \"\\q\"", "found unknown escape character"),
        ("key without colon\na: b", "line 2: mapping values are not allowed in this context"),
        ("a: b\nkey without colon\n", "line 3: could not find expected ':'"),
        ("a: [b, c\nd: e", "line 1: did not find expected ',' or ']'"),
        ("a: {b: c\nd: e", "line 1: did not find expected ',' or '}'"),
        ("a: - b", "block sequence entries are not allowed in this context"),
        ("%YAML 3.0\n---\na: b", "found incompatible YAML document"),
        ("a: &x [*x]", "anchor 'x' value contains itself"),
        ("a:\n  - b\n c: d", "line 2: did not find expected key"),
        ("? [a, b]\n: c", "invalid map key: []interface {}{\"a\", \"b\"}"),
        ("? {a: b}\n: c", "invalid map key: map[interface {}]interface {}{\"a\":\"b\"}"),
        ("a: \u{1}", "control characters are not allowed"),
    ] {
        let found = value(text);
        if found != json!(format!("yaml: {expected}")) {
            different.push(format!("{text:?}: {found}, not {expected:?}"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(parse(b"\xff").unwrap_err(), "yaml: invalid leading UTF-8 octet");
    assert_eq!(value("a: .inf"), json!("json: unsupported value: +Inf"));
}

#[test]
fn a_key_that_stands_there_twice_is_remembered_with_its_line() {
    let parsed = parse(b"a: b\nc:\n  d: 1\n  d: 2\na: e\n").unwrap();
    let found: Vec<_> = parsed.duplicates.iter().map(|it| (it.key.as_str(), it.line)).collect();
    assert_eq!(found, [("d", 4), ("a", 5)]);
    assert_eq!(parsed.value, json!({ "a": "e", "c": { "d": 2 } }));
}

#[test]
fn a_small_text_cannot_become_a_large_object() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let _ = writeln!(text, "a{level}: &a{level} [{}]", vec![below; 9].join(", "));
    }
    assert_eq!(value(&text), json!("yaml: document contains excessive aliasing"));
    assert_eq!(value(&"[".repeat(5000)), json!("yaml: exceeded max depth"));
}

/// The real server counts nodes: what is nearly all aliases is refused before it is made.
#[test]
fn aliases_do_not_make_a_document_deeper_or_mostly_copies() {
    let mut deep = format!("a0: &a0 {}x{}\n", "[".repeat(60), "]".repeat(60));
    for level in 1..18 {
        let below = format!("*a{}", level - 1);
        let _ = writeln!(deep, "a{level}: &a{level} {}{below}{}", "[".repeat(30), "]".repeat(30));
    }
    assert_eq!(value(&deep), json!("yaml: exceeded max depth"));
    let few = format!("a: &a [{}]\nb: [{}]", "x, ".repeat(50), "*a, ".repeat(50));
    assert!(value(&few).is_object());
    let many = format!("a: &a [{}]\nb: [{}]", "x, ".repeat(500), "*a, ".repeat(500));
    assert_eq!(value(&many), json!("yaml: document contains excessive aliasing"));
}

#[test]
fn line_breaks_of_yaml_1_1_are_counted_and_fold_the_blanks_around_them() {
    for (text, expected) in [
        ("{\"a\": \"x\u{85}y\"}", json!({ "a": "x y" })),
        ("{\"a\": \"x \u{2028} y\"}", json!({ "a": "x\u{2028}y" })),
        ("{\"a\": \"x\n\u{2029}\u{2028}y \"}", json!({ "a": "x\u{2029}\u{2028}y " })),
        ("{\"a\": \" \\u2028 y\"}", json!({ "a": " \u{2028} y" })),
    ] {
        assert_eq!(value(text), expected, "{text:?}");
    }
    let parsed = parse("{\"a\": \"\u{2028}\u{85}\",\n\"b\": 1, \"b\": 2}".as_bytes()).unwrap();
    assert_eq!(parsed.duplicates.iter().map(|again| again.line).collect::<Vec<_>>(), [4]);
    let mistake = parse("a: \"\u{2028}\"\nb: }".as_bytes()).unwrap_err();
    assert_eq!(mistake, "yaml: line 2: did not find expected node content");
}
