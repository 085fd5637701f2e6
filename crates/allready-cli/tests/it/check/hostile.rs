//! Input that means no good: bounded output, nothing raw, and never green.

use std::fmt::Write as _;

use insta::assert_snapshot;

use super::check;

fn widget(name: &str, message: &str) -> String {
    serde_json::json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "Hostile", "message": message }] } })
    .to_string()
}

const OUTPUTS: [&[&str]; 8] = [
    &[],
    &["-o", "wide"],
    &["-o", "json"],
    &["-o", "jsonl"],
    &["-o", "yaml"],
    &["-o", "name"],
    &["-o", "junit"],
    &["-o", "prometheus"],
];

#[test]
fn nothing_that_a_terminal_obeys_is_written_raw_in_any_form() {
    let hostile = "\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}evil\u{2066}\u{0}\r\n\u{9b}31m <b>&\"'\\";
    let mut object: serde_json::Value = serde_json::from_str(&widget("x", hostile)).unwrap();
    object["metadata"]["name"] = hostile.into();
    object["metadata"]["namespace"] = hostile.into();
    object["kind"] = format!("Widget{hostile}").into();
    object["status"]["conditions"][0]["reason"] = hostile.into();
    for output in OUTPUTS {
        let told = check(output, &object.to_string());
        assert!(told.starts_with("exit 1\n"), "{output:?}: {told}");
        let raw = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!told.contains(raw), "{output:?}: {told:?}");
    }
    let line = check(&["-o", "jsonl"], &object.to_string());
    let line: serde_json::Value = serde_json::from_str(line.lines().nth(2).unwrap()).unwrap();
    assert_eq!(line["message"], hostile);
    assert_eq!(line["object"]["name"], hostile);
}

#[test]
fn a_megabyte_of_message_is_cut_in_a_table_and_whole_in_json() {
    let long = "é".repeat(1 << 20);
    let causes = check(&[], &widget("long", &long));
    assert!(causes.len() < 10_000, "{}", causes.len());
    let table = check(&["--objects"], &widget("long", &long));
    assert!(table.len() < 10_000, "{}", table.len());
    assert!(table.contains("Some messages are cut: -o json has all of them."), "{table}");
    let line = check(&["-o", "jsonl"], &widget("long", &long));
    let line: serde_json::Value = serde_json::from_str(line.lines().nth(2).unwrap()).unwrap();
    assert_eq!(line["message"], long);
    let report = check(&["-o", "junit"], &widget("long", &long));
    assert!(report.len() < 100_000, "{}", report.len());
}

#[test]
fn ten_thousand_conditions_are_one_verdict() {
    let conditions: Vec<serde_json::Value> = (0..10_000)
        .map(|n| serde_json::json!({ "type": format!("T{n}"), "status": "False", "reason": "R", "message": "m" }))
        .collect();
    let object = serde_json::json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "many" },
        "status": { "conditions": conditions } });
    let told = check(&["-o", "jsonl"], &object.to_string());
    assert!(!told.starts_with("exit 0"), "{told}");
    assert_eq!(told.matches("\"kind\":\"Widget\"").count(), 1);
    assert!(told.len() < 20_000, "{}", told.len());
}

#[test]
fn errors_of_any_shape_are_never_green_and_nothing_in_them_is_written_raw() {
    let many = vec![serde_json::json!({ "reason": "Bad\u{1b}[2J", "message": "\u{1b}]0;x\u{7}" }); 10_000];
    for errors in [
        serde_json::json!(many),
        serde_json::json!([7, null]),
        serde_json::json!("\u{1b}[2Jboom"),
        serde_json::json!(3),
    ] {
        let object = serde_json::json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Ready", "status": "True", "errors": errors }] } });
        for output in OUTPUTS {
            let told = check(output, &object.to_string());
            assert!(told.starts_with("exit 1\n"), "{output:?}: {told}");
            assert!(!told.contains(['\u{1b}', '\u{7}']) && told.len() < 20_000, "{output:?}: {told}");
        }
    }
}

#[test]
fn many_different_causes_are_bounded_and_counted() {
    let mut text = String::new();
    for n in 0..3_000 {
        let _ = writeln!(text, "{}", widget(&format!("w{n}"), &format!("cause {n}")));
    }
    let causes = check(&[], &text);
    assert!(causes.contains("3000 degraded; 1 cause"), "numbers tell no causes apart: {causes}");
    let told = check(&["--objects"], &text);
    assert!(told.contains("2000 more objects are not in this table: -o jsonl has all of them."), "{told}");
    assert!(told.contains("3000 objects: 3000 degraded"));
}

/// Each of these with a good object before and after it, where the form allows that.
#[test]
fn what_cannot_be_read_is_unknown_and_the_rest_is_read_on() {
    let good = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"good"},"status":{"conditions":[{"type":"Ready","status":"True","reason":"R","message":""}]}}"#;
    let deep = format!(r#"{{"kind":"Widget","a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        ("deep", deep.as_str()),
        ("a field twice", r#"{"kind":"Widget","metadata":{"name":"x"},"status":{"a":1},"status":{"a":2}}"#),
        ("a NUL", "{\"kind\":\"Widget\",\0\"a\":1}"),
        ("no JSON within", r#"{"kind":"Widget", a: 1}"#),
        ("a cut line", r#"{"kind":"Widget","metadata":{"name":"x"#),
        ("a stray word", "hello"),
        ("no object in an array", "[1, null, \"x\"]"),
        ("a list in a list", r#"{"kind":"List","items":[{"kind":"List","items":[{}]}]}"#),
    ];
    let mut told = String::new();
    for (name, case) in cases {
        let said = check(&[], &format!("{good}\n{case}\n{good}\n"));
        assert!(said.contains("2 healthy"), "{name}: {said}");
        let _ = writeln!(told, "## {name}\n{said}");
    }
    assert_snapshot!(told);
}

#[test]
fn a_list_that_ends_early_is_not_good() {
    let good = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"good"},"status":{"conditions":[{"type":"Ready","status":"True","reason":"R","message":""}]}}"#;
    let mut told = String::new();
    for end in ["", ",", r#",{"kind":"Widget","#, r#",{"kind":"Wid"#, "}", "]", r#"],"kind":"List","#, "],}x"]
    {
        let said = check(&[], &format!(r#"{{"apiVersion":"v1","items":[{good}{end}"#));
        assert!(said.starts_with("exit 65\n") && said.contains("1 healthy"), "{end:?}: {said}");
        let _ = writeln!(told, "## {end:?}\n{said}");
    }
    assert_snapshot!(told);
}

#[test]
fn yaml_that_is_none_is_not_good() {
    let good = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: good}\nstatus: {conditions: [{type: Ready, status: 'True'}]}\n";
    let item = "- {apiVersion: example.com/v1, kind: Widget, metadata: {name: good}, status: {conditions: [{type: Ready, status: 'True'}]}}\n";
    let deep = format!("kind: Widget\na: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let cases = [
        format!("{good}---\na: [1,\n---\n{good}"),
        format!("{good}---\nkind: Widget\nstatus: 1\nstatus: 2\n---\n{good}"),
        format!("{good}---\n{deep}---\n{good}"),
        format!("{good}---\n- 1\n---\n{good}"),
        format!("items:\n  {item}{item}---\n{good}"),
        format!("items:\n{item}items:\n{item}---\n{good}"),
        format!("{good}---\na: \u{0}\n---\n{good}"),
        format!("{good}---\na: &a [x, x]\nb: &b [*a, *a]\nc: *missing\n---\n{good}"),
    ];
    let mut told = String::new();
    for case in cases {
        let said = check(&[], &case);
        assert!(said.starts_with("exit 65\n") && said.contains("2 healthy"), "{case:.300}: {said}");
        let _ = writeln!(told, "{said}");
    }
    assert_snapshot!(told);
}

#[test]
fn nothing_at_all_is_not_good() {
    for nothing in ["", "  \n\n", "---\n---\n", "# only a comment\n"] {
        let said = check(&[], nothing);
        assert_eq!(
            said,
            "exit 65\n--- stdout\n--- stderr\nerror: standard input: there is nothing in it: give objects as JSON or YAML\n",
            "{nothing:?}"
        );
    }
    let empty = check(&[], r#"{"kind":"List","apiVersion":"v1","items":[]}"#);
    assert_eq!(
        empty,
        "exit 2\n--- stdout\n0 objects\n--- stderr\nerror: there are no objects in the files; --allow-none accepts that\n"
    );
}
